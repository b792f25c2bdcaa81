package social_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
)

// related returns the relationship of a to b.
func (w *world) related(a, b *db.Account) db.Relationship {
	w.t.Helper()
	r, err := w.d.Relationships(w.t.Context(), a.ID, []string{b.ID, "nosuchid"})
	w.must(err)
	if len(r) != 1 {
		w.t.Fatalf("relationships %v", r)
	}
	return r[b.ID]
}

func TestFollowingIsCountedToldAndBackfilled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		var seen []string
		for _, v := range []string{db.Public, db.Unlisted, db.Private, db.Local, db.Direct} {
			if s := w.post(ann, social.NewStatus{Text: v, Visibility: v}); v != db.Direct {
				seen = append([]string{s.ID}, seen...)
			}
		}
		own, others := w.post(bob, social.NewStatus{Text: "bob's"}), w.post(cat, social.NewStatus{Text: "cat's"})
		for _, s := range []*db.Status{own, others} {
			reblog, err := w.Reblog(ctx, ann, s.ID, "")
			w.must(err)
			if s == others {
				seen = append([]string{reblog.ID}, seen...)
			}
		}
		for range 2 {
			w.follow(bob, ann)
		}
		if got := [2][3]int64{w.counts(bob), w.counts(ann)}; got != [2][3]int64{{0, 1, 1}, {1, 0, 3}} {
			t.Errorf("counts %v", got)
		}
		home := w.home(bob)
		if diff := cmp.Diff(append(seen[:1:1], append([]string{own.ID}, seen[1:]...)...), home); diff != "" {
			t.Errorf("backfilled home: %s", diff)
		}
		if diff := cmp.Diff([]string{"follow bob"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		want := db.Relationship{ID: ann.ID, Following: true, ShowingReblogs: true}
		if diff := cmp.Diff(want, w.related(bob, ann)); diff != "" {
			t.Error(diff)
		}
		w.must(w.Follow(ctx, bob, ann.ID, social.FollowOptions{Reblogs: no()}))
		if w.related(bob, ann).ShowingReblogs {
			t.Error("reblogs are still shown")
		}
		if got := w.home(bob); got[0] == seen[0] {
			t.Error("an unwanted reblog is on the home timeline")
		}

		for range 2 {
			w.must(w.Unfollow(ctx, bob, ann.ID))
		}
		if got := [2][3]int64{w.counts(bob), w.counts(ann)}; got != [2][3]int64{{0, 0, 1}, {0, 0, 3}} {
			t.Errorf("counts after unfollow %v", got)
		}
		if diff := cmp.Diff([]string{own.ID}, w.home(bob)); diff != "" {
			t.Errorf("home after unfollow: %s", diff)
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'unfollowed'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
		w.must(w.Unfollowed(ctx, jobs.Unfollowed{AccountID: bob.ID, AuthorID: ann.ID}))
		if n := w.rows("SELECT COUNT(*) FROM home_entries WHERE account_id = ?", bob.ID); n != 1 {
			t.Errorf("%d home entries are left, want his own", n)
		}
	})
}

func TestWhatFollowRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, gone, hidden := w.person("ann"), w.person("bob"), w.person("gone"), w.person("hidden")
		w.must(w.Deactivate(ctx, gone, gone))
		hidden.Invisible = true
		w.must(w.d.UpdateAccount(ctx, hidden, "invisible"))
		w.must(w.Block(ctx, bob, ann.ID))
		follow := func(by, target *db.Account) error { return w.Follow(ctx, by, target.ID, social.FollowOptions{}) }
		wantRefusal(t, follow(ann, ann), "Can not follow yourself")
		wantRefusal(t, w.Unfollow(ctx, ann, ann.ID), "Can not unfollow yourself")
		wantRefusal(t, follow(ann, gone), "rejected")
		wantRefusal(t, follow(ann, bob), "rejected")
		wantRefusal(t, follow(bob, ann), "rejected")
		wantNotFound(t, follow(ann, hidden))
		wantNotFound(t, follow(ann, &db.Account{ID: "nosuchid"}))
		wantNotFound(t, w.Unfollow(ctx, ann, "nosuchid"))
		s := config.DefaultSettings()
		s.User.DenyFollowBlocked = false
		w.must(w.settings.Swap(s))
		w.must(follow(ann, bob))
	})
}

func TestLockedAccountsAreAskedFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat, dan := w.person("ann"), w.person("bob"), w.person("cat"), w.person("dan")
		ann, _, err := w.UpdateProfile(ctx, ann, social.Profile{Locked: yes()})
		w.must(err)
		s := w.post(ann, social.NewStatus{Text: "x", Visibility: db.Private})
		for _, a := range []*db.Account{bob, cat, dan} {
			w.follow(a, ann)
		}
		if got := w.counts(ann); got[0] != 0 || len(w.home(bob)) != 0 {
			t.Errorf("requests count or deliver: %v %v", got, w.home(bob))
		}
		if r := w.related(bob, ann); !r.Requested || r.Following {
			t.Errorf("%+v", r)
		}
		asked, err := w.d.FollowRequests(ctx, ann.ID, db.Page{Limit: 10})
		w.must(err)
		if len(asked) != 3 {
			t.Errorf("%d requests", len(asked))
		}
		if diff := cmp.Diff([]string{"follow_request dan", "follow_request cat", "follow_request bob"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		w.must(w.AuthorizeFollow(ctx, ann, bob.ID))
		w.must(w.RejectFollow(ctx, ann, cat.ID))
		w.must(w.Unfollow(ctx, dan, ann.ID)) // takes it back
		for _, id := range []string{bob.ID, cat.ID, "nosuchid"} {
			wantNotFound(t, w.AuthorizeFollow(ctx, ann, id))
			wantNotFound(t, w.RejectFollow(ctx, ann, id))
		}
		if diff := cmp.Diff([]string{"follow bob"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{s.ID}, w.home(bob)); diff != "" {
			t.Error(diff)
		}
		if got := [2][3]int64{w.counts(ann), w.counts(bob)}; got != [2][3]int64{{1, 0, 0}, {0, 1, 0}} {
			t.Errorf("counts %v", got)
		}
		own, err := w.d.OwnStanding(ctx, ann.ID)
		w.must(err)
		if own.FollowRequests != 0 || own.UnseenNotifications != 1 {
			t.Errorf("%+v", own)
		}
	})
}

func TestABlockCutsBothFollowsAndHides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		w.follow(ann, bob)
		w.follow(bob, ann)
		w.post(bob, social.NewStatus{Text: "@ann before"})
		for range 2 {
			w.must(w.Block(ctx, ann, bob.ID))
		}
		w.post(bob, social.NewStatus{Text: "@ann after"})
		if got := [2][3]int64{w.counts(ann), w.counts(bob)}; got != [2][3]int64{{0, 0, 0}, {0, 0, 2}} {
			t.Errorf("counts %v", got)
		}
		if r := w.related(ann, bob); !r.Blocking || r.Following || r.FollowedBy {
			t.Errorf("ann to bob %+v", r)
		}
		if r := w.related(bob, ann); !r.BlockedBy {
			t.Errorf("bob to ann %+v", r)
		}
		if len(w.home(ann)) != 0 || len(w.news(ann)) != 0 {
			t.Errorf("ann still sees %v %v", w.home(ann), w.news(ann))
		}
		if own, err := w.d.OwnStanding(ctx, ann.ID); err != nil || own.UnseenNotifications != 2 {
			t.Errorf("the row that is never listed counts as unseen: %+v %v", own, err)
		}
		w.must(w.Unblock(ctx, ann, bob.ID))
		if diff := cmp.Diff([]string{"mention bob @ann before", "follow bob"}, w.news(ann)); diff != "" {
			t.Errorf("what was told during a block came up: %s", diff)
		}
		wantRefusal(t, w.Block(ctx, ann, ann.ID), "Can not block yourself")
		wantNotFound(t, w.Block(ctx, ann, "nosuchid"))
		list, err := w.d.Blocked(ctx, ann.ID, db.Page{Limit: 9})
		if w.must(err); len(list) != 0 {
			t.Errorf("%d blocked", len(list))
		}
	})
}

