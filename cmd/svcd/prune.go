package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/server/platform/config"
)

func (a *app) pruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old statuses of other servers that no local account uses",
		Long: "Remove public statuses of other servers that are older here than the setting\n" +
			"instance.remote_post_retention_days. A status stays if a local account favourited, bookmarked,\n" +
			"reblogged, answered or reacted to it, or is addressed or answered by it. The service may run\n" +
			"meanwhile, and an interrupted command may be repeated.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAccounts(cmd, false, func(ctx context.Context, on *accounts) error {
				removed, err := on.social.Prune(ctx)
				if _, tell := fmt.Fprintf(a.stderr, "Posts removed: %d\n", removed); err == nil {
					err = tell
				}
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}
