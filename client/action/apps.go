package action

import (
	"context"
	"strconv"

	"svc/client/api"
)

const pathApps = adminPath + "/oauth_app"

func (e *Engine) deleteApp(Kind) kindRules {
	list := func(ctx context.Context) (map[int64]bool, error) {
		ids := map[int64]bool{}
		for app, err := range e.client.Admin.Apps.List(api.AppQuery{}).All(ctx) {
			if err != nil {
				return nil, err
			}
			ids[app.ID] = true
		}
		return ids, nil
	}
	apps := once(list)
	number := func(it *item) (int64, error) {
		n, err := strconv.ParseInt(it.target.Name, 10, 64)
		if err != nil || n <= 0 {
			return 0, &UsageError{Quote(it.target.Name) + " is no number of an app"}
		}
		return n, nil
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			n, err := number(it)
			if err != nil {
				return err
			}
			ids, err := apps(ctx)
			if err == nil && !ids[n] {
				err = notFound(pathApps)
			}
			it.now = map[string]string{"app": "there"}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"app": "gone"} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			n, err := number(it)
			if err != nil {
				return false, err
			}
			ids, err := list(ctx)
			return err == nil && !ids[n], err
		},
		send: func(ctx context.Context, items []*item) error {
			n, err := number(items[0])
			if err != nil {
				return err
			}
			return e.client.Admin.Apps.Delete(ctx, n)
		},
	}
}
