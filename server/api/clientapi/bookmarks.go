package clientapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
)

// Bookmark is POST /api/v1/statuses/:id/bookmark.
func (a *Statuses) Bookmark(c *gin.Context) error {
	// The caller's relations were read before this: perhaps without a bookmark.
	me := *web.Caller(c)
	me.Relations.Bookmarks = true
	status, err := a.Social.Bookmark(c.Request.Context(), me.Account, c.Param("id"))
	if err != nil {
		return err
	}
	raw, err := a.View.Status(c.Request.Context(), &me, status.ID)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Unbookmark is POST /api/v1/statuses/:id/unbookmark.
func (a *Statuses) Unbookmark(c *gin.Context) error { return a.react(c, a.Social.Unbookmark) }

// Pin is POST /api/v1/statuses/:id/pin.
func (a *Statuses) Pin(c *gin.Context) error { return a.react(c, a.Social.Pin) }

// Unpin is POST /api/v1/statuses/:id/unpin.
func (a *Statuses) Unpin(c *gin.Context) error { return a.react(c, a.Social.Unpin) }

// Bookmarks is GET /api/v1/bookmarks. Its pages go by the number of the
// bookmark, which only the Link header has.
func (a *Statuses) Bookmarks(c *gin.Context) error {
	page := web.Page(c, statusPage, statusPageMax)
	for name, id := range map[string]string{"max_id": page.MaxID, "since_id": page.SinceID, "min_id": page.MinID} {
		if _, err := strconv.ParseInt(id, 10, 64); id != "" && err != nil {
			return web.BadParam(name, name+" - Invalid integer. Got: string.")
		}
	}
	refs, err := a.DB.Bookmarks(c.Request.Context(), a.View.Viewer(web.Caller(c)), page)
	if err != nil {
		return err
	}
	return a.keyedStatuses(c, refs)
}

// Favourites is GET /api/v1/favourites. Its pages go by the id of the
// favourite.
func (a *Statuses) Favourites(c *gin.Context) error {
	return a.favourited(c, web.Caller(c).Account)
}

// FavouritesOf is GET /api/v1/svc/accounts/:id/favourites, likewise.
func (a *Statuses) FavouritesOf(c *gin.Context) error {
	account, err := a.account(c)
	if err != nil {
		return err
	}
	if me := a.View.Viewer(web.Caller(c)).ID; account.HideFavourites && me != account.ID {
		return fault.Forbidden("Can't get favorites")
	}
	return a.favourited(c, account)
}

func (a *Statuses) favourited(c *gin.Context, of *db.Account) error {
	refs, err := a.DB.Favourites(c.Request.Context(), a.View.Viewer(web.Caller(c)), of.ID, web.Page(c, statusPage, statusPageMax))
	if err != nil {
		return err
	}
	return a.keyedStatuses(c, refs)
}

// keyedStatuses is statuses for a list that does not go by their ids.
func (a *shared) keyedStatuses(c *gin.Context, refs []db.StatusRef) error {
	raw, err := a.View.Statuses(c.Request.Context(), refs)
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		web.Links(c, a.Site.Base, refs[0].Key, refs[len(refs)-1].Key)
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}
