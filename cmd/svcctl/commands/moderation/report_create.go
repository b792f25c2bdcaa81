package moderation

import (
	"context"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/commands/names"
)

const reportCreateHelp = `File a report about a user, in your own name or, with --by, in that of somebody
here who told you, by mail for example.

The report keeps copies of the posts. The moderation log says who filed it.`

func reportCreateCommand(a *cli.App) *cobra.Command {
	var form api.NewAdminReport
	cmd := &cobra.Command{
		Use:               "create USER [--by NICK] [--post ID]... [--text TEXT]",
		Short:             "File a report about a user, also for somebody who told you",
		Long:              reportCreateHelp,
		Args:              cli.ExactArgs(1, "one user"),
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			about, err := action.ParseTarget("user", args[0])
			if err != nil {
				return err
			}
			if form.Reporter, err = nickOf("--by", form.Reporter); err != nil {
				return err
			}
			form.Account = about.Name
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			var report *api.AdminReport
			sent, err := a.Perform(cmd.Context(), conn, cli.Write{
				Kind: action.ReportCreate, What: "file a report about " + about.String(), Token: about.Name,
				Done: func(context.Context) []action.Result {
					return cli.NewlyMade(action.ReportCreate, "report/"+report.ID, nil)
				},
			}, func(ctx context.Context) (err error) {
				report, err = conn.Admin.Reports.Create(ctx, form)
				return err
			})
			if !sent || err != nil {
				return err
			}
			return cli.PrintItems(a, reportShape, []api.AdminReport{*report}, true)
		},
	}
	f := cmd.Flags()
	f.StringVar(&form.Reporter, "by", "", "in the name of `NICK`, in place of one's own")
	f.StringSliceVar(&form.StatusIDs, "post", nil, "with the posts `IDS` of the user, joined by commas")
	f.StringVar(&form.Comment, "text", "", "what is wrong, as `TEXT`")
	f.BoolVar(&form.Forward, "forward", false, "tell the user's own server too, without a name")
	a.CompleteFlagWith(cmd, "by", names.CompleteUsers(a))
	return cmd
}
