package auth_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// browser is the secret of the browser in which people sign in.
const browser = "a browser"

// factors is a world with a clock moved by hand, in which alice has a second
// factor.
type factors struct {
	*world
	now    time.Time
	secret string
}

func newFactors(t *testing.T, d *db.DB) *factors {
	t.Helper()
	f := &factors{world: newWorld(t, d), now: time.Now()}
	f.Service = auth.New(auth.Parts{DB: d, Settings: f.live, Now: func() time.Time { return f.now }})
	setup, err := f.SetUpTOTP(t.Context(), f.alice)
	if err != nil {
		t.Fatal(err)
	}
	f.secret = setup.Key
	if err := f.ConfirmTOTP(t.Context(), f.alice, password, f.code()); err != nil {
		t.Fatal(err)
	}
	f.later()
	return f
}

// code returns the present code of alice's app; later moves the clock to the
// next one.
func (f *factors) code() string { return auth.CodeAt(f.secret, f.now) }
func (f *factors) later()       { f.now = f.now.Add(30 * time.Second) }

// challenge returns the MFA token that the app gets for alice's password.
func (f *factors) challenge() string {
	f.t.Helper()
	_, err := f.grant("password", func(g *auth.Grant) { g.Username, g.Password, g.Scope = "alice", password, "read" })
	c := new(auth.MFAChallenge)
	if !errors.As(err, &c) {
		f.t.Fatalf("granted, or refused otherwise: %v", err)
	}
	return c.Token
}

func (f *factors) answer(token, kind, code string) (*auth.Issued, error) {
	return f.AnswerChallenge(f.t.Context(), auth.Challenge{ClientID: f.app.ClientID, ClientSecret: f.app.ClientSecret, Token: token, Type: kind, Code: code})
}

const invalidCode = "Invalid code"

func TestASecondFactorIsAskedForAndBothAreUsedUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		token, code := f.challenge(), f.code()
		issued, err := f.answer(token, auth.TOTP, code)
		if err != nil || issued.Scope != "read" || issued.Me != f.alice.URI {
			t.Fatalf("%+v %v", issued, err)
		}
		if _, err := f.answer(token, auth.TOTP, auth.CodeAt(f.secret, f.now.Add(30*time.Second))); words(err) != invalidCode {
			t.Errorf("the same token again: %v", err)
		}
		if _, err := f.answer(f.challenge(), auth.TOTP, code); words(err) != invalidCode {
			t.Errorf("the same code again: %v", err)
		}
		if _, err := f.answer(f.challenge(), auth.TOTP, auth.CodeAt(f.secret, f.now.Add(-30*time.Second))); words(err) != invalidCode {
			t.Errorf("the code before a used one: %v", err)
		}
		f.later()
		if _, err := f.answer(f.challenge(), auth.TOTP, f.code()); err != nil {
			t.Errorf("the next code: %v", err)
		}
	})
}

func TestAChallengeIsForItsAppAndItsPurpose(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		ctx := t.Context()
		other, err := f.CreateApp(ctx, auth.NewApp{Name: "Other", RedirectURIs: callback})
		if err != nil {
			t.Fatal(err)
		}
		q, err := f.Question(ctx, f.ask())
		if err != nil {
			t.Fatal(err)
		}
		ofPage, err := f.StartMFA(ctx, f.proof(f.alice), q, browser)
		if err != nil {
			t.Fatal(err)
		}
		ofSession, err := f.StartMFA(ctx, f.proof(f.alice), nil, browser)
		if err != nil {
			t.Fatal(err)
		}
		ofApp := f.challenge()
		for name, refused := range map[string]func() error{
			"another app": func() error {
				_, err := f.AnswerChallenge(ctx, auth.Challenge{ClientID: other.ClientID, ClientSecret: other.ClientSecret, Token: ofApp, Type: auth.TOTP, Code: f.code()})
				return err
			},
			"a page's token for an app": func() error { _, err := f.answer(ofPage, auth.TOTP, f.code()); return err },
			"a session's for an app":    func() error { _, err := f.answer(ofSession, auth.TOTP, f.code()); return err },
			"an app's token on a page":  func() error { _, err := f.VerifyMFA(ctx, ofApp, browser, auth.TOTP, f.code()); return err },
			"another browser":           func() error { _, err := f.VerifyMFA(ctx, ofPage, "another", auth.TOTP, f.code()); return err },
			"no browser":                func() error { _, err := f.VerifyMFA(ctx, ofPage, "", auth.TOTP, f.code()); return err },
			"no token":                  func() error { _, err := f.VerifyMFA(ctx, "", browser, auth.TOTP, f.code()); return err },
			"another kind":              func() error { _, err := f.VerifyMFA(ctx, ofPage, browser, "sms", f.code()); return err },
			"no code":                   func() error { _, err := f.VerifyMFA(ctx, ofPage, browser, auth.TOTP, ""); return err },
		} {
			if err := refused(); words(err) != invalidCode {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := f.AnswerChallenge(ctx, auth.Challenge{ClientID: f.app.ClientID, ClientSecret: "x", Token: ofApp, Type: auth.TOTP, Code: f.code()}); words(err) != "Invalid credentials" {
			t.Errorf("a wrong client: %v", err)
		}
		v, err := f.VerifyMFA(ctx, ofPage, browser, auth.TOTP, f.code())
		if err != nil || v.Account.ID != f.alice.ID || v.Question == nil {
			t.Fatalf("%+v %v", v, err)
		}
		want := auth.Question{App: v.Question.App, RedirectURI: callback, Scopes: []string{"read"}}
		if diff := cmp.Diff(want, *v.Question); diff != "" || v.Question.App.ID != f.app.ID {
			t.Error(diff)
		}
		f.later()
		if v, err := f.VerifyMFA(ctx, ofSession, browser, auth.TOTP, f.code()); err != nil || v.Question != nil || v.Account.ID != f.alice.ID {
			t.Errorf("session: %+v %v", v, err)
		}
		f.later()
		if _, err := f.answer(ofApp, auth.TOTP, f.code()); err != nil {
			t.Errorf("app: %v", err)
		}
	})
}

func TestGuessingCodesEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		token := f.challenge()
		for range 5 {
			if _, err := f.answer(token, auth.TOTP, "x"); words(err) != invalidCode {
				t.Errorf("a wrong code: %v", err)
			}
		}
		if _, err := f.answer(token, auth.TOTP, f.code()); words(err) != invalidCode {
			t.Errorf("the sixth code of a token: %v", err)
		}
		token = f.challenge()
		for range 5 {
			_, _ = f.answer(token, auth.TOTP, "x")
		}
		if _, err := f.answer(f.challenge(), auth.TOTP, f.code()); !fault.Is(err, fault.KindRateLimited) {
			t.Errorf("after ten wrong codes: %v", err)
		}
		// The row is stamped with the database's clock, which goes on by itself.
		f.now = time.Now().Add(11 * time.Minute)
		future := auth.New(auth.Parts{DB: d, Settings: f.live, Now: func() time.Time { return f.now }})
		token, err := future.StartMFA(t.Context(), f.proof(f.alice), nil, browser)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := future.VerifyMFA(t.Context(), token, browser, auth.TOTP, f.code()); err != nil {
			t.Errorf("ten minutes later: %v", err)
		}
	})
}

func TestAChallengeEndsAfterFiveMinutesAndWithThePassword(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		f.now = f.now.Add(-5*time.Minute - 31*time.Second)
		old := f.challenge()
		f.now = f.now.Add(5*time.Minute + 31*time.Second)
		if _, err := f.answer(old, auth.TOTP, f.code()); words(err) != invalidCode {
			t.Errorf("an old token: %v", err)
		}
		token := f.challenge()
		if err := f.SetPassword(t.Context(), f.alice.ID, "another one"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.answer(token, auth.TOTP, f.code()); words(err) != invalidCode {
			t.Errorf("a token of the old password: %v", err)
		}
	})
}

func TestABackupCodeCountsOnceHoweverManyAsk(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		old, err := f.NewBackupCodes(t.Context(), f.alice)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := f.NewBackupCodes(t.Context(), f.alice)
		if err != nil || len(codes) != 5 || slices.ContainsFunc(codes, func(c string) bool { return len(c) != 16 || strings.Trim(c, "0123456789abcdef") != "" }) {
			t.Fatalf("%q %v", codes, err)
		}
		u, err := d.User(t.Context(), f.alice.ID)
		if err != nil || slices.ContainsFunc(u.BackupCodes, func(kept string) bool { return slices.Contains(codes, kept) }) {
			t.Errorf("kept in clear: %q %v", u.BackupCodes, err)
		}
		if _, err := f.answer(f.challenge(), auth.Recovery, old[0]); words(err) != invalidCode {
			t.Errorf("a replaced code: %v", err)
		}
		if _, err := f.answer(f.challenge(), auth.Recovery, strings.ToUpper(codes[1])+" "); err != nil {
			t.Errorf("in capitals: %v", err)
		}
		tokens := []string{f.challenge(), f.challenge(), f.challenge(), f.challenge()}
		var granted atomic.Int64
		var all sync.WaitGroup
		for _, token := range tokens {
			all.Go(func() {
				if _, err := f.answer(token, auth.Recovery, codes[0]); err == nil {
					granted.Add(1)
				} else if words(err) != invalidCode {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if granted.Load() != 1 {
			t.Errorf("%d were let in with one code", granted.Load())
		}
	})
}

func TestSecretsAreNotKeptInClear(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		bob := f.user("bob", "")
		u, err := d.User(t.Context(), f.alice.ID)
		if err != nil || u.TOTPSecret == "" || strings.Contains(u.TOTPSecret, f.secret) || u.TOTPPending != "" {
			t.Fatalf("%q %q %v", u.TOTPSecret, u.TOTPPending, err)
		}
		// Another's sealed secret is worth nothing on one's own account.
		theft := &db.User{AccountID: bob.ID, TOTPSecret: u.TOTPSecret, TOTPEnabled: true}
		if err := d.UpdateUser(t.Context(), theft, "totp_secret", "totp_enabled"); err != nil {
			t.Fatal(err)
		}
		token, err := f.StartMFA(t.Context(), f.proof(bob), nil, browser)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.VerifyMFA(t.Context(), token, browser, auth.TOTP, f.code()); err == nil {
			t.Error("a copied secret works")
		}
	})
}

