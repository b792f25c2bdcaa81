package db

import (
	"context"
)

// Scrobble is a piece of music that an account listened to.
type Scrobble struct {
	ID         string `gorm:"primaryKey"` // flake
	AccountID  string
	Title      string
	Artist     string
	Album      string
	Length     *int64 // as the client reports it; nil for none
	Visibility string
	CreatedAt  Time `gorm:"autoCreateTime:false"`
}

// CreateScrobble inserts s and sets its id and time.
func (d *DB) CreateScrobble(ctx context.Context, s *Scrobble) error {
	s.ID, s.CreatedAt = d.NewID(), d.Now()
	return create(ctx, d, s, "create scrobble")
}

// Scrobble returns one of an account's own.
func (d *DB) Scrobble(ctx context.Context, accountID, id string) (*Scrobble, error) {
	row, err := value[Scrobble](ctx, d, "scrobble "+id, "SELECT * FROM scrobbles WHERE id = ? AND account_id = ?", id, accountID)
	return &row, err
}

// Scrobbles returns a page of an account's scrobbles that are visible to the
// viewer, newest first.
func (d *DB) Scrobbles(ctx context.Context, v Viewer, accountID string, p Page) ([]Scrobble, error) {
	cond := "account_id = ?"
	args := []any{accountID}
	if v.ID != accountID {
		cond += " AND (visibility = 'public' OR visibility = 'unlisted')"
		if v.ID != "" {
			follows, err := value[bool](ctx, d, "follow of "+accountID,
				"SELECT EXISTS (SELECT 1 FROM follows WHERE follower_id = ? AND target_id = ? AND NOT pending)", v.ID, accountID)
			if err != nil {
				return nil, err
			}
			if follows {
				cond = "account_id = ? AND visibility <> 'direct'"
			}
		}
	}
	bounds, order, more := p.where("id")
	rows, err := list[Scrobble](ctx, d, "scrobbles", "SELECT * FROM scrobbles WHERE "+cond+bounds+order, append(args, more...)...)
	return newestFirst(p, rows), err
}
