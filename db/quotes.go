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

// Quoted is a status that another one quotes, as far as it is known here.
type Quoted struct {
	URI        string
	StatusID   string // "" for an unknown one
	Visibility string
	Gone       bool // deleted
}

const quotedColumns = "SELECT COALESCE(uri, '') AS uri, id AS status_id, visibility FROM statuses WHERE reblog_of_id IS NULL AND "

// Quoted returns what is known of addresses of statuses; unknown ones are left out (up to
// 2 statements).
func (d *DB) Quoted(ctx context.Context, uris []string) (map[string]Quoted, error) {
	out := make(map[string]Quoted, len(uris))
	if len(uris) == 0 {
		return out, nil
	}
	rows, err := list[Quoted](ctx, d, "quoted statuses", quotedColumns+"uri IN ?", uris)
	if err != nil {
		return nil, err
	}
	for _, q := range rows {
		out[q.URI] = q
	}
	var left []string
	for _, uri := range uris {
		if _, known := out[uri]; !known {
			left = append(left, uri)
		}
	}
	if len(left) == 0 {
		return out, nil
	}
	gone, err := list[string](ctx, d, "deleted quoted statuses", "SELECT uri FROM tombstones WHERE uri IN ?", left)
	for _, uri := range gone {
		out[uri] = Quoted{URI: uri, Gone: true}
	}
	return out, err
}

// QuotedByID is Quoted for ids, by id (1 statement).
func (d *DB) QuotedByID(ctx context.Context, ids []string) (map[string]Quoted, error) {
	out := make(map[string]Quoted, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := list[Quoted](ctx, d, "quoted statuses", quotedColumns+"id IN ?", ids)
	for _, q := range rows {
		out[q.StatusID] = q
	}
	return out, err
}
