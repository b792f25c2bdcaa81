package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// The places that a filter is for, as bits of Filter.Contexts.
const (
	FilterHome = 1 << iota
	FilterNotifications
	FilterPublic
	FilterThread
	FilterAccount // the statuses of one account
)

// The bounds of the filters of one account: all of them are tried on every status that
// it would see.
const (
	MaxFilters        = 100
	MaxFilterKeywords = 100 // of one filter
	MaxFilterStatuses = 100 // of one filter

	keptFilters = 200 // accounts of before may have as many
)

// Filter is what an account does not want to read in some places: statuses with any of
// some keywords, and some statuses. Clients hide these, blurred with Blur; with
// Irreversible the server leaves them out.
type Filter struct {
	AccountID    string `gorm:"primaryKey"`
	Number       int64  `gorm:"primaryKey;autoIncrement:false"` // the account's own count, from 1
	Title        string
	Contexts     int64
	Irreversible bool
	Blur         bool
	ExpiresAt    Time
	CreatedAt    Time `gorm:"autoCreateTime:false"`

	Keywords []FilterKeyword `gorm:"-"` // by number
	Statuses []FilterStatus  `gorm:"-"` // by number
}

// FilterKeyword is a keyword of a filter, and by itself a filter of the first version
// of the API. It has its number in the count of the account's filters.
type FilterKeyword struct {
	AccountID string `gorm:"primaryKey"`
	Number    int64  `gorm:"primaryKey;autoIncrement:false"`
	Filter    int64  // its number
	Keyword   string
	WholeWord bool
}

// FilterStatus is a status of a filter, numbered likewise.
type FilterStatus struct {
	AccountID string `gorm:"primaryKey"`
	Number    int64  `gorm:"primaryKey;autoIncrement:false"`
	Filter    int64  // its number
	StatusID  string
}

const filterColumns = "SELECT account_id, number, COALESCE(title, '') AS title, contexts, irreversible, blur, expires_at, created_at FROM filters "

// Filters returns all filters of an account, by number, expired ones included, with
// their keywords and statuses (3 statements).
func (d *DB) Filters(ctx context.Context, accountID string) ([]Filter, error) {
	rows, err := list[Filter](ctx, d, "filters of "+accountID, filterColumns+"WHERE account_id = ? ORDER BY number LIMIT ?", accountID, keptFilters)
	if err != nil {
		return nil, err
	}
	return rows, d.fillFilters(ctx, rows, "account_id = ?", accountID)
}

// Filter returns one of an account's filters, with its keywords and statuses (3
// statements).
func (d *DB) Filter(ctx context.Context, accountID string, number int64) (*Filter, error) {
	row, err := value[Filter](ctx, d, fmt.Sprintf("filter %d", number), filterColumns+"WHERE account_id = ? AND number = ?", accountID, number)
	if err != nil {
		return nil, err
	}
	rows := []Filter{row}
	return &rows[0], d.fillFilters(ctx, rows, "account_id = ? AND filter = ?", accountID, number)
}

// LiveFilters returns the filters of these accounts that have not expired, by account
// and number, with their keywords and statuses: 3 statements, one if there are none.
func (d *DB) LiveFilters(ctx context.Context, accountIDs []string) ([]Filter, error) {
	return d.liveFilters(ctx, accountIDs, "")
}

// IrreversibleFilters is LiveFilters without reversible ones, for the places of contexts.
func (d *DB) IrreversibleFilters(ctx context.Context, accountIDs []string, contexts int64) ([]Filter, error) {
	return d.liveFilters(ctx, accountIDs, " AND irreversible AND contexts & ? <> 0", contexts)
}

