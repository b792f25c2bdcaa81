package action

import (
	"context"
	"strconv"
	"strings"

	"svc/client"
	"svc/client/api"
)

const pathApps = adminPath + "/oauth_app"

func (e *Engine) deleteApp(kind Kind) kindRules {
	rules := removal(pathApps,
		func(c *client.Client) client.Listing[api.AdminApp] { return c.Admin.Apps.List(api.AppQuery{}) },
		func(app api.AdminApp) string { return strconv.FormatInt(app.ID, 10) },
		func(ctx context.Context, c *client.Client, name string) error {
			n, err := appNumber(name)
			if err != nil {
				return err
			}
			return c.Admin.Apps.Delete(ctx, n)
		},
	)(e, kind)
	read := rules.read
	rules.read = func(ctx context.Context, it *item) error {
		if _, err := appNumber(it.target.Name); err != nil {
			return err
		}
		return read(ctx, it)
	}
	return rules
}

func appNumber(name string) (int64, error) {
	n, err := strconv.ParseInt(name, 10, 64)
	if err != nil || n <= 0 {
		return 0, &UsageError{Quote(name) + " is no number of an app"}
	}
	return n, nil
}

// updateApp changes some of an app. Its scopes are not shown, so a change of these
// is always sent, and has no inverse.
func (e *Engine) updateApp(Kind) kindRules {
	wish := func(a Action) map[string]string { return a.Args }
	read := func(ctx context.Context, it *item) error {
		n, err := appNumber(it.target.Name)
		if err != nil {
			return err
		}
		if len(it.action.Args) == 0 {
			return &UsageError{"nothing is given to change"}
		}
		for app, err := range e.client.Admin.Apps.List(api.AppQuery{}).All(ctx) {
			if err != nil {
				return err
			}
			if app.ID == n {
				website := ""
				if app.Website != nil {
					website = *app.Website
				}
				it.now = map[string]string{"name": app.Name, "redirect_uris": app.RedirectURI, "website": website, "trusted": strconv.FormatBool(app.Trusted)}
				return nil
			}
		}
		return notFound(pathApps)
	}
	return kindRules{
		read: read,
		wish: wish,
		landed: func(ctx context.Context, it *item) (bool, error) {
			if it.action.Args["scopes"] != "" {
				return unseen(ctx, it)
			}
			again := &item{action: it.action, target: it.target}
			err := read(ctx, again)
			return err == nil && holds(wish(it.action), again.now), err
		},
		send: func(ctx context.Context, items []*item) error {
			n, err := appNumber(items[0].target.Name)
			if err != nil {
				return err
			}
			_, err = e.client.Admin.Apps.Update(ctx, n, appForm(items[0].action.Args))
			return err
		},
		inverse: func(it *item) *Action {
			back := map[string]string{}
			for key := range it.action.Args {
				if key == "scopes" {
					return nil
				}
				back[key] = it.now[key]
			}
			return &Action{Kind: AppUpdate, Target: it.target.String(), Args: back, Before: it.action.Args}
		},
	}
}

func appForm(args map[string]string) api.AppForm {
	var form api.AppForm
	for key, into := range map[string]**string{"name": &form.Name, "redirect_uris": &form.RedirectURIs, "website": &form.Website} {
		if value, ok := args[key]; ok {
			*into = &value
		}
	}
	if value, ok := args["trusted"]; ok {
		trusted := value == "true"
		form.Trusted = &trusted
	}
	form.Scopes = strings.Fields(args["scopes"])
	return form
}
