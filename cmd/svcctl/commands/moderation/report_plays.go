package moderation

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/client/login"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/client/templates"
	"svc/cmd/svcctl/cli"
)

func reportActCommand(a *cli.App) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "act REPORT... --playbook NAME",
		Short: "Run a playbook on the accounts of reports",
		Long: "Run the steps of a playbook on each reported account, in order: spam, abuse, dogpile, impersonation, " +
			"and those under playbooks: in the configuration file. The first failure stops the rest. " +
			"svcctl undo takes the whole back, as far as that is possible.",
		ValidArgsFunction: completeReports(a, api.ReportOpen),
		PreRunE: func(*cobra.Command, []string) error {
			if name == "" {
				return cli.Usagef("--playbook NAME is wanted")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Play(cmd.Context(), action.ReportResolve, args, func(conn *cli.Connection, reports []action.Target) ([]action.Action, string, error) {
				books, err := playbook.Load(conn.Config.Playbooks, conn.Config.Templates)
				if err != nil {
					return nil, "", &cli.UsageError{Message: err.Error(), Hint: "mend playbooks: in " + login.PathsFrom(a.Getenv).Config}
				}
				book, err := playbook.Find(books, name)
				if err != nil {
					return nil, "", err
				}
				cases, err := casesOf(cmd.Context(), conn, reports)
				if err != nil {
					return nil, "", err
				}
				var plan []action.Action
				var scopes []playbook.Scope
				for _, c := range cases {
					steps, err := book.Plan(c)
					if err != nil {
						return nil, "", err
					}
					plan, scopes = append(plan, steps...), append(scopes, book.Scope(c))
				}
				return plan, playbook.Words(scopes...), nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "playbook", "", "the playbook's `NAME`")
	a.CompleteFlagWith(cmd, "playbook", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		if config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config); err == nil {
			books, _ := playbook.Load(config.Playbooks, config.Templates)
			for _, b := range books {
				names = append(names, b.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// casesOf reads reports, and all open ones about the same accounts: a case for
// each account, in the order of the reports.
func casesOf(ctx context.Context, conn *cli.Connection, targets []action.Target) ([]playbook.Case, error) {
	var chosen, open []playbook.Report
	for _, t := range targets {
		r, err := conn.Admin.Reports.Get(ctx, t.Name)
		if err != nil {
			return nil, &cli.About{What: "report " + t.Name, Err: err, Hint: cli.LookHint("report", t.Name)}
		}
		one := playedOn(*r)
		one.State = api.ReportOpen // as who names a report assumes
		chosen = append(chosen, one)
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	me, err := conn.Accounts.Verify(ctx)
	if err != nil {
		return nil, err
	}
	for i := range chosen {
		chosen[i].Fields[templates.Server], chosen[i].Fields[templates.Moderator] = conn.Origin.Host, me.Acct
	}
	accounts := make([]string, len(chosen))
	for i, c := range chosen {
		accounts[i] = c.About
	}
	found, err := conn.Admin.Reports.OpenAbout(ctx, accounts)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		open = append(open, playedOn(r))
	}
	return playbook.Cases(chosen, open, nil), nil
}

// playedOn is a report as playbooks look at it.
func playedOn(r api.AdminReport) playbook.Report {
	p := playbook.Report{
		ID: r.ID, State: r.State, About: r.Account.ID, Nick: r.Account.Nickname, Deactivated: r.Account.Deactivated,
		By: r.Actor.Nickname, Fields: caseFields(r),
	}
	for _, s := range r.Statuses {
		if s.Svc.Deleted == nil {
			p.Posts = append(p.Posts, s.ID)
		}
	}
	return p
}

// caseFields are the values that a report gives to texts.
func caseFields(r api.AdminReport) templates.Fields {
	f := templates.Fields{templates.Nick: r.Account.Nickname, templates.Name: r.Account.DisplayName, templates.Report: r.ID}
	if _, host, remote := strings.Cut(r.Account.Nickname, "@"); remote {
		f[templates.Host] = host
	}
	if r.Content != nil && *r.Content != "" {
		f[templates.Reason] = safe.HTML(*r.Content).String()
	}
	return f
}
