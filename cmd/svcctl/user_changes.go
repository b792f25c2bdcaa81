package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

func userFollowCommand(a *app, kind action.Kind, short string) *cobra.Command {
	return &cobra.Command{
		Use:               kind.Verb() + " FOLLOWER FOLLOWED",
		Short:             short,
		Args:              exactArgs(2, "who follows and who is followed"),
		ValidArgsFunction: a.completeUsers,
		RunE: func(cmd *cobra.Command, args []string) error {
			followed, err := single("user", args[1])
			if err != nil {
				return err
			}
			return a.actOn(cmd.Context(), deed{kind: kind, args: map[string]string{"followed": followed.String()}}, args[:1])
		},
	}
}

func userTagCommand(a *app, kind action.Kind, verb, short string) *cobra.Command {
	var tags []string
	cmd := &cobra.Command{
		Use:               verb + " USER... --tag TAG",
		Short:             short,
		ValidArgsFunction: a.completeUsers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(tags) == 0 {
				return &usageError{message: "say which tags: --tag TAG", hint: cmd.UseLine()}
			}
			return a.actOn(cmd.Context(), deed{kind: kind, args: map[string]string{"tags": strings.Join(tags, ",")}}, args)
		},
	}
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "the `TAGS`, joined by commas")
	completeFlag(cmd, "tag", policyTags...)
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
	Raw:    func(r passwordReset) json.RawMessage { return asJSON(r.PasswordReset) },
	Columns: []output.Column[passwordReset]{
		output.Text("NICKNAME", func(r passwordReset) string { return r.nickname }),
		output.Text("LINK", func(r passwordReset) string { return r.Link }),
	},
}

type passwordReset struct {
	api.PasswordReset
	nickname string
}

// userPasswordResetCommand makes a new link each time, so it is sent once.
func userPasswordResetCommand(a *app) *cobra.Command {
	return oneUserCommand(a, "password-reset USER", "Make a link with which a user chooses a new password, once", func(ctx context.Context, conn *connection, user *api.AdminUser) error {
		var link *api.PasswordReset
		sent, err := a.perform(ctx, conn, write{
			kind: "user.password-reset", what: "make a link for user " + user.Nickname, token: user.Nickname,
		}, func(ctx context.Context) error {
			var err error
			if link, err = conn.Admin.Users.PasswordReset(ctx, user.Nickname); err != nil {
				return &about{what: "user " + user.Nickname, err: err}
			}
			return nil
		})
		if !sent || err != nil {
			return err
		}
		return printItems(a, resetShape, []passwordReset{{*link, user.Nickname}}, true)
	})
}

func userDeleteCommand(a *app) *cobra.Command {
	var legacy bool
	cmd := a.kindCommand(action.UserDelete, "delete USER...", "Delete users for good, with all they posted", a.completeUsers)
	many := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !legacy {
			return many(cmd, args)
		}
		if len(args) != 1 || args[0] == "-" {
			return usagef("--legacy takes one user")
		}
		conn, user, err := a.userAt(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		body := api.Nickname{Nickname: user.Nickname}
		return a.carryOut(cmd.Context(), conn, write{
			kind: action.UserDelete, target: "user/" + user.Nickname, level: action.L2,
			what: "delete user " + user.Nickname, token: user.Nickname,
		}, func(ctx context.Context) error {
			_, err := conn.Do(ctx, client.Request{Method: http.MethodDelete, Path: usersPath, Body: body}, nil)
			return err
		})
	}
	cmd.Flags().BoolVar(&legacy, "legacy", false, "use the older form of the request, which names one user")
	return cmd
}

const usersPath = "/api/svc/admin/users"

func userBackupCommand(a *app) *cobra.Command {
	return oneUserCommand(a, "backup USER", "Archive a local user's data, and mail them a link to it", func(ctx context.Context, conn *connection, user *api.AdminUser) error {
		return a.carryOut(ctx, conn, write{
			kind: "user.backup", target: "user/" + user.Nickname, what: "back up user " + user.Nickname, token: user.Nickname,
		}, func(ctx context.Context) error { return conn.Admin.Users.Backup(ctx, user.Nickname) })
	})
}
