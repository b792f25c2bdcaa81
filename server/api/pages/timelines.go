package pages

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// perPage is how many posts a page has.
const perPage = 20

// timeline is a page of posts with one subject.
type timeline struct {
	Heading, Text, Feed string
	Posts               []post
	Empty               string
	Newest, Older       string
}

// pageOf reads the requested page: pages lead to older ones only.
func pageOf(c *gin.Context) db.Page {
	return db.Page{MaxID: web.Page(c, perPage, perPage).MaxID, Limit: perPage}
}

// turn sets the links to the neighbours of a page at path: next is the MaxID of
// the page after it.
func turn(path string, page db.Page, next string) (newest, older string) {
	if page.MaxID != "" {
		newest = path
	}
	if next != "" {
		older = path + "?" + url.Values{"max_id": {next}}.Encode()
	}
	return newest, older
}

// closed refuses a timeline to anonymous visitors, if the settings say so.
func (p *Pages) closed() error {
	if s := p.Settings.Load(); s.Restricts(s.Restrict.TimelinesLocal) {
		return fault.Unauthenticated("authorization required for timeline view")
	}
	return nil
}

// shown renders a page of a timeline, and returns the beginning of the next
// one.
func (p *Pages) shown(c *gin.Context, t db.Timeline, err error, page db.Page) (out []post, next string, _ error) {
	if err != nil {
		return nil, "", err
	}
	statuses, err := p.View.StatusValues(c.Request.Context(), t.Refs)
	if err != nil {
		return nil, "", err
	}
	next = t.Next
	if len(t.Refs) == page.Limit {
		next = t.Refs[len(t.Refs)-1].ID
	}
	return p.posts(statuses, p.View.Viewer(nil)), next, nil
}

func (p *Pages) localPosts(c *gin.Context, page db.Page) ([]post, string, error) {
	t, err := p.DB.PublicTimeline(c.Request.Context(), p.View.Viewer(nil), db.TimelineFilter{Local: true}, page)
	return p.shown(c, t, err, page)
}

// Local is GET /main/public: public statuses of local accounts.
func (p *Pages) Local(c *gin.Context) error {
	if err := p.closed(); err != nil {
		return err
	}
	page := pageOf(c)
	posts, next, err := p.localPosts(c, page)
	if err != nil {
		return err
	}
	body := timeline{
		Heading: "Local posts", Text: "What people on " + p.Site.Host + " write for everybody, newest first.", Posts: posts, Empty: "There is nothing more.",
	}
	body.Newest, body.Older = turn("/main/public", page, next)
	facts := p.describe(preview{Kind: "website", Title: body.Heading, Description: body.Text, URL: p.Site.Base + "/main/public"})
	facts.Index = page.MaxID == ""
	return p.publish(c, "timeline.html", body.Heading, facts, body)
}

// Tag is GET /tag/:tag: public local statuses with a hashtag.
func (p *Pages) Tag(c *gin.Context) error {
	if err := p.closed(); err != nil {
		return err
	}
	tag, page := text.Tag(c.Param("tag")), pageOf(c)
	t, err := p.tagged(c, tag, page)
	posts, next, err := p.shown(c, t, err, page)
	if err != nil {
		return err
	}
	path := "/tag/" + url.PathEscape(tag)
	body := timeline{
		Heading: "#" + tag, Text: "What people on " + p.Site.Host + " write under this hashtag.", Feed: tagFeedPath(tag),
		Posts: posts, Empty: "Nobody here has written under this hashtag.",
	}
	if page.MaxID != "" {
		body.Empty = "There is nothing more."
	}
	body.Newest, body.Older = turn(path, page, next)
	facts := p.describe(preview{Kind: "website", Title: body.Heading, Description: body.Text, URL: p.Site.Base + path})
	facts.Index = page.MaxID == "" && len(posts) > 0
	facts.Links = append(facts.Links, link{"alternate", atomType, p.Site.Base + tagFeedPath(tag), "Posts under #" + tag})
	return p.publish(c, "timeline.html", body.Heading, facts, body)
}

func (p *Pages) tagged(c *gin.Context, tag string, page db.Page) (db.Timeline, error) {
	return p.DB.TagTimeline(c.Request.Context(), p.View.Viewer(nil), db.TagFilter{Any: []string{tag}}, db.TimelineFilter{Local: true}, page)
}
