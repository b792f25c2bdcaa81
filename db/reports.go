package db

import (
	"context"
	"slices"
	"strings"
)

// The states of a report.
const (
	ReportOpen     = "open"
	ReportClosed   = "closed"
	ReportResolved = "resolved"
)

// Report is a complaint about an account, with copies of the statuses named.
type Report struct {
	ID         string `gorm:"primaryKey"` // flake
	URI        string `gorm:"column:uri"` // the Flag's id
	AccountID  string // the reported
	ReporterID string
	State      string
	Content    string // as typed, plain text
	Forwarded  bool
	CreatedAt  Time   `gorm:"autoCreateTime:false"`
	UpdatedAt  Time   `gorm:"autoUpdateTime:false"`
	Host       string `gorm:"->"` // of a remote account, as a trigger fills it
}

// CreateReport inserts r, open, with the statuses that it names.
func (d *DB) CreateReport(ctx context.Context, r *Report, statuses []ReportStatus) error {
	if r.ID == "" {
		r.ID = d.NewID()
	}
	if r.State == "" {
		r.State = ReportOpen
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = d.Now()
	}
	r.UpdatedAt = r.CreatedAt
	if err := create(ctx, d, r, "create report"); err != nil {
		return err
	}
	for i := range statuses {
		statuses[i].ReportID, statuses[i].Position = r.ID, i
	}
	if len(statuses) > 0 {
		if err := wrap(d.writer(ctx).CreateInBatches(statuses, 200).Error, "statuses of report %s", r.ID); err != nil {
			return err
		}
		if err := d.keepFiles(ctx, r.ID, statuses); err != nil {
			return err
		}
	}
	return d.emitReport(ctx, r.ID, Added)
}

func (d *DB) emitReport(ctx context.Context, id, what string) error {
	return d.Emit(ctx, Event{Kind: EventReport, Subject: id, Data: what})
}

const reportColumns = `SELECT r.id, r.uri, r.account_id, r.reporter_id, r.state, r.content, r.forwarded, r.created_at, r.updated_at`

func reportCells(r *Report) []any {
	return []any{&r.ID, &r.URI, &r.AccountID, &r.ReporterID, &r.State, &r.Content, &r.Forwarded, &r.CreatedAt, &r.UpdatedAt}
}

// Report returns the report with this id.
func (d *DB) Report(ctx context.Context, id string) (*Report, error) {
	rows, err := d.ReportsByID(ctx, []string{id})
	if err == nil && len(rows) == 0 {
		err = notFound("report %s", id)
	}
	if err != nil {
		return nil, err
	}
	return &rows[0], nil
}

// ReportsByID returns the existing ones of these reports, in no order.
func (d *DB) ReportsByID(ctx context.Context, ids []string) ([]Report, error) {
	return inChunks(ids, func(ids []string) ([]Report, error) {
		return scanAll(ctx, d, "reports", reportCells, reportColumns+` FROM reports r WHERE r.id IN ?`, ids)
	})
}

// Reports returns a page of the reports in this state, or in any for "", newest
// first, and the number of all of them (2 statements).
func (d *DB) Reports(ctx context.Context, state string, p NumberedPage) ([]Report, int64, error) {
	q := &selection{}
	q.add(`SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM report_tallies`)
	if state != "" {
		q.add(` WHERE state = ?`, state)
	}
	total, err := value[int64](ctx, d, "count reports", q.sql.String(), q.args...)
	if err != nil {
		return nil, 0, err
	}
	offset, size, backwards := p.window(total)
	if size <= 0 {
		return nil, total, nil
	}
	q = &selection{}
	q.add(reportColumns + ` FROM (SELECT id FROM reports`)
	if state != "" {
		q.add(` WHERE state = ?`, state)
	}
	q.add(` ORDER BY id`)
	if !backwards {
		q.add(` DESC`)
	}
	q.add(limit(size, offset) + `) p JOIN reports r ON r.id = p.id`)
	rows, err := scanAll(ctx, d, "reports", reportCells, q.sql.String(), q.args...)
	slices.SortFunc(rows, func(a, b Report) int { return strings.Compare(b.ID, a.ID) })
	return rows, total, err
}

// ReportGroup is a reported status with all its reports, newest first.
type ReportGroup struct {
	StatusID  string
	StatusURI string
	Reports   []Report
}

// ReportGroups returns a page of the statuses ever reported, the one with the
// newest report first (2 statements).
func (d *DB) ReportGroups(ctx context.Context, p NumberedPage) ([]ReportGroup, error) {
	// The newest report of each status represents the group: reports are read
	// newest first, and reports with a newer one of the same status are skipped.
	head := func(g *ReportGroup) []any { return []any{&g.StatusID, &g.StatusURI} }
	groups, err := scanAll(ctx, d, "report groups", head, `SELECT s.status_id, s.status_uri FROM report_statuses s
		WHERE NOT EXISTS (SELECT 1 FROM report_statuses n WHERE n.status_id = s.status_id AND n.report_id > s.report_id)
		ORDER BY s.report_id DESC, s.status_id DESC`+p.limit())
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	type member struct {
		statusID string
		report   Report
	}
	cells := func(m *member) []any { return append(reportCells(&m.report), &m.statusID) }
	at := make(map[string]int, len(groups))
	ids := make([]string, len(groups))
	for i := range groups {
		ids[i], at[groups[i].StatusID] = groups[i].StatusID, i
	}
	members, err := inChunks(ids, func(ids []string) ([]member, error) {
		return scanAll(ctx, d, "grouped reports", cells, reportColumns+`, s.status_id
			FROM report_statuses s JOIN reports r ON r.id = s.report_id
			WHERE s.status_id IN ?`, ids)
	})
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(b.report.ID, a.report.ID) })
	for _, m := range members {
		g := &groups[at[m.statusID]]
		g.Reports = append(g.Reports, m.report)
	}
	return groups, err
}

// LockReports locks reports against changes until the transaction ends. It
// comes before any change, so that concurrent changes of several reports wait
// instead of failing.
func (d *DB) LockReports(ctx context.Context) error {
	if d.Dialect() != Postgres {
		return nil
	}
	_, err := d.exec(ctx, "lock reports", `SELECT 1 FROM report_tallies ORDER BY state FOR UPDATE`)
	return err
}

// SetReportState moves a report to a state. The copies of the statuses of a report
// that is no longer open are left to DropCopies, those of an open one stay.
func (d *DB) SetReportState(ctx context.Context, id, state string) error {
	now := d.Now()
	if _, err := d.exec(ctx, "update report", `UPDATE reports SET state = ?, updated_at = ? WHERE id = ?`, state, now, id); err != nil {
		return err
	}
	if err := d.emitReport(ctx, id, Changed); err != nil {
		return err
	}
	if state == ReportOpen {
		now = Time{}
	}
	return d.keepCopies(ctx, id, now)
}

// Moderators returns the ids of the local, active admins and moderators.
func (d *DB) Moderators(ctx context.Context) ([]string, error) {
	// A condition on the mask keeps planners from other indexes, and an ORDER BY
	// would choose that of ids.
	ids, err := list[string](ctx, d, "moderators", `SELECT id FROM accounts WHERE is_admin AND (mask & ?) = ?
		UNION SELECT id FROM accounts WHERE is_moderator AND (mask & ?) = ?`,
		maskLocal|maskDeactivated, maskLocal, maskLocal|maskDeactivated, maskLocal)
	slices.Sort(ids)
	return ids, err
}
