package instance

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var ruleShape = output.Shape[api.AdminRule]{
	Plural: "rules",
	Name:   func(r api.AdminRule) string { return "rule/" + r.ID },
	Raw:    func(r api.AdminRule) json.RawMessage { return r.Raw },
	Columns: []output.Column[api.AdminRule]{
		output.Text("ID", func(r api.AdminRule) string { return r.ID }),
		output.Minor(output.Int("PRIORITY", func(r api.AdminRule) int64 { return r.Priority })),
		output.Text("RULE", func(r api.AdminRule) string { return r.Text }),
		output.Wide(output.Text("HINT", func(r api.AdminRule) string { return r.Hint })),
	},
}

func ruleCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("rule", "Work on the rules of the house, which reports can name",
		ruleListCommand(a), ruleAddCommand(a), ruleEditCommand(a), ruleRemoveCommand(a)),
		"rule list",
		"rule add 'Be kind' --hint 'Argue about matters, not about people.'",
		"rule edit 3 --priority 1",
		"rule remove 3",
	)
}

func ruleListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules in the order in which they are shown",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.ListCommand(a, cmd, ruleShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.AdminRule], error) {
		return cli.Listed[api.AdminRule]{Listing: client.Whole(conn.Admin.Rules.List)}, nil
	})
}

// ruleFlags are the flags of a rule beside its text.
func ruleFlags(cmd *cobra.Command) func(form *api.RuleForm) {
	hint := cmd.Flags().String("hint", "", "a `TEXT` that explains the rule")
	priority := cmd.Flags().Int64("priority", 0, "its place: rules are shown from the least `N` on")
	return func(form *api.RuleForm) {
		if cmd.Flags().Changed("hint") {
			form.Hint = hint
		}
		if cmd.Flags().Changed("priority") {
			form.Priority = new(api.Int(*priority))
		}
	}
}

func ruleAddCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add TEXT [--hint TEXT] [--priority N]",
		Short: "Add a rule",
		Args:  cli.ExactArgs(1, "the text"),
	}
	flags := ruleFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form := api.RuleForm{Text: &args[0]}
		flags(&form)
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		var rule *api.AdminRule
		sent, err := a.Perform(cmd.Context(), conn, cli.Write{
			Kind: action.RuleAdd, What: "add a rule", Token: "rule",
			Done: func(context.Context) []action.Result { return cli.NewlyMade(action.RuleAdd, "rule/"+rule.ID, nil) },
		}, func(ctx context.Context) (err error) {
			rule, err = conn.Admin.Rules.Create(ctx, form)
			return err
		})
		if !sent || err != nil {
			return err
		}
		return cli.PrintItems(a, ruleShape, []api.AdminRule{*rule}, true)
	}
	return cmd
}

func ruleEditCommand(a *cli.App) *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use:               "edit ID [--text TEXT] [--hint TEXT] [--priority N]",
		Short:             "Change a rule",
		Args:              cli.ExactArgs(1, "one id"),
		ValidArgsFunction: completeRules(a),
	}
	flags := ruleFlags(cmd)
	cmd.Flags().StringVar(&text, "text", "", "its new `TEXT`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := action.ParseTarget("rule", args[0])
		if err != nil {
			return err
		}
		var form api.RuleForm
		flags(&form)
		if cmd.Flags().Changed("text") {
			form.Text = &text
		}
		if form == (api.RuleForm{}) {
			return cli.Usagef("--text, --hint or --priority is needed")
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		w := cli.Write{Kind: action.RuleEdit, Target: t.String(), What: "change " + cli.Spell(t.String()), Token: t.Name}
		return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
			_, err := conn.Admin.Rules.Update(ctx, t.Name, form)
			return err
		})
	}
	return cmd
}

func ruleRemoveCommand(a *cli.App) *cobra.Command {
	return removeByIDCommand(a, action.RuleRemove, "Remove a rule; reports that name it keep its text", completeRules(a),
		func(ctx context.Context, conn *cli.Connection, id string) error {
			return conn.Admin.Rules.Delete(ctx, id)
		})
}

// removeByIDCommand is "remove ID", which removes one object of the kind's noun.
func removeByIDCommand(a *cli.App, kind action.Kind, short string, complete cli.Completer, remove func(ctx context.Context, conn *cli.Connection, id string) error) *cobra.Command {
	return &cobra.Command{
		Use:               "remove ID",
		Short:             short,
		Args:              cli.ExactArgs(1, "one id"),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := action.ParseTarget(kind.Noun(), args[0])
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			w := cli.Write{Kind: kind, Target: t.String(), Level: action.L1, What: "remove " + cli.Spell(t.String()), Token: t.Name}
			return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error { return remove(ctx, conn, t.Name) })
		},
	}
}

func completeRules(a *cli.App) cli.Completer {
	return a.Completing("rule", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		rules, err := c.Admin.Rules.List(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, r := range rules {
			offers = append(offers, cli.Described(r.ID, r.Text), cli.Described("rule/"+r.ID, r.Text))
		}
		return offers, nil
	})
}
