package tables

import (
	"context"
	"errors"

	"svc/client"
	"svc/client/action"
	"svc/client/safe"
)

// documents shows the texts by which the instance presents itself. d goes back to
// the one that comes with the server; the palette's doc put replaces one.
var documents = &Noun{
	Name: "documents", Help: "documents by which the instance presents itself",
	Columns: []Column{{Head: "NAME", Width: 20, Tone: true}, {Head: "ADDRESS"}},
	Empty:   "no documents",
	Rows: func(c *client.Client, _ Query) Reader {
		return func(ctx context.Context) (Page, error) {
			names := client.Documents()
			var page Page
			for _, name := range names {
				d, err := c.Admin.Documents.Get(ctx, name)
				if errors.Is(err, client.ErrNotFound) {
					continue // an older server has fewer
				}
				if err != nil {
					return Page{}, err
				}
				page.Rows = append(page.Rows, Row{
					ID: name, Target: "doc/" + name, Copy: d.URL, Cells: []safe.Safe{raw(name), raw(d.URL)}, More: []Detail{{"", raw(d.URL)}},
				})
			}
			page.Total = len(page.Rows)
			return page, nil
		}
	},
	Verbs: []Verb{{
		Key: "d", Name: "delete", Help: "go back to the document that comes with the server", Sure: true, Kind: action.DocumentDelete,
		Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			_, err := c.Admin.Documents.Delete(ctx, row.ID)
			return safe.Own("the built-in one stands again"), err
		},
	}},
}
