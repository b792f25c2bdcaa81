package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
)

// Hosted is a run for somebody at another machine, by a server that they reached
// over SSH: In, Out and ErrOut lead to them. Nothing of this machine is theirs: no
// file, no program, no variable, no address but that of the server itself.
type Hosted struct {
	In          io.Reader
	Out, ErrOut io.Writer
	URL         string            // of the server
	Token       string            // of the session
	Transport   http.RoundTripper // to the server
	State       string            // folder of the account's journal
	Env         func(string) string
	Now         func() time.Time
	// May returns why the person may not use a part of the admin API, "" for those of
	// admins alone. It is asked before their input is read. Nil asks nobody.
	May func(p api.Privilege, writes bool) error
	// Room counts bytes that the run keeps in memory, and refuses those for which the
	// server has no room. Nil counts nothing.
	Room func(bytes int) error
}

// The bounds of hosted runs, which share the memory of the server.
const (
	hostedInput   = 16 << 20 // bytes of standard input
	hostedLine    = 1 << 20  // bytes of a line of it
	hostedBody    = 1 << 20  // bytes of a body for the API, which accepts no more
	hostedTargets = 10_000   // targets of a change, whatever --max says
	hostedReads   = 1000     // objects that are read by name
)

// hostedReader is standard input until hostedInput.
type hostedReader struct {
	from io.Reader
	left int64
}

func (r *hostedReader) Read(p []byte) (int, error) {
	if r.left == 0 && len(p) > 0 { // an end may follow
		var next [1]byte
		if n, err := r.from.Read(next[:]); n == 0 {
			return 0, err
		}
		return 0, Usagef("standard input is larger than %d MiB", hostedInput>>20)
	}
	n, err := r.from.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// mayDo refuses what the person has no right to, before their input is read.
func (a *App) mayDo(p api.Privilege, writes bool) error {
	if a.hosted == nil || a.hosted.May == nil {
		return nil
	}
	return a.hosted.May(p, writes)
}

// MayAdminister refuses what is for admins alone, before the person's input is read.
func (a *App) MayAdminister(writes bool) error { return a.mayDo("", writes) }

// MayChange refuses a kind of change, before the person's input is read.
func (a *App) MayChange(kind action.Kind) error {
	for _, p := range kind.Needs() {
		if err := a.mayDo(p, true); err != nil {
			return err
		}
	}
	return nil
}

// Keep counts bytes that a hosted run keeps in memory, and refuses them when there is
// no room.
func (a *App) Keep(bytes int) error {
	if a.hosted == nil || a.hosted.Room == nil {
		return nil
	}
	return a.hosted.Room(bytes)
}

var errElsewhere = errors.New("not over SSH")

// App is the world of the run. Its output is JSON unless a flag says otherwise.
func (h *Hosted) App() *App {
	given := map[string]string{
		"SVCCTL_URL": h.URL, "SVCCTL_TOKEN": h.Token, "SVCCTL_OUTPUT": "json",
		"HOME": h.State, "XDG_CONFIG_HOME": filepath.Join(h.State, "none"), "XDG_CACHE_HOME": filepath.Join(h.State, "none"), "XDG_STATE_HOME": h.State,
	}
	a := &App{World: World{
		In: &hostedReader{h.In, hostedInput}, Out: h.Out, ErrOut: h.ErrOut, Now: h.Now, WatchPause: time.Second, hosted: h,
		Getenv: func(name string) string {
			if value, ours := given[name]; ours {
				return value
			}
			switch name {
			case "TERM", "LANG", "COLORTERM", "NO_COLOR":
				return h.Env(name)
			}
			return ""
		},
		OpenBrowser:  func(string) error { return errElsewhere },
		ReadPassword: func() (string, error) { return "", errElsewhere },
	}}
	a.Flags.InsecureHTTP = true // the transport stays in the process
	return a
}

// Hosted reports whether the person is at another machine.
func (a *App) Hosted() bool { return a.hosted != nil }

// ExecuteHosted is Execute until ctx ends. Commands for completion are refused:
// they keep a cache.
func (a *App) ExecuteHosted(ctx context.Context, root *cobra.Command, args []string) int {
	for _, arg := range args {
		if arg == cobra.ShellCompRequestCmd || arg == cobra.ShellCompNoDescRequestCmd {
			return a.Fail(&UsageError{Message: "there is no command " + action.Quote(arg), Hint: "svcctl --help"})
		}
	}
	return a.ExecuteContext(ctx, root, args)
}
