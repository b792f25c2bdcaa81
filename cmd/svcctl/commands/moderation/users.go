package moderation

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var userFilters = []string{
	"local", "external", "active", "deactivated", "need_approval", "unconfirmed", "is_admin", "is_moderator",
}

var userShape = output.Shape[api.AdminUser]{
	Plural: "users",
	Name:   func(u api.AdminUser) string { return "user/" + u.Nickname },
	Raw:    func(u api.AdminUser) json.RawMessage { return u.Raw },
	Columns: []output.Column[api.AdminUser]{
		output.Text("NICKNAME", func(u api.AdminUser) string { return u.Nickname }),
		output.Minor(output.Int("ID", func(u api.AdminUser) int64 { return u.ID })),
		output.Text("STATE", userState),
		output.Text("ROLES", userRoles),
		output.Wide(output.Bool("LOCAL", func(u api.AdminUser) bool { return u.Local })),
		output.Wide(output.Text("ACCOUNT ID", func(u api.AdminUser) string { return u.AccountID })),
		output.Wide(output.Text("TYPE", func(u api.AdminUser) string { return u.ActorType })),
		output.Wide(output.Text("EMAIL", func(u api.AdminUser) string { return cli.Deref(u.Email) })),
		output.Wide(output.Time("SIGNED UP", signedUp)),
		output.Wide(output.Int("POSTS", func(u api.AdminUser) int { return cli.Deref(u.Statuses) })),
		output.Wide(output.Time("LAST POST", func(u api.AdminUser) time.Time { return cli.Deref(u.LastStatusAt).Time })),
		output.Wide(output.Int("REPORTS", func(u api.AdminUser) int { return cli.Deref(u.ReportsAbout).All() })),
		output.Wide(output.Text("ADDRESS", action.AddressState)),
		output.Wide(output.Text("SAME DOMAIN", action.SameDomain)),
		output.Wide(output.Text("INVITE", action.InviteOf)),
		output.Wide(output.Text("TAGS", func(u api.AdminUser) string { return strings.Join(u.Tags, ",") })),
		output.Wide(output.Text("URL", func(u api.AdminUser) string { return u.URL })),
		output.Wide(output.Text("REASON", func(u api.AdminUser) string { return cli.Deref(u.RegistrationReason) })),
		output.Text("NAME", func(u api.AdminUser) string { return u.DisplayName }),
	},
	Card: func(c *output.Card, u api.AdminUser) {
		c.Field("user", u.Nickname)
		c.Field("number", strconv.FormatInt(u.ID, 10))
		c.Field("account", u.AccountID)
		c.Field("name", u.DisplayName)
		c.Field("state", userState(u))
		c.Field("roles", userRoles(u))
		c.Field("server", originOf(u.UserPart))
		c.Field("type", u.ActorType)
		c.Field("email", cli.Deref(u.Email))
		signupCard(c, u)
		c.Field("tags", strings.Join(u.Tags, ", "))
		c.Field("page", u.URL)
		c.Field("reason", cli.Deref(u.RegistrationReason))
	},
}

func userState(u api.AdminUser) string {
	return cmp.Or(strings.Join(action.UserStates(u.UserPart, u.DeletedAt != nil), ","), "active")
}

func userRoles(u api.AdminUser) string {
	var roles []string
	if u.Roles.Admin {
		roles = append(roles, "admin")
	}
	if u.Roles.Moderator {
		roles = append(roles, "moderator")
	}
	return strings.Join(roles, ",")
}

func userCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("user", "Work on users, local and remote",
		userListCommand(a), userGetCommand(a), userHistoryCommand(a),
		userActivationCommand(a, action.UserActivate, "Let users in again; remote ones that were deleted while deactivated, too"),
		userActivationCommand(a, action.UserDeactivate, "Shut users out; their follows of local accounts are lost"),
		userToggleCommand(a),
		userCreateCommand(a),
		userDeleteCommand(a),
		userPendingCommand(a),
		a.KindCommand(action.UserApprove, "approve USER...", "Approve sign-ups: let pending users in", names.CompleteUsers(a)),
		userRejectCommand(a),
		a.KindCommand(action.UserConfirm, "confirm USER...", "Take users' addresses as confirmed", names.CompleteUsers(a)),
		a.KindCommand(action.UserResend, "resend-confirmation USER...", "Mail users another link to confirm their addresses", names.CompleteUsers(a)),
		userFollowCommand(a, action.UserFollow, "Have one user follow another, accepted at once"),
		userFollowCommand(a, action.UserUnfollow, "End that one user follows another"),
		userMoveCommand(a),
		cli.Noun("tag", "Tag users, for people and for the policies that act on tags",
			userTagCommand(a, action.UserTag, "add", "Give tags to users"),
			userTagCommand(a, action.UserUntag, "remove", "Take tags from users")),
		userRoleCommand(a),
		userPasswordResetCommand(a),
		a.KindCommand(action.UserForceReset, "force-reset USER...", "Shut users out until they have chosen new passwords", names.CompleteUsers(a)),
		userSessionsCommand(a),
		a.KindCommand(action.UserLogOut, "logout USER...", "End all log-ins of users: apps, browsers, SSH", names.CompleteUsers(a)),
		cli.Noun("mfa", "Work on second factors",
			a.KindCommand(action.UserDisableMFA, "disable USER...", "End users' second factors", names.CompleteUsers(a))),
		credentialsCommand(a),
		userBackupCommand(a),
	),
		"user list --filter need_approval -o name",
		"user list kim --filter external",
		"user get kim kim@other.example",
		"user history kim spam1@other.example",
		"user create kim --email kim@example.org --generate",
		"user create --file users.jsonl --generate",
		"user delete kim --dry-run",
		"user activate kim",
		"user deactivate spammer --dry-run",
		"user toggle kim",
		"user pending",
		"user pending --mail-domain spam.example",
		"user approve kim ana",
		"user reject kim --message 'Tell us more about you, and sign up again.'",
		"user confirm kim",
		"user resend-confirmation kim",
		"user follow kim ana",
		"user unfollow kim ana",
		"user backup kim",
		"user password-reset kim",
		"user force-reset kim",
		"user sessions kim",
		"user logout kim",
		"user move kim kim@far.example",
		"user mfa disable kim",
		"user tag add kim --tag mrf_tag:sandbox",
		"user tag remove kim --tag mrf_tag:sandbox",
		"user role get kim",
		"user role add moderator kim",
		"user role remove moderator kim",
		"user credentials get kim",
		"user credentials set kim name=Kim locked=true avatar=@kim.png",
	)
}

