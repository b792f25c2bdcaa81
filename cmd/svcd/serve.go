package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/client/build"
	"svc/cmd/svcd/sshd"
	"svc/db"
	"svc/server"
	"svc/server/platform/backup"
	"svc/server/platform/config"
	"svc/server/platform/tracing"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "serve", Short: "Run the service (also without a command)", Args: cobra.NoArgs}
	cmd.SetUsageTemplate(cmd.UsageTemplate() + `
Settings that are variables only; with _FILE at the end of a name, its value is
read from that file:
` + config.Variables())
	a.bindServe(cmd)
	return cmd
}

// bindServe makes cmd serve.
func (a *app) bindServe(cmd *cobra.Command) {
	config.BindFlags(cmd.Flags())
	noMigrate := cmd.Flags().Bool("no-migrate", false, "refuse to start when the database schema is not up to date")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, log, err := a.load(cmd)
		if err != nil {
			return err
		}
		return a.serve(cmd.Context(), cfg, log, *noMigrate, again(cmd.Flags()))
	}
}

// serve runs the service until ctx ends. If the disk of the database is full at the
// start, nothing can be served, since even reading takes a little room: requests are
// answered with 503, and the start is tried again. Flags select the same data in
// another command, for the hint.
func (a *app) serve(ctx context.Context, cfg config.Config, log *slog.Logger, noMigrate bool, flags string) error {
	boundMemory(ctx, cfg.Memory, log)
	super := a.supervisor(log)
	context.AfterFunc(ctx, func() { super.tell("STOPPING=1", "STATUS=Answering the last requests") })
	if a.terminal {
		cfg.Drain = 0 // a person waits for the end, and no balancer
	} else {
		// On a terminal that closes, the signal ends the service as it ends every program.
		a.onHangup(func() { log.InfoContext(ctx, "SIGHUP: the service is not ready yet, there is nothing to read again") })
	}
	traces, err := tracing.FromEnvironment(ctx, build.Read().Release(), log)
	if err != nil {
		return err
	}
	defer func() {
		left, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTraces)
		defer cancel()
		traces.Close(left)
	}()
	for {
		err := a.serveOnce(ctx, cfg, log, super, traces, noMigrate, flags)
		if !db.IsFull(err) {
			return err
		}
		log.ErrorContext(ctx, "cannot start: the disk of the database or of the data folder is full; requests get 503, and the start is tried again until there is room", "database", db.Redact(cfg.Database), "err", err)
		super.tell("STATUS=The disk is full: requests get 503, and the start is tried again")
		if err := server.AwaitRoom(ctx, cfg); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// lastTraces bounds how long the last traces keep the end waiting.
const lastTraces = 5 * time.Second

// serveOnce is serve with one attempt to start.
func (a *app) serveOnce(ctx context.Context, cfg config.Config, log *slog.Logger, super supervisor, traces *tracing.Traces, noMigrate bool, flags string) error {
	d, err := a.openServing(ctx, cfg, log, traces, noMigrate)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var srv *server.Server
	var l net.Listener
	ready := func() {
		if !a.terminal {
			a.onHangup(func() { super.reloading(func() { srv.Reload(ctx) }) })
		}
		super.serving(cfg.BaseURL)
		go super.watch(ctx, l.Addr())
	}
	srv, err = server.New(ctx, cfg, d, server.Options{Log: log, Now: a.now, Version: build.Read().Release(), Traces: traces, Ready: ready})
	if err != nil {
		return errors.Join(err, d.Close())
	}
	if l, err = server.Listen(cfg); err != nil {
		return errors.Join(err, d.Close())
	}
	if a.terminal {
		if err := a.hintFirstAdmin(ctx, d, flags); err != nil {
			return errors.Join(err, l.Close(), d.Close())
		}
	}
	serveSSH, err := a.listenSSH(ctx, cfg, srv, log)
	if err != nil {
		return errors.Join(err, l.Close(), d.Close())
	}
	ended := make(chan error, 1)
	go func() {
		ended <- serveSSH(ctx)
		stop() // if it failed, the service ends
	}()
	err = srv.Serve(ctx, l)
	_ = l.Close() // open still if nothing was served
	stop()
	return errors.Join(err, <-ended, d.Close())
}

// listenSSH opens the address for SSH, and returns how to serve there: nothing where
// it is off.
func (a *app) listenSSH(ctx context.Context, cfg config.Config, srv *server.Server, log *slog.Logger) (func(context.Context) error, error) {
	if cfg.SSHListen == "" {
		return func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}, nil
	}
	s, err := sshd.New(ctx, sshd.Parts{Service: srv, Config: cfg, Limits: sshd.Usual, Log: log, Now: a.now})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cfg.SSHListen)
	if err != nil {
		return nil, fmt.Errorf("SVC_SSH_LISTEN: %w", err)
	}
	return func(ctx context.Context) error { return s.Serve(ctx, l) }, nil
}

// unlessStopped is err, or nil when it came of being told to stop.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// openServing opens the database for serving: with its schema up to date, or
// with noMigrate not at all.
func (a *app) openServing(ctx context.Context, cfg config.Config, log *slog.Logger, traces *tracing.Traces, noMigrate bool) (*db.DB, error) {
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	if err := makeDataDir(cfg.DataDir); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, cfg.Database, db.Options{Log: log, Now: a.now, Observe: traces.Statements(), Connections: cfg.DatabaseConnections})
	if err != nil {
		return nil, err
	}
	// Before anything is changed.
	var schema db.Schema
	if err = d.LockForServing(); err == nil {
		if schema, err = d.Schema(ctx); err == nil {
			err = schema.Err()
		}
	}
	switch {
	case err != nil:
	case noMigrate && schema.Pending():
		err = fmt.Errorf("the database schema is at %d of %d with %d migrations pending, and --no-migrate was given; run 'svcd migrate' first",
			schema.Version, schema.Latest, len(schema.Missing)+len(schema.MissingJobs))
	default:
		err = d.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// makeDataDir makes the folder for the owner alone: it may hold the database
// and keys.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// hintFirstAdmin prints how to begin, on a terminal, while there is no account.
func (a *app) hintFirstAdmin(ctx context.Context, d *db.DB, flags string) error {
	known, err := d.AnyAccount(ctx)
	if err != nil || known {
		return err
	}
	_, err = fmt.Fprintf(a.stderr, "Nobody has an account yet. Make the first admin in another terminal:\n\n"+
		"    svcd user create NAME --email you@example.org --admin%s\n\n", flags)
	return err
}

// again gives those flags that another command needs to find the same data. An
// address with a password in it stays out of sight.
func again(flags *pflag.FlagSet) string {
	var b strings.Builder
	for _, name := range []string{"config", "data-dir", "database"} {
		if f := flags.Lookup(name); f != nil && f.Changed {
			value := f.Value.String()
			if name == "database" && !strings.HasPrefix(value, "sqlite:") {
				value = "…"
			}
			fmt.Fprintf(&b, " --%s %s", name, shellWord(value))
		}
	}
	return b.String()
}

// shellWord quotes text that a shell would split.
func shellWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