func TestSettingUpAnewKeepsTheOldFactorUntilConfirmed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		ctx := t.Context()
		next, err := f.SetUpTOTP(ctx, f.alice)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.answer(f.challenge(), auth.TOTP, f.code()); err != nil {
			t.Errorf("the old factor: %v", err)
		}
		f.later()
		if err := f.ConfirmTOTP(ctx, f.alice, "wrong", auth.CodeAt(next.Key, f.now)); words(err) != "Invalid password." {
			t.Errorf("a wrong password: %v", err)
		}
		if err := f.ConfirmTOTP(ctx, f.alice, password, f.code()); words(err) != "invalid_token" {
			t.Errorf("a code of the old factor: %v", err)
		}
		if err := f.ConfirmTOTP(ctx, f.alice, password, auth.CodeAt(next.Key, f.now)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.answer(f.challenge(), auth.TOTP, auth.CodeAt(next.Key, f.now)); words(err) != invalidCode {
			t.Errorf("the code that confirmed: %v", err)
		}
		f.later()
		if _, err := f.answer(f.challenge(), auth.TOTP, auth.CodeAt(next.Key, f.now)); err != nil {
			t.Errorf("the new factor: %v", err)
		}
		if err := f.RemoveTOTP(ctx, f.alice, "wrong"); words(err) != "Invalid password." {
			t.Errorf("removed without the password: %v", err)
		}
		if err := f.RemoveTOTP(ctx, f.alice, password); err != nil {
			t.Fatal(err)
		}
		if _, err := f.grant("password", func(g *auth.Grant) { g.Username, g.Password = "alice", password }); err != nil {
			t.Errorf("without a second factor: %v", err)
		}
	})
}

func TestAPasswordAloneIdentifiesWhoHasNoSecondFactor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newFactors(t, d)
		ctx := t.Context()
		bob := f.user("bob", "bob@example.org")
		gone := f.user("gone", "")
		gone.Deactivated = true
		if err := d.UpdateAccount(ctx, gone, "deactivated"); err != nil {
			t.Fatal(err)
		}
		ids := f.identities()
		ask := func(name, secret string) (*auth.Identity, error) {
			return ids.IdentifyPassword(ctx, f.Login, name, secret, "192.0.2.1")
		}
		for _, name := range []string{"bob", "BOB@example.org", "bob"} {
			id, err := ask(name, password)
			if err != nil || id == nil || id.Account.ID != bob.ID || !id.Can("read") || !id.Can("admin:write:statuses") {
				t.Fatalf("%s: %+v %v", name, id, err)
			}
		}
		for _, nobody := range [][2]string{{"bob", "wrong"}, {"nobody", password}, {"gone", password}, {"", ""}} {
			if id, err := ask(nobody[0], nobody[1]); id != nil || err != nil {
				t.Errorf("%q: %+v %v", nobody, id, err)
			}
		}
		if _, err := ask("alice", password); words(err) != "Two-factor authentication enabled, you must use a access token." {
			t.Errorf("with a second factor: %v", err)
		}
		for range 15 {
			_, _ = ids.IdentifyPassword(ctx, f.Login, "bob", "guess", "192.0.2.2")
		}
		if _, err := ids.IdentifyPassword(ctx, f.Login, "BOB", password, "192.0.2.2"); !fault.Is(err, fault.KindRateLimited) {
			t.Errorf("after many guesses: %v", err)
		}
		if err := f.SetPassword(ctx, bob.ID, "another one"); err != nil {
			t.Fatal(err)
		}
		if id, err := ask("bob", password); id != nil || err != nil {
			t.Errorf("with the old password: %+v %v", id, err)
		}
	})
}

func TestThePasswordIsAskedForOnceMore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		token := w.login("read")
		ids := w.identities()
		for _, tt := range []struct{ old, next, again, want string }{
			{"wrong", "a new one", "a new one", "Invalid password."},
			{password, " ", " ", "New password can't be blank."},
			{password, "a new one", "another", "New password does not match confirmation."},
		} {
			if err := w.ChangePassword(ctx, w.alice, tt.old, tt.next, tt.again); words(err) != tt.want {
				t.Errorf("%+v: %v", tt, err)
			}
		}
		if !works(t, ids, token.AccessToken) {
			t.Error("a refused change ended the token")
		}
		if err := w.ChangePassword(ctx, w.alice, password, "a new one", "a new one"); err != nil {
			t.Fatal(err)
		}
		if works(t, ids, token.AccessToken) {
			t.Error("the token works after the change")
		}
		bob := w.user("bob", "")
		for range 15 {
			_ = w.WithPassword(ctx, bob, "guess", nil)
		}
		if err := w.WithPassword(ctx, bob, password, nil); !fault.Is(err, fault.KindRateLimited) {
			t.Errorf("after many guesses: %v", err)
		}
	})
}
