package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
)

// The parts that /healthz and /readyz name when they fail.
const (
	partDatabase   = "database"
	partMigrations = "migrations"
	partWrites     = "database writes"
	partFolder     = "data folder"
)

// health is GET /healthz: the schema is there, the database answers, and both it
// and the data folder take writes.
func (s *Server) health(c *gin.Context) error {
	failing, err := s.readable(c.Request.Context())
	if failing == "" && err == nil {
		failing, err = s.writes.check(c.Request.Context(), s)
	}
	return s.tellHealth(c, failing, err)
}

// ready is GET /readyz: 503 while the server stops. A server that cannot write
// stays ready: reads are served, and elsewhere it is no better.
func (s *Server) ready(c *gin.Context) error {
	if s.traffic.leaving.Load() {
		c.Header("Cache-Control", "no-store")
		return web.JSON(c, http.StatusServiceUnavailable, gin.H{"status": "draining"})
	}
	failing, err := s.readable(c.Request.Context())
	return s.tellHealth(c, failing, err)
}

// up is GET /health: the same as /readyz in the words of Mastodon's.
func (s *Server) up(c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	failing, err := "", error(nil)
	if !s.traffic.leaving.Load() {
		failing, err = s.readable(c.Request.Context())
	}
	switch {
	case c.Request.Context().Err() != nil:
		return c.Request.Context().Err() // the probe has left
	case s.traffic.leaving.Load(), failing != "", err != nil:
		return web.JSON(c, http.StatusServiceUnavailable, gin.H{"status": "DOWN"})
	}
	return web.OK(c, gin.H{"status": "UP"})
}

func (s *Server) tellHealth(c *gin.Context, failing string, err error) error {
	if c.Request.Context().Err() != nil {
		return c.Request.Context().Err() // the probe has left
	}
	c.Header("Cache-Control", "no-store")
	if failing == "" {
		return web.OK(c, gin.H{"status": "ok"})
	}
	if err != nil {
		s.log.WarnContext(c.Request.Context(), "health check failed", "failing", failing, "err", err)
	}
	return web.JSON(c, http.StatusServiceUnavailable, gin.H{"status": "failing", "failing": failing})
}

// readable returns the failing part that all reads need, "" for none.
func (s *Server) readable(ctx context.Context) (failing string, err error) {
	schema, err := s.DB.Schema(ctx)
	switch {
	case err != nil:
		return partDatabase, err
	case schema.Pending():
		return partMigrations, nil
	}
	return "", nil
}

const (
	// probeLife is the time for which the outcome of a probe is reused, so that
	// frequent requests cost little.
	probeLife = 2 * time.Second
	// probeTime is how long a write may take until it counts as failed.
	probeTime = 5 * time.Second
	// probeSize is how much must fit into the data folder, in bytes.
	probeSize = 64 << 10
)

// writes remembers the outcome of the last probe of writes.
type writes struct {
	mu      sync.Mutex
	at      time.Time
	failing string
	err     error
}

// check returns the part that accepts no writes, "" for none.
func (w *writes) check(ctx context.Context, s *Server) (failing string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.at.IsZero() && time.Since(w.at) < probeLife {
		return w.failing, w.err
	}
	// Other requests wait for the same probe: it does not end with this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	w.failing, w.err = "", nil
	if err := s.DB.ProbeWrite(ctx); err != nil {
		w.failing, w.err = partWrites, err
	} else if err := probeFolder(s.cfg.DataDir); err != nil {
		w.failing, w.err = partFolder, err
	}
	w.at = time.Now()
	return w.failing, w.err
}

// probeFolder writes a file and removes it.
func probeFolder(dir string) error {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	_, err = f.Write(make([]byte, probeSize))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
