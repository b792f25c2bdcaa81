package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// open gets a page as a browser does.
func (v *visitor) open(path string, header ...string) answer {
	v.t.Helper()
	return v.send(http.MethodGet, path, nil, append([]string{"Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}, header...)...)
}

// write posts as nickname, and returns the post.
func write(t *testing.T, s *servertest.Server, nickname string, form api.NewStatus) *api.Status {
	t.Helper()
	out, err := s.Client(nickname).Statuses.Post(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func settings(t *testing.T, s *servertest.Server, edit func(*config.Settings)) {
	t.Helper()
	next := *s.Settings.Load()
	edit(&next)
	if err := s.Settings.Swap(next); err != nil {
		t.Fatal(err)
	}
}

var posted = regexp.MustCompile(`id="post-(\w+)"`)

// posts are the ids of the posts on a page, in their order.
func (a answer) posts() []string {
	var out []string
	for _, m := range posted.FindAllStringSubmatch(a.text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestProfileShowsAnAccountAndItsPublicPosts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		s.User("alice")
		bio, name, yes := "I grow #herbs\nand read.", "Alice Ashgrove", api.Bool(true)
		if _, err := s.Client("alice").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{
			DisplayName: &name, Note: &bio, Discoverable: &yes, FieldsAttributes: []api.SourceField{{Name: "Garden", Value: "https://garden.example/"}},
		}); err != nil {
			t.Fatal(err)
		}
		pinned := write(t, s, "alice", api.NewStatus{Status: "Hello, I am Alice"})
		if _, err := s.Client("alice").Statuses.Pin(t.Context(), pinned.ID); err != nil {
			t.Fatal(err)
		}
		unlisted := write(t, s, "alice", api.NewStatus{Status: "not on timelines", Visibility: db.Unlisted})
		write(t, s, "alice", api.NewStatus{Status: "for followers", Visibility: db.Private})
		bobs := write(t, s, "bob", api.NewStatus{Status: "by Bob"})
		boost, err := s.Client("alice").Statuses.Reblog(t.Context(), bobs.ID, api.NewReblog{})
		if err != nil {
			t.Fatal(err)
		}
		v := newVisitor(t, s)
		page := v.open("/users/alice")
		if diff := cmp.Diff([]string{pinned.ID, boost.ID, unlisted.ID}, page.posts()); page.status != 200 || diff != "" {
			t.Fatalf("%d, posts (-want +got):\n%s", page.status, diff)
		}
		host := strings.TrimPrefix(s.Base(), "http://")
		for _, want := range []string{
			`<bdi>Alice Ashgrove</bdi>`, `<p class="handle">@alice@` + host + `</p>`, `I grow <a class="hashtag"`,
			`<dt dir="auto">Garden</dt><dd dir="auto"><a href="https://garden.example/"`, `<dt>posts</dt> <dd>2</dd>`, `reblogged`, `<h2>Pinned</h2>`,
			`<link rel="canonical" href="` + s.Base() + `/users/alice">`,
			`<link rel="alternate" type="application/atom+xml" href="` + s.Base() + `/users/alice/feed.atom"`,
			`<link rel="alternate" type="application/activity+json" href="` + s.Base() + `/users/alice">`,
			`<link rel="me" href="https://garden.example/">`, `<meta property="og:type" content="profile">`,
			`<meta property="og:title" content="Alice Ashgrove (@alice@` + host + `)">`, `<meta name="twitter:card" content="summary">`,
		} {
			if !strings.Contains(strings.ReplaceAll(page.text, "&#43;", "+"), want) {
				t.Errorf("no %s on the page", want)
			}
		}
		if strings.Contains(page.text, "noindex") || strings.Contains(page.text, "for followers") {
			t.Errorf("page:\n%s", page.text)
		}
		for path, to := range map[string]string{"/@alice": "/users/alice", "/users/ALICE": "/users/alice", "/@nobody": "/users/nobody"} {
			if got := v.open(path); got.status != 302 || got.header.Get("Location") != to {
				t.Errorf("%s: %d %s", path, got.status, got.header.Get("Location"))
			}
		}
		if again := v.open("/users/alice", "If-None-Match", page.header.Get("ETag")); again.status != 304 || again.text != "" ||
			again.header.Get("Content-Security-Policy") != page.header.Get("Content-Security-Policy") {
			t.Errorf("the same page again: %d, policy %s", again.status, again.header.Get("Content-Security-Policy"))
		}
		no := api.Bool(true)
		if _, err := s.Client("alice").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{
			HideFollowers: &no, HideFollowersCount: &no, HideFollows: &no, HideFollowsCount: &no,
		}); err != nil {
			t.Fatal(err)
		}
		if page := v.open("/users/alice"); strings.Contains(page.text, "followers</dt>") || strings.Contains(page.text, "following</dt>") {
			t.Error("hidden counts are shown")
		}
	})
}

func TestPagesOfPostsLeadToOlderOnes(t *testing.T) {
	s := servertest.Start(t)
	var want []string
	for i := range 45 {
		want = append(want, write(t, s, "alice", api.NewStatus{Status: fmt.Sprintf("post %d #count", i)}).ID)
	}
	slices.Reverse(want)
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	for _, path := range []string{"/users/alice", "/main/public", "/tag/count"} {
		var got []string
		v, next := newVisitor(t, s), path
		for range 4 {
			page := v.open(next)
			got = append(got, page.posts()...)
			m := older.FindStringSubmatch(page.text)
			if m == nil {
				break
			}
			next = m[1]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if page := v.open(next); !strings.Contains(page.text, `href="`+path+`">Newest posts`) {
			t.Errorf("%s: no way back", next)
		}
	}
	if got := newVisitor(t, s).open("/").posts(); cmp.Diff(want[:5], got) != "" {
		t.Errorf("the front page shows %q", got)
	}
}

func TestPostPageShowsItsThread(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		root := write(t, s, "alice", api.NewStatus{Status: "root"})
		reply := write(t, s, "bob", api.NewStatus{Status: "reply", InReplyToID: root.ID})
		below := write(t, s, "alice", api.NewStatus{Status: "below", InReplyToID: reply.ID})
		hidden := write(t, s, "carol", api.NewStatus{Status: "secret", InReplyToID: reply.ID, Visibility: db.Private})
		open := write(t, s, "carol", api.NewStatus{Status: "open", InReplyToID: hidden.ID, Visibility: db.Public})
		other := write(t, s, "carol", api.NewStatus{Status: "beside", InReplyToID: root.ID})
		v := newVisitor(t, s)
		for id, want := range map[string][]string{
			root.ID:  {root.ID, reply.ID, below.ID, open.ID, other.ID},
			reply.ID: {root.ID, reply.ID, below.ID, open.ID},
			open.ID:  {root.ID, reply.ID, open.ID},
			below.ID: {root.ID, reply.ID, below.ID},
		} {
			page := v.open("/notice/" + id)
			if diff := cmp.Diff(want, page.posts()); page.status != 200 || diff != "" {
				t.Errorf("%s: %d (-want +got):\n%s", id, page.status, diff)
			}
			if !strings.Contains(page.text, `focus" id="post-`+id) || strings.Contains(page.text, "secret") {
				t.Errorf("%s:\n%s", id, page.text)
			}
		}
		uuid := root.URI[strings.LastIndexByte(root.URI, '/')+1:]
		boost, err := s.Client("bob").Statuses.Reblog(t.Context(), root.ID, api.NewReblog{})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/objects/" + uuid, "/notice/" + boost.ID} {
			if got := v.open(path); got.status != 302 || got.header.Get("Location") != "/notice/"+root.ID {
				t.Errorf("%s: %d %s", path, got.status, got.header.Get("Location"))
			}
		}
	})
}

