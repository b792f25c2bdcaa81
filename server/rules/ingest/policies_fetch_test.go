package ingest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

const picture = "\x89PNG\r\n\x1a\n and some bytes"

// TestPoliciesFetchWhatPostsShow: emoji of listed hosts are copied to this
// server, and the media proxy fetches files before the first view.
func TestPoliciesFetchWhatPostsShow(t *testing.T) {
	t.Parallel()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.AtHost(t, dsn, "127.0.0.1", func(c *config.Settings) {
			c.MediaProxy.Enabled = true
		})
		set := func(key string, pairs ...any) {
			if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", key, client.Keyword(pairs...)); err != nil {
				t.Fatal(err)
			}
		}
		const module = "Svc.Web.ActivityPub.MRF."
		set(":mrf", ":policies", []string{module + "StealEmojiPolicy", module + "MediaProxyWarmingPolicy"})
		set(":mrf_steal_emoji", ":hosts", []string{"127.0.0.3"}, ":rejected_shortcodes", []string{"~r/^bad/"}, ":size_limit", 100)
		near, far := peer.Start(t, "127.0.0.3"), peer.Start(t, "127.0.0.4")
		ann := s.User("ann")
		for _, p := range []*peer.Peer{far, near} {
			p.Serve("/photo.png", peer.Page{Type: "image/png", Body: []byte(picture)})
			p.Serve("/good.png", peer.Page{Type: "image/png", Body: []byte(picture)})
			p.Serve("/large.png", peer.Page{Type: "image/png", Body: []byte(picture + strings.Repeat("x", 100))})
			p.Serve("/script.png", peer.Page{Type: "image/png", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`)})
			eve := p.Actor("eve")
			note := eve.Note("<p>:good: :large: :script: :bad1:</p>").Mentioning(ann.URI, "ann")
			tags, _ := note["tag"].([]any)
			for code, path := range map[string]string{"good": "/good.png", "large": "/large.png", "script": "/script.png", "bad1": "/good.png"} {
				if p == far {
					code += "_far"
				}
				tags = append(tags, peer.Doc{"type": "Emoji", "name": ":" + code + ":", "icon": peer.Doc{"type": "Image", "url": p.URL(path)}})
			}
			note["tag"], note["to"] = tags, []string{peer.Public, ann.URI}
			note["attachment"] = []any{peer.Doc{"type": "Image", "mediaType": "image/png", "url": p.URL("/photo.png")}}
			if a := eve.Send(s.Base()+"/inbox", eve.Create(note)); a.Status != http.StatusAccepted {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
		}
		codes := func() []string {
			all, err := s.Client("ann").Emojis.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, e := range all {
				out = append(out, e.Shortcode)
			}
			slices.Sort(out)
			return out
		}
		servertest.Eventually(t, "the emoji is ours", func() bool { return len(codes()) > 0 })
		servertest.Eventually(t, "all were looked at", func() bool { return near.Fetched("/script.png") > 0 && near.Fetched("/large.png") > 0 })
		if diff := cmp.Diff([]string{"good"}, codes()); diff != "" {
			t.Errorf("emoji (-want +got):\n%s", diff)
		}
		for _, p := range []*peer.Peer{near, far} {
			servertest.Eventually(t, "the file is fetched before somebody asks", func() bool { return p.Fetched("/photo.png") == 1 })
		}
		if n := far.Fetched("/good.png") + far.Fetched("/large.png"); n != 0 {
			t.Errorf("a host that is not listed was asked for %d emoji", n)
		}
	})
}

// TestADomainBlockHidesAllButFollowedAccounts: a domain block takes effect
// here, and nothing about it is sent.
func TestADomainBlockHidesAllButFollowedAccounts(t *testing.T) {
	t.Parallel()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.AtHost(t, dsn, "127.0.0.1")
		p := peer.Start(t, "127.0.0.3")
		ann, client := s.User("ann"), s.Client("ann")
		friend, stranger := p.Actor("friend"), p.Actor("stranger")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := client.Accounts.Follow(t.Context(), s.Find(t, client, friend.Handle()).ID, api.Follow{})
		must(err)
		servertest.Eventually(t, "the follow comes", func() bool { return len(p.Received("Follow")) == 1 })
		if a := friend.Send(s.Base()+"/inbox", friend.Accept(p.Received("Follow")[0])); a.Status != http.StatusAccepted {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		before := len(p.Posts())
		must(client.DomainBlocks.Block(t.Context(), p.Host()))
		said := map[string]bool{}
		for _, who := range []*peer.Actor{stranger, friend} {
			note := who.Note("<p>hello @ann</p>").Mentioning(ann.URI, "ann")
			note["to"] = []string{peer.Public, ann.URI}
			p.Publish(note)
			if a := who.Send(s.Base()+"/inbox", who.Create(note)); a.Status != http.StatusAccepted {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			id := note.Text("id")
			servertest.Eventually(t, "the post is kept", func() bool {
				_, err := s.DB.StatusByURI(t.Context(), id)
				return err == nil
			})
			said[id] = who == friend
		}
		news, err := client.Notifications.List(api.NotificationQuery{}).Page(t.Context())
		must(err)
		var told []string
		for _, n := range news.Items {
			if n.Type == "mention" {
				told = append(told, n.Account.Acct)
			}
		}
		if diff := cmp.Diff([]string{friend.Handle()}, told); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
		all, err := client.Timelines.Public(api.TimelineQuery{}).Page(t.Context())
		must(err)
		for _, status := range all.Items {
			if !said[status.URI] {
				t.Errorf("%s is shown", status.URI)
			}
		}
		if n := len(p.Posts()); n != before {
			t.Errorf("the block was told: %d activities, %d before", n, before)
		}
	})
}
