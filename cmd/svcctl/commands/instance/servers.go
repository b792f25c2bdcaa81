package instance

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var rebootShape = output.Shape[api.ConfigReboot]{
	Plural: "servers",
	Name:   func(api.ConfigReboot) string { return "server" },
	Raw:    output.JSON[api.ConfigReboot],
	Columns: []output.Column[api.ConfigReboot]{
		output.Bool("NEED REBOOT", func(r api.ConfigReboot) bool { return r.NeedReboot }),
	},
}

func serverCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("server", "Work on the server as a whole", needsRebootCommand(a), restartCommand(a)),
		"server needs-reboot --fail-needed",
		"server restart",
	)
}

func needsRebootCommand(a *cli.App) *cobra.Command {
	var fail bool
	cmd := &cobra.Command{
		Use:   "needs-reboot",
		Short: "Tell whether changed settings wait for a restart",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			needed, err := conn.Admin.Config.NeedReboot(cmd.Context())
			if err != nil {
				return err
			}
			if err := cli.PrintItems(a, rebootShape, []api.ConfigReboot{{NeedReboot: needed}}, true); err != nil {
				return err
			}
			if needed && fail {
				return cli.ErrCondition
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fail, "fail-needed", false, "exit 9 when it is needed")
	return cmd
}

// restartCommand is sent once: a second request would restart again.
func restartCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "restart",
		Short: "Restart the server, so that all settings work",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			host := conn.Origin.Host
			return a.CarryOut(cmd.Context(), conn, cli.Write{
				Kind: action.ServerRestart, Target: "server/" + host, Level: action.L2, What: "restart " + host, Token: host, Whole: true,
			}, func(ctx context.Context) error { return conn.Admin.Config.Restart(ctx) })
		},
	}
}

// countedPosts are the posts of one server, or of all.
type countedPosts struct {
	api.Stats
	instance string
}

var statsShape = output.Shape[countedPosts]{
	Plural: "counts",
	Name:   func(s countedPosts) string { return "stats/" + s.instance },
	Raw:    func(s countedPosts) json.RawMessage { return output.JSON(s.Stats) },
	Columns: []output.Column[countedPosts]{
		output.Text("PUBLIC", func(s countedPosts) string {
			return strconv.FormatInt(s.StatusVisibility.Public, 10)
		}),
		output.Text("UNLISTED", func(s countedPosts) string {
			return strconv.FormatInt(s.StatusVisibility.Unlisted, 10)
		}),
		output.Text("PRIVATE", func(s countedPosts) string {
			return strconv.FormatInt(s.StatusVisibility.Private, 10)
		}),
		output.Text("DIRECT", func(s countedPosts) string {
			return strconv.FormatInt(s.StatusVisibility.Direct, 10)
		}),
		output.Text("INSTANCE", func(s countedPosts) string { return s.instance }),
	},
}

func statsCommand(a *cli.App) *cobra.Command {
	var instance string
	counted := func(ctx context.Context, conn *cli.Connection) ([]countedPosts, error) {
		s, err := conn.Admin.Stats.Get(ctx, api.StatsQuery{Instance: instance})
		if err == nil && instance != "" && s.StatusVisibility == (api.StatusVisibility{}) {
			err = names.MustHaveHost(ctx, conn, action.HostName(instance))
		}
		if err != nil {
			return nil, err
		}
		return []countedPosts{{*s, cmp.Or(instance, "all")}}, nil
	}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count the posts of all servers, or of one, by visibility",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			items, err := counted(cmd.Context(), conn)
			if err != nil {
				return err
			}
			return cli.PrintItems(a, statsShape, items, true)
		},
	}
	cmd = cli.Watched(a, cmd, statsShape, nil, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[countedPosts], error) {
		return cli.Listed[countedPosts]{Listing: client.Whole(func(ctx context.Context) ([]countedPosts, error) { return counted(ctx, conn) })}, nil
	})
	cmd.Flags().StringVar(&instance, "host", "", "only posts from this `HOST`")
	cli.Former(cmd, "instance", "host")
	a.CompleteFlagWith(cmd, "host", names.CompleteHosts(a))
	return cli.Examples(cmd, "stats --host other.example", "stats --watch=1m")
}
