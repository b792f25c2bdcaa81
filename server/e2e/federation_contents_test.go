package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// attacks are texts that do something in a page that shows them as they are.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`<a href="javascript:alert(1)" onclick="alert(2)">x</a>`,
	`<a href="JaVa&#9;ScRiPt:alert(1)">x</a>`,
	`<a href="data:text/html,<script>alert(1)</script>">x</a>`,
	`<p style="background:url(javascript:alert(1))" onmouseover="alert(1)">x</p>`,
	`<svg><script>alert(1)</script></svg>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
	`<iframe src="https://example.org"></iframe><object data="x"></object><embed src="x">`,
	`<form action="https://example.org"><input name="password"></form>`,
	`<base href="https://example.org/"><meta http-equiv="refresh" content="0">`,
	`</div></article><script>alert(1)</script>`,
	`<p class="modal settings">x</p>`,
	`"><script>alert(1)</script>`,
	"<scr\x00ipt>alert(1)</scr\x00ipt>",
}

// running is the part of some HTML that a browser would run or load, "" for
// none: elements and attributes that run, and addresses that are no links.
func running(text string) string {
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if strings.Contains(" script img svg math iframe object embed form input style base meta link ", " "+token.Data+" ") {
				return token.String()
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "class" && strings.Contains(a.Val, "modal") ||
					(a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "/") {
					return token.String()
				}
			}
		}
	}
}

// TestNothingThatOthersWriteRuns sends attacks in every place of posts and
// profiles.
func TestNothingThatOthersWriteRuns(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.mallory)
		all := strings.Join(attacks, "\n")
		note := v.mallory.Note(all).With("summary", all).With("name", all).With("url", "javascript:alert(1)").With("source", peer.Doc{"content": all, "mediaType": "text/html"}).
			With("tag", []any{
				peer.Doc{"type": "Hashtag", "name": "#<script>alert(1)</script>", "href": "javascript:alert(1)"},
				peer.Doc{"type": "Mention", "name": `@"><script>alert(1)</script>`, "href": v.bob.actor},
				peer.Doc{"type": "Emoji", "name": `:"><script>:`, "icon": peer.Doc{"type": "Image", "url": "javascript:alert(1)"}},
				peer.Doc{"type": "Emoji", "name": ":ok:", "icon": peer.Doc{"type": "Image", "url": `https://example.org/"onerror="alert(1)`}},
			}).
			With("attachment", []any{
				peer.Doc{"type": "Document", "mediaType": "image/png", "url": "javascript:alert(1)", "name": all},
				peer.Doc{"type": "Document", "mediaType": `image/png"><script>`, "url": v.evil.URL("/a.png"), "name": all, "blurhash": `"><script>alert(1)</script>`},
			})
		v.evil.Publish(note)
		v.send(v.mallory, v.mallory.Create(note))
		poll := v.mallory.Question(all, time.Now().Add(time.Hour), false, attacks[0], attacks[1])
		v.send(v.mallory, v.mallory.Create(poll))
		v.mallory.Edit(func(d peer.Doc) {
			d["name"], d["summary"], d["url"] = "Mallory "+all, all, "javascript:alert(1)"
			d["attachment"] = []any{peer.Doc{"type": "PropertyValue", "name": all, "value": all}}
			d["icon"] = peer.Doc{"type": "Image", "url": "javascript:alert(1)"}
			d["image"] = peer.Doc{"type": "Image", "url": `https://example.org/"><script>alert(1)</script>`}
		})
		v.send(v.mallory, v.mallory.Update(v.mallory.Doc()))
		v.settle(v.mallory)
		safe := func(what, text string) {
			v.Helper()
			if bad := running(text); bad != "" {
				v.Errorf("%s holds %s: %s", what, bad, text)
			}
		}
		link := func(what, url string) {
			v.Helper()
			if url != "" && !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") || strings.ContainsAny(url, `"<>`) {
				v.Errorf("%s is %s", what, url)
			}
		}
		for _, id := range []string{note.Text("id"), poll.Text("id")} {
			st := v.known(id)
			if st == nil {
				v.Errorf("%s was not taken", id)
				continue
			}
			safe("the text", st.Content)
			link("the address", st.URL)
			for _, a := range st.MediaAttachments {
				link("a file", a.URL)
				if a.RemoteURL != nil {
					link("a file there", *a.RemoteURL)
				}
			}
			for _, e := range st.Emojis {
				link("an emoji", e.URL)
				if strings.ContainsAny(e.Shortcode, `"<>`) {
					v.Errorf("an emoji is called %s", e.Shortcode)
				}
			}
			for _, tag := range st.Tags {
				link("a tag", tag.URL)
			}
			// Our own pages show it, too.
			here := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			resp, err := here.Get(v.url("/notice/" + st.ID))
			must(v.T, err)
			page, err := io.ReadAll(resp.Body)
			must(v.T, err)
			_ = resp.Body.Close()
			_, main, _ := strings.Cut(string(page), "<main")
			for _, part := range strings.SplitAfter(main, ">") {
				if bad := running(part); bad != "" && !strings.HasPrefix(bad, "<img") && !strings.HasPrefix(bad, "<form") {
					v.Errorf("the page of %s holds %s", id, bad)
				}
			}
			if resp.StatusCode == 200 && resp.Header.Get("Content-Security-Policy") == "" {
				v.Error("the page has no policy")
			}
		}
		a := v.account(v.mallory)
		safe("the note of the account", a.Note)
		link("the account", a.URL)
		link("the avatar", a.Avatar)
		link("the header", a.Header)
		for _, f := range a.Fields {
			safe("a field", f.Value)
		}
	})
}