func userListCommand(a *cli.App) *cobra.Command {
	var query api.UserQuery
	var filters []string
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List users by nickname; QUERY is part of one, or a host",
		Args:  cli.AtMost(1, "one query"),
		PreRunE: func(*cobra.Command, []string) error {
			for _, name := range filters {
				if err := cli.OneOf("--filter", name, userFilters); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&filters, "filter", nil, "only users that are all of `FILTERS`: "+cli.AnyOf(userFilters))
	f.StringSliceVar(&query.Tags, "tag", nil, "only users with any of these `TAGS`")
	f.StringSliceVar(&query.ActorTypes, "actor-type", nil, "only accounts of these `TYPES`: Person, Service, ...")
	f.StringVar(&query.Name, "name", "", "only users with `TEXT` in their display name")
	f.StringVar(&query.Email, "email", "", "only the user with this `ADDRESS`")
	f.StringVar(&query.MailDomain, "mail-domain", "", "only users with an address of this `DOMAIN`")
	a.CompleteFlag(cmd, "filter", userFilters...)
	return cli.WatchedListCommand(a, cmd, userShape, []string{api.EventRegistration, api.EventLog}, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.AdminUser], error) {
		query.Query, query.Filters = strings.Join(args, ""), strings.Join(filters, ",")
		return cli.Listed[api.AdminUser]{Listing: conn.Admin.Users.List(query)}, nil
	})
}

func userGetCommand(a *cli.App) *cobra.Command {
	return cli.GetCommand(a, "user", userShape, names.CompleteUsers(a), func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.AdminUser, error) {
		return action.FindUser(ctx, conn.Client, t)
	})
}

func userActivationCommand(a *cli.App, kind action.Kind, short string) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               kind.Verb() + " USER...",
		Short:             short,
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActOn(cmd.Context(), cli.Deed{Kind: kind, Force: force}, args)
		},
	}
	addForce(cmd, &force)
	return cmd
}

func addForce(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "overwrite changes that another moderator made meanwhile")
}

// userToggleCommand is the one verb that names no wished state: it is
// sent once and never again.
func userToggleCommand(a *cli.App) *cobra.Command {
	return oneUserCommand(a, "toggle USER", "Activate a deactivated user, deactivate an active one", func(ctx context.Context, conn *cli.Connection, user *api.AdminUser) error {
		kind := action.UserDeactivate
		if user.Deactivated {
			kind = action.UserActivate
		}
		return a.CarryOut(ctx, conn, cli.Write{
			Kind: kind, Target: "user/" + user.Nickname, Undo: kind.Back("user/"+user.Nickname, nil),
			Level: action.Level(kind, 1, false), What: kind.Verb() + " user " + user.Nickname, Token: user.Nickname,
		}, func(ctx context.Context) error {
			_, err := conn.Admin.Users.Toggle(ctx, user.Nickname)
			return err
		})
	})
}

// oneUserCommand is a command on one user.
func oneUserCommand(a *cli.App, use, short string, run func(ctx context.Context, conn *cli.Connection, user *api.AdminUser) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cli.ExactArgs(1, "one user"),
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, user, err := userAt(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			return run(cmd.Context(), conn, user)
		},
	}
}

// userAt connects and finds the user that an argument names.
func userAt(ctx context.Context, a *cli.App, arg string) (*cli.Connection, *api.AdminUser, error) {
	conn, err := a.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	user, err := findUser(ctx, conn, arg)
	return conn, user, err
}

// findUser is action.FindUser with an error that names the user.
func findUser(ctx context.Context, conn *cli.Connection, arg string) (*api.AdminUser, error) {
	t, err := action.ParseTarget("user", arg)
	if err != nil {
		return nil, err
	}
	user, err := action.FindUser(ctx, conn.Client, t)
	if err != nil {
		return nil, names.UnknownUser(ctx, conn, t, err)
	}
	return user, nil
}
