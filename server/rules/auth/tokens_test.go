package auth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

const (
	password = "correct horse"
	// hash is the password's, cheap to compare.
	hash     = "$argon2id$v=19$m=64,t=1,p=1$c3ZjJ3MgdGVzdCB1c2Vycw$tj9tMdbN4KGvI+fY1a0G1zU4Llnnfe9UKgX+1m00kb4"
	callback = "https://app.example/callback?from=svc"
)

// world is a database with one app and one user on it.
type world struct {
	*auth.Service
	t     *testing.T
	db    *db.DB
	live  *config.Live
	app   *auth.App
	alice *db.Account
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: d, live: live, Service: auth.New(auth.Parts{DB: d, Settings: live, Now: time.Now})}
	w.app, err = w.CreateApp(t.Context(), auth.NewApp{Name: "App", RedirectURIs: callback + "\n" + auth.OutOfBand, Scopes: "read write follow"})
	if err != nil {
		t.Fatal(err)
	}
	w.alice = w.user("alice", "Alice@Example.org")
	return w
}

func (w *world) user(nickname, email string) *db.Account {
	w.t.Helper()
	a := dbtest.Account(w.t, w.db, nickname)
	if err := w.db.CreateUser(w.t.Context(), &db.User{AccountID: a.ID, Email: email, PasswordHash: hash}); err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) ask() auth.Ask {
	return auth.Ask{ResponseType: "code", ClientID: w.app.ClientID, RedirectURI: callback, Scope: "read"}
}

