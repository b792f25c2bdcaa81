package moderation

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var inviteShape = output.Shape[api.Invite]{
	Plural: "invites",
	Name:   func(i api.Invite) string { return "invite/" + i.Token },
	Raw:    func(i api.Invite) json.RawMessage { return i.Raw },
	Columns: []output.Column[api.Invite]{
		output.Int("ID", func(i api.Invite) int64 { return i.ID }),
		output.Minor(output.Text("TYPE", func(i api.Invite) string { return i.InviteType })),
		output.Minor(output.Bool("USED", func(i api.Invite) bool { return i.Used })),
		output.Int("USES", func(i api.Invite) int64 { return i.Uses }),
		output.Text("MAX", func(i api.Invite) string {
			if i.MaxUse == nil {
				return ""
			}
			return strconv.FormatInt(*i.MaxUse, 10)
		}),
		output.Text("EXPIRES", func(i api.Invite) string { return cli.Deref(i.ExpiresAt) }),
		output.Wide(output.Text("STATE", func(i api.Invite) string { return action.InviteState(i, time.Now()) })),
		output.Whole(output.Text("TOKEN", func(i api.Invite) string { return i.Token })),
	},
}

func inviteCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("invite", "Work on invites, with which people register while registration is closed",
		inviteListCommand(a), inviteCreateCommand(a), inviteEmailCommand(a),
		inviteRevokeCommand(a)),
		"invite list --stale",
		"invite create --max-use 5 --expires 7d",
		"invite email kim@example.org --name Kim",
		"invite revoke yR3kHcPzqTA",
	)
}

func inviteRevokeCommand(a *cli.App) *cobra.Command {
	cmd := a.KindCommand(action.InviteRevoke, "revoke TOKEN...", "End invites for good", completeInvites(a))
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &cli.UsageError{Message: err.Error(), Hint: "a token that begins with a dash is written invite/-..."}
	})
	return cmd
}

func inviteListCommand(a *cli.App) *cobra.Command {
	var stale, usable bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List invites, the oldest first",
		Args:  cli.ExactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			if stale && usable {
				return cli.Usagef("--stale and --usable exclude each other")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&stale, "stale", false, "only those that are not used up and whose last day is today or past")
	cmd.Flags().BoolVar(&usable, "usable", false, "only those that somebody can register with today")
	return cli.ListCommand(a, cmd, inviteShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.Invite], error) {
		today := a.Now().UTC().Format(time.DateOnly)
		invites := cli.Listed[api.Invite]{Listing: client.Whole(conn.Admin.Invites.List)}
		if stale || usable {
			invites.Keep = func(_ context.Context, i api.Invite) (bool, error) {
				open := !i.Used && (i.ExpiresAt == nil || *i.ExpiresAt >= today)
				if usable {
					return open, nil
				}
				return !i.Used && i.ExpiresAt != nil && *i.ExpiresAt <= today, nil
			}
		}
		return invites, nil
	})
}

func inviteCreateCommand(a *cli.App) *cobra.Command {
	var maxUse int64
	var expires string
	cmd := &cobra.Command{
		Use:   "create [--max-use N] [--expires DATE]",
		Short: "Make an invite, for one account unless a number or a date bounds it",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var form api.NewInvite
			if cmd.Flags().Changed("max-use") {
				if maxUse < 1 {
					return cli.Usagef("--max-use %d: at least 1 is needed", maxUse)
				}
				form.MaxUse = &maxUse
			}
			if expires != "" {
				date, err := lastDay(expires, a.Now())
				if err != nil {
					return cli.Usagef("--expires %v", err)
				}
				form.ExpiresAt = &date
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			var invite *api.Invite
			sent, err := a.Perform(cmd.Context(), conn, cli.Write{
				Kind: action.InviteCreate, What: "make an invite", Token: "invite",
				Done: func(context.Context) []action.Result {
					return cli.NewlyMade(action.InviteCreate, "invite/"+invite.Token, nil)
				},
			}, func(ctx context.Context) (err error) {
				invite, err = conn.Admin.Invites.Create(ctx, form)
				return err
			})
			if !sent || err != nil {
				return err
			}
			return cli.PrintItems(a, inviteShape, []api.Invite{*invite}, true)
		},
	}
	cmd.Flags().Int64Var(&maxUse, "max-use", 0, "let `N` accounts register with it")
	cmd.Flags().StringVar(&expires, "expires", "", "its last `DAY`, in UTC: a date, or a time from now like 36h, 7d")
	return cmd
}

// lastDay is a date, or the day that a duration from now falls on.
func lastDay(s string, now time.Time) (string, error) {
	if cli.IsDate(s) {
		return s, nil
	}
	if d, ok := cli.ParseAge(s); ok {
		return now.Add(d).UTC().Format(time.DateOnly), nil
	}
	t, err := cli.ParseTime(s, now)
	if err != nil {
		return "", err
	}
	return t.Format(time.DateOnly), nil
}

func inviteEmailCommand(a *cli.App) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "email ADDRESS [--name NAME]",
		Short: "Make an invite for one account and mail it",
		Args:  cli.ExactArgs(1, "one address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return a.CarryOut(cmd.Context(), conn, cli.Write{
				Kind: action.InviteEmail, Target: "mail/" + args[0], What: "mail an invite to " + args[0], Token: args[0],
			}, func(ctx context.Context) error { return conn.Admin.Invites.Email(ctx, args[0], name) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the name in the mail's greeting")
	return cmd
}

func completeInvites(a *cli.App) cli.Completer {
	return a.Completing("invite", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		invites, err := c.Admin.Invites.List(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, i := range invites {
			if !i.Used {
				offers = append(offers, cli.Described("invite/"+i.Token, i.InviteType), cli.Described(i.Token, i.InviteType))
			}
		}
		return offers, nil
	})
}
