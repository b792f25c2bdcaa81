package delivery_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/config"
)

func TestInboxesFollowTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		two, one, apart := newPeer(t), newPeer(t), newPeer(t)
		ann, bob := w.follower(two, "ann"), w.follower(two, "bob")
		cat := w.follower(one, "cat")
		// A shared inbox on another host is not of their server.
		w.follower(apart, "dan", func(a *db.Account) { a.SharedInbox = one.url + "/inbox" })
		w.follower(apart, "eve", func(a *db.Account) { a.SharedInbox = "" })
		w.follower(two, "gone", func(a *db.Account) { a.Deactivated = true })
		w.follower(&peer{url: base, host: "127.0.0.9:4000"}, "own")
		pending := w.stranger(one, "wisher")
		if err := w.db.CreateFollow(t.Context(), &db.Follow{FollowerID: pending.ID, TargetID: w.author.ID, ID: w.db.NewID(), Pending: true}); err != nil {
			t.Fatal(err)
		}
		w.start()
		two1 := func(path string) string { return "two " + path }
		for _, c := range []struct {
			name, kind string
			to         db.Audience
			want       []string
		}{
			{"a public post", "Create", public, []string{two1("/inbox"), "one /inbox", "apart dan/inbox", "apart eve/inbox"}},
			{"a post to followers", "Create", db.Audience{Followers: true}, []string{two1("/inbox"), "one cat/inbox", "apart dan/inbox", "apart eve/inbox"}},
			{"one who follows and is named is one", "Create", db.Audience{Followers: true, AccountIDs: []string{cat.ID}},
				[]string{two1("/inbox"), "one cat/inbox", "apart dan/inbox", "apart eve/inbox"}},
			{"a post to two of one server", "Create", db.Audience{AccountIDs: []string{ann.ID, bob.ID}}, []string{two1("/inbox")}},
			{"a post to one", "Create", db.Audience{AccountIDs: []string{ann.ID}}, []string{two1("ann/inbox")}},
			{"a deletion for one", "Delete", db.Audience{AccountIDs: []string{ann.ID}}, []string{two1("/inbox")}},
			{"a public like", "Like", db.Audience{AccountIDs: []string{ann.ID}, Public: true}, []string{two1("/inbox")}},
			{"a follow", "Follow", db.Audience{AccountIDs: []string{ann.ID}, Public: true}, []string{two1("ann/inbox")}},
			{"an answer to two", "Accept", db.Audience{AccountIDs: []string{ann.ID, bob.ID}}, []string{two1("ann/inbox"), two1("bob/inbox")}},
			{"copies", "Create", db.Audience{AccountIDs: []string{ann.ID, bob.ID}, Personal: true}, []string{two1("ann/inbox"), two1("bob/inbox")}},
			{"inboxes", "Announce", db.Audience{Inboxes: []string{one.url + "/relay", "nonsense", base + "/inbox"}}, []string{"one /relay"}},
			{"everywhere", "Delete", db.Audience{Everywhere: true}, []string{two1("/inbox"), "one /inbox", "apart eve/inbox"}},
			{"nobody", "Create", db.Audience{}, nil},
		} {
			_, before1 := two.all()
			_, before2 := one.all()
			_, before3 := apart.all()
			w.queue(c.kind, "o"+c.name, c.to)
			w.idle()
			var sent []string
			for _, p := range []struct {
				name   string
				peer   *peer
				before []got
			}{{"two", two, before1}, {"one", one, before2}, {"apart", apart, before3}} {
				_, calls := p.peer.all()
				for _, path := range paths(calls[len(p.before):]) {
					sent = append(sent, p.name+" "+path)
				}
			}
			slices.Sort(sent)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, sent); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

func TestManyFollowersAreReachedChunkByChunk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		const followers = 450
		err := w.db.Tx(t.Context(), func(tx *db.DB) error {
			all := *w
			all.db = tx
			for i := range followers {
				all.follower(p, fmt.Sprint("f", i))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		w.queue("Create", "copies", db.Audience{Followers: true, Personal: true})
		w.queue("Create", "shared", db.Audience{Followers: true})
		w.idle()
		taken, calls := p.all()
		each := map[string]int{}
		for _, g := range taken {
			each[g.Object+g.Path]++
		}
		if len(each) != followers+1 || len(calls) != followers+1 || each["shared/inbox"] != 1 {
			t.Errorf("%d inboxes in %d calls", len(each), len(calls))
		}
		if p.most > 4 {
			t.Errorf("%d calls at once", p.most)
		}
	})
}

