package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/rules/social"
)

const moveLong = `Copy the whole database to PostgreSQL, or back to SQLite. Stop the service
first. Everything is kept: ids, log-ins, settings, keys, jobs, deliveries, and
the numbers of events. Uploads stay where they are, in the data folder or in S3.

The target must be empty. A move that was interrupted goes on where it was when
the same command is given again. Until it is complete, svcd refuses to serve on
the target; afterwards it refuses to serve on the source. --undo takes the
source into use again.

At the end all rows are counted and compared, 'svcd check' looks at the target,
and the line of configuration to change is printed.`

const moveExamples = `  svcd move --to postgres://svc@db.example/svc --dry-run
  svcd move --to postgres://svc@db.example/svc
  svcd move --to-file /etc/svc/new-database   # the address has a password
  svcd move --to sqlite:/var/lib/svc/svc.db   # back
  svcd move --undo                            # keep the old database`

// moving is the options of the command.
type moving struct {
	to, toFile string
	dry, undo  bool
	output     string
}

func (a *app) moveCommand() *cobra.Command {
	var o moving
	cmd := &cobra.Command{
		Use:     "move",
		Short:   "Move the database to PostgreSQL, or back to SQLite",
		Long:    moveLong,
		Example: moveExamples,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, _, err := a.load(cmd)
			if err != nil {
				return err
			}
			if o.output != "" && o.output != "json" {
				return usagef("--output: %q is not accepted; give json", o.output)
			}
			if o.undo {
				return a.undoMove(cmd.Context(), cfg)
			}
			to, err := o.target()
			if err != nil {
				return err
			}
			return a.move(cmd.Context(), cfg, to, o)
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "", "the target: postgres://… or sqlite:PATH")
	cmd.Flags().StringVar(&o.toFile, "to-file", "", "a file with the address of the target")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "check, say what would be done, and change nothing")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "take the source of a move into use again")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "json for a JSON object")
	cmd.MarkFlagsMutuallyExclusive("to", "to-file", "undo")
	return cmd
}

// target is the address to move to.
func (o moving) target() (string, error) {
	to := o.to
	if o.toFile != "" {
		raw, err := os.ReadFile(o.toFile)
		if err != nil {
			return "", usagef("--to-file: %w", err)
		}
		to = strings.TrimSpace(string(raw))
	}
	path, sqlite := strings.CutPrefix(to, "sqlite:")
	switch {
	case to == "":
		return "", usagef("move: give the target with --to: postgres://… or sqlite:PATH")
	case sqlite && path == "":
		return "", usagef("--to: sqlite: needs a path")
	case sqlite:
		whole, err := filepath.Abs(path)
		return "sqlite:" + whole, err
	case strings.HasPrefix(to, "postgres://"), strings.HasPrefix(to, "postgresql://"):
		return to, nil
	}
	return "", usagef("--to: %q is not accepted; give postgres://… or sqlite:PATH", db.Redact(to))
}

// openSource opens the database to move, with its schema as it is.
func (a *app) openSource(ctx context.Context, cfg config.Config) (*db.DB, error) {
	if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no database at %s", path)
		}
	}
	return db.Open(ctx, cfg.Database, db.Options{Now: a.now})
}

func (a *app) undoMove(ctx context.Context, cfg config.Config) error {
	d, err := a.openSource(ctx, cfg)
	if err != nil {
		return err
	}
	if err = d.UndoMove(ctx); err == nil {
		_, err = fmt.Fprintln(a.stderr, "This database may be served again. Drop the other one: it does not follow.")
	}
	return errors.Join(err, d.Close())
}

