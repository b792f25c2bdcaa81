package signup_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/fault"
	"svc/server/platform/mail"
	"svc/server/platform/mail/mailtest"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

type world struct {
	*signup.Service
	*clock
	t    *testing.T
	box  *mailtest.Mailbox
	mail *mail.Service
	auth *auth.Service
	live *config.Live
	app  *auth.Identity
	db   *db.DB
}

func newWorld(t *testing.T, d *db.DB, edit func(*config.Settings)) *world {
	t.Helper()
	settings := config.DefaultSettings()
	settings.Captcha.Enabled = false
	box := mailtest.Start(t)
	box.Use(&settings)
	if edit != nil {
		edit(&settings)
	}
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	clock, site := &clock{start: time.Now()}, config.NewSite(dbtest.Base, false)
	a := auth.New(auth.Parts{DB: d, Settings: live, Now: clock.now}).Cheap()
	m, err := mail.New(live, dbtest.Base, clock.now)
	if err != nil {
		t.Fatal(err)
	}
	app, err := a.CreateApp(t.Context(), auth.NewApp{Name: "App", RedirectURIs: auth.OutOfBand, Scopes: "read write"})
	if err != nil {
		t.Fatal(err)
	}
	emojis, err := emoji.New(t.TempDir(), dbtest.Base, live, d, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &world{
		t: t, clock: clock, box: box, mail: m,
		Service: signup.New(signup.Parts{
			DB: d, Settings: live, Rights: rights.New(live, true), Site: site, Auth: a, Mail: m, Now: clock.now,
			Social:   social.New(social.Parts{DB: d, Settings: live, Site: site, Now: clock.now}),
			Chats:    chats.New(chats.Parts{DB: d, Settings: live, Site: site, Emojis: emojis, Now: clock.now}),
			Outgoing: outgoing.New(outgoing.Options{}),
		}),
		auth: a, live: live, db: d,
		app: &auth.Identity{App: app.App, Scopes: []string{"read", "write"}},
	}
}

// words are the refusal of a registration: its message, or the fields as JSON.
func words(err error) string {
	var f *fault.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &f):
		return "fault: " + err.Error()
	case len(f.Fields) == 0:
		return f.Message
	}
	byField := map[string]string{}
	for _, field := range f.Fields {
		byField[field.Name] = field.Message
	}
	raw, _ := json.Marshal(byField)
	return string(raw)
}

func TestRegistrationMakesAnAccountThatIsSignedIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		out, err := w.Register(t.Context(), w.app, signup.NewAccount{
			Nickname: "Alice-1", Email: " Alice@example.org ", Password: "correct horse", Bio: "I like <b> & https://example.org",
			Reason: "curious",
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.AccountByNickname(t.Context(), "ALICE-1")
		if err != nil {
			t.Fatal(err)
		}
		u, err := d.User(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		type facts struct {
			Nickname, Name, URI, Note, Email, Reason string
			Local, Pending, Admin, Moderator         bool
		}
		got := facts{a.Nickname, a.DisplayName, a.URI, a.Note, u.Email, u.RegistrationReason, a.Local, a.ConfirmationPending || a.ApprovalPending, a.IsAdmin, a.IsModerator}
		want := facts{"Alice-1", "Alice-1", dbtest.Base + "/users/Alice-1", "I like <b> & https://example.org", "Alice@example.org", "curious", true, false, false, false}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("account (-want +got):\n%s", diff)
		}
		if strings.Contains(a.NoteHTML, "<b>") || !strings.Contains(a.NoteHTML, `href="https://example.org"`) {
			t.Errorf("note as HTML: %s", a.NoteHTML)
		}
		if out.Token == nil || out.Message != "" || out.Token.Scope != "read write" || out.Token.Me != a.URI {
			t.Fatalf("registered as %+v", out)
		}
		ids, err := auth.NewIdentities(d, w.live, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := ids.Identify(t.Context(), out.Token.AccessToken); err != nil || id == nil || id.Account.ID != a.ID {
			t.Errorf("the token is %+v, %v", id, err)
		}
		if _, err := w.auth.Login(t.Context(), "alice@example.org", "correct horse", ""); err != nil {
			t.Errorf("signing in: %v", err)
		}
	})
}

