package moderation

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/client/login"
	"svc/client/safe"
	"svc/client/templates"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

// draft is a message as its reader will see it.
type draft struct {
	api.Status
	to string
}

var draftShape = output.Shape[draft]{
	Plural: "messages",
	Name:   func(d draft) string { return "user/" + d.to },
	Raw:    func(d draft) json.RawMessage { return d.Raw },
	Columns: []output.Column[draft]{
		output.Text("TO", func(d draft) string { return d.to }),
		output.Text("TEXT", func(d draft) string { return safe.HTML(d.Content).String() }),
	},
}

func messageCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("message", "Write to people", messageSendCommand(a)),
		"message send kim --template warning",
		"message send kim ana@far.example --template warning --preview",
		"message send kim --text 'Your picture has no description.' --yes",
	)
}

func messageSendCommand(a *cli.App) *cobra.Command {
	var name, text string
	var preview bool
	cmd := &cobra.Command{
		Use:   "send USER... --template NAME | --text TEXT",
		Short: "Send each user a direct post from your account",
		Long: `Send each user a direct post from your account. A template is a text of
templates: in config.yaml, with fields in braces: {{.nick}}, {{.name}}, {{.host}},
{{.server}}, {{.moderator}}. So may be the TEXT of --text. --preview shows what would be sent as the server renders
it. Messages cannot be taken back.`,
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (name == "") == (text == "") {
				return cli.Usagef("--template or --text is wanted, and not both")
			}
			texts, err := templatesOf(a)
			if err != nil {
				return err
			}
			d := cli.Deed{Kind: action.UserMessage, ArgsOf: func(ctx context.Context, conn *cli.Connection, t action.Target) (map[string]string, error) {
				filled := text
				if name != "" || strings.Contains(text, "{{") {
					fields, err := fieldsFor(ctx, conn, t)
					switch {
					case err != nil:
					case name == "":
						filled, err = templates.Fill("--text", text, fields)
					default:
						filled, err = templates.Find(texts, name, fields)
					}
					if err != nil {
						return nil, err
					}
				}
				return map[string]string{"text": filled}, nil
			}}
			if !preview {
				return a.ActOn(cmd.Context(), d, args)
			}
			targets, err := a.Targets("user", args)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return cli.GetEach(cmd.Context(), a, draftShape, targets, args, func(ctx context.Context, t action.Target) (draft, error) {
				words, err := d.ArgsOf(ctx, conn, t)
				if err != nil {
					return draft{}, err
				}
				user, err := conn.Admin.Users.Get(ctx, t.Name)
				if err != nil {
					return draft{}, err
				}
				shown, err := conn.Statuses.Post(ctx, api.NewStatus{Status: words["text"], Visibility: "direct", To: []string{user.AccountID}, Preview: true})
				return draft{cli.Deref(shown), user.Nickname}, err
			})
		},
	}
	cmd.Flags().StringVar(&name, "template", "", "the text `NAME` of config.yaml")
	cmd.Flags().StringVar(&text, "text", "", "this `TEXT`")
	cmd.Flags().BoolVar(&preview, "preview", false, "show the messages, and send none")
	a.CompleteFlagWith(cmd, "template", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		texts, _ := templatesOf(a) // a file that cannot be read offers nothing
		return templates.Names(texts), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func templatesOf(a *cli.App) (map[string]string, error) {
	config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
	if err != nil {
		return nil, err
	}
	return config.Templates, nil
}

// fieldsFor are the fields of templates that are about a user.
func fieldsFor(ctx context.Context, conn *cli.Connection, t action.Target) (templates.Fields, error) {
	user, err := conn.Admin.Users.Get(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	me, err := conn.Accounts.Verify(ctx)
	if err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(user.Nickname, "@")
	return templates.Fields{
		templates.Nick: user.Nickname, templates.Name: user.DisplayName, templates.Host: host,
		templates.Server: conn.Origin.Hostname(), templates.Moderator: me.Acct,
	}, nil
}
