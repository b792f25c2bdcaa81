package tui

import (
	"testing"
	"time"
)

// TestOutboxAndJournalAreOneScreen has something done in an earlier run, something in
// this one, and something that waits.
func TestOutboxAndJournalAreOneScreen(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	d := beginIn(t, w, 120, 40, dir, Options{})
	d.press("r")
	d.pass(5 * time.Second)
	d.press("@")
	d.shows("OUTBOX AND JOURNAL", "SINCE THE START", "resolve 9xA1q")
	d.hides("BEFORE, FROM THIS MACHINE", "NOT SENT")
	entries, _, err := d.m.journal.Entries()
	if err != nil || len(entries) != 1 {
		t.Fatalf("%+v, %v", entries, err)
	}
	if err := d.m.staged.Close(); err != nil {
		t.Fatal(err)
	}

	d = beginIn(t, w, 120, 40, dir, Options{})
	d.press("@")
	d.shows("nothing was done yet", "BEFORE, FROM THIS MACHINE", "resolve report/9x000000000009xA1q:undo "+entries[0].ID)
	d.press("<esc>c")
	d.press("@")
	d.shows("NOT SENT: ctrl-o sends now or drops, u cancels the last", "close ")
	d.pass(5 * time.Second)
	d.hides("NOT SENT")
	d.shows("closed")
}