func TestMutesHideAndExpire(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		w.follow(ann, bob)
		say := func(text string) { w.post(bob, social.NewStatus{Text: "@ann " + text}) }
		w.must(w.Mute(ctx, ann, bob.ID, true, 0))
		say("1")
		if len(w.home(ann)) != 0 || len(w.news(ann)) != 0 {
			t.Errorf("muted: %v %v", w.home(ann), w.news(ann))
		}
		w.must(w.Mute(ctx, ann, bob.ID, false, time.Hour))
		say("2")
		if diff := cmp.Diff([]string{"mention bob @ann 2"}, w.news(ann)); diff != "" {
			t.Errorf("muted but for notifications: %s", diff)
		}
		if own, _ := w.d.OwnStanding(ctx, ann.ID); own.UnseenNotifications != 0 {
			t.Error("what comes from muted accounts is unseen")
		}
		with, err := w.d.Notifications(ctx, w.viewer(ann), db.NotificationFilter{WithMuted: true}, db.Page{Limit: 9})
		if w.must(err); len(with) != 2 {
			t.Errorf("with muted ones: %d", len(with))
		}
		if r := w.related(ann, bob); !r.Muting || r.MutingNotifications {
			t.Errorf("%+v", r)
		}
		w.sql("UPDATE mutes SET expires_at = %d", time.Now().Add(-time.Minute).UnixMicro())
		say("3")
		if r := w.related(ann, bob); r.Muting || len(w.home(ann)) != 3 {
			t.Errorf("expired: %+v %v", r, w.home(ann))
		}
		if diff := cmp.Diff([]string{"mention bob @ann 3", "mention bob @ann 2"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		w.must(w.Mute(ctx, ann, bob.ID, true, 0))
		w.must(w.Unmute(ctx, ann, bob.ID))
		w.must(w.Unmute(ctx, ann, bob.ID))
		wantRefusal(t, w.Mute(ctx, ann, ann.ID, true, 0), "Can not mute yourself")
		wantRefusal(t, w.Mute(ctx, ann, bob.ID, true, -1), "A mute cannot end before it begins")
		wantNotFound(t, w.Mute(ctx, ann, "nosuchid", true, 0))
		wantNotFound(t, w.Unmute(ctx, ann, "nosuchid"))
	})
}

// TestMentionNotifications checks which accounts get a notification of a
// mention, and whether it is listed.
func TestMentionNotifications(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		bob := w.stranger("bob", "far.example")
		rules := []struct {
			name   string
			set    func(a *db.Account)
			stored int
			listed bool
		}{
			{"plain", func(*db.Account) {}, 1, true},
			{"blocks", func(a *db.Account) { w.must(w.Block(ctx, a, bob.ID)) }, 1, false},
			{"mutes", func(a *db.Account) { w.must(w.Mute(ctx, a, bob.ID, true, 0)) }, 1, false},
			{"mutesposts", func(a *db.Account) { w.must(w.Mute(ctx, a, bob.ID, false, 0)) }, 1, true},
			{"blocksdomain", func(a *db.Account) {
				w.sql("INSERT INTO domain_blocks (account_id, domain, created_at) VALUES ('%s', 'far.example', 0)", a.ID)
			}, 1, false},
			{"blocksdomainbutfollows", func(a *db.Account) {
				w.follow(a, bob)
				w.sql("INSERT INTO domain_blocks (account_id, domain, created_at) VALUES ('%s', 'far.example', 0)", a.ID)
			}, 1, true},
			{"shutout", func(a *db.Account) {
				w.must(w.d.UpdateUser(ctx, &db.User{AccountID: a.ID, BlockFromStrangers: true}, "block_from_strangers"))
			}, 0, false},
			{"shutoutbutfollowed", func(a *db.Account) {
				w.must(w.d.UpdateUser(ctx, &db.User{AccountID: a.ID, BlockFromStrangers: true}, "block_from_strangers"))
				w.follow(bob, a)
				w.must(w.ClearNotifications(ctx, a))
			}, 1, true},
			{"gone", func(a *db.Account) { w.must(w.Deactivate(ctx, a, a)) }, 0, false},
		}
		var people []*db.Account
		for _, rule := range rules {
			a := w.person(rule.name)
			rule.set(a)
			people = append(people, w.reload(a))
		}
		socialtest.Post(t, w.Service, bob, db.Public, activitypub.Post{Content: "hi"}, people...)
		for i, rule := range rules {
			if n := w.rows("SELECT COUNT(*) FROM notifications WHERE account_id = ? AND type = 'mention'", people[i].ID); n != rule.stored {
				t.Errorf("%s: %d rows, want %d", rule.name, n, rule.stored)
			}
			if got := len(w.news(people[i])) > 0; got != rule.listed {
				t.Errorf("%s: listed %v, want %v", rule.name, got, rule.listed)
			}
		}
	})
}

