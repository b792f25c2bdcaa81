package clientapi_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// outcomeOf is the text of a refusal that came with status 200.
func outcomeOf(t *testing.T, err error) string {
	t.Helper()
	refused := new(client.OutcomeError)
	if err != nil && !errors.As(err, &refused) {
		t.Fatalf("refused otherwise: %v", err)
	}
	return refused.Message
}

func TestPasswordAndAddressChangeWithStatus200(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.User("bob")
		ann := s.Client("ann")
		const right = servertest.Password
		for in, want := range map[api.EmailChange]string{
			{Password: "wrong", Email: "new@example.org"}: "Invalid password.",
			{Password: right}:                              "Email can't be blank.",
			{Password: right, Email: "nothing"}:            "Email has invalid format.",
			{Password: right, Email: "BOB@example.org"}:    "Email has already been taken.",
			{Password: right, Email: "ann.b@example.org "}: "",
		} {
			if got := outcomeOf(t, ann.Security.ChangeEmail(ctx, in)); got != want {
				t.Errorf("%+v: %q, want %q", in, got, want)
			}
		}
		a, err := s.DB.AccountByNickname(ctx, "ann")
		if err != nil {
			t.Fatal(err)
		}
		if u, err := s.DB.UserByEmail(ctx, "ann.b@example.org"); err != nil || u.AccountID != a.ID || u.Email != "ann.b@example.org" {
			t.Errorf("%+v %v", u, err)
		}
		for in, want := range map[api.PasswordChange]string{
			{Password: "wrong", NewPassword: "x", Confirmation: "x"}: "Invalid password.",
			{Password: right}: "New password can't be blank.",
			{Password: right, NewPassword: "seven 7", Confirmation: "seven 7"}: "New password should be at least 8 character(s).",
			{Password: right, NewPassword: "a new one", Confirmation: "other"}: "New password does not match confirmation.",
		} {
			if got := outcomeOf(t, ann.Security.ChangePassword(ctx, in)); got != want {
				t.Errorf("%+v: %q, want %q", in, got, want)
			}
		}
		if err := ann.Security.ChangePassword(ctx, api.PasswordChange{Password: right, NewPassword: "a new one", Confirmation: "a new one"}); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Security.MFA(ctx); !errors.Is(err, client.ErrTokenRejected) {
			t.Errorf("the token afterwards: %v", err)
		}
	})
}

func TestOutcomesAsTheyTravel(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	token := map[string]string{"Authorization": "Bearer " + s.Token("ann", "write:accounts")}
	for _, tt := range []struct {
		in   sent
		want string
	}{
		{sent{http.MethodPost, "/api/svc/change_email", url.Values{"password": {"x"}, "email": {"a@b.example"}}, token}, `{"error":"Invalid password."}`},
		{sent{http.MethodPost, "/api/svc/change_email?password=" + url.QueryEscape(servertest.Password) + "&email=a%40b.example", nil, token}, `{"status":"success"}`},
		{sent{http.MethodPost, "/api/svc/delete_account", `{}`, token}, `{"error":"Invalid password."}`},
		{sent{http.MethodPost, "/api/svc/disable_account", `{"password":"` + servertest.Password + `"}`, token}, `{"status":"success"}`},
	} {
		if status, _, body := d.send(tt.in); status != 200 || body != tt.want {
			t.Errorf("%s %s: %d %s, want %s", tt.in.method, tt.in.path, status, body, tt.want)
		}
	}
}

func TestADeletedAccountIsGoneForEverybody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "hello @bob"})
		if err != nil {
			t.Fatal(err)
		}
		if got := outcomeOf(t, ann.Security.DeleteAccount(ctx, "wrong")); got != "Invalid password." {
			t.Errorf("with a wrong password: %q", got)
		}
		if err := ann.Security.DeleteAccount(ctx, servertest.Password); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Security.MFA(ctx); !errors.Is(err, client.ErrTokenRejected) {
			t.Errorf("her token: %v", err)
		}
		if _, err := bob.Accounts.Get(ctx, "ann"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("her profile: %v", err)
		}
		for deadline := time.Now().Add(20 * time.Second); ; {
			_, err := s.DB.StatusByID(ctx, posted.ID)
			if errors.Is(err, db.ErrNotFound) {
				break
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("her status is still there: %v", err)
			}
		}
		news, err := bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(news.Items) != 0 {
			t.Errorf("bob is told of her: %v %v", news.Items, err)
		}
		app, err := s.Anonymous().Apps.Create(ctx, api.NewApp{ClientName: "x", RedirectURIs: client.OutOfBand, Scopes: "read"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Anonymous().OAuth.Password(ctx, app, "ann", servertest.Password, ""); client.Status(err) != 400 {
			t.Errorf("she signs in: %v", err)
		}
	})
}

