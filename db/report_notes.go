package db

import (
	"cmp"
	"context"
	"slices"
)

// ReportNote is a moderator's note on a report.
type ReportNote struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	ReportID  string
	AccountID string
	Content   string
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// CreateReportNote inserts n.
func (d *DB) CreateReportNote(ctx context.Context, n *ReportNote) error {
	if n.CreatedAt.IsZero() {
		n.CreatedAt = d.Now()
	}
	if err := create(ctx, d, n, "note on report %s", n.ReportID); err != nil {
		return err
	}
	return d.emitReport(ctx, n.ReportID, Changed)
}

// ReportNote returns a note of this report; another report's is ErrNotFound.
func (d *DB) ReportNote(ctx context.Context, reportID string, id int64) (*ReportNote, error) {
	rows, err := d.reportNotes(ctx, ` WHERE id = ? AND report_id = ?`, id, reportID)
	if err == nil && len(rows) == 0 {
		err = notFound("note %d of report %s", id, reportID)
	}
	if err != nil {
		return nil, err
	}
	return &rows[0], nil
}

// ReportNotes returns the notes of these reports, oldest first.
func (d *DB) ReportNotes(ctx context.Context, reportIDs []string) ([]ReportNote, error) {
	rows, err := inChunks(reportIDs, func(ids []string) ([]ReportNote, error) {
		return d.reportNotes(ctx, ` WHERE report_id IN ?`, ids)
	})
	slices.SortFunc(rows, func(a, b ReportNote) int { return cmp.Compare(a.ID, b.ID) })
	return rows, err
}

func (d *DB) reportNotes(ctx context.Context, where string, args ...any) ([]ReportNote, error) {
	cells := func(n *ReportNote) []any { return []any{&n.ID, &n.ReportID, &n.AccountID, &n.Content, &n.CreatedAt} }
	return scanAll(ctx, d, "report notes", cells, `SELECT id, report_id, account_id, content, created_at FROM report_notes`+where, args...)
}

// DeleteReportNote removes a note; one that is gone already is ErrNotFound.
func (d *DB) DeleteReportNote(ctx context.Context, note *ReportNote) error {
	n, err := d.exec(ctx, "delete note", `DELETE FROM report_notes WHERE id = ?`, note.ID)
	if err == nil && n == 0 {
		err = notFound("note %d", note.ID)
	}
	if err != nil {
		return err
	}
	return d.emitReport(ctx, note.ReportID, Changed)
}
