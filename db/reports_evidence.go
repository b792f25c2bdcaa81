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

// CopiedAccount is an account as it was when it was reported.
type CopiedAccount struct {
	Nickname    string
	DisplayName string
	NoteHTML    string
	FieldsHTML  Slice[Field]
	Avatar      string
	Header      string
}

// Same reports whether a profile shows what it showed when it was reported. Whether a
// page links back is no part of it.
func (a *CopiedAccount) Same(now *CopiedAccount) bool {
	return now != nil && a.Nickname == now.Nickname && a.DisplayName == now.DisplayName && a.NoteHTML == now.NoteHTML &&
		a.Avatar == now.Avatar && a.Header == now.Header &&
		slices.EqualFunc(a.FieldsHTML, now.FieldsHTML, func(a, b Field) bool { return a.Name == b.Name && a.Value == b.Value })
}

// pictures are the stored files and the addresses elsewhere that a profile shows.
func (a *CopiedAccount) pictures() []string {
	return slices.DeleteFunc([]string{a.Avatar, a.Header}, func(address string) bool { return address == "" })
}

// CopyAccount keeps a reported account with its report, as it is.
func (d *DB) CopyAccount(ctx context.Context, reportID string, a *Account) error {
	kept := CopiedAccount{a.Nickname, a.DisplayName, a.NoteHTML, a.FieldsHTML, a.Avatar, a.Header}
	raw, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("copy account %s: %w", a.ID, err)
	}
	if _, err := d.exec(ctx, "copy reported account", "INSERT INTO report_accounts (report_id, copy) VALUES (?, ?)", reportID, string(raw)); err != nil {
		return err
	}
	for _, address := range kept.pictures() {
		if name := FileAt(address); name != "" {
			if err := d.keepFile(ctx, ReportFile{ReportID: reportID, File: name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// FileAt is the name of a file of this server by its address in a row, "" for one of
// another server.
func FileAt(address string) string {
	name, ours := strings.CutPrefix(address, MediaPath)
	if !ours {
		return ""
	}
	name, _, _ = strings.Cut(name, "?")
	return name
}

// ReportedAccounts returns the reported accounts of these reports as they were, where
// they show something else now, by report.
func (d *DB) ReportedAccounts(ctx context.Context, reportIDs []string) (map[string]*CopiedAccount, error) {
	type kept struct {
		reportID, copy string
		there          bool
		now            CopiedAccount
	}
	cells := func(k *kept) []any {
		return []any{&k.reportID, &k.copy, &k.there, &k.now.Nickname, &k.now.DisplayName, &k.now.NoteHTML, &k.now.FieldsHTML, &k.now.Avatar, &k.now.Header}
	}
	rows, err := inChunks(reportIDs, func(ids []string) ([]kept, error) {
		return scanAll(ctx, d, "reported accounts", cells, `SELECT c.report_id, c.copy, a.id IS NOT NULL, COALESCE(a.nickname, ''), COALESCE(a.display_name, ''),
			COALESCE(a.note_html, ''), COALESCE(a.fields_html, '[]'), COALESCE(a.avatar, ''), COALESCE(a.header, '')
			FROM report_accounts c JOIN reports r ON r.id = c.report_id LEFT JOIN accounts a ON a.id = r.account_id WHERE c.report_id IN ?`, ids)
	})
	out := map[string]*CopiedAccount{}
	for i := range rows {
		then := &CopiedAccount{}
		if err := json.Unmarshal([]byte(rows[i].copy), then); err != nil {
			return nil, fmt.Errorf("copy of the account in report %s: %w", rows[i].reportID, err)
		}
		if !rows[i].there || !then.Same(&rows[i].now) {
			out[rows[i].reportID] = then
		}
	}
	return out, err
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

// GoneStatuses returns those of these statuses that are deleted and that a report has a
// copy of, each as the newest report has it.
func (d *DB) GoneStatuses(ctx context.Context, statusIDs []string) ([]NamedStatus, error) {
	cells := func(s *NamedStatus) []any {
		return []any{&s.ReportID, &s.StatusID, &s.StatusURI, &s.Position, &s.Copy, &s.Version, &s.DeletedAt, &s.Deletion, &s.DeletedBy, &s.ClosedAt, &s.Gone}
	}
	return inChunks(statusIDs, func(ids []string) ([]NamedStatus, error) {
		return scanAll(ctx, d, "deleted statuses in reports", cells,
			`SELECT r.report_id, r.status_id, r.status_uri, r.position, r.copy, r.version, r.deleted_at, r.deletion, r.deleted_by, r.closed_at, TRUE
			FROM report_statuses r WHERE r.status_id IN ? AND r.copy <> '' AND NOT EXISTS (SELECT 1 FROM statuses s WHERE s.id = r.status_id)
			AND NOT EXISTS (SELECT 1 FROM report_statuses n WHERE n.status_id = r.status_id AND n.report_id > r.report_id AND n.copy <> '')`, ids)
	})
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

// ReportFile is a stored file that a report keeps: of a copied status, or with no
// StatusID of the reported account. Source is its address on another server, "" for a
// file of this one.
type ReportFile struct {
	ReportID string
	StatusID string
	File     string
	Source   string
}

func (d *DB) keepFile(ctx context.Context, f ReportFile) error {
	_, err := d.exec(ctx, "keep file of a report", "INSERT INTO report_files (report_id, status_id, file, source) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		f.ReportID, f.StatusID, f.File, f.Source)
	return err
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
			if err := d.keepFile(ctx, ReportFile{ReportID: reportID, StatusID: s.ID, File: m.File}); err != nil {
				return err
			}
		}
	}
	return nil
}

// FilesElsewhere returns up to limit files of other servers that the copies of a report
// show and that are not kept yet: without a name.
func (d *DB) FilesElsewhere(ctx context.Context, reportID string, limit int) ([]ReportFile, error) {
	copies, err := list[ReportStatus](ctx, d, "copies of report "+reportID, "SELECT report_id, status_id, copy FROM report_statuses WHERE report_id = ? AND copy <> '' ORDER BY position", reportID)
	if err != nil {
		return nil, err
	}
	var out []ReportFile
	add := func(statusID, address string) {
		if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
			out = append(out, ReportFile{ReportID: reportID, StatusID: statusID, Source: address})
		}
	}
	for i := range copies {
		s, err := copies[i].Copied()
		if err != nil {
			return nil, err
		}
		for ; s != nil; s = s.Of {
			for _, m := range s.Files {
				if m.File == "" {
					add(copies[i].StatusID, m.URL)
				}
			}
		}
	}
	raw, err := list[string](ctx, d, "copy of the account in report "+reportID, "SELECT copy FROM report_accounts WHERE report_id = ?", reportID)
	if err != nil {
		return nil, err
	}
	for _, text := range raw {
		var account CopiedAccount
		if err := json.Unmarshal([]byte(text), &account); err != nil {
			return nil, fmt.Errorf("copy of the account in report %s: %w", reportID, err)
		}
		for _, address := range account.pictures() {
			add("", address)
		}
	}
	kept, err := d.FetchedFiles(ctx, []string{reportID})
	out = slices.DeleteFunc(out, func(f ReportFile) bool { return kept[f] != "" })
	return out[:min(len(out), limit)], err
}

// FetchedFiles returns the names of the files that were fetched for these reports, by
// the rest of their rows.
func (d *DB) FetchedFiles(ctx context.Context, reportIDs []string) (map[ReportFile]string, error) {
	rows, err := inChunks(reportIDs, func(ids []string) ([]ReportFile, error) {
		return list[ReportFile](ctx, d, "fetched files of reports", "SELECT * FROM report_files WHERE report_id IN ? AND source <> ''", ids)
	})
	out := make(map[ReportFile]string, len(rows))
	for _, f := range rows {
		out[ReportFile{ReportID: f.ReportID, StatusID: f.StatusID, Source: f.Source}] = f.File
	}
	return out, err
}

// KeepFetched notes a file that was fetched for a report, unless the copy that shows it
// was dropped meanwhile. It must be called in a transaction.
func (d *DB) KeepFetched(ctx context.Context, f ReportFile) error {
	query, args := "SELECT report_id FROM report_statuses WHERE report_id = ? AND status_id = ? AND copy <> ''", []any{f.ReportID, f.StatusID}
	if f.StatusID == "" {
		query, args = "SELECT report_id FROM report_accounts WHERE report_id = ?", args[:1]
	}
	copies, err := list[string](ctx, d.writing(), "copy in report "+f.ReportID, query+d.hold(), args...)
	if err != nil || len(copies) == 0 {
		return err
	}
	return d.keepFile(ctx, f)
}

// ReportedGone notes in the reports about a status who deleted it. It comes after the
// deletion, so that no report of the status follows.
func (d *DB) ReportedGone(ctx context.Context, statusID, by, byID string) error {
	_, err := d.exec(ctx, "note deletion in reports", "UPDATE report_statuses SET deleted_at = ?, deletion = ?, deleted_by = ? WHERE "+
		d.inOrder("report_statuses", "report_id, status_id", "status_id = ? AND deleted_at IS NULL", 0), d.Now(), by, byID, statusID)
	return err
}

// keepCopies decides how long the copies of a report stay: for good while it is open,
// else until DropCopies is called for a moment after closed.
func (d *DB) keepCopies(ctx context.Context, reportID string, closed Time) error {
	when := "IS NOT NULL"
	if !closed.IsZero() {
		when = "IS NULL" // a report that is closed again keeps the first moment
	}
	if _, err := d.exec(ctx, "keep copies", "UPDATE report_statuses SET closed_at = ? WHERE report_id = ? AND copy <> '' AND closed_at "+when, closed, reportID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "keep copy of account", "UPDATE report_accounts SET closed_at = ? WHERE report_id = ? AND closed_at "+when, closed, reportID)
	return err
}

// DropCopies drops copies, up to limit of statuses and up to limit of accounts, whose reports
// were closed up to a moment, with the files kept for them, and reports whether there may
// be more.
func (d *DB) DropCopies(ctx context.Context, closed Time, limit int) (more bool, err error) {
	rows, err := list[ReportStatus](ctx, d.writing(), "copies to drop",
		"SELECT report_id, status_id FROM report_statuses WHERE closed_at <= ? ORDER BY closed_at LIMIT ?"+d.hold(), closed, limit)
	if err != nil {
		return false, err
	}
	accounts, err := list[ReportStatus](ctx, d.writing(), "copies of accounts to drop",
		"SELECT report_id FROM report_accounts WHERE closed_at <= ? ORDER BY closed_at LIMIT ?"+d.hold(), closed, limit)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		if _, err := d.exec(ctx, "drop copy", "UPDATE report_statuses SET copy = '', closed_at = NULL WHERE report_id = ? AND status_id = ?", r.ReportID, r.StatusID); err != nil {
			return false, err
		}
	}
	for _, r := range accounts {
		if _, err := d.exec(ctx, "drop copy of account", "DELETE FROM report_accounts WHERE report_id = ?", r.ReportID); err != nil {
			return false, err
		}
	}
	for _, r := range slices.Concat(rows, accounts) { // files of accounts are of no status
		if _, err := d.exec(ctx, "drop files of a report", "DELETE FROM report_files WHERE report_id = ? AND status_id = ?", r.ReportID, r.StatusID); err != nil {
			return false, err
		}
	}
	return len(rows) == limit || len(accounts) == limit, nil
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
