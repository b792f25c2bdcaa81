package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

var hostShape = output.Shape[api.Host]{
	Plural: "hosts",
	Name:   func(h api.Host) string { return "host/" + h.Host },
	Raw:    asJSON[api.Host],
	Columns: []output.Column[api.Host]{
		output.Text("HOST", func(h api.Host) string { return h.Host }),
		output.Text("STATE", func(h api.Host) string {
			switch {
			case h.GivenUp:
				return "dead"
			case h.Failures > 0:
				return "failing"
			}
			return "fine"
		}),
		output.Int("WAITING", func(h api.Host) int64 { return h.Waiting }),
		output.Int("FAILURES", func(h api.Host) int { return h.Failures }),
		output.Time("SINCE", func(h api.Host) time.Time { return deref(h.UnreachableSince).Time }),
		output.Time("DELIVERED", func(h api.Host) time.Time { return deref(h.DeliveredAt).Time }),
		output.Wide(output.Time("RETRY", func(h api.Host) time.Time { return deref(h.RetryAt).Time })),
		output.Wide(output.Time("HEARD", func(h api.Host) time.Time { return deref(h.HeardAt).Time })),
		output.Wide(output.Text("SOFTWARE", func(h api.Host) string { return h.Software })),
		output.Text("ERROR", func(h api.Host) string { return h.LastError }),
	},
}

func federationCommand(a *app) *cobra.Command {
	return noun("federation", "See how sending to other servers goes",
		federationHostsCommand(a), federationHostCommand(a), federationRetryCommand(a), federationForgetCommand(a))
}

func federationHostsCommand(a *app) *cobra.Command {
	var failing, dead, waiting bool
	var states []string
	cmd := &cobra.Command{
		Use:   "hosts",
		Short: "List other servers by name: whether they take what they are sent, and how much waits",
		Args:  exactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			for state, on := range map[string]bool{api.HostsFailing: failing, api.HostsDead: dead, api.HostsWaiting: waiting} {
				if on {
					states = append(states, state)
				}
			}
			if len(states) > 1 {
				return usagef("--failing, --dead and --waiting exclude each other")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&failing, "failing", false, "only those whose last calls failed")
	f.BoolVar(&dead, "dead", false, "only those that are given up")
	f.BoolVar(&waiting, "waiting", false, "only those that something waits for")
	return listCommand(a, cmd, hostShape, func(_ context.Context, conn *connection, _ []string) (listed[api.Host], error) {
		return listed[api.Host]{Listing: conn.Admin.Federation.Hosts(api.HostQuery{State: strings.Join(states, "")})}, nil
	})
}

func federationHostCommand(a *app) *cobra.Command {
	return oneHostCommand(a, "host HOST", "Show one server", func(ctx context.Context, conn *connection, host string) error {
		h, err := conn.Admin.Federation.Host(ctx, host)
		if err != nil {
			return err
		}
		return printItems(a, hostShape, []api.Host{*h}, true)
	})
}

// oneHostCommand is a command on one host.
func oneHostCommand(a *app, use, short string, run func(ctx context.Context, conn *connection, host string) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              exactArgs(1, "one host"),
		ValidArgsFunction: a.completeHosts,
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return run(cmd.Context(), conn, hostNamed(args[0]))
		},
	}
}

// hostNamed is a host by its name, typed or not.
func hostNamed(arg string) string { return action.HostName(strings.TrimPrefix(arg, "host/")) }

func federationRetryCommand(a *app) *cobra.Command {
	return oneHostCommand(a, "retry HOST", "Send what waits for a server now, whatever failed before", func(ctx context.Context, conn *connection, host string) error {
		return a.carryOut(ctx, conn, write{
			kind: "federation.retry", target: "host/" + host, what: "send what waits for " + host, token: host,
		}, func(ctx context.Context) error {
			_, err := conn.Admin.Federation.Retry(ctx, host)
			return err
		})
	})
}

func federationForgetCommand(a *app) *cobra.Command {
	return oneHostCommand(a, "forget HOST", "Drop what waits for a server, for good, and forget what failed", func(ctx context.Context, conn *connection, host string) error {
		return a.carryOut(ctx, conn, write{
			kind: "federation.forget", target: "host/" + host, level: action.L1, what: "drop what waits for " + host, token: host,
		}, func(ctx context.Context) error {
			_, err := conn.Admin.Federation.Forget(ctx, host)
			return err
		})
	})
}

func (a *app) completeHosts(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := a.offer("host", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		l, err := c.Admin.Federation.Hosts(api.HostQuery{State: api.HostsFailing, Limit: 200}).Page(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, h := range l.Items {
			offers = append(offers, described(h.Host, h.LastError), described("host/"+h.Host, h.LastError))
		}
		return offers, nil
	})
	return startingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
}
