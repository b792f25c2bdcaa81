package social_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

// TestPruningKeepsWhatSomebodyHereHasToDoWith, and what is new or not public.
func TestPruningKeepsWhatSomebodyHereHasToDoWith(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, far := w.person("ann"), w.person("far")
		far.Local, far.Domain = false, "far.example"
		w.must(w.d.UpdateAccount(ctx, far, "local", "domain"))
		n := 0
		remote := func(in social.NewStatus) *db.Status {
			n++
			in.URI, in.HTML = "https://far.example/"+string(rune('a'+n)), "<p>x</p>"
			return w.post(far, in)
		}
		own := w.post(ann, social.NewStatus{Text: "mine"})
		loose, unlisted := remote(social.NewStatus{}), remote(social.NewStatus{Visibility: db.Unlisted})
		chain := remote(social.NewStatus{InReplyToID: loose.ID})
		kept := map[string]*db.Status{
			"private": remote(social.NewStatus{Visibility: db.Private}), "liked": remote(social.NewStatus{}), "marked": remote(social.NewStatus{}),
			"reacted": remote(social.NewStatus{}), "boosted": remote(social.NewStatus{}), "answered": remote(social.NewStatus{}),
			"an answer": remote(social.NewStatus{InReplyToID: own.ID}), "own": own,
			"addressed": remote(social.NewStatus{To: []string{"ann"}}),
		}
		for _, act := range []func() error{
			func() error { _, err := w.Favourite(ctx, ann, kept["liked"].ID); return err },
			func() error { _, err := w.Bookmark(ctx, ann, kept["marked"].ID); return err },
			func() error { _, err := w.React(ctx, ann, kept["reacted"].ID, "🎉"); return err },
			func() error { _, err := w.Reblog(ctx, ann, kept["boosted"].ID, ""); return err },
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
		if diff := cmp.Diff([]int{0, 3, 0}, removed); diff != "" {
			t.Errorf("removed (-want +got):\n%s", diff)
		}
		for _, s := range []*db.Status{loose, unlisted, chain} {
			_, err := w.d.StatusByID(ctx, s.ID)
			wantNotFound(t, err)
		}
		for name, s := range kept {
			if _, err := w.d.StatusByID(ctx, s.ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		again := w.post(far, social.NewStatus{HTML: "<p>x</p>", URI: *loose.URI}) // it may be fetched again
		if again.ID == loose.ID {
			t.Error("it is the old one")
		}
	})
}
