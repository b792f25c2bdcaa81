package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/list"
	"svc/tui/noprobe"
	"svc/tui/queue"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// As a child, the test binary is the program on the server named.
func TestMain(m *testing.M) {
	noprobe.Restore()
	if server := os.Getenv("TUI_CHILD"); server != "" {
		os.Exit(child(server))
	}
	os.Exit(m.Run())
}

// driver runs the program without a terminal and without waiting: commands are
// carried out at once, and time passes only when the test says so.
type driver struct {
	t      testing.TB
	m      *desk.Model
	world  *world
	clock  time.Time
	timers []timer
	heard  chan tea.Msg // from the stream of the server
	quit   bool
	copied strings.Builder
	dir    string
}

type timer struct {
	at  time.Time
	msg func() tea.Msg
}

var start = time.Date(2026, 1, 31, 12, 4, 30, 0, time.UTC)

// begin starts the program on w in a fresh state folder.
func begin(t testing.TB, w *world, width, height int) *driver {
	t.Helper()
	return beginIn(t, w, width, height, t.TempDir(), Options{})
}

func beginIn(t testing.TB, w *world, width, height int, dir string, o Options) *driver {
	t.Helper()
	c, err := client.New(w.URL, client.WithToken("token"), client.WithRetries(0), client.WithHTTPClient(w.Client()))
	if err != nil {
		t.Fatal(err)
	}
	o.StateDir = dir
	d := beginOn(t, c, width, height, o)
	d.world = w
	return d
}

// beginOn starts the program on any server.
func beginOn(t testing.TB, c *client.Client, width, height int, o Options) *driver {
	t.Helper()
	d := &driver{t: t, clock: start, heard: make(chan tea.Msg)}
	o.Client, o.Context = c, "example.social"
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	if o.Theme == "" {
		o.Theme = "mono"
	}
	if o.Getenv == nil {
		o.Getenv = func(name string) string {
			return map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}[name]
		}
	}
	m, err := newModel(t.Context(), o, d.now, d.now)
	if err != nil {
		t.Fatal(err)
	}
	d.m, d.dir = m, o.StateDir
	m.Tty = &d.copied
	m.Jitter = func() float64 { return 0.5 }
	m.After = func(wait time.Duration, msg func() tea.Msg) tea.Cmd {
		d.timers = append(d.timers, timer{d.clock.Add(wait), msg})
		return nil
	}
	ended := t.Context().Done()
	m.Background = func(cmd tea.Cmd) tea.Cmd {
		go func() {
			select {
			case d.heard <- cmd():
			case <-ended:
			}
		}()
		return nil
	}
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.run(m.Init())
	d.m.View()
	d.pass(time.Second)
	return d
}

func (d *driver) now() time.Time { return d.clock }

// run carries out a command and all that follow from it.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		if cmds, ok := sequenced(msg); ok {
			for _, c := range cmds {
				d.run(c)
			}
			return
		}
		d.send(msg)
	}
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
	d.m.View()
}

// pass lets time go by, with all that is due on the way.
func (d *driver) pass(wait time.Duration) {
	end := d.clock.Add(wait)
	for {
		next := -1
		for i, t := range d.timers {
			if !t.at.After(end) && (next < 0 || t.at.Before(d.timers[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		due := d.timers[next]
		d.timers = append(d.timers[:next], d.timers[next+1:]...)
		if due.at.After(d.clock) {
			d.clock = due.at
		}
		if msg := due.msg(); msg != nil {
			d.send(msg)
		}
	}
	d.clock = end
}

// hear waits for the server to tell of something until ok holds.
func (d *driver) hear(what string, ok func() bool) {
	d.t.Helper()
	for end := time.After(time.Minute); !ok(); {
		select {
		case msg := <-d.heard:
			d.send(msg)
		case <-end:
			d.t.Fatalf("%s: not heard of, in\n%s", what, d.frame())
		}
		d.pass(desk.NewsPause)
	}
}

// press types keys one after another, a fifth of a second apart: names of
// special keys in angle brackets, all else a key a character.
func (d *driver) press(keys string) {
	for keys != "" {
		name := keys[:1]
		if keys[0] == '<' {
			name, _, _ = strings.Cut(keys[1:], ">")
			keys = keys[len(name)+2:]
		} else {
			keys = keys[1:]
		}
		d.send(keyNamed(name))
		d.pass(200 * time.Millisecond)
	}
}

func keyNamed(name string) tea.KeyMsg {
	named := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"pgdn": tea.KeyPgDown, "ctrl+a": tea.KeyCtrlA, "ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD, "ctrl+o": tea.KeyCtrlO,
		"f1": tea.KeyF1, "f2": tea.KeyF2, "ctrl+x": tea.KeyCtrlX, "ctrl+r": tea.KeyCtrlR, "ctrl+s": tea.KeyCtrlS, "ctrl+t": tea.KeyCtrlT, "ctrl+u": tea.KeyCtrlU, "ctrl+z": tea.KeyCtrlZ, "backspace": tea.KeyBackspace,
	}
	if kind, ok := named[name]; ok {
		return tea.KeyMsg{Type: kind}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// frame is the screen without spaces at line ends.
func (d *driver) frame() string {
	lines := strings.Split(d.m.View(), "\n")
	for i, l := range lines {
		if safe.Width(l) > d.m.Width {
			d.t.Errorf("line %d is %d cells wide: %q", i, safe.Width(l), l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	if len(lines) != d.m.Height {
		d.t.Errorf("the frame has %d lines, want %d", len(lines), d.m.Height)
	}
	return strings.Join(lines, "\n") + "\n"
}

// shows fails unless the frame has all of texts.
func (d *driver) shows(texts ...string) {
	d.t.Helper()
	frame := d.frame()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			d.t.Errorf("%q is not shown in\n%s", text, frame)
		}
	}
}

func (d *driver) hides(texts ...string) {
	d.t.Helper()
	frame := d.frame()
	for _, text := range texts {
		if strings.Contains(frame, text) {
			d.t.Errorf("%q is shown in\n%s", text, frame)
		}
	}
}

// queue is the queue of reports of the program.
func (d *driver) queue() *queue.Reports {
	for _, o := range d.m.Observers {
		if queue, ok := o.(*queue.Reports); ok {
			return queue
		}
	}
	return nil
}

// rows is the list in front, nil where there is none.
func (d *driver) rows() *list.List { return d.m.Screen().Rows(d.m.Layout()).List }

// under is the id of the report under the cursor.
func (d *driver) under() string { return d.queue().UnderID() }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "frames", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
