package auth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

func TestChatTokensAreForOneAccountAndOneDay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, now := t.Context(), time.Now()
		live, err := config.NewLive(config.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		s := auth.New(auth.Parts{DB: d, Settings: live, Now: func() time.Time { return now }})
		token, err := s.ChatToken(ctx, "9pQtDGXuq4p3VlcJEm")
		if err != nil {
			t.Fatal(err)
		}
		// Another process reads it too.
		other := auth.New(auth.Parts{DB: d, Settings: live, Now: func() time.Time { return now }})
		if id, err := other.ChatTokenOwner(ctx, token); id != "9pQtDGXuq4p3VlcJEm" || err != nil {
			t.Errorf("%q, %v", id, err)
		}
		for _, bad := range []string{"", ".", "a.b.c", strings.Replace(token, "9p", "9q", 1), token + "x", strings.Replace(token, ".1", ".2", 1)} {
			if id, err := s.ChatTokenOwner(ctx, bad); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%q was taken for %q, %v", bad, id, err)
			}
		}
		now = now.Add(84600 * time.Second)
		if _, err := s.ChatTokenOwner(ctx, token); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("an old token: %v", err)
		}
	})
}