// code returns the code for alice's consent to ask, given through s.
func (w *world) code(s *auth.Service, ask auth.Ask) string {
	w.t.Helper()
	q, err := s.Question(w.t.Context(), ask)
	if err != nil {
		w.t.Fatal(err)
	}
	code, err := s.Authorise(w.t.Context(), q, w.proof(w.alice))
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

func (w *world) grant(kind string, edit func(*auth.Grant)) (*auth.Issued, error) {
	g := auth.Grant{Type: kind, ClientID: w.app.ClientID, ClientSecret: w.app.ClientSecret, RedirectURI: callback}
	if edit != nil {
		edit(&g)
	}
	return w.Grant(w.t.Context(), g)
}

func (w *world) login(scope string) *auth.Issued {
	w.t.Helper()
	issued, err := w.grant("password", func(g *auth.Grant) { g.Username, g.Password, g.Scope = "alice", password, scope })
	if err != nil {
		w.t.Fatal(err)
	}
	return issued
}

// proof signs an account in by its password and returns the proof.
func (w *world) proof(a *db.Account) *auth.Proof {
	w.t.Helper()
	by, err := w.Login(w.t.Context(), a.Nickname, password, "")
	if second := new(auth.MFARequired); errors.As(err, &second) {
		return second.Proof
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return by
}

// identities returns an authenticator that hears of changes to the world.
func (w *world) identities() *auth.Identities {
	w.t.Helper()
	ids, err := auth.NewIdentities(w.db, w.live, time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	return ids
}

func works(t *testing.T, ids *auth.Identities, token string) bool {
	t.Helper()
	id, err := ids.Identify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return id != nil
}

// words returns the text of a refusal, with its identifier.
func words(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		if err == nil {
			return "granted"
		}
		return "fault: " + err.Error()
	}
	if f.Identifier != "" {
		return f.Message + " / " + f.Identifier
	}
	return f.Message
}

func pkce(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

var verifier = strings.Repeat("v", 43)

func TestQuestionsThatMayBePut(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	tests := []struct {
		name string
		edit func(*auth.Ask)
		want error
	}{
		{"as registered", func(*auth.Ask) {}, nil},
		{"out of band", func(a *auth.Ask) { a.RedirectURI = auth.OutOfBand }, nil},
		{"no scope is all of the app's", func(a *auth.Ask) { a.Scope = "" }, nil},
		{"a narrower scope", func(a *auth.Ask) { a.Scope = "read:statuses write:reports" }, nil},
		{"S256", func(a *auth.Ask) { a.Challenge, a.ChallengeMethod = pkce(verifier), "S256" }, nil},
		{"unknown app", func(a *auth.Ask) { a.ClientID = "x" }, auth.ErrUnknownApp},
		{"no app", func(a *auth.Ask) { a.ClientID = "" }, auth.ErrUnknownApp},
		{"longer redirect", func(a *auth.Ask) { a.RedirectURI += "/x" }, auth.ErrRedirect},
		{"shorter redirect", func(a *auth.Ask) { a.RedirectURI = strings.TrimSuffix(callback, "?from=svc") }, auth.ErrRedirect},
		{"redirect in other case", func(a *auth.Ask) { a.RedirectURI = strings.ToUpper(callback) }, auth.ErrRedirect},
		{"both redirects at once", func(a *auth.Ask) { a.RedirectURI = w.app.RedirectURIs }, auth.ErrRedirect},
		{"no redirect", func(a *auth.Ask) { a.RedirectURI = "" }, auth.ErrRedirect},
		{"implicit grant", func(a *auth.Ask) { a.ResponseType = "token" }, auth.ErrResponse},
		{"wider scope", func(a *auth.Ask) { a.Scope = "read admin:read" }, auth.ErrScope},
		{"parent is no prefix", func(a *auth.Ask) { a.Scope = "reader" }, auth.ErrScope},
		{"plain challenge", func(a *auth.Ask) { a.Challenge, a.ChallengeMethod = verifier, "plain" }, auth.ErrChallenge},
		{"challenge without method", func(a *auth.Ask) { a.Challenge = pkce(verifier) }, auth.ErrChallenge},
		{"method without challenge", func(a *auth.Ask) { a.ChallengeMethod = "S256" }, auth.ErrChallenge},
		{"challenge that is no hash", func(a *auth.Ask) { a.Challenge, a.ChallengeMethod = "abc", "S256" }, auth.ErrChallenge},
	}
	for _, tt := range tests {
		ask := w.ask()
		tt.edit(&ask)
		if _, err := w.Question(t.Context(), ask); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestIssuedTokenSaysWhatClientsRead(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	got := w.login("write:statuses read")
	want := &auth.Issued{ExpiresIn: 1<<31 - 1, Scope: "write:statuses read", Me: dbtest.Base + "/users/alice"}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(auth.Issued{}, "AccessToken", "RefreshToken", "CreatedAt")); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
	if len(got.AccessToken) != 43 || len(got.RefreshToken) != 43 || got.AccessToken == got.RefreshToken {
		t.Errorf("secrets %q and %q", got.AccessToken, got.RefreshToken)
	}
	id, err := w.identities().Identify(t.Context(), got.AccessToken)
	if err != nil || id == nil || id.Account.ID != w.alice.ID || cmp.Diff([]string{"write:statuses", "read"}, id.Scopes) != "" {
		t.Errorf("identity %+v, %v", id, err)
	}
	if works(t, w.identities(), got.RefreshToken) {
		t.Error("the refresh token works as an access token")
	}
}

func TestExpiredLoginsAreSweptInSteps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		past := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return time.Now().Add(-200 * 365 * 24 * time.Hour) }})
		for range 3 {
			w.code(past, w.ask())
			for _, s := range []*auth.Service{past, w.Service} {
				if _, err := s.Issue(t.Context(), w.app.ID, w.alice, []string{"read"}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.SignIn(t.Context(), w.proof(w.alice)); err != nil {
					t.Fatal(err)
				}
				if _, err := s.StartMFA(t.Context(), w.proof(w.alice), nil, browser); err != nil {
					t.Fatal(err)
				}
			}
		}
		count := func(table string) (n int) {
			if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		var got [][5]int
		for _, tokens := range []bool{false, false, false, true, true} {
			more, err := d.SweepLogins(t.Context(), tokens, 2)
			if err != nil {
				t.Fatal(err)
			}
			row := [5]int{count("authorisations"), count("sessions"), count("mfa_tokens"), count("tokens")}
			if more {
				row[4] = 1
			}
			got = append(got, row)
		}
		want := [][5]int{{1, 4, 4, 6, 1}, {0, 3, 3, 6, 0}, {0, 3, 3, 6, 0}, {0, 3, 3, 4, 1}, {0, 3, 3, 3, 0}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRefreshReplacesTheAccessToken(t *testing.T) {
	for name, keep := range map[string]bool{"refresh token kept": true, "refresh token renewed": false} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				settings := *w.live.Load()
				settings.OAuth.IssueNewRefreshToken = keep
				if err := w.live.Swap(settings); err != nil {
					t.Fatal(err)
				}
				ids := w.identities()
				first := w.login("read")
				if !works(t, ids, first.AccessToken) {
					t.Fatal("the first token does not work")
				}
				refresh := func(token string) (*auth.Issued, error) {
					return w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = token })
				}
				second, err := refresh(first.RefreshToken)
				if err != nil {
					t.Fatal(err)
				}
				if works(t, ids, first.AccessToken) || !works(t, ids, second.AccessToken) {
					t.Error("the old token works, or the new one does not")
				}
				if second.Scope != "read" || second.Me != first.Me {
					t.Errorf("refreshed to %+v", second)
				}
				if same := second.RefreshToken == first.RefreshToken; same != keep {
					t.Errorf("the refresh token is the same: %v, want %v", same, keep)
				}
				if _, err := refresh(first.RefreshToken); (err == nil) != keep {
					t.Errorf("the first refresh token again: %v", err)
				}
				if _, err := refresh(second.AccessToken); words(err) != "Invalid credentials" {
					t.Errorf("an access token as refresh token: %v", err)
				}
			})
		})
	}
}

