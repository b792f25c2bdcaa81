package tui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
)

func TestOneKeyLeadsToThePersonAndOneBack(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("r") // something of one's own
	d.pass(5 * time.Second)
	at := d.under()
	d.press("P")
	d.shows("USER spam1@bad.example", "joined 2026-01-30", "HISTORY 2 open, 1 resolved (17 of 18 loaded)",
		"9xA1q  resolved", "by ana: crypto, same link", "9xA0z  open", "REPORTED BY THEM 0 reports (17 of 18 loaded)", "LOG 0",
		"DONE FROM HERE 1", "resolve 9xA1q", "POST 1 of")
	d.press("<esc>")
	d.shows("REPORTS open")
	if d.under() != at {
		t.Errorf("back is on %s, not %s", d.under(), at)
	}
	// From the page of a report, and one without posts.
	d.press("jj<enter>")
	d.shows("no posts")
	d.press("P")
	d.shows("USER admim", "pretends to be staff")
	d.press("<esc>")
	d.shows("REPORT 9x000000000009x9kk")
	// The row of a reporter leads to the reporter.
	d.press("<esc>bbbb/ana<enter>P")
	d.shows("USER ana", "REPORTED BY THEM", "about spam1@bad.example: crypto")
	// From the statuses, too.
	d.world.change(func() { d.world.Answers["statuses"] = d.world.Statuses[:1] })
	d.press("6P")
	d.shows("USER " + d.world.Statuses[0]["account"].(object)["nickname"].(string))
	d.press("<esc>")
	d.shows("STATUSES")
}

func TestEntriesOfTheLogLeadToTheirAccounts(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	root, ctx := s.Admin("root"), t.Context()
	bob := s.User("bob")
	s.User("kim")
	post, err := s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "buy"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, Comment: "spam"})
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Admin.Reports.Update(ctx, api.ReportUpdate{ID: r.ID, State: "resolved"}); err != nil {
		t.Fatal(err)
	}
	if err := root.Admin.Statuses.Delete(ctx, post.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Admin.Users.Deactivate(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	if err := root.Admin.Users.Tag(ctx, []string{"bob", "kim"}, []string{"mrf_tag:sandbox"}); err != nil {
		t.Fatal(err)
	}
	d := beginOn(t, s.Admin("tess"), 120, 30, Options{})
	d.press("3P") // several
	d.shows("whose page?", "1 bob  2 kim")
	d.press("2")
	d.shows("USER kim")
	d.press("<esc>")
	d.shows("LOG")
	d.press("j<enter>") // about a user
	d.shows("USER bob", "LOG 4", "@root deactivated users: @bob", "(on user @bob)")
	d.press("<esc>jP") // about a status that is gone
	d.shows("Not found (404)")
	d.press("jP") // about a report that is not loaded
	d.shows("USER bob")
	if strings.Contains(d.frame(), "@kimberly") {
		t.Error("a name that begins alike is shown")
	}
}

// TestAPersonIsShownWithoutThePrivilegeForAccounts has a moderator look at who was
// reported by the report alone.
func TestAPersonIsShownWithoutThePrivilegeForAccounts(t *testing.T) {
	t.Parallel()
	s := moderated(t, 2, "reports")
	d := beginOn(t, s.Admin("mod"), 100, 30, Options{})
	d.press("P")
	d.shows("USER bob", "joined 20", "HISTORY 2 open", "by ann: spam", "REPORTED BY THEM 0 reports")
	d.hides("403", "lack the privilege", "LOG ")
	d.press("<esc>")
	d.shows("REPORTS open 2")
}

func TestThePersonInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("person").hears("spam1@bad.example", "History 3 open (17 of 18 loaded)", "9x9zz, open", "Reported by them 0 reports")
	d.says("back").hears("Report 1 of 17")
}

// TestAHistoryIsAskedOfTheServer looks at somebody whose earlier reports are closed and
// so are not among the loaded ones, in the pane of a report and on their page.
func TestAHistoryIsAskedOfTheServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	root, ctx := s.Admin("root"), t.Context()
	bob := s.User("bob")
	for i, state := range []string{api.ReportResolved, api.ReportClosed, api.ReportClosed, api.ReportOpen} {
		r, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, Comment: "spam " + strconv.Itoa(i)})
		if err != nil {
			t.Fatal(err)
		}
		if state == api.ReportOpen {
			continue
		}
		if err := root.Admin.Reports.Update(ctx, api.ReportUpdate{ID: r.ID, State: state}); err != nil {
			t.Fatal(err)
		}
	}
	name := "Honest Bob"
	if _, err := s.Client("bob").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	d := beginOn(t, s.Admin("tess"), 120, 40, Options{})
	d.shows("REPORTS open 1", "HISTORY 1 open, 2 closed, 1 resolved")
	d.press("P")
	d.shows("USER bob", "HISTORY 1 open, 2 closed, 1 resolved", "resolved by root", "by ann: spam 0", "REPORTED BY THEM 0 reports", "LOG 3",
		"EARLIER NAMES 1", "SAME MAIL DOMAIN example.org 3 others", "ann")
	d.press("<esc>/ann<enter>")
	d.press("bbbbP")
	d.shows("USER ann", "REPORTED BY THEM 4 reports: 1 open, 2 closed, 1 resolved", "closed by root", "about bob: spam 1")

	// The column has all that there ever were, and keeps up with one's own decisions.
	d = beginOn(t, s.Admin("tess"), 80, 24, Options{})
	d.shows("   0   1/4 open")
	d.press("r")
	d.pass(5 * time.Second)
	d.press("/state:all<enter>")
	d.shows("   0   0/4 resolved")
	d.press("u")
	d.pass(5 * time.Second)
	d.shows("   0   1/4 open")
}
