package db

import "context"

// Quote permits a remote status to quote a local one.
type Quote struct {
	ID        string `gorm:"primaryKey"` // a UUID
	StatusID  string // the quoted status
	AccountID string // the quoting account
	ObjectURI string `gorm:"column:object_uri"` // the status that quotes
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// Quote returns one of the quotes of a status.
func (d *DB) Quote(ctx context.Context, statusID, id string) (*Quote, error) {
	return one[Quote](ctx, d, "quote "+id, "SELECT * FROM quotes WHERE id = ? AND status_id = ?", id, statusID)
}

// QuotesBy returns up to limit quotes of a status by one account, in no order.
func (d *DB) QuotesBy(ctx context.Context, statusID, accountID string, limit int) ([]Quote, error) {
	return list[Quote](ctx, d, "quotes of "+statusID, "SELECT * FROM quotes WHERE status_id = ? AND account_id = ? LIMIT ?", statusID, accountID, limit)
}

// CreateQuote stores a permission to quote.
func (d *DB) CreateQuote(ctx context.Context, q *Quote) error {
	_, err := d.exec(ctx, "create quote", "INSERT INTO quotes (id, status_id, account_id, object_uri, created_at) VALUES (?, ?, ?, ?, ?)",
		q.ID, q.StatusID, q.AccountID, q.ObjectURI, q.CreatedAt)
	return err
}
