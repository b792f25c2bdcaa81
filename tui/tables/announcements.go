package tables

import (
	"context"
	"errors"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// allAnnouncements is how many a server keeps at most.
const allAnnouncements = 100

// announcements shows what everybody here is told, the newest first. n announces
// something, e changes the text of one, d removes one.
var announcements = &Noun{
	Name: "announcements", Help: "what everybody here is told",
	Columns: []Column{{Head: "ID", Width: 6}, {Head: "STATE", Width: 9}, {Head: "FROM", Width: 17}, {Head: "UNTIL", Width: 17}, {Head: "ANNOUNCEMENT"}},
	Empty:   "no announcements; {new} adds one",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(client.Whole(func(ctx context.Context) ([]api.AdminAnnouncement, error) {
			page, err := c.Admin.Announcements.List(api.AdminAnnouncementQuery{PageSize: allAnnouncements}).Page(ctx)
			return page.Items, err
		}), announcementRow)
	},
	Verbs: []Verb{
		{
			Key: "n", Name: "new", Help: "announce something to everybody here", New: true, Ask: "announcement: ", Kind: action.AnnouncementAdd, Check: saysAnnouncement,
			Made: func(_ Row, _ string, id safe.Safe) action.Result {
				return action.Result{Action: action.Action{Kind: action.AnnouncementAdd, Target: "announcement/" + id.String()}, Outcome: action.Changed}
			},
			Call: func(ctx context.Context, c *client.Client, _ Row, text string) (safe.Safe, error) {
				made, err := c.Admin.Announcements.Create(ctx, api.AnnouncementForm{Content: &text})
				if err != nil {
					return safe.Safe{}, err
				}
				return raw(made.ID), nil
			},
		},
		{
			Key: "e", Name: "edit", Help: "change the text of the announcement", Ask: "announcement: ", Kind: action.AnnouncementEdit, Check: saysAnnouncement,
			Call: func(ctx context.Context, c *client.Client, row Row, text string) (safe.Safe, error) {
				_, err := c.Admin.Announcements.Update(ctx, row.ID, api.AnnouncementForm{Content: &text})
				return safe.Own("the announcement is changed"), err
			},
		},
		{
			Key: "d", Name: "remove", Help: "remove the announcement with its reactions", Sure: true, Kind: action.AnnouncementRemove,
			Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
				return safe.Own("the announcement is removed"), c.Admin.Announcements.Delete(ctx, row.ID)
			},
		},
	},
}

func saysAnnouncement(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("type the text of the announcement")
	}
	return nil
}

func announcementRow(a api.AdminAnnouncement) Row {
	state := safe.Own("draft")
	if a.Published {
		state = safe.Own("published")
	}
	return Row{
		ID: a.ID, Target: "announcement/" + a.ID, Copy: a.Svc.RawContent,
		Cells: []safe.Safe{raw(a.ID), state, at(a.StartsAt), at(a.EndsAt), raw(a.Svc.RawContent)},
	}
}
