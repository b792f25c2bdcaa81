// Package notify decides who hears of what others do. It leaves writing the
// rows, and the conditions that hang on other rows, to one statement of db.
package notify

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/text"
)

// Notify tells to, by account id, what n.From did, in tx. Nobody is told of
// his own doings, or of those of an invisible account. Only local and active
// accounts are told, and not those who shut out strangers, unless n.From
// follows them or n is a report. A receiver who blocks or mutes n.From, blocks
// his domain or mutes the thread gets a row that is never listed; one by whose
// irreversible filters n.Text is not to be read gets none. What was told once,
// of the same status, is not told again.
func Notify(ctx context.Context, tx *db.DB, n db.News, to ...string) error {
	if n.From.Invisible {
		return nil
	}
	n.To = slices.DeleteFunc(slices.Clone(to), func(id string) bool { return id == n.From.ID })
	if len(n.To) == 0 {
		return nil
	}
	if n.Text != "" {
		if err := filter(ctx, tx, &n); err != nil || len(n.To) == 0 {
			return err
		}
	}
	n.Always = n.Type == db.NotifyReport
	return tx.Notify(ctx, n)
}

// filter takes those out of n.To who filter n.Text from their notifications for
// good.
func filter(ctx context.Context, tx *db.DB, n *db.News) error {
	filters, err := tx.IrreversibleFilters(ctx, n.To, db.FilterNotifications)
	if err != nil || len(filters) == 0 {
		return err
	}
	lowered := text.Lower(n.Text)
	for _, f := range filters {
		if text.NewPhrase(f.Phrase, f.WholeWord).In(lowered) {
			n.To = slices.DeleteFunc(n.To, func(id string) bool { return id == f.AccountID })
		}
	}
	return nil
}