// A long thread is cut at both ends, and the page says so.
func TestPostPageIsBounded(t *testing.T) {
	s := servertest.Start(t)
	var ids []string
	parent := ""
	for i := range 30 {
		parent = write(t, s, "alice", api.NewStatus{Status: fmt.Sprint("step ", i), InReplyToID: parent}).ID
		ids = append(ids, parent)
	}
	for i := range 60 {
		write(t, s, "bob", api.NewStatus{Status: fmt.Sprint("answer ", i), InReplyToID: parent})
	}
	page := newVisitor(t, s).open("/notice/" + parent)
	got := page.posts()
	if len(got) != 20+1+50 || got[0] != ids[9] || got[20] != parent {
		t.Errorf("%d posts, first %s", len(got), got[0])
	}
	if !strings.Contains(page.text, "9 earlier posts are not shown here.") || !strings.Contains(page.text, "10 more replies are not shown here.") {
		t.Error("the page does not say what it leaves out")
	}
}

// A page costs the same number of statements however much is on it.
func TestPagesAreAFixedNumberOfStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		var parent string
		fill := func(n int) {
			for i := range n {
				form := api.NewStatus{Status: fmt.Sprintf("%d #tea", i)}
				if i%3 == 1 {
					form.InReplyToID = parent
				}
				parent = write(t, s, []string{"alice", "bob"}[i%2], form).ID
			}
		}
		fill(6)
		paths := []string{"/", "/about", "/users/alice", "/main/public", "/tag/tea", "/notice/" + parent, "/users/alice/feed.atom", "/tags/tea.atom"}
		count := func() map[string]int64 {
			out := map[string]int64{}
			fresh := s.Second(t) // which has rendered nothing yet
			for _, path := range paths {
				cold := dbtest.Queries(t, func(ctx context.Context) { fresh.Get(ctx, path, "") })
				if cold > 12 {
					t.Errorf("%s: %d statements", path, cold)
				}
				out[path] = dbtest.Queries(t, func(ctx context.Context) { fresh.Get(ctx, path, "") })
			}
			return out
		}
		few := count()
		fill(40)
		for path, n := range count() {
			if n > few[path] {
				t.Errorf("%s: %d statements with few posts, %d with many", path, few[path], n)
			}
		}
	})
}

