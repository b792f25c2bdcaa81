package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

func TestWhoMaySignIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		tests := []struct {
			nickname   string
			edit       func(*db.Account, *db.User)
			activation bool
			want       string
		}{
			{nickname: "fine", want: "granted"},
			{nickname: "gone", edit: func(a *db.Account, _ *db.User) { a.Deactivated, a.ApprovalPending = true, true }, want: "Your account is currently disabled / account_is_disabled"},
			{nickname: "reset", edit: func(_ *db.Account, u *db.User) { u.PasswordResetPending = true }, want: "Password reset is required / password_reset_required"},
			{nickname: "waiting", edit: func(a *db.Account, _ *db.User) { a.ApprovalPending = true }, want: "Your account is awaiting approval. / awaiting_approval"},
			{nickname: "new", edit: func(a *db.Account, _ *db.User) { a.ConfirmationPending = true }, activation: true, want: "Your login is missing a confirmed e-mail address / missing_confirmed_email"},
			{nickname: "relaxed", edit: func(a *db.Account, _ *db.User) { a.ConfirmationPending = true }, want: "granted"},
		}
		for _, tt := range tests {
			settings := *w.live.Load()
			settings.Instance.AccountActivationRequired = tt.activation
			settings.Mailer.Enabled, settings.Mailer.Relay = true, "mail.example.org"
			if err := w.live.Swap(settings); err != nil {
				t.Fatal(err)
			}
			a := w.user(tt.nickname, "")
			before, err := w.Issue(t.Context(), w.app.ID, a, []string{"read"})
			if err != nil {
				t.Fatal(err)
			}
			session, err := w.SignIn(t.Context(), w.proof(a))
			if err != nil {
				t.Fatal(err)
			}
			ids := w.identities()
			works(t, ids, before.AccessToken) // it is remembered now
			if tt.edit != nil {
				u, err := d.User(t.Context(), a.ID)
				if err != nil {
					t.Fatal(err)
				}
				tt.edit(a, u)
				if err := errors.Join(d.UpdateAccount(t.Context(), a, "deactivated", "approval_pending", "confirmation_pending"),
					d.UpdateUser(t.Context(), u, "password_reset_pending")); err != nil {
					t.Fatal(err)
				}
			}
			_, err = w.grant("password", func(g *auth.Grant) { g.Username, g.Password = tt.nickname, password })
			if got := words(err); got != tt.want {
				t.Errorf("%s signs in: %s, want %s", tt.nickname, got, tt.want)
			}
			if _, err = w.grant("password", func(g *auth.Grant) { g.Username, g.Password = tt.nickname, "wrong" }); words(err) != "Invalid credentials" {
				t.Errorf("%s with a wrong password: %s", tt.nickname, words(err))
			}
			if _, err = w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = before.RefreshToken }); words(err) != tt.want {
				t.Errorf("%s refreshes: %s, want %s", tt.nickname, words(err), tt.want)
			}
			mayIn := tt.want == "granted"
			if got := works(t, ids, before.AccessToken); got && !mayIn {
				t.Errorf("%s's token works", tt.nickname)
			}
			who, err := w.SignedIn(t.Context(), session)
			if err != nil || (who != nil) != mayIn {
				t.Errorf("%s's session is %v's, %v", tt.nickname, who, err)
			}
		}
	})
}

func TestSignsInByNicknameOrAddressInAnyCase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		remote := &db.Account{URI: "https://far.example/users/alice", Nickname: "alice@far.example", Domain: "far.example", ActorType: "Person"}
		if err := d.CreateAccount(t.Context(), remote); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{
			"alice": true, "ALICE": true, "\talice": true, "alice@example.org": true, "ALICE@EXAMPLE.ORG": true,
			"": false, "bob": false, "alice@far.example": false, "%": false, "alice@": false,
		} {
			a, err := w.Login(t.Context(), name, password, "")
			if got := err == nil; got != want || got && a.Account.ID != w.alice.ID {
				t.Errorf("login as %q: %v", name, err)
			}
		}
	})
}

