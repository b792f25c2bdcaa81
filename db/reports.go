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

// The categories of reports.
const (
	CategorySpam      = "spam"
	CategoryLegal     = "legal"
	CategoryViolation = "violation" // of rules
	CategoryOther     = "other"
)

// ReportRule is a rule as it was when a report named it.
type ReportRule struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

// Report is a complaint about an account, with copies of the statuses named.
type Report struct {
	ID         string `gorm:"primaryKey"` // flake
	URI        string `gorm:"column:uri"` // the Flag's id
	AccountID  string // the reported
	ReporterID string
	State      string
	Content    string // as typed, plain text
	Forwarded  bool
	Category   string
	Rules      Slice[ReportRule] // those that the reporter named
	CreatedAt  Time              `gorm:"autoCreateTime:false"`
	UpdatedAt  Time              `gorm:"autoUpdateTime:false"`
	Host       string            `gorm:"->"` // of a remote account, as a trigger fills it
	// Who changed the state last, and when; "" if nobody did.
	DecidedBy string `gorm:"->"`
	DecidedAt Time   `gorm:"->"`
}

// CreateReport inserts r, open, with the statuses that it names.
func (d *DB) CreateReport(ctx context.Context, r *Report, statuses []ReportStatus) error {
	if r.ID == "" {
		r.ID = d.NewID()
	}
	if r.State == "" {
		r.State = ReportOpen
	}
	if r.Category == "" {
		r.Category = CategoryOther
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

const reportColumns = `SELECT r.id, r.uri, r.account_id, r.reporter_id, r.state, r.content, r.forwarded, r.category, r.rules, r.created_at, r.updated_at, r.decided_by, r.decided_at`

func reportCells(r *Report) []any {
	return []any{&r.ID, &r.URI, &r.AccountID, &r.ReporterID, &r.State, &r.Content, &r.Forwarded, &r.Category, &r.Rules, &r.CreatedAt, &r.UpdatedAt, &r.DecidedBy, &r.DecidedAt}
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

// ReportFilter selects reports; empty conditions do not count.
type ReportFilter struct {
	State      string
	AccountID  string // the reported
	ReporterID string
	Host       *string // of the reported account, "" for this server
}

// ReportCounts are numbers of reports by their state.
type ReportCounts struct{ Open, Closed, Resolved int64 }

// In is the number in a state, or in all for "".
func (c ReportCounts) In(state string) int64 {
	switch state {
	case ReportOpen:
		return c.Open
	case ReportClosed:
		return c.Closed
	case ReportResolved:
		return c.Resolved
	}
	return c.Open + c.Closed + c.Resolved
}

func (c *ReportCounts) add(state string, n int64) {
	switch state {
	case ReportOpen:
		c.Open += n
	case ReportClosed:
		c.Closed += n
	case ReportResolved:
		c.Resolved += n
	}
}

// ReportsAbout and ReportsBy name the counts of an account in report_counts.
func ReportsAbout(accountID string) string { return "about " + accountID }

// ReportsBy is ReportsAbout for the reports that an account filed.
func ReportsBy(accountID string) string { return "by " + accountID }

// reportsAt is ReportsAbout for the accounts of a host, "" for this server.
func reportsAt(host string) string { return "at " + host }

// where adds the conditions but the state, if there are any.
func (f *ReportFilter) where(q *selection) {
	word := ` WHERE `
	add := func(column, value string) {
		q.add(word+column+` = ?`, value)
		word = ` AND `
	}
	if f.AccountID != "" {
		add("account_id", f.AccountID)
	}
	if f.ReporterID != "" {
		add("reporter_id", f.ReporterID)
	}
	if f.Host != nil {
		add("host", *f.Host)
	}
	if f.State != "" {
		add("state", f.State)
	}
}

// countReports counts in one statement, whatever state f has. What is counted already is
// read; the reports of an account about another one, or of one about a host, are counted.
func (d *DB) countReports(ctx context.Context, f ReportFilter) (out ReportCounts, err error) {
	f.State = ""
	subject := ""
	switch f {
	case ReportFilter{}:
	case ReportFilter{AccountID: f.AccountID}:
		subject = ReportsAbout(f.AccountID)
	case ReportFilter{ReporterID: f.ReporterID}:
		subject = ReportsBy(f.ReporterID)
	case ReportFilter{Host: f.Host}:
		subject = reportsAt(*f.Host)
	}
	type number struct {
		state string
		n     int64
	}
	cells := func(n *number) []any { return []any{&n.state, &n.n} }
	q := &selection{}
	switch {
	case f == (ReportFilter{}):
		q.add(`SELECT state, n FROM report_tallies`)
	case subject != "":
		q.add(`SELECT state, n FROM report_counts WHERE subject = ?`, subject)
	default:
		q.add(`SELECT state, COUNT(*) FROM reports`)
		f.where(q)
		q.add(` GROUP BY state`)
	}
	rows, err := scanAll(ctx, d, "count reports", cells, q.sql.String(), q.args...)
	for _, n := range rows {
		out.add(n.state, n.n)
	}
	return out, err
}

// ReportCounts returns the counts of these ReportsAbout and ReportsBy in one statement.
func (d *DB) ReportCounts(ctx context.Context, subjects []string) (map[string]ReportCounts, error) {
	type number struct {
		subject, state string
		n              int64
	}
	cells := func(n *number) []any { return []any{&n.subject, &n.state, &n.n} }
	rows, err := inChunks(subjects, func(subjects []string) ([]number, error) {
		return scanAll(ctx, d, "counts of reports", cells, `SELECT subject, state, n FROM report_counts WHERE subject IN ?`, subjects)
	})
	out := make(map[string]ReportCounts, len(subjects))
	for _, n := range rows {
		c := out[n.subject]
		c.add(n.state, n.n)
		out[n.subject] = c
	}
	return out, err
}

// Reports returns a page of the matching reports, newest first, and the numbers of those
// that match but for the state (2 statements).
func (d *DB) Reports(ctx context.Context, f ReportFilter, p NumberedPage) ([]Report, ReportCounts, error) {
	counts, err := d.countReports(ctx, f)
	if err != nil {
		return nil, counts, err
	}
	offset, size, backwards := p.window(counts.In(f.State))
	if size <= 0 {
		return nil, counts, nil
	}
	q := &selection{}
	q.add(reportColumns + ` FROM (SELECT id FROM reports`)
	f.where(q)
	q.add(` ORDER BY id`)
	if !backwards {
		q.add(` DESC`)
	}
	q.add(limit(size, offset) + `) p JOIN reports r ON r.id = p.id`)
	rows, err := scanAll(ctx, d, "reports", reportCells, q.sql.String(), q.args...)
	slices.SortFunc(rows, func(a, b Report) int { return strings.Compare(b.ID, a.ID) })
	return rows, counts, err
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

// SetReportState moves a report to a state, as an account decides. The copies of the statuses of a report
// that is no longer open are left to DropCopies, those of an open one stay.
func (d *DB) SetReportState(ctx context.Context, id, state, by string) error {
	now := d.Now()
	if _, err := d.exec(ctx, "update report", `UPDATE reports SET state = ?, updated_at = ?, decided_by = ?, decided_at = ? WHERE id = ?`, state, now, by, now, id); err != nil {
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
