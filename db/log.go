package db

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// LogEntry is one line of the moderation log.
type LogEntry struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	ActorID   string
	Action    string
	Data      string // a JSON object
	Message   string
	SearchKey string // the message in lower case
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// TableName is the log's table.
func (LogEntry) TableName() string { return "moderation_log" }

// CreateLogEntry writes a line of the moderation log.
func (d *DB) CreateLogEntry(ctx context.Context, e *LogEntry) error {
	e.SearchKey = strings.ToLower(e.Message)
	if e.CreatedAt.IsZero() {
		e.CreatedAt = d.Now()
	}
	return create(ctx, d, e, "log %s", e.Action)
}

// LogFilter selects log entries; empty conditions do not count.
type LogFilter struct {
	Since   Time // not before
	Before  Time
	ActorID string
	Search  string // part of the message, in any case
}

// Log returns a page of the moderation log, newest first.
func (d *DB) Log(ctx context.Context, f LogFilter, p NumberedPage) ([]LogEntry, error) {
	q := &selection{}
	q.add(`SELECT l.id, l.actor_id, l.action, l.data, l.message, l.created_at FROM
		(SELECT id FROM moderation_log WHERE TRUE`)
	if !f.Since.IsZero() {
		q.add(` AND created_at >= ?`, f.Since)
	}
	if !f.Before.IsZero() {
		q.add(` AND created_at < ?`, f.Before)
	}
	if f.ActorID != "" {
		q.add(` AND actor_id = ?`, f.ActorID)
	}
	if f.Search != "" {
		q.add(` AND search_key LIKE ? ESCAPE '\'`, containing(f.Search))
	}
	q.add(` ORDER BY created_at DESC, id DESC` + p.limit() + `) p JOIN moderation_log l ON l.id = p.id`)
	var rows []LogEntry
	err := d.reader(ctx).Raw(q.sql.String(), q.args...).Scan(&rows).Error
	slices.SortFunc(rows, func(a, b LogEntry) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(b.ID, a.ID))
	})
	return rows, wrap(err, "moderation log")
}
