package remote_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/servertest/peer"
)

func TestAHandleLeadsToAnAccount(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("Bob")
		for _, handle := range []string{bob.Handle(), "@" + bob.Handle(), "BOB@" + w.peer.Host()} {
			a, err := w.Handle(w.ctx(), handle)
			if err != nil || a.URI != bob.ID || a.Nickname != bob.Handle() {
				w.Errorf("%s: %v, %v", handle, a, err)
			}
		}
		if n := w.peer.Fetched("/.well-known/webfinger"); n != 1 {
			w.Errorf("WebFinger was asked %d times", n)
		}
		for _, handle := range []string{"nobody@" + w.peer.Host(), "bob@127.0.0.9:1", "a b@" + w.peer.Host(), "bob@", "nobody"} {
			if a, err := w.Handle(w.ctx(), handle); err == nil {
				w.Errorf("%s: %s", handle, a.URI)
			}
		}
		ann := w.local("ann")
		for _, handle := range []string{"ann", "@ann", "ann@" + strings.TrimPrefix(w.base, "http://")} {
			if a, err := w.Handle(w.ctx(), handle); err != nil || a.ID != ann.ID {
				w.Errorf("%s: %v", handle, err)
			}
		}
	})
}

func TestAnActorFirstMetByAddressIsConfirmedByWebFinger(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		if a, err := w.Actor(w.ctx(), bob.ID); err != nil || a.Nickname != bob.Handle() {
			w.Errorf("%v, %v", a, err)
		}
		// Nobody knows a handle of these.
		for name, edit := range map[string]func(a *peer.Actor){
			"WebFinger does not know him":     func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["preferredUsername"] = "nobody" }) },
			"WebFinger knows somebody else":   func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["preferredUsername"] = "bob" }) },
			"it says it is one of ours":       func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["webfinger"] = "ann@" + w.base[len("http://"):] }) },
			"he says he is somebody's handle": func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["webfinger"] = bob.Handle() }) },
			"he has no name":                  func(a *peer.Actor) { a.Edit(func(d peer.Doc) { delete(d, "preferredUsername") }) },
			"his name is none":                func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["preferredUsername"] = "a/b@c" }) },
			"its inbox is elsewhere":          func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["inbox"] = "http://127.0.0.9/inbox" }) },
			"he is a post":                    func(a *peer.Actor) { a.Edit(func(d peer.Doc) { d["type"] = "Note" }) },
		} {
			a := w.peer.ActorAt("/users/"+strings.ReplaceAll(name, " ", "-"), strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), "'", ""))
			edit(a)
			if got, err := w.Actor(w.ctx(), a.ID); !errors.Is(err, remote.ErrRefused) && !errors.Is(err, remote.ErrNotFound) {
				w.Errorf("%s: %v, %v", name, got, err)
			}
		}
	})
}

func TestHandlesOfAnotherHostThanTheActors(t *testing.T) {
	each(t, func(w *world) {
		vanity := peer.Start(w.T, "127.0.0.3")
		finger := func(p *peer.Peer, subject, self string) peer.Page {
			return peer.Page{Type: "application/jrd+json", Body: peer.Doc{
				"subject": "acct:" + subject, "links": []peer.Doc{{"rel": "self", "type": "application/activity+json", "href": self}},
			}.JSON()}
		}
		ask := func(nick, host string) string {
			return "/.well-known/webfinger?resource=acct%3A" + nick + "%40" + strings.ReplaceAll(host, ":", "%3A")
		}
		// Both hosts agree, and the document says nothing.
		bob := w.peer.Actor("bob")
		both := finger(w.peer, "bob@"+vanity.Host(), bob.ID)
		w.peer.Serve(ask("bob", w.peer.Host()), both)
		vanity.Serve(ask("bob", vanity.Host()), both)
		for _, find := range []func() (*db.Account, error){
			func() (*db.Account, error) { return w.Handle(w.ctx(), "bob@"+vanity.Host()) },
			func() (*db.Account, error) { return w.Actor(w.ctx(), bob.ID) },
		} {
			if a, err := find(); err != nil || a.Nickname != "bob@"+vanity.Host() || a.Domain != w.peer.Host() {
				w.Errorf("both agree: %v, %v", a, err)
			}
		}
		// The document says so.
		cat := w.peer.Actor("cat").Edit(func(d peer.Doc) { d["webfinger"] = "kitty@" + vanity.Host() })
		vanity.Serve(ask("kitty", vanity.Host()), finger(vanity, "kitty@"+vanity.Host(), cat.ID))
		if a, err := w.Actor(w.ctx(), cat.ID); err != nil || a.Nickname != "kitty@"+vanity.Host() {
			w.Errorf("his document says so: %v, %v", a, err)
		}
		// The host claims a handle that its own host gives to another.
		eve := w.peer.Actor("eve")
		w.peer.Serve(ask("eve", w.peer.Host()), finger(w.peer, "mal@"+vanity.Host(), eve.ID))
		vanity.Actor("mal")
		if a, err := w.Actor(w.ctx(), eve.ID); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("claimed: %v, %v", a, err)
		}
		// A host claims another's actor for its handle.
		dan := w.peer.Actor("dan")
		vanity.Serve(ask("fake", vanity.Host()), finger(vanity, "fake@"+vanity.Host(), dan.ID))
		if a, err := w.Handle(w.ctx(), "fake@"+vanity.Host()); err == nil && a.Nickname != dan.Handle() {
			w.Errorf("claimed for a handle: %v", a.Nickname)
		}
	})
}

