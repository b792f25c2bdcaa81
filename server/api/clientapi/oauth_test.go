package clientapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "write the golden files")

// door is a server as a client without a library meets it.
type door struct {
	t *testing.T
	s *servertest.Server
}

// sent is a request: a body that is a url.Values travels as a form, any other
// as JSON.
type sent struct {
	method, path string
	body         any
	header       map[string]string
}

func (d door) send(in sent) (status int, header http.Header, body string) {
	d.t.Helper()
	var r io.Reader = http.NoBody
	kind := ""
	switch b := in.body.(type) {
	case nil:
	case url.Values:
		r, kind = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	case string:
		r, kind = strings.NewReader(b), "application/json"
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			d.t.Fatal(err)
		}
		r, kind = bytes.NewReader(raw), "application/json"
	}
	req, err := http.NewRequestWithContext(d.t.Context(), in.method, d.s.URL+in.path, r)
	if err != nil {
		d.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for k, v := range in.header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// changing matches the parts of a body that differ from run to run.
var changing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "https://svc.example"},
	{regexp.MustCompile(`"[A-Za-z0-9_-]{43}"`), `"SECRET"`},
	{regexp.MustCompile(`"[A-Za-z0-9_-]{87}"`), `"PUBLIC KEY"`},
	{regexp.MustCompile(`"created_at": \d{10}`), `"created_at": 1500000000`},
	{regexp.MustCompile(`"valid_until": "[^"]+"`), `"valid_until": "2125-01-01T00:00:00.000Z"`},
}

// golden compares a JSON body with a file in testdata.
func golden(t *testing.T, name, body string) {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", "  "); err != nil {
		t.Fatalf("%s: %v in %s", name, err, body)
	}
	got := out.String() + "\n"
	for _, c := range changing {
		got = c.pattern.ReplaceAllString(got, c.with)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func newApp(t *testing.T, s *servertest.Server, scopes string) *api.App {
	t.Helper()
	app, err := s.Anonymous().Apps.Create(t.Context(), api.NewApp{
		ClientName: "Tuba", RedirectURIs: "https://tuba.example/cb\n" + client.OutOfBand, Scopes: scopes, Website: "https://tuba.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func TestShapesOfAppsAndTokens(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		s.User("alice")
		d := door{t, s}
		ok := func(name string, in sent) string {
			t.Helper()
			status, header, body := d.send(in)
			if status != 200 || header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Fatalf("%s: %d %s %s", name, status, header.Get("Content-Type"), body)
			}
			golden(t, name, body)
			return body
		}
		form := url.Values{"client_name": {"Tuba"}, "redirect_uris": {"https://tuba.example/cb\n" + client.OutOfBand}, "scopes": {"read,write"}, "website": {"https://tuba.example"}}
		ok("app", sent{"POST", "/api/v1/apps/", form, nil})
		app := newApp(t, s, "read write")
		pair := url.Values{"client_id": {app.ClientID}, "client_secret": {app.ClientSecret}}
		with := func(more ...string) url.Values {
			out := url.Values{}
			for k, v := range pair {
				out[k] = v
			}
			for i := 0; i < len(more); i += 2 {
				out.Set(more[i], more[i+1])
			}
			return out
		}
		var mine, apps api.Token
		if err := json.Unmarshal([]byte(ok("token", sent{"POST", "/oauth/token", with("grant_type", "password", "username", "alice", "password", servertest.Password, "scope", "read"), nil})), &mine); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(ok("token-app", sent{"POST", "/oauth/token", with("grant_type", "client_credentials"), nil})), &apps); err != nil {
			t.Fatal(err)
		}
		_, header, _ := d.send(sent{"POST", "/oauth/token", with("grant_type", "client_credentials"), nil})
		if header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("a token may be cached: %q", header.Get("Cache-Control"))
		}
		for _, token := range []string{mine.AccessToken, apps.AccessToken} {
			ok("verified-app", sent{"GET", "/api/v1/apps/verify_credentials", nil, bearer(token)})
		}
		ok("tokens", sent{"GET", "/api/oauth_tokens", nil, bearer(mine.AccessToken)})
		ok("oauth-server", sent{"GET", "/.well-known/oauth-authorization-server", nil, nil})
		registration := url.Values{"username": {"bob"}, "password": {"long enough"}, "email": {"bob@example.org"}, "agreement": {"true"}}
		ok("registration", sent{"POST", "/api/v1/accounts", registration, bearer(apps.AccessToken)})
	})
}

