package db

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
)

// LogEntry is one line of the moderation log.
type LogEntry struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	ActorID   string
	Action    string
	Data      ObjectText
	Message   string
	SearchKey string // the message in lower case
	CreatedAt Time   `gorm:"autoCreateTime:false"`
	// About are the ids of the accounts that it is about. They are written only.
	About []string `gorm:"-"`
}

// TableName is the log's table.
func (LogEntry) TableName() string { return "moderation_log" }

// CreateLogEntry writes a line of the moderation log.
func (d *DB) CreateLogEntry(ctx context.Context, e *LogEntry) error {
	e.SearchKey = strings.ToLower(e.Message)
	if e.CreatedAt.IsZero() {
		e.CreatedAt = d.Now()
	}
	if err := create(ctx, d, e, "log %s", e.Action); err != nil {
		return err
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(e.About))) {
		if _, err := d.exec(ctx, "account of log entry", "INSERT INTO log_accounts (account_id, entry_id) VALUES (?, ?)", id, e.ID); err != nil {
			return err
		}
	}
	return d.Emit(ctx, Event{Kind: EventLogEntry, Subject: strconv.FormatInt(e.ID, 10)})
}

const logColumns = `SELECT l.id, l.actor_id, l.action, l.data, l.message, l.created_at FROM `

func logCells(e *LogEntry) []any {
	return []any{&e.ID, &e.ActorID, &e.Action, &e.Data, &e.Message, &e.CreatedAt}
}

// LogEntry returns the entry with this number.
func (d *DB) LogEntry(ctx context.Context, id int64) (*LogEntry, error) {
	rows, err := scanAll(ctx, d, "moderation log", logCells, logColumns+`moderation_log l WHERE l.id = ?`, id)
	if err == nil && len(rows) == 0 {
		err = notFound("log entry %d", id)
	}
	if err != nil {
		return nil, err
	}
	return &rows[0], nil
}

// LogFilter selects log entries; empty conditions do not count.
type LogFilter struct {
	Since   Time // not before
	Before  Time
	ActorID string
	AboutID string // the account that it is about, or one of them
	Search  string // part of the message, in any case
}

// where adds the conditions on the log, with a prefix for its columns.
func (f *LogFilter) where(q *selection, log string) {
	if !f.Since.IsZero() {
		q.add(` AND `+log+`created_at >= ?`, f.Since)
	}
	if !f.Before.IsZero() {
		q.add(` AND `+log+`created_at < ?`, f.Before)
	}
	if f.ActorID != "" {
		q.add(` AND `+log+`actor_id = ?`, f.ActorID)
	}
}

// Log returns a page of the moderation log, newest first (1 statement; up to 5
// for a search).
func (d *DB) Log(ctx context.Context, f LogFilter, p NumberedPage) ([]LogEntry, error) {
	var (
		rows []LogEntry
		err  error
	)
	if f.AboutID != "" {
		return d.logAbout(ctx, f, p)
	}
	if f.Search != "" {
		ids, searchErr := d.searchLog(ctx, f, p)
		if searchErr != nil {
			return nil, searchErr
		}
		rows, err = inChunks(ids, func(ids []int64) ([]LogEntry, error) {
			return scanAll(ctx, d, "moderation log", logCells, logColumns+`moderation_log l WHERE l.id IN ?`, ids)
		})
	} else {
		q := &selection{}
		q.add(logColumns + `(SELECT id FROM moderation_log WHERE TRUE`)
		f.where(q, "")
		q.add(` ORDER BY created_at DESC, id DESC` + p.limit() + `) p JOIN moderation_log l ON l.id = p.id`)
		rows, err = scanAll(ctx, d, "moderation log", logCells, q.sql.String(), q.args...)
	}
	slices.SortFunc(rows, func(a, b LogEntry) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(b.ID, a.ID))
	})
	return rows, err
}

// logCounted is up to where LogCount counts.
const logCounted = 10_000

// LogCount returns how many entries f selects, as far as 10,000. The words of a search do
// not count.
func (d *DB) LogCount(ctx context.Context, f LogFilter) (int, error) {
	q := &selection{}
	if f.AboutID == "" {
		q.add(`SELECT COUNT(*) FROM (SELECT 1 FROM moderation_log l WHERE TRUE`)
	} else {
		q.add(`SELECT COUNT(*) FROM (SELECT 1 FROM log_accounts a JOIN moderation_log l ON l.id = a.entry_id WHERE a.account_id = ?`, f.AboutID)
	}
	f.where(q, "l.")
	q.add(` LIMIT ?) c`, logCounted)
	return value[int](ctx, d, "count of the moderation log", q.sql.String(), q.args...)
}

// logAbout is Log for an account: it reads the entries about that one alone.
func (d *DB) logAbout(ctx context.Context, f LogFilter, p NumberedPage) ([]LogEntry, error) {
	q := &selection{}
	q.add(logColumns+`log_accounts a JOIN moderation_log l ON l.id = a.entry_id WHERE a.account_id = ?`, f.AboutID)
	f.where(q, "l.")
	if f.Search != "" {
		q.add(` AND `+mostly(`l.search_key LIKE ? ESCAPE '\'`), containing(f.Search))
	}
	q.add(` ORDER BY a.entry_id DESC` + p.limit())
	return scanAll(ctx, d, "log about "+f.AboutID, logCells, q.sql.String(), q.args...)
}
