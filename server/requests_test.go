package server_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

const (
	jsonBody = "application/json"
	formBody = "application/x-www-form-urlencoded"
)

// exchange sends a request, follows no redirect, and returns status and body.
func exchange(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func newRequest(t *testing.T, method, address, kind, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return req
}

// parts is a multipart body of these names and values, in this order.
func parts(t *testing.T, pairs ...string) (kind, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.String()
}

func TestAPostActsAsTheMethodThatItsBodyNames(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann := s.Client("ann")
	multi, first := parts(t, "_method", "delete", "filler", strings.Repeat("x", 10000))
	_, late := parts(t, "filler", strings.Repeat("x", 10000), "_method", "delete")
	boundary, _, _ := strings.Cut(first, "\r\n")
	other, _, _ := strings.Cut(late, "\r\n")
	late = strings.ReplaceAll(late, other, boundary)
	for _, tt := range []struct {
		name, kind, body string
		deleted          bool
	}{
		{"a form", formBody, "_method=DELETE", true},
		{"the last of two", formBody, "_method=put&x=1&_method=delete", true},
		{"JSON", jsonBody, `{"x":1,"_method":"Delete"}`, true},
		{"JSON without a type", "", `{"_method":"DELETE"}`, true},
		{"multipart", multi, first, true},
		{"multipart behind much else", multi, late, false},
		{"another word", formBody, "_method=trace", false},
		{"in a value", jsonBody, `{"x":"_method","y":{"_method":"DELETE"}}`, false},
		{"not text", jsonBody, `{"_method":1}`, false},
		{"nothing", "", "", false},
	} {
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: tt.name})
		if err != nil {
			t.Fatal(err)
		}
		req := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses/"+posted.ID, tt.kind, tt.body)
		req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
		status, body := exchange(t, req)
		_, err = ann.Statuses.Get(ctx, posted.ID)
		if deleted := err != nil; deleted != tt.deleted || deleted != (status == http.StatusOK) {
			t.Errorf("%s: deleted %v, %d %.100s", tt.name, deleted, status, body)
		}
	}
	// A query does not count, nor does the body of another method.
	posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range []*http.Request{
		newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses/"+posted.ID+"?_method=delete", "", ""),
		newRequest(t, http.MethodPut, s.URL+"/api/v1/statuses/"+posted.ID+"/pin", formBody, "_method=delete"),
	} {
		req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
		if status, body := exchange(t, req); status != http.StatusNotFound {
			t.Errorf("%s %s: %d %s", req.Method, req.URL, status, body)
		}
	}
	// The other parts of the form are read as ever.
	req := newRequest(t, http.MethodPost, s.URL+"/api/v1/accounts/update_credentials", formBody, "display_name=Ann+B&_method=patch")
	req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
	if status, body := exchange(t, req); status != http.StatusOK || !strings.Contains(body, `"display_name":"Ann B"`) {
		t.Errorf("patched: %d %.200s", status, body)
	}
}