func TestRegistrationRules(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.User.EmailBlacklist = []string{"Bad.example"} })
		if _, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: "alice", Email: "alice@example.org"}); err != nil {
			t.Fatal(err)
		}
		tests := []struct {
			name string
			edit func(*signup.NewAccount)
			want string
		}{
			{"nickname in other case", func(n *signup.NewAccount) { n.Nickname = "ALICE" }, `{"nickname":"has already been taken"}`},
			{"empty nickname", func(n *signup.NewAccount) { n.Nickname = "" }, `{"nickname":"can't be blank"}`},
			{"one character", func(n *signup.NewAccount) { n.Nickname = "a" }, ""},
			{"64 characters", func(n *signup.NewAccount) { n.Nickname = strings.Repeat("a", 64) }, ""},
			{"65 characters", func(n *signup.NewAccount) { n.Nickname = strings.Repeat("a", 65) }, `{"nickname":"should be at most 64 character(s)"}`},
			{"digits only", func(n *signup.NewAccount) { n.Nickname = "123" }, `{"nickname":"has invalid format"}`},
			{"dash and line", func(n *signup.NewAccount) { n.Nickname = "1-_" }, ""},
			{"dot", func(n *signup.NewAccount) { n.Nickname = "a.b" }, `{"nickname":"has invalid format"}`},
			{"space", func(n *signup.NewAccount) { n.Nickname = "a b" }, `{"nickname":"has invalid format"}`},
			{"line end", func(n *signup.NewAccount) { n.Nickname = "ab\n" }, `{"nickname":"has invalid format"}`},
			{"other script", func(n *signup.NewAccount) { n.Nickname = "аlice" }, `{"nickname":"has invalid format"}`},
			{"with a host", func(n *signup.NewAccount) { n.Nickname = "a@b" }, `{"nickname":"has invalid format"}`},
			{"reserved", func(n *signup.NewAccount) { n.Nickname = "Relay" }, `{"nickname":"Invalid nickname"}`},
			{"reserved for the service", func(n *signup.NewAccount) { n.Nickname = "svc" }, `{"nickname":"Invalid nickname"}`},
			{"address in other case", func(n *signup.NewAccount) { n.Email = "ALICE@example.org" }, `{"email":"has already been taken"}`},
			{"no address", func(n *signup.NewAccount) { n.Email = "" }, ""},
			{"no host", func(n *signup.NewAccount) { n.Email = "bob@" }, `{"email":"has invalid format"}`},
			{"two at signs", func(n *signup.NewAccount) { n.Email = "b@b@example.org" }, `{"email":"has invalid format"}`},
			{"name and address", func(n *signup.NewAccount) { n.Email = "Bob <bob@example.org>" }, `{"email":"has invalid format"}`},
			{"header in it", func(n *signup.NewAccount) { n.Email = "bob@example.org\r\nBcc: x@y.z" }, `{"email":"has invalid format"}`},
			{"long address", func(n *signup.NewAccount) { n.Email = strings.Repeat("b", 250) + "@b.example" }, `{"email":"has invalid format"}`},
			{"unwelcome domain", func(n *signup.NewAccount) { n.Email = "bob@BAD.example" }, `{"email":"Invalid email"}`},
			{"below it", func(n *signup.NewAccount) { n.Email = "bob@mx.bad.example" }, `{"email":"Invalid email"}`},
			{"only ends alike", func(n *signup.NewAccount) { n.Email = "bob@notbad.example" }, ""},
			{"blank password", func(n *signup.NewAccount) { n.Password = " \t" }, `{"password":"can't be blank"}`},
			{"long name", func(n *signup.NewAccount) { n.Name = strings.Repeat("é", 101) }, `{"name":"should be at most 100 character(s)"}`},
			{"name of 100", func(n *signup.NewAccount) { n.Name = strings.Repeat("é", 100) }, ""},
			{"long bio", func(n *signup.NewAccount) { n.Bio = strings.Repeat("é", 5001) }, `{"bio":"should be at most 5000 character(s)"}`},
			{"long reason", func(n *signup.NewAccount) { n.Reason = strings.Repeat("é", 501) }, `{"registration_reason":"should be at most 500 character(s)"}`},
			{
				"several at once", func(n *signup.NewAccount) { n.Nickname, n.Email, n.Password = "alice", "alice@example.org", "" },
				`{"email":"has already been taken","nickname":"has already been taken","password":"can't be blank"}`,
			},
		}
		for i, tt := range tests {
			in := signup.NewAccount{Nickname: fmt.Sprintf("user-%d", i), Email: fmt.Sprintf("user%d@example.org", i), Password: "long enough"}
			tt.edit(&in)
			_, err := w.Register(t.Context(), w.app, in)
			if got := words(err); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
			_, missing := d.AccountByNickname(t.Context(), in.Nickname)
			if err != nil && missing == nil && !strings.EqualFold(in.Nickname, "alice") {
				t.Errorf("%s: refused, but the account is there", tt.name)
			}
		}
	})
}

