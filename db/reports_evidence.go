package db

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Who deleted a reported status.
const (
	DeletedByAuthor    = "author"
	DeletedByModerator = "moderator"
	DeletedByAccount   = "account" // the status went with its account
	DeletedByServer    = "server"  // another server said so, or this one did by itself
)

// ReportStatus is a status named by a report. Copy is a CopiedStatus as JSON, ""
// once it is dropped: some time after the report is closed or resolved.
type ReportStatus struct {
	ReportID  string `gorm:"primaryKey"`
	StatusID  string `gorm:"primaryKey"`
	StatusURI string `gorm:"column:status_uri"`
	Position  int
	Copy      string
	Version   int64 // of the status in the copy

	DeletedAt Time
	Deletion  string
	DeletedBy string // the moderator
	ClosedAt  Time   // when its report was closed, while there is a copy
}

// CopiedStatus is a status as it was when it was reported. Copies of earlier
// releases have the Status alone.
type CopiedStatus struct {
	Status
	Poll  *Poll             `json:",omitempty"`
	Files []MediaAttachment `json:",omitempty"`
	Of    *CopiedStatus     `json:",omitempty"` // what a reblog showed
}

// NamedStatus is a ReportStatus with the state of the status now.
type NamedStatus struct {
	ReportStatus // Copy is "" if the status is as it was
	Gone         bool
}

// Copied reads the copy, nil if there is none.
func (s *ReportStatus) Copied() (*CopiedStatus, error) {
	if s.Copy == "" {
		return nil, nil
	}
	out := &CopiedStatus{}
	if err := json.Unmarshal([]byte(s.Copy), out); err != nil {
		return nil, fmt.Errorf("copy of status %s in report %s: %w", s.StatusID, s.ReportID, err)
	}
	return out, nil
}

// ReportStatuses returns the statuses named by these reports, in the order in
// which each names them.
func (d *DB) ReportStatuses(ctx context.Context, reportIDs []string) ([]NamedStatus, error) {
	cells := func(s *NamedStatus) []any {
		return []any{&s.ReportID, &s.StatusID, &s.StatusURI, &s.Position, &s.Copy, &s.Version, &s.DeletedAt, &s.Deletion, &s.DeletedBy, &s.ClosedAt, &s.Gone}
	}
	rows, err := inChunks(reportIDs, func(ids []string) ([]NamedStatus, error) {
		return scanAll(ctx, d, "statuses of reports", cells,
			`SELECT r.report_id, r.status_id, r.status_uri, r.position, CASE WHEN s.version = r.version THEN '' ELSE r.copy END, r.version,
			r.deleted_at, r.deletion, r.deleted_by, r.closed_at, s.id IS NULL
			FROM report_statuses r LEFT JOIN statuses s ON s.id = r.status_id WHERE r.report_id IN ?`, ids)
	})
	slices.SortFunc(rows, func(a, b NamedStatus) int {
		return cmp.Or(strings.Compare(a.ReportID, b.ReportID), cmp.Compare(a.Position, b.Position))
	})
	return rows, err
}

// CopyStatuses returns the existing ones of these statuses as they are, by id. They
// are held, so that each is copied or deleted first, and never both.
func (d *DB) CopyStatuses(ctx context.Context, ids []string) (map[string]*CopiedStatus, error) {
	out := make(map[string]*CopiedStatus, len(ids))
	for some := range slices.Chunk(ids, 500) {
		found, err := d.StatusesByID(ctx, some)
		if err != nil {
			return nil, err
		}
		var first, then []string // originals are held before their reblogs
		for i := range found {
			if of := found[i].ReblogOfID; of != nil {
				first, then = append(first, *of), append(then, found[i].ID)
			} else {
				first = append(first, found[i].ID)
			}
		}
		for _, ids := range [][]string{first, then} {
			if err := d.HoldStatuses(ctx, ids...); err != nil {
				return nil, err
			}
		}
		rows, err := d.copies(ctx, slices.Concat(first, then))
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			if rows[id] == nil {
				continue
			}
			if of := rows[id].ReblogOfID; of != nil {
				rows[id].Of = rows[*of]
			}
			out[id] = rows[id]
		}
	}
	return out, nil
}