func TestAMutedThreadIsSilent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		s := w.post(ann, social.NewStatus{Text: "x"})
		w.sql("INSERT INTO thread_mutes (account_id, conversation_id, created_at) VALUES ('%s', %d, 0)", ann.ID, *s.ConversationID)
		w.post(bob, social.NewStatus{Text: "re", InReplyToID: s.ID})
		_, err := w.Favourite(t.Context(), bob, s.ID)
		w.must(err)
		w.post(bob, social.NewStatus{Text: "@ann elsewhere"})
		if diff := cmp.Diff([]string{"mention bob @ann elsewhere"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDeactivationCutsUncountsAndHides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat, mod := w.person("ann"), w.person("bob"), w.person("cat"), w.person("mod")
		eve := w.stranger("eve", "far.example")
		mod.IsModerator = true
		w.follow(ann, bob)
		w.follow(ann, eve)
		w.follow(bob, ann)
		w.follow(cat, ann)
		w.post(bob, social.NewStatus{Text: "x", Visibility: db.Private})
		w.post(ann, social.NewStatus{Text: "@bob hi"})
		w.must(w.d.CreateReport(ctx, &db.Report{AccountID: bob.ID, ReporterID: ann.ID, Content: "x"}, nil))
		counts := func() [3][3]int64 { return [3][3]int64{w.counts(ann), w.counts(bob), w.counts(cat)} }
		before := counts()
		if before != [3][3]int64{{2, 2, 1}, {1, 1, 0}, {0, 1, 0}} {
			t.Fatalf("before: %v", before)
		}
		wantRefusal(t, w.Deactivate(ctx, bob, ann), "Access denied")
		for range 2 {
			w.must(w.Deactivate(ctx, mod, ann))
		}
		if got := counts(); got != [3][3]int64{{2, 1, 1}, {0, 0, 0}, {0, 0, 0}} {
			t.Errorf("deactivated: %v", got)
		}
		w.wantRows(1, "river_job WHERE kind = 'settle'")
		w.must(w.Settle(ctx, jobs.Settle{AccountID: ann.ID}))
		w.wantRows(0, "home_entries WHERE account_id = ? AND author_id = ?", ann.ID, bob.ID)
		if !w.reload(ann).Deactivated || len(w.news(bob)) != 0 || len(w.home(bob)) != 1 {
			t.Errorf("bob still sees %v %v", w.news(bob), w.home(bob))
		}
		if r := w.related(ann, bob); r.Following || !r.FollowedBy || !w.related(ann, eve).Following {
			t.Errorf("follows: %+v", r)
		}
		wantRefusal(t, w.Activate(ctx, ann, ann), "Access denied")
		for range 2 {
			w.must(w.Activate(ctx, mod, ann))
		}
		if got := counts(); got != [3][3]int64{{2, 1, 1}, {0, 1, 0}, {0, 1, 0}} {
			t.Errorf("activated: %v", got)
		}
		if len(w.news(bob)) == 0 {
			t.Error("her news stay hidden")
		}
	})
}

