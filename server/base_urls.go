package server

import (
	"context"

	"svc/db"
	"svc/server/platform/config"
)

// KeepBaseURL remembers the public base URL once an account exists: it is part
// of every id that others know, so a change is refused. Accounts that were made
// under an assumed base URL move to it.
func KeepBaseURL(ctx context.Context, d *db.DB, base string) error {
	known, err := d.Meta(ctx, db.BaseURL)
	if err != nil || known == base {
		return err
	}
	return d.Tx(ctx, func(tx *db.DB) error {
		known, err := tx.HoldMeta(ctx, db.BaseURL)
		if err != nil {
			return err
		}
		inhabited, err := tx.AnyAccount(ctx)
		if err != nil {
			return err
		}
		if known == "" && inhabited {
			if known, err = settle(ctx, tx, base); err != nil {
				return err
			}
		}
		if known != "" && known != base && inhabited {
			return config.Problems{{Setting: "base URL", Value: base, Accepted: known +
				", as this database has it: it is part of the id of everything in it and cannot change (SVC_BASE_URL)"}}
		}
		return tx.SetMeta(ctx, db.BaseURL, base)
	})
}

// settle moves accounts that were made under an assumed base URL to base, and
// returns the base URL that they have. Accounts with statuses cannot move.
func settle(ctx context.Context, tx *db.DB, base string) (string, error) {
	assumed, err := tx.Meta(ctx, db.AssumedBaseURL)
	if err != nil || assumed == "" || assumed == base {
		return assumed, err
	}
	if posted, err := tx.AnyStatus(ctx); err != nil || posted {
		return assumed, err
	}
	return base, tx.MoveAccounts(ctx, assumed, base)
}

// AssumeBaseURL returns the base URL of a database without a chosen one: the
// one it is served at, else the one assumed before, else base, which is assumed
// from now on. Serving fixes the base URL, whichever was assumed.
func AssumeBaseURL(ctx context.Context, d *db.DB, base string) (string, error) {
	for _, key := range []string{db.BaseURL, db.AssumedBaseURL} {
		if known, err := d.Meta(ctx, key); err != nil || known != "" {
			return known, err
		}
	}
	return base, d.SetMeta(ctx, db.AssumedBaseURL, base)
}
