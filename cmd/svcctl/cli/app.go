// Package cli has the common parts of svcctl's commands: flags and streams of a run,
// the connection to the server, and a frame for each sort of command.
//
// A list goes through ListCommand, objects by name through GetCommand. Changes of
// named objects go through ActOn, others through CarryOut or Perform; all of them
// ask, send, and print results. Exit codes come from ExitOf alone. Nouns, with
// their verbs and columns, are above it; formats are in package output.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc/client"
	"svc/client/login"
)

// World holds the streams, the environment and the terminal of a run.
type World struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer
	Getenv func(string) string
	Now    func() time.Time
	// whether the streams are terminals, and how large standard output is
	TTYIn, TTYOut, TTYErr bool
	Width, Height         int
	OpenBrowser           func(url string) error
	ReadPassword          func() (string, error)
	UseKeyring            bool
	WatchPause            time.Duration // the least between two looks of --watch
	hosted                *Hosted       // nil on one's own machine
}

// App is one run of svcctl: its World and its flags.
type App struct {
	World

	Flags    globals
	session  *login.Session // that of the program around this one, nil to find one
	conn     *Connection
	called   string      // the command that runs, without svcctl
	overtime func() bool // whether --deadline has passed
	cleanup  func()
	debugMu  sync.Mutex

	previewMu sync.Mutex
	previewed []client.Preview // by --dry-run, in place of being sent
}

// System is the world of this process.
func System() *App {
	a := &App{World: World{
		In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr,
		Getenv: os.Getenv,
		Now:    time.Now,

		WatchPause: time.Second,

		TTYIn:  term.IsTerminal(int(os.Stdin.Fd())),
		TTYOut: term.IsTerminal(int(os.Stdout.Fd())),
		TTYErr: term.IsTerminal(int(os.Stderr.Fd())),

		OpenBrowser: openBrowser,
		UseKeyring:  os.Getenv("SVCCTL_NO_KEYRING") == "",
	}}
	a.ReadPassword = func() (string, error) {
		secret, err := term.ReadPassword(int(os.Stdin.Fd()))
		return string(secret), err
	}
	if a.TTYOut {
		if width, height, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			a.Width, a.Height = width, height
		}
	}
	return a
}

// Within is the world of a command that runs inside this program: with its session,
// without terminal or input, and with all its output in out, whose tables are width
// cells wide.
func (a *App) Within(out io.Writer, width int) *App {
	child := &App{World: a.World}
	child.In, child.Out, child.ErrOut = strings.NewReader(""), out, out
	child.TTYIn, child.TTYOut, child.TTYErr, child.Width, child.Height = false, width > 0, false, width, 0
	child.Getenv = func(name string) string {
		if name == "NO_COLOR" {
			return "1"
		}
		return a.Getenv(name)
	}
	child.OpenBrowser = func(string) error { return errNoTerminal }
	child.ReadPassword = func() (string, error) { return "", errNoTerminal }
	if a.conn != nil {
		child.session = a.conn.Session
	}
	return child
}

// OnContext is the same world with another context of the configuration file. What
// the environment says of instance and token is about the first one, and is left out.
func (a *App) OnContext(name string) *App {
	other := &App{World: a.World, Flags: a.Flags}
	other.Getenv = func(variable string) string {
		switch variable {
		case "SVCCTL_URL", "SVCCTL_CONTEXT", "SVCCTL_TOKEN", "SVCCTL_TOKEN_FILE":
			return ""
		}
		return a.Getenv(variable)
	}
	other.Flags.Context, other.Flags.URL = name, ""
	return other
}

var errNoTerminal = errors.New("this needs a terminal of its own")

// Execute runs the command that args name, and returns the exit code.
func (a *App) Execute(root *cobra.Command, args []string) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			cancel(&interrupted{s})
			signal.Stop(signals) // a second one ends the process at once
		case <-ctx.Done():
		}
	}()
	return a.ExecuteContext(ctx, root, args)
}

// ExecuteContext is Execute until ctx ends, whatever signals come.
func (a *App) ExecuteContext(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.called = strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " ")
	if a.overtime != nil {
		if ExitOf(err) == ExitNetwork && a.overtime() {
			err = errDeadline // the network's error is only its consequence
		}
		a.cleanup()
	}
	if err == nil {
		return ExitDone
	}
	var stop *interrupted
	if cause := context.Cause(ctx); errors.As(cause, &stop) && ctx.Err() != nil {
		err = stop
	}
	return a.fail(err)
}

// interrupted is the end by a signal.
type interrupted struct{ signal os.Signal }

func (i *interrupted) Error() string { return "interrupted" }

// openBrowser starts $BROWSER, or else the system's program for pages.
var errNoDisplay = errors.New("there is no display, and BROWSER is not set")

func openBrowser(url string) error {
	name, args := "xdg-open", []string{url}
	switch chosen := os.Getenv("BROWSER"); {
	case chosen != "":
		name = chosen
	case runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return errNoDisplay
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // only so that it does not stay a zombie
	return nil
}