func TestFollowersLeftWhileDeactivatedAreNotCountedTwice(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann, bob := w.person("ann"), w.person("bob")
	cat := w.person("cat")
	w.follow(bob, ann)
	w.follow(bob, cat)
	w.must(w.Deactivate(t.Context(), ann, ann))
	w.must(w.Unfollow(t.Context(), bob, ann.ID))
	if got := [2][3]int64{w.counts(bob), w.counts(ann)}; got != [2][3]int64{{0, 1, 0}, {0, 0, 0}} {
		t.Errorf("counts %v", got)
	}
}

// TestManyFollowersAreServedByAJob makes an author with more followers than a
// request serves.
func TestManyFollowersAreServedByAJob(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		const many = 2500
		w.must(w.d.Tx(ctx, func(tx *db.DB) error {
			q, err := tx.SQLTx()
			if err != nil {
				return err
			}
			for i := range many {
				_, err := q.ExecContext(ctx, fmt.Sprintf(`INSERT INTO follows (follower_id, target_id, id, local, created_at)
					VALUES ('f%05d', '%s', 'x%05d', %t, 0)`, i, ann.ID, i, i%5 != 0))
				if err != nil {
					return err
				}
			}
			_, err = q.ExecContext(ctx, fmt.Sprintf("UPDATE accounts SET followers_count = %d WHERE id = '%s'", many, ann.ID))
			return err
		}))
		s := w.post(w.reload(ann), social.NewStatus{Text: "x"})
		if n := w.rows("SELECT COUNT(*) FROM home_entries"); n != 1 {
			t.Errorf("the request delivered to %d", n)
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'fan_out'"); n != 1 {
			t.Fatalf("%d jobs", n)
		}
		for range 2 {
			w.must(w.FanOut(ctx, jobs.FanOut{StatusID: s.ID}))
		}
		if n := w.rows("SELECT COUNT(*) FROM home_entries"); n != 1+many*4/5 {
			t.Errorf("the job delivered to %d", n)
		}
		w.must(w.FanOut(ctx, jobs.FanOut{StatusID: "nosuchid"}))
	})
}

func TestDeliverSomeLeavesNobodyOut(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	for i := range 7 {
		w.follow(w.person(fmt.Sprint("fan", i)), ann)
	}
	s := w.post(ann, social.NewStatus{Text: "x"})
	w.sql("DELETE FROM home_entries")
	var sizes []int
	for after := ""; ; {
		w.must(w.d.Tx(t.Context(), func(tx *db.DB) (err error) {
			after, err = tx.AddFollowerEntries(t.Context(), s, after, 3)
			return err
		}))
		sizes = append(sizes, w.rows("SELECT COUNT(*) FROM home_entries"))
		if after == "" {
			break
		}
	}
	if diff := cmp.Diff([]int{3, 6, 7}, sizes); diff != "" {
		t.Error(diff)
	}
}

