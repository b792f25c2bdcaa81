package adminapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/rights"
)

// historyPage bounds each list of a history.
const historyPage = 20

// History answers requests about what moderators need to know of an account.
type History struct {
	DB     *db.DB
	View   *view.View
	Rights *rights.Service
	people people
}

// History are the handlers of histories.
func (p *Parts) History() History { return History{p.DB, p.View, p.Rights, p.people()} }

// history is api.UserHistory with parts that are rendered already.
type history struct {
	*api.UserHistory
	About json.RawMessage `json:"about"`
	By    json.RawMessage `json:"by"`
	Log   json.RawMessage `json:"log"`
}

// Show is GET /users/:nickname_or_id/history. Those who may read reports alone are shown
// reports and names.
func (a History) Show(c *gin.Context) error {
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	ctx, caller, page := c.Request.Context(), web.Caller(c).Account, db.NumberedPage{Number: 1, Size: historyPage}
	out := &history{UserHistory: &api.UserHistory{AccountID: account.ID, Nickname: account.Nickname}, Log: json.RawMessage("null")}
	about, counts, err := a.DB.Reports(ctx, db.ReportFilter{AccountID: account.ID}, page)
	if err != nil {
		return err
	}
	out.ReportsAbout = view.ReportCounts(counts)
	by, counts, err := a.DB.Reports(ctx, db.ReportFilter{ReporterID: account.ID}, page)
	if err != nil {
		return err
	}
	out.ReportsBy = view.ReportCounts(counts)
	reports, err := a.View.AdminReports(ctx, append(about[:len(about):len(about)], by...))
	if err != nil {
		return err
	}
	out.About, out.By = array("", reports[:len(about)], ""), array("", reports[len(about):], "")
	names, err := a.DB.AccountNames(ctx, account.ID)
	if err != nil {
		return err
	}
	for _, n := range names {
		out.Names = append(out.Names, api.AccountName{Nickname: n.Nickname, DisplayName: n.DisplayName, Until: api.Time{Time: n.Until.Time}})
	}
	if a.Rights.Check(caller, rights.Log) == nil {
		entries, err := a.DB.Log(ctx, db.LogFilter{AboutID: account.ID}, page)
		if err != nil {
			return err
		}
		if out.Log, err = a.View.Log(entries); err != nil {
			return err
		}
	}
	if account.Local && a.Rights.Check(caller, rights.UsersRead) == nil {
		near, err := a.DB.Neighbours(ctx, account.ID, historyPage+1)
		if err != nil {
			return err
		}
		if near.MailDomain != "" {
			out.MailDomain = &api.SameMailDomain{Domain: near.MailDomain, More: len(near.ByMail) > historyPage}
			if out.MailDomain.Users, err = a.people.users(c, near.ByMail[:min(len(near.ByMail), historyPage)]...); err != nil {
				return err
			}
		}
		if near.InviteID != 0 {
			out.Invite = &api.SameInvite{ID: near.InviteID, More: len(near.ByInvite) > historyPage}
			if out.Invite.Users, err = a.people.users(c, near.ByInvite[:min(len(near.ByInvite), historyPage)]...); err != nil {
				return err
			}
		}
	}
	return web.OK(c, out)
}