func TestHostMetaLeadsToWebFinger(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		w.peer.Serve("/.well-known/webfinger", peer.Page{Status: http.StatusNotFound})
		w.peer.Serve("/finger", peer.Page{Type: "application/jrd+json; charset=utf-8", Body: peer.Doc{
			"subject": "acct:" + bob.Handle(), "links": []peer.Doc{{"rel": "self", "type": `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`, "href": bob.ID}},
		}.JSON()})
		meta := func(text string) {
			w.peer.Serve("/.well-known/host-meta", peer.Page{Type: "application/xrd+xml", Body: []byte(text)})
			w.advance(time.Hour)
		}
		link := `<Link rel="lrdd" template="` + w.peer.URL("/finger?q={uri}") + `"/>`
		for name, text := range map[string]string{
			"nothing":      `<XRD/>`,
			"broken":       `<XRD>` + link,
			"declarations": `<!DOCTYPE XRD [<!ENTITY a "b">]><XRD>` + link + `</XRD>`,
			"no address":   `<XRD><Link rel="lrdd" template="file:///etc/{uri}"/></XRD>`,
		} {
			meta(text)
			if name == "broken" {
				continue // the part before the error counts
			}
			if _, err := w.Handle(w.ctx(), bob.Handle()); err == nil {
				w.Errorf("%s: found", name)
			}
		}
		meta(`<?xml version="1.0"?><XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">` + link + `</XRD>`)
		if _, err := w.Handle(w.ctx(), bob.Handle()); err != nil {
			w.Error(err)
		}
	})
}

