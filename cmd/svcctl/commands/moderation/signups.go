package moderation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

// pendingShape is pending users with what a decision needs.
var pendingShape = output.Shape[api.AdminUser]{
	Plural: "users",
	Name:   userShape.Name,
	Raw:    userShape.Raw,
	Columns: []output.Column[api.AdminUser]{
		output.Text("NICKNAME", func(u api.AdminUser) string { return u.Nickname }),
		output.Time("SIGNED UP", signedUp),
		output.Text("EMAIL", func(u api.AdminUser) string { return cli.Deref(u.Email) }),
		output.Text("ADDRESS", action.AddressState),
		output.Text("SAME DOMAIN", action.SameDomain),
		output.Minor(output.Text("INVITE", action.InviteOf)),
		output.Wide(output.Text("STATE", userState)),
		output.Text("REASON", func(u api.AdminUser) string { return cli.Deref(u.RegistrationReason) }),
	},
	Card: userShape.Card,
}

func signedUp(u api.AdminUser) time.Time { return cli.Deref(u.CreatedAt).Time }

// signupCard adds what a decision about a pending user needs.
func signupCard(c *output.Card, u api.AdminUser) {
	if u.CreatedAt != nil {
		c.Time("since", u.CreatedAt.Time)
	}
	if u.Signup == nil {
		return
	}
	c.Field("address", action.AddressState(u))
	if at := u.Signup.EmailConfirmedAt; at != nil {
		c.Time("confirmed", at.Time)
	}
	if n := action.SameDomain(u); n != "" {
		c.Field("domain", fmt.Sprintf("%s, of others there: %s", u.Signup.MailDomain, strings.ReplaceAll(n, ",", ", ")))
	}
	c.Field("invite", action.InviteOf(u))
}

func userPendingCommand(a *cli.App) *cobra.Command {
	var query api.UserQuery
	cmd := &cobra.Command{
		Use:   "pending [QUERY]",
		Short: "List the sign-ups that wait for a decision, with what it needs",
		Long: `List the sign-ups that wait for a decision, with what it needs.

ADDRESS says whether somebody opened the mailed link: "unchecked" where the server
mails none. SAME DOMAIN counts the other users with an address of that mail domain,
and says whether the domain is blocked. INVITE is the number of the invite they
registered with. Deactivated users are left out.

All of a mail domain are rejected with

	svcctl user pending --mail-domain spam.example --all -o name |
	svcctl user reject - --yes`,
		Args: cli.AtMost(1, "one query"),
	}
	cmd.Flags().StringVar(&query.MailDomain, "mail-domain", "", "only users with an address of this `DOMAIN`")
	return cli.WatchedListCommand(a, cmd, pendingShape, []string{api.EventRegistration}, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.AdminUser], error) {
		query.Query, query.Filters = strings.Join(args, ""), "local,need_approval"
		pending := cli.Listed[api.AdminUser]{Listing: conn.Admin.Users.List(query)}
		// A rejected one is deactivated until all of it is deleted.
		pending.Keep = func(_ context.Context, u api.AdminUser) (bool, error) { return !u.Deactivated, nil }
		return pending, nil
	})
}

func userRejectCommand(a *cli.App) *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:   "reject USER...",
		Short: "Reject sign-ups: delete the pending users for good",
		Long: `Reject sign-ups: delete the pending users for good. Their nicknames are free again.

--message is mailed to each; without it nobody is told. The log keeps the nickname
and the message. A user who is not pending stays.`,
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActOn(cmd.Context(), cli.Deed{Kind: action.UserReject, Args: map[string]string{"message": message}}, args)
		},
	}
	cmd.Flags().StringVar(&message, "message", "", "the `TEXT` that is mailed to them")
	return cmd
}

var mailDomainShape = output.Shape[string]{
	Plural:  "mail domains",
	Name:    func(d string) string { return "mail-domain/" + d },
	Raw:     output.JSON[string],
	Columns: []output.Column[string]{output.Text("DOMAIN", func(d string) string { return d })},
}

func mailDomainCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("mail-domain", "Work on mail domains that nobody may sign up with",
		mailDomainListCommand(a),
		a.KindCommand(action.MailDomainBlock, "block DOMAIN...", "Block mail domains with those below them; who has an address there keeps it", nil),
		a.KindCommand(action.MailDomainUnblock, "unblock DOMAIN...", "Let people sign up with addresses of these mail domains again", completeMailDomains(a))),
		"mail-domain list",
		"mail-domain block spam.example",
		"mail-domain unblock spam.example",
	)
}

func mailDomainListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the blocked mail domains",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.ListCommand(a, cmd, mailDomainShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[string], error) {
		return cli.Listed[string]{Listing: client.Whole(conn.Admin.MailDomains.List)}, nil
	})
}

func completeMailDomains(a *cli.App) cli.Completer {
	return a.Completing("mail-domain", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		return c.Admin.MailDomains.List(ctx)
	})
}
