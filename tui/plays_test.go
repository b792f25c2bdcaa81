package tui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/client/playbook"
	"svc/db"
	"svc/server/servertest"
	"svc/tui/desk"
)

// playbooks are those that come with the program, and some of one's own.
func playbooks(t *testing.T, own map[string]any) []playbook.Playbook {
	t.Helper()
	books, err := playbook.Load(own, nil)
	if err != nil {
		t.Fatal(err)
	}
	return books
}

func beginPlays(t *testing.T) *driver {
	t.Helper()
	return beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Playbooks: playbooks(t, nil)})
}

func TestSpamIsTwoKeysAndOneUndo(t *testing.T) {
	d := beginPlays(t)
	d.press("p")
	d.shows("play on @spam1@bad.example (3 open): 2 posts of 3 reports, by 3 reporters", "s spam: delete 2 posts 9xPq1, 9xPq4 (for good)", "deactivate", "note on 9xA1q",
		"resolve 3 reports", "a abuse: ", "d dogpile: ", "i impersonation: ", "esc cancel")
	d.press("p<enter>") // neither chooses
	if n := len(d.m.Staged.Items); n != 0 {
		t.Fatalf("%d staged", n)
	}
	d.press("s")
	d.shows("OUTBOX 1  spam on @spam1@bad.example: delete 2 posts", "resolve 8s", " spam1@bad.example [8s] ", ">   9x9kk")
	d.pass(7500 * time.Millisecond)
	if w := d.world.writes(); len(w) != 0 {
		t.Fatalf("sent early: %q", w)
	}
	d.pass(time.Second)
	sent := []string{
		`DELETE /api/svc/admin/statuses/9x000000000009xPq1`,
		`DELETE /api/svc/admin/statuses/9x000000000009xPq4`,
		`PATCH /api/svc/admin/users/deactivate {"nicknames":["spam1@bad.example"]}`,
		`POST /api/svc/admin/reports/9x000000000009xA1q/notes {"content":"spam: reported posts deleted, account deactivated"}`,
		`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009xA1q","state":"resolved","was":"open"},{"id":"9x000000000009xA0z","state":"resolved","was":"open"},{"id":"9x000000000009x9zz","state":"resolved","was":"open"}]}`,
	}
	got := d.world.writes()
	if len(got) > 1 && got[0] > got[1] { // posts go side by side
		got[0], got[1] = got[1], got[0]
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Error(diff)
	}
	d.shows("spam on @spam1@bad.example: done")
	d.hides("9xA1q", "9xA0z", "9x9zz")
	d.press("u")
	back := d.world.writes()[len(sent):]
	want := []string{
		`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009x9zz","state":"open","was":"resolved"},{"id":"9x000000000009xA0z","state":"open","was":"resolved"},{"id":"9x000000000009xA1q","state":"open","was":"resolved"}]}`,
		`DELETE /api/svc/admin/reports/9x000000000009xA1q/notes/100 null`,
		`PATCH /api/svc/admin/users/activate {"nicknames":["spam1@bad.example"]}`,
	}
	for i := range back {
		back[i] = strings.TrimSuffix(back[i], " null")
	}
	want[1] = strings.TrimSuffix(want[1], " null")
	if diff := cmp.Diff(want, back); diff != "" {
		t.Error(diff)
	}
	d.press("u")
	d.shows("nothing to undo")
	entries, _, err := d.m.Journal.Entries()
	if err != nil {
		t.Fatal(err)
	}
	undone := map[string]string{}
	for _, e := range entries {
		for _, other := range entries {
			if e.Undoes == other.ID && e.Undoes != "" {
				undone[string(e.Action.Kind)+" "+e.Action.Target] = string(other.Action.Kind) + " " + other.Action.Target
			}
		}
	}
	pairs := map[string]string{
		"report.reopen report/9x000000000009x9zz":      "report.resolve report/9x000000000009x9zz",
		"report.reopen report/9x000000000009xA0z":      "report.resolve report/9x000000000009xA0z",
		"report.reopen report/9x000000000009xA1q":      "report.resolve report/9x000000000009xA1q",
		"report.note.delete report/9x000000000009xA1q": "report.note report/9x000000000009xA1q",
		"user.activate user/spam1@bad.example":         "user.deactivate user/spam1@bad.example",
	}
	if diff := cmp.Diff(pairs, undone); diff != "" {
		t.Errorf("the journal pairs wrongly: %s", diff)
	}
}

