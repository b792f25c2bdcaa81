package signup_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/signup"
)

func greeting(s *config.Settings) {
	s.Instance.Name = "Home"
	s.Instance.AutofollowedNicknames, s.Instance.AutofollowingNicknames = []string{"Root", "nobody", "gone"}, []string{"root", "greeter"}
	s.Welcome.DirectMessage = config.Message{Enabled: true, SenderNickname: "greeter", Message: "Hello and welcome!"}
	s.Welcome.ChatMessage = config.Message{Enabled: true, SenderNickname: "root", Message: "Nice to see you"}
	s.Welcome.Email.Enabled = true
}

// chatted are the chat messages so far, as sender and text.
func (w *world) chatted() []string {
	return w.texts("SELECT a.nickname || ': ' || m.text FROM chat_messages m JOIN accounts a ON a.id = m.account_id ORDER BY m.id")
}

// follows lists follows as "follower -> followed", by nickname.
func (w *world) follows() []string {
	return w.texts(`SELECT a.nickname || ' -> ' || b.nickname FROM follows f
		JOIN accounts a ON a.id = f.follower_id JOIN accounts b ON b.id = f.target_id WHERE NOT f.pending ORDER BY 1`)
}

// said are the statuses of an account, as visibility and text.
func (w *world) said(nickname string) []string {
	return w.texts("SELECT visibility || ': ' || text FROM statuses WHERE account_id IN (SELECT id FROM accounts WHERE nickname = '" + nickname + "') ORDER BY id")
}

func (w *world) texts(query string) []string {
	w.t.Helper()
	rows, err := w.db.Writer().QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := []string{}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// TestConfirmationComesFirstThenApprovalThenTheWelcome follows an account
// through all steps between registration and sign-in.
func TestConfirmationComesFirstThenApprovalThenTheWelcome(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) {
			greeting(s)
			s.Instance.AccountActivationRequired, s.Instance.AccountApprovalRequired = true, true
		})
		w.user(signup.NewUser{Nickname: "root", Email: "root@example.org", Admin: true})
		w.user(signup.NewUser{Nickname: "mod", Email: "mod@example.org", Moderator: true})
		w.user(signup.NewUser{Nickname: "silent", Moderator: true})
		w.user(signup.NewUser{Nickname: "greeter", Email: "greeter@example.org"})
		gone := w.user(signup.NewUser{Nickname: "gone", Email: "gone@example.org", Moderator: true})
		gone.Deactivated = true
		if err := d.UpdateAccount(t.Context(), gone, "deactivated"); err != nil {
			t.Fatal(err)
		}

		alice := w.register("alice")
		w.work()
		step := func(name string, mails []string, login string) {
			t.Helper()
			if diff := cmp.Diff(mails, w.mailed()); diff != "" {
				t.Errorf("%s: mails (-want +got):\n%s", name, diff)
			}
			if _, err := w.auth.Login(t.Context(), "alice", "correct horse", ""); words(err) != login {
				t.Errorf("%s: signing in: %v", name, err)
			}
		}
		step("registered", []string{"alice@example.org: Home account confirmation"}, "Your account is awaiting approval.")

		if err := w.ConfirmWith(t.Context(), alice.Account.ID, w.token("alice@example.org")); err != nil {
			t.Fatal(err)
		}
		w.work()
		confirmed := []string{
			"alice@example.org: Home account confirmation", "alice@example.org: Your account is awaiting approval",
			"mod@example.org: New account up for review on Home (@alice)", "root@example.org: New account up for review on Home (@alice)",
		}
		step("confirmed", confirmed, "Your account is awaiting approval.")
		review := w.box.To("mod@example.org")[0]
		if !strings.Contains(review.Text, "to see") || !strings.Contains(review.Text, dbtest.Base+"/svc/admin/#/users/"+alice.Account.ID+"/") {
			t.Errorf("the review says:\n%s", review.Text)
		}
		if got := w.follows(); len(got) != 0 {
			t.Errorf("before approval: %v", got)
		}

		if err := w.Approve(t.Context(), alice.Account.ID); err != nil {
			t.Fatal(err)
		}
		w.work()
		step("approved", []string{confirmed[0], "alice@example.org: Welcome to Home", confirmed[1], confirmed[2], confirmed[3]}, "")
		if diff := cmp.Diff([]string{"alice -> root", "greeter -> alice", "root -> alice"}, w.follows()); diff != "" {
			t.Errorf("follows (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"direct: @alice\nHello and welcome!"}, w.said("greeter")); diff != "" {
			t.Errorf("greeting (-want +got):\n%s", diff)
		}

		if diff := cmp.Diff([]string{"root: Nice to see you"}, w.chatted()); diff != "" {
			t.Errorf("chat (-want +got):\n%s", diff)
		}

		// Repeating a step changes nothing.
		for _, again := range []func(context.Context, string) error{w.Confirm, w.Approve} {
			if err := again(t.Context(), alice.Account.ID); err != nil {
				t.Error(err)
			}
		}
		if err := w.Greet(t.Context(), jobs.Welcome{AccountID: alice.Account.ID}); err != nil {
			t.Error(err)
		}
		if got := w.waiting(); len(got) != 0 || len(w.said("greeter")) != 1 || len(w.chatted()) != 1 {
			t.Errorf("done twice: %v, %v, %v", got, w.said("greeter"), w.chatted())
		}
		if err := w.Confirm(t.Context(), "9nosuch"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("an unknown account: %v", err)
		}
	})
}

