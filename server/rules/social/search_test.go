package social_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

// TestReindexLeavesTheRestToAnotherJob holds a long reindex to less than a job
// may take, and to chunks between which others write.
func TestReindexLeavesTheRestToAnotherJob(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		for range 201 {
			w.must(w.d.CreateStatus(ctx, &db.Status{ID: w.d.NewID(), AccountID: ann.ID, Local: true,
				Visibility: db.Public, Content: "<p>an old lantern</p>", CreatedAt: w.d.Now()}))
		}
		w.must(w.d.SetMeta(ctx, "reindex_statuses", ""))
		found := func() int {
			refs, err := w.d.SearchStatuses(ctx, db.Viewer{}, db.StatusSearch{Query: "lantern", Limit: 1000})
			w.must(err)
			return len(refs)
		}
		clock := time.Now()
		hurried := social.New(social.Parts{DB: w.d, Settings: w.settings, Site: config.NewSite(dbtest.Base, false), Now: func() time.Time { clock = clock.Add(25 * time.Second); return clock }})
		w.must(hurried.Reindex(ctx))
		if n, more := found(), w.rows("SELECT count(*) FROM river_job WHERE kind = 'reindex'"); n == 0 || n >= 201 || more != 1 {
			t.Fatalf("%d found after the first job, %d more jobs", n, more)
		}
		w.must(w.Reindex(ctx))
		if n := found(); n != 201 {
			t.Errorf("%d found in the end", n)
		}
	})
}
