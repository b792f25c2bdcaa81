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
		Short: "Remove old posts of other servers that nobody here has to do with",
		Long: "Remove public posts of other servers that are here for longer than the setting\n" +
			"instance.remote_post_retention_days says, unless somebody here likes, bookmarked, boosted, answered or is\n" +
			"addressed by one. The service may run meanwhile. Interrupted, the command can be run again.",
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
