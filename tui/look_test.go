package tui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/db/dbtest"
	"svc/tui/desk"
	"svc/tui/draw"
)

func TestTheCountFollowsOnesOwnActions(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.shows("open 17/18")
	d.press("r")
	d.shows("open 16/18")
	d.press("u")
	d.shows("open 17/18")
	d.press("   r")
	d.shows("open 14/18")
	sent := len(d.world.requests)
	d.world.fail = func(r *http.Request) (int, string) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/reports") {
			return 503, "{}" // the server's own count does not come
		}
		return 0, ""
	}
	d.pass(actionTime)
	if len(d.world.writes()) != 1 || sent == len(d.world.requests) {
		t.Fatalf("sent %q", d.world.writes())
	}
	d.shows("open 14/18")
	d.press("/@bad.example<enter>")
	d.hides("open 14/18")
}

// actionTime is longer than a change of a report waits.
const actionTime = 4500 * 1e6

// TestWhatDoesNotFitSaysSo has rows, questions and choices that are longer than their
// place.
func TestWhatDoesNotFitSaysSo(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("6")
	d.shows("Win big today...")
	d.press("2G")
	d.shows("<U+202E>Win...")
	d.press("1m")
	d.shows("which cannot be taken back", "ctrl-s sends it, esc keeps the draft")
	d = begin(t, newWorld(t), 60, 15)
	d.press("x")
	d.shows("(4 more lines)", "esc back")
	d.press("<esc>3")
	d.shows("note on 9xA0z...")
	d.press("5")
	d.shows("Inst...")
	// A staged action is shown in the last line where no row has room for it.
	d = begin(t, newWorld(t), 40, 8)
	d.press("r")
	d.send(tea.WindowSizeMsg{Width: 10, Height: 3})
	d.shows(" OUTBOX...")
	d.pass(10 * time.Second)
	d.shows(" ? help")
}

func TestEveryEmptyListSaysWhy(t *testing.T) {
	w := newWorld(t)
	d := begin(t, w, 80, 24)
	d.press("/zebra<enter>")
	d.shows("nothing matches /zebra; esc shows all")
	d.press("<esc>")
	d.hides("nothing matches")
	d.press("/state:resolved<enter>")
	d.shows("no resolved reports")
	d.press("2/zebra<enter>")
	d.shows("nothing matches /zebra; esc shows all")
	d.press("3/zebra<enter>")
	d.shows("nothing matches /zebra; esc shows all")
	w.fail = func(r *http.Request) (int, string) { return 500, `{"error":"no room"}` }
	d.press("<ctrl+r>")
	d.shows("the log could not be loaded: no room (500); ctrl-r tries again")

	w = newWorld(t)
	w.Reports = nil
	d = begin(t, w, 80, 24)
	d.shows("no open reports: nothing is left to do here")
}

// TestALongQueueSaysWhatIsLoaded has more reports than are loaded at once.
func TestALongQueueSaysWhatIsLoaded(t *testing.T) {
	dbtest.Alone(t)
	w := newWorld(t)
	first := w.Reports[0]
	for i := range 2400 {
		copied := object{}
		for k, v := range first {
			copied[k] = v
		}
		copied["id"] = fmt.Sprintf("9w00000000000%05d", 99999-i)
		w.Reports = append(w.Reports, copied)
	}
	d := begin(t, w, 160, 40)
	if got, want := d.queue().Progress(d.m.Env), "loaded 2,000 of 2,417"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.shows("loaded 2,000 of 2,417")
	d.queue().SetFilter(d.m.Env, "zebra") // without the pages that it asks for
	d.shows("nothing matches /zebra yet: loaded 2,000 of 2,417; the filter searches what is loaded")
}

