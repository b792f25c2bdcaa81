package tables

import (
	"context"
	"errors"
	"strings"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/shown"
)

// log shows the moderation log, the newest first. New entries come in by themselves.
// Enter shows the report or the account that an entry is about; @ in a filter names
// who acted.
var log = &Noun{
	Name: "log", Things: "the log", Key: "3", Help: "moderation log", Needs: api.PrivilegeLog, Below: 4,
	Columns: []Column{
		{Head: "TIME", Width: 21, Look: Faint}, {Head: "ACTOR", Width: 13, Look: Name},
		{Head: "MESSAGE", Saved: true}, {Head: "WHAT", Look: Outcome, Unsaved: true},
	},
	Empty:    "nothing is in the log yet",
	Searches: true,
	Rows: func(c *client.Client, q Query) Reader {
		read := paged(c.Admin.Log.List(api.LogQuery{PageSize: pageSize, Search: q.Word, UserID: q.Domain}), func(e api.LogEntry) Row {
			return entryRow(shown.NewEntry(e))
		})
		return func(ctx context.Context) (Page, error) {
			page, err := read(ctx)
			if q.Domain != "" && errors.Is(err, client.ErrNotFound) { // nobody has this name
				return Page{Total: -1}, nil
			}
			return page, err
		}
	},
	Bar:    []string{"in", "filter", "merge", "copy", "reports", "users"},
	Logged: entryRow,
}

func entryRow(e shown.Entry) Row {
	row := Row{
		ID: e.Key, CopyID: e.Report, CopyName: e.Actor, Domain: strings.ToLower(e.Actor), More: details(Detail{"", e.Message}),
		Cells: []safe.Safe{raw(e.At.UTC().Format(time.RFC3339)), raw(e.Actor), e.Message, e.What},
	}
	for _, nick := range e.Users {
		row.People = append(row.People, "user/"+nick)
	}
	switch {
	case len(row.People) > 0:
	case e.Report != "":
		row.People = []string{ReportedBy + "/" + e.Report}
	case e.Status != "":
		row.People = []string{AuthorOf + "/" + e.Status}
	}
	row.Opens = row.People
	if e.Report != "" {
		row.Opens = []string{"report/" + e.Report}
	}
	return row
}

// Names of objects that lead to an account: the id of a report about it, and that of
// a status by it.
const (
	ReportedBy = "reported by"
	AuthorOf   = "author of"
)