// copies reads statuses with their files and polls.
func (d *DB) copies(ctx context.Context, ids []string) (map[string]*CopiedStatus, error) {
	rows, err := d.writing().StatusesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*CopiedStatus, len(rows))
	var polls []int64
	var withMedia []string
	for i := range rows {
		out[rows[i].ID] = &CopiedStatus{Status: rows[i]}
		if rows[i].PollID != nil {
			polls = append(polls, *rows[i].PollID)
		}
		if rows[i].HasMedia {
			withMedia = append(withMedia, rows[i].ID)
		}
	}
	files, err := d.Attachments(ctx, withMedia)
	if err != nil {
		return nil, err
	}
	for _, m := range files {
		out[*m.StatusID].Files = append(out[*m.StatusID].Files, m)
	}
	byID, err := d.Polls(ctx, polls)
	for _, s := range out {
		if s.PollID != nil {
			s.Poll = byID[*s.PollID]
		}
	}
	return out, err
}

// CurrentCopies returns the existing ones of these statuses as CopyStatuses does, but
// holds nothing.
func (d *DB) CurrentCopies(ctx context.Context, ids []string) (map[string]*CopiedStatus, error) {
	out := map[string]*CopiedStatus{}
	for some := range slices.Chunk(ids, 500) {
		rows, err := d.copies(ctx, some)
		if err != nil {
			return nil, err
		}
		for id, s := range rows {
			out[id] = s
		}
	}
	return out, nil
}

// keepFiles notes the stored files of copied statuses: they stay as long as the copies.
func (d *DB) keepFiles(ctx context.Context, reportID string, statuses []ReportStatus) error {
	for i := range statuses {
		s, err := statuses[i].Copied()
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		for _, m := range s.Files {
			if m.File == "" {
				continue
			}
			if _, err := d.exec(ctx, "keep files of reported status", "INSERT INTO report_files (report_id, status_id, file) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
				reportID, s.ID, m.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReportedGone notes in the reports about a status who deleted it. It comes after the
// deletion, so that no report of the status follows.
func (d *DB) ReportedGone(ctx context.Context, statusID, by, byID string) error {
	_, err := d.exec(ctx, "note deletion in reports", "UPDATE report_statuses SET deleted_at = ?, deletion = ?, deleted_by = ? WHERE "+
		d.inOrder("report_statuses", "report_id, status_id", "status_id = ? AND deleted_at IS NULL", 0), d.Now(), by, byID, statusID)
	return err
}

// DropCopies drops up to limit copies of statuses whose reports were closed up to a
// moment, with the files kept for them, and reports whether there may be more.
func (d *DB) DropCopies(ctx context.Context, closed Time, limit int) (more bool, err error) {
	rows, err := list[ReportStatus](ctx, d.writing(), "copies to drop",
		"SELECT report_id, status_id FROM report_statuses WHERE closed_at <= ? ORDER BY closed_at LIMIT ?"+d.hold(), closed, limit)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		if _, err := d.exec(ctx, "drop copy", "UPDATE report_statuses SET copy = '', closed_at = NULL WHERE report_id = ? AND status_id = ?", r.ReportID, r.StatusID); err != nil {
			return false, err
		}
		if _, err := d.exec(ctx, "drop files of reported status", "DELETE FROM report_files WHERE report_id = ? AND status_id = ?", r.ReportID, r.StatusID); err != nil {
			return false, err
		}
	}
	return len(rows) == limit, nil
}

// Same reports whether the author changed nothing since: no text, file, description,
// option or language. Counters, votes and moderators' decisions are no changes.
func (s *CopiedStatus) Same(now *CopiedStatus) bool {
	if s == nil || now == nil {
		return false
	}
	return s.Content == now.Content && s.SpoilerText == now.SpoilerText && s.Language == now.Language && s.EditedAt.Equal(now.EditedAt.Time) &&
		slices.EqualFunc(s.Files, now.Files, func(a, b MediaAttachment) bool {
			return a.URL == b.URL && a.RemoteURL == b.RemoteURL && a.Description == b.Description
		}) && slices.Equal(s.titles(), now.titles())
}

// titles are the options of the poll.
func (s *CopiedStatus) titles() []string {
	if s.Poll == nil {
		return nil
	}
	out := make([]string, len(s.Poll.Options))
	for i, o := range s.Poll.Options {
		out[i] = o.Title
	}
	return out
}
