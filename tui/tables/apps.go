package tables

import (
	"context"
	"strconv"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// apps shows registered clients, the oldest first; their secrets stay out of
// sight. t trusts one, which spares its users the captcha, and takes that back;
// d deletes the chosen ones with their tokens.
var apps = &Noun{
	Name: "apps", Help: "registered clients",
	Columns: []Column{{Head: "ID", Width: 7}, {Head: "TRUST", Width: 10, Tone: true}, {Head: "NAME", Width: 26}, {Head: "REDIRECTS TO"}},
	Empty:   "no apps",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(c.Admin.Apps.List(api.AppQuery{PageSize: pageSize}), appRow)
	},
	Verbs: []Verb{
		{Key: "t", Name: "trust", Help: "trust the app, or not any more", Sure: true, Kind: action.AppUpdate, Made: trustChanged, Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			id, err := strconv.ParseInt(row.ID, 10, 64)
			if err != nil {
				return safe.Safe{}, err
			}
			trusted := row.Before["trusted"] != "true"
			if _, err := c.Admin.Apps.Update(ctx, id, api.AppForm{Trusted: &trusted}); err != nil || !trusted {
				return safe.Own("not trusted"), err
			}
			return safe.Own("trusted"), nil
		}},
		{Key: "d", Name: "delete", Help: "delete the app and its tokens", Kind: action.AppDelete, Sure: true},
	},
}

// trustChanged is the change of an app's trust.
func trustChanged(row Row, _ string, _ safe.Safe) action.Result {
	before := map[string]string{"trusted": row.Before["trusted"]}
	after := map[string]string{"trusted": strconv.FormatBool(row.Before["trusted"] != "true")}
	return action.Result{
		Action: action.Action{Kind: action.AppUpdate, Target: row.Target, Args: after, Before: before}, Outcome: action.Changed,
		Inverse: &action.Action{Kind: action.AppUpdate, Target: row.Target, Args: before, Before: after},
	}
}

func appRow(a api.AdminApp) Row {
	id := strconv.FormatInt(a.ID, 10)
	trust, tone := safe.Own("-"), Plain
	if a.Trusted {
		trust, tone = safe.Own("trusted"), Good
	}
	website := ""
	if a.Website != nil {
		website = *a.Website
	}
	return Row{
		ID: id, Target: "app/" + id, Tone: tone, Before: map[string]string{"trusted": strconv.FormatBool(a.Trusted)},
		Cells: []safe.Safe{raw(id), trust, raw(a.Name), raw(a.RedirectURI)},
		More:  details(Detail{"website", raw(website)}, Detail{"client id", raw(a.ClientID)}, Detail{"redirects to", raw(a.RedirectURI)}),
	}
}
