package action

import (
	"context"

	"svc/client/api"
)

// message sends a direct status to an account, which cannot be taken back: other
// servers keep it.
func (e *Engine) message(Kind) kindRules {
	rules := e.people(nil)
	read := rules.read
	rules.read = func(ctx context.Context, it *item) error {
		if it.action.Args["text"] == "" {
			return &UsageError{"the message is empty"}
		}
		return read(ctx, it)
	}
	rules.many = false
	rules.landed = unseen
	rules.send = func(ctx context.Context, items []*item) error {
		_, err := e.client.Statuses.Post(ctx, api.NewStatus{
			Status: items[0].action.Args["text"], Visibility: "direct", To: []string{items[0].id},
		})
		return err
	}
	return rules
}
