package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// Page sizes of scrobbles.
const (
	scrobblePage    = 20
	scrobblePageMax = 40
)

// List is GET /api/v1/svc/accounts/:id/scrobbles.
func (a *Scrobbles) List(c *gin.Context) error {
	account, err := a.account(c)
	if err != nil {
		return err
	}
	rows, err := a.DB.Scrobbles(c.Request.Context(), a.View.Viewer(web.Caller(c)), account.ID, web.Page(c, scrobblePage, scrobblePageMax))
	if err != nil {
		return err
	}
	shown := a.View.Account(account)
	out := make(api.List[api.Scrobble], len(rows))
	for i := range rows {
		out[i] = scrobble(&rows[i], &shown)
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, rows[0].ID, rows[len(rows)-1].ID)
	}
	return web.OK(c, out)
}

// Create is POST /api/v1/svc/scrobble.
func (a *Scrobbles) Create(c *gin.Context) error {
	var in api.NewScrobble
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	me := web.Caller(c).Account
	row, err := a.Social.Scrobble(c.Request.Context(), me, db.Scrobble{
		Title: in.Title, Artist: in.Artist, Album: in.Album, Length: (*int64)(in.Length), Visibility: in.Visibility,
	}, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	// The caller is cached for a moment, and another process may have changed
	// the account.
	if me, err = a.DB.Account(c.Request.Context(), me.ID); err != nil {
		return err
	}
	shown := a.View.Account(me)
	return web.OK(c, scrobble(row, &shown))
}

func scrobble(s *db.Scrobble, by *api.Account) api.Scrobble {
	return api.Scrobble{
		ID: s.ID, Account: by, Title: s.Title, Artist: s.Artist, Album: s.Album, Length: s.Length, CreatedAt: api.Time{Time: s.CreatedAt.Time},
	}
}
