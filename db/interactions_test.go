package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestActsAreFoundByIndexes holds the lists of favourites, reactions, bookmarks
// and votes, and of rows that belong to them, to indexes that give their order.
func TestActsAreFoundByIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		var statuses []string
		for i := range 60 {
			id := w.post(t, db.Public)
			statuses = append(statuses, id)
			if err := d.CreateBookmark(t.Context(), w.named.ID, id); err != nil {
				t.Fatal(err)
			}
			if _, err := d.CreateFavourite(t.Context(), &db.Favourite{AccountID: w.named.ID, StatusID: id, ID: d.NewID(), CreatedAt: d.Now()}); err != nil {
				t.Fatal(err)
			}
			p := &db.Poll{StatusID: id, Options: db.Slice[db.PollOption]{{Title: "a"}}, CreatedAt: d.Now()}
			if err := d.CreatePoll(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if err := d.CreateCard(t.Context(), &db.Card{Link: fmt.Sprint(i), FetchedAt: d.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		v := db.Viewer{ID: w.named.ID, Relations: db.Relations{Blocks: true, Mutes: true, Bookmarks: true, ThreadMutes: true, DomainBlocks: true}}
		p := db.Page{MaxID: "40", Limit: 20}
		for name, list := range map[string]func(ctx context.Context) error{
			"bookmarks":             func(ctx context.Context) error { _, err := d.Bookmarks(ctx, v, p); return err },
			"own favourites":        func(ctx context.Context) error { _, err := d.Favourites(ctx, v, v.ID, p); return err },
			"another's favourites":  func(ctx context.Context) error { _, err := d.Favourites(ctx, v, w.author.ID, p); return err },
			"favourites, strangers": func(ctx context.Context) error { _, err := d.Favourites(ctx, db.Viewer{}, w.author.ID, p); return err },
			"own votes":             func(ctx context.Context) error { _, err := d.OwnVotes(ctx, v.ID, []int64{1, 2, 3}); return err },
			"polls":                 func(ctx context.Context) error { _, err := d.Polls(ctx, []int64{1, 2, 3}); return err },
			"own reactions":         func(ctx context.Context) error { _, err := d.OwnReactions(ctx, v, statuses[:3]); return err },
			"cards":                 func(ctx context.Context) error { _, err := d.Cards(ctx, []int64{1, 2, 3}); return err },
			"a link's card": func(ctx context.Context) error {
				_, err := d.CardByLink(ctx, "nothing")
				if errors.Is(err, db.ErrNotFound) {
					return nil
				}
				return err
			},
			"a link's failures": func(ctx context.Context) error { _, err := d.LinkFailedSince(ctx, "x", d.Now()); return err },
			"old failures":      func(ctx context.Context) error { _, err := d.SweepCards(ctx, 2); return err },
			"pinned":            func(ctx context.Context) error { _, err := d.Pinned(ctx, w.author.ID); return err },
		} {
			for sql, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
				if err := list(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}) {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s: %q\n%q\n%s", name, waste, plan, sql)
				}
			}
		}
		if n := dbtest.Queries(t, func(ctx context.Context) {
			refs, err := d.Bookmarks(ctx, v, p)
			if err != nil || len(refs) != 20 || refs[0].Key != "39" || refs[0].ID != statuses[38] || !refs[0].Bookmarked || !refs[0].Favourited {
				t.Errorf("%d bookmarks, %+v, %v", len(refs), refs[0], err)
			}
		}); n != 1 {
			t.Errorf("a page of bookmarks takes %d statements", n)
		}
		oldest, err := d.Bookmarks(t.Context(), v, db.Page{MinID: "10", Limit: 2})
		if err != nil || len(oldest) != 2 || oldest[0].Key != "12" || oldest[1].Key != "11" {
			t.Errorf("%+v, %v", oldest, err)
		}
	})
}

// TestReactorsAreFewAndOnlyThoseShown: every reaction counts, but its account
// is listed only if the viewer may see it.
func TestReactorsAreFewAndOnlyThoseShown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		id := w.post(t, db.Public)
		react := func(by *db.Account, emoji string) {
			t.Helper()
			if _, err := d.CreateReaction(t.Context(), &db.EmojiReaction{ID: d.NewID(), AccountID: by.ID, StatusID: id, Emoji: emoji, CreatedAt: d.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		react(w.stranger, "👍")
		react(w.author, "👍")
		react(w.named, "🐈")
		react(w.follower, "👍")
		if err := dbtest.Exec(t, d, "UPDATE accounts SET deactivated = TRUE WHERE id = ?", w.stranger.ID); err != nil {
			t.Fatal(err)
		}
		list := func(v db.Viewer, emoji string) map[string][]string {
			t.Helper()
			all, err := d.Reactors(t.Context(), v, id, emoji)
			if err != nil {
				t.Fatal(err)
			}
			out := map[string][]string{}
			for emoji, refs := range all {
				for _, r := range refs {
					out[emoji] = append(out[emoji], r.ID)
				}
			}
			return out
		}
		muter := db.Viewer{ID: w.muter.ID, Relations: db.Relations{Mutes: true, Blocks: true}}
		if diff := cmp.Diff(map[string][]string{"👍": {w.author.ID, w.follower.ID}, "🐈": {w.named.ID}}, list(db.Viewer{}, "")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string][]string{"👍": {w.follower.ID}, "🐈": {w.named.ID}}, list(muter, "")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string][]string{"👍": {w.follower.ID}}, list(muter, "👍")); diff != "" {
			t.Error(diff)
		}
		for i := range 90 {
			react(dbtest.Account(t, d, fmt.Sprintf("crowd%d", i)), "🎉")
		}
		if n := len(list(db.Viewer{}, "🎉")["🎉"]); n != 80 {
			t.Errorf("%d of 90 are listed, want 80", n)
		}
	})
}

func TestAMuteThatIsOverHidesNoReactions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newTown(t, d)
		id := w.post(t, db.Public)
		if _, err := d.CreateReaction(t.Context(), &db.EmojiReaction{ID: d.NewID(), AccountID: w.author.ID, StatusID: id, Emoji: "👍", CreatedAt: d.Now()}); err != nil {
			t.Fatal(err)
		}
		muter := db.Viewer{ID: w.muter.ID, Relations: db.Relations{Mutes: true}}
		for ends, want := range map[db.Time]int{{}: 1, d.Now().Add(time.Hour): 1, d.Now().Add(-time.Hour): 0} {
			if err := dbtest.Exec(t, d, "UPDATE mutes SET expires_at = ? WHERE account_id = ?", ends, w.muter.ID); err != nil {
				t.Fatal(err)
			}
			own, err := d.OwnReactions(t.Context(), muter, []string{id})
			if err != nil || own[id].Unseen["👍"] != want {
				t.Errorf("a mute until %v hides %d reactions, %v", ends, own[id].Unseen["👍"], err)
			}
		}
	})
}
