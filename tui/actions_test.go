package tui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
)

func TestResolveWaitsFourSecondsThenGoes(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.shows("resolve 4s", "OUTBOX 1  resolve 9xA1q")
	if got := d.under(); got != "9x000000000009xA0z" {
		t.Errorf("the cursor is on %s, want the next row", got)
	}
	d.pass(3500 * time.Millisecond)
	if w := d.world.writes(); len(w) != 0 {
		t.Fatalf("sent early: %q", w)
	}
	d.pass(time.Second)
	want := []string{`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009xA1q","state":"resolved","was":"open"}]}`}
	if diff := cmp.Diff(want, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.hides("9xA1q ")
	d.shows("resolve 9xA1q: resolved")
}

func TestUndoWithinTheCountdownSendsNothing(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("ru")
	d.pass(20 * time.Second)
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("sent %q", w)
	}
	d.shows("cancelled resolve 9xA1q", ">   9xA1q")
}

func TestUndoAfterSendingReopens(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.pass(5 * time.Second)
	d.press("u")
	want := []string{
		`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009xA1q","state":"resolved","was":"open"}]}`,
		`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009xA1q","state":"open","was":"resolved"}]}`,
	}
	if diff := cmp.Diff(want, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.shows("undone: resolve 9xA1q", "    9xA1q")
	d.press("u")
	d.shows("nothing to undo")
	entries, _, err := d.m.Journal.Entries()
	if err != nil || len(entries) != 2 || entries[0].Undoes != entries[1].ID || !entries[1].Undone {
		t.Errorf("the journal has %+v, %v", entries, err)
	}
	d.press("3")
	d.shows("resolved 9xA1q", "opened 9xA1q")
}

func TestUndoAfterSomebodyElseChangedItSaysWhyNot(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.pass(5 * time.Second)
	d.world.change(func() {
		d.world.Reports[0]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA1q", "closed")
	})
	d.press("u")
	d.shows("not undone: closed by tess")
	if got := len(d.world.writes()); got != 1 {
		t.Errorf("%d writes, want the first alone", got)
	}
}

func TestMarkedRowsGoInOneRequest(t *testing.T) {
	w := newWorld(t)
	template := w.Reports[0]
	for i := range 50 {
		copied := object{}
		for k, v := range template {
			copied[k] = v
		}
		copied["id"] = fmt.Sprintf("9xB%02d000000000000", i)
		w.Reports = append([]object{copied}, w.Reports...)
	}
	d := begin(t, w, 80, 24)
	d.press("/crypto<enter><ctrl+a>r")
	d.shows("OUTBOX 1  resolve 51")
	d.pass(5 * time.Second)
	writes := w.writes()
	if len(writes) != 1 || strings.Count(writes[0], `"id"`) != 51 {
		t.Errorf("writes: %q", writes)
	}
}

func TestDueActionsOfOneKindShareARequest(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.press("r<ctrl+o>s")
	d.pass(time.Second)
	if writes := d.world.writes(); len(writes) != 1 || strings.Count(writes[0], `"id"`) != 2 {
		t.Errorf("writes: %q", writes)
	}
}

func TestHoldingAKeyStagesTwoAtMost(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	press := func(wait time.Duration) {
		d.send(keyNamed("r"))
		d.pass(wait)
	}
	press(250 * time.Millisecond)
	for range 25 {
		press(30 * time.Millisecond)
	}
	if n := len(d.m.Staged.Items); n > 2 {
		t.Errorf("%d actions staged", n)
	}
}

func TestPasteIsNeverKeys(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("rcdD"), Paste: true})
	d.pass(time.Minute)
	if len(d.m.Staged.Items) != 0 || len(d.world.writes()) != 0 {
		t.Errorf("pasting staged %d and sent %q", len(d.m.Staged.Items), d.world.writes())
	}
	d.press("/")
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("sc\x1b[31mam\n"), Paste: true})
	d.shows("/scam_", "9xA0z")
	d.hides("9xA1q")
}

func TestKeysTypedInOneGoCountEach(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjj")})
	if got := d.under(); got != d.world.Reports[3]["id"] {
		t.Errorf("the cursor is on %s, want the fourth", got)
	}
	d.press("Ggg")
	if got := d.under(); got != d.world.Reports[0]["id"] {
		t.Errorf("the cursor is on %s, want the first", got)
	}
}

