package db_test

import (
	"errors"
	"io"
	"log/slog"
	"testing"

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
				if whole, err := m.Validate(ctx); err != nil || !whole.OK {
					t.Errorf("the job queue is not migrated: %+v, %v", whole, err)
				}
			})
		})
	}
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
