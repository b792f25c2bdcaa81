package pages

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/text"
)

// The bounds of a thread on a status's page: the nearest statuses above, the
// first ones below.
const (
	maxAbove = 20
	maxBelow = 50
)

type noticePage struct {
	Heading              string
	MoreAbove, MoreBelow string
	Above, Below         []post
	Post                 post
}

// Notice is GET /notice/:id: a status in its thread. A remote status redirects
// to its own server, a reblog to the reblogged status.
func (p *Pages) Notice(c *gin.Context) error {
	ctx, viewer := c.Request.Context(), p.View.Viewer(nil)
	of, err := p.ref(ctx, viewer, c.Param("id"))
	if err != nil {
		return err
	}
	if of.ReblogOfID != "" {
		c.Redirect(http.StatusFound, "/notice/"+of.ReblogOfID)
		return nil
	}
	thread, err := p.DB.Thread(ctx, viewer, of.ID)
	if err != nil {
		return err
	}
	above, below, err := p.DB.SplitThread(ctx, thread, of)
	if err != nil {
		return err
	}
	cutAbove, cutBelow := max(len(above)-maxAbove, 0), max(len(below)-maxBelow, 0)
	above, below = above[cutAbove:], below[:len(below)-cutBelow]
	refs := append(append(append(make([]db.StatusRef, 0, len(above)+1+len(below)), above...), of), below...)
	statuses, err := p.View.StatusValues(ctx, refs)
	if err != nil {
		return err
	}
	var body noticePage
	var focus *api.Status
	for i := range statuses {
		s := &statuses[i]
		switch shown := shownToAll(s, viewer); {
		case s.ID == of.ID && shown:
			focus = s
			body.Post = p.post(s)
		case !shown:
		case focus == nil:
			body.Above = append(body.Above, p.post(s))
		default:
			body.Below = append(body.Below, p.post(s))
		}
	}
	if focus == nil {
		return fmt.Errorf("status %s: %w", of.ID, db.ErrNotFound)
	}
	if !focus.Svc.Local {
		return p.elsewhere(c, focus)
	}
	body.Post.Focus = true
	body.Heading = "Post by " + focus.Account.DisplayName
	if cutAbove > 0 {
		body.MoreAbove = counted(int64(cutAbove), "earlier post is", "earlier posts are") + " not shown here."
	}
	if cutBelow > 0 {
		body.MoreBelow = counted(int64(cutBelow), "more reply is", "more replies are") + " not shown here."
	}
	title := focus.SpoilerText
	if title == "" {
		title = text.Plain(focus.Content)
	}
	title = focus.Account.DisplayName + ": " + shorten(title, 60, "…")
	return p.publish(c, "notice.html", title, p.describeStatus(focus), body)
}

// ref is the place of a status that everybody may see.
func (p *Pages) ref(ctx context.Context, viewer db.Viewer, id string) (db.StatusRef, error) {
	refs, err := p.DB.StatusRefs(ctx, viewer, []string{id})
	if err == nil && len(refs) == 0 {
		err = fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	if err != nil {
		return db.StatusRef{}, err
	}
	return refs[0], nil
}

// elsewhere redirects to a remote status's own page.
func (p *Pages) elsewhere(c *gin.Context, s *api.Status) error {
	address := webAddress(s.URL)
	if address == "" {
		address = webAddress(s.URI)
	}
	if address == "" {
		return db.ErrNotFound
	}
	c.Redirect(http.StatusFound, address)
	return nil
}

// Object is GET /objects/:uuid and /activities/:uuid, the ids of a status and
// its activity: it redirects to the status's page.
func (p *Pages) Object(c *gin.Context) error {
	s, err := p.DB.StatusByURI(c.Request.Context(), p.Site.Base+c.Request.URL.Path)
	if err != nil {
		return err
	}
	of, err := p.ref(c.Request.Context(), p.View.Viewer(nil), s.ID)
	if err != nil {
		return err
	}
	id := of.ID
	if of.ReblogOfID != "" {
		id = of.ReblogOfID
	}
	c.Redirect(http.StatusFound, "/notice/"+id)
	return nil
}
