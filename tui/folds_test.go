package tui

import (
	"testing"
	"time"
)

func copyReport(w *world, from int, id string) {
	copied := object{}
	for k, v := range w.Reports[from] {
		copied[k] = v
	}
	copied["id"] = id
	w.Reports = append([]object{copied}, w.Reports...)
}

// TestLaterReportsOfAJudgedPostAreFolded folds on the eldest of nine reports of one
// post; the fold outlives the program.
func TestLaterReportsOfAJudgedPostAreFolded(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("/opinions<enter>G")
	d.shows("wrong opinions 9", "wrong opinions 1")
	d.press("H")
	d.shows("8 folded", "wrong opinions 9", "later reports of this are folded")
	d.hides("wrong opinions 1", "wrong opinions 8")
	d.press("<esc>")
	d.shows("9xA1q", "8 folded") // others stay, earlier ones too
	// A later report of the post does not come up; one of another post does.
	d.world.change(func() {
		copyReport(d.world, 0, "9x000000000009xZ98")
		copyReport(d.world, 5, "9x000000000009xZ99")
	})
	d.pass(10 * time.Second)
	d.press("gg.")
	d.shows("9xZ98", "9 folded")
	d.hides("9xZ99")
	if err := d.m.Staged.Close(); err != nil {
		t.Fatal(err)
	}
	again := beginIn(t, d.world, 80, 24, d.dir, Options{})
	again.shows("9 folded")
	again.press("/opinions<enter>H")
	again.hides("folded;")
	again.shows("wrong opinions 1", "shown again")
	again.hides("9 folded")
}

func TestFoldsEndWhereNoPostIs(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("jjjH")
	d.shows("no posts here, of which later reports could be folded")
	d.press("/opinions<enter>GH<esc>/admim<enter>H")
	d.shows("all reports are shown again")
	d.press("<esc>")
	d.shows("wrong opinions 1")
}

func TestFoldingInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("go 13", "fold").hears("Later reports of this are folded")
}