func TestConcurrentRefreshesLeaveOneToken(t *testing.T) {
	for name, keep := range map[string]bool{"refresh token kept": true, "refresh token renewed": false} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				settings := *w.live.Load()
				settings.OAuth.IssueNewRefreshToken = keep
				if err := w.live.Swap(settings); err != nil {
					t.Fatal(err)
				}
				alone, err := w.grant("client_credentials", nil)
				if err != nil {
					t.Fatal(err)
				}
				for whose, first := range map[string]*auth.Issued{"a user's": w.login("read"), "an app's own": alone} {
					var granted atomic.Int64
					var all sync.WaitGroup
					for range 10 {
						all.Go(func() {
							_, err := w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = first.RefreshToken })
							switch {
							case err == nil:
								granted.Add(1)
							case words(err) != "Invalid credentials":
								t.Error(err)
							}
						})
					}
					all.Wait()
					want := int64(1)
					if keep {
						want = 10
					}
					if granted.Load() != want {
						t.Errorf("%s: %d of 10 were granted, want %d", whose, granted.Load(), want)
					}
				}
				if rows, err := w.Tokens(t.Context(), w.alice); err != nil || len(rows) != 1 {
					t.Errorf("%d tokens, %v", len(rows), err)
				}
			})
		})
	}
}

func TestExpiredTokenIsNobodyButCanBeRefreshed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		settings := *w.live.Load()
		settings.OAuth.TokenExpiresIn = time.Hour
		if err := w.live.Swap(settings); err != nil {
			t.Fatal(err)
		}
		past := auth.New(auth.Parts{DB: d, Settings: w.live, Now: func() time.Time { return time.Now().Add(-2 * time.Hour) }})
		old, err := past.Issue(t.Context(), w.app.ID, w.alice, []string{"read"})
		if err != nil {
			t.Fatal(err)
		}
		if old.ExpiresIn != 3600 {
			t.Errorf("expires in %d s", old.ExpiresIn)
		}
		ids := w.identities()
		if works(t, ids, old.AccessToken) {
			t.Error("an expired token works")
		}
		if rows, err := w.Tokens(t.Context(), w.alice); err != nil || len(rows) != 0 {
			t.Errorf("an expired token is listed: %v, %v", rows, err)
		}
		fresh, err := w.grant("refresh_token", func(g *auth.Grant) { g.RefreshToken = old.RefreshToken })
		if err != nil || !works(t, ids, fresh.AccessToken) {
			t.Errorf("refreshed: %v", err)
		}
	})
}

