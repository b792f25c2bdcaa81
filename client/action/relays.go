package action

import (
	"context"
	"net/http"
	"strconv"

	"svc/client"
)

const pathRelay = adminPath + "/relay"

// relay subscribes to a relay or leaves it. One that was asked and did not
// answer yet is as wished.
func (e *Engine) relay(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == RelayFollow)
	list := func(ctx context.Context) (map[string]bool, error) {
		all, err := e.client.Admin.Relays.List(ctx)
		if err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, r := range all {
			known[r.Actor] = true
		}
		return known, nil
	}
	relays := once(list)
	rules := kindRules{
		read: func(ctx context.Context, it *item) error {
			known, err := relays(ctx)
			it.now = map[string]string{"followed": strconv.FormatBool(known[it.target.Name])}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"followed": wished} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			known, err := list(ctx)
			return err == nil && strconv.FormatBool(known[it.target.Name]) == wished, err
		},
		send: func(ctx context.Context, items []*item) error {
			if kind == RelayUnfollow {
				return e.client.Admin.Relays.Unfollow(ctx, items[0].target.Name)
			}
			_, err := e.client.Admin.Relays.Follow(ctx, items[0].target.Name)
			if client.Status(err) == http.StatusInternalServerError {
				// The API has one answer for all that keeps a relay from being
				// followed.
				return &client.Error{
					Status: http.StatusInternalServerError, Message: "the server cannot follow it: it does not answer, says no, or must not be asked",
					Method: http.MethodPost, Path: pathRelay,
				}
			}
			return err
		},
	}
	rules.inverse = func(it *item) *Action {
		return &Action{Kind: kind.facts().back, Target: it.target.String(), Before: map[string]string{"followed": wished}}
	}
	return rules
}
