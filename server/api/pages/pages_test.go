package pages_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// visitor is a browser without a screen: it keeps cookies and follows no
// redirect.
type visitor struct {
	t    *testing.T
	http *http.Client
	s    *servertest.Server
}

func newVisitor(t *testing.T, s *servertest.Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, s: s, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

type answer struct {
	status int
	header http.Header
	text   string
}

func (v *visitor) send(method, path string, form url.Values, header ...string) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := v.http.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	flashText   = regexp.MustCompile(`role="alert">([^<]*)<`)
)

// fields are the hidden ones of the first form on a page.
func (a answer) fields() url.Values {
	form, _, _ := strings.Cut(a.text, "</form>")
	out := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(form, -1) {
		out.Add(m[1], html.UnescapeString(m[2]))
	}
	return out
}

func (a answer) flash() string {
	if m := flashText.FindStringSubmatch(a.text); m != nil {
		return m[1]
	}
	return ""
}

func authorize(app *api.App, redirect string, more ...string) string {
	q := url.Values{"response_type": {"code"}, "client_id": {app.ClientID}, "redirect_uri": {redirect}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// login returns the form that a program fills in by itself.
func login(app *api.App, redirect string, more ...string) url.Values {
	form := url.Values{
		"authorization[name]": {"alice"}, "authorization[password]": {servertest.Password},
		"authorization[client_id]": {app.ClientID}, "authorization[redirect_uri]": {redirect},
		"authorization[response_type]": {"code"}, "authorization[state]": {"a b&c"}, "authorization[scope][]": {"read"},
	}
	for i := 0; i < len(more); i += 2 {
		form.Del(more[i])
		if more[i+1] != "-" {
			form.Set(more[i], more[i+1])
		}
	}
	return form
}

func TestProgramsMaySendTheFormThemselves(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		s.User("alice")
		app := newApp(t, s, "https://app.example/cb?x=1 custom.app:/cb icecubesapp:// app2:///?y urn:ietf:wg:oauth:2.0:oob", "read write")
		for _, tt := range []struct{ redirect, want string }{
			{"https://app.example/cb?x=1", "https://app.example/cb?x=1&code=CODE&state=a+b%26c"},
			{"custom.app:/cb", "custom.app:/cb?code=CODE&state=a+b%26c"},
			{"icecubesapp://", "icecubesapp://?code=CODE&state=a+b%26c"},
			{"app2:///?y", "app2:///?y&code=CODE&state=a+b%26c"},
		} {
			got := newVisitor(t, s).send("POST", "/oauth/authorize", login(app, tt.redirect))
			location := got.header.Get("Location")
			code := regexp.MustCompile(`code=([\w-]{43})`).FindStringSubmatch(location)
			if got.status != http.StatusFound || code == nil || strings.Replace(location, code[1], "CODE", 1) != tt.want {
				t.Fatalf("%s: %d %s", tt.redirect, got.status, location)
			}
			if len(got.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s: a program was given a session", tt.redirect)
			}
			token, err := s.Anonymous().OAuth.Code(t.Context(), app, code[1], tt.redirect, "")
			if err != nil || token.Scope != "read" {
				t.Errorf("%s: %+v, %v", tt.redirect, token, err)
			}
		}
		got := newVisitor(t, s).send("POST", "/oauth/authorize", login(app, client.OutOfBand))
		if got.status != 200 || !strings.Contains(got.text, "Successfully authorized") || !strings.Contains(got.text, "Token code is") {
			t.Errorf("out of band: %d %s", got.status, got.text)
		}
	})
}

