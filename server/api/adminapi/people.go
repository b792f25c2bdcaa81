package adminapi

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/rights"
)

// The bounds of the requests to other servers that one request may cause.
const (
	maxLookups = 20
	lookupTime = 15 * time.Second // for all of them together
)

// people finds accounts by the names that admins use, and renders them.
type people struct {
	DB     *db.DB
	View   *view.View
	Remote *remote.Service
	Rights *rights.Service
	Site   config.Site
}

func (p *Parts) people() people { return people{p.DB, p.View, p.Remote, p.Rights, p.Site} }

// readsUsers refuses callers who may not read accounts, but for pending ones.
func (p people) readsUsers(c *gin.Context) error {
	return p.Rights.Check(web.Caller(c).Account, rights.UsersRead)
}

// readsMail reports whether the caller may read mail addresses and reasons of
// registrations, which stand in accounts wherever the admin API shows them.
func (p people) readsMail(c *gin.Context) bool {
	return p.readsUsers(c) == nil
}

// local is the stored nickname of a handle: nick@own-host is nick, and other hosts
// are as they are kept.
func (p people) local(handle string) string {
	return hosts.Nickname(handle, p.Site.Host)
}

// found returns the local name of an account. An unknown one of another server
// is fetched from there.
func (p people) found(ctx context.Context, nickname string) string {
	return p.allFound(ctx, []string{nickname})[0]
}

// allFound is found for several names. An account that cannot be found stays
// unknown, and the operation refuses it.
func (p people) allFound(ctx context.Context, nicknames []string) []string {
	out := p.locals(nicknames)
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	asked := 0
	for i, n := range out {
		if !strings.Contains(n, "@") || asked >= maxLookups {
			continue
		}
		if _, err := p.DB.AccountByNickname(ctx, n); !errors.Is(err, db.ErrNotFound) {
			continue
		}
		asked++
		if account, err := p.Remote.Handle(ctx, n); err == nil {
			out[i] = account.Nickname // its server may write it in another way
		}
	}
	return out
}

// account finds the account that the path names, by id or nickname.
func (p people) account(c *gin.Context) (*db.Account, error) {
	handle, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return nil, err
	}
	return p.DB.FindAccount(c.Request.Context(), p.found(c.Request.Context(), handle))
}

// users renders accounts for the caller, in the order of their ids. Mail addresses,
// reasons of registrations and what else a sign-up tells are for those who read users,
// and those of pending accounts also for those who decide about them.
func (p people) users(c *gin.Context, ids ...string) ([]api.AdminUser, error) {
	rows, err := p.DB.AdminUsersByID(c.Request.Context(), ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.AdminUser, len(rows))
	whole, signups := p.readsMail(c), p.Rights.Check(web.Caller(c).Account, rights.Approvals) == nil
	for i := range rows {
		if !whole && (!signups || !rows[i].ApprovalPending) {
			rows[i].Email, rows[i].RegistrationReason, rows[i].Signup = "", "", nil
		}
		byID[rows[i].ID] = &rows[i]
	}
	out := make([]api.AdminUser, len(ids))
	for i, id := range ids {
		if byID[id] == nil {
			return nil, db.ErrNotFound
		}
		out[i] = p.View.AdminUser(byID[id])
	}
	return out, p.countReports(c, out)
}

// countReports adds the numbers of reports about accounts, for callers who may read
// reports (1 statement). Accounts that await approval have none: nobody knows them yet.
func (p people) countReports(c *gin.Context, users []api.AdminUser) error {
	subjects := make([]string, 0, len(users))
	for _, u := range users {
		if !u.ApprovalPending {
			subjects = append(subjects, db.ReportsAbout(u.AccountID))
		}
	}
	if len(subjects) == 0 || p.Rights.Check(web.Caller(c).Account, rights.Reports) != nil {
		return nil
	}
	counts, err := p.DB.ReportCounts(c.Request.Context(), subjects)
	for i, u := range users {
		if !u.ApprovalPending {
			about := view.ReportCounts(counts[db.ReportsAbout(u.AccountID)])
			users[i].ReportsAbout = &about
		}
	}
	return err
}

// nicknames is the parameter of this name, as it was sent, for callers with the
// scope.
func nicknames(c *gin.Context, refusal error) ([]string, error) {
	var in struct {
		Nicknames any `json:"nicknames"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return nil, err
	}
	p := &params{}
	sent, ok := p.names(in.Nicknames)
	if !ok || p.bad {
		return nil, refusal
	}
	return sent, nil
}

// locals is local for several handles.
func (p people) locals(nicknames []string) []string {
	out := make([]string, len(nicknames))
	for i, n := range nicknames {
		out[i] = p.local(n)
	}
	return out
}
