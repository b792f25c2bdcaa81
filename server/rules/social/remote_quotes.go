package social

import (
	"context"
	"slices"

	"svc/db"
)

// maxQuotes is how many statuses of one account may quote a status.
const maxQuotes = 20

// QuoteRequest asks whether a status of a remote account may quote a status.
type QuoteRequest struct {
	URI    string // the activity's id
	Object string // the status that quotes
}

// TakeQuote answers a remote account that asks to quote a local status, which id
// names: everybody may quote what everybody may see, unless its author blocks
// them. Asking again gets the same answer. A status that the account may not see
// is db.ErrNotFound.
func (s *Service) TakeQuote(ctx context.Context, by *db.Account, id string, asked QuoteRequest) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// Whoever narrows or deletes the status, or asks too, waits.
		if err := tx.HoldStatus(ctx, id); err != nil {
			return err
		}
		status, err := shownTo(ctx, tx, by, id)
		if err != nil {
			return err
		}
		author, err := tx.Account(ctx, status.AccountID)
		if err != nil {
			return err
		}
		if !author.Local || author.Deactivated {
			return errNotFound("status", id)
		}
		quote, err := quote(ctx, tx, by, status, asked.Object)
		if err != nil {
			return err
		}
		return s.In(tx).outbox.QuoteAnswered(ctx, tx, author, by, status, asked.URI, asked.Object, quote)
	})
}

// quote is the leave for a status to quote a status, nil where there is none.
func quote(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, object string) (*db.Quote, error) {
	blocked, err := tx.Blocks(ctx, status.AccountID, by.ID)
	if err != nil || blocked || !status.Quotable() {
		return nil, err
	}
	known, err := tx.QuotesBy(ctx, status.ID, by.ID, maxQuotes)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(known, func(q db.Quote) bool { return q.ObjectURI == object }); i >= 0 {
		return &known[i], nil
	}
	if len(known) >= maxQuotes {
		return nil, nil
	}
	q := &db.Quote{ID: tx.NewUUID(), StatusID: status.ID, AccountID: by.ID, ObjectURI: object, CreatedAt: tx.Now()}
	return q, tx.CreateQuote(ctx, q)
}
