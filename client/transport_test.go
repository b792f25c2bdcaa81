package client

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"svc/client/api"

	"github.com/google/go-cmp/cmp"
)

func TestRedirectToAnotherServerDropsTheToken(t *testing.T) {
	type seen struct{ Method, URI, Auth string }
	var got []seen
	note := func(r *http.Request) {
		got = append(got, seen{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization")})
	}
	var home string
	other := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		note(r)
		if r.URL.Path == "/back" {
			http.Redirect(w, r, home+"/final", http.StatusFound)
			return
		}
		answer(w, 200, `{"title":"other"}`)
	})
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		note(r)
		switch r.URL.Path {
		case "/inside":
			http.Redirect(w, r, "/final", http.StatusFound)
		case "/outside":
			http.Redirect(w, r, other.URL+"/there", http.StatusFound)
		case "/detour":
			http.Redirect(w, r, other.URL+"/back", http.StatusFound)
		default:
			answer(w, 200, `{"title":"home"}`)
		}
	})
	home = p.URL
	c, _ := dial(t, p.URL, WithToken("tok"))
	for path, want := range map[string][]seen{
		"/inside":  {{"GET", "/inside", "Bearer tok"}, {"GET", "/final", "Bearer tok"}},
		"/outside": {{"GET", "/outside", "Bearer tok"}, {"GET", "/there", ""}},
		"/detour":  {{"GET", "/detour", "Bearer tok"}, {"GET", "/back", ""}, {"GET", "/final", ""}},
	} {
		got = nil
		if _, err := c.Do(t.Context(), Request{Method: "GET", Path: path}, nil); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestWritesAreRedirectedOnlyAsTheSameWriteOnTheSameServer(t *testing.T) {
	other := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	var moved string
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/302":
			http.Redirect(w, r, "/final", 302)
		case "/307":
			http.Redirect(w, r, "/final", 307)
		case "/307-away":
			http.Redirect(w, r, other.URL, 307)
		default:
			body, _ := io.ReadAll(r.Body)
			moved = r.Method + " " + string(body)
			answer(w, 200, "{}")
		}
	})
	c, _ := dial(t, p.URL, WithToken("tok"))
	if _, err := c.Do(t.Context(), Request{Method: "POST", Path: "/307", Body: map[string]string{"a": "b"}}, nil); err != nil || moved != `POST {"a":"b"}` {
		t.Errorf("307 inside: %v, %q arrived", err, moved)
	}
	moved = ""
	for _, path := range []string{"/302", "/307-away"} {
		_, err := c.Do(t.Context(), Request{Method: "POST", Path: path, Body: map[string]string{"password": "p"}}, nil)
		if status := Status(err); status != 302 && status != 307 || !strings.Contains(err.Error(), "not followed") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if moved != "" || len(other.seen()) != 0 {
		t.Errorf("a write was carried on: %q, %v", moved, other.seen())
	}
}

func TestRedirectToPlainHTTPIsRefused(t *testing.T) {
	p := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.org/", http.StatusFound)
	}))
	defer p.Close()
	c, _ := dial(t, p.URL, WithHTTPClient(p.Client()), WithRetries(0))
	if _, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}, nil); err == nil || !strings.Contains(err.Error(), "plain http") {
		t.Errorf("got %v", err)
	}
}

func TestUntrustedCertificateIsNotRetried(t *testing.T) {
	p := httptest.NewUnstartedServer(http.NotFoundHandler())
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.StartTLS()
	defer p.Close()
	c, pauses := dial(t, p.URL)
	_, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}, nil)
	if !errors.Is(err, ErrNetwork) || MayHaveHappened(err) || len(*pauses) != 0 {
		t.Errorf("got %v after %d pauses", err, len(*pauses))
	}
}

