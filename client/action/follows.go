package action

import (
	"context"
	"errors"
	"strconv"

	"svc/client"
	"svc/client/api"
)

// followLimit bounds how many of somebody's follows are read to see whether one
// is among them.
const followLimit = 1000

// follow starts or ends a follow. The present follows are read from the public
// list; if that does not tell, the request is sent.
func (e *Engine) follow(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == UserFollow)
	rules := e.people(nil)
	rules.many = false
	rules.read = func(ctx context.Context, it *item) error {
		target, err := ParseTarget("user", it.action.Args["followed"])
		if err != nil {
			return err
		}
		follower, err := FindUser(ctx, e.client, it.target)
		if err != nil {
			return err
		}
		followed, err := FindUser(ctx, e.client, target)
		if err != nil {
			return err
		}
		it.id = follower.Nickname
		it.now = map[string]string{"followed": followed.Nickname}
		follows, known, err := e.follows(ctx, follower.AccountID, followed.AccountID)
		if err != nil {
			return err
		}
		if known {
			it.now["follows"] = strconv.FormatBool(follows)
		}
		return nil
	}
	rules.wish = func(Action) map[string]string { return map[string]string{"follows": wished} }
	rules.landed = func(ctx context.Context, it *item) (bool, error) {
		again := &item{action: it.action, target: it.target}
		if err := rules.read(ctx, again); err != nil {
			return false, err
		}
		if again.now["follows"] == "" {
			return unseen(ctx, it)
		}
		return again.now["follows"] == wished, nil
	}
	rules.key = func(it *item) string { return it.target.String() + " " + it.action.Args["followed"] }
	rules.send = func(ctx context.Context, items []*item) error {
		follower, followed := items[0].id, items[0].now["followed"]
		if kind == UserFollow {
			return e.client.Admin.Users.Follow(ctx, follower, followed)
		}
		return e.client.Admin.Users.Unfollow(ctx, follower, followed)
	}
	rules.inverse = func(it *item) *Action {
		if it.now["follows"] == "" {
			return nil
		}
		return &Action{
			Kind: kind.facts().back, Target: it.target.String(), Args: it.action.Args,
			Before: map[string]string{"follows": wished},
		}
	}
	return rules
}

// follows reports whether one account follows another, as far as the list of
// its follows can tell.
func (e *Engine) follows(ctx context.Context, follower, followed string) (follows, known bool, err error) {
	seen := 0
	for account, err := range e.client.Accounts.Following(follower, api.AccountQuery{PageQuery: api.PageQuery{Limit: 80}}).All(ctx) {
		if errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrForbidden) {
			return false, false, nil
		}
		if err != nil {
			return false, false, err
		}
		if account.ID == followed {
			return true, true, nil
		}
		if seen++; seen == followLimit {
			return false, false, nil
		}
	}
	// An empty list may be one that is hidden.
	return false, seen > 0, nil
}