func TestAnActorsProfileIsCutAndCleaned(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		fields := []any{
			peer.Doc{"type": "PropertyValue", "name": "Site", "value": `<a href="https://bob.example" rel="me" onclick="x()">bob</a><script>x()</script>`},
			peer.Doc{"type": "Image", "url": "https://p.example/1.png"},
			peer.Doc{"type": "PropertyValue", "name": "Map<K, V> &amp;", "value": "a<b & <c"},
		}
		for range 30 {
			fields = append(fields, peer.Doc{"type": "PropertyValue", "name": strings.Repeat("n", 600), "value": strings.Repeat("v", 3000)})
		}
		bob.Edit(func(d peer.Doc) {
			d["name"] = strings.Repeat("ä", 200)
			d["summary"] = `<p>Hi <script>x()</script><b>you</b></p>` + strings.Repeat("x", 6000)
			d["attachment"] = fields
			d["icon"] = []any{peer.Doc{"type": "Image", "url": "https://p.example/a.png", "mediaType": "image/png"}}
			d["image"] = peer.Doc{"type": "Image", "url": []any{peer.Doc{"type": "Link", "href": "javascript:x()"}}}
			d["tag"] = []any{
				peer.Doc{"type": "Emoji", "name": ":cat:", "icon": peer.Doc{"type": "Image", "url": "https://p.example/cat.png"}},
				peer.Doc{"type": "Emoji", "name": ":a b:", "icon": peer.Doc{"type": "Image", "url": "https://p.example/cat.png"}},
				peer.Doc{"type": "Hashtag", "name": "#cat"},
			}
			d["manuallyApprovesFollowers"], d["capabilities"] = true, peer.Doc{"acceptsChatMessages": false}
			d["alsoKnownAs"], d["movedTo"] = "https://old.example/users/bob", "https://new.example/users/bob"
			d["url"] = []any{peer.Doc{"type": "Link", "mediaType": "text/html", "href": w.peer.URL("/@bob")}}
			d["outbox"], d["endpoints"] = "https://evil.example/outbox", peer.Doc{"sharedInbox": "https://evil.example/inbox"}
			d["type"], d["invisible"], d["indexable"] = "Group", true, false
		})
		a, err := w.Actor(w.ctx(), bob.ID)
		if err != nil {
			w.Fatal(err)
		}
		if len(a.Fields) != 20 || len(a.Fields[2].Name) != 512 || len(a.FieldsHTML[2].Value) != 2048 {
			w.Errorf("%d fields", len(a.Fields))
		}
		if len([]rune(a.DisplayName)) != 100 || len(a.Note) != 5000 || !strings.HasPrefix(a.NoteHTML, "<p>Hi <b>you</b></p>") && !strings.HasPrefix(a.NoteHTML, "<p>Hi <strong>you</strong></p>") {
			w.Errorf("name %d, note %d, %.60s", len([]rune(a.DisplayName)), len(a.Note), a.NoteHTML)
		}
		if html := a.FieldsHTML[0].Value; strings.Contains(html, "script") || strings.Contains(html, "onclick") || !strings.Contains(html, `href="https://bob.example"`) {
			w.Errorf("field %s", html)
		}
		if name, html := a.Fields[1].Name, a.FieldsHTML[1].Value; name != "Map<K, V> &amp;" || html != "a&lt;b &amp; &lt;c" {
			w.Errorf("plain text is %q: %s", name, html)
		}
		no := false
		got := &db.Account{
			URI: a.URI, URL: a.URL, Nickname: a.Nickname, NickKey: a.NickKey, Domain: a.Domain, ActorType: a.ActorType, Emojis: a.Emojis,
			Avatar: a.Avatar, Header: a.Header, Inbox: a.Inbox, SharedInbox: a.SharedInbox, Outbox: a.Outbox, FollowersURI: a.FollowersURI,
			KeyID: a.KeyID, AlsoKnownAs: a.AlsoKnownAs, MovedTo: a.MovedTo, Locked: a.Locked, Discoverable: a.Discoverable, Unindexed: a.Unindexed, Invisible: a.Invisible,
			AcceptsChatMessages: a.AcceptsChatMessages, Local: a.Local,
		}
		want := &db.Account{
			URI: bob.ID, URL: w.peer.URL("/@bob"), Nickname: bob.Handle(), NickKey: bob.Handle(), Domain: w.peer.Host(), ActorType: "Group",
			Emojis: []db.Emoji{{Shortcode: "cat", URL: "https://p.example/cat.png", StaticURL: "https://p.example/cat.png"}},
			Avatar: "https://p.example/a.png", Inbox: bob.Inbox(), FollowersURI: bob.Followers(), KeyID: bob.KeyID(),
			AlsoKnownAs: []string{"https://old.example/users/bob"}, MovedTo: "https://new.example/users/bob", Locked: true, Discoverable: true, Unindexed: true,
			AcceptsChatMessages: &no,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.Error(diff)
		}
		if stored := w.row(bob.ID); stored.DisplayName != a.DisplayName || stored.ID != a.ID {
			w.Errorf("stored %v", stored)
		}
	})
}

func TestPoliciesJudgeActors(t *testing.T) {
	each(t, func(w *world) {
		picture := peer.Doc{"type": "Image", "url": "https://p.example/a.png"}
		bob := w.peer.Actor("bob").Edit(func(d peer.Doc) { d["icon"], d["image"] = picture, picture })
		simple := func(edit func(*config.SimplePolicy)) {
			w.set(func(s *config.Settings) {
				s.Policies.Chain = []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"}
				s.Policies.Simple = config.SimplePolicy{}
				edit(&s.Policies.Simple)
			})
		}
		simple(func(s *config.SimplePolicy) {
			s.AvatarRemoval, s.BannerRemoval = []string{w.peer.Host()}, []string{w.peer.Host()}
		})
		a, err := w.Actor(w.ctx(), bob.ID)
		if err != nil || a.Avatar != "" || a.Header != "" {
			w.Errorf("pictures: %v, %v", a, err)
		}
		eve := w.peer.Actor("eve")
		simple(func(s *config.SimplePolicy) { s.Reject = []string{w.peer.Host()} })
		w.Settle()
		before := len(w.peer.Requests())
		if _, err := w.Actor(w.ctx(), eve.ID); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("rejected: %v", err)
		}
		if _, err := w.Handle(w.ctx(), eve.Handle()); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("rejected by handle: %v", err)
		}
		if _, err := w.Post(w.ctx(), w.local("ann").ID, eve.Inbox(), []byte("{}")); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("delivered: %v", err)
		}
		if n := len(w.peer.Requests()) - before; n != 0 {
			w.Errorf("asked %d times", n)
		}
		simple(func(s *config.SimplePolicy) { s.Accept = []string{"127.0.0.2"} })
		if _, err := w.Actor(w.ctx(), eve.ID); err != nil {
			w.Errorf("accepted: %v", err)
		}
		simple(func(s *config.SimplePolicy) { s.Accept = []string{"other.example"} })
		if !w.Blocked(w.peer.Host()) {
			w.Error("not accepted, not blocked")
		}
	})
}

