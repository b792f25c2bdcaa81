package clientapi

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// followed are those of hashtags that the caller follows, nil for a stranger.
func (a *shared) followed(c *gin.Context, names []string) (map[string]bool, error) {
	caller := web.Caller(c)
	if caller == nil || caller.Account == nil {
		return nil, nil
	}
	tags := make([]string, len(names))
	for i, name := range names {
		tags[i] = text.Tag(name)
	}
	followed, _, err := a.DB.FollowsTags(c.Request.Context(), caller.Account.ID, tags)
	return followed, err
}

// tag renders a hashtag for the caller. Without followed it has no more than statuses say.
func (a *shared) tag(name string, followed map[string]bool) api.Tag {
	tag := text.Tag(name)
	out := api.Tag{Name: name, URL: a.Site.Base + "/tag/" + hosts.URI(tag)}
	if followed != nil {
		follows := followed[tag]
		out.ID, out.Following = tag, &follows
	}
	return out
}

// Get is GET /api/v1/tags/:name.
func (a *Tags) Get(c *gin.Context) error {
	name, ok := text.TagName(c.Param("name"))
	if !ok {
		return db.ErrNotFound
	}
	followed, err := a.followed(c, []string{name})
	if err != nil {
		return err
	}
	out := a.tag(name, followed)
	out.ID = name
	return web.OK(c, out)
}

// Follow is POST /api/v1/tags/:name/follow.
func (a *Tags) Follow(c *gin.Context) error { return a.change(c, a.Social.FollowTag) }

// Unfollow is POST /api/v1/tags/:name/unfollow.
func (a *Tags) Unfollow(c *gin.Context) error { return a.change(c, a.Social.UnfollowTag) }

func (a *Tags) change(c *gin.Context, do func(ctx context.Context, by *db.Account, tag string) error) error {
	name, ok := text.TagName(c.Param("name"))
	if !ok {
		return db.ErrNotFound
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, name); err != nil {
		return err
	}
	followed, err := a.followed(c, []string{name})
	if err != nil {
		return err
	}
	return web.OK(c, a.tag(name, followed))
}

// The numbers of followed hashtags on a page.
const (
	tagPage    = 100
	tagPageMax = 200
)

// Followed is GET /api/v1/followed_tags. Its pages go by the numbers of the follows, which
// only the Link header has.
func (a *Tags) Followed(c *gin.Context) error {
	page := web.Page(c, tagPage, tagPageMax)
	for name, id := range map[string]string{"max_id": page.MaxID, "since_id": page.SinceID, "min_id": page.MinID} {
		if _, err := strconv.ParseInt(id, 10, 64); id != "" && err != nil {
			return web.BadParam(name, name+" - Invalid integer. Got: string.")
		}
	}
	rows, err := a.DB.FollowedTags(c.Request.Context(), web.Caller(c).Account.ID, page)
	if err != nil {
		return err
	}
	out := make(api.List[api.Tag], len(rows))
	for i := range rows {
		out[i] = a.tag(rows[i].Tag, map[string]bool{rows[i].Tag: true})
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, strconv.FormatInt(rows[0].ID, 10), strconv.FormatInt(rows[len(rows)-1].ID, 10))
	}
	return web.OK(c, out)
}
