package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestLoginsReadNoWholeTable checks the plans of the statements on tokens,
// codes, sessions and apps, with many rows of each.
func TestLoginsReadNoWholeTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		var apps []int64
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 300 {
				n := fmt.Sprint(i)
				app := &db.App{Name: n, Scopes: "read", ClientID: n, Secret: n, Used: i > 2, Sealed: i > 2}
				err := tx.CreateApp(ctx, app)
				apps = append(apps, app.ID)
				a := db.NewAccount(dbtest.Base, "user"+n)
				if err == nil {
					err = tx.CreateAccount(ctx, a)
				}
				if err == nil {
					err = tx.CreateUser(ctx, &db.User{AccountID: a.ID})
				}
				refresh := "refresh " + n
				token := &db.Token{TokenHash: n, RefreshHash: &refresh, AppID: apps[0], Scopes: "read", ExpiresAt: tx.Now().Add(time.Hour)}
				if i%2 == 0 {
					token.AccountID = &a.ID
				}
				if i%10 == 0 {
					token.CodeHash = &n
				}
				if err == nil {
					err = tx.CreateToken(ctx, token)
				}
				if err == nil {
					err = tx.CreateAuthorisation(ctx, &db.Authorisation{CodeHash: n, AppID: apps[0], AccountID: a.ID, ExpiresAt: tx.Now().Add(time.Hour)})
				}
				if err == nil {
					err = tx.CreateSession(ctx, &db.Session{IDHash: n, AccountID: a.ID, ExpiresAt: tx.Now().Add(time.Hour)})
				}
				if err == nil {
					err = tx.CreateMFAToken(ctx, &db.MFAToken{TokenHash: n, AccountID: a.ID, ExpiresAt: tx.Now().Add(time.Hour)})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		other := "other"
		for name, do := range map[string]func(ctx context.Context, d *db.DB) error{
			"refresh token": func(ctx context.Context, d *db.DB) error {
				_, err := d.RefreshToken(ctx, "refresh 7", apps[0])
				return err
			},
			"renew token": func(ctx context.Context, d *db.DB) error {
				return d.RenewToken(ctx, "refresh 7", &db.Token{TokenHash: "x", RefreshHash: &other, AppID: apps[0], ExpiresAt: d.Now(), CreatedAt: d.Now()})
			},
			"authorisation":    func(ctx context.Context, d *db.DB) error { _, err := d.Authorisation(ctx, "7", apps[0]); return err },
			"tokens of a code": func(ctx context.Context, d *db.DB) error { return d.DeleteCodeTokens(ctx, "10", apps[0], "x", d.Now()) },
			"an app's own":     func(ctx context.Context, d *db.DB) error { return d.TrimAppTokens(ctx, apps[0], 50) },
			"session":          func(ctx context.Context, d *db.DB) error { _, err := d.Session(ctx, "7"); return err },
			"mfa token":        func(ctx context.Context, d *db.DB) error { _, err := d.MFAToken(ctx, "7"); return err },
			"use app":          func(ctx context.Context, d *db.DB) error { return d.MarkAppUsed(ctx, apps[1]) },
			"sweep apps": func(ctx context.Context, d *db.DB) error {
				_, err := d.SweepApps(ctx, d.Now().Add(time.Hour), 2)
				return err
			},
			"apps to be sealed":  func(ctx context.Context, d *db.DB) error { _, err := d.AppsWithPlainSecrets(ctx, 2); return err },
			"seal app":           func(ctx context.Context, d *db.DB) error { return d.SealApp(ctx, apps[1], "x") },
			"backup by its file": func(ctx context.Context, d *db.DB) error { _, _, err := d.BackupShown(ctx, "x.zip"); return err },
		} {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				err := d.Tx(ctx, func(tx *db.DB) error { return errors.Join(do(ctx, tx), errUndo) })
				if !errors.Is(err, errUndo) || errors.Is(err, db.ErrNotFound) {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				if bad := dbtest.Wasteful(plan); len(bad) > 0 {
					t.Errorf("%s: %v in the plan of %s", name, bad, sql)
				}
			}
		}
	})
}

// TestManyLoginsEndAtOnce: all logins of an account are gone after one call, which
// removes some hundred in a statement.
func TestManyLoginsEndAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const many, atOnce = 1200, 500
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		app := &db.App{Name: "x", Scopes: "read", ClientID: "x", Secret: "x"}
		must(t, d.CreateApp(t.Context(), app))
		for _, a := range []*db.Account{ann, bob} {
			must(t, dbtest.Exec(t, d, `WITH RECURSIVE g (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM g WHERE v < ?)
				INSERT INTO tokens (token_hash, app_id, account_id, scopes, expires_at, created_at) SELECT ? || v, CAST(? AS BIGINT), ?, 'read', 0, 0 FROM g`, many, a.ID, app.ID, a.ID))
		}
		must(t, d.CreateSession(t.Context(), &db.Session{IDHash: "x", AccountID: ann.ID, ExpiresAt: d.Now()}))
		count := func(a *db.Account) (n int) {
			must(t, d.Writer().QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM tokens WHERE account_id = a.id) + (SELECT COUNT(*) FROM sessions WHERE account_id = a.id) FROM accounts a WHERE nickname = '"+a.Nickname+"'").Scan(&n))
			return n
		}
		statements := 0
		ctx := db.WatchStatements(t.Context(), func(sql string) {
			if strings.HasPrefix(sql, "DELETE FROM tokens") {
				statements++
			}
		})
		must(t, d.DeleteLogins(ctx, ann.ID))
		if statements != many/atOnce+1 {
			t.Errorf("the tokens took %d statements", statements)
		}
		if ann, bob := count(ann), count(bob); ann != 0 || bob != many {
			t.Errorf("%d of one's own logins and %d of another's are left", ann, bob)
		}
	})
}
