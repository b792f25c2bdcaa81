package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc/client"
	"svc/client/build"
	"svc/client/login"
	"svc/client/playbook"
	"svc/db"
	"svc/server"
	"svc/server/demo"
	"svc/server/platform/config"
	"svc/tui"
)

// The default sizes of a demo. 48 reports leave 41 open.
const (
	demoAccounts = 60
	demoStatuses = 600
	demoReports  = 48
)

// demoOptions are the flags of demo.
type demoOptions struct {
	plan     demo.Options
	headless bool
}

func (a *app) demoCommand() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try svc with sample data: a server, and the moderators' terminal UI on it",
		Long: "Serve sample accounts, statuses and open reports on a free loopback port, from a temporary folder\n" +
			"that is removed at the end, and open the terminal UI for moderators on them.\n\n" +
			"Data in --data-dir and --database is kept. Of the environment only SVC_DATABASE, SVC_LOG and SVC_NAME count.\n" +
			"The same seed always gives the same data.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags().Changed("accounts")); err != nil {
				return err
			}
			if !o.headless && (!isTerminal(a.stdin) || !isTerminal(a.stdout)) {
				return usagef("demo: this is no terminal; give --headless to serve only")
			}
			cfg, err := a.loadDemo(cmd)
			if err != nil {
				return err
			}
			return a.demo(cmd.Context(), cfg, o)
		},
	}
	flags := cmd.Flags()
	config.BindSomeFlags(flags, "listen", "database", "data-dir", "log-level", "log-format")
	flags.Lookup("listen").DefValue = "a free port on 127.0.0.1"
	flags.Lookup("data-dir").DefValue = "a temporary folder"
	flags.BoolVar(&o.headless, "headless", false, "serve only, and print URL, user, password and an access token")
	flags.IntVar(&o.plan.Accounts, "accounts", demoAccounts, "how many accounts; more by themselves where there are many statuses or reports")
	flags.IntVar(&o.plan.Statuses, "statuses", demoStatuses, "how many statuses")
	flags.IntVar(&o.plan.Reports, "reports", demoReports, "how many reports, of which some are handled already")
	flags.Uint64Var(&o.plan.Seed, "seed", 1, "which world")
	return cmd
}

// most bounds each size of a demo.
const most = 100_000_000

