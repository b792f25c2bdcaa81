package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/tui/shown"
)

// TestAGroupShowsEveryReporterMessageAndPostOnce looks at three reports on spam1 by
// three accounts, of two posts.
func TestAGroupShowsEveryReporterMessageAndPostOnce(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("b")
	d.shows("by:account", "3 reports by 3 reporters", "by ana (local), 4m ago: crypto, same link in every reply",
		"by tom (local), 6m ago: scam", "by remote@remote.example, 9m ago:", "spam spam", "; in all 3 open (17 of 18 loaded)", "POST 1 of 2", "POST 2 of 2",
		"NOTE on 9xA0z", "GROUP resolve 3 (0 not viewed)")
	frame := d.frame()
	for _, once := range []string{"9x000000000009xPq1", "9x000000000009xPq4", "crypto, same link in every"} {
		if n := strings.Count(frame, once); n != 1 {
			t.Errorf("%q is shown %d times", once, n)
		}
	}
	// Nine reports by three reporters, with as many messages.
	d.press("jj")
	d.shows("9 reports by 3 reporters", "wrong opinions 9", "POST 1 of 1")
	d.press("bb") // by domain, by status
	d.shows("by:status")
	d.press("gg")
	d.shows("status 9x000000000009xPq1", "on spam1@bad.example")
}

// TestTheSameMessageTwiceIsShownOnce has ana report twice in the same words.
func TestTheSameMessageTwiceIsShownOnce(t *testing.T) {
	w := newWorld(t)
	w.Reports[1]["actor"], w.Reports[1]["content"] = w.Reports[0]["actor"], w.Reports[0]["content"]
	d := begin(t, w, 120, 40)
	d.press("b")
	d.shows("3 reports by 2 reporters", "by ana (local), 4m ago, 2 times:", "crypto, same")
}

// TestNotViewedCountsForGroups has a pane that is too small for all messages.
func TestNotViewedCountsForGroups(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("bjj")
	d.shows("9 reports by 3 reporters", "GROUP resolve 9 (")
	d.hides("(0 not viewed)", "wrong opinions 9")
	d.press("<tab><ctrl+d><ctrl+d>")
	d.shows("wrong opinions 9", "(0 not viewed)")
}

func TestDeletingActsOnThePostsOfTheGroup(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("bD")
	d.shows("delete 2 posts of this group:", "9xPq1 of @spam1@bad.example, 9xPq4 of @spam1@bad.example")
	d.press("y")
	d.shows("OUTBOX 1  delete 2 posts 9xPq1, 9xPq4 of @spam1@bad.example")
	d.press("u<tab>j D") // one of them, marked
	d.shows("OUTBOX 1  delete 1 post 9xPq4 of @spam1@bad.example")
	d.pass(9 * time.Second)
	if w := d.world.writes(); len(w) != 1 || !strings.Contains(w[0], "9xPq4") {
		t.Errorf("sent %q", w)
	}
}

// TestALongGroupIsReadWhole has a group of which most reports are not in memory.
func TestALongGroupIsReadWhole(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		copied := object{}
		for k, v := range w.Reports[0] {
			copied[k] = v
		}
		copied["id"], copied["content"] = fmt.Sprintf("9xB%02d000000000000", i), fmt.Sprint("message ", i)
		w.Reports = append([]object{copied}, w.Reports...)
	}
	d := begin(t, w, 120, 120)
	for row := range d.queue().Columns.Len() { // each is out of date, and forgotten
		d.queue().Logged(d.m.Env, []shown.Entry{{Report: d.queue().ID(row), Action: "report_update"}}, false)
	}
	d.press("b")
	d.pass(time.Second)
	d.shows("63 reports by 3 reporters", "message 59", "message 0", "POST 2 of 2", "(0 not viewed)")
	d.hides("not loaded yet")
}

func TestAGroupInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("group").hears("3 reports by 3 reporters", "by tom (local), 6m ago: scam", "Post 2 of 2")
	d.says("delete").hears("delete 2 posts of this group", "y: yes, all of them")
}

// TestGroupsHaveHeadsOfTheirOwn: the column of the group is named by what it has, and a
// group by status shows its author and the beginning of the post.
func TestGroupsHaveHeadsOfTheirOwn(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("b")
	d.shows("ACCOUNT                 MESSAGE")
	d.press("b")
	d.shows("DOMAIN                  MESSAGE", "bad.example ")
	d.press("b")
	d.shows("AUTHOR                  POST", "spam1@bad.example       Win big today", "spam1@bad.example       CW: money")
	d.press("b")
	d.shows("REPORTER                MESSAGE")
}