func TestAccountsAndPostsHaveOneAddressForPeopleAndServers(t *testing.T) {
	s := servertest.Start(t)
	post := write(t, s, "alice", api.NewStatus{Status: "hello"})
	for accept, want := range map[string]string{
		"": "html", "*/*": "html", "text/html": "html", "application/xhtml+xml": "html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "html",
		"application/activity+json":                                       "json", "application/json": "json", "application/activity+json, text/html;q=0.5": "json",
		"text/html, application/activity+json;q=0.9":                                                "html",
		`application/ld+json; profile="https://www.w3.org/ns/activitystreams"`:                      "json",
		`application/ld+json; profile=https://www.w3.org/ns/activitystreams`:                        "json",
		`application/ld+json;q=0.9;profile=https://www.w3.org/ns/activitystreams, text/html; Q=0.1`: "json",
		`text/html;level=a/b, application/json; q=0.5`:                                              "html",
	} {
		for _, path := range []string{"/users/alice", "/notice/" + post.ID, strings.TrimPrefix(post.URI, s.Base())} {
			got := newVisitor(t, s).send("GET", path, nil, "Accept", accept)
			kind := got.header.Get("Content-Type")
			document := got.status == 200 && kind == "application/activity+json; charset=utf-8"
			switch {
			case strings.HasPrefix(path, "/notice/"):
				document = got.status == 302 && got.header.Get("Location") == post.URI
			case strings.HasPrefix(accept, "application/ld+json"):
				document = got.status == 200 && kind == `application/ld+json; profile="https://www.w3.org/ns/activitystreams"; charset=utf-8`
			}
			if (want == "json") != document || got.header.Get("Vary") != "Accept, Signature, Signature-Input, Authorization" {
				t.Errorf("%s as %q: %d %s", path, accept, got.status, kind)
			}
		}
	}
}

