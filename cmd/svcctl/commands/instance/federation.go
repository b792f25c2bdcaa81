package instance

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var hostShape = output.Shape[api.Host]{
	Plural: "hosts",
	Name:   func(h api.Host) string { return "host/" + h.Host },
	Raw:    output.JSON[api.Host],
	Columns: []output.Column[api.Host]{
		output.Text("HOST", func(h api.Host) string { return h.Host }),
		output.Text("STATE", hostState),
		output.Int("WAITING", func(h api.Host) int64 { return h.Waiting }),
		output.Int("FAILURES", func(h api.Host) int { return h.Failures }),
		output.Minor(output.Time("SINCE", func(h api.Host) time.Time { return cli.Deref(h.UnreachableSince).Time })),
		output.Minor(output.Time("DELIVERED", func(h api.Host) time.Time { return cli.Deref(h.DeliveredAt).Time })),
		output.Wide(output.Time("RETRY", func(h api.Host) time.Time { return cli.Deref(h.RetryAt).Time })),
		output.Wide(output.Time("HEARD", func(h api.Host) time.Time { return cli.Deref(h.HeardAt).Time })),
		output.Wide(output.Text("SOFTWARE", func(h api.Host) string { return h.Software })),
		output.Text("ERROR", func(h api.Host) string { return h.LastError }),
	},
}

// hostState is how sending to a server goes, in a word.
func hostState(h api.Host) string {
	switch {
	case h.GivenUp:
		return "dead"
	case h.Failures > 0:
		return "failing"
	}
	return "fine"
}

func federationCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("federation", "See how sending to other servers goes",
		federationHostsCommand(a), federationHostCommand(a), federationRetryCommand(a), federationForgetCommand(a)),
		"federation hosts --failing",
		"federation hosts --waiting --watch=5s",
		"federation host slow.example",
		"federation retry slow.example",
		"federation forget gone.example",
	)
}

func federationHostsCommand(a *cli.App) *cobra.Command {
	var failing, dead, waiting bool
	var states []string
	cmd := &cobra.Command{
		Use:   "hosts",
		Short: "List other servers by name, with the state and number of deliveries to them",
		Args:  cli.ExactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			for state, on := range map[string]bool{api.HostsFailing: failing, api.HostsDead: dead, api.HostsWaiting: waiting} {
				if on {
					states = append(states, state)
				}
			}
			if len(states) > 1 {
				return cli.Usagef("--failing, --dead and --waiting exclude each other")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&failing, "failing", false, "only those whose last calls failed")
	f.BoolVar(&dead, "dead", false, "only those that are given up")
	f.BoolVar(&waiting, "waiting", false, "only those that something waits for")
	return cli.WatchedListCommand(a, cmd, hostShape, nil, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.Host], error) {
		return cli.Listed[api.Host]{Listing: conn.Admin.Federation.Hosts(api.HostQuery{State: strings.Join(states, "")})}, nil
	})
}

func federationHostCommand(a *cli.App) *cobra.Command {
	return oneHostCommand(a, "host HOST", "Show one server", func(ctx context.Context, conn *cli.Connection, host string) error {
		h, err := conn.Admin.Federation.Host(ctx, host)
		if err != nil {
			return err
		}
		return cli.PrintItems(a, hostShape, []api.Host{*h}, true)
	})
}

// oneHostCommand is a command on one host.
func oneHostCommand(a *cli.App, use, short string, run func(ctx context.Context, conn *cli.Connection, host string) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cli.ExactArgs(1, "one host"),
		ValidArgsFunction: names.CompleteHosts(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			host := hostNamed(args[0])
			if err := names.MustHaveHost(cmd.Context(), conn, host); err != nil {
				return err
			}
			return run(cmd.Context(), conn, host)
		},
	}
}

// hostNamed is a host by its name, typed or not.
func hostNamed(arg string) string { return action.HostName(strings.TrimPrefix(arg, "host/")) }

func federationRetryCommand(a *cli.App) *cobra.Command {
	return oneHostCommand(a, "retry HOST", "Send what waits for a server now, whatever failed before", func(ctx context.Context, conn *cli.Connection, host string) error {
		return a.CarryOut(ctx, conn, cli.Write{
			Kind: action.FederationRetry, Target: "host/" + host, What: "send what waits for " + host, Token: host,
		}, func(ctx context.Context) error {
			_, err := conn.Admin.Federation.Retry(ctx, host)
			return err
		})
	})
}

func federationForgetCommand(a *cli.App) *cobra.Command {
	return oneHostCommand(a, "forget HOST", "Drop what waits for a server, for good, and forget what failed", func(ctx context.Context, conn *cli.Connection, host string) error {
		return a.CarryOut(ctx, conn, cli.Write{
			Kind: action.FederationForget, Target: "host/" + host, Level: action.L1, What: "drop what waits for " + host, Token: host,
		}, func(ctx context.Context) error {
			_, err := conn.Admin.Federation.Forget(ctx, host)
			return err
		})
	})
}
