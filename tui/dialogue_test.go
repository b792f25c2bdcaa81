package tui

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/tui/grid"
	"svc/tui/keys"
	"svc/tui/plain"
)

// talk is a driver for a person who types lines.
type talk struct {
	*driver
	p   *plain.Dialogue
	out bytes.Buffer
	at  int // where the answer to the last line begins
}

func beginTalk(t testing.TB, w *world, o Options) *talk {
	t.Helper()
	d := &talk{driver: beginIn(t, w, 80, 24, t.TempDir(), o)}
	d.p = plain.NewDialogue(d.m, strings.NewReader(""), &d.out)
	d.p.Welcome()
	d.p.Speak()
	return d
}

// says types lines, and checks the output.
func (d *talk) says(lines ...string) *talk {
	d.t.Helper()
	for _, text := range lines {
		d.at = d.out.Len()
		d.out.WriteString("> " + text + "\n")
		d.run(d.p.Take(text + "\n"))
		d.pass(grid.QueryWait)
		if !d.quit {
			d.p.Speak()
		}
	}
	checkPlain(d.t, d.out.String()[d.at:])
	return d
}

// hears fails unless the last answer has all of texts.
func (d *talk) hears(texts ...string) {
	d.t.Helper()
	answer := d.out.String()[d.at:]
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			d.t.Errorf("%q is not told in\n%s", text, answer)
		}
	}
}

// checkPlain fails on control characters, boxes, and characters that reorder
// text.
func checkPlain(t testing.TB, text string) {
	t.Helper()
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' || r >= 0x2500 && r <= 0x259F || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U in %q", r, text)
			return
		}
	}
}

// TestPlainTriage works a queue without a screen.
func TestPlainTriage(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("r", "", "note seen before", "resolve", "u", "w", "pane", "D", "back", "list", "go 2", "group", "group", "back", "/ @bad.example", "back")
	d.pass(9 * time.Second)
	d.says("outbox", "", "undo", "q")
	path := filepath.Join("testdata", "plain.txt")
	if *update {
		if err := os.WriteFile(path, d.out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != d.out.String() {
		t.Errorf("%s differs:\n%s", path, &d.out)
	}
	if !d.quit {
		t.Error("it goes on")
	}
}

// TestEveryActionWorksInPlainMode gives each command by its name and by its
// key, on each screen that has it.
func TestEveryActionWorksInPlainMode(t *testing.T) {
	dbtest.Alone(t)
	var opened []string
	d := beginTalk(t, newWorld(t), twoInstances(&opened))
	d.m.Width, d.m.Height = 120, 15 // the driver draws frames, which cost time
	screens := map[keys.Places][]string{
		keys.OnReports: {"reports"}, keys.OnReport: {"reports", "open"}, keys.OnUsers: {"users"}, keys.OnUser: {"users", "open"}, keys.OnLog: {"log"}, keys.OnPage: {"actions"},
	}
	for i := range keys.DefaultBindings() {
		b := d.m.Keys.Bindings[i]
		switch b.Do {
		case keys.Quit, keys.Interrupt: // they end it
			continue
		}
		for on := keys.Places(1); on != 0 && on <= b.On; on <<= 1 {
			if b.On&on == 0 {
				continue
			}
			way, known := screens[on]
			if !known {
				way = []string{strings.Split(on.String(), ",")[0]}
				if of := map[string]string{"chats": "kim", "messages": "9xC1", "host": "bad.example"}[way[0]]; of != "" {
					way[0] += " " + of
				}
			}
			if on == keys.OnPage || b.On == keys.OnAll && on != keys.OnReports {
				continue
			}
			for _, word := range append([]string{string(b.Do)}, b.Keys[:min(1, len(b.Keys))]...) {
				word = strings.TrimSpace(strings.ReplaceAll(keys.Name(word), "ctrl+", "ctrl-"))
				d.says("reports").says(way...).says(word)
				if d.m.Prompt == nil && d.m.Screen().On()&on == 0 && b.Changes {
					t.Errorf("%s leaves %s", word, on)
				}
				answer := d.out.String()[d.at:]
				for _, wrong := range []string{"no such command", "which?", "not here"} {
					if strings.Contains(answer, wrong) {
						t.Errorf("%s on %s: %s", word, on, answer)
					}
				}
				d.m.Prompt = nil
				d.m.Staged.CancelAll()
				if d.m.Screen().On()&keys.OnLists != 0 && d.rows() != nil {
					d.rows().Unmark()
				}
			}
		}
	}
}

func TestPlainModeRefusesAndAsks(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{})
	d.says("fly").hears("Fly: no such command here")
	d.says("go 99").hears("as list tells it")
	d.says("users", "2", "X").hears("type", "to go on", "an empty line cancels")
	d.says("nonsense").hears("Not done")
	d.says("relays", "unfollow").hears("y: yes", "an empty line: cancel")
	d.says("perhaps").hears("none of the answers", "y: yes")
	d.says("").hears("Cancelled")
	d.says("config", "open", "e").hears("change the setting", "So far: ", "an empty line cancels")
	d.says("esc").hears("Cancelled")
	d.says("reports", "copy i").hears("9x")
	if n := len(d.world.writes()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
	d = beginTalk(t, newWorld(t), Options{ReadOnly: true})
	d.says("r").hears("Read-only: nothing is changed.")
}

// TestPlainModeOverPipes runs the program as it is, on standard streams that are
// no terminal.
func TestPlainModeOverPipes(t *testing.T) {
	w := newWorld(t)
	c, err := client.New(w.URL, client.WithToken("token"), client.WithHTTPClient(w.Client()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	talkOver := func(lines string) string {
		t.Helper()
		in, give, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		get, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := give.WriteString(lines); err != nil {
			t.Fatal(err)
		}
		give.Close()
		done := make(chan error, 1)
		go func() {
			done <- Run(t.Context(), Options{Client: c, StateDir: dir, In: in, Out: out, Plain: true})
			out.Close()
		}()
		text, err := io.ReadAll(get)
		if err := errors.Join(err, <-done); err != nil {
			t.Fatal(err)
		}
		checkPlain(t, string(text))
		return string(text)
	}
	// The end of the input sends nothing, and loses nothing.
	text := talkOver("r\n")
	if !strings.HasPrefix(text, "Plain mode on ") || !strings.HasSuffix(text, "1 not sent; the next start asks about them.\n") || len(w.writes()) > 0 {
		t.Errorf("%q was sent after\n%s", w.writes(), text)
	}
	text = talkOver("drop\nr\nq\nsend\n")
	if !strings.Contains(text, "1 was not sent last time:") || !strings.HasSuffix(text, "resolved.\n") || len(w.writes()) != 1 {
		t.Errorf("%q was sent after\n%s", w.writes(), text)
	}
}

func TestNoTextBreaksPlainMode(t *testing.T) {
	dbtest.Alone(t)
	r := rand.New(rand.NewPCG(7, 8))
	d := beginTalk(t, newWorld(t), Options{})
	const names, each = 2000, 50
	for n := 0; n < names; n += each {
		var reports []api.AdminReport
		for i := range each {
			reports = append(reports, hostileReport(n+i, func() string { return hostile(r) }))
		}
		show(d.driver, reports)
		d.says("list", "w", "", "r", "group", "u")
		d.out.Reset()
	}
	w := d.world
	w.change(func() { w.Answers = corrupt(r, w.Answers).(object) })
	for _, name := range []string{"relays", "config", "statuses", "invites", "hosts", "queues", "jobs", "apps", "bans"} {
		d.says(name, "refresh", "list", "read")
	}
}
