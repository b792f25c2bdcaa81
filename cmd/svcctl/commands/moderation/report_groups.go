package moderation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/evidence"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var groupings = []string{"status", "account", "domain", "reporter"}

func reportGroupsCommand(a *cli.App) *cobra.Command {
	var by, state string
	var limit int
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "Show reports in groups, the newest first",
		Long: `Show reports in groups, the newest first.

Groups by status come from the server, over reports in all states. The others
are made here from all reports, or from those in one state.`,
		Args: cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.OneOf("--by", by, groupings); err != nil {
				return err
			}
			if state != "" {
				if err := cli.OneOf("--state", state, reportStates); err != nil {
					return err
				}
			}
			if cmd.Flags().Changed("limit") && limit < 1 {
				return cli.Usagef("--limit %d: at least 1 is needed", limit)
			}
			if state != "" && by == "status" {
				return cli.Usagef("--state does not go with --by status: the server groups reports in all states")
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if by == "status" {
				return showStatusGroups(cmd.Context(), a, conn, limit)
			}
			return showGroups(cmd.Context(), a, conn, by, state, limit)
		},
	}
	cmd.Flags().StringVar(&by, "by", "status", "group by `WHAT`: "+cli.AnyOf(groupings))
	cmd.Flags().StringVar(&state, "state", "", "only reports in this `STATE`: "+cli.AnyOf(reportStates))
	cmd.Flags().IntVar(&limit, "limit", 0, "print at most `N`, those with the newest reports; without it all")
	a.CompleteFlag(cmd, "by", groupings...)
	a.CompleteFlag(cmd, "state", reportStates...)
	return cmd
}

// statusGroup is a group as the server makes it.
type statusGroup struct {
	api.GroupedReport
	raw json.RawMessage
}

var statusGroupShape = output.Shape[statusGroup]{
	Plural: "groups",
	Name:   func(g statusGroup) string { return "status/" + g.Status.ID },
	Raw:    func(g statusGroup) json.RawMessage { return g.raw },
	Columns: []output.Column[statusGroup]{
		output.Text("STATUS", func(g statusGroup) string { return g.Status.ID }),
		output.Time("NEWEST", func(g statusGroup) time.Time { return g.Date.Time }),
		output.Int("REPORTS", func(g statusGroup) int { return len(g.Reports) }),
		output.Int("OPEN", func(g statusGroup) int { return openAmong(g.Reports) }),
		output.Minor(output.Int("REPORTERS", func(g statusGroup) int { return len(g.Actors) })),
		output.Text("REPORTED", func(g statusGroup) string { return g.Account.Acct }),
		output.Text("TEXT", func(g statusGroup) string {
			if g.Status.Deleted {
				return "(deleted)"
			}
			return statusText(&g.Status.Status, false)
		}),
	},
}

func openAmong(reports []api.AdminReport) int {
	n := 0
	for _, r := range reports {
		if r.State == api.ReportOpen {
			n++
		}
	}
	return n
}

// firstGroups are the groups that --limit leaves, and says how many those are.
func firstGroups[T any](a *cli.App, groups []T, limit int) []T {
	if limit == 0 || limit >= len(groups) {
		return groups
	}
	if !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "%d of %d; without --limit all are printed\n", limit, len(groups))
	}
	return groups[:limit]
}

func showStatusGroups(ctx context.Context, a *cli.App, conn *cli.Connection, limit int) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if done, err := (output.Shape[api.GroupedReport]{}).ShowFields(p); done || err != nil {
		return err
	}
	grouped, err := conn.Admin.Reports.Groups(ctx)
	if err != nil {
		return err
	}
	groups := make([]statusGroup, len(grouped))
	for i, g := range grouped {
		groups[i] = statusGroup{g, g.Raw}
	}
	return cli.PrintItems(a, statusGroupShape, firstGroups(a, groups, limit), false)
}

// reportGroup is a group made here. Reports are ids, newest first; Reporters
// are names in bytewise order.
type reportGroup struct {
	By        string   `json:"by"`
	Key       string   `json:"key"`
	Date      api.Time `json:"date"`
	Total     int      `json:"total"`
	Open      int      `json:"open"`
	Accounts  []string `json:"accounts"`
	Reporters []string `json:"reporters"`
	Reports   []string `json:"reports"`
}

var groupShape = output.Shape[*reportGroup]{
	Plural: "groups",
	Name: func(g *reportGroup) string {
		if g.By == "domain" {
			return "domain/" + g.Key
		}
		return "user/" + g.Key
	},
	Raw: output.JSON[*reportGroup],
	Columns: []output.Column[*reportGroup]{
		output.Time("NEWEST", func(g *reportGroup) time.Time { return g.Date.Time }),
		output.Int("REPORTS", func(g *reportGroup) int { return g.Total }),
		output.Int("OPEN", func(g *reportGroup) int { return g.Open }),
		output.Minor(output.Int("ACCOUNTS", func(g *reportGroup) int { return len(g.Accounts) })),
		output.Int("REPORTERS", func(g *reportGroup) int { return len(g.Reporters) }),
		output.Text("GROUP", func(g *reportGroup) string { return g.Key }),
	},
}

func showGroups(ctx context.Context, a *cli.App, conn *cli.Connection, by, state string, limit int) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if done, err := groupShape.ShowFields(p); done || err != nil {
		return err
	}
	byKey := map[string]*reportGroup{}
	scanned, total := 0, 0
	for page, err := range conn.Admin.Reports.List(api.ReportQuery{State: state, PageSize: 100}).Pages(ctx) {
		if err != nil {
			return err
		}
		total = page.Total
		for _, r := range page.Items {
			scanned++
			key := accountName(r.Account)
			switch by {
			case "domain":
				key = domainOf(r.Account, conn.Origin.Host)
			case "reporter":
				key = accountName(r.Actor)
			}
			g := byKey[key]
			if g == nil {
				g = &reportGroup{By: by, Key: key}
				byKey[key] = g
			}
			g.add(r)
		}
	}
	groups := make([]*reportGroup, 0, len(byKey))
	for _, g := range byKey {
		slices.Sort(g.Accounts)
		slices.Sort(g.Reporters)
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(x, y *reportGroup) int {
		return cmp.Or(y.Date.Compare(x.Date.Time), cmp.Compare(y.Reports[0], x.Reports[0]))
	})
	if err := cli.PrintItems(a, groupShape, firstGroups(a, groups, limit), false); err != nil {
		return err
	}
	if !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "scanned %d of %d\n", scanned, max(total, scanned))
	}
	return nil
}

func (g *reportGroup) add(r api.AdminReport) {
	g.Total++
	if r.State == api.ReportOpen {
		g.Open++
	}
	if r.CreatedAt.After(g.Date.Time) {
		g.Date = r.CreatedAt
	}
	g.Reports = append(g.Reports, r.ID)
	if name := accountName(r.Account); !slices.Contains(g.Accounts, name) {
		g.Accounts = append(g.Accounts, name)
	}
	if name := accountName(r.Actor); !slices.Contains(g.Reporters, name) {
		g.Reporters = append(g.Reporters, name)
	}
}

// statusText is a status on one line: its content warning, and its text unless
// a warning hides it.
func statusText(s *api.Status, evenHidden bool) string {
	text := safe.HTML(s.Content).String()
	if s.SpoilerText == "" {
		return text
	}
	if evenHidden {
		return evidence.Warning(s) + " " + text
	}
	return evidence.Warning(s)
}
