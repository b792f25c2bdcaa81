package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/build"
	"svc/db"
	"svc/server/platform/backup"
	"svc/server/platform/config"
	"svc/server/platform/media"
)

func (a *app) backupCommand() *cobra.Command {
	var (
		o              backup.Options
		output, oldest string
	)
	cmd := &cobra.Command{
		Use:   "backup DIR",
		Short: "Copy the whole instance into a folder, also while the service runs",
		Long: "Copy the database, the uploads, and what else is in the data folder into\n" +
			"DIR, as of one moment, while the service runs. DIR keeps the contents of all\n" +
			"its backups once: a second backup costs what changed. It holds secrets, so\n" +
			"only its owner may read it. A backup that was interrupted is none, and the\n" +
			"next one removes what it left.\n\n" +
			"Uploads in a bucket are named with their checksums and not copied, unless\n" +
			"--bucket is given. What is cached, such as files of other servers, is not\n" +
			"copied.",
		Example: "  svcd backup /backup/svc\n" +
			"  svcd backup /backup/svc --keep 7\n" +
			"  svcd backup /backup/svc --keep-for 30d --keep 3 -o json\n" +
			"  svcd backup verify /backup/svc",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := jsonOnly(output); err != nil {
				return err
			}
			if o.Keep < 0 {
				return usagef("--keep: %d is not accepted; give how many backups to keep", o.Keep)
			}
			var err error
			if o.KeepFor, err = age(oldest); err != nil {
				return err
			}
			return a.backUp(cmd, args[0], o, output == "json")
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().IntVar(&o.Keep, "keep", 0, "remove backups but the newest so many")
	cmd.Flags().StringVar(&oldest, "keep-for", "", "remove older backups: 30d, 12h")
	cmd.Flags().BoolVar(&o.Bucket, "bucket", false, "copy uploads in a bucket too")
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	cmd.AddCommand(a.backupVerifyCommand(), a.backupListCommand())
	return cmd
}

// age is a time that may have days.
func age(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	var (
		d   time.Duration
		err error
	)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		if d = time.Duration(n) * 24 * time.Hour; n > 36500 {
			err = errors.New("too long")
		}
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d <= 0 {
		return 0, usagef("--keep-for: %q is not accepted; give a time such as 30d or 12h", text)
	}
	return d, nil
}

func jsonOnly(output string) error {
	if output != "" && output != "json" {
		return usagef("--output: %q is not accepted; give json", output)
	}
	return nil
}

// backUp makes a backup. The schema is left as it is: an older service may run.
func (a *app) backUp(cmd *cobra.Command, dir string, o backup.Options, asJSON bool) error {
	cfg, log, err := a.load(cmd)
	if err != nil {
		return err
	}
	if err := a.exists(cfg); err != nil {
		return err
	}
	ctx := cmd.Context()
	d, err := db.Open(ctx, cfg.Database, db.Options{Log: log, Now: a.now})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	schema, err := d.Schema(ctx)
	if err == nil {
		err = schema.Err()
	}
	if err == nil && schema.Version == 0 {
		err = fmt.Errorf("%s: there is nothing to copy yet", db.Redact(cfg.Database))
	}
	if err != nil {
		return err
	}
	src, err := a.source(ctx, cfg, d)
	if err != nil {
		return err
	}
	p := &copying{app: a, verb: "copying"}
	o.Now, o.Progress = a.now, p.told
	o.Begin = func(plan backup.Plan) {
		fmt.Fprintf(a.stderr, "backup %s: %s of database and %s (%s) to read, about %s\n", plan.ID, size(plan.Database), files(plan.Files), size(plan.Bytes), plan.Time)
	}
	began := a.now()
	r, err := backup.Create(ctx, dir, src, o)
	p.end()
	a.noteBackup(ctx, d, backup.OutcomeOf(r, err, began, a.now()))
	if r != nil && r.ID != "" {
		err = errors.Join(err, a.printBackup(r, dir, asJSON))
	}
	return err
}

// noteBackup tells the service how the backup ended, for its metrics.
func (a *app) noteBackup(ctx context.Context, d *db.DB, o backup.Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := o.Keep(ctx, d); err != nil {
		fmt.Fprintf(a.stderr, "svcd: the metrics of the service go on with the outcome of an earlier backup: %v\n", err)
	}
}

// exists returns an error if the database is a file that is not there.
func (a *app) exists(cfg config.Config) error {
	if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("there is no database at %s", path)
		}
	}
	return backup.Unfinished(cfg.DataDir)
}