func TestATokenIsLookedForInOrder(t *testing.T) {
	s := servertest.Start(t)
	ann, bob := s.Token("ann", servertest.AllScopes), s.Token("bob", servertest.AllScopes)
	s.User("cat")
	kind, body := parts(t, "display_name", "x", "access_token", bob)
	for _, tt := range []struct {
		name   string
		query  string
		kind   string
		body   string
		header string
		basic  [2]string
		want   string
	}{
		{name: "header", header: "Bearer " + ann, want: "ann"},
		{name: "lower case, with a colon", header: "bearer: " + ann, want: "ann"},
		{name: "query", query: ann, want: "ann"},
		{name: "query before header", query: bob, header: "Bearer " + ann, want: "bob"},
		{name: "form", kind: formBody, body: "access_token=" + ann, want: "ann"},
		{name: "JSON before header", kind: jsonBody, body: `{"access_token":"` + bob + `"}`, header: "Bearer " + ann, want: "bob"},
		{name: "multipart", kind: kind, body: body, want: "bob"},
		{name: "one that is nobody's, then one that is", query: "nonsense", kind: formBody, body: "access_token=junk", header: "Bearer " + ann, want: "ann"},
		{name: "name and password", basic: [2]string{"cat", servertest.Password}, want: "cat"},
		{name: "address and password", basic: [2]string{"Cat@example.org", servertest.Password}, want: "cat"},
		{name: "token before password", query: ann, basic: [2]string{"cat", servertest.Password}, want: "ann"},
		{name: "wrong password", basic: [2]string{"cat", "x"}},
		{name: "a cookie", header: "", want: ""},
		{name: "nothing"},
	} {
		address := s.URL + "/api/v1/accounts/update_credentials"
		if tt.query != "" {
			address += "?access_token=" + tt.query
		}
		req := newRequest(t, http.MethodPatch, address, tt.kind, tt.body)
		if tt.header != "" {
			req.Header.Set("Authorization", tt.header)
		}
		if tt.basic[0] != "" {
			req.SetBasicAuth(tt.basic[0], tt.basic[1])
		}
		for _, name := range []string{"svc_key", "__Host-svc_key", "svc_session"} {
			req.AddCookie(&http.Cookie{Name: name, Value: ann})
			if tt.name != "a cookie" {
				req.Header.Del("Cookie")
			}
		}
		status, got := exchange(t, req)
		if tt.want == "" && status != http.StatusUnauthorized || tt.want != "" && !strings.Contains(got, `"username":"`+tt.want+`"`) {
			t.Errorf("%s: %d %.200s, want %q", tt.name, status, got, tt.want)
		}
	}
}

func TestAPasswordIsEnoughForEveryScopeOfTheClientAPI(t *testing.T) {
	s := servertest.Start(t)
	s.AdminUser("root")
	for path, want := range map[string]int{
		"/api/v1/notifications": http.StatusOK, "/api/v1/timelines/home": http.StatusOK,
		// The admin API asks for the scopes of a token.
		"/api/svc/admin/users": http.StatusForbidden, "/api/svc/admin/config": http.StatusForbidden,
	} {
		req := newRequest(t, http.MethodGet, s.URL+path, "", "")
		req.SetBasicAuth("root", servertest.Password)
		if status, body := exchange(t, req); status != want || want == http.StatusForbidden && body != `{"error":"Invalid credentials."}` {
			t.Errorf("%s: %d %.200s, want %d", path, status, body, want)
		}
	}
	req := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses", formBody, "status=by+password")
	req.SetBasicAuth("root", servertest.Password)
	req.Header.Set("Idempotency-Key", "k")
	_, first := exchange(t, req)
	again := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses", formBody, "status=by+password")
	again.Header = req.Header
	if status, second := exchange(t, again); status != http.StatusOK || second != first {
		t.Errorf("repeated: %d %.200s, want %.200s", status, second, first)
	}
	other := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses", formBody, "status=another")
	s.User("ann")
	other.SetBasicAuth("ann", servertest.Password)
	other.Header.Set("Idempotency-Key", "k")
	if _, body := exchange(t, other); body == first {
		t.Error("another account got the first one's answer")
	}
	verify := newRequest(t, http.MethodGet, s.URL+"/api/v1/apps/verify_credentials", "", "")
	verify.SetBasicAuth("ann", servertest.Password)
	if status, body := exchange(t, verify); status != http.StatusUnauthorized {
		t.Errorf("the app of no token: %d %s", status, body)
	}
}

