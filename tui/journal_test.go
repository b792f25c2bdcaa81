package tui

import (
	"strings"
	"testing"
	"time"

	"svc/client/action"
)

// TestOutboxAndJournalAreOneTable has something done in an earlier run, something in
// this one, and something that waits. A key takes back the one under the cursor.
func TestOutboxAndJournalAreOneTable(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	d := beginIn(t, w, 120, 40, dir, Options{})
	d.press("@")
	d.shows("nothing was done from here yet")
	d.press("<esc>rr")
	d.pass(5 * time.Second)
	first, second := w.Reports[0]["id"].(string), w.Reports[1]["id"].(string)
	d.press("@")
	d.shows("ACTIONS 2/2", "resolved", "yes", "resolve "+first[len(first)-5:], "resolve report/"+second)
	entries, _, err := d.m.Journal.Entries()
	if err != nil || len(entries) != 2 {
		t.Fatalf("%+v, %v", entries, err)
	}
	d.shows("svcctl undo " + entries[0].ID)
	if err := d.m.Staged.Close(); err != nil {
		t.Fatal(err)
	}

	d = beginIn(t, w, 120, 40, dir, Options{})
	d.press("c")
	d.press("@")
	d.shows("ACTIONS 3/3", "close 4s", "cancel", "resolved")
	state := func(id string) string { return find(w.Reports, "id", id)["state"].(string) }
	// The oldest line, from before the start.
	d.press("Gu")
	d.pass(time.Second)
	if state(first) != "open" || state(second) != "resolved" {
		t.Errorf("the reports are %s and %s, the first was to be taken back alone", state(first), state(second))
	}
	d.shows("undone", "close ")
	d.press("u")
	d.shows("it was taken back already")
	// The one that waits.
	d.press("gg")
	for range 3 {
		if strings.Contains(d.frame(), ">   ") && strings.Contains(lineWith(d.frame(), ">   "), "cancel") {
			break
		}
		d.press("j")
	}
	d.press("u")
	d.shows("cancelled close ", "nothing was sent")
	d.hides("close 4s", "close 3s")
	d.pass(9 * time.Second)
	for _, request := range w.writes() {
		if strings.Contains(request, `"closed"`) {
			t.Errorf("sent %s", request)
		}
	}
	// What nothing takes back says so.
	if _, err := d.m.Journal.Add([]action.Result{{Action: action.Action{Kind: action.StatusDelete, Target: "status/9xZ"}, Outcome: action.Changed}}, nil); err != nil {
		t.Fatal(err)
	}
	d.press("<esc>@<ctrl+r>/delete<enter>")
	d.shows("never", "for good")
	d.press("u")
	d.shows("cannot be undone")
}

func lineWith(text, part string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
