package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/platform/config"
)

func (a *app) migrateCommand() *cobra.Command {
	var status bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Update the database schema, or print its version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := a.load(cmd)
			if err != nil {
				return err
			}
			if status {
				return a.schemaStatus(cmd.Context(), cfg)
			}
			d, err := a.open(cmd.Context(), cfg, log)
			if err != nil {
				return err
			}
			schema, err := d.Schema(cmd.Context())
			if err == nil {
				_, err = fmt.Fprintf(a.stdout, "schema %d, up to date\n", schema.Version)
			}
			return errors.Join(err, d.Close())
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&status, "status", false, "say where the schema stands and change nothing")
	return cmd
}

// schemaStatus reads only: a file that is not there stays so.
func (a *app) schemaStatus(ctx context.Context, cfg config.Config) error {
	if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			_, err := fmt.Fprintln(a.stdout, "no database yet")
			return err
		}
	}
	d, err := db.Open(ctx, cfg.Database, db.Options{Now: a.now})
	if err != nil {
		return err
	}
	schema, err := d.Schema(ctx)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	standing := "up to date"
	switch {
	case errors.Is(schema.Err(), db.ErrNewer):
		standing = "newer than this program"
	case errors.Is(schema.Err(), db.ErrOlder):
		standing = "of before the first release"
	case errors.Is(schema.Err(), db.ErrMoving):
		standing = "the target of a move that is not complete"
	case errors.Is(schema.Err(), db.ErrMoved):
		standing = "moved to another database"
	case schema.Pending():
		standing = "migrations pending"
	}
	_, err = fmt.Fprintf(a.stdout, "schema %d of %d, %s\n", schema.Version, schema.Latest, standing)
	return errors.Join(err, d.Close())
}