func TestClientPairComesByBodyQueryOrBasic(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	app := newApp(t, s, "read")
	basic := func(id, secret string) map[string]string {
		r := &http.Request{Header: http.Header{}}
		r.SetBasicAuth(id, secret)
		return map[string]string{"Authorization": r.Header.Get("Authorization")}
	}
	pair := url.Values{"client_id": {app.ClientID}, "client_secret": {app.ClientSecret}, "grant_type": {"client_credentials"}}
	grant := url.Values{"grant_type": {"client_credentials"}}
	encoded := strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(app.ClientSecret), "-", "%2D"), "_", "%5F")
	for _, tt := range []struct {
		name string
		in   sent
		want int
	}{
		{"form", sent{"POST", "/oauth/token", pair, nil}, 200},
		{"JSON", sent{"POST", "/oauth/token", map[string]string{"client_id": app.ClientID, "client_secret": app.ClientSecret, "grant_type": "client_credentials"}, nil}, 200},
		{"query", sent{"POST", "/oauth/token?" + pair.Encode(), nil, nil}, 200},
		{"Basic", sent{"POST", "/oauth/token", grant, basic(app.ClientID, app.ClientSecret)}, 200},
		{"Basic, encoded", sent{"POST", "/oauth/token", grant, basic(app.ClientID, encoded)}, 200},
		{"Basic beats the body", sent{"POST", "/oauth/token", pair, basic(app.ClientID, "wrong")}, 400},
		{"wrong secret", sent{"POST", "/oauth/token", grant, basic(app.ClientID, app.ClientID)}, 400},
		{"nothing", sent{"POST", "/oauth/token", grant, nil}, 400},
	} {
		if status, _, body := d.send(tt.in); status != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.name, status, body, tt.want)
		}
	}
}

func TestRefusalsOfTheTokenEndpoint(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	app := newApp(t, s, "read")
	gone := s.User("gone")
	gone.Deactivated = true
	if err := s.DB.UpdateAccount(t.Context(), gone, "deactivated"); err != nil {
		t.Fatal(err)
	}
	with := func(more ...string) url.Values {
		out := url.Values{"client_id": {app.ClientID}, "client_secret": {app.ClientSecret}}
		for i := 0; i < len(more); i += 2 {
			out.Set(more[i], more[i+1])
		}
		return out
	}
	const wrong = `{"error":"Invalid credentials","error_description":`
	for _, tt := range []struct {
		name   string
		body   any
		status int
		want   string
	}{
		{"no grant", with(), 400, `{"error":"Bad request","error_description":"The grant_type is missing."}`},
		{"unknown grant", with("grant_type", "x"), 400, `{"error":"Bad request","error_description":"The grant_type is none of authorization_code, password, client_credentials and refresh_token."}`},
		{"unknown user", with("grant_type", "password", "username", "nobody", "password", "x"), 400, wrong + `"The name or the password is wrong."}`},
		{"scope beyond the app's", with("grant_type", "password", "username", "gone", "password", servertest.Password, "scope", "admin:read"), 400, wrong + `"The scope goes beyond what the app registered."}`},
		{"unknown client", url.Values{"grant_type": {"client_credentials"}, "client_id": {"x"}}, 400, wrong + `"The client is unknown or its secret is wrong."}`},
		{"unknown code", with("grant_type", "authorization_code", "code", "x"), 400, wrong + `"The code is unknown, used or expired."}`},
		{"unknown refresh token", with("grant_type", "refresh_token", "refresh_token", "x"), 400, wrong + `"The refresh token is unknown or used."}`},
		{"deactivated", with("grant_type", "password", "username", "gone", "password", servertest.Password), 403, `{"error":"Your account is currently disabled","identifier":"account_is_disabled"}`},
		{"number for a text", `{"grant_type":1}`, 400, `{"error":"grant_type - Invalid string. Got: integer.","errors":[{"message":"grant_type - Invalid string. Got: integer","source":{"pointer":"/grant_type"},"title":"Invalid value"}]}`},
		{"NUL", `{"grant_type":"password","username":"a\u0000"}`, 400, `{"error":"username - Invalid string. Got: binary.","errors":[{"message":"username - Invalid string. Got: binary","source":{"pointer":"/username"},"title":"Invalid value"}]}`},
		{"no JSON", `{"grant_type":`, 400, `{"error":"The request body is not valid JSON"}`},
		{"10 MB", `{"password":"` + strings.Repeat("x", 10<<20) + `"}`, 413, `{"error":"Request body is too large"}`},
	} {
		status, _, body := d.send(sent{"POST", "/oauth/token", tt.body, nil})
		if status != tt.status || body != tt.want {
			t.Errorf("%s: %d %s\nwant %d %s", tt.name, status, body, tt.status, tt.want)
		}
	}
}

func TestRevokeTakesFormsAndJSONAndNeverTells(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	app := newApp(t, s, "read")
	s.User("alice")
	for name, body := range map[string]func(token string) any{
		"form": func(t string) any { return url.Values{"token": {t}} },
		"JSON": func(t string) any { return map[string]string{"token": t} },
	} {
		token, err := s.Anonymous().OAuth.Password(t.Context(), app, "alice", servertest.Password, "")
		if err != nil {
			t.Fatal(err)
		}
		mine := s.With(token.AccessToken)
		if _, err := mine.Apps.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{token.AccessToken, token.AccessToken, "unknown"} {
			if status, _, got := d.send(sent{"POST", "/oauth/revoke", body(value), nil}); status != 200 || got != "{}" {
				t.Errorf("%s: %d %s", name, status, got)
			}
		}
		if _, err := mine.Apps.Verify(t.Context()); !errors.Is(err, client.ErrTokenRejected) {
			t.Errorf("%s: the token still works: %v", name, err)
		}
	}
	if status, _, got := d.send(sent{"POST", "/oauth/revoke", url.Values{}, nil}); status != 400 || got != `{"error":"Bad request","error_description":"The token is missing."}` {
		t.Errorf("no token: %d %s", status, got)
	}
}

