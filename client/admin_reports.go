package client

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"svc/client/api"
)

const adminPath = "/api/svc/admin"

// AdminReports is the moderators' queue.
type AdminReports struct{ c *Client }

// List is the reports, newest first; those that arrive during a walk come
// last. GET /api/svc/admin/reports.
func (s *AdminReports) List(query api.ReportQuery) Listing[api.AdminReport] {
	read := func(a api.ReportList) ([]api.AdminReport, int) { return a.Reports, a.Total }
	id := func(r api.AdminReport) string { return r.ID }
	return numbered(s.c, query, read, id, adminPath+"/reports")
}

// OpenAbout returns all open reports about accounts, by their ids, those about one after
// those about another, each newest first.
func (s *AdminReports) OpenAbout(ctx context.Context, accountIDs []string) ([]api.AdminReport, error) {
	const page = 100
	var found []api.AdminReport
	for i, id := range accountIDs {
		if id == "" || slices.Contains(accountIDs[:i], id) {
			continue
		}
		for r, err := range s.List(api.ReportQuery{State: api.ReportOpen, AccountID: id, PageSize: page}).All(ctx) {
			if err != nil {
				return nil, err
			}
			if r.Account.ID == id { // a server without the filter sends all
				found = append(found, r)
			}
		}
	}
	return found, nil
}

// Counts returns the numbers of reports that match, by state; nil from servers that do not
// tell them. GET /api/svc/admin/reports.
func (s *AdminReports) Counts(ctx context.Context, query api.ReportQuery) (*api.ReportCounts, error) {
	query.Page, query.PageSize = 1, 1
	answer, err := get[api.ReportList](ctx, s.c, values(query), adminPath+"/reports")
	if err != nil {
		return nil, err
	}
	return answer.Counts, nil
}

// Groups returns the reports by reported status, newest first. GET
// /api/svc/admin/grouped_reports.
func (s *AdminReports) Groups(ctx context.Context) ([]api.GroupedReport, error) {
	answer, err := get[api.GroupedReports](ctx, s.c, nil, adminPath+"/grouped_reports")
	if err != nil {
		return nil, err
	}
	return answer.Reports, nil
}

// Get returns a report. GET /api/svc/admin/reports/:id.
func (s *AdminReports) Get(ctx context.Context, id string) (*api.AdminReport, error) {
	return get[api.AdminReport](ctx, s.c, nil, adminPath+"/reports/", id)
}

// Create files a report in one's own name or that of a user of this server. It is
// retried only with an IdempotencyKey. POST /api/svc/admin/reports.
func (s *AdminReports) Create(ctx context.Context, form api.NewAdminReport, opts ...CallOption) (*api.AdminReport, error) {
	return send[api.AdminReport](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{adminPath + "/reports"}, opts...)
}

// Update sets the states of reports. If some items are refused the others still
// take effect, and ItemErrors names the refused ones. PATCH
// /api/svc/admin/reports.
func (s *AdminReports) Update(ctx context.Context, items ...api.ReportUpdate) error {
	in := Request{Method: http.MethodPatch, Body: api.ReportsPatch{Reports: items}, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/reports"})
}

// AddNote writes a note under a report. It is retried only with an
// IdempotencyKey. POST /api/svc/admin/reports/:id/notes.
func (s *AdminReports) AddNote(ctx context.Context, id, content string, opts ...CallOption) error {
	in := Request{Method: http.MethodPost, Body: api.NewReportNote{Content: content}}
	return perform(ctx, s.c, in, []string{adminPath + "/reports/", id, "/notes"}, opts...)
}

// DeleteNote removes a note of a report. DELETE
// /api/svc/admin/reports/:report_id/notes/:id.
func (s *AdminReports) DeleteNote(ctx context.Context, reportID string, noteID int64) error {
	path := []string{adminPath + "/reports/", reportID, "/notes/", strconv.FormatInt(noteID, 10)}
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, path)
}
