package clientapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/captcha"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
	"svc/server/servertest"
)

func yes() *api.Bool {
	b := api.Bool(true)
	return &b
}

func newcomer(nickname string) api.NewAccount {
	return api.NewAccount{Username: nickname, Email: nickname + "@example.net", Password: "correct horse", Agreement: yes(), Locale: "de", Reason: "to see"}
}

// refusal is the text of a refused API call.
func refusal(err error) string {
	var e *client.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%d %s %s", e.Status, e.Message, e.Identifier)
}

// follow opens a link like a browser, without following redirects.
func follow(t *testing.T, method, link string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Location"), body.String()
}

// passwordGrant signs somebody in with a password, through an app of its own.
func passwordGrant(t *testing.T, s *servertest.Server, name, password string) (*api.Token, error) {
	t.Helper()
	app, err := s.Anonymous().Apps.Create(t.Context(), api.NewApp{ClientName: "grants", RedirectURIs: auth.OutOfBand, Scopes: "read write"})
	if err != nil {
		t.Fatal(err)
	}
	return s.Anonymous().OAuth.Token(t.Context(), api.TokenRequest{
		GrantType: "password", ClientID: app.ClientID, ClientSecret: app.ClientSecret, Username: name, Password: password,
	})
}

// TestAccountComesInThroughItsMailbox registers, confirms by the link in the
// mail that real jobs sent to a real relay, forgets the password and gets
// another.
func TestAccountComesInThroughItsMailbox(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := context.Background()
		app := s.With(s.AppToken())
		out, err := app.Accounts.Register(ctx, newcomer("alice"))
		if err != nil || out.Token != nil || out.Identifier != "missing_confirmed_email" || out.Message == "" {
			t.Fatalf("registered as %+v, %v", out, err)
		}
		if _, err := passwordGrant(t, s, "alice", "correct horse"); refusal(err) != "403 Your login is missing a confirmed e-mail address missing_confirmed_email" {
			t.Errorf("before: %v", err)
		}
		first := s.Mailbox.Wait("alice@example.net", 1)
		for _, who := range []api.WhoIs{{Email: "ALICE@example.net"}, {Nickname: "nobody"}, {Email: "nobody@example.net"}, {}} {
			if err := s.Anonymous().Accounts.ResendConfirmation(ctx, who); err != nil {
				t.Errorf("%+v: %v", who, err)
			}
		}
		link := s.Mailbox.Wait("alice@example.net", 2).Link()
		if link == first.Link() || !strings.HasPrefix(link, s.Base()+"/api/account/confirm_email/") {
			t.Errorf("links %s and %s", first.Link(), link)
		}
		if status, _, body := follow(t, http.MethodGet, link[:len(link)-6]+"AAA%3D"); status != http.StatusNotFound || !strings.Contains(body, "<h1>") {
			t.Errorf("a wrong link: %d %.80s", status, body)
		}
		if status, to, _ := follow(t, http.MethodHead, link); status != http.StatusFound || to != "/" {
			t.Errorf("only looking: %d %s", status, to)
		}
		if _, err := passwordGrant(t, s, "alice", "correct horse"); err == nil {
			t.Error("looking at the link confirmed")
		}
		if status, to, _ := follow(t, http.MethodGet, link); status != http.StatusFound || to != "/" {
			t.Errorf("the link: %d %s", status, to)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if status, _, _ := follow(t, method, link); status != http.StatusNotFound {
				t.Errorf("%s again: %d", method, status)
			}
		}
		token, err := passwordGrant(t, s, "alice@example.net", "correct horse")
		if err != nil {
			t.Fatalf("after: %v", err)
		}
		me, err := s.With(token.AccessToken).Accounts.Verify(ctx)
		if err != nil || me.Username != "alice" || me.Svc.ConfirmationPending {
			t.Errorf("%+v, %v", me, err)
		}

		for _, who := range []api.WhoIs{{Nickname: "Alice"}, {Nickname: "nobody"}, {Email: "nobody@example.net"}, {}} {
			if err := s.Anonymous().Accounts.RequestPasswordReset(ctx, who); err != nil {
				t.Errorf("%+v: %v", who, err)
			}
		}
		reset := s.Mailbox.Wait("alice@example.net", 3)
		secret, ok := strings.CutPrefix(reset.Link(), s.Base()+"/api/svc/password_reset/")
		if !ok || !strings.Contains(reset.Text, "24 hours") || !strings.Contains(reset.HTML, reset.Link()) {
			t.Fatalf("the mail says:\n%s", reset.Text)
		}
		if err := s.Signup.ResetPassword(ctx, strings.ReplaceAll(secret, "%3D", "="), "battery staple"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.With(token.AccessToken).Accounts.Verify(ctx); refusal(err) != "401 The access token is invalid " {
			t.Errorf("the old token: %v", err)
		}
		if _, err := passwordGrant(t, s, "alice", "battery staple"); err != nil {
			t.Errorf("with the new password: %v", err)
		}
		if n := len(s.Mailbox.All()); n != 3 {
			t.Errorf("%d mails", n)
		}
	}, servertest.WithMail, func(c *config.Settings) { c.Instance.AccountActivationRequired = true })
}

