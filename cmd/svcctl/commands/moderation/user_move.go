package moderation

import (
	"context"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/commands/names"
)

const userMoveHelp = `Move a local user to an account elsewhere, or here, as they could do themselves.

TARGET is NICK@HOST or an ActivityPub id, and must name the user among its
aliases. Their profile leads there, other servers are told, and followers who
allow it go there. The user goes on signing in and posting. A user moves once in
30 days. --cancel takes back that the profile leads there; followers who went
stay.`

func userMoveCommand(a *cli.App) *cobra.Command {
	var cancel bool
	cmd := &cobra.Command{
		Use:               "move USER TARGET | move USER --cancel",
		Short:             "Move a user to another account",
		Long:              userMoveHelp,
		ValidArgsFunction: names.CompleteUsers(a),
		Args: func(cmd *cobra.Command, args []string) error {
			if cancel && len(args) != 1 || !cancel && len(args) != 2 {
				return &cli.UsageError{Message: "a user and a target are wanted, or a user and --cancel", Hint: cmd.UseLine()}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			user, err := action.ParseTarget("user", args[0])
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			write := cli.Write{Kind: action.UserCancelMove, What: "take back the move of " + user.String(), Token: user.Name}
			send := func(ctx context.Context, c *client.Client) error { return c.Admin.Users.CancelMove(ctx, user.Name) }
			if !cancel {
				write = cli.Write{Kind: action.UserMove, Level: action.L1, What: "move " + user.String() + " to " + args[1], Token: user.Name}
				send = func(ctx context.Context, c *client.Client) error { return c.Admin.Users.Move(ctx, user.Name, args[1]) }
			}
			write.Done = func(context.Context) []action.Result { return cli.NewlyMade(write.Kind, user.String(), nil) }
			_, err = a.Perform(cmd.Context(), conn, write, func(ctx context.Context) error { return send(ctx, conn.Client) })
			return err
		},
	}
	cmd.Flags().BoolVar(&cancel, "cancel", false, "take the move back")
	return cmd
}