func TestFrontPageSaysHowToGetIn(t *testing.T) {
	s := servertest.Start(t)
	s.User("alice")
	settings(t, s, func(c *config.Settings) {
		c.Instance.Name, c.Instance.Description, c.Instance.Email = "Birch & Friends", "Trees <3", "root@birch.example"
	})
	for name, tt := range map[string]struct {
		edit     func(*config.Instance)
		words    string
		mayEnter bool
	}{
		"open":     {func(*config.Instance) {}, "Everybody may sign up.", true},
		"approval": {func(i *config.Instance) { i.AccountApprovalRequired = true }, "You may ask for an account", true},
		"invites":  {func(i *config.Instance) { i.RegistrationsOpen, i.InvitesEnabled = false, true }, "New accounts are by invitation only.", false},
		"closed":   {func(i *config.Instance) { i.RegistrationsOpen, i.InvitesEnabled = false, false }, "New accounts are not given out at the moment.", false},
	} {
		settings(t, s, func(c *config.Settings) {
			c.Instance.RegistrationsOpen, c.Instance.InvitesEnabled, c.Instance.AccountApprovalRequired = true, false, false
			tt.edit(&c.Instance)
		})
		front, about := newVisitor(t, s).open("/"), newVisitor(t, s).open("/about")
		for _, page := range []answer{front, about} {
			for _, want := range []string{tt.words, "Birch &amp; Friends", "Trees &lt;3", "mailto:root@birch.example", `<dt>account</dt> <dd>1</dd>`} {
				if page.status != 200 || !strings.Contains(page.text, want) {
					t.Errorf("%s: %d, no %s", name, page.status, want)
				}
			}
			if got := strings.Contains(page.text, `href="/registration"`); got != tt.mayEnter {
				t.Errorf("%s: a link to sign up: %v", name, got)
			}
		}
		if got := newVisitor(t, s).open("/registration"); (got.status == 200) != tt.mayEnter || got.status != 200 && got.status != 403 {
			t.Errorf("%s: sign-up is %d", name, got.status)
		}
	}
}