func (a *app) source(ctx context.Context, cfg config.Config, d *db.DB) (backup.Source, error) {
	live, err := liveSettings(ctx, cfg, d)
	if err != nil {
		return backup.Source{}, err
	}
	base, err := d.Meta(ctx, db.BaseURL)
	if static := live.Load().StaticFolder(cfg.DataDir); err == nil && !backup.Within(cfg.DataDir, static) {
		fmt.Fprintf(a.stderr, "svcd: the static folder %s is not in the data folder; copy it yourself\n", static)
	}
	return backup.Source{
		DB: d, Stores: media.NewStores(d, cfg.DataDir, cfg.Media.Prefix, live), DataDir: cfg.DataDir, Database: cfg.Database,
		BaseURL: base, Program: build.Read().Release(),
	}, err
}

func (a *app) printBackup(r *backup.Result, dir string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(r)
	}
	said := fmt.Sprintf("backup %s is in %s: database %s, %s (%s), data folder %s (%s); %s written in %.1f s\n",
		r.ID, dir, size(r.Count.Database), files(r.Count.Files), size(r.Count.FileBytes), files(r.Count.Folder), size(r.Count.FolderBytes), size(r.NewBytes), r.Seconds)
	if r.Count.InBucket > 0 {
		said += fmt.Sprintf("%s in the bucket: named, not copied\n", files(r.Count.InBucket))
	}
	if len(r.Removed) > 0 {
		said += fmt.Sprintf("removed: %s (%s)\n", strings.Join(r.Removed, " "), size(r.Freed))
	}
	_, err := fmt.Fprint(a.stdout, said)
	a.printMissing(r.Missing)
	return err
}

func (a *app) printMissing(missing []backup.Missing) {
	for _, m := range missing {
		fmt.Fprintf(a.stderr, "svcd: %s: %s\n", m.Name, m.Why)
	}
}

func (a *app) backupVerifyCommand() *cobra.Command {
	var id, output string
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Read all backups in a folder and check them",
		Long: "Read all that the backups in DIR have and compare it with its checksums, count\n" +
			"the rows of tables, and have SQLite check its file. That takes room for one copy\n" +
			"of a SQLite database. The exit code is 1 if anything is damaged or missing.",
		Example: "  svcd backup verify /backup/svc\n" +
			"  svcd backup verify /backup/svc --id 20260131T040000Z",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := jsonOnly(output); err != nil {
				return err
			}
			p := &copying{app: a, verb: "checking"}
			v, err := backup.Verify(cmd.Context(), args[0], id, p.told)
			p.end()
			return a.printStanding(v, err, "whole", output == "json")
		},
	}
	cmd.Flags().StringVar(&id, "id", "", "check one backup only")
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	return cmd
}

func (a *app) backupListCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list DIR",
		Short: "List the backups in a folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := jsonOnly(output); err != nil {
				return err
			}
			v, err := backup.List(args[0])
			return a.printStanding(v, err, "", output == "json")
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	return cmd
}

// printStanding prints a line for each backup, with a word for one without faults.
func (a *app) printStanding(v *backup.Verified, err error, whole string, asJSON bool) error {
	if err != nil {
		return err
	}
	if asJSON {
		err = json.NewEncoder(a.stdout).Encode(v)
	} else {
		said := ""
		for _, b := range v.Backups {
			word := whole
			if len(b.Faults) > 0 {
				word = "DAMAGED"
			}
			line := b.ID
			if b.Kind != "" {
				line += fmt.Sprintf("  %s  database %s, %s (%s)", b.Kind, size(b.Count.Database), files(b.Count.Files), size(b.Count.FileBytes))
			}
			if b.Newer {
				line += "  made by a later svcd"
			}
			said += strings.TrimRight(line+"  "+word, " ") + "\n"
			for _, f := range b.Faults {
				said += "  " + f + "\n"
			}
		}
		_, err = fmt.Fprint(a.stdout, said)
	}
	switch {
	case err != nil:
		return err
	case len(v.Backups) == 0:
		return errors.New("there is no finished backup")
	case v.Faults > 0:
		return errors.New("a backup is damaged")
	}
	return nil
}

// copying tells on a terminal how far a copy is.
type copying struct {
	app  *app
	verb string
	last time.Time
}

func (p *copying) told(what string, done, of int64) {
	if !p.app.terminal || time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last = time.Now()
	share := 100
	if of > 0 {
		share = int(math.Min(100, math.Floor(100*float64(done)/float64(of))))
	}
	fmt.Fprintf(p.app.stderr, "\r\x1b[K%s %s: %d%% of %s", p.verb, what, share, size(of))
}

// end clears the line.
func (p *copying) end() {
	if !p.last.IsZero() {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}

// size is a number of bytes for people.
func size(n int64) string {
	const unit = 1000
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, names := float64(n)/unit, "kMGT"
	i := 0
	for ; value >= unit && i < len(names)-1; i++ {
		value /= unit
	}
	return fmt.Sprintf("%.1f %cB", value, names[i])
}
