package db

import (
	"context"
	"fmt"
)

// The places that a filter is for, as bits of Filter.Contexts.
const (
	FilterHome = 1 << iota
	FilterNotifications
	FilterPublic
	FilterThread
	FilterAccount // the statuses of one account
)

// MaxFilters is how many filters one account may keep: all of them are tried on
// every status that it would see.
const MaxFilters = 200

// Filter is a phrase that an account does not want to read in some places.
// Clients hide matching statuses; with Irreversible the server leaves them out.
type Filter struct {
	AccountID    string `gorm:"primaryKey"`
	Number       int64  `gorm:"primaryKey;autoIncrement:false"` // the account's own count, from 1
	Phrase       string
	Contexts     int64
	Irreversible bool
	WholeWord    bool
	ExpiresAt    Time
	CreatedAt    Time `gorm:"autoCreateTime:false"`
}

// Filters returns all filters of an account, by number, expired ones included.
func (d *DB) Filters(ctx context.Context, accountID string) ([]Filter, error) {
	return list[Filter](ctx, d, "filters of "+accountID, "SELECT * FROM filters WHERE account_id = ? ORDER BY number LIMIT ?", accountID, MaxFilters)
}

// Filter returns one of an account's filters.
func (d *DB) Filter(ctx context.Context, accountID string, number int64) (*Filter, error) {
	return one[Filter](ctx, d, fmt.Sprintf("filter %d", number), "SELECT * FROM filters WHERE account_id = ? AND number = ?", accountID, number)
}

// IrreversibleFilters returns the irreversible filters of these accounts for
// the places of contexts.
func (d *DB) IrreversibleFilters(ctx context.Context, accountIDs []string, contexts int64) ([]Filter, error) {
	if len(accountIDs) == 0 {
		return nil, nil
	}
	return list[Filter](ctx, d, "irreversible filters", "SELECT * FROM filters WHERE account_id IN ? AND irreversible AND contexts & ? <> 0 AND (expires_at IS NULL OR expires_at > ?)", accountIDs, contexts, d.Now())
}

// CreateFilter inserts f with the next number of its account, and the time.
func (d *DB) CreateFilter(ctx context.Context, f *Filter) error {
	var err error
	f.Number, err = value[int64](ctx, d.writing(), "number filter", `INSERT INTO filter_numbers (account_id, last) VALUES (?, 1)
		ON CONFLICT (account_id) DO UPDATE SET last = filter_numbers.last + 1 RETURNING last`, f.AccountID)
	if err != nil {
		return err
	}
	f.CreatedAt = d.Now()
	if err := create(ctx, d, f, "create filter"); err != nil {
		return err
	}
	return d.filtersChanged(ctx, f.AccountID)
}

// UpdateFilter writes all of f but its number.
func (d *DB) UpdateFilter(ctx context.Context, f *Filter) error {
	_, err := d.exec(ctx, "update filter", `UPDATE filters SET phrase = ?, contexts = ?, irreversible = ?, whole_word = ?, expires_at = ?
		WHERE account_id = ? AND number = ?`, f.Phrase, f.Contexts, f.Irreversible, f.WholeWord, f.ExpiresAt, f.AccountID, f.Number)
	if err != nil {
		return err
	}
	return d.filtersChanged(ctx, f.AccountID)
}

// DeleteFilter removes one of an account's filters; an unknown one is
// ErrNotFound.
func (d *DB) DeleteFilter(ctx context.Context, accountID string, number int64) error {
	n, err := d.exec(ctx, "delete filter", "DELETE FROM filters WHERE account_id = ? AND number = ?", accountID, number)
	if err == nil && n == 0 {
		err = notFound("filter %d", number)
	}
	if err != nil {
		return err
	}
	return d.filtersChanged(ctx, accountID)
}

// StatusText is the text of a status that filters look at.
type StatusText struct {
	ID           string
	SpoilerText  string
	Content      string            // HTML
	Options      Slice[PollOption] // of its poll
	Description  string            // of one of its files
	Descriptions []string          `gorm:"-"` // of all of its files that have one
}

// StatusTexts returns the texts of statuses by id; unknown ids are left out.
func (d *DB) StatusTexts(ctx context.Context, ids []string) (map[string]StatusText, error) {
	out := make(map[string]StatusText, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := list[StatusText](ctx, d, "texts of statuses", `SELECT s.id, s.spoiler_text, s.content, COALESCE(p.options, '[]') AS options,
			COALESCE(m.description, '') AS description
		FROM statuses s LEFT JOIN polls p ON p.status_id = s.id LEFT JOIN media_attachments m ON m.status_id = s.id AND NOT m.former AND m.description <> ''
		WHERE s.id IN ?`, ids)
	for _, r := range rows {
		r.Descriptions = out[r.ID].Descriptions
		if r.Description != "" {
			r.Descriptions = append(r.Descriptions, r.Description)
		}
		out[r.ID] = r
	}
	return out, err
}

// filtersChanged announces the change to all processes, and to the open streams
// of the account.
func (d *DB) filtersChanged(ctx context.Context, accountID string) error {
	if err := d.Announce(ctx, AccountChanged, accountID); err != nil {
		return err
	}
	return d.Emit(ctx, Event{Kind: EventFilters, AccountID: accountID})
}
