package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

var code43 = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)

const submit = "button[type=submit]:not(.second):not(.link)"

// newApp registers an app with our own client.
func newApp(t *testing.T, s *servertest.Server, redirects, scopes string) *api.App {
	t.Helper()
	app, err := s.Anonymous().Apps.Create(t.Context(), api.NewApp{
		ClientName: "Tuba", RedirectURIs: redirects, Scopes: scopes, Website: "https://tuba.example/about",
	})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// listener starts an app's own server: it records the queries that reach it,
// and redirects to another origin as some apps do.
func listener(t *testing.T) (callback string, queries chan url.Values) {
	t.Helper()
	queries = make(chan url.Values, 8)
	next := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<p>Welcome to the app</p>"))
	}))
	t.Cleanup(next.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" {
			http.NotFound(w, r)
			return
		}
		queries <- r.URL.Query()
		http.Redirect(w, r, strings.Replace(next.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
	}))
	t.Cleanup(front.Close)
	return front.URL + "/callback", queries
}

// elsewhere is a page of another site.
func elsewhere(t *testing.T, html string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(html))
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// TestPagesInChromium uses one browser for all parts, since starting it takes
// long.
func TestPagesInChromium(t *testing.T) {
	browsers(t, func(t *testing.T, b *browser) {
		s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) {
			c.Captcha.Enabled, c.Instance.AccountActivationRequired = true, true
			c.Instance.Name, c.Instance.Email = "Birchwater", "hello@birchwater.example"
			c.Instance.Description = "A small town by the river, its gardens, its bakery, and whoever likes to hear of them."
		})
		s.User("alice")
		t.Run("public pages are readable", func(t *testing.T) { publicPages(t, b, s) })
		t.Run("a code is shown", func(t *testing.T) { codeIsShown(t, b, s) })
		t.Run("an app on the web", func(t *testing.T) { appOnTheWeb(t, b, s) })
		t.Run("other sites can do nothing", func(t *testing.T) { otherSites(t, b, s) })
		t.Run("signing in is readable", func(t *testing.T) { readable(t, b, s) })
		t.Run("from the front page into an app", func(t *testing.T) { fromFrontToApp(t, b, s) })
		t.Run("hostile texts do nothing", func(t *testing.T) { hostileTexts(t, b, s) })
		t.Run("push messages are read", func(t *testing.T) { pushes(t, b, s) })
	})
}

func codeIsShown(t *testing.T, b *browser, s *servertest.Server) {
	c := s.Anonymous()
	app := newApp(t, s, client.OutOfBand, "read write follow")
	p := b.tab(t)
	p.open(c.OAuth.AuthorizeURL(client.Authorization{ClientID: app.ClientID, RedirectURI: client.OutOfBand, Scope: "read write"}))
	p.until("document.activeElement.id == 'name'")
	p.fill("#name", "alice")
	p.fill("#password", "wrong")
	p.click(submit)
	p.until("document.querySelector('.flash') != null")
	if got := eval[string](p, "document.querySelector('[role=alert]').innerText"); got != "Invalid Username/Password" {
		t.Errorf("flash %q", got)
	}
	p.until("document.activeElement.id == 'password'")
	if got := eval[[]string](p, "[document.querySelector('#name').value, document.querySelector('#password').value]"); cmp.Diff([]string{"alice", ""}, got) != "" {
		t.Errorf("after a wrong password: %q", got)
	}
	p.fill("#password", servertest.Password)
	p.click("#scope1")
	p.click(submit)
	p.until("document.querySelector('h1').innerText == 'Successfully authorized'")
	text := p.text()
	if !strings.Contains(text, "Token code is") {
		t.Errorf("page: %s", text)
	}
	token, err := c.OAuth.Code(t.Context(), app, code43.FindString(text), client.OutOfBand, "")
	if err != nil {
		t.Fatalf("exchange: %v on %s", err, text)
	}
	if token.Scope != "read" {
		t.Errorf("scope %q, though write was unticked", token.Scope)
	}
	if token.Me != s.Base()+"/users/alice" {
		t.Errorf("the token is %s's", token.Me)
	}
	if got, err := s.With(token.AccessToken).Apps.Verify(t.Context()); err != nil || got.Name != "Tuba" {
		t.Errorf("the token is of %+v, %v", got, err)
	}
	if got := p.complaints(); len(got) != 1 || !strings.Contains(got[0], "401") {
		t.Errorf("the browser complained: %q", got)
	}
}

