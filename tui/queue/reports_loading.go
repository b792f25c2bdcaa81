package queue

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/api"
	"svc/client/safe"
	"svc/tui/desk"
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
	p.failed, p.complete = safe.Safe{}, rows < desk.PageSize
}

// reportsLoaded is a page of reports. gen is the number of the walk through the
// pages: an answer to an earlier one is dropped.
type reportsLoaded struct {
	queue   *Reports
	gen     int
	page    int
	total   int
	rows    []list.Row
	reports []*shown.Report
	err     error
}

// Rows names what came, for a trace.
func (msg reportsLoaded) Rows() string { return fmt.Sprintf("reports %d", msg.page) }

func (msg reportsLoaded) Deliver(m *desk.Env) tea.Cmd { return msg.queue.loaded(m, msg) }

type reportLoaded struct {
	queue  *Reports
	id     string
	report *shown.Report
	err    error
}

func (msg reportLoaded) Deliver(m *desk.Env) tea.Cmd { return msg.queue.reported(m, msg) }

// read loads the page of the list that is due.
func (r *Reports) read(m *desk.Env) tea.Cmd {
	c, msg, state := m.Load.C, reportsLoaded{queue: r, gen: r.gen, page: r.page}, r.serverState()
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		found, err := c.Admin.Reports.List(api.ReportQuery{State: state, Page: msg.page, PageSize: desk.PageSize}).Page(ctx)
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
func (r *Reports) readReport(m *desk.Env, id string) tea.Cmd {
	c := m.Load.C
	r.asked[id] = true
	return m.Load.Run(func(ctx context.Context) tea.Msg {
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

// Look reads the newest reports, and with count the number of all.
func (r *Reports) Look(m *desk.Env, count bool) desk.Query {
	if !m.Rights.Has(tables.NeedsReports) {
		return nil
	}
	c, state, n := m.Load.C, r.serverState(), news{gen: r.gen, all: -1}
	return func(ctx context.Context) (func(*desk.Env) tea.Cmd, error) {
		found, err := c.Admin.Reports.List(api.ReportQuery{State: state, PageSize: desk.PollSize}).Page(ctx)
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
		return func(m *desk.Env) tea.Cmd { return r.polled(m, n) }, nil
	}
}
