package signup_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/signup"
)

func closed(s *config.Settings) { s.Instance.RegistrationsOpen = false }

func TestInvitesLetInAsManyAsTheySay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, closed)
		two := int64(2)
		today, yesterday := w.now(), w.now().Add(-24*time.Hour)
		type state struct {
			Type    string
			Uses    int64
			Used    bool
			Refused []string // the refusals of the first three registrations
		}
		for name, c := range map[string]struct {
			in   signup.NewInvite
			want state
		}{
			"neither":    {signup.NewInvite{}, state{"one_time", 0, true, []string{"", "Expired token", "Expired token"}}},
			"a number":   {signup.NewInvite{MaxUse: &two}, state{"reusable", 2, true, []string{"", "", "Expired token"}}},
			"a day":      {signup.NewInvite{ExpiresOn: &today}, state{"date_limited", 0, false, []string{"", "", ""}}},
			"a past day": {signup.NewInvite{ExpiresOn: &yesterday}, state{"date_limited", 0, false, []string{"Expired token", "Expired token", "Expired token"}}},
			"both":       {signup.NewInvite{MaxUse: &two, ExpiresOn: &today}, state{"reusable_date_limited", 2, true, []string{"", "", "Expired token"}}},
			"both, past": {signup.NewInvite{MaxUse: &two, ExpiresOn: &yesterday}, state{"reusable_date_limited", 0, false, []string{"Expired token", "Expired token", "Expired token"}}},
		} {
			invite, err := w.CreateInvite(t.Context(), root, c.in)
			if err != nil {
				t.Fatal(err)
			}
			usable, err := w.InviteUsable(t.Context(), invite.Token)
			if err != nil || usable != (c.want.Refused[0] == "") {
				t.Errorf("%s: usable %t, %v", name, usable, err)
			}
			var got state
			for i := range c.want.Refused {
				nickname := fmt.Sprintf("%.1s%d-%d", name, invite.ID, i)
				in := signup.NewAccount{Nickname: nickname, Password: "long enough", Invite: invite.Token}
				if i == 0 && c.want.Refused[0] == "" {
					// A failed attempt does not use the invite.
					bad := in
					bad.Password = ""
					if _, err := w.Register(t.Context(), w.app, bad); words(err) != `{"password":"can't be blank"}` {
						t.Errorf("%s: %v", name, err)
					}
				}
				_, err := w.Register(t.Context(), w.app, in)
				got.Refused = append(got.Refused, words(err))
			}
			kept, err := d.Invite(t.Context(), invite.Token)
			if err != nil {
				t.Fatal(err)
			}
			got.Type, got.Uses, got.Used = kept.Type(), kept.Uses, kept.Used
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if len(kept.Token) != 44 {
				t.Errorf("%s: token %q", name, kept.Token)
			}
		}
		all, err := w.Invites(t.Context(), 0, 9)
		if err != nil || len(all) != 6 || all[0].ID >= all[5].ID {
			t.Errorf("invites: %v, %v", all, err)
		}
		zero := int64(0)
		if _, err := w.CreateInvite(t.Context(), root, signup.NewInvite{MaxUse: &zero}); words(err) != "max_use must be at least 1" {
			t.Errorf("for nobody: %v", err)
		}
	})
}

func TestRevokedInviteLetsNobodyIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, closed)
		ten := int64(10)
		invite, err := w.CreateInvite(t.Context(), root, signup.NewInvite{MaxUse: &ten})
		if err != nil {
			t.Fatal(err)
		}
		in := signup.NewAccount{Nickname: "alice", Password: "long enough", Invite: invite.Token}
		if _, err := w.Register(t.Context(), w.app, in); err != nil {
			t.Fatal(err)
		}
		for range 2 { // revoking an invite again changes nothing
			revoked, err := w.RevokeInvite(t.Context(), root, invite.Token)
			if err != nil || !revoked.Used || revoked.Uses != 1 {
				t.Errorf("%+v, %v", revoked, err)
			}
		}
		in.Nickname = "bob"
		if _, err := w.Register(t.Context(), w.app, in); words(err) != "Expired token" {
			t.Errorf("after that: %v", err)
		}
		if _, err := w.RevokeInvite(t.Context(), root, "unknown"); err == nil {
			t.Error("an unknown one was revoked")
		}
		w.settings(func(s *config.Settings) { s.Instance.RegistrationsOpen = true })
		if _, err := w.Register(t.Context(), w.app, in); err != nil {
			t.Errorf("while everybody may come, invites do not matter: %v", err)
		}
	})
}

