package action

import (
	"context"
	"strconv"

	"svc/client"
	"svc/client/api"
)

const pathApps = adminPath + "/oauth_app"

func (e *Engine) deleteApp(kind Kind) kindRules {
	number := func(name string) (int64, error) {
		n, err := strconv.ParseInt(name, 10, 64)
		if err != nil || n <= 0 {
			return 0, &UsageError{Quote(name) + " is no number of an app"}
		}
		return n, nil
	}
	rules := removal(pathApps,
		func(c *client.Client) client.Listing[api.AdminApp] { return c.Admin.Apps.List(api.AppQuery{}) },
		func(app api.AdminApp) string { return strconv.FormatInt(app.ID, 10) },
		func(ctx context.Context, c *client.Client, name string) error {
			n, err := number(name)
			if err != nil {
				return err
			}
			return c.Admin.Apps.Delete(ctx, n)
		},
	)(e, kind)
	read := rules.read
	rules.read = func(ctx context.Context, it *item) error {
		if _, err := number(it.target.Name); err != nil {
			return err
		}
		return read(ctx, it)
	}
	return rules
}
