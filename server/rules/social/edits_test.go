package social_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
)

func TestADeletedStatusTakesEverythingWithIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		w.follow(bob, ann)
		root := w.post(bob, social.NewStatus{Text: "root"})
		s := w.post(ann, social.NewStatus{
			Text: "@cat re #tag", InReplyToID: root.ID, MediaIDs: w.uploads(ann, 1),
		})
		child := w.post(cat, social.NewStatus{Text: "child", InReplyToID: s.ID})
		_, err := w.Favourite(ctx, cat, s.ID)
		w.must(err)
		_, err = w.Reblog(ctx, cat, s.ID, "")
		w.must(err)

		wantNotFound(t, w.DeleteStatus(ctx, bob, s.ID)) // not their own
		wantNotFound(t, w.DeleteStatus(ctx, bob, "nosuchid"))
		if got := w.counts(ann); got[2] != 1 {
			t.Fatalf("a refused delete changed counts: %v", got)
		}
		w.must(w.DeleteStatus(ctx, ann, s.ID))
		wantNotFound(t, w.DeleteStatus(ctx, ann, s.ID))

		for _, table := range []string{"favourites", "status_recipients", "status_tags", "media_attachments"} {
			if n := w.rows("SELECT COUNT(*) FROM "+table+" WHERE status_id = ?", s.ID); n != 0 {
				t.Errorf("%s keeps %d rows", table, n)
			}
		}
		if n := w.rows("SELECT COUNT(*) FROM notifications WHERE status_id = ?", s.ID); n != 0 {
			t.Errorf("%d notifications stay", n)
		}
		if n := w.rows("SELECT COUNT(*) FROM statuses WHERE reblog_of_id = ?", s.ID); n != 0 {
			t.Error("the reblog stays")
		}
		if n := w.rows("SELECT COUNT(*) FROM tombstones WHERE uri = ? AND former_type = 'Note' AND account_id = ?", *s.URI, ann.ID); n != 1 {
			t.Error("no tombstone")
		}
		if got := w.counts(ann); got != [3]int64{1, 0, 0} {
			t.Errorf("ann's counts %v", got)
		}
		parent, err := w.d.StatusByID(ctx, root.ID)
		w.must(err)
		if parent.RepliesCount != 0 {
			t.Errorf("the parent counts %d replies", parent.RepliesCount)
		}
		if diff := cmp.Diff([]string{root.ID}, w.home(bob)); diff != "" {
			t.Errorf("bob's home: %s", diff)
		}
		// A reply to a deleted status stays, and can be deleted too.
		w.must(w.DeleteStatus(ctx, cat, child.ID))
	})
}

func TestModeratorsDeleteAnyStatusButNoReblog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, mod := w.person("ann"), w.person("mod")
		mod.IsModerator = true
		s := w.post(ann, social.NewStatus{Text: "x", Visibility: db.Direct})
		p := w.post(ann, social.NewStatus{Text: "y"})
		reblog, err := w.Reblog(ctx, ann, p.ID, "")
		w.must(err)
		wantNotFound(t, w.DeleteStatus(ctx, mod, reblog.ID))
		w.must(w.DeleteStatus(ctx, mod, s.ID))
		w.must(w.DeleteStatus(ctx, ann, reblog.ID)) // their own
		p, err = w.d.StatusByID(ctx, p.ID)
		w.must(err)
		if p.ReblogsCount != 0 {
			t.Errorf("%d reblogs are counted", p.ReblogsCount)
		}
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Errorf("%d statuses are left", n)
		}
	})
}