func TestAnOpenRegistrationIsWelcomedAtOnce(t *testing.T) {
	w := newWorld(t, dbtest.New(t), greeting)
	w.user(signup.NewUser{Nickname: "root"})
	w.user(signup.NewUser{Nickname: "greeter"})
	if out := w.register("alice"); out.Token == nil {
		t.Errorf("registered as %+v", out)
	}
	w.work()
	if diff := cmp.Diff([]string{"alice@example.org: Welcome to Home"}, w.mailed()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
	if len(w.said("greeter")) != 1 || len(w.follows()) != 3 {
		t.Errorf("said %v, follows %v", w.said("greeter"), w.follows())
	}
}

// TestWelcomeNeverStandsInTheWay names accounts in the settings that cannot
// send a greeting or be followed.
func TestWelcomeNeverStandsInTheWay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.AccountApprovalRequired = true })
		remote := &db.Account{Nickname: "far@away.example", Domain: "away.example", URI: "https://away.example/users/far", ActorType: "Person"}
		if err := d.CreateAccount(t.Context(), remote); err != nil {
			t.Fatal(err)
		}
		foe := w.user(signup.NewUser{Nickname: "foe"})
		for i, edit := range []func(*config.Settings){
			func(s *config.Settings) { s.Welcome.DirectMessage.SenderNickname = "nobody" },
			func(s *config.Settings) { s.Welcome.DirectMessage.SenderNickname = "" },
			func(s *config.Settings) { s.Welcome.DirectMessage.SenderNickname = remote.Nickname },
			func(s *config.Settings) { s.Welcome.DirectMessage.Message = " " },
			func(s *config.Settings) {
				s.Instance.AutofollowedNicknames = []string{remote.Nickname, "foe", "u4"}
				s.Instance.AutofollowingNicknames = s.Instance.AutofollowedNicknames
			},
			func(s *config.Settings) { s.Mailer.Enabled = false },
		} {
			w.settings(func(s *config.Settings) {
				s.Welcome.DirectMessage = config.Message{Enabled: true, SenderNickname: "foe", Message: "Hello"}
				s.Instance.AutofollowedNicknames, s.Instance.AutofollowingNicknames = nil, nil
				edit(s)
			})
			nickname := "u" + string(rune('0'+i))
			out := w.register(nickname)
			if i == 4 {
				if _, err := d.PutBlock(t.Context(), &db.Block{AccountID: foe.ID, TargetID: out.Account.ID, CreatedAt: d.Now()}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Approve(t.Context(), out.Account.ID); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			w.work()
			if _, err := w.auth.Login(t.Context(), nickname, "correct horse", ""); err != nil {
				t.Errorf("%d: signing in: %v", i, err)
			}
		}
		if got := w.follows(); len(got) != 0 {
			t.Errorf("follows: %v", got)
		}
		if got := w.said("foe"); len(got) != 2 {
			t.Errorf("said: %q", got)
		}
	})
}

