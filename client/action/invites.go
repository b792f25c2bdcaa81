package action

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"svc/client"
	"svc/client/api"
)

// once reads something for many items at a time.
func once[T any](read func(context.Context) (T, error)) func(context.Context) (T, error) {
	var mu sync.Mutex
	var value T
	done := false
	return func(ctx context.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return value, nil
		}
		var err error
		value, err = read(ctx)
		done = err == nil
		return value, err
	}
}

func notFound(path string) error {
	return &client.Error{Status: http.StatusNotFound, Message: "Not found", Method: http.MethodGet, Path: path}
}

func (e *Engine) revokeInvite(Kind) kindRules {
	invites := once(func(ctx context.Context) ([]api.Invite, error) { return e.client.Admin.Invites.List(ctx) })
	used := func(token string, all []api.Invite) (string, error) {
		for _, invite := range all {
			if invite.Token == token {
				return strconv.FormatBool(invite.Used), nil
			}
		}
		return "", notFound(pathUsers + "/invites")
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			all, err := invites(ctx)
			if err != nil {
				return err
			}
			state, err := used(it.target.Name, all)
			it.now = map[string]string{"used": state}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"used": "true"} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			all, err := e.client.Admin.Invites.List(ctx)
			if err != nil {
				return false, err
			}
			state, err := used(it.target.Name, all)
			return state == "true", err
		},
		send: func(ctx context.Context, items []*item) error {
			_, err := e.client.Admin.Invites.Revoke(ctx, items[0].target.Name)
			return err
		},
	}
}

// InviteState is what became of an invite, in a word: open, used, revoked or expired.
func InviteState(i api.Invite, now time.Time) string {
	switch {
	case i.Revoked:
		return "revoked"
	case i.Used:
		return "used"
	case i.ExpiresAt != nil && *i.ExpiresAt < now.UTC().Format(time.DateOnly):
		return "expired"
	}
	return "open"
}
