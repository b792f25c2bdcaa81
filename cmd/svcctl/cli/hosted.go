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
}

// hostedInput bounds what a hosted run reads into memory.
const hostedInput = 16 << 20

var errElsewhere = errors.New("not over SSH")

// App is the world of the run. Its output is JSON unless a flag says otherwise.
func (h *Hosted) App() *App {
	given := map[string]string{
		"SVCCTL_URL": h.URL, "SVCCTL_TOKEN": h.Token, "SVCCTL_OUTPUT": "json",
		"HOME": h.State, "XDG_CONFIG_HOME": filepath.Join(h.State, "none"), "XDG_CACHE_HOME": filepath.Join(h.State, "none"), "XDG_STATE_HOME": h.State,
	}
	a := &App{
		In: h.In, Out: h.Out, ErrOut: h.ErrOut, Now: h.Now, WatchPause: time.Second, hosted: h,
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
	}
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