// move is the whole command: look, say, copy, compare, check, and say how to go on.
func (a *app) move(ctx context.Context, cfg config.Config, to string, o moving) (err error) {
	from, err := a.openSource(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	path, isFile := strings.CutPrefix(to, "sqlite:")
	untouched := isFile && !exists(path)
	target, err := db.Open(ctx, to, db.Options{Now: a.now, Bulk: true})
	if err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	defer func() {
		err = errors.Join(err, target.Close())
		if untouched {
			err = errors.Join(err, removeDatabase(path))
		}
	}()
	shown := &moveShown{a: a, began: a.now()}
	m, err := db.PrepareMove(ctx, from, target, db.MoveOptions{Text: social.Searchable, Progress: shown.progress})
	if err != nil {
		return err
	}
	if err := a.sayMove(ctx, m, cfg, to); err != nil || o.dry {
		return err
	}
	untouched = false
	if err = m.Run(ctx); err == nil {
		shown.end()
		err = a.checkMoved(ctx, cfg, from, target)
	}
	if err == nil {
		err = m.Finish(ctx)
	}
	if err != nil {
		shown.end()
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("%w; give the same command again to go on", err)
	}
	return a.sayMoved(m, to, a.now().Sub(shown.began), o.output == "json")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// removeDatabase removes a file that was made to look at it.
func removeDatabase(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", ".lock"} {
		if e := os.Remove(path + end); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// sayMove says what the move is about to do.
func (a *app) sayMove(ctx context.Context, m *db.Move, cfg config.Config, to string) error {
	took, err := m.Estimate(ctx)
	if err != nil {
		return err
	}
	verb := "Moving"
	if m.Stage() != "" {
		verb = "Going on to move"
	}
	_, err = fmt.Fprintf(a.stderr, "%s %s\n    to %s:\n%d tables with %d rows, in %s. Uploads stay where they are.\n",
		verb, db.WithoutPassword(cfg.Database), db.WithoutPassword(to), len(m.Tables()), m.Rows(), roughly(took))
	return err
}

// roughly is a duration for people.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "a few seconds"
	case d < 2*time.Minute:
		return fmt.Sprintf("about %d seconds", int(d.Round(10*time.Second).Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("about %d minutes", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("about %d hours", int(d.Round(time.Hour).Hours()))
}

// checkMoved runs 'svcd check' on the target. A finding that the source has too came with
// the data.
func (a *app) checkMoved(ctx context.Context, cfg config.Config, from, to *db.DB) error {
	after, err := checkRows(ctx, cfg, to)
	if err != nil {
		return fmt.Errorf("check the target: %w", err)
	}
	if len(after) == 0 {
		_, err := fmt.Fprintln(a.stderr, "checked: all rows of the target agree")
		return err
	}
	before, err := checkRows(ctx, cfg, from)
	if err != nil {
		return fmt.Errorf("check the source: %w", err)
	}
	for _, f := range after {
		if !slices.Contains(before, f) {
			return fmt.Errorf("the target has a fault that the source does not have: %s", f)
		}
	}
	_, err = fmt.Fprintf(a.stderr, "checked: the target has the faults of the source, %d; 'svcd check' lists them\n", len(after))
	return err
}

// checkRows returns what 'svcd check' finds in a database.
func checkRows(ctx context.Context, cfg config.Config, d *db.DB) (found []string, err error) {
	live, err := liveSettings(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	report, err := server.Check(ctx, live.Load(), d, media.NewStores(d, cfg.DataDir, cfg.Media.Prefix, live), false)
	if err != nil {
		return nil, err
	}
	for _, area := range report.Areas {
		for _, f := range area.Findings {
			found = append(found, fmt.Sprintf("%s of %s: %s", f.Check, f.Row, f.Fault))
		}
	}
	return found, nil
}

// moved is the result as JSON.
type moved struct {
	Database string          `json:"database"` // the address to configure, without a password
	Tables   []db.MovedTable `json:"tables"`
	Rows     int64           `json:"rows"`
	Seconds  float64         `json:"seconds"`
}

// sayMoved says what was done, and how to go on.
func (a *app) sayMoved(m *db.Move, to string, took time.Duration, asJSON bool) error {
	tables, address := m.Tables(), db.WithoutPassword(to)
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(moved{address, tables, m.Rows(), took.Round(time.Millisecond).Seconds()})
	}
	said := fmt.Sprintf("Moved %d rows of %d tables in %s; both databases have the same rows.\n", m.Rows(), len(tables), took.Round(100*time.Millisecond))
	for _, t := range tables {
		for column, n := range t.Replaced {
			said += fmt.Sprintf("%s.%s: %d texts had characters that the target cannot store; U+FFFD is in their place\n", t.Name, column, n)
		}
	}
	said += "Change the configuration, and start the service:\n"
	if address != to {
		said += "(with the password in its place)\n"
	}
	if _, err := fmt.Fprint(a.stderr, said); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "SVC_DATABASE=%s\n", address)
	return err
}

// moveShown shows how far a move has come: a bar on a terminal, lines otherwise.
type moveShown struct {
	a     *app
	began time.Time
	stage string
	since time.Time // of the stage
	first int64     // rows that were done when the stage was shown first
	last  time.Time
	bar   bool
	full  bool // the stage was shown as complete
}

// stageNames are the stages for people.
var stageNames = map[string]string{db.MoveCopies: "copying", db.MoveVerifies: "comparing", db.MoveIndexes: "indexing"}

func (s *moveShown) progress(p db.MoveProgress) {
	now := s.a.now()
	if s.stage != p.Stage {
		s.end()
		s.stage, s.since, s.first, s.last, s.full = p.Stage, now, p.Done, time.Time{}, false
	}
	every := 5 * time.Second
	if s.a.terminal {
		every = 200 * time.Millisecond
	}
	if p.Total == 0 || s.full || now.Sub(s.last) < every && p.Done < p.Total {
		return
	}
	s.last, s.full = now, p.Done >= p.Total
	share := float64(p.Done) / float64(p.Total)
	left := ""
	if did := p.Done - s.first; did > 0 && p.Done < p.Total {
		rest := time.Duration(float64(now.Sub(s.since)) / float64(did) * float64(p.Total-p.Done))
		left = ", " + roughly(rest) + " left"
	}
	if !s.a.terminal {
		_, _ = fmt.Fprintf(s.a.stderr, "%s %s: %d of %d rows (%.0f %%)%s\n", stageNames[p.Stage], p.Table, p.Done, p.Total, share*100, left)
		return
	}
	const width = 24
	full := int(share * width)
	_, _ = fmt.Fprintf(s.a.stderr, "\r\x1b[K%-9s [%s%s] %3.0f %% %.20s%s", stageNames[p.Stage], strings.Repeat("#", full), strings.Repeat(".", width-full), share*100, p.Table, left)
	s.bar = true
}

// end leaves the line of the bar.
func (s *moveShown) end() {
	if s.bar {
		_, _ = fmt.Fprintln(s.a.stderr)
	}
	s.bar = false
}
