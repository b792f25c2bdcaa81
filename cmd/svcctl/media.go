package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

var mediaShape = output.Shape[string]{
	Plural: "banned files",
	Name:   func(address string) string { return "media/" + address },
	Raw:    asJSON[string],
	Columns: []output.Column[string]{
		output.Wide(output.Text("ORIGINAL", action.Proxied)),
		output.Text("URL", func(address string) string { return address }),
	},
}

func mediaCommand(a *app) *cobra.Command {
	return noun("media", "Work on files that go through the media proxy",
		mediaListCommand(a), mediaPurgeCommand(a),
		a.kindCommand(action.MediaUnban, "unban URL...", "Give files out again", nil))
}

func mediaListCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List files that are banned; QUERY is part of an address",
		Args:  atMost(1, "one query"),
	}
	return listCommand(a, cmd, mediaShape, func(_ context.Context, conn *connection, args []string) (listed[string], error) {
		query := api.MediaBanQuery{Query: strings.Join(args, "")}
		return listed[string]{Listing: conn.Admin.Media.Bans(query)}, nil
	})
}

func mediaPurgeCommand(a *app) *cobra.Command {
	var ban bool
	cmd := &cobra.Command{
		Use:   "purge [--ban] URL...",
		Short: "Have caches drop their copies of files, and perhaps ban the files",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.actOn(cmd.Context(), deed{
				kind: action.MediaPurge, args: map[string]string{"ban": strconv.FormatBool(ban)},
			}, args)
		},
	}
	cmd.Flags().BoolVar(&ban, "ban", false, "give the files to nobody any more")
	return cmd
}
