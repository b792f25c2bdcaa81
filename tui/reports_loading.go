package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/api"
	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/tables"
)

// pager is how far the queue is loaded, page by page. An answer counts as long as its
// gen is the current one.
type pager struct {
	gen      int
	page     int // last one asked for
	loading  bool
	complete bool
	failed   safe.Safe // why the last page is missing
}

// begun reports whether anything was asked for.
func (p *pager) begun() bool { return p.page > 0 || p.loading }

// restart asks for the first page.
func (p *pager) restart() {
	p.gen++
	p.page, p.loading, p.complete = 1, true, false
}

// open reports whether there may be a next page to ask for.
func (p *pager) open() bool { return p.page > 0 && !p.loading && !p.complete }

// next asks for it.
func (p *pager) next() {
	p.loading = true
	p.page++
}

// took notes the answer to a page. One that failed is asked for again.
func (p *pager) took(page, rows int, err error) {
	p.loading = false
	if err != nil {
		p.failed, p.page = shown.Wording(err), page-1
		return
	}
	p.failed, p.complete = safe.Safe{}, rows < pageSize
}

// reportsLoaded is a page of reports. gen is the number of the walk through the
// pages: an answer to an earlier one is dropped.
type reportsLoaded struct {
	queue   *reports
	gen     int
	page    int
	total   int
	rows    []list.Row
	reports []*shown.Report
	err     error
}

func (msg reportsLoaded) deliver(m *env) tea.Cmd { return msg.queue.loaded(m, msg) }

type reportLoaded struct {
	queue  *reports
	id     string
	report *shown.Report
	err    error
}

func (msg reportLoaded) deliver(m *env) tea.Cmd { return msg.queue.reported(m, msg) }

// read loads the page of the list that is due.
func (r *reports) read(m *env) tea.Cmd {
	c, msg, state := m.load.c, reportsLoaded{queue: r, gen: r.gen, page: r.page}, r.serverState()
	return m.load.run(func(ctx context.Context) tea.Msg {
		found, err := c.Admin.Reports.List(api.ReportQuery{State: state, Page: msg.page, PageSize: pageSize}).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.total = found.Total
		msg.rows, msg.reports = reportRows(found.Items)
		return msg
	})
}

func reportRows(found []api.AdminReport) (rows []list.Row, reports []*shown.Report) {
	for _, r := range found {
		reports = append(reports, shown.NewReport(r))
		rows = append(rows, reportRow(reports[len(reports)-1]))
	}
	return rows, reports
}

// readReport loads one report.
func (r *reports) readReport(m *env, id string) tea.Cmd {
	c := m.load.c
	r.asked[id] = true
	return m.load.run(func(ctx context.Context) tea.Msg {
		found, err := c.Admin.Reports.Get(ctx, id)
		if err != nil {
			return reportLoaded{queue: r, id: id, err: err}
		}
		return reportLoaded{queue: r, id: id, report: shown.NewReport(*found)}
	})
}

// news are the newest reports, as a poll finds them.
type news struct {
	gen    int
	newest []*shown.Report
	rows   []list.Row
	total  int
	all    int // reports in any state, -1 when they were not counted
}

// look reads the newest reports, and with count the number of all.
func (r *reports) look(m *env, count bool) query {
	if !m.rights.Has(tables.NeedsReports) {
		return nil
	}
	c, state, n := m.load.c, r.serverState(), news{gen: r.gen, all: -1}
	return func(ctx context.Context) (func(*env) tea.Cmd, error) {
		found, err := c.Admin.Reports.List(api.ReportQuery{State: state, PageSize: pollSize}).Page(ctx)
		if err != nil {
			return nil, err
		}
		n.total = found.Total
		n.rows, n.newest = reportRows(found.Items)
		if count {
			all, err := c.Admin.Reports.List(api.ReportQuery{PageSize: 1}).Page(ctx)
			if err != nil {
				return nil, err
			}
			n.all = all.Total
		}
		return func(m *env) tea.Cmd { return r.polled(m, n) }, nil
	}
}
