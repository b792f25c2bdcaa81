package pages_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// hostile are texts that could do harm in a page.
var hostile = []string{
	`<script>fetch('/stolen')</script>`, `"><img src=x onerror=fetch('/stolen')>`, `<svg onload=fetch('/stolen')>`,
	`<a href="javascript:fetch('/stolen')">x</a>`, `<iframe srcdoc="<script>fetch('/stolen')</script>"></iframe>`,
	`</title></style></textarea><script>fetch('/stolen')</script>`, `<style>*{background:url(/stolen)}</style>`, `<base href="/stolen">`,
	`<meta http-equiv="refresh" content="0;url=/stolen">`, `<form action="/stolen"><button autofocus>x</button></form>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=fetch('/stolen')>`, `<img src="/stolen" srcset="/stolen 1x">`,
	`<link rel="stylesheet" href="/stolen">`, `{{template "head"}} ${7*7} <%= 1 %>`, "\u202egnp.\u202c\x1b[31m", `<p style="position:fixed" onclick="fetch('/stolen')" id="main">x</p>`,
	`<details open ontoggle=fetch('/stolen')>`, `<object data="/stolen"></object><embed src="/stolen">`, `&lt;script&gt;fetch('/stolen')&lt;/script&gt;`,
	`[url=javascript:fetch('/stolen')]x[/url]`, "[x](javascript:fetch('/stolen'))", "![x](/stolen)", `<video src=/stolen autoplay poster=/stolen></video>`,
}

// infect writes all of hostile into every text that people may write, and
// returns the pages that show it.
func infect(t *testing.T, s *servertest.Server) []string {
	t.Helper()
	paths := []string{"/", "/about", "/main/public", "/tag/x", "/users/mallory"}
	s.User("mallory")
	c := s.Client("mallory")
	all := strings.Join(hostile, " ")
	name, note := string([]rune(strings.Join(hostile[:2], ""))[:60]), all
	fields := []api.SourceField{{Name: hostile[0], Value: hostile[1]}, {Name: hostile[5], Value: hostile[3]}, {Name: "link", Value: "https://x.example/?" + hostile[1]}}
	if _, err := c.Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{DisplayName: &name, Note: &note, FieldsAttributes: fields}); err != nil {
		t.Fatal(err)
	}
	parent := ""
	for _, kind := range []string{"text/plain", "text/html", "text/markdown", "text/bbcode"} {
		for i := range 2 {
			form := api.NewStatus{Status: all + " #x", ContentType: kind, InReplyToID: parent}
			if i == 1 {
				form.SpoilerText = all
				form.Poll = &api.NewPoll{Options: []string{hostile[0], hostile[1]}, ExpiresIn: ptr(api.Int(3600))}
			}
			parent = write(t, s, "mallory", form).ID
			paths = append(paths, "/notice/"+parent)
		}
	}
	// Stored text was sanitised before; pages do not rely on that.
	fieldsHTML := `[{"name":"<script>fetch('/stolen')</script>","value":"<script>fetch('/stolen')</script><a href=\"javascript:fetch('/stolen')\">x</a>"}]`
	emojis := `[{"shortcode":"x","url":"javascript:fetch('/stolen')"},{"shortcode":"y","url":"` + s.Base() + `/images/avi.png?\"onerror=\"alert(1)"}]`
	for _, update := range []struct {
		query string
		args  []any
	}{
		{"UPDATE accounts SET display_name = ?, note_html = ?, fields_html = ?, emojis = ?, avatar = ? WHERE nickname = 'mallory'",
			[]any{all + ":x: :y:", all, fieldsHTML, emojis, "javascript:fetch('/stolen')"}},
		{"UPDATE statuses SET content = ?, spoiler_text = ?, emojis = ?, application_name = ?, language = ? WHERE spoiler_text <> ''",
			[]any{all + ":x: :y:", all + ":x: :y:", emojis, all, `en" onclick="fetch('/stolen')`}},
		{"UPDATE statuses SET content = ?, url = ?, application_name = ? WHERE spoiler_text = ''", []any{all, "javascript:fetch('/stolen')", hostile[1]}},
	} {
		if _, err := s.DB.Writer().ExecContext(t.Context(), update.query, update.args...); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// hostileTexts opens, with scripts allowed, pages that mallory filled with
// harmful text. No script may even be tried.
func hostileTexts(t *testing.T, b *browser, s *servertest.Server) {
	paths := infect(t, s)
	settings(t, s, func(c *config.Settings) { c.Instance.Name, c.Instance.Description = hostile[0], hostile[1] })
	paths = append(paths, "/tag/"+url.PathEscape(hostile[0]), "/nowhere?"+url.QueryEscape(hostile[0]), "/oauth/mfa?state="+url.QueryEscape(hostile[1])+"&mfa_token="+url.QueryEscape(hostile[0]))
	p := b.tab(t)
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	for _, path := range paths {
		p.open(s.Base() + path)
		found := eval[[]string](p, `(() => {
			const out = [], mine = 'input, button, form[action^="/oauth/mfa/"], link[rel=stylesheet][href^="/pages/"], link[rel=icon], link[rel=manifest], link[rel=canonical], link[rel=alternate], link[rel=me]'
			for (const e of document.querySelectorAll('*')) {
				if (e.matches('script, style, iframe, object, embed, base, meta[http-equiv], svg, math, form, link, input, button') && !e.matches(mine)) out.push(e.outerHTML.slice(0, 100))
				for (const a of e.attributes) {
					if (/^on|^style$|^srcdoc$|^srcset$/i.test(a.name) || /^\s*(javascript|data|vbscript):/i.test(a.value)) out.push(e.tagName + ' ' + a.name + '=' + a.value.slice(0, 60))
				}
				if (e.matches('details[open]')) out.push('open details')
			}
			for (const r of performance.getEntriesByType('resource')) if (r.name.includes('stolen')) out.push('loaded ' + r.name)
			if (document.querySelectorAll('#main').length != 1) out.push('a second #main')
			return out
		})()`)
		if len(found) > 0 {
			t.Errorf("%s: %q", path, found)
		}
		if got := eval[string](p, "location.pathname"); got == "/stolen" {
			t.Errorf("%s led away", path)
		}
	}
	for _, said := range p.complaints() {
		if !strings.Contains(said, " 404 ") && !strings.Contains(said, "/oauth/mfa?") { // no second factor is pending
			t.Errorf("the browser complained: %s", said)
		}
	}
}
