// Command svcctl administers an instance of svc from a terminal or a script:
// nouns and verbs over the admin API, and a terminal UI for triage.
//
// A file holds one noun: its verbs, its columns, and its completions. A function
// builds one command. Lists go through listCommand (lists.go), changes through
// actOn or carryOut (writes.go), which ask, send and print results; exit codes
// come from errors.go alone. Package output has the formats.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"svc/client"
	"svc/tui/quiet"
)

func main() {
	quiet.Restore()
	os.Exit(run(systemApp(), os.Args[1:]))
}

// app is the world of one run: its streams, its environment, its flags.
type app struct {
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	getenv func(string) string
	now    func() time.Time
	// whether the streams are terminals, and how wide standard output is
	ttyIn, ttyOut, ttyErr bool
	width                 int
	openBrowser           func(url string) error
	readPassword          func() (string, error)
	useKeyring            bool

	g        globals
	conn     *connection
	overtime func() bool // whether --deadline has passed
	cleanup  func()
	debugMu  sync.Mutex

	previewMu sync.Mutex
	previewed []client.Preview // by --dry-run, in place of being sent
}

func systemApp() *app {
	a := &app{
		in: os.Stdin, out: os.Stdout, errOut: os.Stderr,
		getenv: os.Getenv,
		now:    time.Now,
		ttyIn:  term.IsTerminal(int(os.Stdin.Fd())),
		ttyOut: term.IsTerminal(int(os.Stdout.Fd())),
		ttyErr: term.IsTerminal(int(os.Stderr.Fd())),

		openBrowser: openBrowser,
		useKeyring:  os.Getenv("SVCCTL_NO_KEYRING") == "",
	}
	a.readPassword = func() (string, error) {
		secret, err := term.ReadPassword(int(os.Stdin.Fd()))
		return string(secret), err
	}
	if a.ttyOut {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			a.width = width
		}
	}
	return a
}

// run is main without the process: it returns the exit code.
func run(a *app, args []string) int {
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
	root := newRoot(a)
	root.SetArgs(args)
	_, err := root.ExecuteContextC(ctx)
	if a.overtime != nil {
		if exitOf(err) == exitNetwork && a.overtime() {
			err = errDeadline // what the network says of it is only its consequence
		}
		a.cleanup()
	}
	if err == nil {
		return exitDone
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

// openBrowser starts $BROWSER, or else what the system opens pages with.
func openBrowser(url string) error {
	name, args := "xdg-open", []string{url}
	switch chosen := os.Getenv("BROWSER"); {
	case chosen != "":
		name = chosen
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
