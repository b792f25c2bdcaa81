package dbtest_test

import (
	"context"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// rename reads an account, and writes its name with one more letter.
func rename(d *db.DB, id, letter string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		a, err := d.Account(ctx, id)
		if err != nil {
			return err
		}
		a.DisplayName += letter
		return d.UpdateAccount(ctx, a, "display_name")
	}
}

func TestBetweenLosesAnUpdateOutsideATransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		id := dbtest.Account(t, d, "ann").ID
		if err, other := dbtest.Between(t, d, "FROM accounts WHERE id", rename(d, id, "a"), rename(d, id, "b")); err != nil || other != nil {
			t.Fatal(err, other)
		}
		if a, err := d.Account(t.Context(), id); err != nil || a.DisplayName != "anna" {
			t.Errorf("the name is %q, %v", a.DisplayName, err)
		}
	})
}

func TestBetweenGoesOnWhereTheSecondWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		id := dbtest.Account(t, d, "ann").ID
		held := func(letter string) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				return d.Tx(ctx, func(tx *db.DB) error {
					if err := tx.HoldAccounts(ctx, id); err != nil {
						return err
					}
					return rename(tx, id, letter)(ctx)
				})
			}
		}
		if err, other := dbtest.Between(t, d, "FROM accounts WHERE id", held("a"), held("b")); err != nil || other != nil {
			t.Fatal(err, other)
		}
		if a, err := d.Account(t.Context(), id); err != nil || a.DisplayName != "annab" {
			t.Errorf("the name is %q, %v", a.DisplayName, err)
		}
	})
}
