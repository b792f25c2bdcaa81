package commands

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var mediaShape = output.Shape[string]{
	Plural: "banned files",
	Name:   func(address string) string { return "media/" + address },
	Raw:    output.JSON[string],
	Columns: []output.Column[string]{
		output.Wide(output.Text("ORIGINAL", action.Proxied)),
		output.Text("URL", func(address string) string { return address }),
	},
}

func mediaCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("media", "Work on files that go through the media proxy",
		mediaListCommand(a), mediaPurgeCommand(a),
		a.KindCommand(action.MediaUnban, "unban URL...", "Give files out again", nil)),
		"media list evil.example",
		"media purge --ban https://evil.example/a.png",
		"media unban https://evil.example/a.png",
	)
}

func mediaListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List files that are banned; QUERY is part of an address",
		Args:  cli.AtMost(1, "one query"),
	}
	return cli.ListCommand(a, cmd, mediaShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[string], error) {
		query := api.MediaBanQuery{Query: strings.Join(args, "")}
		return cli.Listed[string]{Listing: conn.Admin.Media.Bans(query)}, nil
	})
}

func mediaPurgeCommand(a *cli.App) *cobra.Command {
	var ban bool
	cmd := &cobra.Command{
		Use:   "purge [--ban] URL...",
		Short: "Have caches drop their copies of files, and perhaps ban the files",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActOn(cmd.Context(), cli.Deed{
				Kind: action.MediaPurge, Args: map[string]string{"ban": strconv.FormatBool(ban)},
			}, args)
		},
	}
	cmd.Flags().BoolVar(&ban, "ban", false, "give the files to nobody any more")
	return cmd
}
