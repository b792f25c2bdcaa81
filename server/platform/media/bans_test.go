package media

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestBansOfBeforeCountHoweverTheAddressIsWritten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.proxy()
		s := *w.live.Load()
		s.MediaProxy.Enabled = true
		if err := w.live.Swap(s); err != nil {
			t.Fatal(err)
		}
		const odd, plain, kept = "https://Far.example/%61.png#x", "https://far.example/b.png", "https://far.example/c.png"
		bans := []db.MediaBan{
			{URL: p.urls.signed(&s, proxyPath, odd), Address: odd},
			{URL: "HTTPS://far.example/b.png", Address: "HTTPS://far.example/b.png"},
			{URL: kept, Address: kept},
			{URL: "https://gone.example/proxy/x/y/d.png", Address: "https://far.example/d.png"},
		}
		if err := w.db.BanMedia(t.Context(), bans); err != nil {
			t.Fatal(err)
		}
		for range 2 { // a start, and the next
			if err := p.RenameBans(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, address := range []string{odd, "https://far.example/a.png", plain, "https://far.example/b.png#", kept, "https://far.example/d.png"} {
				if err := p.banned(t.Context(), address); !errors.Is(err, ErrBanned) {
					t.Errorf("%s: %v", address, err)
				}
			}
			if err := p.banned(t.Context(), "https://far.example/e.png"); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestWhoMayHaveMissedAPurgeEmptiesTheCache purges a file in another process
// while this one does not listen, until its event is swept.
func TestWhoMayHaveMissedAPurgeEmptiesTheCache(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		p := w.proxy()
		const purged = "https://far.example/a.png"
		write := func(f *os.File) error { _, err := f.WriteString("a file"); return err }
		if err := p.cache.add(fileKey(purged), write); err != nil {
			t.Fatal(err)
		}
		has := func() bool {
			f, _, err := p.cache.open(fileKey(purged))
			if err == nil {
				_ = f.Close()
			}
			return err == nil
		}
		listen := func(d *db.DB) (stop func()) {
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { defer close(ended); d.Listen(ctx) }()
			for d.EventCursor().Epoch == "" {
				time.Sleep(time.Millisecond)
			}
			return func() { cancel(); <-ended }
		}
		listen(w.db)()
		there := w.db // the process that numbers the event
		if there.Dialect() == db.Postgres {
			there = dbtest.Open(t, w.dsn)
			defer listen(there)()
		}
		if err := there.Emit(ctx, db.Event{Kind: "notice." + filePurged, Subject: purged, Data: "another process"}); err != nil {
			t.Fatal(err)
		}
		for oldest := int64(0); oldest == 0; {
			var err error
			if oldest, err = there.OldestEvent(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if err := there.SweepEvents(ctx, db.At(time.Now().Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		if !has() {
			t.Fatal("the file is gone before this process listens")
		}
		defer listen(w.db)()
		for end := time.Now().Add(time.Minute); has(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a purged file is still in the cache")
			}
		}
	})
}
