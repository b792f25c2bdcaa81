package db

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// ScheduledStatus is a status to be posted later.
type ScheduledStatus struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	AccountID   string
	ScheduledAt Time
	Day         int64 // of ScheduledAt, counted from 1970 UTC
	Params      StatusParams
	Refused     string // why it was not posted at its time; "" while it waits
	CreatedAt   Time   `gorm:"autoCreateTime:false"`
}

// StatusParams is the request for a scheduled status. It is stored as JSON.
type StatusParams struct {
	Text           string      `json:"text"`
	ContentType    string      `json:"content_type,omitempty"`
	SpoilerText    string      `json:"spoiler_text,omitempty"`
	Sensitive      bool        `json:"sensitive,omitempty"`
	Visibility     string      `json:"visibility,omitempty"` // as requested; "" is the default
	PostedAs       string      `json:"posted_as"`            // the resulting visibility
	InReplyToID    string      `json:"in_reply_to_id,omitempty"`
	ConversationID int64       `json:"conversation_id,omitempty"`
	Language       string      `json:"language,omitempty"`
	To             []string    `json:"to,omitempty"`
	Addressed      bool        `json:"addressed,omitempty"`  // To counts, even if it is empty
	ExpiresIn      int64       `json:"expires_in,omitempty"` // seconds
	Poll           *PollParams `json:"poll,omitempty"`
	AppName        string      `json:"app_name,omitempty"`
	AppWebsite     string      `json:"app_website,omitempty"`
}

// PollParams is the request for a poll. ExpiresIn is nil if it was not given.
type PollParams struct {
	Options    []string `json:"options"`
	ExpiresIn  *int64   `json:"expires_in,omitempty"` // seconds
	Multiple   bool     `json:"multiple,omitempty"`
	HideTotals bool     `json:"hide_totals,omitempty"`
}

// Value writes the JSON.
func (p StatusParams) Value() (driver.Value, error) {
	raw, err := json.Marshal(p)
	return string(raw), err
}

// Scan reads the JSON.
func (p *StatusParams) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), p)
	case []byte:
		return json.Unmarshal(v, p)
	}
	return fmt.Errorf("parameters of a status held %T", src)
}

// GormDataType names the column's kind to the mapper.
func (StatusParams) GormDataType() string { return "text" }

// DayOf returns the day of a moment, counted from 1970 UTC.
func DayOf(t time.Time) int64 {
	const day = 24 * 60 * 60
	s := t.Unix()
	if s < 0 {
		s -= day - 1
	}
	return s / day
}

// CreateScheduledStatus inserts s and sets its id, day and time.
func (d *DB) CreateScheduledStatus(ctx context.Context, s *ScheduledStatus) error {
	s.Day, s.CreatedAt = DayOf(s.ScheduledAt.Time), d.Now()
	return create(ctx, d, s, "schedule status")
}

// ScheduledStatus returns one of an account's scheduled statuses.
func (d *DB) ScheduledStatus(ctx context.Context, accountID string, id int64) (*ScheduledStatus, error) {
	return one[ScheduledStatus](ctx, d, fmt.Sprintf("scheduled status %d", id), "SELECT * FROM scheduled_statuses WHERE id = ? AND account_id = ?", id, accountID)
}

// ScheduledStatuses returns a page of an account's scheduled statuses, last
// scheduled first. The bounds of the page must be integers.
func (d *DB) ScheduledStatuses(ctx context.Context, accountID string, p Page) ([]ScheduledStatus, error) {
	query, args := "SELECT * FROM scheduled_statuses WHERE account_id = ?", []any{accountID}
	for _, b := range []struct{ op, id string }{{"<", p.MaxID}, {">", p.SinceID}, {">", p.MinID}} {
		if b.id != "" {
			query += " AND id " + b.op + " CAST(? AS BIGINT)"
			args = append(args, b.id)
		}
	}
	_, order, _ := Page{MinID: p.MinID, Limit: p.Limit}.where("id")
	rows, err := list[ScheduledStatus](ctx, d, "scheduled statuses", query+order, args...)
	return newestFirst(p, rows), err
}

// ScheduledCounts counts an account's scheduled statuses in all and for a day,
// without the one with the id but. The counts hold as long as the account is
// held.
func (d *DB) ScheduledCounts(ctx context.Context, accountID string, day, but int64) (total, ofDay int, err error) {
	row, err := value[struct{ Total, OfDay int }](ctx, d, "count scheduled statuses",
		`SELECT (SELECT COUNT(*) FROM scheduled_statuses WHERE account_id = ? AND id <> ?) AS total,
		(SELECT COUNT(*) FROM scheduled_statuses WHERE account_id = ? AND day = ? AND id <> ?) AS of_day`,
		accountID, but, accountID, day, but)
	return row.Total, row.OfDay, err
}

