package pages

import (
	"mime"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
)

// ForPeople answers with h, or with servers if the request prefers JSON:
// accounts and statuses have one address for both.
func (p *Pages) ForPeople(h, servers web.Handler) web.Handler {
	return func(c *gin.Context) error {
		c.Writer.Header().Set("Vary", web.VaryBySigner)
		if PrefersDocument(c.GetHeader("Accept")) {
			web.As(c, web.ClientAPI)
			return servers(c)
		}
		return h(c)
	}
}

// PrefersDocument reports whether an Accept header prefers JSON of some kind to
// HTML. Without a preference the answer is HTML.
func PrefersDocument(accept string) bool {
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