// TestLogsSayOnlyWhatWeSay sends names with line breaks, which must not begin
// lines of the log.
func TestLogsSayOnlyWhatWeSay(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		forged := "\ntime=2026-01-01T00:00:00Z level=ERROR msg=\"forged by a peer\"\n"
		for _, d := range []peer.Doc{
			v.mallory.Follow(v.bob.actor).With("id", v.evil.URL("/x"+forged)),
			v.mallory.Follow(v.bob.actor).With("type", "Follow"+forged),
			v.mallory.Follow(v.bob.actor).With("object", v.vera.ID+forged),
			v.mallory.Follow(v.bob.actor).With("actor", v.vera.ID+forged),
			v.mallory.Create(v.mallory.Note(forged).With("id", v.good.URL("/y"+forged))),
			v.mallory.Create(v.mallory.Note("x").With("attributedTo", v.vera.ID+forged)),
		} {
			_ = v.mallory.Send(v.shared(), d)
		}
		_ = v.mallory.Send(v.shared(), v.mallory.Follow(v.bob.actor), header("Signature", `keyId="x\r\n`+strings.TrimSpace(forged)+`"`))
		v.evil.Serve("/odd", peer.Page{Type: "text/html" + strings.TrimSpace(forged[:20])})
		v.looksUp(v.evil.URL("/odd"))
		v.settle(v.mallory)
		for line := range strings.Lines(v.home.Log.String()) {
			if strings.HasPrefix(line, "time=2026-01-01T00:00:00Z") || len(line) > 4096 {
				v.Errorf("a line of the log: %.300s", line)
			}
		}
	})
}

// TestOthersAreAskedOnlyForThoseSignedIn searches without a token (the lookup
// oracle), and without asking to resolve.
func TestOthersAreAskedOnlyForThoseSignedIn(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		note := v.mallory.Note("<p>look</p>")
		v.evil.Publish(note)
		for _, q := range []string{note.Text("id"), v.mallory.ID, v.mallory.Handle(), "@" + v.mallory.Handle()} {
			for _, ask := range []func() (*api.Found, error){
				func() (*api.Found, error) {
					return v.anonymous().Search.Find(v.ctx(), api.SearchQuery{Q: q, Resolve: true})
				},
				func() (*api.Found, error) { return v.bob.Search.Find(v.ctx(), api.SearchQuery{Q: q}) },
			} {
				if got, err := ask(); err == nil && len(got.Accounts)+len(got.Statuses) > 0 {
					v.Errorf("%s is found", q)
				}
			}
			_, _ = v.anonymous().Accounts.Search(v.ctx(), api.AccountSearchQuery{Q: q, Resolve: true})
			_, _ = v.anonymous().Instance.WebFinger(v.ctx(), q)
		}
		if all := v.evil.Requests(); len(all) != 0 {
			v.Errorf("they are asked for %s", all[0].URI)
		}
		if n := v.looksUp(note.Text("id")); n != 1 {
			v.Errorf("bob finds %d", n)
		}
	})
}

