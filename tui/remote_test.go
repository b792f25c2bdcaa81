package tui

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/tui/plain"
)

// far is the program on a terminal of another machine.
type far struct {
	t     *testing.T
	keys  *io.PipeWriter
	sizes chan Size
	done  chan error
	stop  context.CancelFunc

	mu  sync.Mutex
	out strings.Builder
}

func (f *far) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.Write(p)
}

func (f *far) written() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

func runFar(t *testing.T, w *world, size Size, env map[string]string, o Options) *far {
	t.Helper()
	c, err := client.New(w.URL, client.WithToken("token"))
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	f := &far{t: t, keys: keys, sizes: make(chan Size, 1), done: make(chan error, 1), stop: stop}
	f.sizes <- size
	o.Client, o.Context, o.StateDir, o.In, o.Out = c, "example.social", t.TempDir(), in, f
	o.Remote = &Remote{Getenv: func(name string) string { return env[name] }, Sizes: f.sizes}
	go func() { f.done <- Run(ctx, o) }()
	t.Cleanup(func() {
		stop()
		keys.Close()
	})
	return f
}

func (f *far) waits(n int, text string) {
	f.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(f.written()[n:], text); {
		if time.Now().After(deadline) {
			f.t.Fatalf("%q was not written after %q", text, f.written()[n:])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (f *far) types(text string) (before int) {
	f.t.Helper()
	before = len(f.written())
	if _, err := io.WriteString(f.keys, text); err != nil {
		f.t.Fatal(err)
	}
	return before
}

func TestOnATerminalOfAnotherMachine(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // of the server, which says nothing about the terminal
	t.Setenv("SVCCTL_NOW", "never")
	w := newWorld(t)
	dir := t.TempDir()
	t.Chdir(dir)
	f := runFar(t, w, Size{Width: 80, Height: 24}, map[string]string{"TERM": "xterm"}, Options{})
	f.waits(0, "\x1b]11;?")
	f.types("\x1b]11;rgb:ffff/ffff/eeee\a")
	f.waits(0, "\x1b[1;30;106m>") // the cursor of the light theme
	f.waits(0, "17/18")
	n := f.types("\x1b]11;rgb:1e1e/1e1e/1e1e\ajjj")
	f.waits(n, "9x9kk")
	f.sizes <- Size{Width: 120, Height: 90}
	f.waits(n, "\x1b[90;1H") // drawn anew, at once
	f.types("\x13\x1a")      // ctrl-s, ctrl-z
	n = f.types("?")
	f.waits(n, "ctrl-o")
	for _, name := range []string{"ctrl-s", "ctrl-z"} {
		if strings.Contains(f.written()[n:], name) {
			t.Errorf("help offers %s", name)
		}
	}
	f.types("qq")
	if err := <-f.done; err != nil {
		t.Error(err)
	}
	if !strings.Contains(f.written(), "\x1b[?1049l") {
		t.Error("the alternate screen was left on")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files were written: %v, %v", files, err)
	}
	if strings.Contains(f.written(), "\x1b]52") || len(w.writes()) != 0 {
		t.Error("keys did what they should not")
	}
}

func TestATinyTerminalOfAnotherMachine(t *testing.T) {
	f := runFar(t, newWorld(t), Size{Width: 10, Height: 3}, map[string]string{"NO_COLOR": "1"}, Options{})
	f.waits(0, "live")
	if strings.Contains(f.written(), "\x1b]11;?") {
		t.Error("it asked for a colour that it does not need")
	}
	f.types("jjrukxq\x1bq") // whatever these do, it goes on
	f.stop()
	if err := <-f.done; err != nil {
		t.Error(err)
	}
	if !strings.Contains(f.written(), "\x1b[?1049l") {
		t.Error("the alternate screen was left on")
	}
}

func TestPlainModeOnAnotherMachine(t *testing.T) {
	f := runFar(t, newWorld(t), Size{}, nil, Options{Plain: true})
	f.waits(0, "Command?")
	n := f.types(strings.Repeat("x", 3*plain.MaxLine) + "\n")
	f.waits(n, "Command?")
	n = f.types("save\n")
	f.waits(n, "no such command here")
	f.keys.Close()
	if err := <-f.done; err != nil {
		t.Error(err)
	}
	if strings.Contains(f.written(), "\x1b") {
		t.Error("it wrote an escape sequence")
	}
}

func TestFromAnotherMachineNoBrowserIsStarted(t *testing.T) {
	for _, remote := range []*Remote{nil, {}} {
		d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Remote: remote})
		for range 40 {
			d.press("<enter>i")
			if d.m.Prompt != nil {
				break
			}
			d.press("<esc>j")
		}
		d.press("1")
		d.shows("copy the address")
		if remote == nil {
			d.shows("open in a browser")
		} else {
			d.hides("open in a browser")
		}
	}
}
