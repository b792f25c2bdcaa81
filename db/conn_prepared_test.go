package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestAStatementInUseIsNotHandedOutTwice runs a statement while its rows are
// still read, like a loop with a query in it.
func TestAStatementInUseIsNotHandedOutTwice(t *testing.T) {
	d := dbtest.New(t)
	ctx := t.Context()
	for _, name := range []string{"ann", "bob", "cat"} {
		dbtest.Account(t, d, name)
	}
	const query = "SELECT nickname FROM accounts ORDER BY nickname"
	var got []string
	for range 2 {
		err := d.Tx(ctx, func(tx *db.DB) error {
			q, err := tx.SQLTx()
			if err != nil {
				return err
			}
			outer, err := q.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			defer func() { _ = outer.Close() }()
			for outer.Next() {
				var a, b string
				if err := outer.Scan(&a); err != nil {
					return err
				}
				if err := q.QueryRowContext(ctx, query).Scan(&b); err != nil {
					return err
				}
				got = append(got, a+b)
			}
			return outer.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"annann", "bobann", "catann", "annann", "bobann", "catann"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestManyStatementsAreKeptWithinBounds runs more statements than are kept,
// twice, with a change of the schema between.
func TestManyStatementsAreKeptWithinBounds(t *testing.T) {
	d := dbtest.New(t)
	ctx := t.Context()
	const ours = "SELECT COUNT(*) + %d FROM meta WHERE key LIKE 'k_'"
	for round := range 2 {
		for i := range 300 {
			var n int
			if err := d.Writer().QueryRowContext(ctx, fmt.Sprintf(ours, i)).Scan(&n); err != nil || n != i+round {
				t.Fatalf("statement %d: %d, %v", i, n, err)
			}
		}
		for _, q := range []string{
			fmt.Sprintf("ALTER TABLE meta ADD COLUMN extra%d TEXT", round),
			fmt.Sprintf("INSERT INTO meta (key, value) VALUES ('k%d', '')", round),
		} {
			if _, err := d.Writer().ExecContext(ctx, q); err != nil {
				t.Fatal(err)
			}
		}
	}
}