func TestManyAtOnceGetInNoMoreOftenThanAnInviteSays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, closed)
		// Two services on one database stand for two processes.
		other := newWorld(t, d, closed)
		three := int64(3)
		for name, c := range map[string]struct {
			in   signup.NewInvite
			want int64
		}{"one": {signup.NewInvite{}, 1}, "three": {signup.NewInvite{MaxUse: &three}, 3}} {
			invite, err := w.CreateInvite(t.Context(), root, c.in)
			if err != nil {
				t.Fatal(err)
			}
			var in atomic.Int64
			var all sync.WaitGroup
			for i := range 8 {
				at := w
				if i%2 == 0 {
					at = other
				}
				all.Go(func() {
					_, err := at.Register(t.Context(), at.app, signup.NewAccount{Nickname: fmt.Sprintf("%s-%d", name, i), Password: "long enough", Invite: invite.Token})
					switch words(err) {
					case "":
						in.Add(1)
					case "Expired token":
					default:
						t.Error(err)
					}
				})
			}
			all.Wait()
			if in.Load() != c.want {
				t.Errorf("%s: %d came in", name, in.Load())
			}
		}
	})
}

func TestAnInvitationIsAJobOrLeavesNothingBehind(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Mailer.Enabled, s.Instance.Name = false, "Home" })
		refused := func(email, want string) {
			t.Helper()
			if err := w.EmailInvite(t.Context(), root, email, "Bob", ""); words(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		refused("bob@example.net", "To send invites you need to set the `registrations_open` option to false.")
		w.settings(closed)
		refused("bob@example.net", "To send invites you need to set the `invites_enabled` option to true.")
		w.settings(func(s *config.Settings) { s.Instance.InvitesEnabled = true })
		refused("bob@example.net", "deliveries_disabled")
		w.settings(func(s *config.Settings) { s.Mailer.Enabled = true })
		refused("bob", "Invalid email")
		refused("böb@example.net", "Invalid email")
		if all, err := w.Invites(t.Context(), 0, 9); err != nil || len(all) != 0 || len(w.waiting()) != 0 {
			t.Errorf("left behind: %v, %v, %v", all, err, w.waiting())
		}
		w.box.Refuse(func(string) error { return &smtp.SMTPError{Code: 451, Message: "later"} })
		refused("bob@example.net", "")
		if len(w.box.All()) != 0 || len(w.waiting()["send_mail"]) != 1 {
			t.Errorf("mailed %v, to be mailed %v", w.mailed(), w.waiting())
		}
		w.box.Refuse(nil)
		w.work()
		if diff := cmp.Diff([]string{"bob@example.net: Invitation to Home"}, w.mailed()); diff != "" {
			t.Errorf("mails (-want +got):\n%s", diff)
		}
		if _, err := w.Register(t.Context(), w.app, signup.NewAccount{Nickname: "bob", Password: "long enough", Invite: w.token("bob@example.net")}); err != nil {
			t.Errorf("registering with it: %v", err)
		}
	})
}

// TestAMailboxIsSentFewInvitations writes one mailbox in several ways.
func TestAMailboxIsSentFewInvitations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(s *config.Settings) { s.Instance.RegistrationsOpen, s.Instance.InvitesEnabled = false, true })
		sent := 0
		for i := range 60 {
			address := []string{"bob@example.net", "BOB@example.net", "bob+x@example.net", fmt.Sprintf("bob+%d@Example.NET", i)}[i%4]
			switch err := w.EmailInvite(t.Context(), root, address, "Bob", fmt.Sprint(i)); {
			case err == nil:
				sent++
			case !fault.Is(err, fault.KindRateLimited):
				t.Fatal(err)
			}
		}
		if waiting := len(w.waiting()["send_mail"]); sent != 5 || waiting != 5 {
			t.Errorf("%d were accepted, %d mails wait, want 5", sent, waiting)
		}
		all, err := w.Invites(t.Context(), 0, 100)
		if err != nil || len(all) != 5 {
			t.Errorf("%d invites are there: %v", len(all), err)
		}
		if err := w.EmailInvite(t.Context(), root, "eve@example.net", "Eve", ""); err != nil {
			t.Errorf("another mailbox: %v", err)
		}
		// A request that is repeated is none.
		if err := w.EmailInvite(t.Context(), root, "bob@example.net", "Bob", "0"); err != nil {
			t.Errorf("the first request again: %v", err)
		}
	})
}
