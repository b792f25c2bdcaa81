package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"svc/client/api"
)

const adminPath = "/api/svc/admin"

// AdminReports is the moderators' queue.
type AdminReports struct{ c *Client }

// List returns a page of reports, newest first, and the number of all that
// match. GET /api/svc/admin/reports.
func (s *AdminReports) List(ctx context.Context, query api.ReportQuery) (*api.ReportList, error) {
	return get[api.ReportList](ctx, s.c, values(query), adminPath+"/reports")
}

// All walks the reports, newest first, from the query's page on; each comes
// once, and those that arrive during the walk come last.
func (s *AdminReports) All(ctx context.Context, query api.ReportQuery) iter.Seq2[api.AdminReport, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	id := func(r api.AdminReport) string { return r.ID }
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.AdminReport, int, error) {
		query.Page = api.Int(page)
		answer, err := s.List(ctx, query)
		if err != nil {
			return nil, 0, err
		}
		return answer.Reports, answer.Total, nil
	})
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

// Update sets the states of reports. Where some items are refused the others
// still take effect, and ItemErrors tells which were not. PATCH
// /api/svc/admin/reports.
func (s *AdminReports) Update(ctx context.Context, items ...api.ReportUpdate) error {
	in := call{method: http.MethodPatch, body: api.ReportsPatch{Reports: items}, repeatable: true}
	return run(ctx, s.c, in, []string{adminPath + "/reports"}, nil)
}

// AddNote writes a note under a report. It is retried only with an
// IdempotencyKey. POST /api/svc/admin/reports/:id/notes.
func (s *AdminReports) AddNote(ctx context.Context, id, content string, opts ...CallOption) error {
	in := call{method: http.MethodPost, body: api.NewReportNote{Content: content}}
	return run(ctx, s.c, in, []string{adminPath + "/reports/", id, "/notes"}, nil, opts...)
}

// DeleteNote removes a note of a report. DELETE
// /api/svc/admin/reports/:report_id/notes/:id.
func (s *AdminReports) DeleteNote(ctx context.Context, reportID string, noteID int64) error {
	path := []string{adminPath + "/reports/", reportID, "/notes/", strconv.FormatInt(noteID, 10)}
	return run(ctx, s.c, call{method: http.MethodDelete}, path, nil)
}
