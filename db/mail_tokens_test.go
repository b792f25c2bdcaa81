package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestSignupsReadNoWholeTable checks the plans of the statements on invites,
// mailed links and captchas, with many rows of each.
func TestSignupsReadNoWholeTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		day := "2026-05-01"
		err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 300 {
				a := db.NewAccount(dbtest.Base, fmt.Sprintf("user%d", i))
				err := tx.CreateAccount(ctx, a)
				if err == nil {
					err = tx.CreateUser(ctx, &db.User{AccountID: a.ID, Email: fmt.Sprintf("user%d@example.org", i)})
				}
				if err == nil {
					err = tx.CreateMailToken(ctx, &db.MailToken{TokenHash: fmt.Sprint(i), AccountID: a.ID, Purpose: db.TokenPasswordReset, ExpiresAt: tx.Now().Add(time.Hour)})
				}
				if err == nil {
					err = tx.CreateInvite(ctx, &db.Invite{Token: fmt.Sprint(i), ExpiresOn: &day})
				}
				if err == nil {
					_, err = tx.CountMail(ctx, fmt.Sprintf("user%d@example.org", i), "password_reset", tx.Now(), tx.Now())
				}
				if err == nil {
					_, err = tx.SpendCaptcha(ctx, fmt.Sprint(i), tx.Now())
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
		for name, do := range map[string]func(ctx context.Context, d *db.DB) error{
			"use invite":    func(ctx context.Context, d *db.DB) error { _, err := d.UseInvite(ctx, "7"); return err },
			"invite":        func(ctx context.Context, d *db.DB) error { _, err := d.Invite(ctx, "7"); return err },
			"invites":       func(ctx context.Context, d *db.DB) error { _, err := d.Invites(ctx, 3, 50); return err },
			"revoke invite": func(ctx context.Context, d *db.DB) error { _, err := d.RevokeInvite(ctx, "7"); return err },
			"link": func(ctx context.Context, d *db.DB) error {
				_, err := d.MailToken(ctx, "7", db.TokenPasswordReset)
				return err
			},
			"take link": func(ctx context.Context, d *db.DB) error {
				_, err := d.TakeMailToken(ctx, "7", db.TokenPasswordReset)
				return err
			},
			"count mails": func(ctx context.Context, d *db.DB) error {
				_, err := d.CountMail(ctx, "user7@example.org", "password_reset", d.Now(), d.Now().Add(-time.Hour))
				return err
			},
			"delete links": func(ctx context.Context, d *db.DB) error { return d.DeleteMailTokens(ctx, "x", db.TokenConfirmation) },
			"captcha":      func(ctx context.Context, d *db.DB) error { _, err := d.SpendCaptcha(ctx, "new", d.Now()); return err },
			"sweep":        func(ctx context.Context, d *db.DB) error { _, err := d.SweepSignups(ctx, 2); return err },
			"addresses":    func(ctx context.Context, d *db.DB) error { _, err := d.Addresses(ctx, []string{"x", "y"}); return err },
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

// errUndo rolls a transaction back.
var errUndo = errors.New("undo")
