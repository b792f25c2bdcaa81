//go:build linux

// Command bench measures svc on the machine it runs on and prints what it
// found as Markdown: how many requests a second, how long each takes, and what
// processor time and memory that costs, with little data and with much, on
// every database there is.
//
//	go run ./docs/bench                    all of it
//	go run ./docs/bench -sizes small       a quick look
//	go run ./docs/bench -delivery 1000     posts to other servers, instead
//	go run ./docs/bench -streams 10000     open streams, instead
//	go run ./docs/bench -before OTHER      beside another svcd, in turns
//
// It needs Go, Linux for /proc, and for PostgreSQL its programs. It builds svcd,
// makes the data with svcd demo, and drives svcd over HTTP like any client, so
// that it measures what people run.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	sizes     []size
	databases []string // "sqlite", "postgres"
	work      string   // where data is kept, "" for a temporary folder
	seconds   float64
	runs      int
	only      []string // endpoints, none are all
	tui       bool
	delivery  int    // hosts that posts are brought to; 0 measures requests
	streams   int    // sockets that are open; 0 measures requests
	before    string // another svcd, measured beside
	out       string
}

// A size is how much data a world has.
type size struct {
	Name     string `json:"name"`
	Statuses int    `json:"statuses"`
	Reports  int    `json:"reports"`
}

// The last has as many reports as the largest and as few statuses as the
// smallest: it tells what reports cost, and is made in minutes.
var allSizes = []size{{"small", 10_000, 100}, {"large", 1_000_000, 100_000}, {"reported", 10_000, 100_000}}

// connections are the numbers of them that requests are measured with.
var connections = []int{1, 16}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	sizes := flags.String("sizes", "small,large", "small (10,000 statuses, 100 reports), reported (10,000, 100,000), large (1,000,000, 100,000)")
	databases := flags.String("databases", "", "sqlite, postgres (default: sqlite, and postgres where it is found)")
	flags.StringVar(&o.work, "work", "", "keep the data in this folder, and use what is there already")
	flags.Float64Var(&o.seconds, "seconds", 2, "how long each measurement lasts, after half a second that does not count")
	flags.IntVar(&o.runs, "runs", 3, "how often each is repeated; the median is reported")
	only := flags.String("only", "", "measure these endpoints alone, as home or \"report list,user list\"")
	flags.BoolVar(&o.tui, "tui", true, "measure the terminal program too")
	flags.IntVar(&o.delivery, "delivery", 0, "measure how posts are brought to so many hosts, instead of requests")
	flags.IntVar(&o.streams, "streams", 0, "measure streams with so many open sockets, instead of requests")
	flags.StringVar(&o.before, "before", "", "another svcd to measure beside, in turns")
	flags.StringVar(&o.out, "out", "", "also write everything to this file, as JSON")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q: takes flags only", flags.Arg(0))
	}
	if o.sizes, err = named("sizes", *sizes, allSizes, func(s size) string { return s.Name }); err != nil {
		return o, err
	}
	if *only != "" {
		if _, err := named("only", *only, endpoints, func(e endpoint) string { return e.name }); err != nil {
			return o, err
		}
		o.only = strings.Split(*only, ",")
	}
	if *databases == "" {
		*databases = "sqlite"
		if postgresPrograms() != "" {
			*databases = "sqlite,postgres"
		}
	}
	if o.databases, err = named("databases", *databases, []string{"sqlite", "postgres"}, func(s string) string { return s }); err != nil {
		return o, err
	}
	switch {
	case slices.Contains(o.databases, "postgres") && postgresPrograms() == "":
		return o, errors.New("-databases postgres: no PostgreSQL is installed here")
	case o.delivery < 0 || o.delivery > 10_000:
		return o, errors.New("-delivery must be up to 10000")
	case o.streams < 0 || o.streams > 100_000 || o.streams > 0 && o.delivery > 0:
		return o, errors.New("-streams must be up to 100000, and goes without -delivery")
	case o.seconds < 0.1 || o.seconds > 60 || o.runs < 1 || o.runs > 20:
		return o, errors.New("-seconds must be 0.1 to 60, -runs 1 to 20")
	}
	return o, nil
}

// named returns what a list of names stands for.
func named[T any](flag, list string, all []T, name func(T) string) (found []T, err error) {
	for _, n := range strings.Split(list, ",") {
		i := slices.IndexFunc(all, func(t T) bool { return name(t) == n })
		if i < 0 {
			return nil, fmt.Errorf("-%s %q: there is no %q", flag, list, n)
		}
		found = append(found, all[i])
	}
	return found, nil
}

// A bench is one run of this program.
type bench struct {
	options
	programs []program
	report   report
	worlds   []*world // to be closed
}

