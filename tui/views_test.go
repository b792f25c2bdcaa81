package tui

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"svc/tui/desk"
)

func TestHiddenTextIsShownOneAtATimeAndHiddenAgain(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.hides("secret recipe")
	d.press("w")
	d.shows("the secret recipe")
	d.press("W")
	d.hides("secret recipe")
}

func TestResizeAndSuspendKeepCursorMarksAndDraft(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("  jnhalf")
	before := d.under()
	for _, size := range []tea.WindowSizeMsg{{Width: 60, Height: 15}, {Width: 20, Height: 5}, {Width: 120, Height: 40}} {
		d.send(size)
		d.frame()
	}
	d.send(tea.SuspendMsg{})
	d.send(tea.ResumeMsg{})
	d.shows("note: half_")
	if d.under() != before || len(d.queue().MarkedRows()) != 2 {
		t.Errorf("cursor %s, want %s; %d marks", d.under(), before, len(d.queue().MarkedRows()))
	}
}

// TestNothingIsFetchedBeyondTheAPI shows 1,000 reports whose pictures, avatars and pages are
// all at the server that counts requests.
func TestNothingIsFetchedBeyondTheAPI(t *testing.T) {
	w := newWorld(t)
	var here func(value any) any
	here = func(value any) any {
		switch v := value.(type) {
		case object:
			out := object{}
			for key, item := range v {
				out[key] = here(item)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, item := range v {
				out[i] = here(item)
			}
			return out
		case string:
			return strings.ReplaceAll(v, "https://", w.URL+"/elsewhere/")
		}
		return value
	}
	first := w.Reports[0]
	for i := range 1000 - len(w.Reports) {
		copied := maps.Clone(first)
		copied["id"] = fmt.Sprintf("9w00000000000%05d", 99999-i)
		w.Reports = append(w.Reports, copied)
	}
	for _, list := range []*[]object{&w.Reports, &w.Users, &w.Statuses} {
		for i, one := range *list {
			(*list)[i] = here(one).(object)
		}
	}
	w.Answers = here(w.Answers).(object)
	d := begin(t, w, 120, 40)
	d.shows("[image/png", "REPORTS open 999/1000")
	d.press("jj<enter>w<esc>Gbee2jj<enter><esc>31<tab>ji<esc><tab>")
	for range 1000 / 40 {
		d.press("<pgdn>")
	}
	d.press("P<esc>67<enter>:chats kim<enter><enter>")
	for _, r := range w.requests {
		if !strings.Contains(r, " /api/") {
			t.Errorf("asked for %s", r)
		}
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{ReadOnly: true})
	d.press("rcodnAD<tab>sv")
	d.pass(time.Minute)
	d.shows("read-only")
	if len(d.m.Staged.Items) != 0 || len(d.world.writes()) != 0 {
		t.Error("something was staged")
	}
}

func TestFilterByWordRegexpDomainAndState(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("/spam !same.link @bad.example")
	d.shows("9m     2       3 open       spam1@bad.example", "6m     1       3 open")
	d.hides("    4m", "kay@loud.example")
	d.press("<enter><esc>/state:closed")
	d.pass(time.Second)
	d.shows("REPORTS closed 1/18", "1 closed")
	d.press("<esc>")
	d.shows("REPORTS open 17/18")
	d.press("/state:nope<enter>")
	d.shows("state: is one of open, closed, resolved, all")
	d.press("/ !(<enter>")
	d.shows("( is no regular expression")
}

func TestUserFilterAsksTheServer(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("2/state:deactivated<enter>")
	d.pass(time.Second)
	d.shows("gone2", "USERS 1/1")
	d.hides("spam1")
	d.press("A")
	d.pass(5 * time.Second)
	if diff := cmp.Diff([]string{`PATCH /api/svc/admin/users/activate {"nicknames":["gone2"]}`}, d.world.writes()); diff != "" {
		t.Error(diff)
	}
}

func TestViewsAreRemembered(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("j<enter>")
	d.shows("REPORT 9x000000000009xA0z")
	d.press("-")
	d.shows("REPORTS open")
	d.press("-[")
	d.shows("REPORTS open")
	d.press("]")
	d.shows("REPORT 9x000000000009xA0z")
	d.press("3<enter>")
	d.shows("REPORT 9x000000000009xA0z")
	d.press("q")
	if d.quit {
		t.Error("q on a detail quit")
	}
}

func TestTheDetailGoesOnToTheNextReport(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("<enter>r")
	d.shows("REPORT 9x000000000009xA0z", "OUTBOX 1  resolve 9xA1q")
}

func TestCopyGoesThroughTheTerminal(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("yi")
	if got, want := d.copied.String(), "\x1b]52;c;OXgwMDAwMDAwMDAwMDl4QTFx\a"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestTheMenuOffersWhatKeysDo(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("x")
	d.shows(" r resolve", " d deactivate the account")
	d.press("c")
	d.shows("OUTBOX 1  close 9xA1q")
}

func TestSavingTheList(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	t.Chdir(t.TempDir())
	d.press("/@bad.example !scam|spam.spam<enter><ctrl+s>j")
	d.shows("saved 1 lines to reports-20260131T1204")
	d.press("3<ctrl+s>c")
	files, err := filepath.Glob("*")
	if err != nil || len(files) != 2 {
		t.Fatalf("files: %q, %v", files, err)
	}
	var got []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	want := []string{
		"time,actor,message\n" +
			"2026-01-31T09:00:00Z,mika,'@mika added note 'same <U+202E>wave' to report #9x000000000009xA0z on user @tom\n" +
			"2026-01-31T08:00:00Z,tess,'@tess updated report #9x000000000009x1cc (on user @ana) with 'closed' state\n" +
			"2026-01-30T16:00:00Z,tess,'@tess deactivated users: @gone2\n",
		`{"id": "9x000000000009xA1q", "state": "open", "reported": "spam1@bad.example", "reporter": "ana", "created_at": "2026-01-31T12:00:05Z", ` +
			`"statuses": "9x000000000009xPq1 9x000000000009xPq4", "message": "crypto, same link in every reply"}` + "\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMouse(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	press := func(button tea.MouseButton, action tea.MouseAction, y int) {
		d.send(tea.MouseMsg{Button: button, Action: action, X: 10, Y: y})
	}
	press(tea.MouseButtonLeft, tea.MouseActionPress, 5)
	press(tea.MouseButtonLeft, tea.MouseActionRelease, 5)
	if got := d.under(); got != "9x000000000009x9zz" {
		t.Errorf("a click put the cursor on %s", got)
	}
	press(tea.MouseButtonLeft, tea.MouseActionPress, 3)
	press(tea.MouseButtonLeft, tea.MouseActionMotion, 4)
	press(tea.MouseButtonLeft, tea.MouseActionMotion, 6)
	press(tea.MouseButtonLeft, tea.MouseActionRelease, 6)
	if n := len(d.queue().MarkedRows()); n != 4 {
		t.Errorf("dragging marked %d rows, want 4", n)
	}
	press(tea.MouseButtonWheelDown, tea.MouseActionPress, 5)
	d.hides("9xA1q ")
	d.press("r")
	d.shows("resolve 4")
}

// TestAnAltTextIsReadWhole: the line of a medium shortens it, its page does not.
func TestAnAltTextIsReadWhole(t *testing.T) {
	w := newWorld(t)
	alt := strings.Repeat("a long description of the picture ", 12) + "to its end"
	w.change(func() {
		w.Reports[0]["statuses"].([]any)[0].(map[string]any)["media_attachments"].([]any)[0].(map[string]any)["description"] = alt
	})
	d := begin(t, w, 80, 24)
	d.press("<tab>i1")
	d.hides("to its end")
	d.press("a")
	d.shows(" ALT TEXT", "to its end", "y copies it")
	if got := d.m.Screen().(*desk.Page).Copies; got != alt {
		t.Errorf("copies %q", got)
	}
}
