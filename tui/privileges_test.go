package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/tui/keys"
)

// moderated is a server where the role moderator opens these privileges, with
// the moderator mod, and reports of ann on bob about their posts.
func moderated(t *testing.T, reports int, privileges ...string) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, func(c *config.Settings) { c.Instance.ModeratorPrivileges = privileges })
	mod := s.User("mod")
	mod.IsModerator = true
	if err := s.DB.UpdateAccount(t.Context(), mod, "is_moderator"); err != nil {
		t.Fatal(err)
	}
	bob, ann := s.User("bob").ID, s.Client("ann")
	for range reports {
		post, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "buy this"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Reports.Create(t.Context(), api.NewReport{AccountID: bob, StatusIDs: []string{post.ID}, Comment: "spam"}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestAModeratorWorksAQueueAndIsOfferedNothingElse works reports off with the
// privileges reports and statuses alone, on a real server that refuses all else:
// no word of a refusal appears.
func TestAModeratorWorksAQueueAndIsOfferedNothingElse(t *testing.T) {
	t.Parallel()
	s := moderated(t, 3, "reports", "statuses")
	d := beginOn(t, s.Admin("mod"), 120, 40, Options{})
	d.shows("REPORTS open 3", "bob", "spam")
	d.hides("403", "not an admin", "lack the privilege", " d deactivate")
	reports := func(state string) []api.AdminReport {
		t.Helper()
		page, err := s.Admin("root").Admin.Reports.List(api.ReportQuery{State: state}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return page.Items
	}
	// A note on the first, its post deleted, then all resolved.
	d.press("nlooked<ctrl+s>")
	d.pass(5 * time.Second)
	d.press("<tab> D")
	d.pass(10 * time.Second)
	d.press("<tab>r")
	d.pass(5 * time.Second)
	d.press("jj r")
	d.press("kr")
	d.pass(10 * time.Second)
	d.hides("403", "not an admin", "lack the privilege")
	if open := reports("open"); len(open) != 0 {
		t.Errorf("%d reports are open\n%s", len(open), d.frame())
	}
	notes, deleted := 0, 0
	for _, r := range reports("resolved") {
		notes += len(r.Notes)
	}
	page, err := s.Admin("root").Admin.Log.List(api.LogQuery{}).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Items {
		if e.Data.Action == "status_delete" {
			deleted++
		}
	}
	if notes != 1 || deleted != 1 {
		t.Errorf("%d notes, %d deletions\n%s", notes, deleted, d.frame())
	}

	// No key, menu, help or command leads to what is refused.
	for _, key := range []string{"2", "3", "4", "5", "7", "8", "9"} {
		d.press(key)
		d.shows("REPORTS")
	}
	d.shows("queues is not among your privileges")
	d.pass(4 * time.Second)
	d.press("x")
	d.hides("deactivate the account", "activate the account")
	d.shows("delete the marked posts", "resolve")
	d.press("<esc>:")
	d.shows("reports statuses")
	d.hides("users", "relays", "config", "invites", "bans", "queues", "apps")
	d.press("users<enter>")
	d.shows(":users: users is not among your privileges")
	d.press(":queues<enter>")
	d.shows(":queues: queues is not among your privileges: for admins alone")
	for _, b := range d.m.Keys.Bindings {
		if slices.Equal(b.Needs, keys.AdminsAlone) || strings.Contains(b.Help, "moderation log") {
			t.Errorf("%s is there: %s", b.Do, b.Help)
		}
	}
	d.press("6")
	d.shows("STATUSES")
	d.press("<enter>") // of a person, whom a moderator may not read: the row instead
	d.hides("(403)", "lack the privilege")
}

// TestAModeratorWithoutReportsBeginsElsewhere starts with each single privilege:
// the first screen is one that the server answers.
func TestAModeratorWithoutReportsBeginsElsewhere(t *testing.T) {
	t.Parallel()
	for privilege, screen := range map[string]string{"users_read": "USERS", "log": "LOG", "statuses": "STATUSES", "invites": "INVITES", "media": "BANS"} {
		t.Run(privilege, func(t *testing.T) {
			t.Parallel()
			s := moderated(t, 0, privilege)
			d := beginOn(t, s.Admin("mod"), 80, 24, Options{})
			d.pass(time.Minute)
			d.shows(screen)
			d.hides("403", "not an admin", "lack the privilege")
			d.press("1")
			d.shows(screen)
			// It is no guest in the lists of before, either.
			d.press("[")
			d.shows(screen)
			if d.m.Poll.Good.IsZero() {
				t.Error("it never reached the server")
			}
		})
	}
}

// TestPrivilegesChangeMeanwhile takes privileges away and gives others while the
// program runs.
func TestPrivilegesChangeMeanwhile(t *testing.T) {
	t.Parallel()
	s := moderated(t, 3, "reports", "statuses", "log")
	set := func(privileges ...any) {
		t.Helper()
		if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", ":instance", []any{map[string]any{"tuple": []any{":moderator_privileges", privileges}}}); err != nil {
			t.Fatal(err)
		}
	}
	d := beginOn(t, s.Admin("mod"), 120, 24, Options{})
	d.press("D") // its only post
	set("reports", "users_read")
	d.pass(9 * time.Second)
	d.shows("(403)") // the refusal, which has the rights read again
	d.pass(4 * time.Second)
	d.press("D")
	d.shows("delete is not among your privileges")
	d.press("2")
	d.shows("USERS")
	d.press("1r")
	d.pass(5 * time.Second)
	d.shows("REPORTS open 2")
	// Without a refusal they are read now and then; the screen in front goes.
	d.press("2")
	set("reports", "statuses")
	d.pass(6 * time.Minute)
	d.shows("REPORTS open 2")
	d.press("2")
	d.shows("REPORTS open 2", "users is not among your privileges")
}

// TestWhoMayOnlyApproveSeesWhoWaits has a moderator with the privilege for sign-ups alone:
// the table has who waits, and nobody else, and two keys on them.
func TestWhoMayOnlyApproveSeesWhoWaits(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) {
		c.Instance.ModeratorPrivileges = []string{"approvals"}
		c.Instance.AccountApprovalRequired, c.Captcha.Enabled = true, false
	})
	mod := s.User("mod")
	mod.IsModerator = true
	if err := s.DB.UpdateAccount(t.Context(), mod, "is_moderator"); err != nil {
		t.Fatal(err)
	}
	agreed := api.Bool(true)
	for _, nick := range []string{"newbie", "spambot"} {
		if _, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
			Username: nick, Email: nick + "@example.org", Password: "a long password", Agreement: &agreed, Reason: "friends of " + nick,
		}); err != nil {
			t.Fatal(err)
		}
	}
	d := beginOn(t, s.Admin("mod"), 80, 24, Options{})
	d.shows("USERS 2", "newbie", "spambot", "pending", "friends of newbie")
	d.hides("403", "mod  ", "d deactivate", "t tag", "1 Reports")
	d.press("<enter>")
	d.shows("USER newbie", "friends of newbie", "newbie@example.org")
	d.hides("403", "lack the privilege")
	d.press("a")
	d.pass(5 * time.Second)
	d.press("<esc>/spam<enter>")
	d.press("R<enter>y")
	d.pass(9 * time.Second)
	page, err := s.Admin("root").Admin.Users.List(api.UserQuery{Filters: "local,active"}).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range page.Items {
		if u.ApprovalPending || u.Nickname == "spambot" {
			t.Errorf("%s still waits", u.Nickname)
		}
	}
	d.press("<esc>")
	d.press("<ctrl+r>")
	d.hides("403", "lack the privilege", "pending   ")
	d.hides("403", "lack the privilege")
}
