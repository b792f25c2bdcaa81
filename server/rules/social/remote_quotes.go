package social

import (
	"context"
	"slices"

	"svc/db"
)

// maxQuotes bounds the quotes of one status by one account.
const maxQuotes = 20

// QuoteRequest is the request of a remote account to quote a status.
type QuoteRequest struct {
	URI    string // the activity's id
	Object string // the quoting status
}

// TakeQuote answers a remote account's request to quote a local status.
// Statuses that everybody may see may be quoted, unless the author blocks the
// account. A repeated request gets the same answer. A status that the account
// may not see is db.ErrNotFound.
func (s *Service) TakeQuote(ctx context.Context, by *db.Account, id string, asked QuoteRequest) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		// Concurrent edits, deletions and requests wait.
		if err := tx.HoldStatus(ctx, id); err != nil {
			return err
		}
		if err := tx.KeepAccounts(ctx, by.ID); err != nil {
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

// quote returns the permission of an object to quote a status, nil if there is
// none.
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
