package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
)

// authority is a fake instance that logs people in: it records requests and
// gives a token for the right answers.
type authority struct {
	t     *testing.T
	apps  []url.Values
	asked []url.Values
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch r.URL.Path {
	case "/api/v1/apps":
		var form map[string]string
		if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
			a.t.Error(err)
		}
		values := url.Values{}
		for name, value := range form {
			values.Set(name, value)
		}
		a.apps = append(a.apps, values)
		answer = map[string]string{"client_id": "new-id", "client_secret": "new-secret"}
	case "/oauth/token":
		if err := r.ParseForm(); err != nil {
			a.t.Error(err)
		}
		a.asked = append(a.asked, r.PostForm)
		if r.PostForm.Get("client_id") != "new-id" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"Invalid credentials"}`)
			return
		}
		answer = map[string]any{"access_token": "made", "refresh_token": "again", "expires_in": 60, "scope": Scopes, "token_type": "Bearer"}
	default:
		http.NotFound(w, r)
		return
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		a.t.Error(err)
	}
}

func startLogin(t *testing.T, known Credential) (*authority, *Login) {
	t.Helper()
	a := &authority{t: t}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	origin, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if known.ClientID != "" {
		known.Origin = server.URL
	}
	l, err := NewLogin(origin, known, "", client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	l.now = func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }
	return a, l
}

func visit(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Cache-Control")
}

func TestTheBrowserComesBackWithStateAndPKCE(t *testing.T) {
	a, l := startLogin(t, Credential{})
	credential, err := l.Browser(t.Context(), func(page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		q := u.Query()
		if q.Get("response_type") != "code" || q.Get("client_id") != "new-id" || q.Get("scope") != Scopes ||
			q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 22 {
			t.Errorf("asked %s", page)
		}
		back := q.Get("redirect_uri")
		if !strings.HasPrefix(back, "http://127.0.0.1:") {
			t.Errorf("returns to %s", back)
		}
		// A request without the state is refused, and the login goes on.
		for _, forged := range []string{"?code=evil", "?code=evil&state=guessed", "?state=" + q.Get("state")} {
			if status, _ := visit(t, back+forged); status != http.StatusBadRequest {
				t.Errorf("%s answered %d", forged, status)
			}
		}
		status, cache := visit(t, back+"?code=good&state="+q.Get("state"))
		if status != http.StatusOK || cache != "no-store" {
			t.Errorf("answered %d, Cache-Control %s", status, cache)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Credential{
		Origin: l.origin.String(), ClientID: "new-id", ClientSecret: "new-secret", ClientScopes: Scopes,
		AccessToken: "made", RefreshToken: "again", Scopes: Scopes, ExpiresAt: time.Date(2026, 1, 31, 12, 1, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, credential); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got := a.asked[len(a.asked)-1]
	if got.Get("code") != "good" || got.Get("grant_type") != "authorization_code" || len(got.Get("code_verifier")) < 43 ||
		!strings.HasPrefix(got.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("redeemed %v", got)
	}
	uris := strings.Fields(a.apps[0].Get("redirect_uris"))
	if len(a.apps) != 1 || len(uris) != 6 || uris[0] != client.OutOfBand {
		t.Errorf("registered %v", a.apps)
	}
}

func TestARefusalInTheBrowserEndsTheLogin(t *testing.T) {
	_, l := startLogin(t, Credential{})
	_, err := l.Browser(t.Context(), func(page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		visit(t, u.Query().Get("redirect_uri")+"?error=access_denied&state="+u.Query().Get("state"))
		return nil
	})
	var auth *AuthError
	if !errors.As(err, &auth) || !strings.Contains(err.Error(), "access_denied") {
		t.Errorf("got %v", err)
	}
}

func TestNobodyComesBack(t *testing.T) {
	_, l := startLogin(t, Credential{})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.Browser(ctx, func(string) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTheFirstFreePortServes(t *testing.T) {
	first, redirect, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, other, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if redirect == other {
		t.Errorf("both return to %s", redirect)
	}
	var rest []net.Listener
	for {
		l, _, err := listen()
		if err != nil {
			var auth *AuthError
			if !errors.As(err, &auth) || !strings.Contains(auth.Hint, "--no-browser") {
				t.Errorf("no port: %v", err)
			}
			break
		}
		rest = append(rest, l)
	}
	for _, l := range rest {
		l.Close()
	}
}

func TestAClientTheInstanceForgotIsRegisteredAgain(t *testing.T) {
	a, l := startLogin(t, Credential{ClientID: "old-id", ClientSecret: "old", ClientScopes: Scopes})
	if _, err := l.Password(t.Context(), "mika", "pw"); err != nil || len(a.apps) != 1 {
		t.Errorf("%v, registered %d times", err, len(a.apps))
	}
	a, l = startLogin(t, Credential{ClientID: "new-id", ClientSecret: "new-secret", ClientScopes: "read"})
	if _, err := l.Password(t.Context(), "mika", "pw"); err != nil || len(a.apps) != 1 {
		t.Errorf("wider scopes: %v, registered %d times", err, len(a.apps))
	}
	a, l = startLogin(t, Credential{ClientID: "new-id", ClientSecret: "new-secret", ClientScopes: Scopes})
	if _, err := l.Password(t.Context(), "mika", "pw"); err != nil || len(a.apps) != 0 {
		t.Errorf("a client that works: %v, registered %d times", err, len(a.apps))
	}
}
