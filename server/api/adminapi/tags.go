package adminapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
)

// Tag is PUT /users/tag.
func (a Users) Tag(c *gin.Context) error { return a.tag(c, a.Moderation.Tag) }

// Untag is DELETE /users/tag.
func (a Users) Untag(c *gin.Context) error { return a.tag(c, a.Moderation.Untag) }

func (a Users) tag(c *gin.Context, do func(ctx context.Context, by *db.Account, nicknames, tags []string) error) error {
	var in struct {
		Tags any `json:"tags"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	nicknames, err := nicknames(c, bad())
	if err != nil {
		return err
	}
	p := &params{}
	tags, ok := p.names(in.Tags)
	if !ok || p.bad {
		return bad()
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, a.people.locals(nicknames), tags); err != nil {
		return err
	}
	return web.NoContent(c)
}
