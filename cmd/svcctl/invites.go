package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

var inviteShape = output.Shape[api.Invite]{
	Plural: "invites",
	Name:   func(i api.Invite) string { return "invite/" + i.Token },
	Raw:    func(i api.Invite) json.RawMessage { return i.Raw },
	Columns: []output.Column[api.Invite]{
		output.Int("ID", func(i api.Invite) int64 { return i.ID }),
		output.Text("TYPE", func(i api.Invite) string { return i.InviteType }),
		output.Bool("USED", func(i api.Invite) bool { return i.Used }),
		output.Int("USES", func(i api.Invite) int64 { return i.Uses }),
		output.Text("MAX", func(i api.Invite) string {
			if i.MaxUse == nil {
				return ""
			}
			return strconv.FormatInt(*i.MaxUse, 10)
		}),
		output.Text("EXPIRES", func(i api.Invite) string { return deref(i.ExpiresAt) }),
		output.Text("TOKEN", func(i api.Invite) string { return i.Token }),
	},
}

func inviteCommand(a *app) *cobra.Command {
	return noun("invite", "Work on invites, with which people register while registration is closed",
		inviteListCommand(a), inviteCreateCommand(a), inviteEmailCommand(a),
		inviteRevokeCommand(a))
}

func inviteRevokeCommand(a *app) *cobra.Command {
	cmd := a.kindCommand(action.InviteRevoke, "revoke TOKEN...", "End invites for good", a.completeInvites)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &usageError{message: err.Error(), hint: "a token that begins with a dash is written invite/-..."}
	})
	return cmd
}

func inviteListCommand(a *app) *cobra.Command {
	var stale, usable bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List invites, the oldest first",
		Args:  exactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			if stale && usable {
				return usagef("--stale and --usable exclude each other")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&stale, "stale", false, "only those that are not used up and whose last day is today or past")
	cmd.Flags().BoolVar(&usable, "usable", false, "only those that somebody can register with today")
	return listCommand(a, cmd, inviteShape, func(_ context.Context, conn *connection, _ []string) (listed[api.Invite], error) {
		today := a.now().UTC().Format(time.DateOnly)
		invites := listed[api.Invite]{Listing: client.Whole(conn.Admin.Invites.List)}
		if stale || usable {
			invites.keep = func(_ context.Context, i api.Invite) (bool, error) {
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

func inviteCreateCommand(a *app) *cobra.Command {
	var maxUse int64
	var expires string
	cmd := &cobra.Command{
		Use:   "create [--max-use N] [--expires DATE]",
		Short: "Make an invite, for one account unless a number or a date bounds it",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var form api.NewInvite
			if cmd.Flags().Changed("max-use") {
				if maxUse < 1 {
					return usagef("--max-use %d: at least 1 is needed", maxUse)
				}
				form.MaxUse = &maxUse
			}
			if expires != "" {
				date, err := lastDay(expires, a.now())
				if err != nil {
					return usagef("--expires %v", err)
				}
				form.ExpiresAt = &date
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			var invite *api.Invite
			sent, err := a.perform(cmd.Context(), conn, write{
				kind: "invite.create", what: "make an invite", token: "invite",
			}, func(ctx context.Context) (err error) {
				invite, err = conn.Admin.Invites.Create(ctx, form)
				return err
			})
			if !sent || err != nil {
				return err
			}
			return printItems(a, inviteShape, []api.Invite{*invite}, true)
		},
	}
	cmd.Flags().Int64Var(&maxUse, "max-use", 0, "let `N` accounts register with it")
	cmd.Flags().StringVar(&expires, "expires", "", "its last `DAY`, in UTC: a date, or a time from now like 36h, 7d")
	return cmd
}

// lastDay is a date, or the day that a duration from now falls on.
func lastDay(s string, now time.Time) (string, error) {
	if isDate(s) {
		return s, nil
	}
	if d, ok := parseAge(s); ok {
		return now.Add(d).UTC().Format(time.DateOnly), nil
	}
	t, err := parseTime(s, now)
	if err != nil {
		return "", err
	}
	return t.Format(time.DateOnly), nil
}

func inviteEmailCommand(a *app) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "email ADDRESS [--name NAME]",
		Short: "Make an invite for one account and mail it",
		Args:  exactArgs(1, "one address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return a.carryOut(cmd.Context(), conn, write{
				kind: "invite.email", target: "mail/" + args[0], what: "mail an invite to " + args[0], token: args[0],
			}, func(ctx context.Context) error { return conn.Admin.Invites.Email(ctx, args[0], name) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "whom the mail greets")
	return cmd
}

func (a *app) completeInvites(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := a.offer("invite", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		invites, err := c.Admin.Invites.List(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, i := range invites {
			if !i.Used {
				offers = append(offers, described("invite/"+i.Token, i.InviteType), described(i.Token, i.InviteType))
			}
		}
		return offers, nil
	})
	return startingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
}