func TestScopesOfTheForm(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	app := newApp(t, s, client.OutOfBand, "read write")
	for _, tt := range []struct {
		name  string
		scope url.Values
		want  string // the token's, or the flash
	}{
		{"a list", url.Values{"authorization[scope][]": {"read", "write"}}, "read write"},
		{"blanks among it", url.Values{"authorization[scope][]": {"", "write", ""}}, "write"},
		{"a text", url.Values{"authorization[scope]": {"read write"}}, "read write"},
		{"none at all", url.Values{}, "read write"},
		{"nothing ticked", url.Values{"authorization[scope][]": {""}}, "This action is outside the authorized scopes"},
		{"beyond the app's", url.Values{"authorization[scope][]": {"read", "admin:read"}}, "This action is outside the authorized scopes"},
	} {
		form := login(app, client.OutOfBand, "authorization[scope][]", "-")
		for k, v := range tt.scope {
			form[k] = v
		}
		page := newVisitor(t, s).send("POST", "/oauth/authorize", form)
		got := page.flash()
		if page.status == 200 {
			token, err := s.Anonymous().OAuth.Code(t.Context(), app, code43.FindString(page.text), client.OutOfBand, "")
			if err != nil {
				t.Fatal(err)
			}
			got = token.Scope
		} else if page.status != http.StatusUnauthorized {
			t.Errorf("%s: status %d", tt.name, page.status)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRefusedSignIns(t *testing.T) {
	s := servertest.Start(t)
	app := newApp(t, s, client.OutOfBand, "read write")
	for nickname, edit := range map[string]func(*db.Account){
		"alice": func(*db.Account) {}, "gone": func(a *db.Account) { a.Deactivated = true }, "waiting": func(a *db.Account) { a.ApprovalPending = true },
	} {
		a := s.User(nickname)
		edit(a)
		if err := s.DB.UpdateAccount(t.Context(), a, "deactivated", "approval_pending"); err != nil {
			t.Fatal(err)
		}
	}
	reset := s.User("reset")
	if err := s.DB.UpdateUser(t.Context(), &db.User{AccountID: reset.ID, PasswordResetPending: true}, "password_reset_pending"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		form   url.Values
		status int
		flash  string
	}{
		{"wrong password", login(app, client.OutOfBand, "authorization[password]", "x"), 401, "Invalid Username/Password"},
		{"unknown name", login(app, client.OutOfBand, "authorization[name]", "x"), 401, "Invalid Username/Password"},
		{"no name", login(app, client.OutOfBand, "authorization[name]", "-", "authorization[password]", "-"), 401, "Invalid Username/Password"},
		{"unknown app", login(app, client.OutOfBand, "authorization[client_id]", "x"), 401, "Invalid Username/Password"},
		{"unlisted redirect", login(app, "https://evil.example/"), 401, "Invalid Username/Password"},
		{"awaits approval", login(app, client.OutOfBand, "authorization[name]", "waiting"), 401, "Invalid Username/Password"},
		{"deactivated", login(app, client.OutOfBand, "authorization[name]", "gone"), 403, "Your account is currently disabled"},
		{"must reset", login(app, client.OutOfBand, "authorization[name]", "reset"), 403, "Password reset is required"},
		{"implicit grant", login(app, client.OutOfBand, "authorization[response_type]", "token"), 400, ""},
		{"plain challenge", login(app, client.OutOfBand, "authorization[code_challenge]", "x"), 400, ""},
		{"NUL in the name", login(app, client.OutOfBand, "authorization[name]", "a\x00"), 400, ""},
		{"not UTF-8", login(app, client.OutOfBand, "authorization[name]", "a\xff"), 400, ""},
		{"a name that is none", url.Values{"authorization": {"x"}}, 400, ""},
	} {
		got := newVisitor(t, s).send("POST", "/oauth/authorize", tt.form)
		if got.status != tt.status || got.flash() != tt.flash || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %q %s, want %d %q", tt.name, got.status, got.flash(), got.header.Get("Content-Type"), tt.status, tt.flash)
		}
	}
}

// TestQuestionsThatAreNotPut: no address that an app may register is opened
// before a person has answered.
func TestQuestionsThatAreNotPut(t *testing.T) {
	s := servertest.Start(t)
	app := newApp(t, s, "https://app.example/cb", "read write")
	for _, tt := range []struct {
		name, path string
		status     int
	}{
		{"nothing", "/oauth/authorize", 400},
		{"unknown app", "/oauth/authorize?client_id=x&response_type=code&redirect_uri=https://app.example/cb", 400},
		{"unlisted redirect", authorize(app, "https://evil.example/"), 400},
		{"other response type", authorize(app, "https://app.example/cb", "response_type", "token"), 400},
		{"plain challenge", authorize(app, "https://app.example/cb", "code_challenge", "x", "code_challenge_method", "plain"), 400},
		{"wider scope", authorize(app, "https://app.example/cb", "scope", "read admin"), 401},
		{"a list for a text", "/oauth/authorize?client_id[]=x", 400},
		{"trailing slash", strings.Replace(authorize(app, "https://app.example/cb"), "authorize?", "authorize/?", 1), 200},
	} {
		got := newVisitor(t, s).send("GET", tt.path, nil)
		if got.status != tt.status || got.header.Get("Location") != "" || !strings.Contains(got.text, "<h1>") {
			t.Errorf("%s: %d %s\n%s", tt.name, got.status, got.header.Get("Location"), got.text)
		}
	}
}

func TestFormsOfOthersAreRefused(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	app := newApp(t, s, client.OutOfBand, "read write")
	path := authorize(app, client.OutOfBand)
	// signedIn is a visitor with a session, and the fields of a form that is
	// good for one more consent.
	signedIn := func() (*visitor, url.Values) {
		v := newVisitor(t, s)
		form := v.send("GET", path, nil).fields()
		form.Set("authorization[name]", "alice")
		form.Set("authorization[password]", servertest.Password)
		form.Set("authorization[scope][]", "read")
		if got := v.send("POST", "/oauth/authorize", form, "Origin", s.URL); got.status != 200 {
			t.Fatalf("signing in: %d %s", got.status, got.text)
		}
		page := v.send("GET", path, nil)
		if !strings.Contains(page.text, "Signed in as") {
			t.Fatalf("not signed in: %s", page.text)
		}
		form = page.fields()
		form.Set("authorization[scope][]", "read")
		return v, form
	}
	_, othersForm := signedIn()
	for _, tt := range []struct {
		name   string
		edit   func(form url.Values)
		header []string
		want   int
	}{
		{"our own form", func(url.Values) {}, nil, 200},
		{"our own, says the browser", func(url.Values) {}, []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"no token", func(f url.Values) { f.Del("_csrf_token") }, nil, 403},
		{"another browser's token", func(f url.Values) { f.Set("_csrf_token", othersForm.Get("_csrf_token")) }, nil, 403},
		{"from another site", func(url.Values) {}, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"from a neighbour", func(url.Values) {}, []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"from another origin", func(url.Values) {}, []string{"Origin", "https://evil.example"}, 403},
		{"from a page without origin", func(url.Values) {}, []string{"Origin", "null"}, 403},
	} {
		v, form := signedIn()
		tt.edit(form)
		got := v.send("POST", "/oauth/authorize", form, tt.header...)
		if got.status != tt.want || (got.status == 200) != strings.Contains(got.text, "Token code is") {
			t.Errorf("%s: %d %s", tt.name, got.status, got.text)
		}
		if got.status == 200 {
			continue
		}
		again := got.fields() // the page that refuses it has a form that works
		again.Set("authorization[scope][]", "read")
		if got := v.send("POST", "/oauth/authorize", again); got.status != 200 {
			t.Errorf("%s: the next try: %d", tt.name, got.status)
		}
	}
	// A stranger's browser without any cookie is still a browser.
	got := newVisitor(t, s).send("POST", "/oauth/authorize", login(app, client.OutOfBand), "Origin", s.URL)
	if got.status != 403 {
		t.Errorf("a browser without cookies: %d", got.status)
	}
}

func TestSessionEndsWithSigningOut(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	app := newApp(t, s, client.OutOfBand, "read write")
	path := authorize(app, client.OutOfBand, "scope", "read", "state", "s", "code_challenge", client.NewPKCE().Challenge, "code_challenge_method", "S256")
	v := newVisitor(t, s)
	signIn := func() answer {
		t.Helper()
		form := v.send("GET", path, nil).fields()
		form.Set("authorization[name]", "alice")
		form.Set("authorization[password]", servertest.Password)
		form.Set("authorization[scope][]", "read")
		if got := v.send("POST", "/oauth/authorize", form); got.status != 200 {
			t.Fatalf("signing in: %d", got.status)
		}
		page := v.send("GET", path, nil)
		if !strings.Contains(page.text, "Signed in as") {
			t.Fatal("no session")
		}
		return page
	}
	page := signIn()
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	stolen := v.http.Jar.Cookies(base)
	if got := v.send("POST", "/auth/sign_out", page.fields()); got.status != 302 || got.header.Get("Location") == "/" {
		t.Errorf("signing out: %d %s", got.status, got.header.Get("Location"))
	} else if next := v.send("GET", got.header.Get("Location"), nil); next.status != 200 || strings.Contains(next.text, "Signed in as") {
		t.Errorf("after it: %d %s", next.status, next.text)
	} else if diff := cmp.Diff(page.fields()["authorization[code_challenge]"], next.fields()["authorization[code_challenge]"]); diff != "" {
		t.Errorf("the question changed: %s", diff)
	}
	v.http.Jar.SetCookies(base, stolen)
	if next := v.send("GET", path, nil); strings.Contains(next.text, "Signed in as") {
		t.Error("the old cookie still works")
	}

	signIn()
	if got := v.send("DELETE", "/auth/sign_out", nil, "Sec-Fetch-Site", "cross-site"); got.status != 403 {
		t.Errorf("DELETE by another site: %d", got.status)
	}
	if got := v.send("POST", "/auth/sign_out", url.Values{"x": {"y"}}); got.status != 403 {
		t.Errorf("POST without the token: %d", got.status)
	}
	if next := v.send("GET", path, nil); !strings.Contains(next.text, "Signed in as") {
		t.Error("they signed alice out")
	}
	if got := v.send("DELETE", "/auth/sign_out", nil); got.status != 302 || got.header.Get("Location") != "/" {
		t.Errorf("DELETE: %d %s", got.status, got.header.Get("Location"))
	}
	if next := v.send("GET", path, nil); strings.Contains(next.text, "Signed in as") {
		t.Error("still signed in")
	}
	forced := strings.Replace(path, "authorize?", "authorize?force_login=true&", 1)
	signIn()
	if next := v.send("GET", forced, nil); strings.Contains(next.text, "Signed in as") || !strings.Contains(next.text, "authorization[password]") {
		t.Error("force_login asks for no password")
	}
}

func TestSessionOpensPagesOnly(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	app := newApp(t, s, client.OutOfBand, "read write")
	v := newVisitor(t, s)
	form := v.send("GET", authorize(app, client.OutOfBand), nil).fields()
	form.Set("authorization[name]", "alice")
	form.Set("authorization[password]", servertest.Password)
	v.send("POST", "/oauth/authorize", form)
	if got := v.send("GET", "/api/oauth_tokens", nil); got.status != 401 {
		t.Errorf("the API answers a cookie with %d", got.status)
	}
}

func TestPageHeaders(t *testing.T) {
	s := servertest.Start(t)
	app := newApp(t, s, "https://app.example/cb https://evil;script-src.example/ custom.app:/cb http://127.0.0.1:9/cb "+client.OutOfBand, "read")
	for redirect, want := range map[string]string{
		"https://app.example/cb": "'self' https:", "custom.app:/cb": "'self' custom.app:", "http://127.0.0.1:9/cb": "'self' http: https:",
		client.OutOfBand: "'self'", "https://evil;script-src.example/": "'self' https:",
	} {
		got := newVisitor(t, s).send("GET", authorize(app, redirect, "state", `"><script>alert(1)</script>`), nil)
		head := map[string]string{}
		for _, name := range []string{"Content-Security-Policy", "Cache-Control", "X-Frame-Options", "Referrer-Policy", "X-Content-Type-Options", "Content-Type", "Access-Control-Allow-Origin"} {
			head[name] = got.header.Get(name)
		}
		if diff := cmp.Diff(map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action " + want,
			"Cache-Control":           "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8", "Access-Control-Allow-Origin": "",
		}, head); diff != "" {
			t.Errorf("%s (-want +got):\n%s", redirect, diff)
		}
		if strings.Contains(got.text, "<script") {
			t.Errorf("%s: the state is on the page as it came", redirect)
		}
		cookies := got.header.Values("Set-Cookie")
		if len(cookies) != 1 || !regexp.MustCompile(`^svc_form=[\w-]{43}; Path=/; HttpOnly; SameSite=Lax$`).MatchString(cookies[0]) {
			t.Errorf("%s: cookies %q", redirect, cookies)
		}
	}
}
