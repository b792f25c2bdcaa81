package moderation

import (
	"context"
	"encoding/json"
	"strconv"
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

var logInShape = output.Shape[api.LogIn]{
	Plural: "sessions",
	Name: func(l api.LogIn) string {
		if l.ID == nil {
			return "session/" + l.Kind
		}
		return "session/" + strconv.FormatInt(*l.ID, 10)
	},
	Raw: func(l api.LogIn) json.RawMessage { return l.Raw },
	Columns: []output.Column[api.LogIn]{
		output.Text("KIND", func(l api.LogIn) string { return l.Kind }),
		output.Text("NAME", func(l api.LogIn) string { return l.Name }),
		output.Time("SIGNED IN", func(l api.LogIn) time.Time { return l.CreatedAt.Time }),
		output.Time("UNTIL", func(l api.LogIn) time.Time {
			if l.Renewable {
				return time.Time{}
			}
			return l.ValidUntil.Time
		}),
		output.Wide(output.Text("SCOPES", func(l api.LogIn) string { return strings.Join(l.Scopes, " ") })),
	},
}

const sessionsHelp = `Show where a user is signed in: apps, browsers and SSH, the newest first.

UNTIL is empty where an app renews its log-in by itself. "user logout" ends all.`

func userSessionsCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "sessions USER",
		Short:             "Show where a user is signed in: apps, browsers and SSH",
		Long:              sessionsHelp,
		Args:              cli.ExactArgs(1, "one user"),
		ValidArgsFunction: names.CompleteUsers(a),
	}
	return cli.ListCommand(a, cmd, logInShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.LogIn], error) {
		t, err := action.ParseTarget("user", args[0])
		if err != nil {
			return cli.Listed[api.LogIn]{}, err
		}
		return cli.Listed[api.LogIn]{Listing: client.Whole(func(ctx context.Context) ([]api.LogIn, error) {
			all, err := conn.Admin.Users.Sessions(ctx, t.Name)
			if err != nil {
				err = &cli.About{What: "user " + t.Name, Err: err}
			}
			return all, err
		})}, nil
	})
}
