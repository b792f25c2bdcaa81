package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/output"
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
	var list listFlags
	var query api.MediaBanQuery
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List files that are banned; QUERY is part of an address",
		Args:  atMost(1, "one query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := list.check(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				query.Query = args[0]
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return runList(cmd.Context(), a, list, source[string]{
				fetch: func(ctx context.Context, number, size int) ([]string, int, error) {
					q := query
					q.Page, q.PageSize = page(number), page(size)
					l, err := conn.Admin.Media.Bans(ctx, q)
					if err != nil {
						return nil, 0, err
					}
					return l.URLs, l.Count, nil
				},
				id: func(address string) string { return address },
			}, mediaShape)
		},
	}
	list.add(cmd)
	return cmd
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