func (d *DB) liveFilters(ctx context.Context, accountIDs []string, where string, args ...any) ([]Filter, error) {
	if len(accountIDs) == 0 {
		return nil, nil
	}
	rows, err := list[Filter](ctx, d, "live filters", filterColumns+"WHERE account_id IN ? AND (expires_at IS NULL OR expires_at > ?)"+where+" ORDER BY account_id, number",
		append([]any{accountIDs, d.Now()}, args...)...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	having := make([]string, len(rows))
	for i := range rows {
		having[i] = rows[i].AccountID
	}
	return rows, d.fillFilters(ctx, rows, "account_id IN ?", slices.Compact(having))
}

// fillFilters loads the keywords and statuses of filters in the order of their accounts
// and numbers; those of other filters may be read with them.
func (d *DB) fillFilters(ctx context.Context, filters []Filter, where string, args ...any) error {
	if len(filters) == 0 {
		return nil
	}
	keywords, err := list[FilterKeyword](ctx, d, "keywords of filters", "SELECT * FROM filter_keywords WHERE "+where+" ORDER BY account_id, filter, number", args...)
	if err != nil {
		return err
	}
	statuses, err := list[FilterStatus](ctx, d, "statuses of filters", "SELECT * FROM filter_statuses WHERE "+where+" ORDER BY account_id, filter, number", args...)
	if err != nil {
		return err
	}
	of := func(accountID string, number int64) *Filter {
		i, ok := slices.BinarySearchFunc(filters, number, func(f Filter, number int64) int {
			return cmp.Or(cmp.Compare(f.AccountID, accountID), cmp.Compare(f.Number, number))
		})
		if !ok {
			return nil
		}
		return &filters[i]
	}
	for _, k := range keywords {
		if f := of(k.AccountID, k.Filter); f != nil {
			f.Keywords = append(f.Keywords, k)
		}
	}
	for _, s := range statuses {
		if f := of(s.AccountID, s.Filter); f != nil {
			f.Statuses = append(f.Statuses, s)
		}
	}
	return nil
}

// FilterKeyword returns one of an account's keywords.
func (d *DB) FilterKeyword(ctx context.Context, accountID string, number int64) (*FilterKeyword, error) {
	return one[FilterKeyword](ctx, d, fmt.Sprintf("keyword %d", number), "SELECT * FROM filter_keywords WHERE account_id = ? AND number = ?", accountID, number)
}

// FilterStatus returns one of an account's statuses in filters.
func (d *DB) FilterStatus(ctx context.Context, accountID string, number int64) (*FilterStatus, error) {
	return one[FilterStatus](ctx, d, fmt.Sprintf("filtered status %d", number), "SELECT * FROM filter_statuses WHERE account_id = ? AND number = ?", accountID, number)
}

// NumberFilters returns the first of many numbers of an account's filters and what they
// have, which are never used again.
func (d *DB) NumberFilters(ctx context.Context, accountID string, many int) (int64, error) {
	last, err := value[int64](ctx, d.writing(), "number filter", `INSERT INTO filter_numbers (account_id, last) VALUES (?, ?)
		ON CONFLICT (account_id) DO UPDATE SET last = filter_numbers.last + excluded.last RETURNING last`, accountID, many)
	return last - int64(many) + 1, err
}

// CreateFilter inserts f, which has its number, with the time. Its keywords and statuses
// are left out.
func (d *DB) CreateFilter(ctx context.Context, f *Filter) error {
	f.CreatedAt = d.Now()
	_, err := d.exec(ctx, "create filter", `INSERT INTO filters (account_id, number, phrase, title, contexts, irreversible, blur, expires_at, created_at)
		VALUES (?, ?, '', ?, ?, ?, ?, ?, ?)`, f.AccountID, f.Number, f.Title, f.Contexts, f.Irreversible, f.Blur, f.ExpiresAt, f.CreatedAt)
	return err
}

// UpdateFilter writes all of f but its number, keywords and statuses.
func (d *DB) UpdateFilter(ctx context.Context, f *Filter) error {
	_, err := d.exec(ctx, "update filter", `UPDATE filters SET title = ?, contexts = ?, irreversible = ?, blur = ?, expires_at = ?
		WHERE account_id = ? AND number = ?`, f.Title, f.Contexts, f.Irreversible, f.Blur, f.ExpiresAt, f.AccountID, f.Number)
	return err
}

// DeleteFilter removes one of an account's filters with all that it has; an unknown one
// is ErrNotFound.
func (d *DB) DeleteFilter(ctx context.Context, accountID string, number int64) error {
	n, err := d.exec(ctx, "delete filter", "DELETE FROM filters WHERE account_id = ? AND number = ?", accountID, number)
	if err == nil && n == 0 {
		err = notFound("filter %d", number)
	}
	for _, table := range []string{"filter_keywords", "filter_statuses"} {
		if err == nil {
			_, err = d.exec(ctx, "delete filter", "DELETE FROM "+table+" WHERE account_id = ? AND filter = ?", accountID, number)
		}
	}
	return err
}

// CreateFilterKeywords inserts keywords, which have their numbers.
func (d *DB) CreateFilterKeywords(ctx context.Context, rows []FilterKeyword) error {
	if len(rows) == 0 {
		return nil
	}
	return create(ctx, d, &rows, "create keywords")
}

// UpdateFilterKeyword writes the text of a keyword.
func (d *DB) UpdateFilterKeyword(ctx context.Context, k *FilterKeyword) error {
	_, err := d.exec(ctx, "update keyword", "UPDATE filter_keywords SET keyword = ?, whole_word = ? WHERE account_id = ? AND number = ?",
		k.Keyword, k.WholeWord, k.AccountID, k.Number)
	return err
}

// DeleteFilterKeyword removes a keyword.
func (d *DB) DeleteFilterKeyword(ctx context.Context, accountID string, number int64) error {
	_, err := d.exec(ctx, "delete keyword", "DELETE FROM filter_keywords WHERE account_id = ? AND number = ?", accountID, number)
	return err
}

// CreateFilterStatus inserts a status of a filter, which has its number. One that is in
// the filter already is ErrDuplicate.
func (d *DB) CreateFilterStatus(ctx context.Context, s *FilterStatus) error {
	return create(ctx, d, s, "create filtered status")
}

// DeleteFilterStatus removes a status from its filter; an unknown one is ErrNotFound.
func (d *DB) DeleteFilterStatus(ctx context.Context, accountID string, number int64) error {
	n, err := d.exec(ctx, "delete filtered status", "DELETE FROM filter_statuses WHERE account_id = ? AND number = ?", accountID, number)
	if err == nil && n == 0 {
		err = notFound("filtered status %d", number)
	}
	return err
}

// SettleFilters gives up to limit filters that the version before created their
// keywords and titles, and returns their number.
func (d *DB) SettleFilters(ctx context.Context, limit int) (int64, error) {
	settled, err := list[FilterKeyword](ctx, d.writing(), "settle filters", "UPDATE filters SET title = SUBSTR(phrase, 1, 256) WHERE "+
		d.inOrder("filters", "account_id, number", "title IS NULL", limit)+" RETURNING account_id, number, number AS filter, phrase AS keyword, whole_word")
	if err != nil {
		return 0, err
	}
	return int64(len(settled)), d.CreateFilterKeywords(ctx, settled)
}

// StatusText is the text of a status that filters look at.
type StatusText struct {
	ID           string
	Version      int64
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
	rows, err := list[StatusText](ctx, d, "texts of statuses", `SELECT s.id, s.version, s.spoiler_text, s.content, COALESCE(p.options, '[]') AS options,
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

// FiltersChanged announces a change to all processes, and to the open streams of the
// account.
func (d *DB) FiltersChanged(ctx context.Context, accountID string) error {
	_, err := d.exec(ctx, "count changes of filters", `INSERT INTO filter_numbers (account_id, last) VALUES (?, 0)
		ON CONFLICT (account_id) DO UPDATE SET version = filter_numbers.version + 1`, accountID)
	if err != nil {
		return err
	}
	if err := d.Announce(ctx, AccountChanged, accountID); err != nil {
		return err
	}
	return d.Emit(ctx, Event{Kind: EventFilters, AccountID: accountID})
}
