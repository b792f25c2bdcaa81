package moderation

import (
	"context"
	"encoding/json"
	"fmt"
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

// settableVisibilities are those the admin API takes.
var settableVisibilities = []string{"public", "unlisted", "private"}

var statusShape = output.Shape[api.AdminStatus]{
	Plural: "statuses",
	Name:   func(s api.AdminStatus) string { return "status/" + s.ID },
	Raw:    func(s api.AdminStatus) json.RawMessage { return s.Raw },
	Columns: []output.Column[api.AdminStatus]{
		output.Text("ID", func(s api.AdminStatus) string { return s.ID }),
		output.Time("CREATED", func(s api.AdminStatus) time.Time { return s.CreatedAt.Time }),
		output.Text("VISIBILITY", func(s api.AdminStatus) string { return s.Visibility }),
		output.Minor(output.Text("FLAGS", statusFlags)),
		output.Text("AUTHOR", func(s api.AdminStatus) string { return accountName(s.Account) }),
		output.Wide(output.Int("REPLIES", func(s api.AdminStatus) int { return s.RepliesCount })),
		output.Wide(output.Int("REBLOGS", func(s api.AdminStatus) int { return s.ReblogsCount })),
		output.Wide(output.Int("FAVOURITES", func(s api.AdminStatus) int { return s.FavouritesCount })),
		output.Wide(output.Text("URL", func(s api.AdminStatus) string { return s.URL })),
		{Head: output.Head{Title: "TEXT"}, Cell: func(p *output.Printer, s api.AdminStatus) string {
			shown := &s.Status
			if s.Reblog != nil {
				shown = s.Reblog
			}
			return statusText(shown, p.Format() != "table")
		}},
	},
	Card: statusCard,
}

// statusFlags are the flags of a status in a cell.
func statusFlags(s api.AdminStatus) string { return strings.Join(action.StatusFlags(s), ",") }

func statusCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("status", "Work on statuses",
		statusListCommand(a), statusGetCommand(a), statusContextCommand(a), statusSetCommand(a), statusDeleteCommand(a)),
		"status list --user kim --godmode",
		"status list --host other.example",
		"status get 9xPq1",
		"status context 9xPq1 --godmode",
		"status set 9xPq1 --sensitive --visibility unlisted",
		"status delete 9xPq1",
	)
}

func statusListCommand(a *cli.App) *cobra.Command {
	var query api.StatusQuery
	var user, instance string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List statuses, newest first: public and unlisted ones unless --godmode",
		Args:  cli.ExactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case user != "" && instance != "":
				return cli.Usagef("--user and --host exclude each other")
			case query.LocalOnly && (user != "" || instance != ""):
				return cli.Usagef("--local goes with neither --user nor --host")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&user, "user", "", "only statuses of this `USER`")
	f.StringVar(&instance, "host", "", "only statuses from this `HOST`")
	cli.Former(cmd, "instance", "host")
	a.CompleteFlagWith(cmd, "host", names.CompleteHosts(a))
	a.CompleteFlagWith(cmd, "user", names.CompleteUsers(a))
	f.BoolVar(&query.LocalOnly, "local", false, "only statuses made here")
	f.BoolVar(&query.Godmode, "godmode", false, "private and direct statuses too")
	f.BoolVar(&query.WithReblogs, "reblogs", false, "reblogs too")
	return cli.ListCommand(a, cmd, statusShape, func(ctx context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.AdminStatus], error) {
		statuses := conn.Admin.Statuses.List(query)
		switch {
		case user != "":
			author, err := findUser(ctx, conn, user)
			if err != nil {
				return cli.Listed[api.AdminStatus]{}, err
			}
			statuses = conn.Admin.Statuses.OfUser(strconv.FormatInt(author.ID, 10), query)
		case instance != "":
			statuses = conn.Admin.Statuses.OfInstance(instance, query)
		}
		l := cli.Listed[api.AdminStatus]{Listing: statuses}
		if instance != "" {
			l.None = func(ctx context.Context) error { return names.MustHaveHost(ctx, conn, action.HostName(instance)) }
		}
		return l, nil
	})
}

func statusGetCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "get STATUS...",
		Short: "Show statuses",
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := a.Targets("status", args)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			seen, err := manyStatuses(cmd.Context(), conn, targets)
			if err != nil {
				return err
			}
			return cli.GetEach(cmd.Context(), a, statusShape, targets, args, func(ctx context.Context, t action.Target) (api.AdminStatus, error) {
				if s, ok := seen[t.Name]; ok {
					return s, nil
				}
				s, err := conn.Admin.Statuses.Get(ctx, t.Name)
				return cli.Deref(s), err
			})
		},
	}
}

// manyStatuses reads several statuses at once from the client API, as far as
// it shows them: the admin API knows only one at a time.
func manyStatuses(ctx context.Context, conn *cli.Connection, targets []cli.Target) (map[string]api.AdminStatus, error) {
	if len(targets) < 2 {
		return nil, nil
	}
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.Name
	}
	found, err := conn.Statuses.GetMany(ctx, ids...)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]api.AdminStatus, len(found))
	for _, s := range found {
		var status api.AdminStatus
		if err := json.Unmarshal(s.Raw, &status); err != nil {
			return nil, fmt.Errorf("read status %s: %w", s.ID, err)
		}
		seen[s.ID] = status
	}
	return seen, nil
}

func statusSetCommand(a *cli.App) *cobra.Command {
	var sensitive bool
	var visibility string
	var force bool
	cmd := &cobra.Command{
		Use:   "set STATUS... [--sensitive=BOOL] [--visibility VISIBILITY]",
		Short: "Mark statuses as sensitive or not, or change their visibility",
		RunE: func(cmd *cobra.Command, args []string) error {
			wish := map[string]string{}
			kind := action.StatusSensitive
			if cmd.Flags().Changed("sensitive") {
				wish["sensitive"] = strconv.FormatBool(sensitive)
			}
			if cmd.Flags().Changed("visibility") {
				if err := cli.OneOf("--visibility", visibility, settableVisibilities); err != nil {
					return err
				}
				wish["visibility"] = visibility
				kind = action.StatusVisibility
			}
			if len(wish) == 0 {
				return cli.Usagef("say what to set: --sensitive=BOOL or --visibility VISIBILITY")
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: kind, Args: wish, Force: force}, args)
		},
	}
	cmd.Flags().BoolVar(&sensitive, "sensitive", false, "whether their media are sensitive")
	cmd.Flags().StringVar(&visibility, "visibility", "", "their new visibility: "+cli.AnyOf(settableVisibilities))
	addForce(cmd, &force)
	a.CompleteFlag(cmd, "visibility", settableVisibilities...)
	return cmd
}

func statusDeleteCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "delete STATUS...",
		Short: "Delete statuses for good",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActOn(cmd.Context(), cli.Deed{Kind: action.StatusDelete}, args)
		},
	}
}
