package action

import (
	"context"
	"strconv"

	"svc/client/api"
)

// deleteSSHKey ends keys of the account of the argument user, or one's own. A key
// that is not listed any more after a request counts as deleted.
func (e *Engine) deleteSSHKey(Kind) kindRules {
	listed := func(ctx context.Context, it *item) (bool, error) {
		var keys []api.SSHKey
		var err error
		if user := it.action.Args["user"]; user != "" {
			keys, err = e.client.Admin.SSHKeys.List(ctx, user)
		} else {
			keys, err = e.client.SSHKeys.List(ctx)
		}
		for _, k := range keys {
			if strconv.FormatInt(k.ID, 10) == it.target.Name {
				return true, nil
			}
		}
		return false, err
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if _, err := strconv.ParseInt(it.target.Name, 10, 64); err != nil {
				return &UsageError{Quote(it.target.Name) + " is no number of a key"}
			}
			there, err := listed(ctx, it)
			if err == nil && !there {
				err = notFound("/api/svc/ssh_keys")
			}
			it.now = map[string]string{"ssh-key": "there"}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"ssh-key": "gone"} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			there, err := listed(ctx, it)
			return err == nil && !there, err
		},
		send: func(ctx context.Context, items []*item) error {
			id, err := strconv.ParseInt(items[0].target.Name, 10, 64)
			if err != nil {
				return err
			}
			if user := items[0].action.Args["user"]; user != "" {
				return e.client.Admin.SSHKeys.Delete(ctx, user, id)
			}
			return e.client.SSHKeys.Delete(ctx, id)
		},
	}
}
