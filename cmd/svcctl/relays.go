package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
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

func relayCommand(a *app) *cobra.Command {
	return noun("relay", "Work on relays, through which posts of servers reach each other",
		relayListCommand(a), relayFollowCommand(a),
		a.kindCommand(action.RelayUnfollow, "unfollow URL...", "Leave relays, whether they answer or not", a.completeRelays))
}

func relayListCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List relays, those that accepted first",
		Args:  exactArgs(0, "no argument"),
	}
	return listCommand(a, cmd, relayShape, func(_ context.Context, conn *connection, _ []string) (listed[api.Relay], error) {
		return listed[api.Relay]{Listing: client.Whole(conn.Admin.Relays.List)}, nil
	})
}

func relayFollowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "follow URL...",
		Short: "Ask relays, named by their actor or their inbox",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if err := a.actOn(ctx, deed{kind: action.RelayFollow}, args); err != nil || a.g.dryRun {
				return err
			}
			return a.warnOfRelays(ctx)
		},
	}
}

// warnOfRelays tells on stderr what admins should know of the relays.
func (a *app) warnOfRelays(ctx context.Context) error {
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	all, err := conn.Admin.Relays.List(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Warning != "" {
			fmt.Fprintf(a.errOut, "warning: relay %s: %s\n", safe.Line(r.Actor), safe.Line(r.Warning))
		}
	}
	return nil
}

func (a *app) completeRelays(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := a.offer("relay", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
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
			offers = append(offers, described(r.Actor, stands), described("relay/"+r.Actor, stands))
		}
		return offers, nil
	})
	return startingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
}