func TestAPlayCanBeCancelledWhole(t *testing.T) {
	d := beginPlays(t)
	d.press("ps")
	// Its label is longer than the line; the bar and the key that cancels stay.
	if i := slices.IndexFunc(strings.Split(d.frame(), "\n"), func(l string) bool {
		return strings.HasPrefix(l, " OUTBOX 1  spam on @spam1@bad.example") && strings.Contains(l, "▌") && strings.HasSuffix(l, "u cancel")
	}); i < 0 {
		t.Errorf("without its bar or its key:\n%s", d.frame())
	}
	d.press("u")
	d.pass(time.Minute)
	d.shows("cancelled spam on @spam1@bad.example")
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("sent %q", w)
	}
}

func TestAPlayStopsAtTheFirstStepThatFails(t *testing.T) {
	d := beginPlays(t)
	d.world.fail = func(r *http.Request) (int, string) {
		if r.Method == http.MethodPost {
			return 422, `{"error":"no notes today"}`
		}
		return 0, ""
	}
	d.press("ps")
	d.pass(10 * time.Second)
	d.shows("spam stopped at note add 9xA1q: no notes today (422); 3 not done")
	if got := d.world.Reports[0]["state"]; got != "open" || len(d.m.Staged.Items) != 0 {
		t.Errorf("the report is %v, %d items are staged", got, len(d.m.Staged.Items))
	}
	d.world.fail = nil
	d.press("u") // takes back as far as it came
	if d.world.Reports[0]["account"].(object)["deactivated"] != false {
		t.Error("the account is still deactivated")
	}
}

func TestAPlayWaitsForTheServerWithTheRestOfItsSteps(t *testing.T) {
	d := beginPlays(t)
	down := false
	d.world.fail = func(r *http.Request) (int, string) {
		down = down || strings.HasSuffix(r.URL.Path, "/users/deactivate") && len(d.world.requests) < 10000
		if down {
			panic(http.ErrAbortHandler)
		}
		return 0, ""
	}
	d.press("ps")
	d.pass(20 * time.Second)
	d.shows("OFFLINE", "OUTBOX 1  spam on @spam1@bad.example")
	if item := d.m.Staged.Items[0]; len(item.Actions) != 5 || item.Actions[0].Kind != "user.deactivate" || !item.Play || !strings.HasSuffix(item.Label, desk.RestOf) {
		t.Errorf("kept %+v", item)
	}
	d.world.change(func() { d.world.fail, d.world.requests = nil, nil })
	d.pass(40 * time.Second)
	writes := d.world.writes()
	if len(writes) != 3 || !strings.Contains(writes[0], "users/deactivate") || !strings.Contains(writes[1], "/notes") || strings.Count(writes[2], `"id"`) != 3 {
		t.Errorf("sent %q", writes)
	}
	d.hides("OFFLINE", "OUTBOX")
}

func TestAPlayInConflictGoesOnWithoutIt(t *testing.T) {
	d := beginPlays(t)
	d.press("ps")
	d.world.change(func() {
		d.world.Reports[1]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA0z", "closed")
	})
	d.pass(11 * time.Second)
	d.shows("9xA0z is closed by tess", "t keep theirs")
	for i, want := range []string{"resolved", "closed", "resolved"} {
		if got := d.world.Reports[i]["state"]; got != want {
			t.Errorf("report %d is %v, want %s", i, got, want)
		}
	}
	d.press("t")
	d.hides("OUTBOX")
	if got := d.world.Reports[1]["state"]; got != "closed" {
		t.Errorf("it is %v", got)
	}
}

func TestAPlayOverSeveralAccountsNamesThemAndAsks(t *testing.T) {
	d := beginPlays(t)
	d.press("  jj  pd") // two of spam1, two of kay
	d.shows("dogpile on 2 accounts:", "@spam1@bad.example, @kay@loud.example", "y yes, all of them")
	if n := len(d.m.Staged.Items); n != 0 {
		t.Errorf("%d staged before the answer", n)
	}
	d.press("y")
	d.pass(5 * time.Second)
	closed := 0
	for _, r := range d.world.Reports {
		if r["state"] == "closed" {
			closed++
		}
	}
	if closed != 1+3+9 {
		t.Errorf("%d are closed", closed)
	}
	if d.press("u"); d.world.Reports[0]["state"] != "open" || d.world.Reports[12]["state"] != "open" {
		t.Error("one undo does not take all back")
	}
	// Grouped by reporter, the account is not named by the row.
	d.press("bbbbpd")
	d.shows("dogpile on 1 account:", "@spam1@bad.example", "y yes")
}

func TestMarkedPostsAloneAreDeletedByAPlay(t *testing.T) {
	d := beginPlays(t)
	d.press("<tab>j p")
	d.shows("1 post of 3 reports, by 3 reporters; 1", "more reported stay", "s spam: delete 1 post 9xPq4 (for good)")
	d.press("<esc><tab>")
	d.press("/state:closed<enter>")
	d.pass(time.Second)
	d.press("p")
	d.shows("open of the", "reports loaded; there may be", "more)")
}

