package adminapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/rules/moderation"
)

const (
	reportPage = 50
	// A group has all its reports, so a page of groups has an upper bound.
	groupPage    = 100
	groupPageMax = 1000
)

type reportPages struct {
	Limit    *int64 `json:"limit"`
	Page     *int64 `json:"page"`
	PageSize *int64 `json:"page_size"`
}

// Reports answers requests about reports and their notes.
type Reports struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	site       config.Site
	people     people
}

// Reports are the handlers of reports and their notes.
func (p *Parts) Reports() Reports { return Reports{p.DB, p.View, p.Moderation, p.Site, p.people()} }

// List is GET /reports.
func (a Reports) List(c *gin.Context) error {
	var in struct {
		State     string `json:"state" binding:"oneof=open closed resolved"`
		AccountID string `json:"account_id"`
		ActorID   string `json:"actor_id"`
		Domain    string `json:"domain"`
		reportPages
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	if in.PageSize == nil {
		in.PageSize = in.Limit
	}
	ctx := c.Request.Context()
	f := db.ReportFilter{State: in.State, AccountID: in.AccountID, ReporterID: in.ActorID}
	if in.Domain != "" {
		host := hosts.Clean(in.Domain)
		if host == a.site.Host {
			host = ""
		}
		f.Host = &host
	}
	rows, found, err := a.DB.Reports(ctx, f, numbered(in.Page, in.PageSize, reportPage))
	if err != nil {
		return err
	}
	reports, err := a.View.AdminReports(ctx, rows)
	if err != nil {
		return err
	}
	counts, err := json.Marshal(view.ReportCounts(found))
	if err != nil {
		return err
	}
	return web.OK(c, array(`{"reports":`, reports, `,"total":`+strconv.FormatInt(found.In(in.State), 10)+`,"counts":`+string(counts)+`}`))
}

// mostReported bounds the statuses of a report that a moderator files.
const mostReported = 100

// Create is POST /reports: a report in the caller's name, or that of somebody else here.
func (a Reports) Create(c *gin.Context) error {
	var in api.NewAdminReport
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if in.Account == "" {
		return web.Missing("account")
	}
	if len(in.StatusIDs) > mostReported {
		return fault.Malformedf("status_ids has more than %d", mostReported)
	}
	ctx := c.Request.Context()
	target, err := a.DB.FindAccount(ctx, a.people.found(ctx, in.Account))
	if err != nil {
		return err
	}
	by := web.Caller(c).Account
	reporter := by
	if in.Reporter != "" {
		if reporter, err = a.DB.FindAccount(ctx, a.people.local(in.Reporter)); err != nil {
			return err
		}
	}
	report, err := a.Moderation.FileReportFor(ctx, by, reporter, moderation.NewReport{
		TargetID: target.ID, StatusIDs: in.StatusIDs, Comment: in.Comment, Forward: in.Forward, IdempotencyKey: web.IdempotencyKey(c),
	})
	if err != nil {
		return err
	}
	return a.show(c, report.ID)
}

// array joins rendered items: encoding them again would copy and check them.
func array(before string, items []json.RawMessage, after string) json.RawMessage {
	size := len(before) + len(after) + 2
	for _, item := range items {
		size += len(item) + 1
	}
	out := make([]byte, 0, size)
	out = append(append(out, before...), '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(append(out, ']'), after...)
}

// Groups is GET /grouped_reports.
func (a Reports) Groups(c *gin.Context) error {
	var in struct {
		State string `json:"state"` // any: groups have all
		reportPages
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	if in.PageSize == nil {
		in.PageSize = in.Limit
	}
	page := numbered(in.Page, in.PageSize, groupPage)
	page.Size = min(page.Size, groupPageMax)
	ctx := c.Request.Context()
	groups, err := a.DB.ReportGroups(ctx, page)
	if err != nil {
		return err
	}
	raw, err := a.View.ReportGroups(ctx, groups)
	if err != nil {
		return err
	}
	return web.OK(c, json.RawMessage(`{"reports":`+string(raw)+`}`))
}

// Show is GET /reports/:id.
func (a Reports) Show(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	return a.show(c, id)
}

func (a Reports) show(c *gin.Context, id string) error {
	report, err := a.DB.Report(c.Request.Context(), id)
	if err != nil {
		return err
	}
	reports, err := a.View.AdminReports(c.Request.Context(), []db.Report{*report})
	if err != nil {
		return err
	}
	return web.OK(c, reports[0])
}

// Update is PATCH /reports.
func (a Reports) Update(c *gin.Context) error {
	var in struct {
		Reports []struct {
			ID    string `json:"id"`
			State string `json:"state"`
			Was   string `json:"was"` // ours: the state that it has, or nothing is done
		} `json:"reports" binding:"required"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	changes := make([]moderation.ReportChange, len(in.Reports))
	for i, r := range in.Reports {
		changes[i] = moderation.ReportChange{ID: r.ID, State: r.State, Was: r.Was}
	}
	refused, err := a.Moderation.UpdateReports(c.Request.Context(), web.Caller(c).Account, changes)
	if err != nil {
		return err
	}
	if len(refused) == 0 {
		return web.NoContent(c)
	}
	body := make([]api.ItemError, len(refused))
	for i, r := range refused {
		body[i] = api.ItemError{ID: r.ID, Error: r.Reason}
	}
	return &web.Answer{Status: http.StatusBadRequest, Body: body}
}

// AddNote is POST /reports/:id/notes.
func (a Reports) AddNote(c *gin.Context) error {
	var in struct {
		Content string `json:"content"`
	}
	if err := web.Read(c, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Content) == "" {
		return bad()
	}
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	if err := a.Moderation.AddNote(c.Request.Context(), web.Caller(c).Account, id, in.Content, web.IdempotencyKey(c)); err != nil {
		return err
	}
	return web.NoContent(c)
}

// DeleteNote is DELETE /reports/:id/notes/:note_id.
func (a Reports) DeleteNote(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	note, err := strconv.ParseInt(c.Param("note_id"), 10, 64)
	if err != nil {
		return db.ErrNotFound // notes are numbered
	}
	if err := a.Moderation.DeleteNote(c.Request.Context(), web.Caller(c).Account, id, note); err != nil {
		return err
	}
	return web.NoContent(c)
}
