package social_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// row is a status as it is now.
func (w *world) row(s *db.Status) *db.Status {
	w.t.Helper()
	s, err := w.d.StatusByID(w.t.Context(), s.ID)
	w.must(err)
	return s
}

func TestReactionsAreCountedOldestEmojiFirstAndTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		s := w.post(ann, social.NewStatus{Text: "post"})
		reblog, err := w.Reblog(t.Context(), cat, s.ID, "")
		w.must(err)
		for _, r := range []struct {
			by    *db.Account
			id    string
			emoji string
		}{{bob, s.ID, "👍"}, {cat, reblog.ID, "🐈"}, {cat, s.ID, "👍"}, {bob, s.ID, "👍"}, {ann, s.ID, "🇩"}} {
			got, err := w.React(t.Context(), r.by, r.id, r.emoji)
			w.must(err)
			if got.ID != s.ID {
				t.Errorf("a reaction to %s is one to %s", r.id, got.ID)
			}
		}
		want := db.Slice[db.ReactionCount]{{Emoji: "👍", Count: 2}, {Emoji: "🐈", Count: 1}, {Emoji: "🇩", Count: 1}}
		if diff := cmp.Diff(want, w.row(s).Reactions); diff != "" {
			t.Error(diff)
		}
		told := []string{"svc:emoji_reaction cat post", "svc:emoji_reaction cat post", "svc:emoji_reaction bob post", "reblog cat post"}
		if diff := cmp.Diff(told, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		if _, err := w.Unreact(t.Context(), cat, s.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Unreact(t.Context(), bob, s.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		want = want[1:]
		if diff := cmp.Diff(want, w.row(s).Reactions); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"svc:emoji_reaction cat post", "reblog cat post"}, w.news(ann)); diff != "" {
			t.Error(diff)
		}
		if w.rows("SELECT COUNT(*) FROM notifications WHERE emoji = ?", "🐈") != 1 {
			t.Error("the notification does not name its emoji")
		}
	})
}