func TestAppsThatMayRegister(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	tests := []struct {
		name string
		in   auth.NewApp
		want string // the refusal, or the scopes
	}{
		{"default scope", auth.NewApp{Name: "a", RedirectURIs: "https://a.example/"}, "read"},
		{"commas and doubles", auth.NewApp{Name: "a", RedirectURIs: "https://a.example/", Scopes: "read, write read+follow"}, "read write follow"},
		{"unknown scope is kept", auth.NewApp{Name: "a", RedirectURIs: "app://x", Scopes: "fly"}, "fly"},
		{"spaces and lines", auth.NewApp{Name: "a", RedirectURIs: "com.example.app:/cb urn:ietf:wg:oauth:2.0:oob\nhttp://[::1]:8/"}, "read"},
		{"a scheme alone", auth.NewApp{Name: "a", RedirectURIs: "icecubesapp://"}, "read"},
		{"a scheme without slashes", auth.NewApp{Name: "a", RedirectURIs: "com.example.app:"}, "read"},
		{"a scheme with a query", auth.NewApp{Name: "a", RedirectURIs: "my-app+1.0://?x=1 x-y:///cb"}, "read"},
		{"no scheme", auth.NewApp{Name: "a", RedirectURIs: "://"}, "redirect_uris must be absolute URIs"},
		{"source of a page", auth.NewApp{Name: "a", RedirectURIs: "view-source://"}, "redirect_uris must be absolute URIs"},
		{"script alone", auth.NewApp{Name: "a", RedirectURIs: "javascript:"}, "redirect_uris must be absolute URIs"},
		{"blank name", auth.NewApp{Name: " ", RedirectURIs: "https://a.example/"}, "client_name can't be blank"},
		{"blank redirect", auth.NewApp{Name: "a", RedirectURIs: " \n"}, "redirect_uris can't be blank"},
		{"both blank", auth.NewApp{}, "client_name can't be blank, redirect_uris can't be blank"},
		{"script", auth.NewApp{Name: "a", RedirectURIs: "javascript:alert(1)"}, "redirect_uris must be absolute URIs"},
		{"script in other case", auth.NewApp{Name: "a", RedirectURIs: "JavaScript:alert(1)"}, "redirect_uris must be absolute URIs"},
		{"data", auth.NewApp{Name: "a", RedirectURIs: "data:text/html,x"}, "redirect_uris must be absolute URIs"},
		{"other urn", auth.NewApp{Name: "a", RedirectURIs: "urn:x:y"}, "redirect_uris must be absolute URIs"},
		{"relative", auth.NewApp{Name: "a", RedirectURIs: "/callback"}, "redirect_uris must be absolute URIs"},
		{"fragment", auth.NewApp{Name: "a", RedirectURIs: "https://a.example/#x"}, "redirect_uris must be absolute URIs"},
		{"no host", auth.NewApp{Name: "a", RedirectURIs: "https:///x"}, "redirect_uris must be absolute URIs"},
		{"user info", auth.NewApp{Name: "a", RedirectURIs: "https://svc.example@evil.example/"}, "redirect_uris must be absolute URIs"},
		{"one of two", auth.NewApp{Name: "a", RedirectURIs: "https://a.example/ b"}, "redirect_uris must be absolute URIs"},
		{"script as website", auth.NewApp{Name: "a", RedirectURIs: "https://a.example/", Website: "javascript:alert(1)"}, "website must be an http or https URL"},
		{"long", auth.NewApp{Name: strings.Repeat("é", 256), RedirectURIs: "https://a.example/"}, "client_name is too long"},
	}
	for _, tt := range tests {
		app, err := w.CreateApp(t.Context(), tt.in)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = app.Scopes
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	one, err1 := w.CreateApp(t.Context(), tests[0].in)
	two, err2 := w.CreateApp(t.Context(), tests[0].in)
	if err1 != nil || err2 != nil || one.ClientID == two.ClientID || one.ID == two.ID || len(one.ClientID) != 43 || len(one.ClientSecret) != 43 {
		t.Errorf("the same app twice: %+v %+v", one, two)
	}
}

func TestScopeGrantsItselfAndItsChildren(t *testing.T) {
	for _, tt := range []struct {
		held, wanted string
		want         bool
	}{
		{"read", "read", true},
		{"read", "read:accounts", true},
		{"read:accounts", "read", false},
		{"read:accounts", "read:account", false},
		{"read", "reader", false},
		{"read", "write", false},
		{"admin", "admin:read:accounts", true},
		{"admin:read", "admin:write", false},
		{"read", "admin:read", false},
		{"", "read", false},
	} {
		if got := auth.Grants(tt.held, tt.wanted); got != tt.want {
			t.Errorf("%q grants %q: %v", tt.held, tt.wanted, got)
		}
	}
	if auth.Covers([]string{"read", "write:reports"}, []string{"read:accounts", "write"}) {
		t.Error("write:reports covers write")
	}
	if !auth.Covers([]string{"read", "write"}, []string{"read:accounts", "write"}) {
		t.Error("read and write do not cover read:accounts and write")
	}
}

func TestSetUserChangesOnlyWhatIsNamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		yes, no, secret := true, false, "another one"
		hashed, err := w.HashPassword(t.Context(), "", secret)
		if err != nil {
			t.Fatal(err)
		}
		steps := []struct {
			in               auth.UserChanges
			admin, moderator bool
			password         string
		}{
			{auth.UserChanges{Admin: &yes}, true, false, password},
			{auth.UserChanges{Moderator: &yes}, true, true, password},
			{auth.UserChanges{Admin: &no, PasswordHash: hashed}, false, true, secret},
			{auth.UserChanges{}, false, true, secret},
		}
		for i, step := range steps {
			if _, err := w.SetUser(t.Context(), "ALICE", step.in); err != nil {
				t.Fatal(err)
			}
			by, err := w.Login(t.Context(), "alice", step.password, "")
			if err != nil || by.Account.IsAdmin != step.admin || by.Account.IsModerator != step.moderator {
				t.Errorf("step %d: %+v, %v", i, by, err)
			}
		}
		if _, err := w.SetUser(t.Context(), "nobody", auth.UserChanges{}); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
	})
}

func TestSessionEndsByItselfAndByItsOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		past := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return time.Now().Add(-auth.SessionLife - time.Second) }})
		old, err1 := past.SignIn(t.Context(), w.proof(w.alice))
		fresh, err2 := w.SignIn(t.Context(), w.proof(w.alice))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		who := func(secret string) bool {
			a, err := w.SignedIn(t.Context(), secret)
			if err != nil {
				t.Fatal(err)
			}
			return a != nil
		}
		if who(old) || who("") || who(auth.Secret()) || !who(fresh) {
			t.Error("an ended or unknown session is somebody's, or a fresh one nobody's")
		}
		if err := w.SignOut(t.Context(), fresh); err != nil || who(fresh) {
			t.Errorf("after signing out: %v", err)
		}
	})
}

// guessing is a world with a clock, where three guesses a minute are free.
func guessing(t *testing.T) (w *world, now *time.Time, login func(name, password, addr string) string) {
	t.Helper()
	w = newWorld(t, dbtest.New(t))
	settings := *w.live.Load()
	settings.RateLimits[config.BucketAuthentication].Anonymous = config.Rate{Window: time.Minute, Count: 3}
	if err := w.live.Swap(settings); err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	s := auth.New(auth.Parts{DB: w.db, Settings: w.live, Now: func() time.Time { return clock }})
	return w, &clock, func(name, password, addr string) string {
		_, err := s.Login(t.Context(), name, password, addr)
		return words(err)
	}
}

