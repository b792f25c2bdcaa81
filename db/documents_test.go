package db_test

import (
	"context"
	"errors"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestFederationDocumentsUseIndexes holds every query of documents to an index
// that gives its order, since anybody may request documents.
func TestFederationDocumentsUseIndexes(t *testing.T) {
	page, above := db.Page{MaxID: "z", Limit: 20}, db.Page{MinID: "a", Limit: 20}
	askedFacet := map[string]func(ctx context.Context, d *db.DB) error{
		"outbox":         func(ctx context.Context, d *db.DB) error { return err1(d.PublicStatuses(ctx, "a", page)) },
		"outbox upwards": func(ctx context.Context, d *db.DB) error { return err1(d.PublicStatuses(ctx, "a", above)) },
		"followers":      func(ctx context.Context, d *db.DB) error { return err1(d.FollowerURIs(ctx, "a", page)) },
		"following":      func(ctx context.Context, d *db.DB) error { return err1(d.FollowingURIs(ctx, "a", page)) },
		"thread":         func(ctx context.Context, d *db.DB) error { return err1(d.ThreadURIs(ctx, 1, page)) },
		"pins":           func(ctx context.Context, d *db.DB) error { return err1(d.PinnedURIs(ctx, "a", 20)) },
		"own replies":    func(ctx context.Context, d *db.DB) error { return err1(d.OwnReplies(ctx, "a", 5)) },
		"conversation":   func(ctx context.Context, d *db.DB) error { return missing(err1(d.ConversationByURI(ctx, "a"))) },
		"tombstone":      func(ctx context.Context, d *db.DB) error { return missing(err1(d.TombstoneOf(ctx, "a"))) },
		"deletion":       func(ctx context.Context, d *db.DB) error { return err1(d.DeletedAt(ctx, "a")) },
		"activity":       func(ctx context.Context, d *db.DB) error { return missing(err1(d.ActivityByURI(ctx, "a"))) },
		"standing":       func(ctx context.Context, d *db.DB) error { return err1(d.RemoteAccessOf(ctx, "a", "b", "c")) },
		"blocks":         func(ctx context.Context, d *db.DB) error { return err1(d.BlocksAnybody(ctx, "a")) },
		"fetcher":        func(ctx context.Context, d *db.DB) error { return d.AddFetcher(ctx, "s", "https://far.example/inbox") },
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		for name, ask := range askedFacet {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := ask(ctx, d); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for query, plan := range plans {
				for _, line := range dbtest.Wasteful(plan) {
					t.Errorf("%s: %s\n%s\n%q", name, line, query, plan)
				}
			}
		}
	})
}

// missing drops ErrNotFound.
func missing(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
