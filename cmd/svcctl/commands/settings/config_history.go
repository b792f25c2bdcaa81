package settings

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var pastShape = output.Shape[api.ConfigPast]{
	Plural: "changes",
	Name:   func(c api.ConfigPast) string { return "change/" + strconv.FormatInt(c.ID, 10) },
	Raw:    output.JSON[api.ConfigPast],
	Columns: []output.Column[api.ConfigPast]{
		output.Int("ID", func(c api.ConfigPast) int64 { return c.ID }),
		output.Time("TIME", func(c api.ConfigPast) time.Time { return c.CreatedAt.Time }),
		output.Text("ACTOR", func(c api.ConfigPast) string {
			if c.Actor == nil {
				return "(gone)"
			}
			return c.Actor.Nickname
		}),
		output.Text("SETTING", func(c api.ConfigPast) string { return c.Group + " " + c.Key }),
		output.Text("CHANGE", action.PastWords),
	},
}

func configHistoryCommand(a *cli.App) *cobra.Command {
	return cli.ListCommand(a, &cobra.Command{
		Use:   "history [GROUP [KEY]]",
		Short: "List who changed settings, when, and what was saved before; secrets are masked",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cli.Usagef("a group and a key are wanted, got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeConfig(a),
	}, pastShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.ConfigPast], error) {
		var q api.ConfigHistoryQuery
		if len(args) > 0 {
			q.Group = settings.AtomName(args[0])
		}
		if len(args) > 1 {
			q.Key = settings.AtomName(args[1])
		}
		return cli.Listed[api.ConfigPast]{Listing: conn.Admin.Config.History(q)}, nil
	})
}

func configRollbackCommand(a *cli.App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "rollback ID",
		Short: "Save again what was saved before a change of svcctl config history",
		Long: `Save again what was saved before a change of svcctl config history. A setting that
was changed since then is left alone (exit 5), but with --force. Secrets are not in
the history: a change of one is not taken back; set it with svcctl config set.`,
		Args: cli.ExactArgs(1, "one change"),
		ValidArgsFunction: a.Completing("config history", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			page, err := c.Admin.Config.History(api.ConfigHistoryQuery{Limit: cli.CompletionCount}).Page(ctx)
			var offers []cobra.Completion
			for _, past := range page.Items {
				offers = append(offers, cli.Described(strconv.FormatInt(past.ID, 10), past.Key))
			}
			return offers, err
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(strings.TrimPrefix(args[0], "change/"), 10, 64)
			if err != nil || id < 1 {
				return cli.Usagef("%s is no number of a change; svcctl config history has them", action.Quote(args[0]))
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			c, err := rollback(cmd.Context(), conn, id, force)
			if err != nil {
				return err
			}
			if len(c.changes) == 0 {
				return a.ShowResults(c.results(nil))
			}
			return applyPlan(cmd.Context(), a, conn, c)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also where the setting was changed since then")
	return cmd
}

// rollback finds the changes that take a past one back.
func rollback(ctx context.Context, conn *cli.Connection, id int64, force bool) (configChanges, error) {
	name := "change " + strconv.FormatInt(id, 10)
	page, err := conn.Admin.Config.History(api.ConfigHistoryQuery{Before: id + 1, Limit: 1}).Page(ctx)
	if err != nil {
		return configChanges{}, Off(err)
	}
	if len(page.Items) == 0 || page.Items[0].ID != id {
		return configChanges{}, &cli.About{What: name, Err: cli.ErrNotFound, Hint: "svcctl config history"}
	}
	past := page.Items[0]
	target := settings.Name(past.Group, past.Key)
	changes, saved, err := action.Rollback(ctx, conn.Client, past, force)
	var secret *action.SecretChangeError
	var conflict *action.Conflict
	switch {
	case errors.As(err, &secret):
		return configChanges{}, &cli.UsageError{
			Message: err.Error(),
			Hint:    "svcctl config set " + strings.TrimPrefix(past.Group, ":") + " " + strings.TrimPrefix(past.Key, ":") + " SUBKEY -",
		}
	case errors.As(err, &conflict):
		return configChanges{}, &cli.About{
			What: cli.Spell(target), Err: err, Hint: "svcctl config history " + past.Group + " " + past.Key + ", or --force",
		}
	case err != nil:
		return configChanges{}, Off(err)
	}
	c := configChanges{changes: changes, saved: saved}
	if len(changes) == 0 {
		c.same = []string{target}
	}
	return c, nil
}