func TestAnUnknownFilterWordIsRefusedWhileItIsTyped(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("/spam")
	rows := d.queue().Len()
	d.press(":b")
	d.shows(`there is no filter spam:, as text it is "spam:b`, "/spam:b_")
	if rows == 0 || d.queue().Len() != rows {
		t.Errorf("the list follows a filter that is refused: %d rows, %d before", d.queue().Len(), rows)
	}
	d.press("<enter>")
	d.shows("there is no filter spam:", "/spam:b_")
	d.press("<esc>/state:opne<enter>")
	d.shows("state: is one of open, closed, resolved, all")
	d.press(`<ctrl+u>"foo:b<enter>`)
	d.shows(`nothing matches /"foo:b; esc shows all`)
}

func TestF1IsHelp(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("<f1>")
	d.shows("HELP")
}

func TestTheDemoSaysHowToReachIt(t *testing.T) {
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Demo: []string{"url   http://127.0.0.1:1", "password  swordfish"}})
	d.press(":demo<enter>")
	d.shows("http://127.0.0.1:1", "swordfish")
	d = begin(t, newWorld(t), 80, 24)
	d.press(":demo<enter>")
	d.shows("no such command here")
}

// TestTheFilterStaysInTheHeader types one longer than any header.
func TestTheFilterStaysInTheHeader(t *testing.T) {
	long := "@bad.example !thanks !please !harmless !nothing !noone !nowhere"
	for _, size := range []struct{ width, height int }{{200, 50}, {120, 40}, {80, 24}, {60, 15}, {33, 9}} {
		d := begin(t, newWorld(t), size.width, size.height)
		d.press("b/" + long + "<enter>")
		head := strings.Join(strings.Split(d.frame(), "\n")[:d.m.HeaderLines()], "\n")
		if !strings.Contains(head, "/@b") || !strings.Contains(head, long) && !strings.Contains(head, draw.More) {
			t.Errorf("at %dx%d: %s", size.width, size.height, head)
		}
	}
}

func TestTabsKeepTheScreenInFrontAndTheNumbers(t *testing.T) {
	for width, want := range map[int]string{
		140: " 1 Reports 17 [2 Users 1] 3 Log  4 Relays  5 Config  6 Statuses  7 Invites  8 Hosts  9 Queues ",
		100: " 1 Reports 17 [2 Users 1] 3 Log  4 5 6 7 8 9",
		60:  " 1:17[2 Users 1] 3 4 5 6 7 8 9",
		40:  "[2 Users 1]",
	} {
		d := begin(t, newWorld(t), width, 24)
		d.press("2")
		first, _, _ := strings.Cut(d.frame(), "\n")
		if !strings.HasPrefix(first, want) || !strings.Contains(first, "live") {
			t.Errorf("at %d: %q", width, first)
		}
	}
	d := begin(t, newWorld(t), 120, 24)
	d.press(":bans<enter>")
	d.shows("[Bans]")
	d.press("?")
	d.shows("[Help]")
}

func TestAContextKeepsItsColour(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	byName := d.m.HostInk()
	if again := begin(t, newWorld(t), 80, 24).m.HostInk(); again != byName || byName < draw.InkBlue || byName > draw.InkViolet {
		t.Errorf("%v, then %v", byName, again)
	}
	d.m.Host = "other.example"
	if d.m.HostInk() == byName {
		t.Error("all names have one colour")
	}
	if d = beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Colour: "red"}); d.m.HostInk() != draw.InkRed {
		t.Errorf("red is %v", d.m.HostInk())
	}
}

func TestTheCountdownIsABarThatShrinks(t *testing.T) {
	d := begin(t, newWorld(t), 120, 40)
	d.press("r")
	d.shows("resolve 9xA1q 4s ▌▌▌▌▌▌▌▌  ")
	d.pass(2 * time.Second)
	d.shows("resolve 9xA1q 2s ▌▌▌▌  ")
	d.hides("▌▌▌▌▌")
}