func TestStrictNicknamesHaveLettersAndDigitsOnly(t *testing.T) {
	w := newWorld(t, dbtest.New(t), func(s *config.Settings) { s.Instance.ExtendedNicknameFormat = false })
	for nickname, want := range map[string]string{"a1": "", "a_1": `{"nickname":"has invalid format"}`, "a-1": `{"nickname":"has invalid format"}`} {
		if _, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: nickname}); words(err) != want {
			t.Errorf("%s: %s, want %s", nickname, words(err), want)
		}
	}
}

func TestClosedRegistrationWantsAnInvitation(t *testing.T) {
	w := newWorld(t, dbtest.New(t), func(s *config.Settings) { s.Instance.RegistrationsOpen = false })
	in := signup.NewAccount{Nickname: "alice", Password: "long enough"}
	if _, err := w.Register(t.Context(), w.app, in); words(err) != "Expired token" || !fault.Is(err, fault.KindMalformed) {
		t.Errorf("without one: %v", err)
	}
	in.Invite = "made-up"
	if _, err := w.Register(t.Context(), w.app, in); words(err) != "Invalid token" {
		t.Errorf("with one nobody gave out: %v", err)
	}
	if _, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: "alice"}); err != nil {
		t.Errorf("whoever holds the machine: %v", err)
	}
}

func TestWhoMustWaitGetsAMessageInsteadOfAToken(t *testing.T) {
	for _, tt := range []struct {
		activation, approval bool
		want, login          string
	}{
		{true, false, "missing_confirmed_email", "Your login is missing a confirmed e-mail address"},
		{false, true, "awaiting_approval", "Your account is awaiting approval."},
		{true, true, "awaiting_approval", "Your account is awaiting approval."},
	} {
		w := newWorld(t, dbtest.New(t), func(s *config.Settings) {
			s.Instance.AccountActivationRequired, s.Instance.AccountApprovalRequired = tt.activation, tt.approval
		})
		in := signup.NewAccount{Nickname: "alice", Password: "long enough"}
		if _, err := w.Register(t.Context(), w.app, in); tt.activation && words(err) != "Missing parameter: email" {
			t.Errorf("without an address: %v", err)
		}
		in.Nickname, in.Email = "bob", "bob@example.org"
		out, err := w.Register(t.Context(), w.app, in)
		if err != nil || out.Token != nil || out.Identifier != tt.want || out.Message == "" {
			t.Fatalf("registered as %+v, %v", out, err)
		}
		if _, err := w.auth.Login(t.Context(), "bob", "long enough", ""); words(err) != tt.login {
			t.Errorf("signing in: %v", err)
		}
	}
}

func TestOneNicknameGoesToOneOfManyAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		var made atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				nickname := "alice"
				if i%2 == 0 {
					nickname = "ALICE"
				}
				_, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: nickname, Email: "alice@example.org"})
				switch got := words(err); {
				case got == "":
					made.Add(1)
				case !strings.Contains(got, "has already been taken"):
					t.Error(got)
				}
			})
		}
		all.Wait()
		if made.Load() != 1 {
			t.Errorf("%d accounts were made", made.Load())
		}
	})
}

func TestCreatedUserHasTheRightsGiven(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) {
			s.Instance.AccountActivationRequired, s.Instance.AccountApprovalRequired = true, true
		})
		if _, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: "root", Password: "long enough", Name: "Root", Admin: true, Moderator: true}); err != nil {
			t.Fatal(err)
		}
		by, err := w.auth.Login(t.Context(), "root", "long enough", "")
		if err != nil || !by.Account.IsAdmin || !by.Account.IsModerator || by.Account.DisplayName != "Root" {
			t.Errorf("%+v, %v", by, err)
		}
		if _, err := w.CreateUser(t.Context(), signup.NewUser{Nickname: "mute"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.auth.Login(t.Context(), "mute", "", ""); err == nil {
			t.Error("a user without a password signed in with none")
		}
	})
}