func TestTokensAreDeletedByTheirOwner(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		d := door{t, s}
		alice, bob := s.Token("alice", "read"), s.Token("bob", "read")
		_, _, body := d.send(sent{"GET", "/api/oauth_tokens", nil, bearer(alice)})
		var list []api.GivenToken
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 1 {
			t.Fatalf("%s: %v", body, err)
		}
		id := "/api/oauth_tokens/" + jsonNumber(list[0].ID)
		statuses := s.Token("alice", "write:statuses")
		_, _, body = d.send(sent{"GET", "/api/oauth_tokens", nil, bearer(statuses)})
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 2 {
			t.Fatalf("%s: %v", body, err)
		}
		another := "/api/oauth_tokens/" + jsonNumber(list[0].ID)
		for _, tt := range []struct {
			path, token string
			status      int
			want        string
		}{
			{id, bob, 403, `{"error":"Insufficient permissions: write:accounts."}`},
			{id, s.Token("bob", "read write:accounts"), 404, `{"error":"Record not found"}`},
			{id, statuses, 403, `{"error":"Insufficient permissions: write:accounts."}`},
			{"/api/oauth_tokens/x", alice, 404, `{"error":"Record not found"}`},
			{"/api/oauth_tokens/99999999999999999999", alice, 404, `{"error":"Record not found"}`},
			{id, alice, 201, ""},
			{id, alice, 401, `{"error":"The access token is invalid"}`},
			{another, s.Token("alice", "write"), 201, ""},
		} {
			status, header, got := d.send(sent{"DELETE", tt.path, nil, bearer(tt.token)})
			if status != tt.status || got != tt.want || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
				t.Errorf("DELETE %s: %d %s %q, want %d", tt.path, status, header.Get("Content-Type"), got, tt.status)
			}
		}
	})
}

func jsonNumber(n int64) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

func TestRegistrationRefusals(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	s.User("alice")
	token := s.AppToken()
	for _, tt := range []struct {
		name, body, token string
		status            int
		want              string
	}{
		{"taken", `{"username":"ALICE","password":"long enough","email":"alice@example.org","agreement":true}`, token, 400, `{"error":"{\"email\":[\"has already been taken\"],\"nickname\":[\"has already been taken\"]}"}`},
		{"missing", `{}`, token, 400, `{"error":"Missing field: username. Missing field: password. Missing field: agreement.","errors":[{"message":"Missing field: username","source":{"pointer":"/username"},"title":"Invalid value"},{"message":"Missing field: password","source":{"pointer":"/password"},"title":"Invalid value"},{"message":"Missing field: agreement","source":{"pointer":"/agreement"},"title":"Invalid value"}]}`},
		{"presence of agreement is enough", `{"username":"bob","password":"long enough","agreement":false}`, token, 200, ""},
		{"a user's token", `{"username":"carol","password":"long enough","agreement":true}`, s.Token("alice", "write"), 403, `{"error":"Invalid credentials."}`},
		{"no token", `{"username":"carol","password":"long enough","agreement":true}`, "", 401, `{"error":"The access token is invalid"}`},
	} {
		status, _, got := d.send(sent{"POST", "/api/v1/accounts", tt.body, bearer(tt.token)})
		if status != tt.status || tt.want != "" && got != tt.want {
			t.Errorf("%s: %d %s\nwant %d %s", tt.name, status, got, tt.status, tt.want)
		}
	}
}

func TestRegistrationWithOurClient(t *testing.T) {
	register := func(t *testing.T, s *servertest.Server) (*api.Registration, error) {
		yes := api.Bool(true)
		return s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
			Username: "alice", Password: "correct horse", Email: "alice@example.org", Agreement: &yes, Fullname: "Alice", Bio: "Hello",
		})
	}
	t.Run("signs in", func(t *testing.T) {
		servertest.Each(t, func(t *testing.T, s *servertest.Server) {
			got, err := register(t, s)
			if err != nil || got.Token == nil {
				t.Fatalf("%+v, %v", got, err)
			}
			me, err := s.With(got.AccessToken).Accounts.Verify(t.Context())
			if err != nil || me.Username != "alice" || me.DisplayName != "Alice" || !strings.Contains(me.Note, "Hello") {
				t.Errorf("registered as %+v, %v", me, err)
			}
		})
	})
	t.Run("waits", func(t *testing.T) {
		s := servertest.Start(t, func(s *config.Settings) { s.Instance.AccountApprovalRequired = true })
		got, err := register(t, s)
		if err != nil || got.Token != nil || got.Identifier != "awaiting_approval" || got.Message == "" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		s := servertest.Start(t, func(s *config.Settings) { s.Instance.RegistrationsOpen = false })
		_, err := register(t, s)
		if client.Status(err) != 400 || !strings.Contains(err.Error(), "Expired token") {
			t.Errorf("%v", err)
		}
	})
}