// TestNamesAreOfWhoAnswersForThem: mallory's server claims names of vera's
// (split domains), and has actors with names that no WebFinger confirms.
func TestNamesAreOfWhoAnswersForThem(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		claim := func(nick, subject, href string) *peer.Actor {
			a := v.evil.ActorAt("/people/"+nick, nick)
			if href == "" {
				href = a.ID
			}
			page := peer.Page{Type: "application/jrd+json", Body: peer.Doc{"subject": subject, "links": []peer.Doc{{"rel": "self", "type": peer.ActivityJSON, "href": href}}}.JSON()}
			for _, resource := range []string{"acct%3A" + nick + "%40" + strings.ReplaceAll(v.evil.Host(), ":", "%3A"), "acct:" + nick + "@" + v.evil.Host()} {
				v.evil.Serve("/.well-known/webfinger?resource="+resource, page)
			}
			return a
		}
		// A name at vera's server, which knows nothing of it.
		one := claim("one", "acct:vera@"+v.good.Host(), "")
		two := claim("two", "acct:two@"+v.good.Host(), "")
		three := claim("three", "acct:three@"+v.evil.Host(), v.vera.ID)
		four := claim("four", "acct:four@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["webfinger"] = "vera@" + v.good.Host() })
		five := claim("five", "acct:five@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["preferredUsername"] = "vera@" + v.good.Host() })
		six := claim("six", "acct:six@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["preferredUsername"] = "../../six" })
		seven := claim("seven", "acct:seven@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["inbox"] = v.vera.ID + "/inbox" })
		eight := claim("eight", "acct:eight@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["id"] = v.vera.ID })
		nine := claim("nine", "acct:nine@"+v.evil.Host(), "").Edit(func(d peer.Doc) { d["id"] = v.bob.actor })
		for _, a := range []*peer.Actor{one, two, three, four, five, six, seven, eight, nine} {
			for _, q := range []string{a.ID, "@" + a.Nickname + "@" + v.evil.Host()} {
				found := good(v.bob.Search.Find(v.ctx(), api.SearchQuery{Q: q, Resolve: true}))(v)
				for _, got := range found.Accounts {
					if *got.Svc.APID == a.ID || strings.HasSuffix(got.Acct, "@"+v.good.Host()) && *got.Svc.APID != v.vera.ID {
						v.Errorf("%s leads to %s, %s", q, got.Acct, *got.Svc.APID)
					}
				}
			}
		}
		if got := v.home.Find(v, v.bob.Client, "@"+v.vera.Handle()); *got.Svc.APID != v.vera.ID {
			v.Errorf("vera is %s", *got.Svc.APID)
		}
	})
}

// TestNobodyIsAskedAtAddressesOfOurs looks up addresses of this machine, of
// private networks and of cloud services, which is not permitted.
func TestNobodyIsAskedAtAddressesOfOurs(t *testing.T) {
	t.Parallel()
	s := servertest.Booted(t, "sqlite:"+t.TempDir()+"/svc.db", func(c *config.Config) { c.FederationInsecure = false })
	logsOf(t, s)
	trap := peer.Start(t, "127.0.0.3")
	bob := s.Client("bob")
	_, port, _ := strings.Cut(trap.Host(), ":")
	for _, host := range []string{trap.Host(), "localhost:" + port, "127.0.0.3", "0.0.0.0:" + port, "[::1]:" + port, "[::ffff:127.0.0.3]:" + port, "169.254.169.254", "10.0.0.1",
		"2130706435:" + port, "0x7f000003:" + port, "127.3:" + port, "localhost.:" + port, "metadata.google.internal"} {
		for _, q := range []string{"http://" + host + "/users/vera", "https://" + host + "/users/vera", "@vera@" + host, "acct:vera@" + host} {
			found, err := bob.Search.Find(t.Context(), api.SearchQuery{Q: q, Resolve: true})
			if err != nil && client.Status(err)/100 != 4 {
				t.Errorf("%s: %v", q, err)
			} else if err == nil && len(found.Accounts)+len(found.Statuses) > 0 {
				t.Errorf("%s is found", q)
			}
		}
	}
	// Nor because somebody says their key is there.
	vera := trap.Actor("vera")
	if got := vera.Send(s.Base()+"/inbox", vera.Follow(s.Actor("bob"))); got.Status/100 != 4 {
		t.Errorf("a key at %s: %d", vera.KeyID(), got.Status)
	}
	if all := trap.Requests(); len(all) != 0 {
		t.Errorf("%s was asked for %s", all[0].Host, all[0].URI)
	}
}