// TestWithoutColourCharactersTellAll reads the plain text of frames alone.
func TestWithoutColourCharactersTellAll(t *testing.T) {
	for _, theme := range []string{"mono", "contrast"} {
		d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Theme: theme})
		d.press(" jj")
		frame := func() string { return sgr.ReplaceAllString(d.m.View(), "") }
		for _, want := range []string{"[1 Reports 17]", " *  9xA1q", ">   9x9kk", "open"} {
			if !strings.Contains(frame(), want) {
				t.Errorf("%s: %q is not in\n%s", theme, want, frame())
			}
		}
		d.press("kk<tab>j ")
		focused := 0
		for _, l := range strings.Split(frame(), "\n") {
			if strings.HasPrefix(l, ">") {
				focused++
			}
		}
		if got := frame(); focused != 1 || !strings.Contains(got, "\n-   9xA0z") && !strings.Contains(got, "\n-*  9xA0z") || !strings.Contains(got, ">▌ [x] 1 of 1") {
			t.Errorf("%s: %d lines have the focus\n%s", theme, focused, got)
		}
		d.press("<tab>r")
		if got := frame(); !strings.Contains(got, "resolve 4s") {
			t.Errorf("%s: what is staged is not in\n%s", theme, got)
		}
	}
}

func TestWithoutUTF8LinesAreASCII(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"C": {"TERM": "xterm"}, "latin": {"TERM": "xterm", "LC_ALL": "de_DE.ISO-8859-1", "LANG": "C.UTF-8"}, "console": {"TERM": "linux", "LANG": "C.UTF-8"},
	} {
		d := beginIn(t, newWorld(t), 120, 40, t.TempDir(), Options{Getenv: func(key string) string { return env[key] }})
		d.press("rq")
		for _, r := range d.frame() {
			if r > '~' {
				t.Errorf("%s: %q in\n%s", name, r, d.frame())
				break
			}
		}
	}
	d := begin(t, newWorld(t), 120, 40)
	d.press("rq")
	d.shows("│", "─", "╭", "╰", "▌", "●")
}

func TestRoomIsUsed(t *testing.T) {
	for width, want := range map[int]string{
		99:  "    ID    AGE PST   RPT STATE      ACCOUNT                  MESSAGE",
		100: "    AGE POSTS REPORTS STATE      ACCOUNT         │",
		160: "    ID     AGE POSTS REPORTS STATE      ACCOUNT                   MESSAGE",
	} {
		d := begin(t, newWorld(t), width, 40)
		if l := strings.Split(d.frame(), "\n")[2]; !strings.HasPrefix(strings.ReplaceAll(l, "  │", "│"), strings.ReplaceAll(want, "  │", "│")) && !strings.HasPrefix(l, strings.TrimRight(want, " │")) {
			t.Errorf("at %d: %q", width, l)
		}
	}
}

// TestHelpHasColumnsAndALegend reads the help at three widths.
func TestHelpHasColumnsAndALegend(t *testing.T) {
	for width, columns := range map[int]int{60: 1, 80: 2, 120: 3, 200: 5} {
		d := begin(t, newWorld(t), width, 50)
		d.press("?")
		d.shows("THE REPORT", "resolve")
		p := d.m.Screen().(*desk.Page)
		most := 0
		var all strings.Builder
		for _, l := range p.Lines {
			text := draw.PlainText(l)
			all.WriteString(text + "\n")
			heads := 0
			for _, s := range l {
				if s.Ink == draw.InkStrong && strings.TrimSpace(s.Text) != "" {
					heads++
				}
			}
			most = max(most, heads)
		}
		if most < min(columns, 2) || most > columns {
			t.Errorf("at %d: %d heads side by side, want up to %d", width, most, columns)
		}
		for _, mark := range []string{"HEADS AND MARKS", "[x]", "[9/1h]", "gone:tess", "▌", "<U+202E>", "REPORTS, RPT", "ON USERS"} {
			if !strings.Contains(all.String(), mark) {
				t.Errorf("at %d %q is missing", width, mark)
			}
		}
	}
}
