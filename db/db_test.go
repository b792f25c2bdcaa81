package db_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"svc/db"
	"svc/db/dbtest"
)

func TestMigrateAppliesOnceWhenSeveralStartTogether(t *testing.T) {
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				d, err := db.Open(t.Context(), dsn, db.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = d.Close() }()
				if err := d.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
				s, err := d.Schema(t.Context())
				if err != nil || s.Pending() {
					t.Errorf("schema %+v, %v", s, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestANewerDatabaseIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if _, err := d.Writer().ExecContext(t.Context(), "INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'future', 0)"); err != nil {
			t.Fatal(err)
		}
		if err := d.Migrate(t.Context()); !errors.Is(err, db.ErrNewer) {
			t.Fatalf("Migrate() = %v, want ErrNewer", err)
		}
	})
}

func TestADatabaseOfBeforeTheFirstReleaseIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, err := d.Schema(t.Context())
		if err != nil || s.First == 0 {
			t.Fatalf("schema %+v, %v", s, err)
		}
		if err := dbtest.Exec(t, d, "UPDATE schema_migrations SET version = version - ?", s.Latest); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, d, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, 'before', 0)", s.First-1); err != nil {
			t.Fatal(err)
		}
		if err := d.Migrate(t.Context()); !errors.Is(err, db.ErrOlder) {
			t.Fatalf("Migrate() = %v, want ErrOlder", err)
		}
	})
}

func TestTxJoinsAndAFailedStepLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		heard := 0
		boom := errors.New("boom")
		err := d.Tx(ctx, func(tx *db.DB) error {
			if err := tx.CreateAccount(ctx, db.NewAccount(dbtest.Base, "ann")); err != nil {
				return err
			}
			tx.AfterCommit(func() { heard++ })
			// The outer function ignores the error of the joined one. The
			// transaction is rolled back nevertheless.
			_ = tx.Tx(ctx, func(*db.DB) error { return boom })
			return nil
		})
		if !errors.Is(err, boom) || heard != 0 {
			t.Fatalf("err %v, heard %d", err, heard)
		}
		if _, err := d.AccountByNickname(ctx, "ann"); !errors.Is(err, db.ErrNotFound) {
			t.Fatalf("account after rollback: %v", err)
		}
		err = d.Tx(ctx, func(tx *db.DB) error {
			tx.AfterCommit(func() { heard++ })
			return tx.Tx(ctx, func(tx *db.DB) error {
				return tx.CreateAccount(ctx, db.NewAccount(dbtest.Base, "ann"))
			})
		})
		if err != nil || heard != 1 {
			t.Fatalf("err %v, heard %d", err, heard)
		}
		if _, err := d.AccountByNickname(ctx, "ANN"); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAStepThatIsTriedAgainBeginsWhereItBegan has one of three steps fail once with a
// deadlock, after its work was done.
func TestAStepThatIsTriedAgainBeginsWhereItBegan(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var began []int
		err := db.StepsFrom(t.Context(), d, 1, func(tx *db.DB, from int) (int, error) {
			began = append(began, from)
			if len(began) == 2 {
				return from + 1, &pgconn.PgError{Code: "40P01"}
			}
			return (from + 1) % 4, nil
		})
		if want := []int{1, 2, 2, 3}; err != nil || !slices.Equal(began, want) {
			t.Errorf("steps began at %v, %v, want %v", began, err, want)
		}
		err = db.StepsFrom(t.Context(), d, 1, func(tx *db.DB, from int) (int, error) { return from + 1, db.ErrNotFound })
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("a step that fails: %v", err)
		}
	})
}

func TestNicknamesAreUniqueIgnoringCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dbtest.Account(t, d, "ann")
		a := db.NewAccount(dbtest.Base+"/other", "Ann")
		if err := d.CreateAccount(t.Context(), a); !errors.Is(err, db.ErrDuplicate) {
			t.Fatalf("CreateAccount = %v, want ErrDuplicate", err)
		}
	})
}

func TestAVersionGrowsWithEveryUpdate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := dbtest.Account(t, d, "ann")
		a.DisplayName = "Ann"
		for want := int64(2); want < 4; want++ {
			if err := d.UpdateAccount(ctx, a, "display_name"); err != nil {
				t.Fatal(err)
			}
			got, err := d.Account(ctx, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			if got.Version != want || got.DisplayName != "Ann" {
				t.Fatalf("version %d name %q, want %d", got.Version, got.DisplayName, want)
			}
		}
	})
}

func TestWritersQueueAndLoseNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := dbtest.Account(t, d, "ann")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					err := d.Tx(ctx, func(tx *db.DB) error {
						_, err := tx.Account(ctx, a.ID)
						if err != nil {
							return err
						}
						return tx.AddCounts(ctx, a.ID, db.Counts{Statuses: 1})
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		got, err := d.Account(ctx, a.ID)
		if err != nil || got.StatusesCount != 80 {
			t.Fatalf("count %d, %v", got.StatusesCount, err)
		}
	})
}

func TestTimesRoundTripAndZeroIsNull(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		a := db.NewAccount(dbtest.Base, "ann")
		a.LastStatusAt = db.At(time.Date(2026, 1, 31, 9, 5, 0, 123456000, time.UTC))
		if err := d.CreateAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		got, err := d.Account(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !got.LastStatusAt.Equal(a.LastStatusAt.Time) || !got.FetchedAt.IsZero() {
			t.Fatalf("last %v fetched %v", got.LastStatusAt, got.FetchedAt)
		}
	})
}

func TestStatementsAreCounted(t *testing.T) {
	d := dbtest.New(t)
	a := dbtest.Account(t, d, "ann")
	n := dbtest.Queries(t, func(ctx context.Context) {
		_, _ = d.Account(ctx, a.ID)
		_, _ = d.AccountByNickname(ctx, "nobody")
	})
	if n != 2 {
		t.Fatalf("counted %d, want 2", n)
	}
}
