package social_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
)

// TestPruningKeepsWhatSomebodyHereHasToDoWith: statuses that are new, not
// public, or used by a local account stay.
func TestPruningKeepsWhatSomebodyHereHasToDoWith(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, far := w.person("ann"), w.person("far")
		far.Local, far.Domain = false, "far.example"
		w.must(w.d.UpdateAccount(ctx, far, "local", "domain"))
		remote := func(visibility string, parent *db.Status, named ...*db.Account) *db.Status {
			p := activitypub.Post{Content: "<p>x</p>"}
			if parent != nil {
				p.InReplyTo = *parent.URI
			}
			return socialtest.Post(t, w.Service, far, visibility, p, named...)
		}
		poll := func() *db.Status {
			return socialtest.Post(t, w.Service, far, db.Public, activitypub.Post{Content: "<p>?</p>", Poll: &activitypub.Poll{Options: []activitypub.Option{{Name: "a"}, {Name: "b"}}}})
		}
		public := func() *db.Status { return remote(db.Public, nil) }
		own := w.post(ann, social.NewStatus{Text: "mine"})
		loose, unlisted, asked := public(), remote(db.Unlisted, nil), poll()
		chain := remote(db.Public, loose)
		kept := map[string]*db.Status{
			"private": remote(db.Private, nil), "liked": public(), "marked": public(), "reacted": public(), "reblogged": public(), "answered": public(),
			"an answer": remote(db.Public, own), "own": own, "addressed": remote(db.Public, nil, ann),
			"voted on": poll(), "filtered": public(), "reported": public(),
		}
		title, contexts := "these", int64(db.FilterHome)
		filter, err := w.CreateFilter(ctx, ann, social.Filter{Title: &title, Contexts: &contexts}, "")
		w.must(err)
		w.sql("INSERT INTO report_statuses (report_id, status_id, position) VALUES ('r', '%s', 0)", kept["reported"].ID)
		for _, act := range []func() error{
			func() error { _, _, err := w.Vote(ctx, ann, *kept["voted on"].PollID, []int{1}); return err },
			func() error {
				_, err := w.AddFilterStatus(ctx, ann, filter.Number, kept["filtered"].ID, "")
				return err
			},
			func() error { _, err := w.Favourite(ctx, ann, kept["liked"].ID); return err },
			func() error { _, err := w.Bookmark(ctx, ann, kept["marked"].ID); return err },
			func() error { _, err := w.React(ctx, ann, kept["reacted"].ID, "🎉"); return err },
			func() error { _, err := w.Reblog(ctx, ann, kept["reblogged"].ID, ""); return err },
			func() error {
				_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "re", InReplyToID: kept["answered"].ID})
				return err
			},
		} {
			w.must(act())
		}
		at := func(days int) *social.Service {
			later := time.Now().Add(time.Duration(days)*24*time.Hour + time.Minute)
			return social.New(social.Parts{DB: w.d, Settings: w.settings, Site: config.NewSite("https://x.example", false), Now: func() time.Time { return later }})
		}
		removed := []int{}
		for _, days := range []int{89, 90, 91} {
			n, err := at(days).Prune(ctx)
			w.must(err)
			removed = append(removed, n)
		}
		if diff := cmp.Diff([]int{0, 4, 0}, removed); diff != "" {
			t.Errorf("removed (-want +got):\n%s", diff)
		}
		for _, s := range []*db.Status{loose, unlisted, asked, chain} {
			_, err := w.d.StatusByID(ctx, s.ID)
			wantNotFound(t, err)
		}
		for name, s := range kept {
			if _, err := w.d.StatusByID(ctx, s.ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		again := socialtest.Post(t, w.Service, far, db.Public, activitypub.Post{ID: *loose.URI, Content: "<p>x</p>"}) // it may be fetched again
		if again.ID == loose.ID {
			t.Error("it is the old one")
		}
	})
}

// TestOldPostsArePrunedByThemselvesWhereAdminsSaySo: the job goes on behind the last
// status that it looked at, begins again behind the last of all, and ends once the
// setting is taken back.
func TestOldPostsArePrunedByThemselvesWhereAdminsSaySo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		far := w.stranger("far", "far.example")
		var posts []*db.Status
		for range 3 {
			posts = append(posts, socialtest.Post(t, w.Service, far, db.Public, activitypub.Post{Content: "<p>x</p>"}))
		}
		later := time.Now().Add(91 * 24 * time.Hour)
		s := social.New(social.Parts{DB: w.d, Settings: w.settings, Site: config.NewSite("https://x.example", false), Now: func() time.Time { return later }})
		prune := func(on bool, may time.Duration) int {
			settings := *w.settings.Load()
			settings.Instance.PruneRemotePosts = on
			w.must(w.settings.Swap(settings))
			removed, err := s.PruneOn(ctx, may)
			w.must(err)
			return removed
		}
		w.must(w.d.SetMeta(ctx, db.PrunedUpTo, posts[0].ID))
		for i, c := range []struct {
			on   bool
			may  time.Duration
			want int
		}{
			{false, time.Hour, 0},
			{true, 0, 0},
			{true, time.Hour, 2}, // the two behind the place
			{true, time.Hour, 1}, // from the beginning
			{true, time.Hour, 0},
		} {
			if got := prune(c.on, c.may); got != c.want {
				t.Errorf("run %d removed %d, want %d", i, got, c.want)
			}
		}
		w.wantRows(0, "statuses")
	})
}