// TestFollowersAreToldHowTheirFollowStands takes a follow through each of its
// states, and reads the events for the streams of the follower.
func TestFollowersAreToldHowTheirFollowStands(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, far := w.person("ann"), w.person("bob"), w.stranger("far", "far.example")
		locked, _, err := w.UpdateProfile(ctx, w.person("locked"), social.Profile{Locked: yes()})
		w.must(err)
		follow := func(target *db.Account) error { return w.Follow(ctx, ann, target.ID, social.FollowOptions{}) }
		for _, step := range []struct {
			name, want string
			do         func() error
		}{
			{"of an open account", "follow_accept bob", func() error { return follow(bob) }},
			{"repeated", "", func() error { return follow(bob) }},
			{"ended", "unfollow bob", func() error { return w.Unfollow(ctx, ann, bob.ID) }},
			{"ended again", "", func() error { return w.Unfollow(ctx, ann, bob.ID) }},
			{"of a locked account", "follow_pending locked", func() error { return follow(locked) }},
			{"rejected", "follow_reject locked", func() error { return w.RejectFollow(ctx, locked, ann.ID) }},
			{"requested again", "follow_pending locked", func() error { return follow(locked) }},
			{"taken back", "unfollow locked", func() error { return w.Unfollow(ctx, ann, locked.ID) }},
			{"requested a third time", "follow_pending locked", func() error { return follow(locked) }},
			{"accepted", "follow_accept locked", func() error { return w.AuthorizeFollow(ctx, locked, ann.ID) }},
			{"blocked by the other", "follow_reject locked", func() error { return w.Block(ctx, locked, ann.ID) }},
			{"of a remote account", "follow_pending far@far.example", func() error { return follow(far) }},
			{"rejected by its server", "follow_reject far@far.example", func() error { return w.TakeReject(ctx, far, "", ann.URI) }},
			{"requested of it again", "follow_pending far@far.example", func() error { return follow(far) }},
			{"accepted by its server", "follow_accept far@far.example", func() error { return w.TakeAccept(ctx, far, "", ann.URI) }},
			{"ended by its server", "follow_reject far@far.example", func() error { return w.TakeReject(ctx, far, "", ann.URI) }},
			{"forced", "follow_accept bob", func() error { return w.ForceFollow(ctx, ann.ID, bob.ID) }},
			{"forced to end", "unfollow bob", func() error { return w.ForceUnfollow(ctx, ann.ID, bob.ID) }},
		} {
			if _, err := w.d.Writer().ExecContext(ctx, "DELETE FROM events"); err != nil {
				t.Fatal(err)
			}
			if err := step.do(); err != nil {
				t.Fatal(step.name, err)
			}
			rows, err := w.d.Writer().QueryContext(ctx, `SELECT e.data, a.nickname FROM events e JOIN accounts a ON a.id = e.subject
				JOIN accounts f ON f.id = e.account_id WHERE e.kind = 'relationship' AND f.nickname = 'ann'`)
			w.must(err)
			var got []string
			for rows.Next() {
				var state, of string
				w.must(rows.Scan(&state, &of))
				got = append(got, state+" "+of)
			}
			w.must(errors.Join(rows.Err(), rows.Close()))
			if strings.Join(got, ", ") != step.want {
				t.Errorf("%s: told %q, want %q", step.name, got, step.want)
			}
		}
	})
}

// TestUnlockingAcceptsThoseWhoWait: local and remote ones, in steps, unless they may
// not follow any more; and nobody while the account is locked again.
func TestUnlockingAcceptsThoseWhoWait(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, far, gone := w.person("ann"), w.person("bob"), w.stranger("far", "far.example"), w.person("gone")
		lock := func(locked bool) {
			t.Helper()
			_, _, err := w.UpdateProfile(ctx, ann, social.Profile{Locked: &locked})
			w.must(err)
		}
		lock(true)
		ann = w.reload(ann)
		w.must(w.Follow(ctx, bob, ann.ID, social.FollowOptions{}))
		w.must(w.Follow(ctx, gone, ann.ID, social.FollowOptions{}))
		if answer, err := w.TakeFollow(ctx, far, ann.ID, "https://far.example/follows/1"); err != nil || answer != social.FollowWaits {
			t.Fatal(answer, err)
		}
		w.sql("UPDATE accounts SET deactivated = TRUE WHERE id = '%s'", gone.ID)
		lock(true)
		w.wantRows(0, "river_job WHERE kind = 'accept_waiting'")
		w.must(w.AcceptWaiting(ctx, jobs.AcceptWaiting{AccountID: ann.ID}))
		if got := w.counts(ann); got[0] != 0 {
			t.Errorf("%d followers of a locked account", got[0])
		}
		lock(false)
		lock(false)
		w.wantRows(1, "river_job WHERE kind = 'accept_waiting'")
		for range 2 {
			w.must(w.AcceptWaiting(ctx, jobs.AcceptWaiting{AccountID: ann.ID}))
		}
		if got := [2][3]int64{w.counts(ann), w.counts(bob)}; got != [2][3]int64{{2, 0, 0}, {0, 1, 0}} {
			t.Errorf("counts %v", got)
		}
		if diff := cmp.Diff([]string{"follow far@far.example", "follow bob"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		w.wantRows(1, "activities WHERE type = 'Accept'")
		w.wantRows(1, "follows WHERE pending")
		// More than one step.
		lock(true)
		for i := range 120 {
			w.must(w.Follow(ctx, w.person(fmt.Sprint("p", i)), ann.ID, social.FollowOptions{}))
		}
		lock(false)
		w.must(w.AcceptWaiting(ctx, jobs.AcceptWaiting{AccountID: ann.ID}))
		if got := w.counts(ann); got[0] != 122 {
			t.Errorf("%d followers", got[0])
		}
	})
}

