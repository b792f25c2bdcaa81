package media

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"svc/server/platform/guard"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
)

// proxy is a media proxy of w.
func (w *world) proxy() *Proxy {
	w.t.Helper()
	p, err := NewProxy(ProxyParts{
		URLs: NewURLs("https://example.org", w.live, "secret"), DB: w.db, Settings: w.live, Rights: rights.New(w.live, true), Client: outgoing.New(outgoing.Options{}), Files: w.Service,
		Folder: w.t.TempDir(), Log: slog.New(slog.DiscardHandler), Now: w.now,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// A file that breaks a fetch off ends the requests for it alone.
func TestAPanicOfAFetchIsItsError(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.proxy()
		begun := make(chan struct{})
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				err := p.fetch(t.Context(), "a file", func(context.Context) error {
					<-begun
					panic("a byte too many")
				})
				if !errors.Is(err, guard.ErrPanic) {
					t.Error(err)
				}
			})
		}
		close(begun)
		group.Wait()
		fine := func(context.Context) error { return nil }
		if err := p.fetch(t.Context(), "a file", fine); !errors.Is(err, guard.ErrPanic) {
			t.Errorf("at once: %v", err)
		}
		w.later(2 * time.Minute)
		if err := p.fetch(t.Context(), "a file", fine); err != nil {
			t.Errorf("later: %v", err)
		}
	})
}
