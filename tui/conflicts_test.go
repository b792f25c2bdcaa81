package tui

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inConflict has tess close the second report while it waits to be resolved.
func inConflict(t *testing.T) *driver {
	t.Helper()
	d := begin(t, newWorld(t), 80, 24)
	d.press("jr")
	d.world.change(func() {
		d.world.Reports[1]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA0z", "closed")
	})
	d.pass(4 * time.Second)
	return d
}

func TestAConflictWaitsForADecision(t *testing.T) {
	d := inConflict(t)
	d.shows("conflict", "! closed by tess", "resolve 9xA0z met a change by somebody else",
		"9xA0z is closed by tess at", "t keep theirs", "m apply mine", "o open", "esc decide later")
	d.pass(5 * time.Minute)
	d.press("<enter>r<esc>")
	d.shows("OUTBOX 1  resolve 9xA0z: conflict")
	d.press("<ctrl+o>s")
	d.pass(time.Minute)
	d.shows("conflict")
	if w := d.world.writes(); len(w) != 0 {
		t.Fatalf("sent %q", w)
	}
	d.press("<ctrl+o>")
	d.shows("resolve 9xA0z: in conflict", "c decide conflicts")
	d.press("ct")
	d.shows("gone:tess", "closed by tess", "left as it is: resolve 9xA0z")
	d.hides("OUTBOX")
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("keeping theirs sent %q", w)
	}
}

func TestMineIsAppliedOverTheirs(t *testing.T) {
	d := inConflict(t)
	d.press("m")
	want := []string{`PATCH /api/svc/admin/reports {"reports":[{"id":"9x000000000009xA0z","state":"resolved","was":"closed"}]}`}
	if diff := cmp.Diff(want, d.world.writes()); diff != "" {
		t.Error(diff)
	}
	d.hides("conflict", "OUTBOX")
	// What it overwrote is what undo brings back.
	d.press("u")
	if got := d.world.Reports[1]["state"]; got != "closed" {
		t.Errorf("undo left it %v", got)
	}
}

// TestAnotherChangeBeforeMineIsAnotherConflict changes the report again between the
// second reading and the write.
func TestAnotherChangeBeforeMineIsAnotherConflict(t *testing.T) {
	d := inConflict(t)
	reads := 0
	d.world.fail = func(r *http.Request) (int, string) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/reports/9x000000000009xA0z") {
			if reads++; reads == 2 {
				d.world.Reports[1]["state"] = "open"
				d.world.log("tom", "9x000000000009xA0z", "open")
			}
		}
		return 0, ""
	}
	d.press("m")
	d.pass(2 * time.Second)
	d.shows("9xA0z is reopened by tom")
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("sent %q", w)
	}
}

func TestAConflictIsOpenedAndOutlivesTheProgram(t *testing.T) {
	d := inConflict(t)
	d.press("o")
	d.shows("REPORT 9x000000000009xA0z", "scam")
	d.press("<esc>")
	left := t.TempDir()
	if err := d.m.Staged.Save()(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(left, os.DirFS(d.dir)); err != nil {
		t.Fatal(err)
	}
	again := beginIn(t, d.world, 80, 24, left, Options{})
	again.pass(2 * time.Second)
	again.hides("was not sent last time")
	again.shows("resolve 9xA0z met a change by somebody else", "is closed by tess")
	again.press("m")
	if w := d.world.writes(); len(w) != 1 {
		t.Errorf("sent %q", w)
	}
}

// TestAConflictDoesNotAskWhileKeysAreTyped keeps typing while the conflict comes.
func TestAConflictDoesNotAskWhileKeysAreTyped(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.world.change(func() {
		d.world.Reports[0]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA1q", "closed")
	})
	d.press("jkjkjkjkjkjkjkjkjkjkjkjkjkjk")
	d.shows("conflict")
	d.hides("keep theirs")
	d.press("kkkkr") // a key on the row in conflict asks, too
	d.shows("keep theirs")
	d.press("<esc><enter>")
	d.shows("keep theirs")
}

func TestTheSameGoalReachedByAnotherIsSaid(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.world.change(func() {
		d.world.Reports[0]["state"] = "resolved"
		d.world.log("tess", "9x000000000009xA1q", "resolved")
	})
	d.pass(4 * time.Second)
	d.shows("resolve 9xA1q: already resolved by tess")
	if w := d.world.writes(); len(w) != 0 {
		t.Errorf("sent %q", w)
	}
}

// TestOnesOwnChangeElsewhereIsNoConflict has the same moderator close the report in
// another window.
func TestOnesOwnChangeElsewhereIsNoConflict(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("r")
	d.world.change(func() {
		d.world.Reports[0]["state"] = "closed"
		d.world.log("mika", "9x000000000009xA1q", "closed")
	})
	d.pass(5 * time.Second)
	if w := d.world.writes(); len(w) != 1 {
		t.Errorf("sent %q\n%s", w, d.frame())
	}
}

func TestAConflictIsDecidedInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("r")
	d.world.change(func() {
		d.world.Reports[0]["state"] = "closed"
		d.world.log("tess", "9x000000000009xA1q", "closed")
	})
	d.pass(6 * time.Second)
	d.says("next").hears("A question came up meanwhile", "t: keep theirs", "m: apply mine", "an empty line: decide later")
	d.says("apply mine").hears("Resolve 9xA1q: resolved")
	if w := d.world.writes(); len(w) != 1 {
		t.Errorf("sent %q", w)
	}
}

func TestQuittingKeepsAConflict(t *testing.T) {
	d := inConflict(t)
	d.press("<esc>qs")
	if !d.quit || len(d.m.Staged.Items) != 1 || len(d.world.writes()) != 0 {
		t.Errorf("quit %v with %d items, sent %q", d.quit, len(d.m.Staged.Items), d.world.writes())
	}
}