// TestARegistrationIsStoredWholeOrNotAtAll lets a registration fail
// at its very end, as a crash would.
func TestARegistrationIsStoredWholeOrNotAtAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) {
			s.Instance.AccountActivationRequired, s.Instance.RegistrationsOpen = true, false
		})
		invite, err := w.CreateInvite(t.Context(), root, signup.NewInvite{})
		if err != nil {
			t.Fatal(err)
		}
		crash := errors.New("crash")
		in := signup.NewAccount{Nickname: "alice", Email: "alice@example.org", Password: "long enough", Invite: invite.Token}
		err = d.Tx(t.Context(), func(tx *db.DB) error {
			if _, err := w.In(tx).Register(t.Context(), w.app, in); err != nil {
				return err
			}
			return crash
		})
		if !errors.Is(err, crash) {
			t.Fatal(err)
		}
		kept, err := d.Invite(t.Context(), invite.Token)
		if err != nil || kept.Used {
			t.Errorf("the invite: %+v, %v", kept, err)
		}
		if got := w.waiting(); len(got) != 0 {
			t.Errorf("jobs: %v", got)
		}
		if _, err := w.Register(t.Context(), w.app, in); err != nil {
			t.Fatal(err)
		}
		kept, err = d.Invite(t.Context(), invite.Token)
		if err != nil || !kept.Used || len(w.waiting()["send_link"]) != 1 {
			t.Errorf("the invite: %+v, %v; jobs: %v", kept, err, w.waiting())
		}
	})
}

func TestConfirmedByManyAtOnceIsWelcomedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) {
			s.Instance.AccountActivationRequired, s.Welcome.Email.Enabled = true, true
		})
		alice := w.register("alice")
		w.work()
		token := w.token("alice@example.org")
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				var err error
				if i%2 == 0 {
					err = w.Confirm(t.Context(), alice.Account.ID)
				} else if err = w.ConfirmWith(t.Context(), alice.Account.ID, token); errors.Is(err, db.ErrNotFound) {
					err = nil
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := w.waiting()["send_mail"]; len(got) != 1 {
			t.Errorf("mails: %v", got)
		}
	})
}

func TestConfirmationLinkWorksOnceAndForItsAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		alice, bob := w.register("alice"), w.register("bob")
		for _, name := range []string{"ALICE", "alice@Example.org", "nobody", "nobody@example.org", "", "@"} {
			if err := w.ResendConfirmation(t.Context(), name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		w.work()
		if n := len(w.box.To("alice@example.org")); n != 3 || len(w.box.All()) != 4 {
			t.Fatalf("%d mails to alice of %d", n, len(w.box.All()))
		}
		token := w.token("alice@example.org")
		for name, try := range map[string][2]string{
			"another's": {bob.Account.ID, token}, "made up": {alice.Account.ID, "x"}, "empty": {alice.Account.ID, ""}, "unknown": {"9nosuch", token},
		} {
			if usable, err := w.ConfirmUsable(t.Context(), try[0], try[1]); usable || err != nil {
				t.Errorf("%s: usable %t, %v", name, usable, err)
			}
			if err := w.ConfirmWith(t.Context(), try[0], try[1]); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if usable, err := w.ConfirmUsable(t.Context(), alice.Account.ID, token); !usable || err != nil {
			t.Errorf("usable %t, %v", usable, err)
		}
		if err := w.ConfirmWith(t.Context(), alice.Account.ID, token); err != nil {
			t.Fatal(err)
		}
		if err := w.ConfirmWith(t.Context(), alice.Account.ID, token); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("again: %v", err)
		}
		a, err := d.Account(t.Context(), alice.Account.ID)
		if err != nil || a.ConfirmationPending {
			t.Errorf("%+v, %v", a, err)
		}
		if err := w.ResendConfirmation(t.Context(), "alice"); err != nil || len(w.waiting()) != 0 {
			t.Errorf("once confirmed: %v, %v", err, w.waiting())
		}
		// An admin may send it nevertheless.
		if err := w.Resend(t.Context(), alice.Account.ID); err != nil || len(w.waiting()["send_link"]) != 1 {
			t.Errorf("for an admin: %v, %v", err, w.waiting())
		}
	})
}

func TestStoredTokensOpenNoLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		alice := w.register("alice")
		if err := w.RequestReset(t.Context(), "alice"); err != nil {
			t.Fatal(err)
		}
		w.work()
		for _, m := range w.box.All() {
			link := m.Link()
			token := strings.ReplaceAll(link[strings.LastIndexByte(link, '/')+1:], "%3D", "=")
			if len(token) != 44 {
				t.Errorf("token %q", token)
			}
			for _, hash := range []string{token, strings.TrimRight(token, "=")} {
				if _, err := d.MailToken(t.Context(), hash, db.TokenPasswordReset); err == nil {
					t.Error("a token is kept as it is")
				}
			}
		}
		var n int
		if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM mail_tokens WHERE account_id = '"+alice.Account.ID+"'").Scan(&n); err != nil || n != 2 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
