package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"svc/server/api/web"
	"svc/server/platform/config"
)

// roomPause is the time between two attempts to start on a full disk.
const roomPause = 5 * time.Second

// AwaitRoom stands in for a service that cannot start because the disk of its database
// is full: it answers every request with 503 until it is time for another attempt, or
// until ctx ends.
func AwaitRoom(ctx context.Context, cfg config.Config) error {
	l, err := Listen(cfg)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler: http.HandlerFunc(refuseAll), ReadHeaderTimeout: time.Second, ReadTimeout: roomPause, WriteTimeout: roomPause,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	// A connection that stays would go on to be answered so.
	srv.SetKeepAlivesEnabled(false)
	ctx, cancel := context.WithTimeout(ctx, roomPause)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// refuseAll answers as a service whose database is away does.
func refuseAll(w http.ResponseWriter, r *http.Request) {
	body := `{"errors":{"detail":"Temporarily unavailable"}}`
	switch path := r.URL.Path; {
	case path == "/healthz", path == "/readyz":
		body = `{"failing":"` + partWrites + `","status":"failing"}`
	case path == "/health":
		body = `{"status":"DOWN"}`
	case strings.HasPrefix(path, "/oauth/"), strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/svc/admin/"):
		body = `{"error":"Temporarily unavailable"}`
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", web.RetryAfter)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(body))
}
