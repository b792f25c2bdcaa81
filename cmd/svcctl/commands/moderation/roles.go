package moderation

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var roleNames = []string{api.RoleAdmin, api.RoleModerator}

// roleKinds name the actions that add and remove each role.
var roleKinds = map[string]map[string]action.Kind{
	"add":    {api.RoleAdmin: action.UserMakeAdmin, api.RoleModerator: action.UserMakeModerator},
	"remove": {api.RoleAdmin: action.UserUnmakeAdmin, api.RoleModerator: action.UserUnmakeModerator},
}

// membership is a user's roles, with their name.
type membership struct {
	api.Membership
	nickname string
}

var roleShape = output.Shape[membership]{
	Plural: "roles",
	Name:   func(m membership) string { return "user/" + m.nickname },
	Raw:    func(m membership) json.RawMessage { return output.JSON(m.Membership) },
	Columns: []output.Column[membership]{
		output.Text("NICKNAME", func(m membership) string { return m.nickname }),
		output.Bool("ADMIN", func(m membership) bool { return m.IsAdmin }),
		output.Bool("MODERATOR", func(m membership) bool { return m.IsModerator }),
	},
}

// roleCommand is userRoleCommand as a noun.
func roleCommand(a *cli.App) *cobra.Command {
	return cli.Examples(userRoleCommand(a), "role get kim admin", "role add admin kim", "role remove admin kim")
}

func userRoleCommand(a *cli.App) *cobra.Command {
	return cli.Noun("role", "Work on who is an admin or a moderator",
		roleGetCommand(a),
		roleChangeCommand(a, "add", "Make users admins or moderators"),
		roleChangeCommand(a, "remove", "Take a role from users"))
}

func roleGetCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "get USER [ROLE]",
		Short: "Show a user's roles",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return &cli.UsageError{Message: "a user is wanted, and perhaps a role", Hint: cmd.UseLine()}
			}
			if len(args) == 2 {
				return cli.OneOf("role", args[1], roleNames)
			}
			return nil
		},
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, user, err := userAt(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			var m *api.Membership
			if len(args) == 2 {
				m, err = conn.Admin.Users.Role(cmd.Context(), user.Nickname, args[1])
			} else {
				m, err = conn.Admin.Users.Roles(cmd.Context(), user.Nickname)
			}
			if err != nil {
				return &cli.About{What: "user " + user.Nickname, Err: err}
			}
			return cli.PrintItems(a, roleShape, []membership{{*m, user.Nickname}}, true)
		},
	}
}

func roleChangeCommand(a *cli.App, verb, short string) *cobra.Command {
	var legacy, force bool
	cmd := &cobra.Command{
		Use:   verb + " ROLE USER...",
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &cli.UsageError{Message: "a role and a user are wanted", Hint: cmd.UseLine()}
			}
			return cli.OneOf("role", args[0], roleNames)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return cli.StartingWith(roleNames, typed), cobra.ShellCompDirectiveNoFileComp
			}
			return names.CompleteUsers(a)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := roleKinds[verb][args[0]]
			if legacy {
				return changeRoleOf(a, cmd, kind, verb, args)
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: kind, Force: force}, args[1:])
		},
	}
	addForce(cmd, &force)
	cmd.Flags().BoolVar(&legacy, "legacy", false, "use the older endpoint, which takes one user")
	return cmd
}

// changeRoleOf uses the endpoint for one user, which servers have kept from
// before there was one for many.
func changeRoleOf(a *cli.App, cmd *cobra.Command, kind action.Kind, verb string, args []string) error {
	if len(args) != 2 || args[1] == "-" {
		return cli.Usagef("--legacy takes one user")
	}
	conn, user, err := userAt(cmd.Context(), a, args[1])
	if err != nil {
		return err
	}
	has := user.Roles.Moderator
	if args[0] == api.RoleAdmin {
		has = user.Roles.Admin
	}
	target := "user/" + user.Nickname
	if has == (verb == "add") {
		return a.ShowResults([]action.Result{{Action: action.Action{Kind: kind, Target: target}, Outcome: action.Unchanged}})
	}
	send := conn.Admin.Users.AddRoleTo
	if verb == "remove" {
		send = conn.Admin.Users.RemoveRoleFrom
	}
	return a.CarryOut(cmd.Context(), conn, cli.Write{
		Kind: kind, Target: target, Level: action.Level(kind, 1, false),
		What: kind.Verb() + " user " + user.Nickname, Token: user.Nickname, Undo: kind.Back(target, nil),
	}, func(ctx context.Context) error {
		_, err := send(ctx, user.Nickname, args[0])
		return err
	})
}