func TestAbsoluteAddressesStayOnTheServer(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	c, _ := dial(t, p.URL+"/base", WithToken("tok"))
	for _, path := range []string{"/a/b?x=1", "a/b?x=1", p.URL + "/base/a/b?x=1"} {
		if _, err := c.Do(t.Context(), Request{Method: "GET", Path: path, Query: url.Values{"y": {"2"}}}, nil); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	want := "GET /base/a/b?x=1&y=2"
	if diff := cmp.Diff([]string{want, want, want}, p.seen()); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{
		"https://example.org/a", "//example.org/a", strings.Replace(p.URL, "http:", "https:", 1) + "/base/a",
		p.URL + "/other", p.URL + "/baseless", "javascript:alert(1)", strings.Replace(p.URL, "//", "//u@", 1) + "/base",
	} {
		if _, err := c.Do(t.Context(), Request{Method: "GET", Path: path}, nil); err == nil {
			t.Errorf("%s is accepted", path)
		}
	}
	if n := len(p.seen()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestReadOnlyRefusesWhatChangesSomething(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/trap" {
			http.Redirect(w, r, "/api/svc/admin/restart", http.StatusFound)
			return
		}
		answer(w, 200, "{}")
	})
	c, _ := dial(t, p.URL, WithReadOnly())
	for _, call := range []struct{ method, path string }{
		{"POST", "/x"}, {"PUT", "/x"}, {"PATCH", "/x"}, {"DELETE", "/x"}, {"OPTIONS", "/x"},
		{"GET", "/api/svc/admin/restart"}, {"HEAD", "/api/svc/admin/restart"}, {"GET", "/api/svc/admin//restart/"},
		{"GET", "/api/svc/admin/%72estart"}, {"GET", "/api/svc/admin/x/../RESTART"},
		{"GET", "/api/svc/admin/users/kim/password_reset"}, {"GET", "/api/account/confirm_email/1/abc"},
		{"GET", "/api/svc/accounts/mfa/backup_codes"}, {"GET", "/api/svc/accounts/mfa/setup/totp"}, {"GET", "/trap"},
	} {
		_, err := c.Do(t.Context(), Request{Method: call.method, Path: call.path}, nil)
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s %s: %v", call.method, call.path, err)
		}
	}
	if diff := cmp.Diff([]string{"GET /trap"}, p.seen()); diff != "" {
		t.Errorf("requests got through: %s", diff)
	}
	for _, path := range []string{"/api/v1/instance", "/api/svc/admin/users/restarter", "/api/svc/password_reset/token", "/api/svc/accounts/mfa"} {
		if _, err := c.Do(t.Context(), Request{Method: "GET", Path: path}, nil); err != nil {
			t.Errorf("reading %s: %v", path, err)
		}
	}
}

func TestRefusedWriteTellsWhatWouldHaveBeenSent(t *testing.T) {
	c, pauses := dial(t, "https://example.org/base", WithReadOnly())
	err := c.Admin.Reports.Update(t.Context(), api.ReportUpdate{ID: "9x", State: "closed"})
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	want := &RefusedError{Method: "PATCH", Path: "/base/api/svc/admin/reports", Body: []byte(`{"reports":[{"id":"9x","state":"closed"}]}`)}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Error(diff)
	}
	if len(*pauses) != 0 || MayHaveHappened(err) || errors.Is(err, ErrNetwork) {
		t.Errorf("a refusal of our own looks like the network's: %v", err)
	}
	_, err = c.Do(t.Context(), Request{Method: "POST", Path: "/x", Body: map[string]string{"password": "hunter2", "email": "e"}}, nil)
	if !errors.As(err, &refused) || string(refused.Body) != `{"email":"e","password":"***"}` {
		t.Errorf("got %v with %s", err, refused.Body)
	}
}

