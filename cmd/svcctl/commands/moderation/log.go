package moderation

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var logShape = output.Shape[api.LogEntry]{
	Plural: "log entries",
	Name:   func(e api.LogEntry) string { return "log/" + strconv.FormatInt(e.ID, 10) },
	Raw:    func(e api.LogEntry) json.RawMessage { return e.Raw },
	Columns: []output.Column[api.LogEntry]{
		output.Time("TIME", func(e api.LogEntry) time.Time { return time.Unix(e.Time, 0) }),
		output.Wide(output.Int("ID", func(e api.LogEntry) int64 { return e.ID })),
		output.Text("ACTOR", func(e api.LogEntry) string { return e.Data.Actor.Nickname }),
		output.Text("ACTION", func(e api.LogEntry) string { return e.Data.Action }),
		output.Text("MESSAGE", func(e api.LogEntry) string { return e.Message }),
	},
}

func logCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("log", "Read the moderation log", logListCommand(a)),
		"log list --since 7d --actor mika",
		"log list --watch -o json",
	)
}

func logListCommand(a *cli.App) *cobra.Command {
	var since, until, actor string
	var query api.LogQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the actions of moderators, newest first",
		Args:  cli.ExactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			for _, bound := range []struct {
				flag, value string
				end         bool
				into        *string
			}{{"since", since, false, &query.StartDate}, {"until", until, true, &query.EndDate}} {
				if bound.value == "" {
					continue
				}
				t, err := cli.ParseTime(bound.value, a.Now())
				if err != nil {
					return cli.Usagef("--%s %v", bound.flag, err)
				}
				if bound.end && len(bound.value) == len(time.DateOnly) && cli.IsDate(bound.value) {
					t = t.AddDate(0, 0, 1).Add(-time.Second) // a date means the whole day
				}
				*bound.into = t.Format("2006-01-02T15:04:05Z")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&since, "since", "", "only actions at or after `TIME`: RFC 3339, a date, 36h, 7d")
	f.StringVar(&until, "until", "", "only actions at or before `TIME`")
	f.StringVar(&actor, "actor", "", "only actions of this `USER`")
	f.StringVar(&query.Search, "search", "", "only messages that contain `TEXT`")
	return cli.WatchedListCommand(a, cmd, logShape, []string{api.EventLog}, func(ctx context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.LogEntry], error) {
		if actor != "" {
			user, err := findUser(ctx, conn, actor)
			if err != nil {
				return cli.Listed[api.LogEntry]{}, err
			}
			query.UserID = strconv.FormatInt(user.ID, 10)
		}
		return cli.Listed[api.LogEntry]{Listing: conn.Admin.Log.List(query)}, nil
	})
}
