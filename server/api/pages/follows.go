package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// longestAsked bounds the part of a requested address that is shown.
const longestAsked = 300

// Follow is GET /ostatus_subscribe?acct=, to which other servers send people
// who want to follow an account. A local account leads to its profile; for
// others the page refers to their app, which can look the account up. The page
// calls no other server: otherwise strangers could make it call any.
func (p *Pages) Follow(c *gin.Context) error {
	asked, _ := text.Clean(web.Query(c, "acct"))
	asked = strings.TrimSpace(asked)
	if asked == "" {
		return p.problem(c, http.StatusBadRequest, problem{Heading: "Whom do you want to follow?", Text: "The link that led you here names nobody. Go back, and try again."})
	}
	if name, ok := p.ours(asked); ok {
		a, err := p.account(c.Request.Context(), name)
		if err == nil {
			c.Redirect(http.StatusFound, "/users/"+url.PathEscape(a.Nickname))
			return nil
		}
		if !missing(err) && !errors.Is(err, db.ErrNotFound) {
			return err
		}
	}
	return p.problem(c, http.StatusOK, problem{
		Heading: "Follow from " + p.Site.Host,
		Text:    "Open the app in which you are signed in to " + p.Site.Host + ", and search there for " + shorten(asked, longestAsked, "…") + ". It finds the account or post, and you can follow or answer there.",
	})
}

// ours is the nickname in a handle or address of this server.
func (p *Pages) ours(asked string) (string, bool) {
	if rest, ok := strings.CutPrefix(asked, p.Site.Base+"/"); ok {
		for _, prefix := range []string{"users/", "@"} {
			if name, ok := strings.CutPrefix(rest, prefix); ok {
				return name, name != "" && !strings.ContainsAny(name, "/?#")
			}
		}
		return "", false
	}
	name, host, _ := hosts.Handle(strings.TrimPrefix(asked, "acct:"))
	return name, name != "" && host == p.Site.Host
}