func TestAModeratorsChangeReaddressesAStatus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat, mod := w.person("ann"), w.person("bob"), w.person("cat"), w.person("mod")
		mod.IsAdmin = true
		root := w.post(bob, social.NewStatus{Text: "root"})
		s := w.post(ann, social.NewStatus{Text: "@cat x", InReplyToID: root.ID})
		_, err := w.Reblog(ctx, bob, s.ID, "")
		w.must(err)
		_, err = w.Reblog(ctx, ann, s.ID, "")
		w.must(err)
		change := func(visibility string) *db.Status {
			t.Helper()
			got, err := w.UpdateStatus(ctx, mod, s.ID, nil, &visibility)
			w.must(err)
			return got
		}
		replies := func() int64 {
			p, err := w.d.StatusByID(ctx, root.ID)
			w.must(err)
			return p.RepliesCount
		}
		got := change(db.Private)
		if diff := cmp.Diff(db.Slice[string]{ann.FollowersURI, bob.URI, cat.URI}, got.ToURIs); diff != "" || got.CCURIs != nil || got.Visibility != db.Private || got.ReblogsCount != 1 {
			t.Errorf("private: %+v %s", got, diff)
		}
		if w.counts(ann)[2] != 0 || replies() != 0 {
			t.Errorf("counts %v and %d replies after private", w.counts(ann), replies())
		}
		for _, rule := range []struct {
			a    *db.Account
			sees bool
		}{{ann, true}, {cat, true}, {bob, true}, {w.person("dan"), false}} {
			_, err := w.d.VisibleStatus(ctx, db.Viewer{ID: rule.a.ID}, s.ID)
			if (err == nil) != rule.sees {
				t.Errorf("%s: %v", rule.a.Nickname, err)
			}
		}
		if got = change(db.Unlisted); w.counts(ann)[2] != 1 || replies() != 1 || got.CCURIs[0] != social.Public {
			t.Errorf("unlisted: counts %v, %d replies, %v", w.counts(ann), replies(), got.CCURIs)
		}
		version := got.Version
		const told = "events WHERE kind = ? AND subject = ?"
		before := w.rows("SELECT COUNT(*) FROM "+told, db.EventStatusEdited, s.ID)
		shown := w.rows("SELECT version FROM statuses WHERE reblog_of_id = ?", s.ID)
		if got, err = w.UpdateStatus(ctx, mod, s.ID, yes(), nil); err != nil || !got.Sensitive || got.Visibility != db.Unlisted || got.Version <= version {
			t.Errorf("sensitive: %+v %v", got, err)
		}
		w.wantRows(before+1, told, db.EventStatusEdited, s.ID)
		w.wantRows(1, "statuses WHERE reblog_of_id = ? AND version > ?", s.ID, shown)
		if again, err := w.UpdateStatus(ctx, mod, s.ID, yes(), nil); err != nil || again.Version != got.Version {
			t.Errorf("the same again: %+v %v", again, err)
		}
		direct := db.Direct
		_, err = w.UpdateStatus(ctx, mod, s.ID, no(), &direct)
		wantRefusal(t, err, "Unsupported visibility")
		_, err = w.UpdateStatus(ctx, ann, s.ID, no(), nil)
		wantNotFound(t, err)
		if got, err = w.d.StatusByID(ctx, s.ID); err != nil || !got.Sensitive {
			t.Error("a refused change was made")
		}
	})
}

func TestFavouritesAreOnceAndCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		s := w.post(ann, social.NewStatus{Text: "x"})
		secret := w.post(ann, social.NewStatus{Text: "y", Visibility: db.Private})
		count := func() int64 {
			got, err := w.d.StatusByID(ctx, s.ID)
			w.must(err)
			return got.FavouritesCount
		}
		for range 2 {
			_, err := w.Favourite(ctx, bob, s.ID)
			w.must(err)
		}
		_, err := w.Favourite(ctx, ann, s.ID)
		w.must(err)
		if count() != 2 {
			t.Errorf("%d favourites", count())
		}
		if diff := cmp.Diff([]string{"favourite bob x"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		_, err = w.Favourite(ctx, bob, secret.ID)
		wantNotFound(t, err)
		_, err = w.Unfavourite(ctx, bob, secret.ID)
		wantNotFound(t, err)
		_, err = w.Unfavourite(ctx, bob, s.ID)
		w.must(err)
		_, err = w.Unfavourite(ctx, bob, s.ID)
		wantRefusal(t, err, "Could not unfavorite")
		if count() != 1 || len(w.news(ann)) != 0 {
			t.Errorf("%d favourites, news %v", count(), w.news(ann))
		}
	})
}

func TestWhoMayReblogWhat(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		w.follow(bob, ann)
		for _, rule := range []struct {
			of, as string
			by     *db.Account
			want   string // visibility of the reblog; "" is not found
		}{
			{of: db.Public, by: bob, want: db.Public},
			{of: db.Public, as: db.Unlisted, by: bob, want: db.Unlisted},
			{of: db.Public, as: db.Private, by: bob, want: db.Private},
			{of: db.Unlisted, by: bob, want: db.Public},
			{of: db.Local, by: bob, want: db.Local},
			{of: db.Local, as: db.Public, by: bob, want: db.Local},
			{of: db.Private, by: bob},
			{of: db.Private, by: ann, as: db.Public, want: db.Private},
			{of: db.Direct, by: bob},
			{of: db.Direct, by: ann},
		} {
			s := w.post(ann, social.NewStatus{Text: "@bob x", Visibility: rule.of})
			reblog, err := w.Reblog(ctx, rule.by, s.ID, rule.as)
			if rule.want == "" {
				wantNotFound(t, err)
				continue
			}
			if err != nil || reblog.Visibility != rule.want || *reblog.ReblogOfID != s.ID || *reblog.ReblogOfAccountID != ann.ID {
				t.Errorf("%s as %q by %s: %+v %v", rule.of, rule.as, rule.by.Nickname, reblog, err)
			}
		}
		s := w.post(ann, social.NewStatus{Text: "x"})
		_, err := w.Reblog(ctx, bob, s.ID, "list")
		wantRefusal(t, err, "Visibility is not included in the list")
		_, err = w.Reblog(ctx, bob, "nosuchid", "")
		wantNotFound(t, err)
	})
}