// TestPendingUsersHaveNoWayIn uses an older token. A pending account can have
// one only if the settings changed.
func TestPendingUsersHaveNoWayIn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := context.Background()
		ann := s.Client("ann")
		if _, err := ann.Accounts.Verify(ctx); err != nil {
			t.Fatal(err)
		}
		a := s.User("ann")
		for _, c := range []struct {
			column   string
			set      func(on bool)
			identity string
		}{
			{"approval_pending", func(on bool) { a.ApprovalPending = on }, "403 Your account is awaiting approval. awaiting_approval"},
			{"confirmation_pending", func(on bool) { a.ConfirmationPending = on }, "403 Your login is missing a confirmed e-mail address missing_confirmed_email"},
		} {
			c.set(true)
			if err := s.DB.UpdateAccount(ctx, a, c.column); err != nil {
				t.Fatal(err)
			}
			if _, err := ann.Accounts.Verify(ctx); refusal(err) != "401 The access token is invalid " {
				t.Errorf("%s: %v", c.column, err)
			}
			if _, err := passwordGrant(t, s, "ann", servertest.Password); refusal(err) != c.identity {
				t.Errorf("%s: %v", c.column, err)
			}
			c.set(false)
			if err := s.DB.UpdateAccount(ctx, a, c.column); err != nil {
				t.Fatal(err)
			}
			if _, err := ann.Accounts.Verify(ctx); err != nil {
				t.Errorf("no more %s: %v", c.column, err)
			}
		}
	}, servertest.WithMail, func(c *config.Settings) { c.Instance.AccountActivationRequired = true })
}

func TestRegistrationIsRefusedInTheWordsOfTheAPI(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		s.User("taken")
		token := s.AppToken()
		for name, c := range map[string]struct{ body, want string }{
			"all wrong": {
				`{"username":"Taken","email":"taken@example.org","password":" ","agreement":true,"reason":"` + strings.Repeat("x", 501) + `"}`,
				`{"error":"{\"email\":[\"has already been taken\"],\"nickname\":[\"has already been taken\"],\"password\":[\"can't be blank\"],\"registration_reason\":[\"should be at most 500 character(s)\"]}"}`,
			},
			"short":                            {`{"username":"bob","password":"sévén 7","agreement":true}`, `{"error":"{\"password\":[\"should be at least 8 character(s)\"]}"}`},
			"letters that mail servers refuse": {`{"username":"bob","email":"böb@example.org","password":"long enough","agreement":true}`, `{"error":"{\"email\":[\"has invalid format\"]}"}`},
			"reserved":                         {`{"username":"objects","password":"long enough","agreement":true}`, `{"error":"{\"nickname\":[\"Invalid nickname\"]}"}`},
			"blacklisted":                      {`{"username":"bob","email":"bob@mx.bad.example","password":"long enough","agreement":true}`, `{"error":"{\"email\":[\"Invalid email\"]}"}`},
			"no captcha":                       {`{"username":"bob","password":"long enough","agreement":true,"captcha_solution":"x"}`, `{"error":"{\"captcha\":[\"Invalid CAPTCHA (Missing parameter: captcha_token)\"]}"}`},
		} {
			if name == "no captcha" {
				settings := *s.Settings.Load()
				settings.Captcha.Enabled = true
				if err := s.Settings.Swap(settings); err != nil {
					t.Fatal(err)
				}
			}
			got := call(t, s, token, http.MethodPost, "/api/v1/accounts", asJSON, c.body)
			if got.status != http.StatusBadRequest || got.body != c.want {
				t.Errorf("%s: %d %s\nwant %s", name, got.status, got.body, c.want)
			}
			settings := *s.Settings.Load()
			settings.Captcha.Enabled = false
			if err := s.Settings.Swap(settings); err != nil {
				t.Fatal(err)
			}
		}
		if got := call(t, s, s.Token("taken", servertest.AllScopes), http.MethodPost, "/api/v1/accounts", asJSON, `{}`); got.status != http.StatusForbidden || got.body != `{"error":"Invalid credentials."}` {
			t.Errorf("with a user's token: %d %s", got.status, got.body)
		}
	}, func(c *config.Settings) { c.User.EmailBlacklist = []string{"bad.example"} })
}

