package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/cmd/svcctl/output"
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

func logCommand(a *app) *cobra.Command {
	return noun("log", "Read the moderation log", logListCommand(a))
}

func logListCommand(a *app) *cobra.Command {
	var list listFlags
	var since, until, actor, search string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what moderators did, newest first",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := list.check(cmd); err != nil {
				return err
			}
			query := api.LogQuery{Search: search}
			for _, bound := range []struct {
				flag, value string
				end         bool
				into        *string
			}{{"since", since, false, &query.StartDate}, {"until", until, true, &query.EndDate}} {
				if bound.value == "" {
					continue
				}
				t, err := parseTime(bound.value, a.now())
				if err != nil {
					return usagef("--%s %v", bound.flag, err)
				}
				if bound.end && len(bound.value) == len(time.DateOnly) && isDate(bound.value) {
					t = t.AddDate(0, 0, 1).Add(-time.Second) // a date means the whole day
				}
				*bound.into = t.Format("2006-01-02T15:04:05Z")
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			if actor != "" {
				user, err := conn.findUser(cmd.Context(), actor)
				if err != nil {
					return err
				}
				query.UserID = strconv.FormatInt(user.ID, 10)
			}
			return runList(cmd.Context(), a, list, source[api.LogEntry]{
				fetch: func(ctx context.Context, number, size int) ([]api.LogEntry, int, error) {
					q := query
					q.Page, q.PageSize = page(number), page(size)
					entries, err := conn.Admin.Log.List(ctx, q)
					return entries, -1, err
				},
				id: func(e api.LogEntry) string { return strconv.FormatInt(e.ID, 10) },
			}, logShape)
		},
	}
	list.add(cmd)
	f := cmd.Flags()
	f.StringVar(&since, "since", "", "only what happened at or after `TIME`: RFC 3339, a date, 36h, 7d")
	f.StringVar(&until, "until", "", "only what happened at or before `TIME`")
	f.StringVar(&actor, "actor", "", "only what this `USER` did")
	f.StringVar(&search, "search", "", "only messages that contain `TEXT`")
	return cmd
}
