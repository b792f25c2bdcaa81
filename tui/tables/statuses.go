package tables

import (
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/shown"
)

// statuses shows the newest statuses of all servers, or with state:local of this
// one; state:all has those too that are for few. As the rows of a host it shows
// that server's. D deletes, s marks as sensitive, S takes that back, v sets the
// visibility of the chosen ones. Enter shows the author.
var statuses = &Noun{
	Name: "statuses", Key: "6", Help: "statuses, the newest first", Needs: api.PrivilegeStatuses,
	Columns: []Column{
		{Head: "TIME", Width: 17}, {Head: "VISIBILITY", Width: 14, Tone: true}, {Head: "MEDIA", Width: 5, Wide: true},
		{Head: "AUTHOR", Width: 24}, {Head: "TEXT"},
	},
	States: []string{"public", "local", "all"},
	Empty:  "no statuses",
	Rows: func(c *client.Client, q Query) Reader {
		query := api.StatusQuery{PageSize: pageSize, LocalOnly: q.State == "local", Godmode: q.State == "all"}
		if q.Scope != "" {
			return paged(c.Admin.Statuses.OfInstance(q.Scope, query), statusRow)
		}
		return paged(c.Admin.Statuses.List(query), statusRow)
	},
	Verbs: []Verb{
		{Key: "D", Name: "delete", Help: "delete the status", Kind: action.StatusDelete},
		{Key: "s", Name: "sensitive", Help: "mark as sensitive", Kind: action.StatusSensitive, Args: map[string]string{"sensitive": "true"}},
		{Key: "S", Name: "plain", Help: "not sensitive any more", Kind: action.StatusSensitive, Args: map[string]string{"sensitive": "false"}},
		{
			Key: "v", Name: "visibility", Help: "set the visibility", Kind: action.StatusVisibility,
			Arg: "visibility", Choices: []string{"public", "unlisted", "private"},
		},
	},
}

func statusRow(s api.AdminStatus) Row {
	text := safe.HTML(s.Content)
	line, below, behind := text.OneLine(), text, safe.Safe{}
	if warning := raw(s.SpoilerText).OneLine(); warning.String() != "" {
		line = safe.Join("", safe.Own("[CW] "), warning)
		below, behind = safe.Safe{}, text
	}
	media := safe.Safe{}
	if n := len(s.MediaAttachments); n > 0 {
		media = number(n)
	}
	state, tone := raw(s.Visibility), Plain
	if s.Sensitive {
		state, tone = safe.Join(" ", state, safe.Own("(s)")), Warn
	}
	var files []safe.Safe
	for _, a := range s.MediaAttachments {
		alt := ""
		if a.Description != nil {
			alt = *a.Description
		}
		files = append(files, raw(strings.TrimSpace(a.Type+" "+alt)))
	}
	return Row{
		ID: s.ID, Target: "status/" + s.ID, Tone: tone, Behind: behind, Person: s.Account.Nickname, Copy: s.URL,
		Cells: []safe.Safe{at(&s.CreatedAt), state, media, shown.Acct(s.Account.Nickname), line},
		More: details(
			Detail{"", below}, Detail{"media, not fetched", safe.Join(", ", files...)},
			Detail{"by", safe.Join(" ", shown.Acct(s.Account.Nickname), raw(s.Account.DisplayName))}, Detail{"address", raw(s.URL)},
		),
	}
}
