package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client/api"

	"github.com/google/go-cmp/cmp"
)

// peer is a server with the answers of a test; it records the requests.
type peer struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
	keys  []string // idempotency keys, one a call
}

// serve runs a server with the answers of handle, which gets the number of the
// request from 0.
func serve(t *testing.T, handle func(n int, w http.ResponseWriter, r *http.Request)) *peer {
	t.Helper()
	p := &peer{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		n := len(p.calls)
		p.calls = append(p.calls, r.Method+" "+r.URL.RequestURI())
		p.keys = append(p.keys, r.Header.Get("Idempotency-Key"))
		p.mu.Unlock()
		handle(n, w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *peer) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// hangUp breaks the connection in place of an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// dial returns a client that does not pause between attempts, and the pauses
// it would have made.
func dial(t *testing.T, address string, opts ...Option) (*Client, *[]time.Duration) {
	t.Helper()
	c, err := New(address, opts...)
	if err != nil {
		t.Fatal(err)
	}
	pauses := &[]time.Duration{}
	c.wait = func(ctx context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return ctx.Err()
	}
	t.Cleanup(c.http.CloseIdleConnections)
	return c, pauses
}

func TestServerAddressesAreChecked(t *testing.T) {
	for address, want := range map[string]string{
		"https://Example.org/":       "https://example.org",
		"https://example.org/social": "https://example.org/social",
		"http://127.0.0.1:8080":      "http://127.0.0.1:8080",
		"http://[::1]:8080/":         "http://[::1]:8080",
		"http://localhost":           "http://localhost",
	} {
		c, err := New(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
		} else if c.BaseURL() != want {
			t.Errorf("%s: got %s, want %s", address, c.BaseURL(), want)
		}
	}
	for _, address := range []string{
		"", "example.org", "ftp://example.org", "https://", "https://u:p@example.org", "https://example.org?x=1",
		"https://example.org#x", "http://example.org", "http://127.0.0.1.example.org", "http://10.0.0.1", ":",
	} {
		if _, err := New(address); err == nil {
			t.Errorf("%s is accepted", address)
		} else if strings.Contains(err.Error(), "u:p") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
	if _, err := New("http://example.org", WithInsecureHTTP()); err != nil {
		t.Errorf("plain http is refused although allowed: %v", err)
	}
	if _, err := New("https://example.org", WithTimeout(0)); err == nil {
		t.Error("a call without an end is accepted")
	}
}

func TestRequestsCarryTokenAgentAndJSON(t *testing.T) {
	var header http.Header
	var body string
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		data, _ := io.ReadAll(r.Body)
		body = string(data)
		answer(w, 204, "")
	})
	c, _ := dial(t, p.URL+"/", WithToken("tok"), WithUserAgent("svcctl/1"))
	err := c.Admin.Reports.Update(t.Context(), api.ReportUpdate{ID: "a<b", State: "closed"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"body": body}
	for _, name := range []string{"Authorization", "User-Agent", "Accept", "Content-Type"} {
		got[name] = header.Get(name)
	}
	want := map[string]string{
		"Authorization": "Bearer tok", "User-Agent": "svcctl/1", "Accept": "application/json",
		"Content-Type": "application/json", "body": `{"reports":[{"id":"a<b","state":"closed"}]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"PATCH /api/svc/admin/reports"}, p.seen()); diff != "" {
		t.Error(diff)
	}
}

func TestPathPartsAreEscapedAndNeverEmpty(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	c, _ := dial(t, p.URL+"/base")
	if _, err := c.Admin.Users.Get(t.Context(), "a/b?c#ü"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET /base/api/svc/admin/users/a%2Fb%3Fc%23%C3%BC"}, p.seen()); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"", ".", ".."} {
		if err := c.Admin.Statuses.Delete(t.Context(), id); err == nil {
			t.Errorf("id %q is accepted", id)
		}
		for _, err := range c.Accounts.Followers(id, api.AccountQuery{}).All(t.Context()) {
			if err == nil {
				t.Errorf("id %q is accepted in a list", id)
			}
		}
	}
	if n := len(p.seen()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestQueriesLeaveZeroValuesOut(t *testing.T) {
	got := values(api.AccountStatusQuery{
		PageQuery: api.PageQuery{MaxID: "9x", Limit: 5}, Pinned: true, ExcludeVisibilities: []string{"direct", "private"},
	}).Encode()
	if want := "exclude_visibilities%5B%5D=direct&exclude_visibilities%5B%5D=private&limit=5&max_id=9x&pinned=true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := values(api.StatusQuery{}).Encode(); got != "" {
		t.Errorf("an empty query is %q", got)
	}
}

func TestUnreadableAnswersSaySo(t *testing.T) {
	for _, body := range []string{"<html>", `{"title":1}`, `{`} {
		p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, body) })
		c, _ := dial(t, p.URL)
		if _, err := c.Instance.Get(t.Context()); !errors.Is(err, errUnreadable) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

type tokens struct {
	current  string
	fresh    string
	err      error
	rejected []string
}

func (s *tokens) Token(context.Context) (string, error) { return s.current, nil }

func (s *tokens) Refresh(_ context.Context, rejected string) (string, error) {
	s.rejected = append(s.rejected, rejected)
	return s.fresh, s.err
}

func TestRejectedTokenIsRefreshedOnce(t *testing.T) {
	handle := func(status int, text string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Header.Get("Authorization") != "Bearer new" {
				answer(w, status, `{"error":"`+text+`"}`)
				return
			}
			answer(w, 200, string(body))
		}
	}
	for name, refusal := range map[string]func(int, http.ResponseWriter, *http.Request){
		"client API": handle(401, "The access token is invalid"),
		"admin API":  handle(403, "Invalid credentials."),
	} {
		source := &tokens{current: "old", fresh: "new"}
		c, _ := dial(t, serve(t, refusal).URL, WithTokenSource(source), WithRetries(0))
		resp, err := c.Do(t.Context(), Request{Method: "POST", Path: "/x", Body: map[string]int{"n": 1}}, nil)
		if err != nil || string(resp.Body) != `{"n":1}` {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]string{"old"}, source.rejected); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 401, `{"error":"no"}`) })
	for name, source := range map[string]*tokens{
		"still rejected": {current: "old", fresh: "new"},
		"none to be had": {current: "old"},
		"the same":       {current: "old", fresh: "old"},
		"failing":        {current: "old", err: errors.New("login server is down")},
	} {
		c, _ := dial(t, p.URL, WithTokenSource(source))
		_, err := c.Instance.Get(t.Context())
		if !errors.Is(err, ErrTokenRejected) || len(source.rejected) != 1 {
			t.Errorf("%s: %v after %d refreshes", name, err, len(source.rejected))
		}
		if source.err != nil && !errors.Is(err, source.err) {
			t.Errorf("%s: the reason is lost in %v", name, err)
		}
	}

	scope := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		answer(w, 403, `{"error":"Insufficient permissions: admin:write:reports."}`)
	})
	source := &tokens{current: "old", fresh: "new"}
	c, _ := dial(t, scope.URL, WithTokenSource(source))
	if _, err := c.Instance.Get(t.Context()); !errors.Is(err, ErrForbidden) || len(source.rejected) != 0 {
		t.Errorf("a missing scope was answered by a refresh: %v", err)
	}
}

func TestRefreshCostsNoRetry(t *testing.T) {
	p := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 0 {
			answer(w, 401, `{"error":"no"}`)
			return
		}
		answer(w, 503, `{"error":"busy"}`)
	})
	c, _ := dial(t, p.URL, WithTokenSource(&tokens{current: "old", fresh: "new"}), WithRetries(1))
	if _, err := c.Instance.Get(t.Context()); Status(err) != 503 || len(p.seen()) != 3 {
		t.Errorf("%v after %d requests, want 3", err, len(p.seen()))
	}
}

func TestSigningInSendsNoTokenAndForms(t *testing.T) {
	var auth, kind string
	var form url.Values
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		auth, kind = r.Header.Get("Authorization"), r.Header.Get("Content-Type")
		r.ParseForm()
		form = r.PostForm
		answer(w, 200, `{"access_token":"a","refresh_token":"r","expires_in":60,"scope":"read"}`)
	})
	c, _ := dial(t, p.URL, WithToken("mine"))
	app := &api.App{ClientID: "id", ClientSecret: "secret"}
	pair := NewPKCE()
	token, err := c.OAuth.Code(t.Context(), app, "code", OutOfBand, pair.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&api.Token{AccessToken: "a", RefreshToken: "r", ExpiresIn: 60, Scope: "read"}, token); diff != "" {
		t.Error(diff)
	}
	want := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"id"}, "client_secret": {"secret"}, "code": {"code"},
		"redirect_uri": {OutOfBand}, "code_verifier": {pair.Verifier},
	}
	if diff := cmp.Diff(want, form); diff != "" {
		t.Error(diff)
	}
	if auth != "" || kind != formType {
		t.Errorf("sent token %q and type %q", auth, kind)
	}
}

func TestAuthorizeURLCarriesStateAndChallenge(t *testing.T) {
	c, _ := dial(t, "https://example.org/base")
	page, err := url.Parse(c.OAuth.AuthorizeURL(Authorization{
		ClientID: "id", RedirectURI: "http://127.0.0.1:1/", Scope: "read write", State: "s", Challenge: "ch",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"response_type": {"code"}, "client_id": {"id"}, "redirect_uri": {"http://127.0.0.1:1/"}, "scope": {"read write"},
		"state": {"s"}, "code_challenge": {"ch"}, "code_challenge_method": {"S256"},
	}
	if diff := cmp.Diff(want, page.Query()); diff != "" {
		t.Error(diff)
	}
	if got := page.Host + page.Path; got != "example.org/base/oauth/authorize" {
		t.Errorf("page is %s", got)
	}
	one, other := NewPKCE(), NewPKCE()
	if one == other || len(one.Verifier) != 43 || len(one.Challenge) != 43 || one.Verifier == one.Challenge {
		t.Errorf("pairs are %v and %v", one, other)
	}
}

func TestGetManyAsksAHundredAtATime(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		statuses := []map[string]string{}
		for _, id := range r.URL.Query()["ids[]"] {
			statuses = append(statuses, map[string]string{"id": id})
		}
		json.NewEncoder(w).Encode(statuses)
	})
	c, _ := dial(t, p.URL)
	var ids []string
	for i := range 201 {
		ids = append(ids, string(rune('a'+i%26))+strings.Repeat("x", i/26))
	}
	statuses, err := c.Statuses.GetMany(t.Context(), ids...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, status := range statuses {
		got = append(got, status.ID)
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
	if n := len(p.seen()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if none, err := c.Statuses.GetMany(t.Context()); err != nil || len(none) != 0 || len(p.seen()) != 3 {
		t.Errorf("no ids: %v, %v", none, err)
	}
}

func TestNodeInfoFollowsThePathOfTheNewestLink(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/base/.well-known/nodeinfo":
			answer(w, 200, `{"links":[
				{"rel":"http://nodeinfo.diaspora.software/ns/schema/2.0","href":"https://public.example/base/nodeinfo/2.0.json"},
				{"rel":"http://nodeinfo.diaspora.software/ns/schema/2.1","href":"https://public.example/base/nodeinfo/2.1.json"}]}`)
		case "/base/nodeinfo/2.1.json":
			answer(w, 200, `{"version":"2.1","software":{"name":"svc"}}`)
		default:
			answer(w, 404, `{}`)
		}
	})
	c, _ := dial(t, p.URL+"/base")
	info, err := c.Instance.NodeInfo(t.Context())
	if err != nil || info.Version != "2.1" || info.Software.Name != "svc" {
		t.Errorf("got %+v, %v", info, err)
	}
	empty := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"links":[]}`) })
	c, _ = dial(t, empty.URL)
	if _, err := c.Instance.NodeInfo(t.Context()); err == nil {
		t.Error("no link is no error")
	}
}