func TestDeleteParametersInTheQuery(t *testing.T) {
	var body string
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = string(data)
		answer(w, 200, "{}")
	})
	form := map[string]any{"nicknames": []string{"a", "b"}, "force": true, "n": 7, "none": nil}
	c, _ := dial(t, p.URL)
	if _, err := c.Do(t.Context(), Request{Method: "DELETE", Path: "/users", Body: form}, nil); err != nil || body != `{"force":true,"n":7,"nicknames":["a","b"],"none":null}` {
		t.Errorf("body %s, %v", body, err)
	}
	c, _ = dial(t, p.URL, WithDeleteParamsInQuery())
	if _, err := c.Do(t.Context(), Request{Method: "DELETE", Path: "/users", Query: url.Values{"x": {"1"}}, Body: form}, nil); err != nil || body != "" {
		t.Errorf("body %s, %v", body, err)
	}
	if _, err := c.Do(t.Context(), Request{Method: "DELETE", Path: "/form", Body: url.Values{"a": {"1"}}}, nil); err != nil || body != "" {
		t.Errorf("body %s, %v", body, err)
	}
	if _, err := c.Do(t.Context(), Request{Method: "POST", Path: "/users", Body: form}, nil); err != nil || body == "" {
		t.Errorf("a POST lost its body, %v", err)
	}
	want := []string{"DELETE /users", "DELETE /users?force=true&n=7&nicknames%5B%5D=a&nicknames%5B%5D=b&x=1", "DELETE /form?a=1", "POST /users"}
	if diff := cmp.Diff(want, p.seen()); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Do(t.Context(), Request{Method: "DELETE", Path: "/users", Body: map[string]any{"a": map[string]int{"b": 1}}}, nil); err == nil {
		t.Error("a nested parameter was dropped silently")
	}
}

func TestDebugShowsCallsWithoutSecrets(t *testing.T) {
	p := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "req-1")
		switch r.URL.Path {
		case "/oauth/token":
			answer(w, 200, `{"access_token":"S3CRET","refresh_token":"S3CRET","scope":"read"}`)
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>S3CRET")
		case "/broken":
			answer(w, 200, `{"password":"S3CRET`)
		default:
			answer(w, 503, `{"items":[{"token":"S3CRET","code":503}],"codes":["S3CRET"]}`)
		}
	})
	var calls []Exchange
	c, _ := dial(t, p.URL, WithToken("S3CRET"), WithRetries(1), WithDebug(func(e Exchange) { calls = append(calls, e) }))
	c.OAuth.Password(t.Context(), &api.App{ClientID: "id", ClientSecret: "S3CRET"}, "kim", "S3CRET", "read")
	c.Do(t.Context(), Request{Method: "PUT", Path: "/x?access_token=S3CRET&q=1", Body: map[string]any{"new_password": "S3CRET", "n": 1}}, nil)
	c.Do(t.Context(), Request{Method: "POST", Path: "/html", Body: url.Values{"data[password]": {"S3CRET"}, "data[token]": {"S3CRET"}}}, nil)
	c.Do(t.Context(), Request{Method: "GET", Path: "/broken"}, nil)

	type line struct {
		Method, URL     string
		Attempt, Status int
		Sent, Got       string
	}
	var got []line
	for _, e := range calls {
		if e.Duration <= 0 || e.RequestID != "req-1" || e.Err != nil {
			t.Errorf("%s %s: took %v, request %q, %v", e.Method, e.URL, e.Duration, e.RequestID, e.Err)
		}
		got = append(got, line{e.Method, strings.TrimPrefix(e.URL, p.URL), e.Attempt, e.Status, string(e.RequestBody), string(e.ResponseBody)})
	}
	busy := `{"codes":"***","items":[{"code":503,"token":"***"}]}`
	want := []line{
		{"POST", "/oauth/token", 0, 200,
			"client_id=id&client_secret=%2A%2A%2A&grant_type=password&password=%2A%2A%2A&scope=read&username=kim",
			`{"access_token":"***","refresh_token":"***","scope":"read"}`},
		{"PUT", "/x?access_token=%2A%2A%2A&q=1", 0, 503, `{"n":1,"new_password":"***"}`, busy},
		{"PUT", "/x?access_token=%2A%2A%2A&q=1", 1, 503, `{"n":1,"new_password":"***"}`, busy},
		{"POST", "/html", 0, 200, "data%5Bpassword%5D=%2A%2A%2A&data%5Btoken%5D=%2A%2A%2A", "(9 bytes of text/html)"},
		{"GET", "/broken", 0, 200, "", "(19 bytes of application/json)"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDebugTellsWhyThereWasNoAnswer(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { hangUp(w) })
	var calls []Exchange
	c, _ := dial(t, p.URL, WithRetries(0), WithDebug(func(e Exchange) { calls = append(calls, e) }))
	c.Instance.Get(t.Context())
	if len(calls) != 1 || calls[0].Err == nil || calls[0].Status != 0 {
		t.Errorf("got %+v", calls)
	}
}
