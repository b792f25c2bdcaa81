// Command svcd is the svc server. It serves, runs a demo, and has the few
// commands for operators.
//
// Each command reads settings, opens the database, and calls one operation;
// there are no rules here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc/db"
	"svc/server/platform/backup"
	"svc/server/platform/config"
	"svc/tui/noprobe"
)

// Exit codes, which scripts may rely on.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	noprobe.Restore()
	os.Exit(run(os.Args[1:]))
}

// run is a whole process, up to its exit code.
func run(args []string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		lookupEnv: os.LookupEnv, terminal: term.IsTerminal(int(os.Stderr.Fd())), now: time.Now,
	}
	a.stopOnSignal(cancel)
	root := a.rootCommand()
	root.SetArgs(args)
	return a.exitCode(root.ExecuteContext(ctx))
}

// stopOnSignal cancels at the first signal and exits at the second. A terminal
// that closes is one, unless it was told not to be, or the command takes SIGHUP for
// something else.
func (a *app) stopOnSignal(cancel context.CancelFunc) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	next := func() {
		for s := range signals {
			do := a.hangup.Load()
			if s != syscall.SIGHUP || do == nil {
				return
			}
			(*do)()
		}
	}
	go func() {
		next()
		cancel()
		next()
		if dir := a.leftovers.Load(); dir != nil {
			_ = os.RemoveAll(*dir)
		}
		os.Exit(exitFailed)
	}()
}

// app is shared by all commands.
type app struct {
	stdin     io.Reader
	stdout    io.Writer
	stderr    io.Writer
	lookupEnv func(string) (string, bool)
	terminal  bool // stderr is one
	now       func() time.Time
	running   bool // a command has begun; before that, errors are wrong usage
	// leftovers is a folder to be removed even when there is no time to end.
	leftovers atomic.Pointer[string]
	hangup    atomic.Pointer[func()] // see onHangup
}

// onHangup makes SIGHUP do that, instead of ending the process.
func (a *app) onHangup(do func()) { a.hangup.Store(&do) }

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "svcd", Short: "A federated microblogging server",
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		// Cobra compares flags with each other only after this, when a fault would no longer
		// count as wrong usage.
		if err := cmd.ValidateFlagGroups(); err != nil {
			return err
		}
		a.running = true
		return nil
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.bindServe(root)
	root.AddCommand(a.serveCommand(), a.demoCommand(), a.userCommand(), a.configCommand(), a.migrateCommand(), a.backupCommand(), a.restoreCommand(), a.moveCommand(), a.pruneCommand(), a.checkCommand(), a.healthcheckCommand(), a.manCommand(), a.frontendCommand(), a.versionCommand())
	return root
}

// exitCode prints the error, if any, on stderr.
func (a *app) exitCode(err error) int {
	var problems config.Problems
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &problems):
		for _, p := range problems {
			fmt.Fprintf(a.stderr, "svcd: %s\n", p)
		}
		return exitUsage
	case errors.As(err, new(usageError)), !a.running:
		fmt.Fprintf(a.stderr, "svcd: %s\nRun 'svcd --help' for usage.\n", err)
		return exitUsage
	case errors.Is(err, db.ErrNewer):
		fmt.Fprintf(a.stderr, "svcd: %s\nNothing was changed. Run the program that migrated it, or a later one.\n", err)
		return exitFailed
	case errors.Is(err, db.ErrOlder):
		fmt.Fprintf(a.stderr, "svcd: %s\nNothing was changed. Begin with an empty database, or run the program that made this one.\n", err)
		return exitFailed
	default:
		fmt.Fprintf(a.stderr, "svcd: %s\n", oneLine(err))
		return exitFailed
	}
}

// oneLine is err on one line: drivers list their attempts.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// usageError is wrong usage that shows only once a command runs.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// load reads the boot settings for a command that has their flags.
func (a *app) load(cmd *cobra.Command) (config.Config, *slog.Logger, error) {
	cfg, err := config.Load(cmd.Flags(), a.lookupEnv)
	if err != nil {
		return cfg, nil, err
	}
	return cfg, cfg.Logger(a.stderr, a.terminal), nil
}

// open opens the database of cfg with its schema up to date.
func (a *app) open(ctx context.Context, cfg config.Config, log *slog.Logger) (*db.DB, error) {
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, cfg.Database, db.Options{Log: log, Now: a.now})
	if err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}
