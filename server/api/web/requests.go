package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// front wraps every request.
type front struct {
	log    *slog.Logger
	remote *Remote
}

var noFront = &front{log: slog.New(slog.DiscardHandler), remote: NewRemote(nil, nil, slog.New(slog.DiscardHandler))}

func frontOf(c *gin.Context) *front {
	if f, ok := c.Value(frontKey).(*front); ok {
		return f
	}
	return noFront
}

// Probes are the paths that a supervisor or a proxy asks every few seconds.
var Probes = map[string]bool{"/healthz": true, "/health": true, "/readyz": true}

// Front gives every request an id and logs it as access says, one of config's:
// failures as warnings, everything else at info, health checks not at all. Its
// bytes are those of the body, which a file may have sent past gin.
func Front(log *slog.Logger, now func() time.Time, remote *Remote, access string) gin.HandlerFunc {
	f := &front{log: log, remote: remote}
	return func(c *gin.Context) {
		start := now()
		id := newRequestID()
		c.Set(requestIDKey, id)
		c.Set(frontKey, f)
		c.Header("X-Request-Id", id)
		c.Header("X-Content-Type-Options", "nosniff")
		c.Next()
		level := slog.LevelInfo
		if c.Writer.Status() >= 500 {
			level = slog.LevelWarn
		}
		if access == config.AccessOff || !log.Enabled(c.Request.Context(), level) || Probes[c.FullPath()] {
			return
		}
		line := make([]slog.Attr, 0, 8)
		line = append(line, slog.String("method", c.Request.Method), slog.String("route", c.FullPath()),
			slog.Int("status", c.Writer.Status()), slog.Int64("bytes", int64(max(c.Writer.Size(), 0))+c.GetInt64(sentKey)),
			slog.Duration("took", now().Sub(start)), slog.String("request_id", id))
		if account := auth.AccountOf(Caller(c)); account != nil && account.ID != "" {
			line = append(line, slog.String("account_id", account.ID))
		}
		if access == config.AccessAddress {
			line = append(line, slog.String("address", RemoteAddr(c)))
		}
		log.LogAttrs(c.Request.Context(), level, "request", line...)
	}
}

// sentKey is how many bytes of a file went past gin's own count.
const sentKey = "svc.sent"

// requestTime is how long a request may wait for the database and for other
// servers: longer than either may take, and less than proxies and clients wait.
// Sending and fetching files has other bounds.
const requestTime = 25 * time.Second

// Deadline gives every request a deadline.
func Deadline(c *gin.Context) {
	r := c.Request
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	c.Request = r.WithContext(ctx)
	c.Next()
	r.MultipartForm = c.Request.MultipartForm // the server removes its files
	c.Request = r
}

func newRequestID() string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// TolerateSlash serves "/path/" as "/path": clients send both. A slash that is
// escaped belongs to the name before it.
func TolerateSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.EscapedPath(); len(p) > 1 && strings.HasSuffix(p, "/") {
			short := strings.TrimRight(p, "/")
			slashes := len(p) - len(short)
			r.URL.Path = r.URL.Path[:max(len(r.URL.Path)-slashes, 0)]
			r.URL.RawPath = short
			if short == "" {
				r.URL.Path, r.URL.RawPath = "/", ""
			}
		}
		next.ServeHTTP(w, r)
	})
}