// Reschedule moves a scheduled status to another time and clears its refusal.
func (d *DB) Reschedule(ctx context.Context, accountID string, id int64, at Time) error {
	n, err := d.exec(ctx, "reschedule status", "UPDATE scheduled_statuses SET scheduled_at = ?, day = ?, refused = '' WHERE id = ? AND account_id = ?",
		at, DayOf(at.Time), id, accountID)
	if err == nil && n == 0 {
		err = notFound("scheduled status %d", id)
	}
	return err
}

// TakeScheduledStatus removes and returns a scheduled status that is due, with
// the ids of its files, which are released. One that waits no more, or is not
// due until before, is ErrNotFound.
func (d *DB) TakeScheduledStatus(ctx context.Context, id int64, before Time) (*ScheduledStatus, []int64, error) {
	s, err := one[ScheduledStatus](ctx, d.writing(), fmt.Sprintf("scheduled status %d", id),
		"DELETE FROM scheduled_statuses WHERE id = ? AND scheduled_at <= ? AND refused = '' RETURNING *", id, before)
	if err != nil {
		return nil, nil, err
	}
	files, err := d.freeScheduled(ctx, id)
	return s, files, err
}

func (d *DB) freeScheduled(ctx context.Context, id int64) ([]int64, error) {
	files, err := list[int64](ctx, d, fmt.Sprintf("files of scheduled status %d", id),
		"SELECT id FROM media_attachments WHERE scheduled_status_id = ? ORDER BY position", id)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	_, err = d.exec(ctx, "free files", "UPDATE media_attachments SET scheduled_status_id = NULL, created_at = ? WHERE scheduled_status_id = ?", d.Now(), id)
	return files, err
}

// RefuseScheduledStatus stores why a scheduled status was not posted. It waits
// no more.
func (d *DB) RefuseScheduledStatus(ctx context.Context, id int64, why string) error {
	_, err := d.exec(ctx, "refuse scheduled status", "UPDATE scheduled_statuses SET refused = ? WHERE id = ?", why, id)
	return err
}

// DeleteScheduledStatus removes an account's scheduled status and releases its
// files.
func (d *DB) DeleteScheduledStatus(ctx context.Context, accountID string, id int64) error {
	n, err := d.exec(ctx, "delete scheduled status", "DELETE FROM scheduled_statuses WHERE id = ? AND account_id = ?", id, accountID)
	if err == nil && n == 0 {
		err = notFound("scheduled status %d", id)
	}
	if err != nil {
		return err
	}
	_, err = d.freeScheduled(ctx, id)
	return err
}

// DueScheduledStatuses returns the numbers of up to limit scheduled statuses
// that were due before a moment.
func (d *DB) DueScheduledStatuses(ctx context.Context, before Time, limit int) ([]int64, error) {
	ids, err := list[int64](ctx, d, "due scheduled statuses", "SELECT id FROM scheduled_statuses WHERE refused = '' AND scheduled_at <= ? ORDER BY scheduled_at LIMIT ?", before, limit)
	return ids, err
}

// HoldMedia reserves an account's own, unused uploads for a scheduled status,
// in order. An upload that is another's, used or unknown is ErrNotFound.
func (d *DB) HoldMedia(ctx context.Context, accountID string, scheduledID int64, ids []int64) error {
	return d.useMedia(ctx, "scheduled_status_id", scheduledID, accountID, ids)
}

// ScheduledMedia returns the files of scheduled statuses, in order.
func (d *DB) ScheduledMedia(ctx context.Context, ids []int64) (map[int64][]MediaAttachment, error) {
	out := map[int64][]MediaAttachment{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := list[MediaAttachment](ctx, d, "files of scheduled statuses", "SELECT * FROM media_attachments WHERE scheduled_status_id IN ? ORDER BY scheduled_status_id, position", ids)
	for _, m := range rows {
		out[*m.ScheduledStatusID] = append(out[*m.ScheduledStatusID], m)
	}
	return out, err
}

// UnusedMedia returns an account's own, unused uploads with these ids, in
// order. An upload that is another's, used or unknown is ErrNotFound.
func (d *DB) UnusedMedia(ctx context.Context, accountID string, ids []int64) ([]MediaAttachment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[MediaAttachment](ctx, d, "unused media", `SELECT * FROM media_attachments
		WHERE id IN ? AND account_id = ? AND status_id IS NULL AND scheduled_status_id IS NULL AND NOT mascot`, ids, accountID)
	if err != nil {
		return nil, err
	}
	return inOrderOf(ids, rows)
}

// inOrderOf sorts uploads by the ids that were asked for, each of which must be there
// once.
func inOrderOf(ids []int64, rows []MediaAttachment) ([]MediaAttachment, error) {
	byID := make(map[int64]MediaAttachment, len(rows))
	for _, m := range rows {
		byID[m.ID] = m
	}
	out := make([]MediaAttachment, 0, len(ids))
	for i, id := range ids {
		m, ok := byID[id]
		if !ok {
			return nil, notFound("media %d", id)
		}
		m.Position = i
		delete(byID, id)
		out = append(out, m)
	}
	return out, nil
}