func TestPlaybooksThatDoNotFitAreShownOneByOne(t *testing.T) {
	own := map[string]any{}
	for _, name := range []string{"casino", "crypto", "pills", "scam", "phish"} {
		own[name] = []any{"delete", "deactivate", map[string]any{"note": "seen"}, map[string]any{"resolve": "all"}}
	}
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Playbooks: playbooks(t, own)})
	d.press("p")
	d.shows("play on @spam1@bad.example", "s spam", "c casino", "r crypto")
	d.hides("for good")
	d.press("s")
	d.shows("spam on @spam1@bad.example, 2 posts of 3 reports, by 3 reporters:", "delete 2 posts 9xPq1, 9xPq4 (for good)", "y yes")
	d.press("y")
	d.shows("OUTBOX 1  spam on")
}

func TestOnlyPlaybooksOfOnesPrivilegesAreOffered(t *testing.T) {
	t.Parallel()
	s := moderated(t, 2, "reports", "statuses")
	d := beginOn(t, s.Admin("mod"), 80, 24, Options{Playbooks: playbooks(t, map[string]any{"sweep": []any{"delete", map[string]any{"resolve": "all"}}})})
	d.press("p")
	d.shows("dogpile: ", "sweep: delete 2 posts")
	d.hides("spam: ", "abuse", "impersonation")
	d.press("s")
	d.pass(9 * time.Second)
	d.shows("REPORTS open 0", "sweep on @bob: done")
	d.press("u")
	d.shows("REPORTS open 2")
}

// TestAMessageOfAPlaybookIsReadWholeFirst warns an account, whose message is shown
// word for word and then asked about.
func TestAMessageOfAPlaybookIsReadWholeFirst(t *testing.T) {
	d := beginPlays(t)
	d.press("pa")
	d.shows("abuse on @spam1@bad.example, 2 posts of 3 reports, by 3 reporters:", "the message:",
		"| Hello spam1@bad.example, moderators of", "which were reported as abuse. Please", "the account may be closed.", "y yes")
	if n := len(d.m.Staged.Items); n != 0 {
		t.Fatalf("%d staged before the message was read", n)
	}
	d.press("y")
	d.shows("OUTBOX 1  abuse on @spam1@bad.example: delete 2 posts")
}

func TestPlaysInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{Playbooks: playbooks(t, nil)})
	d.says("play").hears("play on @spam1@bad.example (3 open)", "s spam: delete 2 posts", "s: spam", "an empty line: cancel")
	d.says("spam").hears("Spam on @spam1@bad.example: delete 2 posts 9xPq1, 9xPq4 (for good)", "sent in 8 seconds; type undo to cancel")
	d.pass(9 * time.Second)
	if got := d.world.Reports[2]["state"]; got != "resolved" {
		t.Errorf("the third report is %v", got)
	}
}

// TestAPlayTakesReportsThatAreNotLoaded has older reports about the same account behind
// more others than are loaded at once: the playbook decides on them all the same, with their posts.
func TestAPlayTakesReportsThatAreNotLoaded(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	ctx := t.Context()
	bob := s.User("bob")
	report := func(about string, posts ...string) {
		t.Helper()
		if _, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: about, StatusIDs: posts}); err != nil {
			t.Fatal(err)
		}
	}
	var posts []string
	for i := range 3 {
		post, err := s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "buy " + strconv.Itoa(i)})
		if err != nil {
			t.Fatal(err)
		}
		posts = append(posts, post.ID)
	}
	report(bob.ID, posts[0])
	report(bob.ID, posts[1])
	others, ann := s.User("others").ID, s.User("ann").ID
	if err := s.DB.Tx(ctx, func(tx *db.DB) error {
		for range 2000 {
			if err := tx.CreateReport(ctx, &db.Report{AccountID: others, ReporterID: ann}, nil); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	report(bob.ID, posts[2])
	d := beginOn(t, s.Admin("root"), 120, 40, Options{Playbooks: playbooks(t, nil)})
	d.shows("3/3 open       bob")
	n := 0
	for _, row := range d.queue().Sheet().Rows {
		if row[2] == "bob" {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d of bob's reports are loaded, want the newest alone", n)
	}
	d.press("p")
	d.shows("play on @bob (3 open): 3 posts of 3 reports, by 1 reporter")
	d.press("s")
	d.pass(9 * time.Second)
	for r, err := range s.Admin("root").Admin.Reports.List(api.ReportQuery{AccountID: bob.ID}).All(ctx) {
		if err != nil || r.State != api.ReportResolved || r.Statuses[0].Svc.Deleted == nil {
			t.Errorf("%v: the report %s is %s", err, r.ID, r.State)
		}
	}
}
