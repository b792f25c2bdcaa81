package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestDeliveryTargetsUseIndexes looks at the plans of the queries behind each
// local activity.
func TestDeliveryTargetsUseIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		poll := int64(1)
		status := &db.Status{ID: "s", PollID: &poll}
		plans := dbtest.Plans(t, d, func(ctx context.Context) {
			_, followers := d.HasRemoteFollowers(ctx, "a")
			_, _, audible := d.RemoteReach(ctx, "a")
			_, addressees := d.RemoteRecipients(ctx, "s")
			_, _, holders := d.RemoteCopies(ctx, status)
			_, forgotten := d.DeleteReachedInboxes(ctx, "a", 10)
			_, block := d.Block(ctx, "a", "b")
			_, favourite := d.Favourite(ctx, "a", "s")
			_, reaction := d.Reaction(ctx, "a", "s", "x")
			for _, err := range []error{followers, audible, addressees, holders, forgotten} {
				if err != nil {
					t.Error(err)
				}
			}
			for _, err := range []error{block, favourite, reaction} {
				if !errors.Is(err, db.ErrNotFound) {
					t.Error(err)
				}
			}
		})
		if len(plans) < 8 {
			t.Errorf("%d plans", len(plans))
		}
		for sql, plan := range plans {
			if waste := dbtest.Wasteful(plan); len(waste) > 0 {
				t.Errorf("%q\n%q\n%s", waste, plan, sql)
			}
		}
	})
}

// TestUpdatesArePaced asks for updates of one thing, one after the other.
func TestUpdatesArePaced(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, now := t.Context(), d.Now()
		between := time.Minute.Microseconds()
		pace := func(at db.Time) db.Time {
			t.Helper()
			got, err := d.PaceUpdate(ctx, "x", at, between)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		end := func() bool {
			t.Helper()
			askedFacet, err := d.EndUpdate(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			return askedFacet
		}
		if got := pace(now); !got.Equal(now.Time) {
			t.Errorf("the first is due at %v, want %v", got, now)
		}
		if got := pace(now); !got.IsZero() {
			t.Errorf("one that waits is asked for again at %v", got)
		}
		if !end() || end() {
			t.Error("what was asked for ends once")
		}
		if got := pace(now); got.Sub(now.Time) < time.Minute {
			t.Errorf("the next is due after %v", got.Sub(now.Time))
		}
		if err := d.ForgetUpdate(ctx, "x"); err != nil || end() {
			t.Errorf("what is forgotten is asked for: %v", err)
		}
	})
}