func TestRefusalsAreReadable(t *testing.T) {
	s := servertest.Start(t)
	for _, tt := range []struct {
		path, accept string
		status       int
		heading      string // empty: JSON
	}{
		{"/nowhere", "text/html", 404, "There is nothing here"},
		{"/nowhere", "*/*", 404, ""},
		{"/api/v1/nowhere", "text/html", 404, ""},
		{"/images/nothing.png", "text/html", 404, "There is nothing here"},
		{"/users/nobody", "*/*", 404, "There is nothing here"},
		{"/notice/nothing", "", 404, "There is nothing here"},
		{"/users/a%00b", "text/html", 404, "There is nothing here"},
		{"/tag/%ff", "text/html", 404, "There is nothing here"},
		{"/users/nobody/feed.atom", "application/atom+xml", 404, ""},
		{"/users/nobody/feed.atom", "text/html", 404, "There is nothing here"},
		{"/nodeinfo/9", "text/html", 404, ""},
	} {
		got := newVisitor(t, s).send("GET", tt.path, nil, "Accept", tt.accept)
		kind := "text/html; charset=utf-8"
		if tt.heading == "" {
			kind = "application/json; charset=utf-8"
		}
		if got.status != tt.status || got.header.Get("Content-Type") != kind || !strings.Contains(got.text, "<h1>"+tt.heading) && tt.heading != "" {
			t.Errorf("%s as %q: %d %s\n%s", tt.path, tt.accept, got.status, got.header.Get("Content-Type"), got.text)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	s := servertest.Start(t)
	names := []string{"Content-Security-Policy", "Referrer-Policy", "X-Frame-Options", "X-Content-Type-Options", "X-Permitted-Cross-Domain-Policies", "Strict-Transport-Security"}
	got := func(path string) map[string]string {
		h := newVisitor(t, s).open(path).header
		out := map[string]string{}
		for _, name := range names {
			if v := h.Get(name); v != "" {
				out[name] = v
			}
		}
		return out
	}
	const (
		none   = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
		public = "default-src 'none'; style-src 'self'; img-src 'self' https:; media-src 'self' https:; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
	)
	want := func(policy, referrer string) map[string]string {
		return map[string]string{
			"Content-Security-Policy": policy, "Referrer-Policy": referrer, "X-Frame-Options": "DENY",
			"X-Content-Type-Options": "nosniff", "X-Permitted-Cross-Domain-Policies": "none",
		}
	}
	for _, path := range []string{"/api/v1/instance", "/api/nowhere", "/robots.txt", "/pages/style.css"} {
		if diff := cmp.Diff(want(none, "same-origin"), got(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if diff := cmp.Diff(want(public, "same-origin"), got("/")); diff != "" {
		t.Errorf("front (-want +got):\n%s", diff)
	}
	settings(t, s, func(c *config.Settings) {
		c.Look.Security = config.Security{Enabled: true, STS: true, STSMaxAge: 60, ReferrerPolicy: "no-referrer", ReportURI: "https://reports.example/x"}
	})
	for path, policy := range map[string]string{"/api/v1/instance": none, "/": public} {
		w := want(policy+"; report-uri https://reports.example/x", "no-referrer")
		w["Strict-Transport-Security"] = "max-age=60; includeSubDomains"
		if diff := cmp.Diff(w, got(path)); diff != "" {
			t.Errorf("%s with all on (-want +got):\n%s", path, diff)
		}
	}
	if got := got("/auth/password")["Referrer-Policy"]; got != "same-origin" {
		t.Errorf("a page with a form says %s: browsers would hide its origin", got)
	}
	settings(t, s, func(c *config.Settings) { c.Look.Security.Enabled = false })
	if diff := cmp.Diff(map[string]string{"X-Content-Type-Options": "nosniff"}, got("/api/v1/instance")); diff != "" {
		t.Errorf("with all off (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(got("/")["Content-Security-Policy"], "default-src 'none'") {
		t.Error("pages have no policy of their own")
	}
}

func TestSmallFiles(t *testing.T) {
	s := servertest.Start(t)
	manifest, err := s.Anonymous().Instance.Manifest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&api.Manifest{
		Name: "svc", ShortName: "svc", Description: "A microblog among friends of other microblogs",
		Icons:      []map[string]any{{"src": "/favicon.png", "type": "image/png", "sizes": "192x192"}},
		ThemeColor: "#282c37", BackgroundColor: "#191b22", Display: "standalone", Scope: s.Base() + "/", StartURL: s.Base() + "/", Categories: []string{"social"},
	}, manifest); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	v := newVisitor(t, s)
	for path, kind := range map[string]string{"/favicon.png": "image/png", "/favicon.ico": "image/png", "/robots.txt": "text/plain; charset=utf-8", "/pages/style.css": "text/css; charset=utf-8"} {
		if got := v.open(path); got.status != 200 || got.header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %s", path, got.status, got.header.Get("Content-Type"))
		}
	}
	if got := v.open("/robots.txt").text; strings.Contains(got, "Disallow: /\n") || !strings.Contains(got, "Disallow: /api/\n") {
		t.Errorf("robots: %s", got)
	}
	settings(t, s, func(c *config.Settings) { c.Instance.Public = false })
	if got := v.open("/robots.txt").text; got != "User-agent: *\nDisallow: /\n" {
		t.Errorf("robots of a private instance: %s", got)
	}
	style := regexp.MustCompile(`rel="stylesheet" href="([^"]+)"`).FindStringSubmatch(v.open("/").text)
	if got := v.open(style[1]); got.status != 200 || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d %s", style[1], got.status, got.header.Get("Cache-Control"))
	}
}

func TestPreviewsShowNoMoreThanTheSettingsAllow(t *testing.T) {
	s := servertest.Start(t)
	write(t, s, "alice", api.NewStatus{Status: "x"})
	warned := write(t, s, "alice", api.NewStatus{Status: "the murderer", SpoilerText: "The last chapter"})
	plain := write(t, s, "alice", api.NewStatus{Status: `<b>"quoted" & 'more'`})
	v := newVisitor(t, s)
	meta := func(path string) map[string]string {
		out := map[string]string{}
		for _, m := range regexp.MustCompile(`<meta (?:name|property)="([^"]+)" content="([^"]*)">`).FindAllStringSubmatch(v.open(path).text, -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	got := meta("/notice/" + warned.ID)
	if got["og:description"] != "The last chapter" || strings.Contains(fmt.Sprint(got), "murderer") {
		t.Errorf("warned: %q", got)
	}
	got = meta("/notice/" + plain.ID)
	if got["og:description"] != "&lt;b&gt;&#34;quoted&#34; &amp; &#39;more&#39;" || got["og:url"] != plain.URL || got["twitter:card"] != "summary" || got["robots"] != "noindex" {
		t.Errorf("plain: %q", got)
	}
	settings(t, s, func(c *config.Settings) { c.Look.Metadata.Providers = []string{config.TwitterCard} })
	page := v.open("/notice/" + plain.ID).text
	if strings.Contains(page, "og:") || !strings.Contains(page, "twitter:title") || strings.Contains(page, "application/atom+xml") {
		t.Errorf("with one provider:\n%s", page)
	}
}
