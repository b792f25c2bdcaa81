package tui

import (
	"testing"
	"time"
)

// TestWhatCannotBeTakenBackSaysSoBeforeAndAfter deactivates an account with followers,
// and deletes a post.
func TestWhatCannotBeTakenBackSaysSoBeforeAndAfter(t *testing.T) {
	d := beginIn(t, newWorld(t), 120, 24, t.TempDir(), Options{Playbooks: playbooks(t, nil)})
	d.press("d")
	d.shows("OUTBOX 1  deactivate spam1@bad.example (also ends 3 follows for good) 8s")
	d.pass(9 * time.Second)
	d.press("u")
	d.shows("undone: deactivate spam1@bad.example (also ends 3 follows for good), but 3 follows do not return")
	d.press("<tab>D")
	d.shows("delete 1 post 9xPq1 of @spam1@bad.example (for good)")
	d.pass(9 * time.Second)
	d.press("u")
	d.shows("cannot be undone (deleted posts stay deleted)")
	d.press("<tab>p")
	d.shows("(for good)", "(ends follows for good)")
	d.press("s")
	d.pass(9 * time.Second)
	d.press("u")
	d.shows("undone: spam on @spam1@bad.example, but deleted posts stay deleted, follows that it ended do not return")
	// Several are told together, before.
	d.press("gg jj d")
	d.shows("deactivate 2 accounts (also ends 6 follows for good):")
}