func TestNothingChangesBeforeTheFirstFrame(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.m.Update(tea.ResumeMsg{})
	d.m.Update(keyNamed("r"))
	if n := len(d.m.Staged.Items); n != 0 {
		t.Errorf("%d staged before there was a frame to see", n)
	}
	d.m.View()
	d.pass(time.Second)
	d.press("r")
	if n := len(d.m.Staged.Items); n != 1 {
		t.Errorf("%d staged, want 1", n)
	}
}

func TestDeletingPostsWaitsEightSeconds(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("<tab> D")
	d.shows("delete 8s", "OUTBOX 1  delete 1 post")
	d.pass(7500 * time.Millisecond)
	if w := d.world.writes(); len(w) != 0 {
		t.Fatalf("sent early: %q", w)
	}
	d.pass(time.Second)
	if diff := cmp.Diff([]string{"DELETE /api/svc/admin/statuses/9x000000000009xPq1"}, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.shows("[deleted]")
	d.press("u")
	d.shows("cannot be undone")
}

func TestStagedActionsNameTheirObjects(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("<tab>D")
	d.shows("OUTBOX 1  delete 1 post 9xPq1 of @spam1@bad.example (for good) 8s")
	d.press("u  s")
	d.shows("set sensitive on 2 posts 9xPq1, 9xPq4 of @spam1@bad.example 4s")
	d.press("u<esc><ctrl+a>r")
	d.shows("OUTBOX 1  resolve 17 (9xA1q, 9xA0z, 9x9zz +14) 4s")
	d.press("u")
	d.shows("cancelled resolve 17 (9xA1q, 9xA0z, 9x9zz +14), nothing was sent")
}

func TestGroupedByReporterKeysActOnTheReporter(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("bbbb")
	d.shows("STATE      REPORTER", ">+", "by:reporter")
	d.hides("REPORTED")
	d.press("d")
	d.shows("OUTBOX 1  deactivate ana (also ends 3 follows for good) 8s", "ana [deactivate 8s]")
	d.hides("spam1@bad.example [deactivate")
	d.pass(9 * time.Second)
	if diff := cmp.Diff([]string{`PATCH /api/svc/admin/users/deactivate {"nicknames":["ana"]}`}, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.shows("ana [off]")
	d.press("u")
	d.hides("ana [off]")
	// A row of an open group names the reporter and the reported account.
	d.press("jel")
	d.press("<esc>j")
	d.shows("on spam1@bad.example: ")
}

func TestAGroupOverSeveralAccountsNamesThemAndAsks(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("bbbbr")
	d.shows("resolve", "reports about", "accounts:", "spam1@bad.example", "y yes, all of them")
	if n := len(d.m.Staged.Items); n != 0 {
		t.Errorf("%d staged before the answer", n)
	}
	d.press("<enter>r") // neither confirms
	d.pass(time.Second)
	d.press("<enter>r<esc>")
	if n := len(d.m.Staged.Items); n != 0 {
		t.Errorf("%d staged without an answer", n)
	}
	d.press("r")
	d.pass(time.Second)
	d.press("y")
	if n := len(d.m.Staged.Items); n != 1 {
		t.Errorf("%d staged, want 1", n)
	}
	d.press("ubj  d") // two accounts by marks
	d.shows("deactivate 2 accounts (also ends 6 follows for good):", "spam1@bad.example", "admim")
	d.pass(time.Second)
	d.press("y")
	d.shows("OUTBOX 1  deactivate 2 (")
}

func TestSensitiveAndVisibilityOfMarkedPosts(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("<tab>  s")
	d.shows("sensitive 4s")
	d.press("v")
	d.shows("public", "unlisted", "private")
	d.press("u")
	d.pass(10 * time.Second)
	want := []string{
		`PUT /api/svc/admin/statuses/9x000000000009xPq1 {"sensitive":true}`,
		`PUT /api/svc/admin/statuses/9x000000000009xPq1 {"visibility":"unlisted"}`,
		`PUT /api/svc/admin/statuses/9x000000000009xPq4 {"visibility":"unlisted"}`,
	}
	got := d.world.writes()
	if diff := cmp.Diff(len(want), len(got)); diff != "" {
		t.Fatalf("%s: %q", diff, got)
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(got, "\n"), w) {
			t.Errorf("%s is missing in %q", w, got)
		}
	}
}

func TestDeactivateWaitsEightSecondsAndShowsEverywhere(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("d")
	d.shows("spam1@bad.example [8s]", "remote  [deactivate 8s]")
	d.pass(9 * time.Second)
	if diff := cmp.Diff([]string{`PATCH /api/svc/admin/users/deactivate {"nicknames":["spam1@bad.example"]}`}, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.shows("spam1@bad.example [off]", "remote  [off]")
	d.press("2G")
	d.shows("spam1@bad.example            deactivated")
	d.press("1u")
	d.shows("undone: deactivate spam1@bad.example (also ends 3 follows for good), but 3")
	d.hides("[off]")
}

func TestANoteIsWrittenSentAndTakenBack(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("nold <esc>")
	d.shows("DRAFT: old")
	d.press("nnews<ctrl+s>")
	d.shows("OUTBOX 1  note 9xA1q")
	d.pass(6 * time.Second)
	if diff := cmp.Diff([]string{`POST /api/svc/admin/reports/9x000000000009xA1q/notes {"content":"old news"}`}, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.press("<enter>")
	d.shows("NOTE mika 2026-01-31T12:04:00Z: old news")
	d.press("u")
	d.hides("old news")
}

func TestAFailedWriteRestoresTheRowWithTheReason(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.world.fail = func(r *http.Request) (int, string) {
		if r.Method == http.MethodPatch {
			return 500, `{"errors":{"detail":"Internal server error"}}`
		}
		return 0, ""
	}
	d.press("rk")
	d.pass(5 * time.Second)
	d.shows(">   9xA1q", "open !", "! resolve: Internal", "resolve 9xA1q: Internal server error (500)")
}

func TestSomebodyElsesStateIsNotOverwritten(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("jr")
	d.world.change(func() {
		d.world.Reports[1]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA0z", "closed")
	})
	d.pass(4 * time.Second)
	d.shows("conflict", "closed by tess")
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("sent %q", w)
	}
}

func TestARowResolvedElsewhereBecomesAGhostNamingTheModerator(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("jj")
	d.world.change(func() {
		d.world.Reports[2]["state"] = "resolved"
		d.world.log("tess", "9x000000000009x9zz", "resolved")
	})
	d.pass(10 * time.Second)
	d.shows(">   9x9zz", "gone:tess", "resolved by tess")
	d.press("j")
	d.hides("   9x9zz")
}

func TestTheCursorKeepsItsReportWhileOthersArrive(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("jjj")
	before := d.under()
	d.world.change(func() {
		for i := range 100 {
			copied := object{}
			for k, v := range d.world.Reports[0] {
				copied[k] = v
			}
			copied["id"] = fmt.Sprintf("9xC0000000000%05d", i)
			d.world.Reports = append([]object{copied}, d.world.Reports...)
		}
	})
	d.pass(12 * time.Second)
	if d.under() != before {
		t.Errorf("the cursor went from %s to %s", before, d.under())
	}
	d.shows("REPORTS open 117/18")
	d.press(".")
	if d.under() != before {
		t.Errorf("merging moved the cursor from %s to %s", before, d.under())
	}
	d.press("gg")
	d.shows("00099")
}

func TestANewReportAppearsWithoutAKey(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.world.change(func() {
		copied := object{}
		for k, v := range d.world.Reports[0] {
			copied[k] = v
		}
		copied["id"] = "9xZ00000000009xZ99"
		d.world.Reports = append([]object{copied}, d.world.Reports...)
	})
	d.pass(6 * time.Second)
	d.shows("    9xZ99", ">   9xA1q")
	d.press("jj")
	d.world.change(func() {
		copied := object{}
		for k, v := range d.world.Reports[0] {
			copied[k] = v
		}
		copied["id"] = "9xZ00000000009xZa9"
		d.world.Reports = append([]object{copied}, d.world.Reports...)
	})
	d.pass(6 * time.Second)
	d.shows("+1 new (.)")
	d.hides("9xZa9")
	d.press(".gg")
	d.shows("9xZa9")
}

func TestAfterACrashNothingIsSentUnasked(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	d := beginIn(t, w, 80, 24, dir, Options{})
	d.press("rrr")
	// A crash leaves the file without a lock.
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	d = beginIn(t, w, 80, 24, left, Options{})
	d.shows("3 was not sent last time", "resolve 9xA1q", "resolve 9xA0z", "resolve 9x9zz")
	d.pass(time.Minute)
	if writes := w.writes(); len(writes) != 0 {
		t.Errorf("sent %q", writes)
	}
	d.press("k")
	d.pass(time.Minute)
	d.shows("resolve ?")
	if writes := w.writes(); len(writes) != 0 {
		t.Errorf("sent %q", writes)
	}
	d.press("<ctrl+o>s")
	if writes := w.writes(); len(writes) != 1 {
		t.Errorf("told to send, it sent %q", writes)
	}
}

func TestTwoProgramsOfOneContextKeepTheirOutboxesApart(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	first := beginIn(t, w, 80, 24, dir, Options{})
	first.press("r")
	second := beginIn(t, w, 80, 24, dir, Options{})
	second.hides("not sent")
	second.press("jjr")
	for _, d := range []*driver{second, first} {
		if err := d.m.Staged.Close(); err != nil {
			t.Fatal(err)
		}
	}
	third := beginIn(t, w, 80, 24, dir, Options{})
	third.shows("2 was not sent")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Errorf("files: %q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the outbox can be read by others: %v, %v", info.Mode(), err)
	}
}

func TestQuitAsksAboutWhatIsNotSent(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("rq<enter>q")
	d.shows("1 not sent: resolve 9xA1q")
	if d.quit {
		t.Fatal("it quit unasked")
	}
	d.press("<esc>")
	d.hides("not sent:")
	d.press("qs")
	if !d.quit || len(d.world.writes()) != 1 {
		t.Errorf("quit %v, sent %q", d.quit, d.world.writes())
	}
	d = begin(t, newWorld(t), 80, 24)
	d.press("rqd")
	if !d.quit || len(d.world.writes()) != 0 {
		t.Errorf("quit %v, sent %q", d.quit, d.world.writes())
	}
}

func TestDialogsIgnoreWhatWasTypedOn(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.send(keyNamed("q"))
	d.send(keyNamed("d"))
	d.shows("1 not sent")
	if d.quit {
		t.Error("a key typed on answered the dialog")
	}
}

func TestWritesWaitWhileTheServerIsGoneAndGoOnceEach(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	down := true
	d.world.fail = func(*http.Request) (int, string) {
		if down {
			panic(http.ErrAbortHandler)
		}
		return 0, ""
	}
	d.press("rrrr")
	d.pass(60 * time.Second)
	d.shows("OFFLINE for", "resolve ..")
	d.press("r")
	d.pass(10 * time.Second)
	d.world.change(func() { down, d.world.requests = false, nil })
	d.pass(20 * time.Second)
	d.hides("OFFLINE", "resolve ..")
	writes := d.world.writes()
	if got := strings.Count(strings.Join(writes, ""), `"id"`); got != 5 {
		t.Errorf("%d reports changed by %q", got, writes)
	}
}

func TestARefusedTokenKeepsTheOutbox(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	refused := true
	d.world.fail = func(*http.Request) (int, string) {
		if refused {
			return 403, `{"error":"Invalid credentials."}`
		}
		return 0, ""
	}
	d.press("r")
	d.pass(10 * time.Second)
	d.shows("NOT LOGGED IN", "resolve ..", "logged out")
	d.world.change(func() { refused, d.world.requests = false, nil })
	d.pass(10 * time.Second)
	d.hides("NOT LOGGED IN")
	if writes := d.world.writes(); len(writes) != 1 {
		t.Errorf("sent %q", writes)
	}
}

func TestThrottlingIsObeyed(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.world.fail = func(*http.Request) (int, string) { return 429, `{"error":"Throttled"}` }
	d.pass(6 * time.Second)
	d.shows("busy")
	d.world.change(func() { d.world.requests = nil })
	d.pass(60 * time.Second)
	if n := len(d.world.requests); n > 4 {
		t.Errorf("%d requests in a minute although throttled", n)
	}
}

func TestPollingSlowsDownWhenNobodyIsThere(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	polls := func(wait time.Duration) int {
		d.world.change(func() { d.world.requests = nil })
		d.pass(wait)
		n := 0
		for _, r := range d.world.requests {
			if strings.Contains(r, "moderation_log") {
				n++
			}
		}
		return n
	}
	d.press("j")
	for _, tt := range []struct {
		name     string
		do       func()
		from, to int
	}{
		{"in use", func() {}, 10, 13},
		{"idle", func() { d.pass(time.Minute) }, 1, 3},
		{"unfocused", func() { d.send(tea.BlurMsg{}); d.pass(time.Minute) }, 0, 2},
		{"back", func() { d.send(tea.FocusMsg{}); d.press("j") }, 10, 14},
	} {
		tt.do()
		if n := polls(time.Minute); n < tt.from || n > tt.to {
			t.Errorf("%s: %d polls a minute, want %d to %d", tt.name, n, tt.from, tt.to)
		}
	}
}