func appOnTheWeb(t *testing.T, b *browser, s *servertest.Server) {
	c := s.Anonymous()
	callback, queries := listener(t)
	app := newApp(t, s, callback, "read write")
	p := b.tab(t)
	ask := func() (client.PKCE, string) {
		pkce, state := client.NewPKCE(), client.RandomState()
		p.open(c.OAuth.AuthorizeURL(client.Authorization{
			ClientID: app.ClientID, RedirectURI: callback, Scope: "read", State: state, Challenge: pkce.Challenge,
		}))
		return pkce, state
	}
	arrive := func(pkce client.PKCE, state string) {
		t.Helper()
		p.until("document.body.innerText.includes('Welcome to the app')")
		q := <-queries
		if q.Get("state") != state {
			t.Errorf("state %q, want %q", q.Get("state"), state)
		}
		if _, err := c.OAuth.Code(t.Context(), app, q.Get("code"), callback, pkce.Verifier); err != nil {
			t.Errorf("exchange: %v", err)
		}
	}

	pkce, state := ask()
	p.fill("#name", "alice@example.org")
	p.fill("#password", servertest.Password)
	p.click(submit)
	arrive(pkce, state)

	// The browser has a session now: it needs no password, but the question is
	// still asked.
	pkce, state = ask()
	if got := eval[bool](p, "document.querySelector('#password') == null"); !got {
		t.Error("a signed-in person is asked for a password")
	}
	host, _ := url.Parse(s.Base())
	if text := p.text(); !strings.Contains(text, "Signed in as @alice@"+host.Host) {
		t.Errorf("page: %s", text)
	}
	p.click(submit)
	arrive(pkce, state)

	_, state = ask()
	p.click("button.second")
	p.until("document.body.innerText.includes('Welcome to the app')")
	want := url.Values{"error": {"access_denied"}, "error_description": {"The app was not allowed."}, "state": {state}}
	if diff := cmp.Diff(want, <-queries); diff != "" {
		t.Errorf("after Cancel (-want +got):\n%s", diff)
	}

	pkce, state = ask()
	p.click("button.link")
	p.until("document.querySelector('#password') != null")
	p.fill("#name", "alice")
	p.fill("#password", servertest.Password)
	p.click(submit)
	arrive(pkce, state)
	if got := p.complaints(); len(got) > 0 {
		t.Errorf("the browser complained: %q", got)
	}
}

