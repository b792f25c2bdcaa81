package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestAPeerThatWasDownGetsAllInOrder takes a peer down while bob writes, edits
// and deletes, has it fail in other ways, and back (row 14). Activities about
// one object arrive in order; statuses, of which up to four are sent at once,
// may overtake each other.
func TestAPeerThatWasDownGetsAllInOrder(t *testing.T) {
	among(t, func(v *village) {
		fay := v.good.Actor("fay")
		v.followsBob(fay)
		var want []string
		say := func(text string) {
			v.Helper()
			want = append(want, v.says(v.bob, text).URI)
		}
		arrived := func() []string {
			out := []string{}
			for _, c := range v.good.Received("Create") {
				if id := c.Text("object", "id"); !slices.Contains(out, id) {
					out = append(out, id)
				}
			}
			return out
		}
		v.follows(fay)
		note := v.publishes(fay, fay.Note("<p>hello</p>"))
		favours := func() []string {
			out := []string{}
			for _, a := range v.good.Received("Like", "Undo") {
				out = append(out, a.Text("type"))
			}
			return out
		}
		say("while it is up")
		v.until("the first arrives", func() bool { return len(arrived()) == 1 })
		v.until("its answer arrives too", func() bool {
			depth := good(v.home.DB.DeliveryDepth(v.ctx()))(v)
			return depth.Deliveries+depth.Undistributed == 0
		})
		v.good.Stop()
		for i := range 3 {
			say(fmt.Sprintf("while it is down, %d", i))
			must(v.T, err1(v.bob.Statuses.Favourite(v.ctx(), note.ID)))
			must(v.T, err1(v.bob.Statuses.Unfavourite(v.ctx(), note.ID)))
		}
		v.good.Restart()
		for _, refusal := range []peer.Page{{Status: 503}, {Status: 429, Header: http.Header{"Retry-After": {"60"}}}} {
			refused := new(atomic.Int64)
			v.good.Answer(func(peer.Request) peer.Page { refused.Add(1); return refusal })
			v.until(fmt.Sprintf("it is tried and answers %d", refusal.Status), func() bool {
				v.home.Advance(time.Minute)
				return refused.Load() > 0
			})
		}
		v.good.Accept()
		want = want[1:]
		v.until("all that was missed arrives", func() bool {
			v.home.Advance(time.Minute)
			return len(arrived()) >= len(want) && len(favours()) >= 6
		})
		if got := favours(); !slices.Equal(got, []string{"Like", "Undo", "Like", "Undo", "Like", "Undo"}) {
			v.Errorf("what bob thought of a post came as %v", got)
		}
		got := arrived()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			v.Errorf("it got %v, want %v", got, want)
		}
		if n := len(v.good.Received("Create")); n != len(want) {
			v.Errorf("it got %d activities, want %d", n, len(want))
		}
	})
}

// proxied is an svcd with a public address that stays while the process is
// dead.
func proxied(t *testing.T, dsn, address string) (p *process, host string) {
	t.Helper()
	p = newProcess(t, shortDir(t), dsn)
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	host = l.Addr().String()
	p.env = []string{"SVC_BASE_URL=http://" + host, "SVC_FEDERATION_INSECURE=true", "SVC_LOG=error"}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = in.Close() }()
				out, err := net.Dial("unix", p.socket)
				if err != nil {
					return
				}
				defer func() { _ = out.Close() }()
				go func() { _, _ = io.Copy(out, in) }()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	return p, host
}

// TestKillsOfEitherServerLoseNothing kills two servers in turns while one of
// them sends to the other: each post arrives, and once.
func TestKillsOfEitherServerLoseNothing(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		a, aHost := proxied(t, dsn, "127.0.0.1")
		b, bHost := proxied(t, "", "127.0.0.2")
		for _, p := range []*process{a, b} {
			p.start()
		}
		a.user("alice")
		a.user("root", "--admin")
		b.user("bob")
		alice, bob, root := a.client(a.logIn("alice")), b.client(b.logIn("bob")), a.client(a.logIn("root"))
		ctx := context.Background()
		found := good(bob.Search.Find(ctx, api.SearchQuery{Q: "@alice@" + aHost, Resolve: true, Type: "accounts"}))(t)
		if len(found.Accounts) != 1 {
			t.Fatalf("bob finds %d", len(found.Accounts))
		}
		must(t, err1(bob.Accounts.Follow(ctx, found.Accounts[0].ID, api.Follow{})))
		eventually(t, 20*time.Second, "bob follows alice", func() bool {
			r, err := bob.Accounts.Relationships(ctx, found.Accounts[0].ID)
			return err == nil && len(r) == 1 && r[0].Following
		})
		want := map[string]string{}
		say := func(text string) {
			t.Helper()
			eventually(t, 20*time.Second, text+" is taken", func() bool {
				st, err := alice.Statuses.Post(ctx, api.NewStatus{Status: text}, client.IdempotencyKey(text))
				if err != nil {
					return false
				}
				want[text] = st.ID
				return true
			})
		}
		for round := range 4 {
			for i := range 10 {
				say(fmt.Sprintf("post %d of round %d", i, round))
				if i == 5 {
					p := []*process{a, b}[round%2]
					p.kill()
					if round%2 == 0 {
						p.start()
					}
				}
			}
			if !b.running() {
				b.start()
			}
		}
		home := func() map[string]int {
			out := map[string]int{}
			for st, err := range bob.Timelines.Home(api.TimelineQuery{}).All(ctx) {
				if err != nil {
					return nil
				}
				out[st.Svc.Content.Plain]++
			}
			return out
		}
		eventually(t, time.Minute, "all posts arrive", func() bool {
			_, _ = root.Admin.Federation.Retry(ctx, bHost)
			return len(home()) == len(want)
		})
		once(t, "posts on bob's timeline", want, home())
		// Queued activities are processed, and none arrives twice.
		queued := func() int64 {
			hosts, err := root.Admin.Federation.Host(ctx, bHost)
			if err != nil {
				return -1
			}
			return hosts.Waiting
		}
		eventually(t, 20*time.Second, "nothing waits", func() bool { return queued() == 0 })
		once(t, "posts on bob's timeline, later", want, home())
	})
}

