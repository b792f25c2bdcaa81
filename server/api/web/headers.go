package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
)

// NoContentPolicy is for answers that browsers should do nothing with: JSON,
// files, feeds.
const NoContentPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

// Headers sets the security headers of every answer, as configured. Pages
// replace the content policy by their own.
func Headers(settings *config.Live) gin.HandlerFunc {
	type made struct {
		from    *config.Settings
		headers map[string][]string
	}
	var last atomic.Pointer[made]
	return func(c *gin.Context) {
		s := settings.Load()
		m := last.Load()
		if m == nil || m.from != s {
			m = &made{s, securityHeaders(&s.Look.Security)}
			last.Store(m)
		}
		h := c.Writer.Header()
		for name, values := range m.headers {
			h[name] = values
		}
		c.Next()
	}
}

// NoStore keeps an answer that depends on the caller out of caches: those that
// many share, and those of browsers, which may have more than one account.
func NoStore(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Vary", "Authorization")
}

// Private answers with h for the caller alone, and so with every refusal.
func Private(h Handler) Handler {
	return func(c *gin.Context) error {
		NoStore(c)
		return h(c)
	}
}

// CORS lets pages of any origin call the API with a token, as the settings
// allow. Cookies are not accepted there, so no origin needs to be refused; nor
// do browsers send them where any origin may ask.
func CORS(settings *config.Live) gin.HandlerFunc {
	type made struct {
		from            *config.Settings
		always, ifAsked map[string][]string
		// open is whether any header may be sent: nobody has narrowed the list.
		open bool
	}
	var last atomic.Pointer[made]
	usual := config.DefaultSettings().CORS.Headers
	return func(c *gin.Context) {
		s := settings.Load()
		m := last.Load()
		if m == nil || m.from != s {
			m = &made{s, corsHeaders(&s.CORS), preflightHeaders(&s.CORS), slices.Equal(s.CORS.Headers, usual)}
			last.Store(m)
		}
		h := c.Writer.Header()
		for name, values := range m.always {
			h[name] = values
		}
		if c.Request.Method != http.MethodOptions {
			c.Next()
			return
		}
		for name, values := range m.ifAsked {
			h[name] = values
		}
		if asked := c.GetHeader("Access-Control-Request-Headers"); asked != "" && m.open {
			h["Access-Control-Allow-Headers"] = []string{strings.Join(withAsked(s.CORS.Headers, asked), ", ")}
		}
		c.AbortWithStatus(http.StatusNoContent)
	}
}

func corsHeaders(s *config.CORS) map[string][]string {
	out := map[string][]string{"Access-Control-Allow-Origin": {"*"}}
	if s.Credentials {
		out["Access-Control-Allow-Credentials"] = []string{"true"}
	}
	if len(s.Expose) > 0 {
		out["Access-Control-Expose-Headers"] = []string{strings.Join(s.Expose, ", ")}
	}
	return out
}

// maxAsked is how many headers an app may ask for.
const maxAsked = 50

// withAsked returns a list of headers with those that an app asks to send.
func withAsked(list []string, asked string) []string {
	out := slices.Clone(list)
	for name := range strings.SplitSeq(asked, ",") {
		name = strings.TrimSpace(name)
		known := slices.ContainsFunc(out, func(other string) bool { return strings.EqualFold(other, name) })
		if len(out) < len(list)+maxAsked && !known && isToken(name) {
			out = append(out, name)
		}
	}
	return out
}

// isToken reports whether s can be the name of a header (RFC 9110, 5.6.2).
func isToken(s string) bool {
	return s != "" && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func preflightHeaders(s *config.CORS) map[string][]string {
	return map[string][]string{
		"Access-Control-Allow-Methods": {strings.Join(s.Methods, ", ")},
		"Access-Control-Allow-Headers": {strings.Join(s.Headers, ", ")},
		"Access-Control-Max-Age":       {strconv.Itoa(s.MaxAge)},
	}
}

// securityHeaders are made once per change of the settings, not per answer. The
// slices have no spare capacity, so that no append can change them in place.
func securityHeaders(s *config.Security) map[string][]string {
	if !s.Enabled {
		return nil
	}
	out := map[string][]string{
		"Content-Security-Policy":           {NoContentPolicy + ReportTo(s)},
		"Referrer-Policy":                   {s.ReferrerPolicy},
		"X-Frame-Options":                   {"DENY"},
		"X-Permitted-Cross-Domain-Policies": {"none"},
	}
	if s.STS {
		out["Expect-CT"] = []string{"enforce, max-age=" + strconv.Itoa(s.CTMaxAge)}
		out["Strict-Transport-Security"] = []string{"max-age=" + strconv.Itoa(s.STSMaxAge) + "; includeSubDomains"}
	}
	return out
}

// ReportTo is the end of a policy: the address for reports of violations. It is
// empty if no address is set, or none that fits into a policy.
func ReportTo(s *config.Security) string {
	for _, c := range []byte(s.ReportURI) {
		if c <= ' ' || c == ';' || c == ',' || c >= 0x7f {
			return ""
		}
	}
	if !s.Enabled || s.ReportURI == "" {
		return ""
	}
	return "; report-uri " + s.ReportURI
}
