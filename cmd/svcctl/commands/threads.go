package commands

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

// threadStatus is a status with its place in a thread.
type threadStatus struct {
	api.AdminStatus
	depth int
	asked bool
}

// maxDepth bounds how far answers are indented, so that deep threads leave room for text.
const maxDepth = 8

var threadShape = output.Shape[threadStatus]{
	Plural: "statuses",
	Name:   func(s threadStatus) string { return statusShape.Name(s.AdminStatus) },
	Raw:    func(s threadStatus) json.RawMessage { return s.Raw },
	Columns: []output.Column[threadStatus]{
		output.Text("ID", func(s threadStatus) string { return s.ID }),
		output.Minor(output.Time("CREATED", func(s threadStatus) time.Time { return s.CreatedAt.Time })),
		output.Minor(output.Text("VISIBILITY", func(s threadStatus) string { return s.Visibility })),
		output.Minor(output.Text("STATE", threadState)),
		output.Text("AUTHOR", func(s threadStatus) string {
			mark := strings.Repeat(". ", min(s.depth, maxDepth))
			if s.asked {
				mark += "> "
			}
			return mark + accountName(s.Account)
		}),
		{Head: output.Head{Title: "TEXT"}, Cell: func(p *output.Printer, s threadStatus) string {
			return statusText(&s.Status, p.Format() != "table")
		}},
	},
}

// threadState names the states of a status in a thread and of its author.
func threadState(s threadStatus) string {
	var states []string
	if d := s.Svc.Deleted; d != nil {
		by := d.By
		if d.Nickname != "" {
			by = d.Nickname
		}
		states = append(states, "deleted by "+by)
	}
	if s.Account.Deactivated {
		states = append(states, "author deactivated")
	}
	for flag := range strings.SplitSeq(statusFlags(s.AdminStatus), ",") {
		if flag != "" && flag != "reply" { // most of them are replies
			states = append(states, flag)
		}
	}
	return strings.Join(states, ", ")
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
			return cli.PrintItems(a, threadShape, threadOf(thread), false)
		},
	}
	cmd.Flags().BoolVar(&query.Godmode, "godmode", false, "private and direct statuses too")
	return cmd
}

// threadOf puts a thread in its order, each status one deeper than what it answers.
func threadOf(thread *api.AdminContext) []threadStatus {
	depths, out := map[string]int{}, []threadStatus{}
	add := func(s api.AdminStatus, asked bool) {
		depth := 0
		if above, known := depths[cli.Deref(s.InReplyToID)]; known {
			depth = above + 1
		} else if len(out) > 0 && !asked {
			depth = 1 // its parent is not shown
		}
		depths[s.ID] = depth
		out = append(out, threadStatus{s, depth, asked})
	}
	for _, s := range thread.Ancestors {
		add(s, false)
	}
	add(thread.Status, true)
	for _, s := range thread.Descendants {
		add(s, false)
	}
	return out
}