func TestOnlyEmojiOnVisibleStatusesAreReactedWith(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann, bob := w.person("ann"), w.person("bob")
	s, secret := w.post(ann, social.NewStatus{Text: "x"}), w.post(ann, social.NewStatus{Text: "y", Visibility: db.Direct})
	for _, emoji := range []string{"", "x", "❤", "👍👍", ":fox:", "\U0001FADD"} {
		if _, err := w.React(t.Context(), bob, s.ID, emoji); refusal(t, err) != "Could not add reaction emoji" {
			t.Errorf("%q: %v", emoji, err)
		}
	}
	if _, err := w.Unreact(t.Context(), bob, s.ID, "👍"); refusal(t, err) != "Could not remove reaction emoji" {
		t.Error(err)
	}
	for _, id := range []string{secret.ID, "nothing"} {
		if _, err := w.React(t.Context(), bob, id, "👍"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := w.Unreact(t.Context(), bob, id, "👍"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if n := w.rows("SELECT COUNT(*) FROM emoji_reactions"); n != 0 {
		t.Errorf("%d reactions", n)
	}
}

func TestReactionsOfManyAtOnceAreAllCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.post(w.person("ann"), social.NewStatus{Text: "x"})
		var wg sync.WaitGroup
		for i := range 10 {
			by := w.person(fmt.Sprintf("fan%d", i))
			for _, emoji := range []string{"👍", "🐈", "👍"} {
				wg.Go(func() {
					if _, err := w.React(t.Context(), by, s.ID, emoji); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		got := map[string]int{}
		for _, r := range w.row(s).Reactions {
			got[r.Emoji] += r.Count
		}
		if diff := cmp.Diff(map[string]int{"👍": 10, "🐈": 10}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBookmarksAreKeptOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		first, second := w.post(ann, social.NewStatus{Text: "1"}), w.post(ann, social.NewStatus{Text: "2"})
		secret := w.post(ann, social.NewStatus{Text: "3", Visibility: db.Direct})
		for _, s := range []*db.Status{second, first, second} {
			_, err := w.Bookmark(t.Context(), bob, s.ID)
			w.must(err)
		}
		if _, err := w.Bookmark(t.Context(), bob, secret.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("bookmarked what he may not see: %v", err)
		}
		list := func() []string {
			refs, err := w.d.Bookmarks(t.Context(), w.viewer(bob), db.Page{Limit: 10})
			w.must(err)
			ids := []string{}
			for _, r := range refs {
				ids = append(ids, r.ID)
			}
			return ids
		}
		if diff := cmp.Diff([]string{first.ID, second.ID}, list()); diff != "" {
			t.Error(diff)
		}
		for range 2 {
			_, err := w.Unbookmark(t.Context(), bob, second.ID)
			w.must(err)
		}
		w.must(dbtest.Exec(t, w.d, "UPDATE statuses SET visibility = 'direct' WHERE id = ?", first.ID))
		if diff := cmp.Diff([]string{}, list()); diff != "" {
			t.Errorf("what may be seen no more: %s", diff)
		}
	})
}

func TestPinsAreFewPublicAndTheAuthorsOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		for visibility, want := range map[string]string{db.Public: "", db.Unlisted: "", db.Local: "", db.Private: "Could not pin", db.Direct: "Could not pin"} {
			s := w.post(ann, social.NewStatus{Text: visibility, Visibility: visibility})
			_, err := w.Pin(t.Context(), ann, s.ID)
			if got := refusal(t, err); got != want {
				t.Errorf("%s: %q, want %q", visibility, got, want)
			}
			if err == nil {
				_, err = w.Unpin(t.Context(), ann, s.ID)
				w.must(err)
			}
		}
		one, two := w.post(ann, social.NewStatus{Text: "1"}), w.post(ann, social.NewStatus{Text: "2"})
		reblog, err := w.Reblog(t.Context(), ann, one.ID, "")
		w.must(err)
		for range 2 { // repeating changes nothing
			s, err := w.Pin(t.Context(), ann, one.ID)
			w.must(err)
			if s.PinnedAt.IsZero() {
				t.Error("not pinned")
			}
		}
		for name, c := range map[string]struct {
			do   func() error
			want string
		}{
			"one too many":    {func() error { _, err := w.Pin(t.Context(), ann, two.ID); return err }, "You have already pinned the maximum number of statuses"},
			"another's":       {func() error { _, err := w.Pin(t.Context(), bob, one.ID); return err }, "Could not pin"},
			"a reblog":        {func() error { _, err := w.Pin(t.Context(), ann, reblog.ID); return err }, "Could not pin"},
			"unpin another's": {func() error { _, err := w.Unpin(t.Context(), bob, one.ID); return err }, "Could not unpin"},
			"unpin unpinned":  {func() error { _, err := w.Unpin(t.Context(), ann, two.ID); return err }, ""},
		} {
			if got := refusal(t, c.do()); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		if _, err := w.Pin(t.Context(), ann, "nothing"); !errors.Is(err, db.ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestNoMoreIsPinnedAtOnceThanMayBe(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		next := *w.settings.Load()
		next.Instance.MaxPinnedStatuses = 3
		w.must(w.settings.Swap(next))
		ann := w.person("ann")
		var wg sync.WaitGroup
		for i := range 8 {
			s := w.post(ann, social.NewStatus{Text: fmt.Sprint(i)})
			wg.Go(func() { _, _ = w.Pin(t.Context(), ann, s.ID) })
		}
		wg.Wait()
		if n := w.rows("SELECT COUNT(*) FROM statuses WHERE pinned_at IS NOT NULL"); n != 3 {
			t.Errorf("%d are pinned, want 3", n)
		}
	})
}

func TestAPinnedStatusOutlivesItsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		s := w.post(ann, social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
		_, err := w.Pin(t.Context(), ann, s.ID)
		w.must(err)
		w.must(dbtest.Exec(t, w.d, "UPDATE statuses SET expires_at = 1 WHERE id = ?", s.ID))
		w.must(w.ExpireStatus(t.Context(), jobs.ExpireStatus{StatusID: s.ID}))
		w.must(w.Sweep(t.Context()))
		before := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'expire_status'")
		if _, err := w.Unpin(t.Context(), ann, s.ID); err != nil {
			t.Fatalf("the pinned status is gone: %v", err)
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'expire_status'"); n != before+1 {
			t.Errorf("unpinning left %d jobs to delete it", n-before)
		}
		w.must(w.ExpireStatus(t.Context(), jobs.ExpireStatus{StatusID: s.ID}))
		if _, err := w.d.StatusByID(t.Context(), s.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("after unpinning it is still there: %v", err)
		}
	})
}

func TestADeletedStatusLeavesNoActsBehind(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		s := w.post(ann, social.NewStatus{Text: "x", Poll: ask(60, "a", "b")})
		_, err := w.React(t.Context(), bob, s.ID, "👍")
		w.must(err)
		_, err = w.Bookmark(t.Context(), bob, s.ID)
		w.must(err)
		_, _, err = w.Vote(t.Context(), bob, *s.PollID, []int{0})
		w.must(err)
		card := &db.Card{Link: "l", URL: "u", Title: "t", FetchedAt: w.d.Now()}
		w.must(w.d.CreateCard(t.Context(), card))
		w.must(w.d.AttachCard(t.Context(), s.ID, card.ID))
		w.must(w.DeleteStatus(t.Context(), ann, s.ID))
		for _, table := range []string{"emoji_reactions", "bookmarks", "polls", "poll_votes", "cards", "notifications"} {
			if n := w.rows("SELECT COUNT(*) FROM " + table); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}
