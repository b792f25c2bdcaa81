package moderation

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// maxDepth bounds how far answers are indented, so that deep threads leave room for text.
const maxDepth = 8

var threadShape = output.Shape[action.ThreadStatus]{
	Plural: "statuses",
	Name:   func(s action.ThreadStatus) string { return statusShape.Name(s.AdminStatus) },
	Raw:    func(s action.ThreadStatus) json.RawMessage { return s.Raw },
	Columns: []output.Column[action.ThreadStatus]{
		output.Text("ID", func(s action.ThreadStatus) string { return s.ID }),
		output.Minor(output.Time("CREATED", func(s action.ThreadStatus) time.Time { return s.CreatedAt.Time })),
		output.Minor(output.Text("VISIBILITY", func(s action.ThreadStatus) string { return s.Visibility })),
		output.Minor(output.Text("STATE", action.ThreadStatus.States)),
		output.Text("AUTHOR", func(s action.ThreadStatus) string {
			mark := strings.Repeat(". ", min(s.Depth, maxDepth))
			if s.Asked {
				mark += "> "
			}
			return mark + accountName(s.Account)
		}),
		{Head: output.Head{Title: "TEXT"}, Cell: func(p *output.Printer, s action.ThreadStatus) string {
			return statusText(&s.Status, p.Format() != "table")
		}},
	},
}

func statusContextCommand(a *cli.App) *cobra.Command {
	var query api.AdminContextQuery
	cmd := &cobra.Command{
		Use:   "context STATUS",
		Short: "Show the thread of a status: its parents, itself, and the answers",
		Long: `Show the thread of a status: its parents, itself, and the answers.

Answers stand below what they answer, indented; > marks the status that was asked for.
Private and direct statuses are left out unless --godmode. Deleted statuses are shown
from reports that name them, to who may see reports.`,
		Args: cli.ExactArgs(1, "one status"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := action.ParseTarget("status", args[0])
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			thread, err := conn.Admin.Statuses.Context(cmd.Context(), t.Name, query)
			if err != nil {
				return &cli.About{What: "status " + t.Name, Err: err}
			}
			return cli.PrintItems(a, threadShape, action.ThreadOf(thread), false)
		},
	}
	cmd.Flags().BoolVar(&query.Godmode, "godmode", false, "private and direct statuses too")
	return cmd
}
