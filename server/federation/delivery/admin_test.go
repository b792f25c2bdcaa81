package delivery_test

import (
	"context"
	"errors"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
)

// TestAHostIsChangedByAnAdmin takes an admin's role while they change a host with more
// deliveries than one transaction changes. The transaction that has begun ends before
// the role does, and none changes anything afterwards.
func TestAHostIsChangedByAnAdmin(t *testing.T) {
	const host, many, atOnce = "far.example", 620, 500
	for name, of := range map[string]struct {
		part string // of the statement during which the role is taken
		left string // the condition of deliveries that are unchanged
		do   func(ctx context.Context, w *world, by *db.Account) error
	}{
		"retry": {"UPDATE instances SET retry_at", "next_at > 0", func(ctx context.Context, w *world, by *db.Account) error {
			return w.RetryHost(ctx, by, host)
		}},
		"forget": {"UPDATE instances SET failures", "TRUE", func(ctx context.Context, w *world, by *db.Account) error {
			_, err := w.ForgetHost(ctx, by, host)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				root := dbtest.Account(t, w.db, "root")
				root.IsAdmin = true
				change := func(ctx context.Context) error { return w.db.UpdateAccount(ctx, root, "is_admin") }
				must := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				must(change(t.Context()))
				must(dbtest.Exec(t, w.db, "INSERT INTO instances (host, created_at, failures, retry_at) VALUES (?, 1, 1, 1)", host))
				must(dbtest.Exec(t, w.db, "INSERT INTO delivery_hosts (host, priority, due_at, waiting) VALUES (?, 1, 1, ?)", host, many))
				must(dbtest.Exec(t, w.db, `WITH RECURSIVE g (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM g WHERE v < ?)
					INSERT INTO deliveries (activity_id, inbox, host, priority, next_at, created_at) SELECT v, 'x', ?, 1, v, 1 FROM g`, many, host))
				left := func() (n int) {
					must(w.db.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM deliveries WHERE "+of.left).Scan(&n))
					return n
				}
				when := -1
				err1, err2 := dbtest.Between(t, w.db, of.part,
					func(ctx context.Context) error { return of.do(ctx, w, root) },
					func(ctx context.Context) error {
						former := *root
						former.IsAdmin = false
						err := w.db.UpdateAccount(ctx, &former, "is_admin")
						when = left()
						return err
					})
				must(err2)
				refused := (*fault.Error)(nil)
				if when != many-atOnce && when != 0 || left() != when { // 0 if the second transaction also began before
					t.Errorf("%d deliveries were unchanged when the role was gone, and %d at the end", when, left())
				}
				if errors.As(err1, &refused) != (when > 0) {
					t.Errorf("%v, with %d deliveries unchanged", err1, when)
				}
				must(change(t.Context()))
				must(of.do(t.Context(), w, root))
				if n := left(); n != 0 {
					t.Errorf("%d deliveries are unchanged", n)
				}
			})
		})
	}
}
