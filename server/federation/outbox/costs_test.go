package outbox_test

import (
	"context"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/outbox"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

// TestLocalActsCostOneOutboxStatementAtMost counts the statements of
// a post by someone without followers elsewhere, with an outbox and without.
func TestLocalActsCostOneOutboxStatementAtMost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		live, err := config.NewLive(config.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		parts := social.Parts{DB: d, Settings: live, Site: config.NewSite(dbtest.Base, false), Now: time.Now}
		without := social.New(parts)
		parts.Outbox = outbox.New(live, dbtest.Base)
		with := social.New(parts)
		ann := dbtest.Account(t, d, "ann")
		dbtest.Account(t, d, "bob")
		for _, tt := range []struct {
			name string
			do   func(ctx context.Context, s *social.Service) error
			most int64
		}{
			{"public", posting(ann, db.Public), 1},
			{"private", posting(ann, db.Private), 1},
			{"direct", posting(ann, db.Direct), 0},
			{"local", posting(ann, db.Local), 0},
		} {
			var counts []int64
			for _, s := range []*social.Service{with, without, with} { // the first learns who the relays are
				counts = append(counts, dbtest.Queries(t, func(ctx context.Context) {
					if err := tt.do(ctx, s); err != nil {
						t.Fatal(err)
					}
				}))
			}
			if more := counts[2] - counts[1]; more > tt.most {
				t.Errorf("%s: %d statements more with an outbox, want %d", tt.name, more, tt.most)
			}
		}
	})
}

func posting(by *db.Account, visibility string) func(ctx context.Context, s *social.Service) error {
	return func(ctx context.Context, s *social.Service) error {
		_, err := s.PostStatus(ctx, by, social.NewStatus{Text: "hello @bob", Visibility: visibility})
		return err
	}
}
