package auth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/auth"
)

func TestChatTokensAreForOneAccountAndOneDay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, now := t.Context(), time.Now()
		w := newWorld(t, d)
		s := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return now }})
		id := w.alice.ID
		token, err := s.ChatToken(ctx, &auth.Identity{Account: w.alice}, &db.User{})
		if err != nil {
			t.Fatal(err)
		}
		// Another process reads it too.
		other := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return now }})
		if a, err := other.ChatTokenOwner(ctx, token); err != nil || a.Account.ID != id {
			t.Errorf("%v, %v", a, err)
		}
		refused := func(what, token string) {
			t.Helper()
			if a, err := s.ChatTokenOwner(ctx, token); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: taken for %v, %v", what, a, err)
			}
		}
		for _, bad := range []string{"", ".", "a.b.c", strings.Replace(token, id[:2], "zz", 1), token + "x", strings.Replace(token, ".1", ".2", 1)} {
			refused(bad, bad)
		}
		now = now.Add(84599 * time.Second)
		if _, err := s.ChatTokenOwner(ctx, token); err != nil {
			t.Error(err)
		}
		now = now.Add(time.Second)
		refused("an old token", token)
	})
}
