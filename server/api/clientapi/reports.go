package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/moderation"
)

// Create is POST /api/v1/reports.
func (a *Reports) Create(c *gin.Context) error {
	var in api.NewReport
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if in.AccountID == "" {
		return web.Missing("account_id")
	}
	report, err := a.Moderation.FileReport(c.Request.Context(), web.Caller(c).Account, moderation.NewReport{
		TargetID: in.AccountID, StatusIDs: in.StatusIDs, Comment: in.Comment, Forward: bool(in.Forward),
		Category: in.Category, RuleIDs: in.RuleIDs, IdempotencyKey: web.IdempotencyKey(c),
	})
	if err != nil {
		return err
	}
	out, err := a.View.Reports(c.Request.Context(), []db.Report{*report})
	if err != nil {
		return err
	}
	return web.OK(c, out[0])
}