func TestWhatEveryAnswerCarries(t *testing.T) {
	s := servertest.Start(t)
	posted, err := s.Client("ann").Statuses.Post(t.Context(), api.NewStatus{Status: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/instance", "/api/v1/instance/", "/api/v1/statuses/" + posted.ID, "/nodeinfo/2.0", "/nodeinfo/2.0.json", "/nodeinfo/2.1.json/", "/api/v1/nothing"} {
		get, err := http.DefaultTransport.RoundTrip(newRequest(t, http.MethodGet, s.URL+path, "", ""))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(get.Body)
		_ = get.Body.Close()
		head, err2 := http.DefaultTransport.RoundTrip(newRequest(t, http.MethodHead, s.URL+path, "", ""))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		_ = head.Body.Close()
		if want := http.StatusNotFound; strings.HasSuffix(path, "nothing") != (get.StatusCode == want) || head.StatusCode != get.StatusCode {
			t.Errorf("%s: GET %d, HEAD %d %s", path, get.StatusCode, head.StatusCode, raw)
		}
		for _, h := range []http.Header{get.Header, head.Header} {
			if h.Get("X-Request-Id") == "" || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "true" ||
				!strings.HasPrefix(h.Get("Content-Type"), "application/json") {
				t.Errorf("%s: %v", path, h)
			}
		}
		if path == "/api/v1/nothing" && string(raw) != `{"error":"Not implemented"}` {
			t.Errorf("%s: %s", path, raw)
		}
	}
	preflight := newRequest(t, http.MethodOptions, s.URL+"/api/v1/statuses", "", "")
	preflight.Header.Set("Origin", "https://app.example")
	preflight.Header.Set("Access-Control-Request-Method", "DELETE")
	resp, err := http.DefaultTransport.RoundTrip(preflight)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	for name, want := range map[string]string{
		"Access-Control-Allow-Methods": "POST, PUT, DELETE, GET, PATCH, OPTIONS", "Access-Control-Max-Age": "86400",
		"Access-Control-Allow-Headers":  "Authorization, Content-Type, Idempotency-Key",
		"Access-Control-Expose-Headers": "Link, X-RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, Idempotency-Key",
	} {
		if resp.StatusCode != http.StatusNoContent || resp.Header.Get(name) != want {
			t.Errorf("preflight: %d %s: %q", resp.StatusCode, name, resp.Header.Get(name))
		}
	}
}

// TestPreflightsAllowWhatAppsSend: any header, until an admin names those that may be
// sent.
func TestPreflightsAllowWhatAppsSend(t *testing.T) {
	s := servertest.Start(t)
	allowed := func(asked string) string {
		t.Helper()
		req := newRequest(t, http.MethodOptions, s.URL+"/api/v1/statuses", "", "")
		req.Header.Set("Access-Control-Request-Headers", asked)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.Header.Get("Access-Control-Allow-Headers")
	}
	const usual = "Authorization, Content-Type, Idempotency-Key"
	many := ""
	for i := range 100 {
		many += fmt.Sprint("x-", i, ",")
	}
	for asked, want := range map[string]string{
		"authorization,x-requested-with, Cache-Control": usual + ", x-requested-with, Cache-Control",
		"x-a,X-A,": usual + ", x-a", "bad name, x(y)": usual,
	} {
		if got := allowed(asked); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
	if n := len(strings.Split(allowed(many), ", ")); n != 53 {
		t.Errorf("%d headers of very many", n)
	}
	set(t, s, ":cors_plug", ":headers", []string{"Authorization"})
	if got := allowed("x-requested-with"); got != "Authorization" {
		t.Errorf("beside the list of an admin: %s", got)
	}
}

func TestABodyThatIsTooLargeIsRefusedAsThat(t *testing.T) {
	s := servertest.Start(t)
	for kind, body := range map[string]string{
		jsonBody: `{"status":"` + strings.Repeat("x", 2<<20) + `"}`,
		formBody: url.Values{"status": {strings.Repeat("x", 2<<20)}}.Encode(),
	} {
		req := newRequest(t, http.MethodPost, s.URL+"/api/v1/statuses", kind, body)
		req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
		if status, got := exchange(t, req); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %.100s", kind, status, got)
		}
	}
}