func TestAnOldAccountIsAskedForAgainBehindThePage(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		if _, err := w.Actor(w.ctx(), bob.ID); err != nil {
			w.Fatal(err)
		}
		w.Settle()
		bob.Edit(func(d peer.Doc) { d["name"] = "Robert" })
		w.advance(7 * time.Hour)
		a, err := w.Actor(w.ctx(), bob.ID)
		if err != nil || a.DisplayName != "bob of the peer" {
			w.Errorf("at once: %v, %v", a, err)
		}
		w.Settle()
		if a, err = w.Actor(w.ctx(), bob.ID); err != nil || a.DisplayName != "Robert" {
			w.Errorf("then: %v, %v", a, err)
		}
		// One whose server is down is not asked for with each page.
		w.peer.Stop()
		w.advance(7 * time.Hour)
		for range 3 {
			if _, err := w.Actor(w.ctx(), bob.ID); err != nil {
				w.Error(err)
			}
			w.Settle()
		}
	})
}

func TestCountsAndSoftwareAreAskedForBehind(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		w.peer.Serve("/users/bob/followers", peer.Page{Body: peer.Doc{"id": bob.ID + "/followers", "type": "OrderedCollection", "totalItems": 7, "first": bob.ID + "/followers?page=1"}.JSON()})
		w.peer.Serve("/users/bob/followers?page=1", peer.Page{Body: peer.Doc{"id": bob.ID + "/followers?page=1", "type": "OrderedCollectionPage"}.JSON()})
		w.peer.Serve("/users/bob/following", peer.Page{Body: peer.Doc{"id": bob.ID + "/following", "type": "OrderedCollection", "totalItems": 3, "first": bob.ID + "/following?page=1"}.JSON()})
		w.peer.Serve("/users/bob/following?page=1", peer.Page{Status: http.StatusForbidden})
		w.peer.Serve("/users/bob/outbox", peer.Page{Body: peer.Doc{"id": bob.ID + "/outbox", "type": "OrderedCollection", "totalItems": 9, "first": bob.ID + "/outbox?page=1"}.JSON()})
		w.peer.Serve("/.well-known/nodeinfo", peer.Page{Type: "application/json", Body: peer.Doc{"links": []peer.Doc{
			{"rel": "http://nodeinfo.diaspora.software/ns/schema/2.0", "href": w.peer.URL("/nodeinfo/2.0")},
		}}.JSON()})
		w.peer.Serve("/nodeinfo/2.0", peer.Page{Type: `application/json; profile="http://nodeinfo.diaspora.software/ns/schema/2.0#"`,
			Body: peer.Doc{"software": peer.Doc{"name": "peer", "version": "1.2"}}.JSON()})
		w.peer.Serve("/", peer.Page{Type: "text/html; charset=utf-8", Body: []byte(`<html><head><link rel="Icon" href="/icon.png"></head></html>`)})
		w.set(func(s *config.Settings) { s.InstancesFavicons = true })
		if _, err := w.Actor(w.ctx(), bob.ID); err != nil {
			w.Fatal(err)
		}
		w.Settle()
		a := w.row(bob.ID)
		if a.FollowersCount != 7 || a.FollowingCount != 3 || a.StatusesCount != 9 || a.HideFollowers || !a.HideFollows {
			w.Errorf("%d followers (hidden %v), %d followed (hidden %v), %d posts", a.FollowersCount, a.HideFollowers, a.FollowingCount, a.HideFollows, a.StatusesCount)
		}
		i, err := w.d.Instance(w.ctx(), w.peer.Host())
		if err != nil || i.Software != "peer 1.2" || i.Favicon != w.peer.URL("/icon.png") {
			w.Errorf("%+v, %v", i, err)
		}
		if got := w.Favicon(w.peer.Host()); got != w.peer.URL("/icon.png") || w.Favicon("other.example") != "" {
			w.Errorf("icon %s", got)
		}
		w.set(func(s *config.Settings) { s.InstancesFavicons = false })
		if got := w.Favicon(w.peer.Host()); got != "" {
			w.Errorf("shown though it is not to be: %s", got)
		}
		w.set(func(s *config.Settings) { s.Instance.ExternalUserSynchronization = false })
		eve := w.peer.Actor("eve")
		if _, err := w.Actor(w.ctx(), eve.ID); err != nil {
			w.Fatal(err)
		}
		w.Settle()
		if n := w.peer.Fetched("/users/eve/followers"); n != 0 {
			w.Errorf("counts were asked for %d times", n)
		}
	})
}

