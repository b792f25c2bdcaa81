package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"svc/client"
	"svc/tui/draw"
)

func child(server string) int {
	c, err := client.New(server, client.WithToken("token"))
	if err == nil {
		err = Run(context.Background(), Options{Client: c, Context: "example.social", StateDir: os.Getenv("TUI_STATE"), Theme: os.Getenv("TUI_THEME")})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// emulator is the program on a pseudo-terminal that answers nothing by itself.
type emulator struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd

	mu  sync.Mutex
	out strings.Builder
}

func onTerminal(t *testing.T, w *world, env ...string) *emulator {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "COLORTERM=", "LC_ALL=C.UTF-8", "NO_COLOR=", "COLORFGBG=", "SVCCTL_NOW=2026-01-31T12:04:30Z", "TUI_CHILD="+w.URL, "TUI_STATE="+t.TempDir()), env...)
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	term := &emulator{t: t, master: master, cmd: cmd}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.out.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = master.Close()
	})
	return term
}

func (term *emulator) written() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.out.String()
}

// waits until text was written after the first n bytes.
func (term *emulator) waits(n int, text string) {
	term.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(term.written()[n:], text); {
		if time.Now().After(deadline) {
			term.t.Fatalf("%q was not written after %q", text, term.written()[n:])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (term *emulator) types(text string) (before int) {
	term.t.Helper()
	before = len(term.written())
	if _, err := term.master.WriteString(text); err != nil {
		term.t.Fatal(err)
	}
	return before
}

func TestOnATerminalThatAnswersLate(t *testing.T) {
	w := newWorld(t)
	term := onTerminal(t, w)
	start := time.Now()
	term.waits(0, "> ")
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the first frame took %v", took)
	}
	term.waits(0, "17/18")
	if asked := term.written(); !strings.HasPrefix(asked, "\x1b]11;?\x1b\\") || strings.Contains(asked, "\x1b[6n") {
		t.Errorf("it wrote first %q", asked[:min(len(asked), 40)])
	}
	// The answer to the question for the background comes now, cut in two.
	term.types("\x1b]11;rgb:1e1e/1e")
	time.Sleep(30 * time.Millisecond)
	term.types("1e/1e1e\x1b\\")
	n := term.types("jjj")
	term.waits(n, "  9x9kk\x1b[0m\x1b[38;5;188;48;5;17m")
	n = term.types("/")
	term.waits(n, "_\x1b[K")
	n = term.types("\x1b") // a lone one is the key
	term.waits(n, "9x8zt") // a row that the prompt had covered
	n = term.types("\x1b[A")
	term.waits(n, "  9x9zz\x1b[0m\x1b[38;5;188;48;5;17m")
	if strings.Contains(term.written(), "OUTBOX") || len(w.writes()) != 0 {
		t.Error("a reply of the terminal was taken for keys")
	}
	n = term.types("\x1b[200~rcdD\x1b[201~")
	term.waits(n, "pasted text is not taken for keys")
	term.types("q")
	if err := term.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if out := term.written(); !strings.Contains(out, "\x1b[?1049l") {
		t.Error("the alternate screen was left on")
	}
}

// TestAfterAKillNothingIsSentUnasked kills the program as it stands, with three staged.
func TestAfterAKillNothingIsSentUnasked(t *testing.T) {
	w, state := newWorld(t), t.TempDir()
	term := onTerminal(t, w, "TUI_STATE="+state)
	term.waits(0, "17/18")
	n := term.types("rcd")
	term.waits(n, "OUTBOX 3")
	kept := func() string {
		var all strings.Builder
		files, err := filepath.Glob(filepath.Join(state, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		return all.String()
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(kept(), "user.deactivate"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the outbox on the disk is %s", kept())
		}
	}
	if err := term.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = term.cmd.Wait()

	again := onTerminal(t, w, "TUI_STATE="+state)
	again.waits(0, "3 was not sent last time")
	again.waits(0, "resolve ?")
	again.waits(0, "[deactivate ?]")
	if sent := w.writes(); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestThemeFollowsTheTerminal(t *testing.T) {
	w := newWorld(t)
	term := onTerminal(t, w)
	term.waits(0, "\x1b]11;?")
	term.types("\x1b]11;rgb:ffff/ffff/eeee\a")
	term.waits(0, "\x1b[38;5;232;48;5;195m>") // the cursor of the light theme
	mono := onTerminal(t, w, "NO_COLOR=1")
	mono.waits(0, "17/18")
	if strings.Contains(mono.written(), "m>") || strings.Contains(mono.written(), "\x1b[7m") {
		t.Error("colour although none was wanted")
	}
}

func TestThemes(t *testing.T) {
	nothing := func(string) string { return "" }
	for _, name := range draw.ThemeNames() {
		if _, err := draw.ThemeNamed(name, nothing); err != nil {
			t.Error(err)
		}
	}
	if _, err := draw.ThemeNamed("pink", nothing); err == nil || !strings.Contains(err.Error(), "dark, light, contrast, mono") {
		t.Errorf("an unknown theme: %v", err)
	}
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Theme: "dark"})
	d.press("jr")
	view := d.m.View()
	for _, l := range strings.Split(view, "\n") {
		if strings.LastIndex(l, "\x1b[") != strings.LastIndex(l, "\x1b[0m") {
			t.Errorf("a colour is left on at the end of %q", l)
		}
	}
	if warn := opening(d.m.Theme, draw.InkWarn); warn == "" || !strings.Contains(view, warn+"resolve 4s") {
		t.Error("what is staged has no colour")
	}
}

func TestWithoutATerminalItSaysSo(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := Run(context.Background(), Options{In: file, Out: file, StateDir: t.TempDir()}); err != ErrNoTerminal {
		t.Errorf("got %v", err)
	}
}
