package media

import (
	"errors"
	"testing"

	"svc/db"
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
