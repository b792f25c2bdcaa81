package moderation

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

func userFollowCommand(a *cli.App, kind action.Kind, short string) *cobra.Command {
	return &cobra.Command{
		Use:               kind.Verb() + " FOLLOWER FOLLOWED",
		Short:             short,
		Args:              cli.ExactArgs(2, "who follows and who is followed"),
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			followed, err := action.ParseTarget("user", args[1])
			if err != nil {
				return err
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: kind, Args: map[string]string{"followed": followed.String()}}, args[:1])
		},
	}
}

func userTagCommand(a *cli.App, kind action.Kind, verb, short string) *cobra.Command {
	var tags []string
	cmd := &cobra.Command{
		Use:               verb + " USER... --tag TAG",
		Short:             short,
		ValidArgsFunction: names.CompleteUsers(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(tags) == 0 {
				return &cli.UsageError{Message: "say which tags: --tag TAG", Hint: cmd.UseLine()}
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: kind, Args: map[string]string{"tags": strings.Join(tags, ",")}}, args)
		},
	}
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "the `TAGS`, joined by commas")
	a.CompleteFlag(cmd, "tag", policyTags...)
	return cmd
}

// policyTags are the tags that the tag policy acts on.
var policyTags = []string{
	"mrf_tag:media-force-nsfw", "mrf_tag:media-strip", "mrf_tag:force-unlisted", "mrf_tag:sandbox",
	"mrf_tag:disable-remote-subscription", "mrf_tag:disable-any-subscription",
}

var resetShape = output.Shape[passwordReset]{
	Plural: "links",
	Name:   func(r passwordReset) string { return "user/" + r.nickname },
	Raw:    func(r passwordReset) json.RawMessage { return output.JSON(r.PasswordReset) },
	Columns: []output.Column[passwordReset]{
		output.Text("NICKNAME", func(r passwordReset) string { return r.nickname }),
		output.Whole(output.Text("LINK", func(r passwordReset) string { return r.Link })),
	},
	Card: func(c *output.Card, r passwordReset) {
		c.Field("user", r.nickname)
		c.Whole(r.Link)
	},
}

type passwordReset struct {
	api.PasswordReset
	nickname string
}

// userPasswordResetCommand makes a new link each time, so it is sent once.
func userPasswordResetCommand(a *cli.App) *cobra.Command {
	return oneUserCommand(a, "password-reset USER", "Make a link with which a user chooses a new password, once", func(ctx context.Context, conn *cli.Connection, user *api.AdminUser) error {
		var link *api.PasswordReset
		sent, err := a.Perform(ctx, conn, cli.Write{
			Kind: action.UserPasswordReset, Target: "user/" + user.Nickname, What: "make a link for user " + user.Nickname, Token: user.Nickname,
		}, func(ctx context.Context) error {
			var err error
			if link, err = conn.Admin.Users.PasswordReset(ctx, user.Nickname); err != nil {
				return &cli.About{What: "user " + user.Nickname, Err: err}
			}
			return nil
		})
		if !sent || err != nil {
			return err
		}
		return cli.PrintItems(a, resetShape, []passwordReset{{*link, user.Nickname}}, true)
	})
}

const deleteHelp = `Delete users for good, with all they posted.

The nickname of a local user stays taken. A user of another server who is
deactivated stays away: what they send is dropped, and looking them up fetches
nothing, until "user activate" lifts it. A user of another server who is active is
cleaned up, not banned: they are back with their next post, with the tags they
had. Deactivate them first to keep them away.`

func userDeleteCommand(a *cli.App) *cobra.Command {
	var legacy bool
	cmd := a.KindCommand(action.UserDelete, "delete USER...", "Delete users for good, with all they posted", names.CompleteUsers(a))
	cmd.Long = deleteHelp
	many := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !legacy {
			return many(cmd, args)
		}
		if len(args) != 1 || args[0] == "-" {
			return cli.Usagef("--legacy takes one user")
		}
		conn, user, err := userAt(cmd.Context(), a, args[0])
		if err != nil {
			return err
		}
		body := api.Nickname{Nickname: user.Nickname}
		return a.CarryOut(cmd.Context(), conn, cli.Write{
			Kind: action.UserDelete, Target: "user/" + user.Nickname, Level: action.L2,
			What: "delete user " + user.Nickname, Token: user.Nickname,
		}, func(ctx context.Context) error {
			_, err := conn.Do(ctx, client.Request{Method: http.MethodDelete, Path: usersPath, Body: body}, nil)
			return err
		})
	}
	cmd.Flags().BoolVar(&legacy, "legacy", false, "use the older form of the request, which names one user")
	return cmd
}

const usersPath = "/api/svc/admin/users"

func userBackupCommand(a *cli.App) *cobra.Command {
	return oneUserCommand(a, "backup USER", "Archive a local user's data, and mail them a link to it", func(ctx context.Context, conn *cli.Connection, user *api.AdminUser) error {
		return a.CarryOut(ctx, conn, cli.Write{
			Kind: action.UserBackup, Target: "user/" + user.Nickname, What: "back up user " + user.Nickname, Token: user.Nickname,
		}, func(ctx context.Context) error { return conn.Admin.Users.Backup(ctx, user.Nickname) })
	})
}