func TestGuessingIsSlowedByWhereItComesFrom(t *testing.T) {
	_, now, login := guessing(t)
	for range 5 {
		if got := login("alice", password, "192.0.2.1"); got != "granted" {
			t.Fatalf("a right password: %s", got)
		}
	}
	for i := range 3 {
		name := fmt.Sprintf("nobody%d", i)
		if got := login(name, "wrong", "192.0.2.1"); got != "Invalid credentials" {
			t.Fatalf("a wrong password: %s", got)
		}
		login(name, "wrong", "2001:db8:0:1::1")
		login(name, "wrong", "127.0.0.1")
		login(name, "wrong", "::1")
		login(name, "wrong", "")
	}
	for addr, want := range map[string]string{
		"192.0.2.1": "Throttled", "::ffff:192.0.2.1": "Throttled", "192.0.2.2": "granted",
		"2001:db8:0:1:ffff::2": "Throttled", "2001:db8:0:2::1": "granted",
		"127.0.0.1": "granted", "::1": "granted", "": "granted",
	} {
		if got := login("alice", password, addr); got != want {
			t.Errorf("from %q: %s, want %s", addr, got, want)
		}
	}
	*now = now.Add(time.Minute)
	if got := login("alice", password, "192.0.2.1"); got != "granted" {
		t.Errorf("a minute later: %s", got)
	}
}

func TestGuessingIsSlowedByTheAccount(t *testing.T) {
	for where, addr := range map[string]func(i int) string{
		"from many addresses":                func(i int) string { return fmt.Sprintf("198.51.100.%d", i) },
		"behind a proxy of which none hears": func(int) string { return "127.0.0.1" },
		"through a socket":                   func(int) string { return "" },
	} {
		w, now, login := guessing(t)
		bob := w.user("bob", "")
		if got := login("alice", password, "192.0.2.7"); got != "granted" {
			t.Fatalf("%s: alice at home: %s", where, got)
		}
		names := []string{"alice", "ALICE", "alice@example.org"}
		for i := range 60 {
			want := "Throttled"
			if i < 6 {
				want = "Invalid credentials"
			}
			if got := login(names[i%3], "wrong", addr(i)); got != want {
				t.Fatalf("%s: guess %d: %s, want %s", where, i, got, want)
			}
		}
		if got := login("alice", password, addr(99)); got != "Throttled" {
			t.Errorf("%s: the right password is tried: %s", where, got)
		}
		if got := login("alice", password, "192.0.2.7"); got != "granted" {
			t.Errorf("%s: alice is kept out at home: %s", where, got)
		}
		if got := login(bob.Nickname, password, addr(99)); got != "granted" {
			t.Errorf("%s: bob is kept out: %s", where, got)
		}
		*now = now.Add(time.Minute)
		if got := login("alice", password, addr(99)); got != "granted" {
			t.Errorf("%s: a minute later: %s", where, got)
		}
	}
}

func TestManyGuessesAtOnceCountToo(t *testing.T) {
	_, _, login := guessing(t)
	var tried, throttled atomic.Int64
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			switch got := login(fmt.Sprintf("nobody%d", i), "wrong", "192.0.2.1"); got {
			case "Invalid credentials":
				tried.Add(1)
			case "Throttled":
				throttled.Add(1)
			default:
				t.Error(got)
			}
		})
	}
	all.Wait()
	// One more for each slot: they were let in together.
	if tried.Load() > 5 || tried.Load()+throttled.Load() != 120 {
		t.Errorf("%d were tried, %d turned away", tried.Load(), throttled.Load())
	}
}

func TestAFloodOfGuessesKeepsNobodyOut(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	begun := make(chan struct{}, 120)
	for i := range 120 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				// Behind a proxy that was not declared all have one address.
				_, _ = w.Login(ctx, fmt.Sprintf("nobody%d.%d", i, n), "wrong", "127.0.0.1")
				if n == 0 {
					begun <- struct{}{}
				}
			}
		})
	}
	<-begun
	if _, err := w.Login(ctx, "alice", password, "127.0.0.1"); err != nil {
		t.Errorf("alice: %v", err)
	}
	cancel()
	all.Wait()
}