// TestFollowingAgainAsksAgain: a lost Follow of a remote account goes out once more,
// under a new id, and a local account that was unlocked accepts at once.
func TestFollowingAgainAsksAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, far := w.person("ann"), w.person("bob"), w.stranger("far", "far.example")
		sent := func(want int) {
			t.Helper()
			w.wantRows(want, "activities WHERE type = 'Follow'")
		}
		again := func(target *db.Account, o social.FollowOptions) *db.Follow {
			t.Helper()
			w.must(w.Follow(ctx, bob, target.ID, o))
			f, err := w.d.Follow(ctx, bob.ID, target.ID)
			w.must(err)
			return f
		}
		first := again(far, social.FollowOptions{})
		sent(1)
		second := again(far, social.FollowOptions{Reblogs: no()})
		sent(2)
		if second.URI == first.URI || !second.Pending || second.Reblogs {
			t.Errorf("the second follow is %+v", second)
		}
		if got := w.counts(far); got[0] != 0 {
			t.Errorf("%d followers before the answer", got[0])
		}
		w.must(w.TakeAccept(ctx, far, first.URI, bob.URI)) // of the first one, at last
		if f := again(far, social.FollowOptions{}); f.Pending {
			t.Error("not accepted")
		}
		sent(2)

		w.sql("UPDATE accounts SET locked = TRUE WHERE id = '%s'", ann.ID)
		if f := again(ann, social.FollowOptions{}); !f.Pending {
			t.Error("a locked account was followed at once")
		}
		if f := again(ann, social.FollowOptions{Reblogs: no()}); !f.Pending || f.Reblogs {
			t.Errorf("a repeated request is %+v", f)
		}
		unlocked := false
		_, _, err := w.UpdateProfile(ctx, ann, social.Profile{Locked: &unlocked})
		w.must(err)
		if f := again(ann, social.FollowOptions{}); f.Pending {
			t.Error("an unlocked account lets people wait")
		}
		if got := [2][3]int64{w.counts(ann), w.counts(bob)}; got != [2][3]int64{{1, 0, 0}, {0, 2, 0}} {
			t.Errorf("counts %v", got)
		}
		sent(2)
	})
}

func TestProfilesWithoutRepliesKeepThreads(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		one := w.post(ann, social.NewStatus{Text: "one"})
		two := w.post(ann, social.NewStatus{Text: "two", InReplyToID: one.ID})
		other := w.post(bob, social.NewStatus{Text: "other"})
		answer := w.post(ann, social.NewStatus{Text: "an answer", InReplyToID: other.ID})
		own := w.post(ann, social.NewStatus{Text: "more of it", InReplyToID: answer.ID})
		waits := w.post(ann, social.NewStatus{Text: "to what is not here"})
		w.sql("UPDATE statuses SET in_reply_to_uri = 'https://far.example/1' WHERE id = '%s'", waits.ID)
		for _, replies := range []bool{true, false} {
			want := []string{waits.ID, own.ID, answer.ID, two.ID, one.ID}
			if !replies {
				want = []string{own.ID, two.ID, one.ID}
			}
			refs, err := w.d.AccountStatuses(t.Context(), w.viewer(bob), ann.ID, db.AccountFilter{ExcludeReplies: !replies}, db.Page{Limit: 40})
			w.must(err)
			got := []string{}
			for _, r := range refs {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with replies %v: %s", replies, diff)
			}
		}
	})
}