func TestReblogsAreOnceCountedAndDelivered(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, fan, shy := w.person("ann"), w.person("bob"), w.person("fan"), w.person("shy")
		w.follow(fan, bob)
		w.follow(ann, bob)
		w.must(w.Follow(ctx, shy, bob.ID, social.FollowOptions{Reblogs: no()}))
		s := w.post(ann, social.NewStatus{Text: "x"})
		first, err := w.Reblog(ctx, bob, s.ID, "")
		w.must(err)
		again, err := w.Reblog(ctx, bob, first.ID, "") // the reblog names the reblogged
		w.must(err)
		if again.ID != first.ID {
			t.Error("a second reblog was made")
		}
		got, err := w.d.StatusByID(ctx, s.ID)
		w.must(err)
		if got.ReblogsCount != 1 || w.counts(bob)[2] != 0 {
			t.Errorf("%d reblogs, bob's counts %v", got.ReblogsCount, w.counts(bob))
		}
		homes := map[string][]string{"bob": w.home(bob), "fan": w.home(fan), "shy": w.home(shy), "ann": w.home(ann)}
		want := map[string][]string{"bob": {first.ID}, "fan": {first.ID}, "shy": {}, "ann": {s.ID}}
		if diff := cmp.Diff(want, homes); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"reblog bob x"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		back, err := w.Unreblog(ctx, bob, s.ID)
		w.must(err)
		if back.ID != s.ID {
			t.Error("unreblog does not return the original")
		}
		_, err = w.Unreblog(ctx, bob, s.ID)
		wantRefusal(t, err, "Could not unrepeat")
		if got, _ := w.d.StatusByID(ctx, s.ID); got.ReblogsCount != 0 || len(w.news(ann)) != 0 || len(w.home(fan)) != 0 {
			t.Errorf("%d reblogs, news %v, home %v", got.ReblogsCount, w.news(ann), w.home(fan))
		}
	})
}

func TestExpiredStatusesAndDeadHomeEntriesAreSwept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		w.follow(bob, ann)
		kept := w.post(ann, social.NewStatus{Text: "kept", ExpiresIn: 2 * time.Hour})
		over := w.post(ann, social.NewStatus{Text: "over", ExpiresIn: 2 * time.Hour})
		gone := w.post(ann, social.NewStatus{Text: "gone"})
		w.post(ann, social.NewStatus{Text: "keyed", IdempotencyKey: "k"})
		w.must(w.Mute(ctx, bob, ann.ID, true, time.Hour))
		w.must(w.DeleteStatus(ctx, ann, gone.ID))
		past := db.At(time.Now().Add(-7 * time.Hour)).UnixMicro()
		for _, query := range []string{
			"UPDATE statuses SET expires_at = %d WHERE id = '" + over.ID + "'",
			"UPDATE idempotency_keys SET created_at = %d",
			"UPDATE mutes SET expires_at = %d",
		} {
			w.sql(query, past)
		}
		w.must(w.Due(ctx))
		w.must(w.Sweep(ctx))
		w.must(w.Sweep(ctx))
		if _, err := w.d.StatusByID(ctx, kept.ID); err != nil {
			t.Error(err)
		}
		_, err := w.d.StatusByID(ctx, over.ID)
		wantNotFound(t, err)
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM home_entries":     4, // two statuses for two people
			"SELECT COUNT(*) FROM mutes":            0,
			"SELECT COUNT(*) FROM idempotency_keys": 0,
		} {
			if got := w.rows(query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
	})
}

func TestTheSweepGoesOnWhereItStopped(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	var gone []*db.Status
	for range 6 {
		gone = append(gone, w.post(ann, social.NewStatus{Text: "x"}))
		w.post(ann, social.NewStatus{Text: "y"})
	}
	for _, s := range gone {
		w.must(w.DeleteStatus(t.Context(), ann, s.ID))
	}
	var removed []int64
	for range 4 {
		w.must(w.d.Tx(t.Context(), func(tx *db.DB) error {
			n, end, err := tx.SweepHomeEntries(t.Context(), 5)
			removed = append(removed, n)
			if end {
				removed = append(removed, -1)
			}
			return err
		}))
	}
	// Twelve entries, five at a time; then from the beginning, six are left.
	if diff := cmp.Diff([]int64{3, 2, 1, -1, 0}, removed); diff != "" {
		t.Error(diff)
	}
}
