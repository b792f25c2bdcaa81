package tui

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/client/login"
	"svc/server/servertest"
	"svc/tui/draw"
)

// renewing starts the program as root on a real server, with a login of its own and a
// staged action and a draft; then the server forgets the token.
func renewing(t *testing.T, kept *login.Credential) (*driver, *servertest.Server) {
	t.Helper()
	s := servertest.Start(t)
	if _, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: s.User("bob").ID, Comment: "spam"}); err != nil {
		t.Fatal(err)
	}
	s.AdminUser("root")
	origin, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	begin := func() (*login.Login, error) { return login.NewLogin(origin, *kept, login.Scopes) }
	l, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	if *kept, err = l.Password(t.Context(), "root", servertest.Password); err != nil {
		t.Fatal(err)
	}
	made := func(c login.Credential) (*client.Client, error) {
		return client.New(s.URL, client.WithToken(c.AccessToken), client.WithRetries(0))
	}
	c, err := made(*kept)
	if err != nil {
		t.Fatal(err)
	}
	d := beginOn(t, c, 100, 30, Options{Renewal: &Renewal{Begin: begin, Keep: func(c login.Credential) (*client.Client, error) {
		*kept = c
		return made(c)
	}}})
	d.press("nthe draft<esc>r")
	if err := c.OAuth.Revoke(t.Context(), &api.App{ClientID: kept.ClientID, ClientSecret: kept.ClientSecret}, kept.AccessToken); err != nil {
		t.Fatal(err)
	}
	d.pass(20 * time.Second)
	d.shows("NOT LOGGED IN", "log in to 127.0.0.1", "as root; what is staged and written is kept", "b in a browser here", "c with a code", "esc read on", "OUTBOX 1  resolve")
	return d, s
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	checkedBox  = regexp.MustCompile(`<input type="checkbox" id="[^"]*" name="([^"]+)" value="([^"]*)" checked>`)
	codeShown   = regexp.MustCompile(`Token code is <code[^>]*>([^<]+)</code>`)
)

// signIn does on the page of a login what a person does, and returns the page at the
// end.
func signIn(t *testing.T, link, nick string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	browser := &http.Client{Jar: jar}
	read := func(res *http.Response, err error) string {
		if err != nil {
			t.Error(err)
			return ""
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	page, _, _ := strings.Cut(read(browser.Get(link)), "</form>")
	form := url.Values{"authorization[name]": {nick}, "authorization[password]": {servertest.Password}}
	plain := strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&#43;", "+", "&amp;", "&")
	for _, field := range append(hiddenField.FindAllStringSubmatch(page, -1), checkedBox.FindAllStringSubmatch(page, -1)...) {
		form.Add(plain.Replace(field[1]), plain.Replace(field[2]))
	}
	at, err := url.Parse(link)
	if err != nil {
		t.Error(err)
		return ""
	}
	return read(browser.PostForm(at.Scheme+"://"+at.Host+"/oauth/authorize", form))
}

// backIn holds that what waited went, once, and the rest is there.
func backIn(t *testing.T, d *driver, s *servertest.Server) {
	t.Helper()
	d.pass(6 * time.Second)
	d.hides("NOT LOGGED IN", "OUTBOX")
	d.shows("root")
	page, err := s.Admin("tess").Admin.Log.List(api.LogQuery{}).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(page.Items); n != 1 {
		t.Errorf("%d entries in the log, want the resolved report\n%s", n, d.frame())
	}
	d.press("/state:resolved<enter>")
	d.pass(time.Second)
	d.shows("resolved", "DRAFT: the draft")
	d.hear("the stream of the new login", func() bool { return d.m.Poll.Live })
}

func TestALoginIsRenewedWithACode(t *testing.T) {
	t.Parallel()
	var kept login.Credential
	d, s := renewing(t, &kept)
	old := kept.AccessToken
	d.press("c")
	d.shows("open this address in any browser", "/oauth/authorize?", "code: _")
	d.press("wrong<enter>")
	d.shows("log in to 127.0.0.1", "b in a browser here") // with the reason
	d.press("c")
	address := regexp.MustCompile(`http://\S+`).FindString(promptText(d))
	code := codeShown.FindStringSubmatch(signIn(t, address, "root"))
	if code == nil {
		t.Fatal("no code is shown")
	}
	for _, key := range code[1] {
		d.send(keyNamed(string(key)))
	}
	d.press("<enter>")
	if kept.AccessToken == old || kept.Account != "root" {
		t.Errorf("kept %+v", kept)
	}
	backIn(t, d, s)
}

// promptText is the address in the prompt, which is wrapped.
func promptText(d *driver) string {
	var b strings.Builder
	for _, l := range d.m.Prompt.Title[1:] {
		b.WriteString(strings.TrimSpace(draw.PlainText(l)))
	}
	return b.String()
}

func TestALoginIsRenewedInABrowser(t *testing.T) {
	t.Parallel()
	var kept login.Credential
	d, s := renewing(t, &kept)
	d.m.Browser = func(address string) error {
		go signIn(t, address, "root")
		return nil
	}
	d.press("b")
	backIn(t, d, s)
}

// TestSomebodyElsesLoginIsRefused keeps what is staged from going in another name.
func TestSomebodyElsesLoginIsRefused(t *testing.T) {
	t.Parallel()
	var kept login.Credential
	d, s := renewing(t, &kept)
	s.AdminUser("tess")
	d.m.Browser = func(address string) error {
		go signIn(t, address, "tess")
		return nil
	}
	d.press("b")
	d.shows("this is tess; what is staged here is by root", "NOT LOGGED IN", "OUTBOX 1")
	if kept.Account == "tess" {
		t.Error("it was kept")
	}
	d.press("<esc>")
	d.pass(time.Minute)
	d.hides("in a browser here") // asked once
	d.press(":login<enter>")
	d.shows("in a browser here")
}

func TestLoggingInInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("login").hears("Log in with svcctl auth login")
}
