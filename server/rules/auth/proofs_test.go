package auth_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// logins counts the logins of an account, finished and unfinished, by table.
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
				all.Go(func() { // the thief of the refresh token
					<-begin
					for range 6 {
						_ = grant(func(g *auth.Grant) { g.Type, g.RefreshToken = "refresh_token", stolen.RefreshToken })
					}
				})
				all.Go(func() { // somebody with the old password
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

// TestAProofEndsWithTheCredentialsItWasOf: a sign-in with a proven password
// cannot be finished after the password changed or a second factor was added.
func TestAProofEndsWithTheCredentialsItWasOf(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		q, err := w.Question(ctx, w.ask())
		if err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(a *db.Account) error{
			"a new password": func(a *db.Account) error { return w.ChangePassword(ctx, a, password, "another one", "another one") },
			"by an admin":    func(a *db.Account) error { return w.SetPassword(ctx, a.ID, "another one") },
			"a second factor": func(a *db.Account) error {
				setup, err := w.SetUpTOTP(ctx, a)
				if err != nil {
					return err
				}
				return w.ConfirmTOTP(ctx, a, password, auth.CodeAt(setup.Key, time.Now()))
			},
		} {
			a := w.user("user"+strings.ReplaceAll(name, " ", ""), "")
			proof := w.proof(a)
			if err := change(a); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for what, use := range map[string]func() error{
				"a session":     func() error { _, err := w.SignIn(ctx, proof); return err },
				"a code":        func() error { _, err := w.Authorise(ctx, q, proof); return err },
				"a second step": func() error { _, err := w.StartMFA(ctx, proof, q, browser); return err },
			} {
				if err := use(); words(err) != "Invalid credentials" {
					t.Errorf("%s, then %s: %v", name, what, err)
				}
			}
			if left := w.logins(a); len(left) > 0 {
				t.Errorf("%s: there are %v", name, left)
			}
		}
	})
}