func otherSites(t *testing.T, b *browser, s *servertest.Server) {
	c := s.Anonymous()
	app := newApp(t, s, client.OutOfBand, "read write")
	address := c.OAuth.AuthorizeURL(client.Authorization{ClientID: app.ClientID, RedirectURI: client.OutOfBand})
	p := b.tab(t)
	p.open(address)
	p.fill("#name", "alice")
	p.fill("#password", servertest.Password)
	p.click(submit)
	p.until("document.querySelector('.code') != null")
	p.open(address)
	p.until("document.querySelector('.who') != null") // alice is signed in here

	forged := fmt.Sprintf(`<form method=post action="%s/oauth/authorize">
		<input name="authorization[client_id]" value="%s"><input name="authorization[redirect_uri]" value="%s">
		<input name="authorization[scope][]" value="read">%s<button>go</button></form>`, s.URL, app.ClientID, client.OutOfBand, "%s")
	for name, more := range map[string]string{
		"with her session":    "",
		"with one's own name": `<input name="authorization[name]" value="alice"><input name="authorization[password]" value="` + servertest.Password + `">`,
	} {
		p.open(elsewhere(t, fmt.Sprintf(forged, more)))
		p.click("button")
		p.until("document.querySelector('.flash') != null")
		if text := p.text(); strings.Contains(text, "Token code") || !strings.Contains(text, "expired") {
			t.Errorf("%s: %s", name, text)
		}
	}

	// On the same site, so that the frame is in the tree of its page.
	p.open(strings.Replace(elsewhere(t, `<iframe src="`+address+`"></iframe>`), "localhost", "127.0.0.1", 1))
	p.until("document.querySelector('iframe') != null")
	var tree struct {
		FrameTree struct {
			ChildFrames []struct {
				Frame struct {
					URL         string `json:"url"`
					Unreachable string `json:"unreachableUrl"`
				} `json:"frame"`
			} `json:"childFrames"`
		} `json:"frameTree"`
	}
	p.into(&tree, p.session, "Page.getFrameTree", nil)
	if n := len(tree.FrameTree.ChildFrames); n != 1 || !strings.HasPrefix(tree.FrameTree.ChildFrames[0].Frame.URL, "chrome-error:") {
		t.Errorf("framed by another site: %+v", tree)
	}
	p.complaints()
}

// readable checks each page, in both colour schemes, for people with a phone, a
// keyboard or poor sight.
func readable(t *testing.T, b *browser, s *servertest.Server) {
	c := s.Anonymous()
	callback, _ := listener(t)
	app := newApp(t, s, callback+"\n"+client.OutOfBand, "read write follow push admin:read admin:write")
	ask := client.Authorization{ClientID: app.ClientID, RedirectURI: callback, Scope: "read write admin:read"}
	p := b.tab(t)
	p.open(c.OAuth.AuthorizeURL(ask))
	checkPage(t, p, "signin")

	p.until("document.activeElement.id == 'name'") // the first has the focus from the start
	tabs := eval[[]string](p, "[...document.querySelectorAll('input:not([type=hidden]), button')].map(e => e.id || e.innerText)")
	reached := []string{"name"}
	for range tabs[1:] {
		for _, kind := range []string{"rawKeyDown", "keyUp"} {
			p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
		}
		reached = append(reached, eval[string](p, "document.activeElement.id || document.activeElement.innerText"))
	}
	if diff := cmp.Diff(tabs, reached); diff != "" {
		t.Errorf("the Tab key reaches (-want +got):\n%s", diff)
	}

	p.fill("#name", "alice")
	p.fill("#password", "wrong")
	p.click(submit)
	p.until("document.querySelector('.flash') != null")
	checkPage(t, p, "signin-refused")
	p.fill("#password", servertest.Password)
	p.click(submit)
	p.until("document.body.innerText.includes('Welcome to the app')")
	p.open(c.OAuth.AuthorizeURL(ask))
	p.until("document.querySelector('.who') != null")
	checkPage(t, p, "signin-known")
	ask.RedirectURI = client.OutOfBand
	p.open(c.OAuth.AuthorizeURL(ask))
	p.click(submit)
	p.until("document.querySelector('.code') != null")
	checkPage(t, p, "signin-code")
	ask.ClientID = "nobody"
	p.open(c.OAuth.AuthorizeURL(ask))
	checkPage(t, p, "signin-problem")
	p.complaints()
}

// faint lists texts with a contrast below 4.5 to their background, and borders
// of fields below 3 (WCAG 2.2, 1.4.3 and 1.4.11).
const faint = `(() => {
	const rgb = s => s.match(/[\d.]+/g).map(Number)
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * r + .7152 * g + .0722 * b }
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + .05) / (y + .05) }
	const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c } return [255, 255, 255] }
	const out = []
	for (const e of document.querySelectorAll('body *')) {
		const s = getComputedStyle(e)
		if ([...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) && ratio(rgb(s.color), behind(e)) < 4.5) out.push(e.tagName + ' ' + e.innerText)
		if (e.matches('input[type=text], input[type=password]') && ratio(rgb(s.borderTopColor), behind(e)) < 3) out.push('border of ' + e.id)
	}
	return out
})()`

