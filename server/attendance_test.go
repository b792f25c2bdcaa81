package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
)

// TestProcessesOfOneDatabaseHaveOneName: a process of another name is refused while one
// serves, and serves once no other does. One of the same name may join at any time.
func TestProcessesOfOneDatabaseHaveOneName(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		// serve starts a process, and returns how to end it, or why it does not serve.
		serve := func(name string) (end func() error, refused error) {
			cfg := config.Defaults()
			cfg.BaseURL, cfg.Database, cfg.DataDir, cfg.Name, cfg.Drain = "https://one.example", dsn, t.TempDir(), name, 0
			d := dbtest.Open(t, dsn)
			ready := make(chan struct{})
			s := must(server.New(t.Context(), cfg, d, server.Options{Log: slog.New(slog.DiscardHandler), Ready: func() { close(ready) }}))(t)
			l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
			t.Cleanup(func() { _ = l.Close() })
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			done := make(chan error, 1)
			go func() { done <- s.Serve(ctx, l) }()
			select {
			case err := <-done:
				stop()
				return nil, err
			case <-ready:
			}
			return func() error { stop(); return <-done }, nil
		}
		end := must(serve("svc"))(t)
		if strings.HasPrefix(dsn, "postgres") { // one process serves SQLite
			var wrong config.Problems
			if _, err := serve("pleroma"); !errors.As(err, &wrong) || wrong[0].Value != "pleroma" || !strings.HasPrefix(wrong[0].Accepted, "svc, as another process") {
				t.Errorf("another name is answered by %v", err)
			}
			must(0, must(serve("svc"))(t)())(t)
		}
		must(0, end())(t)
		must(0, must(serve("pleroma"))(t)())(t)
	})
}
