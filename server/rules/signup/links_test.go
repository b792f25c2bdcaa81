package signup_test

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
	"svc/server/platform/fault"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
)

func TestMailedLinkGivesANewPasswordOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		a := w.user(signup.NewUser{Nickname: "alice", Email: "alice@example.org", PasswordHash: cheap})
		issued, err := w.auth.Issue(t.Context(), w.app.App.ID, a, []string{"read"})
		if err != nil {
			t.Fatal(err)
		}
		by, err := w.auth.Login(t.Context(), "alice", "correct horse battery", "")
		if err != nil {
			t.Fatal(err)
		}
		session, err := w.auth.SignIn(t.Context(), by)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := auth.NewIdentities(d, w.live, w.now)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.UpdateUser(t.Context(), &db.User{AccountID: a.ID, PasswordResetPending: true}, "password_reset_pending"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Alice", "ALICE@example.org"} {
			if err := w.RequestReset(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		w.work()
		mails := w.box.To("alice@example.org")
		if len(mails) != 2 || mails[0].Subject != "svc password reset" {
			t.Fatalf("mails: %v", w.mailed())
		}
		token := w.token("alice@example.org")
		byAdmin, err := w.ResetLink(t.Context(), a.ID)
		if err != nil || byAdmin.URL != dbtest.Base+"/api/svc/password_reset/"+byAdmin.Token[:43]+"%3D" {
			t.Errorf("an admin's link: %+v, %v", byAdmin, err)
		}
		for _, bad := range []string{"", "x", token[:43]} {
			if usable, err := w.ResetUsable(t.Context(), bad); usable || err != nil {
				t.Errorf("%q: usable %t, %v", bad, usable, err)
			}
			if err := w.ResetPassword(t.Context(), bad, "a new one"); !fault.Is(err, fault.KindNotFound) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if err := w.ResetPassword(t.Context(), token, " "); words(err) != `{"password":"can't be blank"}` {
			t.Errorf("a blank password: %v", err)
		}
		if err := w.ResetPassword(t.Context(), token, "seven 7"); words(err) != `{"password":"should be at least 8 character(s)"}` {
			t.Errorf("a short password: %v", err)
		}
		for _, good := range []string{token, byAdmin.Token} { // older links stay valid
			if usable, err := w.ResetUsable(t.Context(), good); !usable || err != nil {
				t.Errorf("usable %t, %v", usable, err)
			}
		}
		if err := w.ResetPassword(t.Context(), token, "a new one"); err != nil {
			t.Fatal(err)
		}
		for _, spent := range []string{token, byAdmin.Token} {
			if err := w.ResetPassword(t.Context(), spent, "another one"); !fault.Is(err, fault.KindNotFound) {
				t.Errorf("once a password was chosen: %v", err)
			}
		}
		if _, err := w.auth.Login(t.Context(), "alice", "a new one", ""); err != nil {
			t.Errorf("signing in: %v", err)
		}
		if id, err := ids.Identify(t.Context(), issued.AccessToken); id != nil || err != nil {
			t.Errorf("the old token: %+v, %v", id, err)
		}
		if who, err := w.auth.SignedIn(t.Context(), session); who != nil || err != nil {
			t.Errorf("the old session: %+v, %v", who, err)
		}
	})
}

func TestResetLinkGoesOutOfDate(t *testing.T) {
	// Rows are stamped by the database's clock, so the test changes the link's
	// time.
	d := dbtest.New(t)
	w := newWorld(t, d, func(s *config.Settings) { s.Instance.PasswordResetTokenValidity = time.Minute })
	w.user(signup.NewUser{Nickname: "alice", Email: "alice@example.org", PasswordHash: cheap})
	w.pass(-time.Minute - time.Second)
	if err := w.RequestReset(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	w.work()
	token := w.token("alice@example.org")
	if usable, err := w.ResetUsable(t.Context(), token); usable || err != nil {
		t.Errorf("usable %t, %v", usable, err)
	}
	if err := w.ResetPassword(t.Context(), token, "a new one"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("after a minute: %v", err)
	}
	if err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM mail_tokens").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d links are kept, %v", n, err)
	}
}

func TestDeletedUserLeavesNoLinks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		a := w.user(signup.NewUser{Nickname: "alice", PasswordHash: cheap})
		link, err := w.ResetLink(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Tx(t.Context(), func(tx *db.DB) error { return tx.DeleteUser(t.Context(), a.ID) }); err != nil {
			t.Fatal(err)
		}
		if usable, err := w.ResetUsable(t.Context(), link.Token); usable || err != nil {
			t.Errorf("usable %t, %v", usable, err)
		}
	})
}

func TestResetsDoNotDiscloseAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		w.user(signup.NewUser{Nickname: "silent"})
		gone := w.user(signup.NewUser{Nickname: "gone", Email: "gone@example.org"})
		gone.Deactivated = true
		if err := d.UpdateAccount(t.Context(), gone, "deactivated"); err != nil {
			t.Fatal(err)
		}
		remote := &db.Account{Nickname: "far@away.example", Domain: "away.example", URI: "https://away.example/users/far", ActorType: "Person"}
		if err := d.CreateAccount(t.Context(), remote); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", " ", "nobody", "nobody@example.org", "silent", "gone", "gone@example.org", "far@away.example", "a\x00b"[:1], "' OR 1=1 --"} {
			if err := w.RequestReset(t.Context(), name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		if got := w.waiting(); len(got) != 0 {
			t.Errorf("jobs: %v", got)
		}
	})
}

