package tables

import (
	"context"
	"strconv"

	"svc/client"
	"svc/client/api"
	"svc/client/safe"
)

// stats shows numbers of the whole server: posts by visibility, reports and people
// that wait.
var stats = &Noun{
	Name: "stats", Help: "numbers: posts by visibility, reports and people that wait",
	Columns: []Column{{Head: "NUMBER", Width: 12, Tone: true}, {Head: "OF"}},
	Empty:   "no numbers",
	Rows: func(c *client.Client, _ Query) Reader {
		return func(ctx context.Context) (Page, error) { return readStats(ctx, c) }
	},
}

func readStats(ctx context.Context, c *client.Client) (Page, error) {
	posts, err := c.Admin.Stats.Get(ctx, api.StatsQuery{})
	if err != nil {
		return Page{}, err
	}
	page := Page{}
	add := func(id string, count safe.Safe, of string, tone Tone) {
		page.Rows = append(page.Rows, Row{ID: id, Target: "stats/" + id, Tone: tone, Cells: []safe.Safe{count, raw(of)}})
		page.Total = len(page.Rows)
	}
	v := posts.StatusVisibility
	add("public", number(v.Public), "public posts", Plain)
	add("unlisted", number(v.Unlisted), "unlisted posts", Plain)
	add("private", number(v.Private), "posts to followers and of this server", Plain)
	add("direct", number(v.Direct), "direct posts and chat messages", Plain)
	open, err := c.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen, PageSize: 1}).Page(ctx)
	if err != nil {
		return Page{}, err
	}
	add("open", number(open.Total), "open reports", waits(open.Total))
	if open.Total > 0 { // the oldest stands alone on the last page
		last, err := c.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen, PageSize: 1, Page: open.Total}).Page(ctx)
		if err != nil {
			return Page{}, err
		}
		if len(last.Items) > 0 {
			add("oldest", raw(last.Items[0].CreatedAt.UTC().Format("2006-01-02")), "day of the oldest open report", Warn)
		}
	}
	for _, who := range []struct{ id, filter, of string }{
		{"approval", "need_approval", "people who wait for approval"}, {"unconfirmed", "unconfirmed", "people whose address is not confirmed"},
	} {
		found, err := c.Admin.Users.List(api.UserQuery{Filters: who.filter, PageSize: 1}).Page(ctx)
		if err != nil {
			return Page{}, err
		}
		add(who.id, raw(strconv.Itoa(found.Total)), who.of, waits(found.Total))
	}
	return page, nil
}

// waits is the tone of a number that is best at zero.
func waits(n int) Tone {
	if n > 0 {
		return Warn
	}
	return Good
}