func TestHostsThatAreNotToBeSentToAreNot(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		quarantined, rejected, fine := newPeer(t), newPeer(t), newPeer(t)
		for _, p := range []*peer{quarantined, rejected, fine} {
			w.follower(p, "bob")
		}
		s := *w.live.Base()
		s.Instance.QuarantinedInstances = []string{quarantined.host}
		s.Policies.Chain = []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"}
		s.Policies.Simple.Reject = []string{rejected.host}
		if err := w.live.Swap(s); err != nil {
			t.Fatal(err)
		}
		w.start()
		w.queue("Create", "private", db.Audience{Followers: true})
		w.queue("Create", "public", public)
		w.idle()
		for name, c := range map[string]struct {
			p    *peer
			want []string
		}{"quarantined": {quarantined, []string{"public"}}, "rejected": {rejected, nil}, "fine": {fine, []string{"private", "public"}}} {
			var objects []string
			_, calls := c.p.all()
			for _, g := range calls {
				objects = append(objects, g.Object)
			}
			slices.Sort(objects)
			if diff := cmp.Diff(c.want, objects); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestNothingIsSentWhileFederationIsOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "o", public)
		w.queue("Like", "o", public)
		s := *w.live.Base()
		s.Instance.Federating = true
		if d := w.depth(); d.Undistributed != 2 {
			t.Errorf("%+v waits", d)
		}
		if err := w.live.Swap(s); err != nil {
			t.Fatal(err)
		}
		w.idle()
		if taken, _ := p.all(); len(taken) != 2 {
			t.Errorf("%v came", taken)
		}
	}, func(s *config.Settings) { s.Instance.Federating = false })
}

func TestASilentHostIsGivenUpAfterAWeek(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		bob := w.follower(p, "bob")
		p.goDown()
		w.start()
		w.queue("Create", "first", public)
		// It is tried every day at least.
		for days := 0; w.depth() != (db.QueueDepth{}); days++ {
			before := w.instance(p.host).Failures
			w.clock.add(24*time.Hour + 5*time.Hour)
			w.until("a probe", func() bool { return w.instance(p.host).Failures > before || w.depth() == db.QueueDepth{} })
			if days > 20 {
				t.Fatal("the first is never given up")
			}
		}
		failures := w.instance(p.host).Failures
		// One post is the probe of this day, if the day's was not yet; others go nowhere.
		for i := range 3 {
			w.queue("Create", fmt.Sprint("late", i), public)
		}
		w.until("they are for no one", func() bool { return w.depth().Undistributed == 0 })
		if d := w.depth(); d.Deliveries > 1 {
			t.Errorf("%+v waits for a dead host", d)
		}
		rows, err := w.db.Unreachable(t.Context(), db.At(w.clock.now().Add(-7*24*time.Hour)), 10)
		if err != nil || len(rows) != 1 || rows[0].Host != p.host {
			t.Errorf("unreachable: %+v %v", rows, err)
		}
		// A follow is tried at once.
		w.queue("Follow", bob.URI, db.Audience{AccountIDs: []string{bob.ID}, Insistent: true}, func(a *db.Activity) { a.Priority = db.PriorityPerson })
		w.until("the follow is tried", func() bool { return w.instance(p.host).Failures > failures })
		// Once it is heard from, all is well.
		p.comeBack()
		if err := w.db.HostSeen(t.Context(), p.host); err != nil {
			t.Fatal(err)
		}
		w.queue("Create", "again", public)
		w.clock.add(2 * time.Minute)
		w.idle()
		taken, _ := p.all()
		has := func(is func(got) bool) bool { return slices.ContainsFunc(taken, is) }
		if !has(func(g got) bool { return g.Type == "Follow" }) || !has(func(g got) bool { return g.Object == "again" }) {
			t.Errorf("came: %v", taken)
		}
	})
}

func TestADeadHostIsProbedByOnePostADay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		if err := w.db.StoreDeliveryResults(t.Context(), "", db.DeliveryResults{Down: []db.HostDown{{Host: p.host, Failures: 12, RetryAt: db.At(w.clock.now().Add(time.Hour)), Error: "silent"}}}); err != nil {
			t.Fatal(err)
		}
		w.clock.add(8 * 24 * time.Hour)
		w.start()
		p.answers(http.StatusAccepted)
		p.hold = make(chan struct{})
		for i := range 3 {
			w.queue("Create", fmt.Sprint(i), public)
		}
		w.until("the probe", func() bool { _, calls := p.all(); return len(calls) == 1 && w.depth().Undistributed == 0 })
		if d := w.depth(); d.Deliveries != 1 {
			t.Errorf("%+v waits", d)
		}
		close(p.hold)
		w.idle()
		w.queue("Create", "after", public)
		w.idle()
		if taken, _ := p.all(); len(taken) != 2 || taken[1].Object != "after" {
			t.Errorf("came: %v", taken)
		}
	})
}

func TestReachedInboxesAreStored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		bob := w.stranger(p, "bob")
		w.start()
		w.queue("Create", "o", db.Audience{AccountIDs: []string{bob.ID}})
		w.idle()
		w.queue("Delete", "o", db.Audience{Reached: true})
		w.idle()
		taken, _ := p.all()
		if diff := cmp.Diff([]string{"bob/inbox", "bob/inbox"}, paths(taken)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