func TestAppAloneGetsAllItsScopesAndNobody(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	got, err := w.grant("client_credentials", func(g *auth.Grant) { g.Scope = "read" })
	if err != nil {
		t.Fatal(err)
	}
	if got.Scope != "read write follow" || got.Me != "" {
		t.Errorf("issued %+v", got)
	}
	id, err := w.identities().Identify(t.Context(), got.AccessToken)
	if err != nil || id == nil || id.Account != nil || id.App.ID != w.app.ID {
		t.Errorf("identity %+v, %v", id, err)
	}
}

func TestGrantsThatAreNone(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	for _, kind := range []string{"", "implicit", "urn:ietf:params:oauth:grant-type:device_code"} {
		if _, err := w.grant(kind, nil); words(err) != "Bad request" {
			t.Errorf("grant %q: %v", kind, err)
		}
	}
}

func TestRevokedTokenIsForgottenAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ids := w.identities()
		byApp, err := w.grant("client_credentials", nil)
		if err != nil {
			t.Fatal(err)
		}
		byItself, byRefresh := w.login("read"), w.login("read")
		for name, end := range map[string]struct{ token, with string }{
			"itself":            {byItself.AccessToken, byItself.AccessToken},
			"its refresh token": {byRefresh.AccessToken, byRefresh.RefreshToken},
			"an app's own":      {byApp.AccessToken, byApp.AccessToken},
		} {
			if !works(t, ids, end.token) {
				t.Fatalf("%s: does not work yet", name)
			}
			if err := w.Revoke(t.Context(), end.with); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if works(t, ids, end.token) {
				t.Errorf("%s: still works", name)
			}
			if err := w.Revoke(t.Context(), end.with); err != nil {
				t.Errorf("%s, once more: %v", name, err)
			}
		}
		if err := w.Revoke(t.Context(), ""); words(err) != "Bad request" {
			t.Errorf("no token: %v", err)
		}
	})
}

func TestOnlyOnesOwnTokenIsDeleted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		token := w.login("read")
		bob := w.user("bob", "")
		rows, err := w.Tokens(t.Context(), w.alice)
		if err != nil || len(rows) != 1 || rows[0].AppName != "App" {
			t.Fatalf("tokens %+v, %v", rows, err)
		}
		ids := w.identities()
		if err := w.DeleteToken(t.Context(), bob, rows[0].ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("bob deletes alice's: %v", err)
		}
		if !works(t, ids, token.AccessToken) {
			t.Error("bob ended alice's token")
		}
		if err := w.DeleteToken(t.Context(), w.alice, rows[0].ID); err != nil {
			t.Error(err)
		}
		if works(t, ids, token.AccessToken) {
			t.Error("the deleted token works")
		}
	})
}

func TestNewPasswordEndsEveryLogin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := context.Background()
		token, code := w.login("read"), w.code(w.Service, w.ask())
		session, err := w.SignIn(ctx, w.proof(w.alice))
		if err != nil {
			t.Fatal(err)
		}
		ids := w.identities()
		if !works(t, ids, token.AccessToken) {
			t.Fatal("no token to begin with")
		}
		if err := w.SetPassword(ctx, w.alice.ID, "another one"); err != nil {
			t.Fatal(err)
		}
		if works(t, ids, token.AccessToken) {
			t.Error("the token works")
		}
		if a, err := w.SignedIn(ctx, session); a != nil || err != nil {
			t.Errorf("the session is %v's, %v", a, err)
		}
		if _, err := w.grant("authorization_code", func(g *auth.Grant) { g.Code = code }); words(err) != "Invalid credentials" {
			t.Errorf("the code: %v", err)
		}
		if _, err := w.Login(ctx, "alice", password, ""); words(err) != "Invalid credentials" {
			t.Errorf("the old password: %v", err)
		}
		if _, err := w.Login(ctx, "alice", "another one", ""); err != nil {
			t.Errorf("the new password: %v", err)
		}
	})
}
