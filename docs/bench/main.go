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
// It needs Go, Linux for /proc, and for PostgreSQL either its programs or the
// address of a server that may create databases. It builds the programs, makes
// the data with svcd demo, and drives svcd over HTTP like any client: it
// imports nothing of the service, so that it measures what people run.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	sizes     []size
	databases []string // "sqlite", "postgres"
	dsn       string   // of a PostgreSQL server that runs already
	work      string   // where data is kept, "" for a temporary folder
	seconds   float64
	runs      int
	workers   []int
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

var allSizes = []size{{"small", 10_000, 100}, {"large", 1_000_000, 100_000}}

// reported has as many reports as the largest and as few statuses as the smallest: it
// tells what reports cost, and is made in minutes.
var reported = size{"reported", 10_000, 100_000}

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

func parse(args []string) (options, error) {
	o := options{workers: []int{1, 16}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	sizes := flags.String("sizes", "small,large", "small (10,000 statuses, 100 reports), reported (10,000, 100,000), large (1,000,000, 100,000)")
	databases := flags.String("databases", "", "sqlite, postgres (default: sqlite, and postgres where it is found)")
	flags.StringVar(&o.dsn, "postgres", "", "use this PostgreSQL server (postgres://…) instead of starting one")
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
	for _, name := range strings.Split(*sizes, ",") {
		found := false
		for _, s := range append(slices.Clone(allSizes), reported) {
			if s.Name == name {
				o.sizes, found = append(o.sizes, s), true
			}
		}
		if !found {
			return o, fmt.Errorf("-sizes %q: want some of small, reported, large", *sizes)
		}
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, name := range o.only {
		if !slices.ContainsFunc(endpoints, func(e endpoint) bool { return e.name == name }) {
			return o, fmt.Errorf("-only %q: there is no such endpoint", name)
		}
	}
	switch {
	case *databases != "":
		o.databases = strings.Split(*databases, ",")
	case o.dsn != "" || postgresPrograms() != "":
		o.databases = []string{"sqlite", "postgres"}
	default:
		o.databases = []string{"sqlite"}
	}
	for _, d := range o.databases {
		if d != "sqlite" && d != "postgres" {
			return o, fmt.Errorf("-databases %q: want sqlite, postgres or sqlite,postgres", *databases)
		}
		if d == "postgres" && o.dsn == "" && postgresPrograms() == "" {
			return o, errors.New("-databases postgres: no PostgreSQL is installed here; name a server with -postgres")
		}
	}
	if o.delivery < 0 || o.delivery > 10_000 {
		return o, errors.New("-delivery must be up to 10000")
	}
	if o.streams < 0 || o.streams > 100_000 || o.streams > 0 && o.delivery > 0 {
		return o, errors.New("-streams must be up to 100000, and goes without -delivery")
	}
	if o.seconds < 0.1 || o.seconds > 60 || o.runs < 1 || o.runs > 20 {
		return o, errors.New("-seconds must be 0.1 to 60, -runs 1 to 20")
	}
	return o, nil
}

// run measures all that o names and prints the report.
func run(ctx context.Context, o options) (err error) {
	temp, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	// PostgreSQL refuses to run as root; its own user must reach its folder.
	if err := os.Chmod(temp, 0o711); err != nil {
		return err
	}
	work := temp
	if o.work != "" {
		if work, err = filepath.Abs(o.work); err != nil {
			return err
		}
		if err := os.MkdirAll(work, 0o711); err != nil {
			return err
		}
	}
	r := &report{Started: time.Now().UTC().Truncate(time.Second), Machine: machine(), Seconds: o.seconds, Runs: o.runs}
	bins, err := build(ctx, temp)
	if err != nil {
		return err
	}
	if r.Programs, err = bins.measure(ctx); err != nil {
		return err
	}
	if o.before != "" {
		if o.before, err = filepath.Abs(o.before); err != nil {
			return err
		}
	}
	if o.delivery > 0 {
		if r.Deliveries, err = measureDeliveries(ctx, o, bins, work); err != nil {
			return err
		}
		return o.write(r)
	}
	if o.streams > 0 {
		if r.Streams, err = measureStreams(ctx, o, bins, work); err != nil {
			return err
		}
		return o.write(r)
	}
	worlds, err := measureWorlds(ctx, o, bins, work, r)
	for _, w := range worlds {
		err = errors.Join(err, w.close(o.work != ""))
	}
	if err != nil {
		return err
	}
	if o.tui {
		note("measuring the terminal program")
		if r.Terminal, err = terminal(ctx, bins.root); err != nil {
			return err
		}
	}
	return o.write(r)
}

// write prints a report, and keeps it where that is wanted.
func (o *options) write(r *report) error {
	if o.out != "" {
		raw, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.out, append(raw, '\n'), 0o644); err != nil {
			return err
		}
	}
	return r.print(os.Stdout)
}

// measureWorlds makes every world, then measures them all side by side, so
// that noise of the machine falls on all alike. The worlds are returned even
// with an error, to be closed.
func measureWorlds(ctx context.Context, o options, bins *programs, work string, r *report) ([]*world, error) {
	var worlds []*world
	for _, database := range o.databases {
		for _, s := range o.sizes {
			for _, p := range bins.beside(o.before) {
				w := &world{Program: p.name, Database: database, Size: s, dir: filepath.Join(work, p.name+"-"+database+"-"+s.Name), bins: p}
				worlds = append(worlds, w)
				if err := w.prepare(ctx, o.dsn); err != nil {
					return worlds, fmt.Errorf("%s: %w", w, err)
				}
				if err := w.measureStart(ctx); err != nil {
					return worlds, fmt.Errorf("%s: %w", w, err)
				}
				r.Worlds = append(r.Worlds, w)
			}
		}
	}
	for _, w := range worlds {
		if err := w.serve(ctx); err != nil {
			return worlds, err
		}
	}
	if err := pause(ctx, idleFor); err != nil {
		return worlds, err
	}
	for _, w := range worlds {
		w.Idle = w.memory()
	}
	for _, w := range worlds {
		if err := w.learn(ctx); err != nil {
			return worlds, fmt.Errorf("%s: %w", w, err)
		}
	}
	// Writes change the answers of lists, so they come last.
	for _, writes := range []bool{false, true} {
		for range o.runs {
			for _, e := range endpoints {
				if e.writes != writes || o.only != nil && !slices.Contains(o.only, e.name) {
					continue
				}
				for _, workers := range o.workers {
					for _, w := range worlds {
						c, err := w.load(ctx, e, workers, o.seconds)
						if err != nil {
							return worlds, fmt.Errorf("%s on %s: %w", e.name, w, err)
						}
						note("%-12s %2d workers  %-22s  %7.0f/s  %.2f CPU s/1000", e.name, workers, w, c.Rate, c.CPU)
						r.Cells = append(r.Cells, c)
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
	return worlds, nil
}

// machine describes this machine.
func machine() string {
	model := "unknown processor"
	if raw, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(raw)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	memory := ""
	if raw, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(raw), "MemTotal: %d kB", &kib); err == nil {
			memory = fmt.Sprintf(", %.1f GiB memory", float64(kib)/(1<<20))
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%d cores of %s%s, Linux %s, %s", runtime.NumCPU(), model, memory, strings.TrimSpace(string(kernel)), runtime.Version())
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
