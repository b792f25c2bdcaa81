package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/platform/config"
)

func (a *app) pruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old statuses of other servers that no local account uses",
		Long: "Remove public statuses of other servers that are older here than the setting\n" +
			"instance.remote_post_retention_days. A status stays if a local account favourited, bookmarked,\n" +
			"reblogged, answered, reacted to, voted on, reported or filters it, or is addressed or answered by it.\n" +
			"With instance.prune_remote_posts the service does so by itself. The service may run\n" +
			"meanwhile: on SQLite it does the work itself, with pauses, and the command waits for it. An\n" +
			"interrupted command may be repeated.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAccounts(cmd, false, func(ctx context.Context, on *accounts) error {
				var report server.PruneReport
				asked, err := server.Ask(ctx, on.db, server.TaskPrune, &report)
				if err == nil && !asked {
					report.Removed, err = on.social.Prune(db.Yielding(ctx))
				}
				if _, tell := fmt.Fprintf(a.stderr, "Posts removed: %d\n", report.Removed); err == nil {
					err = tell
				}
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}
