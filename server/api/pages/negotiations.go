package pages

import (
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
	for part := range strings.SplitSeq(accept, ",") {
		// Parameters are read one by one: some servers send a profile without the
		// quotes that it needs.
		kind, params, _ := strings.Cut(part, ";")
		quality := 1.0
		for param := range strings.SplitSeq(params, ";") {
			name, value, _ := strings.Cut(param, "=")
			if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && strings.EqualFold(strings.TrimSpace(name), "q") {
				quality = q
			}
		}
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/html", "application/xhtml+xml":
			html = max(html, quality)
		case "application/activity+json", "application/ld+json", "application/json":
			json = max(json, quality)
		}
	}
	return json > html
}
