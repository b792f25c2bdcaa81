package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/platform/config"
)

func (a *app) restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Say that a copy of the database was put back",
		Long: "Run this once after a copy of the database was put back, before the service starts. What happened\n" +
			"after the copy was made is gone, and what happens now gets the same numbers: apps that go on with a\n" +
			"stream are told of a gap, and read their timelines anew.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
	return cmd
}
