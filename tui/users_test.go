package tui

import (
	"slices"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// find puts the cursor on a user of the list.
func (d *driver) findUser(nick string) {
	d.t.Helper()
	d.press("2/<ctrl+u>" + nick + "<enter>")
	d.pass(time.Second)
	d.shows(">   " + nick)
}

func TestUserVerbsAreStagedSentAndTakenBack(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.User("kim")
	admin := s.Admin("root")
	kim := func() *api.AdminUser {
		t.Helper()
		u, err := admin.Admin.Users.Get(t.Context(), "kim")
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	d := beginOn(t, admin, 80, 24, Options{})
	d.findUser("kim")
	d.press("t4")
	d.shows("tag add 4s", "OUTBOX 1  tag add kim")
	d.pass(5 * time.Second)
	if !slices.Contains(kim().Tags, "mrf_tag:sandbox") {
		t.Errorf("tags are %q", kim().Tags)
	}
	d.press("u")
	if slices.Contains(kim().Tags, "mrf_tag:sandbox") {
		t.Errorf("tags are %q", kim().Tags)
	}
	d.press("pm")
	d.pass(5 * time.Second)
	if !kim().Roles.Moderator {
		t.Error("kim is no moderator")
	}
	d.shows("moderator")
	// A grave role is typed out; another word does nothing.
	d.press("pakin<enter>")
	d.shows("not done: that was not kim")
	d.press("pakim<enter>")
	d.pass(5 * time.Second)
	if !kim().Roles.Admin {
		t.Error("kim is no admin")
	}
	d.press("u")
	if kim().Roles.Admin {
		t.Error("kim is still an admin")
	}
	// Taking a role away and a forced reset ask.
	d.press("Pm")
	d.shows("role remove moderator kim", "y yes")
	d.press("<esc>K")
	d.shows("force-reset kim", "y yes")
	d.press("y")
	d.pass(5 * time.Second)
	d.press("u")
	d.shows("cannot be undone")
	d.press("L")
	d.shows("a link to choose a new password, once:", "y yes")
	d.press("y")
	d.shows("reset-link kim: http")
	d.press("aC")
	d.shows("nobody here to confirm")
	d.press("<enter>Xkim<enter>")
	d.shows("USER kim", "delete 4s")
	d.pass(5 * time.Second)
	if !kim().Deactivated {
		t.Error("kim is not deleted")
	}
	d.press("u")
	d.shows("cannot be undone")
}

func TestWhoWaitsIsApprovedAndConfirmed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) {
		c.Instance.AccountApprovalRequired, c.Instance.AccountActivationRequired, c.Captcha.Enabled = true, true, false
	})
	agreed := api.Bool(true)
	if _, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
		Username: "newbie", Email: "newbie@example.org", Password: "a long password", Agreement: &agreed, Reason: "friends",
	}); err != nil {
		t.Fatal(err)
	}
	admin := s.Admin("root")
	d := beginOn(t, admin, 80, 24, Options{})
	d.findUser("newbie")
	d.shows("pending")
	d.press("a")
	d.pass(5 * time.Second)
	d.hides("pending")
	d.shows("unconfirmed")
	d.press("C")
	d.pass(5 * time.Second)
	d.shows(">   newbie", "active")
	u, err := admin.Admin.Users.Get(t.Context(), "newbie")
	if err != nil || u.ApprovalPending || u.ConfirmationPending {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestWhoWaitsIsCountedAndRejected registers three, approves one and rejects one.
func TestWhoWaitsIsCountedAndRejected(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, func(c *config.Settings) { c.Instance.AccountApprovalRequired, c.Captcha.Enabled = true, false })
	agreed := api.Bool(true)
	register := func(nick string) {
		t.Helper()
		if _, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
			Username: nick, Email: nick + "@example.org", Password: "a long password", Agreement: &agreed, Reason: "friends",
		}); err != nil {
			t.Fatal(err)
		}
	}
	register("newbie")
	register("spammy")
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	if d.m.waiting["users"] != 2 {
		t.Errorf("%d wait at the start", d.m.waiting["users"])
	}
	register("late")
	d.pass(2 * time.Minute)
	if d.m.waiting["users"] != 3 {
		t.Errorf("%d wait after another registration", d.m.waiting["users"])
	}
	d.findUser("newbie")
	d.press("a")
	d.shows("approve newbie (for good)")
	d.pass(5 * time.Second)
	d.findUser("spammy")
	d.press("R")
	d.shows("reject, which deletes the pending account:", "spammy", "y yes")
	d.press("y")
	d.shows("OUTBOX 1  reject spammy, which deletes the pending account (for good)")
	d.pass(5 * time.Second)
	if d.m.waiting["users"] != 1 {
		t.Errorf("%d wait after both", d.m.waiting["users"])
	}
	d.press("u")
	d.shows("cannot be undone (it stays deleted): reject spammy")
	u, err := s.Admin("root").Admin.Users.Get(t.Context(), "spammy")
	if err == nil && !u.Deactivated {
		t.Errorf("spammy is still there: %+v", u)
	}
	d.findUser("root")
	d.press("R")
	d.shows("nobody here to reject")
}
