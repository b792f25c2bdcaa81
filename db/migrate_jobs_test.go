package db_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"

	"svc/db"
	"svc/db/dbtest"
)

// TestPendingMigrationsOfTheJobQueueAreApplied has all of our own migrations, and
// fewer of the job queue: none, as after a first start on SQLite that was interrupted
// between both, some, and all but the last, as before a release that updates the job
// queue alone.
func TestPendingMigrationsOfTheJobQueueAreApplied(t *testing.T) {
	for name, opts := range map[string]rivermigrate.MigrateOpts{
		"none":             {TargetVersion: -1},
		"the first":        {TargetVersion: 1},
		"half":             {TargetVersion: 3},
		"all but the last": {MaxSteps: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				ctx := t.Context()
				m, err := rivermigrate.New(d.JobDriver(), &rivermigrate.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
				must(t, err)
				down, err := m.Migrate(ctx, rivermigrate.DirectionDown, &opts)
				must(t, err)
				before, err := d.Schema(ctx)
				if err != nil || !before.Pending() || len(before.Missing) > 0 || len(before.MissingJobs) != len(down.Versions) || before.Err() != nil {
					t.Errorf("schema %+v, %v, without %d migrations", before, err, len(down.Versions))
				}
				must(t, d.Migrate(ctx))
				if s, err := d.Schema(ctx); err != nil || s.Pending() {
					t.Errorf("schema %+v, %v", s, err)
				}
				if whole, err := m.Validate(ctx, nil); err != nil || !whole.OK {
					t.Errorf("the job queue is not migrated: %+v, %v", whole, err)
				}
			})
		})
	}
}

// TestJobsOfEarlierReleasesGoOn has jobs in every state as River 0.31 wrote them, whose
// last migration was the sixth. On SQLite their JSON was text, and is binary since.
func TestJobsOfEarlierReleasesGoOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		m, err := rivermigrate.New(d.JobDriver(), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
		must(t, err)
		_, err = m.Migrate(ctx, rivermigrate.DirectionDown, &rivermigrate.MigrateOpts{TargetVersion: 6})
		must(t, err)
		ran, failed, at := `'["old"]'`, `'[{"at":"2026-01-01T00:00:00Z","attempt":1,"error":"first","trace":""},{"at":"2026-01-01T00:00:00Z","attempt":2,"error":"the last","trace":""}]'`, "'2026-01-01 00:00:00'"
		if d.Dialect() == db.Postgres {
			ran = "ARRAY['old']"
			failed = `ARRAY['{"at":"2026-01-01T00:00:00Z","attempt":1,"error":"first","trace":""}', '{"at":"2026-01-01T00:00:00Z","attempt":2,"error":"the last","trace":""}']::jsonb[]`
		}
		const columns = "INSERT INTO river_job (id, kind, args, state, attempt, max_attempts, attempted_by, errors, finalized_at, scheduled_at) VALUES "
		for _, row := range []string{
			`(11, 'settle', '{"account_id":"waits"}', 'available', 0, 25, NULL, NULL, NULL, ` + at + ")",
			`(12, 'settle', '{"account_id":"runs"}', 'running', 1, 25, ` + ran + ", NULL, NULL, " + at + ")",
			`(13, 'settle', '{"account_id":"failed"}', 'retryable', 2, 25, ` + ran + ", " + failed + ", NULL, " + at + ")",
			`(14, 'settle', '{"account_id":"lost"}', 'discarded', 2, 2, ` + ran + ", " + failed + ", " + at + ", " + at + ")",
			`(15, 'settle', '{"account_id":"done"}', 'completed', 1, 25, ` + ran + ", NULL, " + at + ", " + at + ")",
		} {
			must(t, dbtest.Exec(t, d, columns+row))
		}
		must(t, d.Migrate(ctx))
		if held, err := d.HeldJobs(ctx, "old"); err != nil || !slices.Equal(held, []int64{12}) {
			t.Errorf("%v run, %v", held, err)
		}
		if r, err := d.ReviveClaims(ctx, []string{"old"}); err != nil || r.Jobs != 1 {
			t.Errorf("revived %+v, %v", r, err)
		}
		found, err := d.FailedJobs(ctx, "", 0, 10)
		if err != nil || len(found) != 2 || found[0].ID != 14 || found[1].ID != 13 || found[0].Error != "the last" || found[1].Error != "the last" {
			t.Errorf("failed %+v, %v", found, err)
		}
		must(t, d.RetryJob(ctx, 13))
		must(t, d.RetryJob(ctx, 14))
		claimed, err := d.JobDriver().GetExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: "new", MaxAttemptedBy: 10, MaxToLock: 10, Queue: river.QueueDefault})
		must(t, err)
		got := map[string]int{}
		for _, job := range claimed.Jobs {
			var args struct {
				AccountID string `json:"account_id"`
			}
			must(t, json.Unmarshal(job.EncodedArgs, &args))
			got[args.AccountID] = len(job.Errors)
		}
		if want := map[string]int{"waits": 0, "runs": 0, "failed": 2, "lost": 2}; !maps.Equal(got, want) || len(claimed.DecodeErrors) > 0 {
			t.Errorf("claimed %v, %v; want %v", got, claimed.DecodeErrors, want)
		}
	})
}

// TestANewerJobQueueIsRefused: a newer program may have migrated the job queue alone.
func TestANewerJobQueueIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, dbtest.Exec(t, d, "INSERT INTO river_migration (line, version) VALUES ('main', 9999)"))
		if err := d.Migrate(t.Context()); !errors.Is(err, db.ErrNewer) {
			t.Errorf("Migrate() = %v, want ErrNewer", err)
		}
	})
}
