package tables

import (
	"context"
	"errors"
	"strconv"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/client/settings"
	"svc/tui/shown"
)

// changes shows who changed settings, the latest first. B saves again what was
// saved before one, unless the setting was changed since.
var changes = &Noun{
	Name: "changes", Help: "changes of settings, and taking them back",
	Columns: []Column{{Head: "TIME", Width: 17}, {Head: "BY", Width: 16}, {Head: "SETTING", Width: 26}, {Head: "CHANGE"}},
	Empty:   "no setting was changed",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(c.Admin.Config.History(api.ConfigHistoryQuery{Limit: pageSize}), changeRow)
	},
	Verbs: []Verb{{
		Key: "B", Name: "rollback", Help: "save again what was saved before", Kind: action.ConfigSet, Plan: planRollback,
		Fits: func(r Row) bool { return r.Before["secret"] == "false" },
	}},
}

func changeRow(past api.ConfigPast) Row {
	id, by := strconv.FormatInt(past.ID, 10), safe.Own("(gone)")
	if past.Actor != nil {
		by = shown.Acct(past.Actor.Nickname)
	}
	words := raw(action.PastWords(past))
	return Row{
		ID: id, Target: "change/" + id, Copy: id, Before: map[string]string{"secret": strconv.FormatBool(past.Secret)},
		Cells: []safe.Safe{at(&past.CreatedAt), by, raw(past.Group + " " + past.Key), words},
		More:  details(Detail{"change", raw(id + " of " + past.Group + " " + past.Key)}, Detail{"", words}, Detail{"by", by}),
	}
}

var errNoChange = errors.New("the server does not keep this change any more")

// planRollback plans to take a change back.
func planRollback(ctx context.Context, c *client.Client, row Row, _ string) (*Plan, error) {
	id, err := strconv.ParseInt(row.ID, 10, 64)
	if err != nil {
		return nil, err
	}
	page, err := c.Admin.Config.History(api.ConfigHistoryQuery{Before: id + 1, Limit: 1}).Page(ctx)
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 || page.Items[0].ID != id {
		return nil, errNoChange
	}
	back, saved, err := action.Rollback(ctx, c, page.Items[0], false)
	if err != nil {
		return nil, err
	}
	if len(back) == 0 {
		return nil, errSame
	}
	plan := &Plan{Title: raw("take change " + row.ID + " back")}
	for _, one := range back {
		shown := one.Hidden()
		plan.Lines = append(plan.Lines, Detail{shown.Name(), safe.Join("", valueWords(shown.Old), safe.Own(" to "), valueWords(shown.New))})
		if one.Reboot() {
			plan.Lines = append(plan.Lines, Detail{"", raw(one.Name() + " needs a restart")})
		}
	}
	return plan.saving(back, saved)
}

func valueWords(v *settings.Value) safe.Safe {
	if v == nil {
		return safe.Own("(not saved)")
	}
	return raw(v.Short())
}
