package auth_test

import (
	"fmt"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/auth"
	"svc/server/config"
)

// logins counts what an account is signed in with, or about to be.
func (w *world) logins(a *db.Account) map[string]int {
	w.t.Helper()
	got := map[string]int{}
	for _, table := range []string{"tokens", "authorisations", "sessions", "mfa_tokens"} {
		var n int
		// Ids have no quotes, and the two drivers write placeholders differently.
		err := w.db.Writer().QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM "+table+" WHERE account_id = '"+a.ID+"'").Scan(&n)
		if err != nil {
			w.t.Fatal(err)
		}
		if n > 0 {
			got[table] = n
		}
	}
	return got
}

func TestNothingOutlivesTheChangeOfAPassword(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		settings := *w.live.Load()
		settings.RateLimits[config.BucketAuthentication] = config.Limit{} // the old password counts as a guess
		if err := w.live.Swap(settings); err != nil {
			t.Fatal(err)
		}
		s := w.Cheap()
		ctx := t.Context()
		grant := func(edit func(*auth.Grant)) error {
			g := auth.Grant{Type: "password", ClientID: w.app.ClientID, ClientSecret: w.app.ClientSecret, RedirectURI: callback}
			edit(&g)
			_, err := s.Grant(ctx, g)
			return err
		}
		old := password
		for round := range 20 {
			stolen, err := s.Grant(ctx, auth.Grant{
				Type: "password", ClientID: w.app.ClientID, ClientSecret: w.app.ClientSecret, Username: "alice", Password: old,
			})
			if err != nil {
				t.Fatal(err)
			}
			begin := make(chan struct{})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { // whoever stole the refresh token
					<-begin
					for range 6 {
						_ = grant(func(g *auth.Grant) { g.Type, g.RefreshToken = "refresh_token", stolen.RefreshToken })
					}
				})
				all.Go(func() { // whoever knows the old password
					<-begin
					for range 3 {
						_ = grant(func(g *auth.Grant) { g.Username, g.Password = "alice", old })
					}
				})
			}
			next := fmt.Sprintf("password %d", round)
			all.Go(func() {
				<-begin
				if err := s.ChangePassword(ctx, w.alice, old, next, next); err != nil {
					t.Error(err)
				}
			})
			close(begin)
			all.Wait()
			if left := w.logins(w.alice); len(left) > 0 {
				t.Fatalf("round %d: after the change there are %v", round, left)
			}
			old = next
		}
	})
}

func TestOneOfTwoChangesOfAPasswordWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		s := w.Cheap()
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				next := fmt.Sprintf("password %d", i)
				errs[i] = s.ChangePassword(t.Context(), w.alice, password, next, next)
			})
		}
		all.Wait()
		won := 0
		for i, err := range errs {
			switch {
			case err == nil:
				won++
				if _, err := w.Login(t.Context(), "alice", fmt.Sprintf("password %d", i), ""); err != nil {
					t.Errorf("the password that won: %v", err)
				}
			case words(err) != "Invalid password.":
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d of them won", won)
		}
	})
}
