package main

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

var rebootShape = output.Shape[api.ConfigReboot]{
	Plural: "servers",
	Name:   func(api.ConfigReboot) string { return "server" },
	Raw:    asJSON[api.ConfigReboot],
	Columns: []output.Column[api.ConfigReboot]{
		output.Bool("NEED REBOOT", func(r api.ConfigReboot) bool { return r.NeedReboot }),
	},
}

func serverCommand(a *app) *cobra.Command {
	return noun("server", "Work on the server as a whole", needsRebootCommand(a), restartCommand(a))
}

func needsRebootCommand(a *app) *cobra.Command {
	var fail bool
	cmd := &cobra.Command{
		Use:   "needs-reboot",
		Short: "Tell whether changed settings wait for a restart",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			needed, err := conn.Admin.Config.NeedReboot(cmd.Context())
			if err != nil {
				return err
			}
			if err := printItems(a, rebootShape, []api.ConfigReboot{{NeedReboot: needed}}, true); err != nil {
				return err
			}
			if needed && fail {
				return errCondition
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fail, "fail-needed", false, "exit 9 when it is needed")
	return cmd
}

// restartCommand is sent once: a second request would restart again.
func restartCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "restart",
		Short: "Restart the server, so that all settings work",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			host := conn.Origin.Host
			return a.carryOut(cmd.Context(), conn, write{
				kind: "server.restart", target: "server/" + host, level: action.L2, what: "restart " + host, token: host, whole: true,
			}, func(ctx context.Context) error { return conn.Admin.Config.Restart(ctx) })
		},
	}
}

func emojiCommand(a *app) *cobra.Command {
	reload := &cobra.Command{
		Use:   "reload",
		Short: "Have the server read its custom emoji from disk again",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return a.carryOut(cmd.Context(), conn, write{
				kind: "emoji.reload", target: "server/" + conn.Origin.Host, what: "reload emoji", token: "emoji",
			}, func(ctx context.Context) error { return conn.Admin.Emojis.Reload(ctx) })
		},
	}
	return noun("emoji", "Work on custom emoji", reload)
}

// countedPosts are the posts of one server, or of all.
type countedPosts struct {
	api.Stats
	instance string
}

var statsShape = output.Shape[countedPosts]{
	Plural: "counts",
	Name:   func(s countedPosts) string { return "stats/" + s.instance },
	Raw:    func(s countedPosts) json.RawMessage { return asJSON(s.Stats) },
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

func statsCommand(a *app) *cobra.Command {
	var instance string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count the posts of all servers, or of one, by who may see them",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			s, err := conn.Admin.Stats.Get(cmd.Context(), api.StatsQuery{Instance: instance})
			if err != nil {
				return err
			}
			shown := instance
			if shown == "" {
				shown = "all"
			}
			return printItems(a, statsShape, []countedPosts{{*s, shown}}, true)
		},
	}
	cmd.Flags().StringVar(&instance, "instance", "", "only posts from this `HOST`")
	return cmd
}