func (o *demoOptions) check(accountsGiven bool) error {
	if !accountsGiven {
		o.plan.Accounts = max(demoAccounts, o.plan.Statuses/500, o.plan.Reports/50)
	}
	for _, size := range []struct {
		flag   string
		n, min int
	}{{"accounts", o.plan.Accounts, demo.MinAccounts}, {"statuses", o.plan.Statuses, 0}, {"reports", o.plan.Reports, 0}} {
		if size.n < size.min || size.n > most {
			return usagef("--%s: %d is not accepted; give a number from %d to %d", size.flag, size.n, size.min, most)
		}
	}
	return nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// loadDemo reads the settings of a demo. Settings of a real service on this
// machine do not apply, except for the address of a database server.
func (a *app) loadDemo(cmd *cobra.Command) (config.Config, error) {
	flags := cmd.Flags()
	if !flags.Changed("listen") {
		if err := flags.Set("listen", "127.0.0.1:0"); err != nil {
			return config.Config{}, err
		}
	}
	cfg, err := config.Load(flags, func(name string) (string, bool) {
		switch name {
		case "SVC_DATABASE", "SVC_DATABASE_FILE", "SVC_LOG", "SVC_NAME":
			return a.lookupEnv(name)
		case "SVC_BASE_URL":
			return "http://localhost", true // until the port is known
		}
		return "", false
	})
	if err != nil {
		return cfg, err
	}
	if network, _ := cfg.Network(); network != "tcp" {
		return cfg, config.Problems{{Setting: "--listen", Value: cfg.Listen, Accepted: "host:port, as the demo is used over HTTP"}}
	}
	if !flags.Changed("data-dir") {
		// The database, too, goes where it can be removed.
		if cfg.Database == "sqlite:"+filepath.Join(cfg.DataDir, "svc.db") {
			cfg.Database = ""
		}
		cfg.DataDir = ""
	}
	return cfg, nil
}

// demo makes the world, serves it and shows it, until it is left.
func (a *app) demo(ctx context.Context, cfg config.Config, o demoOptions) (err error) {
	if cfg.DataDir == "" {
		dir, err := os.MkdirTemp("", "svcd-demo-")
		if err != nil {
			return err
		}
		a.leftovers.Store(&dir)
		defer func() { _ = os.RemoveAll(dir) }()
		cfg.DataDir = dir
	} else if err := makeDataDir(cfg.DataDir); err != nil {
		return err
	}
	if cfg.Database == "" {
		cfg.Database = "sqlite:" + filepath.Join(cfg.DataDir, "svc.db")
	}
	log, closeLog, err := a.demoLog(cfg, o.headless)
	if err != nil {
		return err
	}
	defer closeLog()
	l, err := server.Listen(cfg)
	if err != nil {
		return err
	}
	cfg.Listen = l.Addr().String()
	cfg.BaseURL = reachable(l.Addr())
	d, err := a.open(ctx, cfg, log)
	if err != nil {
		_ = l.Close()
		return unlessStopped(ctx, err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	password := rand.Text()
	who, err := a.populate(ctx, cfg, d, o.plan, password)
	if err != nil {
		_ = l.Close()
		return unlessStopped(ctx, err)
	}
	return a.showDemo(ctx, cfg, d, l, log, shown{o.headless, who, password})
}

// demoLog goes to stderr, or to a file while stderr is the screen.
func (a *app) demoLog(cfg config.Config, headless bool) (*slog.Logger, func(), error) {
	if headless {
		return cfg.Logger(a.stderr, a.terminal), func() {}, nil
	}
	f, err := os.OpenFile(filepath.Join(cfg.DataDir, "svcd.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	return cfg.Logger(f, false), func() { _ = f.Close() }, nil
}

// reachable is the URL of the address for a browser on this machine.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}).String()
}

// crew are nicknames of people in a demo: its admin, the moderators, and somebody
// without a role.
type crew struct {
	admin      string
	moderators []string
	person     string
}

// populate makes the sample data.
func (a *app) populate(ctx context.Context, cfg config.Config, d *db.DB, o demo.Options, password string) (crew, error) {
	var found crew
	switch inhabited, err := d.AnyAccount(ctx); {
	case err != nil:
		return found, err
	case inhabited:
		return found, demo.ErrInhabited
	}
	if err := server.KeepBaseURL(ctx, d, cfg.BaseURL); err != nil {
		return found, err
	}
	o.End = a.now()
	plan, err := demo.NewPlan(o)
	if err != nil {
		return found, err
	}
	p := &progress{app: a, start: time.Now()}
	// Statements make much garbage and little stays: looking for it more seldom
	// saves a tenth of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	err = demo.Build(ctx, plan, demo.Place{
		Database: cfg.Database, BaseURL: cfg.BaseURL, DataDir: cfg.DataDir, Settings: cfg.Settings,
		Password: password, Progress: p.told,
	})
	p.end()
	for _, who := range plan.People {
		switch {
		case who.Role == demo.Admin:
			found.admin = who.Nick
		case who.Role == demo.Moderator:
			found.moderators = append(found.moderators, who.Nick)
		case who.Role == demo.Ordinary && who.Domain == "" && found.person == "":
			found.person = who.Nick
		}
	}
	return found, err
}

// progress tells on stderr how far a long piece of work is.
type progress struct {
	app   *app
	start time.Time
	next  time.Duration
	begun bool
}

func (p *progress) told(done, of int) {
	took := time.Since(p.start)
	if took < max(time.Second, p.next) {
		return
	}
	line := fmt.Sprintf("making sample data: %d%% of about %d steps", int(math.Floor(100*float64(done)/float64(max(of, 1)))), of)
	if p.app.terminal {
		p.next = took + 200*time.Millisecond
		_, _ = fmt.Fprintf(p.app.stderr, "\r%s", line)
	} else {
		p.next = took + 10*time.Second
		_, _ = fmt.Fprintln(p.app.stderr, line)
	}
	p.begun = true
}

// end clears the line.
func (p *progress) end() {
	if p.begun && p.app.terminal {
		_, _ = fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
}

// shown holds the sign-in for a demo, and how it is shown.
type shown struct {
	headless bool
	crew     crew
	password string
}

// reach is the way into the demo by a browser or an app.
func (s shown) reach(address string) []string {
	return []string{
		"url         " + address,
		"password    " + s.password + "  (of everybody here)",
		"admin       " + s.crew.admin,
		"moderators  " + strings.Join(s.crew.moderators, ", "),
		"person      " + s.crew.person,
	}
}

// showDemo serves on l until ctx ends or the moderator's program is left.
func (a *app) showDemo(ctx context.Context, cfg config.Config, d *db.DB, l net.Listener, log *slog.Logger, s shown) error {
	cfg.Drain = 0 // no balancer is in front
	srv, err := server.New(ctx, cfg, d, server.Options{Log: log, Now: a.now, Version: build.Read().Release()})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(ctx, l)
		stop() // a failed service ends the TUI
	}()
	err = a.meet(ctx, cfg, s)
	if ctx.Err() != nil {
		err = nil // the cause of the end has its own error
	}
	stop()
	return errors.Join(err, <-served)
}

// meet signs the moderator in, and shows the program or prints how to reach it.
func (a *app) meet(ctx context.Context, cfg config.Config, s shown) error {
	origin, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return err
	}
	in, err := login.NewLogin(origin, login.Credential{}, login.Scopes)
	if err != nil {
		return err
	}
	credential, err := in.Password(ctx, s.crew.admin, s.password)
	if err != nil {
		return fmt.Errorf("sign %s in: %w", s.crew.admin, err)
	}
	if s.headless {
		var b strings.Builder
		for _, line := range [][2]string{{"url", cfg.BaseURL}, {"user", s.crew.admin}, {"password", s.password}, {"token", credential.AccessToken}} {
			fmt.Fprintf(&b, "%-9s %s\n", line[0], line[1])
		}
		if _, err := fmt.Fprint(a.stdout, b.String()); err != nil {
			return err
		}
		if a.terminal {
			_, _ = fmt.Fprintln(a.stderr, "Everybody else here has the same password. Ctrl-C ends the demo.")
		}
		<-ctx.Done()
		return nil
	}
	c, err := client.New(cfg.BaseURL, client.WithToken(credential.AccessToken))
	if err != nil {
		return err
	}
	books, err := playbook.Load(nil, nil)
	if err != nil {
		return err
	}
	reach := s.reach(cfg.BaseURL)
	err = tui.Run(ctx, tui.Options{Client: c, Context: "demo", StateDir: filepath.Join(cfg.DataDir, "tui"), Playbooks: books, Demo: reach})
	_, printErr := fmt.Fprintln(a.stdout, strings.Join(append([]string{"This demo was at"}, reach...), "\n"))
	return errors.Join(err, printErr)
}
