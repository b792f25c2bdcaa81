package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/platform/backup"
	"svc/server/platform/config"
)

func (a *app) restoreCommand() *cobra.Command {
	var id, output string
	cmd := &cobra.Command{
		Use:   "restore [DIR]",
		Short: "Restore a backup, or say that a copy of the database was put back",
		Long: "With DIR: restore a backup that 'svcd backup DIR' made, the newest or the one\n" +
			"of --id, into an empty instance: a data folder without files, and a database\n" +
			"without accounts, of the kind that the backup is of. Everything is checked\n" +
			"while it is restored. If that is interrupted, the service does not start, and\n" +
			"the same command goes on.\n\n" +
			"Without DIR: run this once after a copy of the database was put back by other\n" +
			"means, before the service starts. What happened after the copy was made is\n" +
			"gone, and what happens now gets the same numbers: apps that go on with a\n" +
			"stream are told of a gap, and read their timelines anew. With DIR that is\n" +
			"done too.",
		Example: "  svcd restore /backup/svc\n" +
			"  svcd restore /backup/svc --id 20260131T040000Z --data-dir /srv/svc\n" +
			"  svcd restore",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := jsonOnly(output); err != nil {
				return err
			}
			if len(args) == 1 {
				return a.restore(cmd, args[0], id, output == "json")
			}
			if id != "" || output != "" {
				return usagef("--id and --output are for 'svcd restore DIR'")
			}
			return a.withDatabase(cmd, false, func(ctx context.Context, _ config.Config, d *db.DB) error {
				head, err := d.EventHead(ctx)
				if err == nil {
					err = d.DrawEventEpoch(ctx, head.Epoch)
				}
				if err == nil {
					_, err = fmt.Fprintln(a.stdout, "streams begin anew")
				}
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().StringVar(&id, "id", "", "the backup to restore (default: the newest)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	return cmd
}

func (a *app) restore(cmd *cobra.Command, dir, id string, asJSON bool) error {
	cfg, _, err := a.load(cmd)
	if err != nil {
		return err
	}
	p := &copying{app: a, verb: "restoring"}
	r, err := backup.Restore(cmd.Context(), dir, backup.Target{
		Database: cfg.Database, DataDir: cfg.DataDir, Media: config.In(cfg.DataDir, cfg.Settings.Upload.Folder), ID: id,
		Now: a.now, Progress: p.told,
		Begin: func(plan backup.Plan) {
			fmt.Fprintf(a.stderr, "backup %s: restoring %s of database and %s (%s), about %s\n", plan.ID, size(plan.Database), files(plan.Files-plan.InBucket), size(plan.Bytes), plan.Time)
		},
	})
	p.end()
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(r)
	}
	_, err = fmt.Fprintf(a.stdout, "backup %s is restored, as of %s\n", r.ID, r.Taken.Format("2006-01-02 15:04:05 MST"))
	if r.Count.InBucket > 0 {
		fmt.Fprintf(a.stderr, "svcd: %s must be in the bucket: the backup has their names only\n", files(r.Count.InBucket))
	}
	if r.BaseURL != "" && cfg.BaseURLGiven && r.BaseURL != cfg.BaseURL {
		fmt.Fprintf(a.stderr, "svcd: the restored accounts are of %s, and SVC_BASE_URL is %s\n", r.BaseURL, cfg.BaseURL)
	}
	a.printMissing(r.Missing)
	return err
}
