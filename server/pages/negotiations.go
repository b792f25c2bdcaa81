package pages

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/web"
)

// ForPeople answers with h, unless the request prefers what other servers read:
// accounts and posts have one address for people and for servers.
func (p *Pages) ForPeople(h web.Handler) web.Handler {
	return func(c *gin.Context) error {
		c.Writer.Header().Set("Vary", "Accept")
		if prefersJSON(c.GetHeader("Accept")) {
			return web.JSON(c, http.StatusNotAcceptable, gin.H{"error": "Not acceptable"})
		}
		return h(c)
	}
}

// prefersJSON tells whether an Accept header likes JSON of some kind better
// than HTML. Who names nothing gets HTML.
func prefersJSON(accept string) bool {
	var html, json float64
	for _, part := range strings.Split(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		quality := 1.0
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			quality = q
		}
		switch kind {
		case "text/html", "application/xhtml+xml":
			html = max(html, quality)
		case "application/activity+json", "application/ld+json", "application/json":
			json = max(json, quality)
		}
	}
	return json > html
}
