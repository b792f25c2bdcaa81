package db_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestAChunkOfFollowsReadsNoOthers: of an account with many follows and followers,
// each statement of a chunk finds its rows by both columns of the index. Otherwise
// all chunks together cost the square of their number.
func TestAChunkOfFollowsReadsNoOthers(t *testing.T) {
	t.Parallel()
	const chunk = 200
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann := dbtest.Account(t, d, "ann")
		for i := range chunk + 1 {
			p := dbtest.Account(t, d, fmt.Sprint("p", i))
			for _, f := range []db.Follow{{FollowerID: p.ID, TargetID: ann.ID, Local: true}, {FollowerID: ann.ID, TargetID: p.ID, Local: true}} {
				f.ID, f.CreatedAt = d.NewID(), d.Now()
				must(t, d.Tx(ctx, func(tx *db.DB) error { return tx.CreateFollow(ctx, &f) }))
			}
		}
		ann.Deactivated = true
		must(t, d.UpdateAccount(ctx, ann, "deactivated"))
		plans := dbtest.Plans(t, d, func(ctx context.Context) {
			must(t, d.Tx(ctx, func(tx *db.DB) error {
				next, err := tx.CountFollowing(ctx, ann.ID, "", chunk)
				if err == nil && next == "" {
					t.Error("there is one chunk")
				}
				return err
			}))
			must(t, d.Tx(ctx, func(tx *db.DB) error {
				cut, more, err := tx.CutLocalFollows(ctx, ann.ID, chunk)
				if cut != chunk || !more {
					t.Errorf("%d follows end, more: %t", cut, more)
				}
				return err
			}))
		})
		seen := 0
		for sql, plan := range plans {
			if !strings.Contains(sql, "BETWEEN") {
				continue
			}
			seen++
			for _, line := range plan {
				here := strings.Contains(line, "target_id") || strings.Contains(line, "follower_id")
				by := strings.Contains(line, "Index Cond: ") || strings.Contains(line, "SEARCH follows")
				joined := strings.Contains(line, "(id = ")
				if here && by && !joined && strings.Count(line, "target_id")*strings.Count(line, "follower_id") == 0 {
					t.Errorf("%s: %.150s", line, sql)
				}
			}
		}
		if seen != 3 {
			t.Errorf("%d statements are about a chunk", seen)
		}
	})
}

// TestAChunkOfNotificationsReadsNoOthers: likewise of somebody with many
// notifications.
func TestAChunkOfNotificationsReadsNoOthers(t *testing.T) {
	t.Parallel()
	const chunk = 200
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		for range chunk + 1 {
			_, err := d.Notify(ctx, db.News{Type: db.NotifyFavourite, From: bob, StatusID: d.NewID(), To: []string{ann.ID}})
			must(t, err)
		}
		plans := dbtest.Plans(t, d, func(ctx context.Context) {
			ids, err := d.SeeNotifications(ctx, ann.ID, math.MaxInt64, chunk)
			must(t, err)
			if len(ids) != chunk {
				t.Errorf("%d are seen", len(ids))
			}
			next, err := d.ClearNotifications(ctx, ann.ID, math.MaxInt64, chunk)
			must(t, err)
			if next == 0 {
				t.Error("there is one chunk")
			}
		})
		seen := 0
		for sql, plan := range plans {
			if !strings.Contains(sql, "IN (") || !strings.Contains(sql, "notifications") {
				continue
			}
			seen++
			for _, line := range plan {
				if strings.Contains(line, "Index Cond: (account_id") || strings.Contains(line, "(account_id=?)") {
					t.Errorf("%s: %.150s", line, sql)
				}
			}
		}
		if seen != 2 {
			t.Errorf("%d statements are about a chunk", seen)
		}
	})
}