// shown is the code of an authenticator app for a secret, ahead steps from now.
func shown(t *testing.T, secret string, ahead int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatalf("secret %q: %v", secret, err)
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30+ahead)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1000000)
}

func TestTheSecondFactorFromSetupToSignIn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		settings := func() [2]bool {
			got, err := ann.Security.MFA(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return [2]bool{got.Settings.Enabled, got.Settings.TOTP}
		}
		if settings() != [2]bool{} {
			t.Error("on from the beginning")
		}
		setup, err := ann.Security.SetUpTOTP(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if want := "otpauth://totp/ann@example.org?digits=6&issuer=svc&period=30&secret=" + setup.Key; setup.ProvisioningURI != want {
			t.Errorf("%s, want %s", setup.ProvisioningURI, want)
		}
		for _, tt := range []struct{ password, code, want string }{
			{"wrong", shown(t, setup.Key, 0), "Invalid password."}, {servertest.Password, "000", "invalid_token"},
		} {
			err := ann.Security.ConfirmTOTP(ctx, tt.password, tt.code)
			if refused := new(client.Error); !errors.As(err, &refused) || refused.Status != 422 || refused.Message != tt.want {
				t.Errorf("%+v: %v", tt, err)
			}
		}
		if err := ann.Security.ConfirmTOTP(ctx, servertest.Password, shown(t, setup.Key, 0)); err != nil {
			t.Fatal(err)
		}
		if settings() != [2]bool{true, true} {
			t.Error("off after confirming")
		}
		codes, err := ann.Security.BackupCodes(ctx)
		if err != nil || len(codes) != 5 {
			t.Fatalf("%q %v", codes, err)
		}
		app, err := s.Anonymous().Apps.Create(ctx, api.NewApp{ClientName: "x", RedirectURIs: client.OutOfBand, Scopes: "read write"})
		if err != nil {
			t.Fatal(err)
		}
		signIn := func() api.OAuthError {
			_, err := s.Anonymous().OAuth.Password(ctx, app, "ann", servertest.Password, "read")
			refused, body := new(client.Error), api.OAuthError{}
			if !errors.As(err, &refused) || refused.Status != 403 || json.Unmarshal(refused.Body, &body) != nil {
				t.Fatalf("not asked for a second factor: %v", err)
			}
			return body
		}
		asked := signIn()
		if diff := cmp.Diff(api.OAuthError{Error: "mfa_required", MFAToken: asked.MFAToken, ChallengeTypes: "totp"}, asked); diff != "" || asked.MFAToken == "" {
			t.Error(diff)
		}
		answer := func(in api.MFAChallenge) error {
			got, err := s.Anonymous().OAuth.Challenge(ctx, app, in)
			if err != nil {
				return err
			}
			if got.Scope != "read" || got.TokenType != "Bearer" {
				t.Errorf("%+v", got)
			}
			_, err = s.With(got.AccessToken).Accounts.Verify(ctx)
			return err
		}
		wrong := answer(api.MFAChallenge{MFAToken: asked.MFAToken, ChallengeType: "totp", Code: "nothing"})
		if refused := new(client.Error); !errors.As(wrong, &refused) || refused.Status != 400 || !bytes.Equal(bytes.TrimSpace(refused.Body), []byte(`{"error":"Invalid code"}`)) {
			t.Errorf("a wrong code: %v", wrong)
		}
		if err := answer(api.MFAChallenge{MFAToken: asked.MFAToken, ChallengeType: "totp", Code: shown(t, setup.Key, 1)}); err != nil {
			t.Errorf("the right code: %v", err)
		}
		for i, ok := range []bool{true, false} {
			if err := answer(api.MFAChallenge{MFAToken: signIn().MFAToken, ChallengeType: "recovery", Code: codes[0]}); (err == nil) != ok {
				t.Errorf("backup code, time %d: %v", i, err)
			}
		}
		// A password alone is not enough by HTTP Basic either.
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/accounts/verify_credentials", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("ann", servertest.Password)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("by HTTP Basic: %d", resp.StatusCode)
		}
		if err := ann.Security.RemoveTOTP(ctx, "wrong"); client.Status(err) != 422 {
			t.Errorf("removed with a wrong password: %v", err)
		}
		if err := ann.Security.RemoveTOTP(ctx, servertest.Password); err != nil || settings() != [2]bool{} {
			t.Errorf("removed: %v", err)
		}
		if _, err := s.Anonymous().OAuth.Password(ctx, app, "ann", servertest.Password, "read"); err != nil {
			t.Errorf("without a second factor: %v", err)
		}
	})
}