// TestServersRelayToEachOther follows the relay actor of the other server (row
// 16): its public posts, and those alone, come to the federated timeline.
func TestServersRelayToEachOther(t *testing.T) {
	t.Parallel()
	servertest.EachPair(t, func(t *testing.T, a, b *servertest.Server) {
		logsOf(t, a, b)
		s := &scene{T: t, home: a, away: b, people: new(atomic.Int64)}
		root, ann, bob := s.admin(a), s.person(a, "ann"), s.person(b, "bob")
		relay := b.Base() + "/relay"
		must(t, err1(root.Admin.Relays.Follow(s.ctx(), relay)))
		s.until("the relay accepts", func() bool {
			list := good(root.Admin.Relays.List(s.ctx()))(s)
			return len(list) == 1 && list[0].Actor == relay && list[0].FollowedBack
		})
		shown := func(uri string) bool {
			public := good(ann.Timelines.Public(api.TimelineQuery{Remote: true, PageQuery: api.PageQuery{Limit: 40}}).Page(s.ctx()))(s).Items
			return byURI(public, uri) != nil
		}
		unlisted := s.post(bob, api.NewStatus{Status: "unlisted", Visibility: "unlisted"})
		private := s.post(bob, api.NewStatus{Status: "private", Visibility: "private"})
		public := s.says(bob, "public")
		s.until("what is public is shown", func() bool { return shown(public.URI) })
		for _, st := range []*api.Status{unlisted, private} {
			if found := good(ann.Search.Find(s.ctx(), api.SearchQuery{Q: st.URI}))(s); len(found.Statuses) != 0 || shown(st.URI) {
				t.Errorf("what is %s is relayed", st.Visibility)
			}
		}
		if got := s.timeline(ann); len(got) != 0 {
			t.Errorf("what is relayed stands at home: %v", uris(got))
		}
		if st := good(bob.Statuses.Get(s.ctx(), public.ID))(s); st.ReblogsCount != 0 {
			t.Error("relaying counts as a boost")
		}
		must(t, root.Admin.Relays.Unfollow(s.ctx(), relay))
		s.until("the relay is left", func() bool { return len(good(root.Admin.Relays.List(s.ctx()))(s)) == 0 })
		s.until("the other server knows", func() bool {
			after := s.says(bob, "after it")
			cat := s.person(a, "cat")
			s.follow(cat, bob)
			marker := s.says(bob, "for cat")
			s.arrives(cat, marker.URI)
			return !shown(after.URI)
		})
	})
}

// TestPoliciesKeepServersApart rejects a host, and quarantines it (row 9).
func TestPoliciesKeepServersApart(t *testing.T) {
	t.Parallel()
	servertest.EachPair(t, func(t *testing.T, a, b *servertest.Server) {
		logsOf(t, a, b)
		s := &scene{T: t, home: a, away: b, people: new(atomic.Int64)}
		ann, bob := s.person(a, "ann"), s.person(b, "bob")
		rootA, rootB := s.admin(a), s.admin(b)
		s.follow(bob, ann)
		set := func(c *client.Client, group, key, name string, hosts ...string) {
			t.Helper()
			if hosts == nil {
				hosts = []string{}
			}
			must(t, err1(c.Admin.Config.Set(s.ctx(), group, key, []any{map[string]any{"tuple": []any{name, hosts}}})))
		}
		// Quarantined, a server gets public posts only.
		bare, _, _ := net.SplitHostPort(b.Host())
		set(rootA, ":svc", ":instance", ":quarantined_instances", b.Host(), bare)
		private := s.post(ann, api.NewStatus{Status: "private", Visibility: "private"})
		public := s.says(ann, "public")
		s.arrives(bob, public.URI)
		if byURI(s.timeline(bob), private.URI) != nil {
			t.Error("a quarantined server gets what is private")
		}
		set(rootA, ":svc", ":instance", ":quarantined_instances")
		again := s.post(ann, api.NewStatus{Status: "private again", Visibility: "private"})
		s.arrives(bob, again.URI)
		// Rejected, it says nothing and is asked nothing.
		must(t, err1(rootB.Admin.Config.Set(s.ctx(), ":svc", ":mrf", []any{map[string]any{"tuple": []any{":policies", []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"}}}})))
		bareA, _, _ := net.SplitHostPort(a.Host())
		set(rootB, ":svc", ":mrf_simple", ":reject", a.Host(), bareA)
		unheard := s.says(ann, "unheard @"+bob.handle)
		must(t, err1(ann.Accounts.Follow(s.ctx(), s.sees(ann, bob), api.Follow{})))
		a.User("other")
		found := good(bob.Search.Find(s.ctx(), api.SearchQuery{Q: a.Actor("other"), Resolve: true}))(s)
		if len(found.Accounts) != 0 {
			t.Error("an actor of a rejected server is found")
		}
		s.until("it is refused", func() bool { return len(b.Log.Lines("/inbox", "status=403")) > 0 })
		if len(s.notified(bob, "mention"))+len(s.notified(bob, "follow")) != 0 || byURI(s.timeline(bob), unheard.URI) != nil {
			t.Error("a rejected server is heard")
		}
	})
}
