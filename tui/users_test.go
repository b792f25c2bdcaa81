package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/tui/desk"
	"svc/tui/draw"
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
	d.shows("tag add 4s", "OUTBOX 1  tag add kim: mrf_tag:sandbox 4s")
	d.pass(5 * time.Second)
	if !slices.Contains(kim().Tags, "mrf_tag:sandbox") {
		t.Errorf("tags are %q", kim().Tags)
	}
	d.press("u")
	if slices.Contains(kim().Tags, "mrf_tag:sandbox") {
		t.Errorf("tags are %q", kim().Tags)
	}
	d.press("t4")
	d.pass(5 * time.Second)
	d.press("<ctrl+t>4")
	d.pass(5 * time.Second)
	if slices.Contains(kim().Tags, "mrf_tag:sandbox") {
		t.Errorf("untagged, tags are %q", kim().Tags)
	}
	d.press(">m")
	d.pass(5 * time.Second)
	if !kim().Roles.Moderator {
		t.Error("kim is no moderator")
	}
	d.shows("moderator")
	// A grave role is typed out; another word does nothing.
	d.press(">akin<enter>")
	d.shows("not done: that was not kim")
	d.press(">akim<enter>")
	d.pass(5 * time.Second)
	if !kim().Roles.Admin {
		t.Error("kim is no admin")
	}
	d.press("u")
	if kim().Roles.Admin {
		t.Error("kim is still an admin")
	}
	// Taking a role away and a forced reset ask.
	d.press("<<>m")
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
	// The link is shown nowhere else: whole, on a page of its own, and in no line that goes by.
	d.shows(" USERS RESET-LINK KIM", " http://", "y copies it")
	whole := d.m.Screen().(*desk.Page)
	if link := strings.ReplaceAll(draw.Words(whole.Lines[0])+draw.Words(whole.Lines[1]), " ", ""); !strings.Contains(link, "/api/svc/password_reset/") || strings.Contains(link, "...") || whole.Copies == "" {
		t.Errorf("shown %q, copied %q", link, whole.Copies)
	}
	for _, done := range d.m.Staged.Done {
		if strings.Contains(done.Item.Label, "http") {
			t.Errorf("kept %q", done.Item.Label)
		}
	}
	d.press("<esc>")
	d.hides("RESET-LINK KIM")
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
	if d.m.Waiting["users"] != 2 {
		t.Errorf("%d wait at the start", d.m.Waiting["users"])
	}
	register("late")
	d.pass(2 * time.Minute)
	if d.m.Waiting["users"] != 3 {
		t.Errorf("%d wait after another registration", d.m.Waiting["users"])
	}
	d.findUser("newbie")
	d.press("a")
	d.shows("approve newbie (for good)")
	d.pass(5 * time.Second)
	d.findUser("spammy")
	d.press("R")
	d.shows("message to mail, or none: ")
	d.press("<enter>")
	d.shows("reject, which deletes the pending account:", "spammy", "y yes")
	d.press("y")
	d.shows("OUTBOX 1  reject spammy, which deletes the pending account (for good)")
	d.pass(time.Minute)
	if d.m.Waiting["users"] != 1 {
		t.Errorf("%d wait after both", d.m.Waiting["users"])
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

// TestASignupIsJudgedFromItsList shows who waits with what a decision needs, rejects one
// with a message and blocks the mail domain, as a moderator.
func TestASignupIsJudgedFromItsList(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) {
		c.Instance.AccountApprovalRequired, c.Captcha.Enabled = true, false
		c.Instance.ModeratorPrivileges = []string{"users_read", "approvals"}
	})
	mod := s.User("mod")
	mod.IsModerator = true
	if err := s.DB.UpdateAccount(t.Context(), mod, "is_moderator"); err != nil {
		t.Fatal(err)
	}
	agreed := api.Bool(true)
	for nick, reason := range map[string]string{"lena": "I knit and want to talk", "spammy": "casino \u202e", "spammz": "casino"} {
		if _, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
			Username: nick, Email: nick + "@spam.example", Password: "a long password", Agreement: &agreed, Reason: reason,
		}); err != nil {
			t.Fatal(err)
		}
	}
	d := beginOn(t, s.Admin("mod"), 80, 24, Options{})
	d.press("2/state:need_approval spammy<enter>")
	d.pass(time.Second)
	d.shows("USERS 1/1", "signed up: 20", "mail address: spammy@spam.example, unchecked", "reason: casino <U+202E>", "others of the mail domain: spam.example: 2")
	d.press("R")
	d.shows("message to mail, or none: ")
	d.press("No casinos.<enter>y")
	d.shows("OUTBOX 1  reject spammy, which deletes the pending account")
	d.pass(10 * time.Second)
	d.press("u")
	d.shows("cannot be undone")
	log, err := s.Admin("root").Admin.Log.List(api.LogQuery{Search: "spammy"}).Page(t.Context())
	if err != nil || len(log.Items) != 1 || !strings.Contains(log.Items[0].Message, "with message 'No casinos.'") {
		t.Errorf("the log has %+v, %v", log, err)
	}

	d.press("<esc>/state:need_approval spammz<enter>")
	d.pass(time.Second)
	d.press("b")
	d.shows("block spam.example", "of others there: ", "y yes")
	d.press("y")
	d.pass(10 * time.Second)
	blocked := func() []string {
		t.Helper()
		all, err := s.Admin("root").Admin.MailDomains.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := blocked(); !slices.Equal(got, []string{"spam.example"}) {
		t.Errorf("blocked are %q\n%s", got, d.frame())
	}
	d.press("<ctrl+r>")
	d.shows("blocked")
	d.press("b")
	d.shows("nobody here to block-domain")
	d.press("u")
	d.pass(5 * time.Second)
	if got := blocked(); len(got) != 0 {
		t.Errorf("blocked are still %q", got)
	}
	// The page of the account has the same.
	d.press("<enter>")
	d.shows("USER spammz", "reason for joining casino", "mail address spammz@spam.example, unchecked")
	d.hides("403", "lack the privilege")
}

// TestUsersTellTheirFacts: below the table all of the account under the cursor, and in
// columns where there is room.
func TestUsersTellTheirFacts(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("2")
	d.hides("LAST POST")
	d.press("/spam1<enter>")
	d.shows(" joined: 2026-01-30", " posts: 212, the last on 2026-01-31", " reports: 4, 3 of them open")
	d.press("<esc>")
	d.send(tea.WindowSizeMsg{Width: 120, Height: 30})
	d.shows("JOINED     POSTS  REPORTS LAST POST", "2026-01-30 212    3/4     2026-01-31")
}
