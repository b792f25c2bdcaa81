package tables

import (
	"context"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// thread shows what a status answers, the status, and its answers, each below what it
// answers and indented. Direct and private ones are there too, as on an author's page,
// and deleted ones that a report names.
var thread = &Noun{
	Name: "thread", Things: "the thread", Help: "the thread of a status: thread ID", Needs: NeedsStatuses, Of: "a status",
	Columns: []Column{
		{Head: "TIME", Width: 17, Wide: true}, {Head: "VISIBILITY", Width: 10, Wide: true},
		{Head: "AUTHOR", Width: 28}, {Head: "STATE", Width: 16, Tone: true}, {Head: "TEXT"},
	},
	Empty: "the status is gone",
	Rows: func(c *client.Client, q Query) Reader {
		return func(ctx context.Context) (Page, error) {
			found, err := c.Admin.Statuses.Context(ctx, q.Scope, api.AdminContextQuery{Godmode: true})
			if err != nil {
				return Page{}, err
			}
			page := Page{At: found.Status.ID}
			for _, s := range action.ThreadOf(found) {
				page.Rows = append(page.Rows, threadRow(s))
			}
			page.Total = len(page.Rows)
			return page, nil
		}
	},
	Verbs: statuses.Verbs,
}

func threadRow(s action.ThreadStatus) Row {
	const deepest = 6 // the names need their room
	r := statusRow(s.AdminStatus)
	states := raw(s.States())
	depth := strings.Repeat(". ", min(s.Depth, deepest))
	if s.Asked {
		depth += "> "
	}
	author := safe.Join("", safe.Clean(safe.Raw(depth)), r.Cells[3])
	if s.Svc.Deleted != nil || s.Account.Deactivated {
		r.Tone = Dim
	}
	r.Cells = []safe.Safe{r.Cells[0], raw(s.Visibility), author, states, r.Cells[4]}
	r.More = append(details(Detail{"state", states}), r.More...)
	return r
}