// unnamed lists controls and pictures without a name, small targets (WCAG 2.2,
// 2.5.8), headings out of order, and ids that are there twice.
const unnamed = `(() => {
	const out = [], said = e => (e.innerText || '').trim() || e.getAttribute('aria-label') || [...e.querySelectorAll('img')].some(i => i.alt)
	for (const e of document.querySelectorAll('input:not([type=hidden]), textarea, button, summary, a[href], video, audio')) {
		if (!e.checkVisibility() || e.matches('.skip')) continue
		const r = (e.type == 'checkbox' ? e.parentElement : e).getBoundingClientRect()
		const labelled = e.matches('input, textarea') ? e.labels.length && e.labels[0].innerText.trim() : said(e)
		if (!labelled) out.push('no label: ' + e.outerHTML.slice(0, 80))
		const inText = e.tagName == 'A' && e.closest('p, .words, dd, .above')
		if (!inText && (r.height < 24 || r.width < 24)) out.push('small: ' + (e.id || e.innerText) + ' ' + r.width + 'x' + r.height)
	}
	for (const e of document.querySelectorAll('img:not([alt])')) out.push('no alt: ' + e.src)
	let last = 0
	for (const h of document.querySelectorAll('h1, h2, h3, h4')) {
		const level = +h.tagName[1]
		if (level > last + 1) out.push('heading ' + level + ' after ' + last + ': ' + h.innerText)
		last = level
	}
	const ids = [...document.querySelectorAll('[id]')].map(e => e.id)
	for (const id of ids) if (ids.indexOf(id) != ids.lastIndexOf(id)) out.push('twice: ' + id)
	for (const name of ['aria-describedby', 'aria-labelledby']) for (const e of document.querySelectorAll('[' + name + ']'))
		for (const id of e.getAttribute(name).split(' ')) if (!document.getElementById(id)) out.push(name + ' of nothing: ' + id)
	const skip = document.querySelector('.skip')
	if (!skip || !document.querySelector(skip.getAttribute('href'))) out.push('no way to skip')
	return out
})()`

func checkPage(t *testing.T, p *tab, name string) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		if got := eval[[]string](p, faint); len(got) > 0 {
			t.Errorf("%s, %s: too faint: %q", name, scheme, got)
		}
		dark := eval[bool](p, "parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128")
		if dark != (scheme == "dark") {
			t.Errorf("%s: a dark page in the %s scheme: %v", name, scheme, dark)
		}
		snap(t, p, name, scheme)
	}
	if got := eval[[]string](p, unnamed); len(got) > 0 {
		t.Errorf("%s: %q", name, got)
	}
	for _, width := range []int{320, 360, 1280} {
		p.size(width, 800)
		if over := eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
			t.Errorf("%s: %d pixels too wide for %d", name, over, width)
		}
	}
	p.size(390, 844)
	type facts struct {
		Lang     string
		Headings int
		Main     int
		Title    bool
		Scripts  int
		Zoom     bool
	}
	got := facts{
		Lang: eval[string](p, "document.documentElement.lang"), Headings: eval[int](p, "document.querySelectorAll('h1').length"),
		Main: eval[int](p, "document.querySelectorAll('main').length"), Title: eval[bool](p, "document.title.length > 5"),
		Scripts: eval[int](p, "document.querySelectorAll('script').length"),
		Zoom:    eval[bool](p, "!/maximum-scale|user-scalable/.test(document.querySelector('meta[name=viewport]').content)"),
	}
	if diff := cmp.Diff(facts{"en", 1, 1, true, 0, true}, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
