package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

const outside = `{"error":"This action is outside the authorized scopes"}`

// TestEveryRouteAnswersEveryRole calls every route of the table as every role:
// each is let through, or refused with the right status and words.
func TestEveryRouteAnswersEveryRole(t *testing.T) {
	for _, name := range []string{"svc", "pleroma"} {
		t.Run(name, func(t *testing.T) { everyRole(t, name) })
	}
}

func everyRole(t *testing.T, name string) {
	servertest.Named(t, name, func(t *testing.T, s *servertest.Server) {
		s.User("ann")
		s.User("mod")
		if _, err := s.DB.Writer().ExecContext(t.Context(), "UPDATE accounts SET is_moderator = TRUE WHERE nickname = 'mod'"); err != nil {
			t.Fatal(err)
		}
		s.AdminUser("root")
		app := s.AppToken()
		for _, r := range s.Routes() {
			if r.Access == server.Page || r.Access == server.OAuth {
				continue // they have a sign-in of their own
			}
			name := r.Method + " " + r.Path
			call := func(token string) (int, string) { return ask(t, s, r, token) }
			check := func(role, token string, status int, body string) {
				t.Helper()
				got, text := call(token)
				if got != status || text != body {
					t.Errorf("%s as %s: %d %.120s, want %d %s", name, role, got, text, status, body)
				}
			}
			passes := func(role, token string) {
				t.Helper()
				got, text := call(token)
				if got == http.StatusUnauthorized || got >= 500 && text != `"nowhere"` || // a relay that cannot be asked
					got == http.StatusForbidden && (text == outside || strings.Contains(text, "Insufficient permissions") || strings.Contains(text, "Invalid credentials") || strings.Contains(text, "not an admin")) {
					t.Errorf("%s as %s was refused: %d %.120s", name, role, got, text)
				}
			}
			right := "read write follow push admin:read admin:write"
			if len(r.Scopes) > 0 {
				right = r.Scopes[0]
			}
			none := "push"
			if len(r.Scopes) > 0 && r.Scopes[0] == "push" {
				none = "follow"
			}
			switch r.Access {
			case server.Public, server.Optional:
				passes("a stranger", "")
				passes("a user", s.Token("ann", servertest.AllScopes))
				passes("an app", app)
				passes("a wrong token", "nonsense")
			case server.User:
				check("a stranger", "", 401, `{"error":"The access token is invalid"}`)
				check("a wrong token", "nonsense", 401, `{"error":"The access token is invalid"}`)
				check("an app", app, 422, `{"error":"This method requires an authenticated user"}`)
				if len(r.Scopes) > 0 {
					check("a user without the scope", s.Token("ann", none), 403, outside)
				}
				for _, scope := range r.Scopes {
					passes("a user with "+scope, s.Token("ann", scope))
				}
				passes("an admin", s.Token("root", servertest.AllScopes))
			case server.Federation:
				// Tokens have no effect here: a caller with one is a stranger.
				status, body := call("")
				if status >= 500 || r.Method != http.MethodGet && status != http.StatusUnauthorized {
					t.Errorf("%s unsigned: %d %.120s", name, status, body)
				}
				check("a user", s.Token("ann", servertest.AllScopes), status, body)
				check("an admin", s.Token("root", servertest.AdminScopes), status, body)
				check("a wrong token", "nonsense", status, body)
			case server.Stream: // a stream refuses before it begins
				check("a wrong token", "nonsense", 401, `{"error":"Invalid access token"}`)
			case server.Token:
				check("a stranger", "", 401, `{"error":"The access token is invalid"}`)
				passes("a user with the scope", s.Token("ann", right))
			case server.App:
				check("a stranger", "", 401, `{"error":"The access token is invalid"}`)
				check("a user", s.Token("ann", servertest.AllScopes), 403, `{"error":"Invalid credentials."}`)
				passes("an app", app)
			case server.Admin:
				check("a stranger", "", 403, `{"error":"Invalid credentials."}`)
				check("a wrong token", "nonsense", 403, `{"error":"Invalid credentials."}`)
				check("an app", app, 403, `{"error":"Invalid credentials."}`)
				check("a user", s.Token("ann", servertest.AdminScopes), 403, `{"error":"User is not an admin."}`)
				check("a moderator", s.Token("mod", servertest.AdminScopes), 403, `{"error":"User is not an admin."}`)
				check("an admin without the admin scope", s.Token("root", r.Scopes[0]+" push"), 403,
					`{"error":"Insufficient permissions: admin:`+r.Scopes[0]+`."}`)
				for _, held := range []string{"admin", "admin:" + strings.Split(r.Scopes[0], ":")[0], "admin:" + r.Scopes[0]} {
					passes("an admin with "+held, s.Token("root", held))
				}
			default:
				t.Errorf("%s: unknown access %q", name, r.Access)
			}
		}
	}, func(c *config.Settings) { c.Instance.Healthcheck = true })
}

// ask calls a route with values of no object for its parameters.
func ask(t *testing.T, s *servertest.Server, r server.Route, token string) (int, string) {
	t.Helper()
	_, status, body := askWithHeader(t, s, r, token)
	return status, body
}

func askWithHeader(t *testing.T, s *servertest.Server, r server.Route, token string) (http.Header, int, string) {
	t.Helper()
	path := s.Words.Link(r.Path)
	for _, part := range strings.Split(r.Path, "/") {
		if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
			nothing := servertest.Nothing
			if strings.Contains(r.Path, "/oauth_app/") || part == ":id" && strings.HasPrefix(r.Path, "/api/v") {
				nothing = "999999" // asked by number; names are no ids, whoever asks
			}
			path = strings.Replace(path, part, nothing, 1)
		}
	}
	var example servertest.Example
	if r.Access == server.Admin { // admin routes check the shape before the scope
		example = servertest.Examples[r.Method+" "+r.Path]
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, s.URL+path, strings.NewReader(example.OfNothing()))
	if err != nil {
		t.Fatal(err)
	}
	if kind := example.ContentType(); kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.Access == server.Federation {
		req.Header.Set("Content-Type", "application/activity+json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header, resp.StatusCode, string(raw)
}
