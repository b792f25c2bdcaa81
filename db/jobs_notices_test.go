package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
)

// TestJobsAreInsertedWithoutANotification listens to the topic of the job runner
// while jobs are inserted: a notification in a writing transaction would
// serialise all commits of the database.
func TestJobsAreInsertedWithoutANotification(t *testing.T) {
	dsn := onPostgres(t)
	d := dbtest.Open(t, dsn)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ear, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ear.Close(context.WithoutCancel(ctx)) }()
	if _, err := ear.Exec(ctx, `LISTEN "public.river_insert"`); err != nil {
		t.Fatal(err)
	}
	for name, insert := range map[string]func(tx *db.DB) error{
		"one":  func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.Sweep{}) },
		"many": func(tx *db.DB) error { return jobs.EnqueueAll(ctx, tx, []jobs.SweepMedia{{}, {}}) },
	} {
		if err := d.Tx(ctx, insert); err != nil {
			t.Fatal(name, err)
		}
	}
	if err := dbtest.Exec(t, d, "SELECT pg_notify('public.river_insert', 'the end')"); err != nil {
		t.Fatal(err)
	}
	heard, err := ear.WaitForNotification(ctx)
	if err != nil || heard.Payload != "the end" {
		t.Errorf("heard %+v, %v", heard, err)
	}
}