// A program is an svcd: "now", or "before" for one measured beside.
type program struct{ name, svcd string }

// run measures all that o names and prints the report.
func run(ctx context.Context, o options) (err error) {
	temp, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	b := &bench{options: o, report: report{Started: time.Now().UTC().Truncate(time.Second), Machine: machine(), Seconds: o.seconds, Runs: o.runs}}
	var err1, err2 error
	b.work, err1 = filepath.Abs(cmp.Or(o.work, temp))
	// Commands run in other folders.
	if b.before, err2 = filepath.Abs(o.before); o.before != "" {
		b.programs = append(b.programs, program{"before", b.before})
	}
	// Visitors keep their connections.
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 16
	// PostgreSQL refuses to run as root; its own user must reach its folder.
	if err := errors.Join(err1, err2, os.Chmod(temp, 0o711), os.MkdirAll(b.work, 0o711)); err != nil {
		return err
	}
	root, err := b.build(ctx, temp)
	if err != nil {
		return err
	}
	switch {
	case o.delivery > 0:
		err = b.measureDeliveries(ctx)
	case o.streams > 0:
		err = b.measureStreams(ctx)
	default:
		err = b.measureRequests(ctx)
	}
	for _, w := range b.worlds {
		err = errors.Join(err, w.close())
	}
	if err == nil && o.tui && o.delivery+o.streams == 0 {
		note("measuring the terminal program")
		b.report.Terminal, err = terminal(ctx, root)
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		raw, err := json.MarshalIndent(b.report, "", " ")
		if err := errors.Join(err, os.WriteFile(o.out, append(raw, '\n'), 0o644)); err != nil {
			return err
		}
	}
	return b.report.print(os.Stdout)
}

// build makes svcd as a release would have it, and returns the folder of its source.
func (b *bench) build(ctx context.Context, dir string) (root string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the source: %w", err)
	}
	note("building svcd")
	svcd := filepath.Join(dir, "svcd")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", svcd, "./cmd/svcd")
	cmd.Dir, cmd.Stdout, cmd.Stderr = strings.TrimSpace(string(out)), os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go build: %w", err)
	}
	b.programs = append(b.programs, program{"now", svcd})
	version, err := exec.CommandContext(ctx, svcd, "version").Output()
	b.report.Version, _, _ = strings.Cut(string(version), "\n")
	return cmd.Dir, err
}

// beside adds a world for each program.
func (b *bench) beside(kind, database string, s size) []*world {
	var worlds []*world
	for _, p := range b.programs {
		worlds = append(worlds, &world{Program: p.name, Database: database, Size: s, svcd: p.svcd, dir: filepath.Join(b.work, strings.TrimSuffix(kind+p.name+"-"+database+"-"+s.Name, "-"))})
	}
	b.worlds = append(b.worlds, worlds...)
	return worlds
}

// measureRequests makes every world, then measures them all side by side, so
// that noise of the machine falls on all alike.
func (b *bench) measureRequests(ctx context.Context) error {
	for _, database := range b.databases {
		for _, s := range b.sizes {
			var like *world
			for _, w := range b.beside("", database, s) {
				if err := w.prepare(ctx, like); err != nil {
					return fmt.Errorf("%s: %w", w, err)
				}
				if err := w.measureStart(ctx); err != nil {
					return fmt.Errorf("%s: %w", w, err)
				}
				like = w
			}
		}
	}
	worlds := b.worlds
	b.report.Worlds = worlds
	for _, w := range worlds {
		if err := w.serve(ctx, ""); err != nil {
			return err
		}
	}
	if err := pause(ctx, idleFor); err != nil {
		return err
	}
	for _, w := range worlds {
		w.Idle = w.memory()
	}
	for _, w := range worlds {
		if err := w.learn(ctx); err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
	}
	// Writes change the answers of lists, so they come last.
	for _, writes := range []bool{false, true} {
		for range b.runs {
			for _, e := range endpoints {
				if e.writes != writes || b.only != nil && !slices.Contains(b.only, e.name) {
					continue
				}
				for _, n := range connections {
					for _, w := range worlds {
						c, err := w.load(ctx, e, n, b.seconds)
						if err != nil {
							return fmt.Errorf("%s on %s: %w", e.name, w, err)
						}
						note("%-12s %2d workers  %-22s  %7.0f/s  %.2f CPU s/1000", e.name, n, w, c.Rate, c.CPU)
						b.report.Cells = append(b.report.Cells, c)
					}
				}
			}
		}
		for _, w := range worlds {
			if writes {
				w.AfterWrites = w.memory()
			} else {
				w.AfterReads = w.memory()
			}
		}
	}
	return nil
}

// note prints the present step for a person who waits.
func note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
