package auth_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/auth"
)

func TestCodeIsExchangedByItsAppWithWhatBelongsToIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		other, err := w.CreateApp(t.Context(), auth.NewApp{Name: "Other", RedirectURIs: callback})
		if err != nil {
			t.Fatal(err)
		}
		tests := []struct {
			name      string
			challenge string
			edit      func(*auth.Grant)
			want      string
			kept      bool // the code still works afterwards
		}{
			{name: "all right", edit: func(*auth.Grant) {}, want: "granted"},
			{name: "with verifier", challenge: pkce(verifier), edit: func(g *auth.Grant) { g.Verifier = verifier }, want: "granted"},
			{name: "without the verifier", challenge: pkce(verifier), edit: func(*auth.Grant) {}, want: "Invalid credentials"},
			{name: "wrong verifier", challenge: pkce(verifier), edit: func(g *auth.Grant) { g.Verifier = verifier + "v" }, want: "Invalid credentials"},
			{name: "short verifier", challenge: pkce("short"), edit: func(g *auth.Grant) { g.Verifier = "short" }, want: "Invalid credentials"},
			{name: "verifier nobody asked for", edit: func(g *auth.Grant) { g.Verifier = verifier }, want: "Invalid credentials"},
			{name: "other redirect", edit: func(g *auth.Grant) { g.RedirectURI = auth.OutOfBand }, want: "Invalid credentials"},
			{name: "no redirect", edit: func(g *auth.Grant) { g.RedirectURI = "" }, want: "Invalid credentials"},
			{name: "other code", edit: func(g *auth.Grant) { g.Code = auth.Secret() }, want: "Invalid credentials", kept: true},
			{name: "other app", edit: func(g *auth.Grant) { g.ClientID, g.ClientSecret = other.ClientID, other.ClientSecret }, want: "Invalid credentials", kept: true},
			{name: "wrong secret", edit: func(g *auth.Grant) { g.ClientSecret = other.ClientSecret }, want: "Invalid credentials", kept: true},
			{name: "unknown app", edit: func(g *auth.Grant) { g.ClientID = "x" }, want: "Invalid credentials", kept: true},
			{name: "no app", edit: func(g *auth.Grant) { g.ClientID, g.ClientSecret = "", "" }, want: "Invalid credentials", kept: true},
		}
		for _, tt := range tests {
			ask := w.ask()
			if ask.Challenge = tt.challenge; tt.challenge != "" {
				ask.ChallengeMethod = "S256"
			}
			code := w.code(w.Service, ask)
			_, err := w.grant("authorization_code", func(g *auth.Grant) { g.Code = code; tt.edit(g) })
			if got := words(err); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
			if tt.want == "granted" {
				continue // TestACodeThatComesAgainEndsWhatItGave repeats such a code
			}
			_, err = w.grant("authorization_code", func(g *auth.Grant) { g.Code = code })
			if kept := err == nil; kept != tt.kept {
				t.Errorf("%s: afterwards the code works: %v, want %v", tt.name, kept, tt.kept)
			}
		}
	})
}

func TestExpiredCodeIsWorthNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		before := func(age time.Duration) *auth.Service {
			return auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return time.Now().Add(-age) }})
		}
		for age, want := range map[time.Duration]string{9 * time.Minute: "granted", 10*time.Minute + time.Second: "Invalid credentials"} {
			code := w.code(before(age), w.ask())
			_, err := w.grant("authorization_code", func(g *auth.Grant) { g.Code = code })
			if got := words(err); got != want {
				t.Errorf("a code %s old: %s, want %s", age, got, want)
			}
		}
		w.code(before(time.Hour), w.ask())
		if _, err := d.SweepLogins(t.Context(), false, 100); err != nil {
			t.Error(err)
		}
	})
}

func TestACodeThatComesAgainEndsWhatItGave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ids := w.identities()
		exchange := func(code string) (*auth.Issued, error) {
			return w.grant("authorization_code", func(g *auth.Grant) { g.Code = code })
		}
		other := w.login("read")
		code, second, third := w.code(w.Service, w.ask()), w.code(w.Service, w.ask()), w.code(w.Service, w.ask())
		first, err1 := exchange(code)
		sibling, err2 := exchange(second)
		if err := errors.Join(err1, err2); err != nil || !works(t, ids, first.AccessToken) {
			t.Fatalf("the first time: %v", err)
		}
		renewed, err := w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = first.RefreshToken })
		if err != nil || !works(t, ids, renewed.AccessToken) {
			t.Fatalf("refreshed: %v", err)
		}
		stranger, err := w.CreateApp(t.Context(), auth.NewApp{Name: "Other", RedirectURIs: callback})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.grant("authorization_code", func(g *auth.Grant) {
			g.Code, g.ClientID, g.ClientSecret = code, stranger.ClientID, stranger.ClientSecret
		})
		if words(err) != "Invalid credentials" || !works(t, ids, renewed.AccessToken) {
			t.Errorf("another app shows the code: %v", err)
		}
		// Browsers load the address with the code twice, at once.
		if _, err := exchange(code); words(err) != "Invalid credentials" || !works(t, ids, renewed.AccessToken) {
			t.Errorf("a second time at once: %v", err)
		}
		if _, err := w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = first.RefreshToken }); err != nil {
			t.Errorf("its refresh token: %v", err)
		}
		stolen, err := exchange(third)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.grant("authorization_code", func(g *auth.Grant) { g.Code, g.Verifier = third, "another" }); words(err) != "Invalid credentials" || works(t, ids, stolen.AccessToken) {
			t.Errorf("at once, with another verifier: %v", err)
		}
		if err := dbtest.Exec(t, d, "UPDATE tokens SET code_used_at = code_used_at - 10100000 WHERE code_used_at IS NOT NULL"); err != nil {
			t.Fatal(err)
		}
		if _, err := exchange(code); words(err) != "Invalid credentials" {
			t.Errorf("the second time: %v", err)
		}
		if works(t, ids, renewed.AccessToken) {
			t.Error("the token of a code that came again works")
		}
		if _, err := w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = first.RefreshToken }); words(err) != "Invalid credentials" {
			t.Errorf("its refresh token: %v", err)
		}
		if !works(t, ids, other.AccessToken) || !works(t, ids, sibling.AccessToken) {
			t.Error("other tokens ended too")
		}
	})
}

func TestCodeWorksOnceHoweverManyAsk(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		code := w.code(w.Service, w.ask())
		var granted, refused atomic.Int64
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				switch _, err := w.grant("authorization_code", func(g *auth.Grant) { g.Code = code }); words(err) {
				case "granted":
					granted.Add(1)
				case "Invalid credentials":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if granted.Load() != 1 || refused.Load() != 11 {
			t.Errorf("%d granted and %d refused, want 1 and 11", granted.Load(), refused.Load())
		}
		if rows, err := w.Tokens(t.Context(), w.alice); err != nil || len(rows) != 1 {
			t.Errorf("%d tokens of a code that came twelve times at once, %v", len(rows), err)
		}
	})
}