// TestAMailboxIsNotFloodedWithLinks: the limit holds for concurrent requests,
// for mails that are not sent yet, and across all accounts with the address.
func TestAMailboxIsNotFloodedWithLinks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		alice := w.user(signup.NewUser{Nickname: "alice", Email: "alice@example.org", PasswordHash: cheap})
		w.register("bob") // mails bob once
		ask := func(n int, send func(ctx context.Context, name string) error, name string) {
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					if err := send(t.Context(), name); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			w.work()
		}
		mails := func(address string, want int) {
			t.Helper()
			if n := len(w.box.To(address)); n != want {
				t.Errorf("%d mails to %s, want %d", n, address, want)
			}
		}
		ask(40, w.RequestReset, "alice")
		mails("alice@example.org", 5)
		ask(40, w.ResendConfirmation, "bob")
		mails("bob@example.org", 5)
		if err := w.SetEmail(t.Context(), alice.ID, "else@example.org"); err != nil {
			t.Fatal(err)
		}
		w.work()
		mails("alice@example.org", 6) // mails the former address about the change
		w.user(signup.NewUser{Nickname: "carol", Email: "ALICE@example.org", PasswordHash: cheap})
		ask(1, w.RequestReset, "carol")
		mails("alice@example.org", 6)
		w.pass(time.Hour + time.Second)
		ask(1, w.RequestReset, "carol")
		mails("alice@example.org", 7)
	})
}

// TestLinksEndWithTheAddressTheyWereMailedTo, and so do links that are about to
// be mailed.
func TestLinksEndWithTheAddressTheyWereMailedTo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		changes := map[string]func(a *db.Account, address string) error{
			"by oneself": func(a *db.Account, address string) error {
				return w.ChangeEmail(t.Context(), a, "correct horse battery", address)
			},
			"by an admin": func(a *db.Account, address string) error { return w.SetEmail(t.Context(), a.ID, address) },
			"to none":     func(a *db.Account, _ string) error { return w.SetEmail(t.Context(), a.ID, "") },
		}
		i := 0
		for name, change := range changes {
			i++
			nick := fmt.Sprintf("user%d", i)
			old := nick + "@old.example"
			a := w.user(signup.NewUser{Nickname: nick, Email: old, PasswordHash: cheap})
			for range 2 {
				if err := w.RequestReset(t.Context(), nick); err != nil {
					t.Fatal(err)
				}
				if len(w.box.To(old)) == 0 {
					w.work()
				}
			}
			reset := w.token(old)
			if err := w.Resend(t.Context(), a.ID); err != nil {
				t.Fatal(err)
			}
			w.work()
			confirm := w.token(old)
			if err := w.RequestReset(t.Context(), nick); err != nil { // its mail is still to be written
				t.Fatal(err)
			}
			if err := change(a, nick+"@new.example"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			before := len(w.box.To(old))
			w.work()
			if err := w.ResetPassword(t.Context(), reset, "somebody else's"); !fault.Is(err, fault.KindNotFound) {
				t.Errorf("%s: the link to a new password: %v", name, err)
			}
			if err := w.ConfirmWith(t.Context(), a.ID, confirm); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: the link to confirm: %v", name, err)
			}
			told := w.box.To(old)[before:]
			if len(told) != 1 || !strings.Contains(told[0].Text, "another e-mail address") {
				t.Errorf("%s: mailed to the old address afterwards: %+v", name, told)
			}
		}
	})
}

func TestLinksToConfirmWorkForSevenDays(t *testing.T) {
	// Rows are stamped by the database's clock, so the test changes the link's
	// time.
	for age, works := range map[time.Duration]bool{7*24*time.Hour - time.Minute: true, 7*24*time.Hour + time.Second: false} {
		w := newWorld(t, dbtest.New(t), func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		a := w.register("alice").Account
		w.pass(-age)
		w.work()
		token := w.token("alice@example.org")
		if usable, err := w.ConfirmUsable(t.Context(), a.ID, token); usable != works || err != nil {
			t.Errorf("%s old: usable %t, %v", age, usable, err)
		}
		if err := w.ConfirmWith(t.Context(), a.ID, token); works != (err == nil) {
			t.Errorf("%s old: %v", age, err)
		}
	}
}

func TestOneLinkGivesOneOfManyThePassword(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, nil)
		a := w.user(signup.NewUser{Nickname: "alice", PasswordHash: cheap})
		link, err := w.ResetLink(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		var set atomic.Int64
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				err := w.ResetPassword(t.Context(), link.Token, "password "+string(rune('a'+i)))
				switch {
				case err == nil:
					set.Add(1)
				case !fault.Is(err, fault.KindNotFound):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if set.Load() != 1 {
			t.Errorf("%d passwords were set", set.Load())
		}
	})
}

func TestLocaleIsTheLanguageOfWhatIsPosted(t *testing.T) {
	w := newWorld(t, dbtest.New(t), nil)
	for nickname, c := range map[string][2]string{
		"none": {"", ""}, "german": {"de", "de"}, "brazil": {"pt-br", "pt-BR"}, "taiwan": {"zh_TW", "zh-TW"}, "serbia": {"sr-latn-rs", "sr-Latn-RS"}, "english": {"EN", "en"},
		"odd": {"<x>", ""}, "file": {"de_DE.UTF-8", ""}, "long": {strings.Repeat("nonsense-", 4), ""},
	} {
		out, err := w.Register(t.Context(), w.app, signup.NewAccount{Nickname: nickname, Password: "long enough", Locale: c[0]})
		if err != nil || out.Account.DefaultLanguage != c[1] {
			t.Errorf("%q: %+v, %v", c[0], out, err)
		}
	}
}