func TestOtherMethodsOfASecondFactorAreUnknown(t *testing.T) {
	s := servertest.Start(t)
	d := door{t, s}
	token := map[string]string{"Authorization": "Bearer " + s.Token("ann", "write:security")}
	for _, tt := range []struct{ method, path, want string }{
		{http.MethodGet, "/api/svc/accounts/mfa/setup/sms", "undefined method"},
		{http.MethodPost, "/api/svc/accounts/mfa/confirm/sms", "undefined mfa method"},
		{http.MethodDelete, "/api/svc/accounts/mfa/sms", "undefined mfa method"},
	} {
		if status, _, body := d.send(sent{tt.method, tt.path, nil, token}); status != 400 || !strings.Contains(body, `"`+tt.want+`"`) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, status, body)
		}
	}
	if status, _, body := d.send(sent{http.MethodDelete, "/api/svc/accounts/mfa", url.Values{"password": {"wrong"}}, token}); status != 422 || body != `{"error":"Invalid password."}` {
		t.Errorf("%d %s", status, body)
	}
}

func TestOwnTokensAreListedAndEnded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, other := s.Client("ann"), s.With(s.Token("ann", "read"))
		rows, err := ann.Security.Tokens(ctx)
		if err != nil || len(rows) != 2 || rows[0].AppName != "tests" || rows[0].ID <= rows[1].ID || rows[0].ValidUntil.Before(time.Now()) {
			t.Fatalf("%+v %v", rows, err)
		}
		if err := ann.Security.DeleteToken(ctx, rows[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Accounts.Verify(ctx); !errors.Is(err, client.ErrTokenRejected) {
			t.Errorf("the ended token: %v", err)
		}
		if err := s.Client("bob").Security.DeleteToken(ctx, rows[1].ID); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("another's token: %v", err)
		}
	})
}

// TestTheOwnerIsToldWhatOpensTheAccount: the mail goes to the former address.
func TestTheOwnerIsToldWhatOpensTheAccount(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, owner := s.Client("ann"), s.User("ann")
		const old, fresh = "ann@example.org", "ann.b@example.org"
		setUp := func() error {
			setup, err := s.Auth.SetUpTOTP(ctx, owner)
			if err != nil {
				return err
			}
			return s.Auth.ConfirmTOTP(ctx, owner, servertest.Password, shown(t, setup.Key, 0))
		}
		told := map[string]int{}
		for _, change := range []struct {
			name, to, says string
			do             func() error
		}{
			{"the address", old, "given another e-mail address", func() error {
				return ann.Security.ChangeEmail(ctx, api.EmailChange{Password: servertest.Password, Email: fresh})
			}},
			{"a second factor", fresh, "asks for a second factor now", setUp},
			{"backup codes", fresh, "given new backup codes", func() error { _, err := s.Auth.NewBackupCodes(ctx, owner); return err }},
			{"none any more", fresh, "does not ask for a second factor any more", func() error { return s.Auth.RemoveTOTP(ctx, owner, servertest.Password) }},
			{"one again", fresh, "asks for a second factor now", setUp},
			{"none, by an admin", fresh, "does not ask for a second factor any more", func() error { return s.Auth.DisableMFA(ctx, owner) }},
		} {
			if err := change.do(); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			told[change.to]++
			if m := s.Mailbox.Wait(change.to, told[change.to]); !strings.Contains(strings.Join(strings.Fields(m.Text), " "), change.says) {
				t.Errorf("%s: told %q", change.name, m.Text)
			}
		}
		// Nothing was changed.
		if err := errors.Join(s.Auth.DisableMFA(ctx, owner), s.Auth.RemoveTOTP(ctx, owner, servertest.Password)); err != nil {
			t.Error(err)
		}
		if n := len(s.Mailbox.All()); n != 6 {
			t.Errorf("%d mails", n)
		}
	}, servertest.WithMail)
}