// TestAPanicBehindAPageEndsNothingElse has a look-up that nobody waits for break
// off: those after it are carried out.
func TestAPanicBehindAPageEndsNothingElse(t *testing.T) {
	each(t, func(w *world) {
		w.Behind(w.Context(), func(context.Context) { panic("a byte too many") })
		w.Settle()
		done := false
		w.Behind(w.Context(), func(context.Context) { done = true })
		w.Settle()
		if !done {
			w.Error("what came after was not done")
		}
	})
}

func TestANewActorTakesOverAHandleOnlyWhereWebFingerSaysSo(t *testing.T) {
	each(t, func(w *world) {
		old := w.peer.Actor("bob")
		was, err := w.Actor(w.ctx(), old.ID)
		if err != nil {
			w.Fatal(err)
		}
		// Another actor of that name, known to WebFinger.
		now := w.peer.ActorAt("/ap/users/1", "bob")
		a, err := w.Actor(w.ctx(), now.ID)
		if err != nil || a.Nickname != now.Handle() || a.ID == was.ID {
			w.Fatalf("%v, %v", a, err)
		}
		if before := w.row(old.ID); before.Nickname != was.ID+"."+old.Handle() {
			w.Errorf("the old one is %s", before.Nickname)
		}
		// And one unknown to it.
		w.peer.Publish(old.Doc().With("id", w.peer.URL("/ap/users/2")).With("inbox", w.peer.URL("/ap/users/2/inbox")))
		if a, err := w.Actor(w.ctx(), w.peer.URL("/ap/users/2")); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("%v, %v", a, err)
		}
		// A rename is confirmed too.
		now.Edit(func(d peer.Doc) { d["preferredUsername"] = "robert" })
		if _, err := w.Refresh(w.ctx(), a); err == nil {
			w.Error("renamed to what WebFinger does not know")
		}
		w.peer.Serve("/.well-known/webfinger", peer.Page{Type: "application/jrd+json", Body: peer.Doc{
			"subject": "acct:robert@" + w.peer.Host(), "links": []peer.Doc{{"rel": "self", "type": "application/activity+json", "href": now.ID}},
		}.JSON()})
		w.advance(time.Hour)
		if b, err := w.Refresh(w.ctx(), a); err != nil || b.Nickname != "robert@"+w.peer.Host() || b.ID != a.ID {
			w.Errorf("%v, %v", b, err)
		}
	})
}

func TestProgramsNeedNoHandle(t *testing.T) {
	each(t, func(w *world) {
		w.peer.Serve("/.well-known/webfinger", peer.Page{Status: http.StatusNotFound})
		w.peer.Serve("/.well-known/host-meta", peer.Page{Status: http.StatusNotFound})
		relay := w.peer.ActorAt("/actor", "relay").Edit(func(d peer.Doc) { d["type"] = "Application" })
		a, err := w.Actor(w.ctx(), relay.ID)
		if err != nil || !strings.HasPrefix(a.Nickname, "relay.") || !strings.HasSuffix(a.Nickname, "@"+w.peer.Host()) {
			w.Errorf("%v, %v", a, err)
		}
		if _, err := w.Actor(w.ctx(), w.peer.Actor("bob").ID); err == nil {
			w.Error("a person without a handle")
		}
	})
}

func TestIdsOfOursAreNeverAskedFor(t *testing.T) {
	each(t, func(w *world) {
		ann := w.local("ann")
		if a, err := w.Actor(w.ctx(), ann.URI); err != nil || a.ID != ann.ID {
			w.Errorf("%v, %v", a, err)
		}
		if _, err := w.Actor(w.ctx(), w.base+"/users/nobody"); !errors.Is(err, db.ErrNotFound) {
			w.Errorf("unknown: %v", err)
		}
		if _, err := w.Fetch(w.ctx(), ann.URI); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("fetched: %v", err)
		}
		doc := activitypub.Object(w.peer.Actor("bob").Doc())
		doc["id"] = ann.URI
		if _, err := w.StoreActor(w.ctx(), doc); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("stored: %v", err)
		}
		w.set(func(s *config.Settings) { s.Instance.Federating = false })
		if _, err := w.Actor(w.ctx(), w.peer.Actor("bob").ID); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("with federation off: %v", err)
		}
	})
}
