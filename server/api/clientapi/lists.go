package clientapi

import (
	"context"
	"errors"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

func list(l *db.AccountList) api.AccountList {
	return api.AccountList{ID: strconv.FormatInt(l.ID, 10), Title: l.Title, RepliesPolicy: l.RepliesPolicy, Exclusive: l.Exclusive}
}

func lists(rows []db.AccountList) api.List[api.AccountList] {
	out := make(api.List[api.AccountList], len(rows))
	for i := range rows {
		out[i] = list(&rows[i])
	}
	return out
}

var errNoList = fault.NotFound("List not found")

// noList is the error for a list that is not the caller's.
func noList(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return errNoList
	}
	return err
}

// listID is the number in :id; text that is no number names no list.
func listID(c *gin.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, errNoList
	}
	return id, nil
}

// list is the caller's list that :id names.
func (a *shared) list(c *gin.Context) (*db.AccountList, error) {
	id, err := listID(c)
	if err != nil {
		return nil, err
	}
	l, err := a.DB.ListByID(c.Request.Context(), web.Caller(c).Account.ID, id)
	return l, noList(err)
}

// List is GET /api/v1/lists.
func (a *Lists) List(c *gin.Context) error {
	rows, err := a.DB.Lists(c.Request.Context(), web.Caller(c).Account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, lists(rows))
}

// OfAccount is GET /api/v1/accounts/:id/lists: the caller's lists with this
// member.
func (a *Lists) OfAccount(c *gin.Context) error {
	account, err := a.DB.Account(c.Request.Context(), c.Param("id"))
	if err != nil {
		return err
	}
	rows, err := a.DB.ListsWith(c.Request.Context(), web.Caller(c).Account.ID, account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, lists(rows))
}

// Get is GET /api/v1/lists/:id.
func (a *Lists) Get(c *gin.Context) error {
	l, err := a.list(c)
	if err != nil {
		return err
	}
	return web.OK(c, list(l))
}

// Create is POST /api/v1/lists.
func (a *Lists) Create(c *gin.Context) error {
	var in api.NewList
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	l, err := a.Social.CreateList(c.Request.Context(), web.Caller(c).Account, social.List{
		Title: &in.Title, RepliesPolicy: in.RepliesPolicy, Exclusive: flag(in.Exclusive),
	}, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.OK(c, list(l))
}

// Update is PUT /api/v1/lists/:id; absent fields keep their values, but one must be there.
func (a *Lists) Update(c *gin.Context) error {
	var in api.ListForm
	id, err := listID(c)
	if err == nil {
		err = web.Bind(c, &in)
	}
	if err != nil {
		return err
	}
	if in.Title == nil && in.RepliesPolicy == nil && in.Exclusive == nil {
		return web.Missing("title")
	}
	l, err := a.Social.UpdateList(c.Request.Context(), web.Caller(c).Account, id, social.List{
		Title: in.Title, RepliesPolicy: in.RepliesPolicy, Exclusive: flag(in.Exclusive),
	})
	if err != nil {
		return noList(err)
	}
	return web.OK(c, list(l))
}

// Delete is DELETE /api/v1/lists/:id.
func (a *Lists) Delete(c *gin.Context) error {
	id, err := listID(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeleteList(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return noList(err)
	}
	return web.OK(c, api.Empty{})
}

// Accounts is GET /api/v1/lists/:id/accounts, by account id. A limit of 0
// asks for all members.
func (a *Lists) Accounts(c *gin.Context) error {
	l, err := a.list(c)
	if err != nil {
		return err
	}
	page := web.Page(c, accountPage, accountPageMax)
	if web.Query(c, "limit") == "0" {
		page.Limit = db.MaxListMembers
	}
	refs, err := a.DB.ListMemberRefs(c.Request.Context(), l.ID, page)
	if err != nil {
		return err
	}
	return a.accounts(c, refs)
}

// AddAccounts is POST /api/v1/lists/:id/accounts.
func (a *Lists) AddAccounts(c *gin.Context) error { return a.members(c, a.Social.AddToList) }

// RemoveAccounts is DELETE /api/v1/lists/:id/accounts; the ids stand in the
// body or the query.
func (a *Lists) RemoveAccounts(c *gin.Context) error { return a.members(c, a.Social.RemoveFromList) }

func (a *Lists) members(c *gin.Context, do func(ctx context.Context, by *db.Account, id int64, accountIDs []string) error) error {
	var in api.ListAccounts
	id, err := listID(c)
	if err == nil {
		err = web.BindAny(c, &in)
	}
	if err != nil {
		return err
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, id, in.AccountIDs); err != nil {
		return noList(err)
	}
	return web.OK(c, api.Empty{})
}
