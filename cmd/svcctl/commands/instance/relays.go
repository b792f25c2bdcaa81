package instance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var relayShape = output.Shape[api.Relay]{
	Plural: "relays",
	Name:   func(r api.Relay) string { return "relay/" + r.Actor },
	Raw:    func(r api.Relay) json.RawMessage { return r.Raw },
	Columns: []output.Column[api.Relay]{
		output.Bool("ACCEPTED", func(r api.Relay) bool { return r.FollowedBack }),
		output.Text("RELAY", func(r api.Relay) string { return r.Actor }),
		output.Wide(output.Text("WARNING", func(r api.Relay) string { return r.Warning })),
	},
}

func relayCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("relay", "Work on relays, through which posts of servers reach each other",
		relayListCommand(a), relayFollowCommand(a),
		a.KindCommand(action.RelayUnfollow, "unfollow URL...", "Leave relays, whether they answer or not", completeRelays(a))),
		"relay list",
		"relay follow https://relay.example/inbox",
		"relay unfollow https://relay.example/inbox",
	)
}

func relayListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List relays, those that accepted first",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.WatchedListCommand(a, cmd, relayShape, nil, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.Relay], error) {
		return cli.Listed[api.Relay]{Listing: client.Whole(conn.Admin.Relays.List)}, nil
	})
}

func relayFollowCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "follow URL...",
		Short: "Ask relays, named by their actor or their inbox",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if err := a.ActOn(ctx, cli.Deed{Kind: action.RelayFollow}, args); err != nil || a.Flags.DryRun {
				return err
			}
			return warnOfRelays(ctx, a)
		},
	}
}

// warnOfRelays tells admins on stderr of relays that need their attention.
func warnOfRelays(ctx context.Context, a *cli.App) error {
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	all, err := conn.Admin.Relays.List(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Warning != "" {
			fmt.Fprintf(a.ErrOut, "warning: relay %s: %s\n", safe.Line(r.Actor), safe.Line(r.Warning))
		}
	}
	return nil
}

func completeRelays(a *cli.App) cli.Completer {
	return a.Completing("relay", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		relays, err := c.Admin.Relays.List(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, r := range relays {
			stands := "did not answer yet"
			if r.FollowedBack {
				stands = "accepted"
			}
			offers = append(offers, cli.Described(r.Actor, stands), cli.Described("relay/"+r.Actor, stands))
		}
		return offers, nil
	})
}