func TestCaptchaGuardsRegistration(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := context.Background()
		app := s.With(s.AppToken())
		c, err := s.Anonymous().Accounts.Captcha(ctx)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.URL, "data:image/png;base64,"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(raw)); err != nil || c.Type != "native" || c.SecondsValid != 300 {
			t.Errorf("%+v, %v", c, err)
		}
		secret, err := s.DB.Secret(ctx, "captcha", auth.Secret)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := captcha.Open(secret, c.Token, c.AnswerData)
		if err != nil {
			t.Fatal(err)
		}
		in := newcomer("alice")
		if _, err := app.Accounts.Register(ctx, in); refusal(err) != "400 captcha: Invalid CAPTCHA (Missing parameter: captcha_solution) " {
			t.Errorf("without: %v", err)
		}
		in.CaptchaSolution, in.CaptchaToken, in.CaptchaAnswerData = answer.Digits, c.Token, c.AnswerData
		out, err := s.Second(t).With(s.AppToken()).Accounts.Register(ctx, in) // any process will do
		if err != nil || out.Token == nil {
			t.Fatalf("solved: %+v, %v", out, err)
		}
		in.Username, in.Email = "bob", "bob@example.net"
		if _, err := app.Accounts.Register(ctx, in); refusal(err) != "400 captcha: CAPTCHA already used " {
			t.Errorf("again: %v", err)
		}
		settings := *s.Settings.Load()
		settings.Captcha.Enabled = false
		if err := s.Settings.Swap(settings); err != nil {
			t.Fatal(err)
		}
		if got := call(t, s, "", http.MethodGet, "/api/svc/captcha", "", ""); got.body != `{"type":"none"}` || got.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("when off: %s", got.body)
		}
		c, err = s.Anonymous().Accounts.Captcha(ctx)
		if diff := cmp.Diff(&api.Captcha{Type: "none"}, c); err != nil || diff != "" {
			t.Errorf("when off: %v (-want +got):\n%s", err, diff)
		}
	}, func(c *config.Settings) { c.Captcha.Enabled = true })
}

func TestInvitedRegisterWhileOthersMayNot(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := context.Background()
		app := s.With(s.AppToken())
		in := newcomer("alice")
		for token, want := range map[string]string{"": "400 Expired token ", "made-up": "400 Invalid token "} {
			in.Token = token
			if _, err := app.Accounts.Register(ctx, in); refusal(err) != want {
				t.Errorf("%q: %v", token, err)
			}
		}
		invite, err := s.Signup.CreateInvite(ctx, &db.Account{IsAdmin: true}, signup.NewInvite{})
		if err != nil {
			t.Fatal(err)
		}
		in.Token = invite.Token
		out, err := app.Accounts.Register(ctx, in)
		if err != nil || out.Token == nil || out.Token.Scope == "" {
			t.Fatalf("invited: %+v, %v", out, err)
		}
		if me, err := s.With(out.AccessToken).Accounts.Verify(ctx); err != nil || me.Username != "alice" {
			t.Errorf("%+v, %v", me, err)
		}
		in = newcomer("bob")
		in.Token = invite.Token
		if _, err := app.Accounts.Register(ctx, in); refusal(err) != "400 Expired token " {
			t.Errorf("the next: %v", err)
		}
	}, func(c *config.Settings) { c.Instance.RegistrationsOpen = false })
}

// TestMailWaitsForItsRelay: the relay is busy at first, and refuses another
// mailbox for good.
func TestMailWaitsForItsRelay(t *testing.T) {
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) { c.Instance.AccountActivationRequired = true })
	var tries atomic.Int64
	s.Mailbox.Refuse(func(to string) error {
		switch {
		case strings.HasPrefix(to, "bob"):
			return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
		case tries.Add(1) == 1:
			return &smtp.SMTPError{Code: 451, Message: "later"}
		}
		return nil
	})
	app := s.With(s.AppToken())
	for _, nickname := range []string{"bob", "alice"} {
		if _, err := app.Accounts.Register(t.Context(), newcomer(nickname)); err != nil {
			t.Fatal(err)
		}
	}
	s.Mailbox.Wait("alice@example.net", 1)
	if tries.Load() != 2 || len(s.Mailbox.All()) != 1 {
		t.Errorf("%d tries, %d mails", tries.Load(), len(s.Mailbox.All()))
	}
}

func TestModeratorsHearOfReportsByMail(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := context.Background()
		s.AdminUser("root")
		s.User("ann")
		troll := s.User("troll")
		post, err := s.Client("troll").Statuses.Post(ctx, api.NewStatus{Status: "hm"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: troll.ID, StatusIDs: []string{post.ID}, Comment: "<b>rude</b>"}); err != nil {
			t.Fatal(err)
		}
		m := s.Mailbox.Wait("root@example.org", 1)
		for _, words := range []string{"@ann reported @troll.", "<b>rude</b>", post.URI, s.Base() + "/svc/admin/#/reports/index"} {
			if !strings.Contains(m.Text, words) {
				t.Errorf("no %s in:\n%s", words, m.Text)
			}
		}
		if m.Subject != "svc Report" || !strings.Contains(m.HTML, "&lt;b&gt;rude&lt;/b&gt;") || strings.Contains(m.HTML, "<b>rude") {
			t.Errorf("%s:\n%s", m.Subject, m.HTML)
		}
		if n := len(s.Mailbox.All()); n != 1 {
			t.Errorf("%d mails", n)
		}
	}, servertest.WithMail)
}
