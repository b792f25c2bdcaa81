package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestATransactionWaitsSeldom counts round trips: none for a transaction that does nothing,
// one for statements whose results nobody needs, and one more for each result.
func TestATransactionWaitsSeldom(t *testing.T) {
	d := dbtest.Open(t, onPostgres(t))
	ann := dbtest.Account(t, d, "ann")
	count := func(ctx context.Context, tx *db.DB) error { return tx.AddCounts(ctx, ann.ID, db.Counts{Statuses: 1}) }
	read := func(ctx context.Context, tx *db.DB) error { _, err := tx.Account(ctx, ann.ID); return err }
	for _, rule := range []struct {
		name  string
		steps []func(context.Context, *db.DB) error
		want  int64
	}{
		{"nothing", nil, 0},
		{"two writes", []func(context.Context, *db.DB) error{count, count}, 1},
		{"a read", []func(context.Context, *db.DB) error{read}, 2},
		{"a write, a read, a write", []func(context.Context, *db.DB) error{count, read, count}, 2},
	} {
		ctx, n := db.CountRoundTrips(t.Context())
		must(t, d.Tx(ctx, func(tx *db.DB) error {
			for _, step := range rule.steps {
				if err := step(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		}))
		if n.Load() != rule.want {
			t.Errorf("%s: %d round trips, want %d", rule.name, n.Load(), rule.want)
		}
	}
}

// TestAPostponedStatementFailsItsTransaction: whoever carries a statement out that was
// postponed reports its failure, and nothing of the transaction stays.
func TestAPostponedStatementFailsItsTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ann := dbtest.Account(t, d, "ann")
		uri := "https://svc.example/objects/1"
		post := func(tx *db.DB) error {
			return tx.CreateStatus(t.Context(), &db.Status{ID: tx.NewID(), AccountID: ann.ID, URI: &uri, Local: true, Visibility: db.Public, CreatedAt: tx.Now()})
		}
		for name, then := range map[string]func(tx *db.DB) error{
			"commit":    func(*db.DB) error { return nil },
			"a read":    func(tx *db.DB) error { _, err := tx.Account(t.Context(), ann.ID); return err },
			"a write":   func(tx *db.DB) error { return tx.AddStatusCounts(t.Context(), "none", db.StatusCounts{Replies: 1}) },
			"a refusal": func(*db.DB) error { return db.ErrDuplicate },
		} {
			err := d.Tx(t.Context(), func(tx *db.DB) error { return errors.Join(post(tx), post(tx), then(tx)) })
			if !errors.Is(err, db.ErrDuplicate) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := d.StatusByURI(t.Context(), uri); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: a status stayed: %v", name, err)
			}
		}
		must(t, d.Tx(t.Context(), post))
	})
}

// TestALostConnectionIsReplacedBeforeTheTransaction ends all connections of the pool, as a
// restart of the server does.
func TestALostConnectionIsReplacedBeforeTheTransaction(t *testing.T) {
	dsn := onPostgres(t)
	d, other := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
	ann := dbtest.Account(t, d, "ann")
	must(t, dbtest.Exec(t, other, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
	must(t, d.Tx(t.Context(), func(tx *db.DB) error {
		return errors.Join(tx.HoldAccounts(t.Context(), ann.ID), tx.AddCounts(t.Context(), ann.ID, db.Counts{Statuses: 1}))
	}))
	now, err := d.Account(t.Context(), ann.ID)
	must(t, err)
	if now.StatusesCount != 1 {
		t.Errorf("%d statuses", now.StatusesCount)
	}
}

// TestValuesAreReadAlike reads values of all kinds with a statement that begins a
// transaction, and alone.
func TestValuesAreReadAlike(t *testing.T) {
	d := dbtest.Open(t, onPostgres(t))
	const query = `SELECT 'text', CAST(7 AS SMALLINT), CAST(-8 AS INT), CAST(9 AS BIGINT), CAST(1.5 AS REAL), CAST(2.5 AS DOUBLE PRECISION), CAST(3.25 AS NUMERIC),
		TRUE, '\x00ff'::BYTEA, NULL::TEXT, NULL::BIGINT, '{"a": [1]}'::JSONB, '{"a": 1}'::JSON, '{x,"y z",NULL}'::TEXT[], '{1,2}'::BIGINT[], '2026-01-02 03:04:05.678+00'::TIMESTAMPTZ,
		'2026-01-02'::DATE, 'a1:2 b3'::TSVECTOR, '01a2233f-8b82-7224-bd13-d7c5f2a6090d'::UUID, B'0101', 'v'::VARCHAR(3), CAST(12 AS OID), 'available'::river_job_state`
	alone, err := db.Values(t.Context(), d, query)
	must(t, err)
	must(t, d.Tx(t.Context(), func(tx *db.DB) error {
		together, err := db.Values(t.Context(), tx, query)
		if diff := cmp.Diff(alone, together); diff != "" {
			t.Error(diff)
		}
		return err
	}))
}
