package moderation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
)

// targets are the accounts that a request names.
type targets struct {
	by   *db.Account   // who acts, as they are now
	ids  []string      // in the order of the request, repeated as there
	each []*db.Account // likewise, each once
}

// A holding holds the named accounts of a request, and all that it concerns, and
// returns the latter in no order.
type holding func(ctx context.Context, tx *db.DB, named, all []string) ([]db.Account, error)

// alone holds the accounts and no others.
func alone(ctx context.Context, tx *db.DB, _, all []string) ([]db.Account, error) {
	return tx.LockAccounts(ctx, all)
}

// withFollows holds the accounts to be hidden, shown or erased with their followers and
// those that they follow, which count them.
func (s *Service) withFollows(erased bool) holding {
	return func(ctx context.Context, tx *db.DB, named, all []string) ([]db.Account, error) {
		if err := s.social.In(tx).HoldToHide(ctx, erased, named, all...); err != nil {
			return nil, err
		}
		return tx.LockAccounts(ctx, all)
	}
}

// withFriends holds the accounts that may begin with those that they follow then.
func (s *Service) withFriends(ctx context.Context, tx *db.DB, _, all []string) ([]db.Account, error) {
	friends, err := s.signup.In(tx).Friends(ctx)
	if err != nil {
		return nil, err
	}
	if err := tx.HoldAccounts(ctx, append(friends, all...)...); err != nil {
		return nil, err
	}
	return tx.LockAccounts(ctx, all)
}

// choose returns the accounts with these nicknames, all of them, loaded with
// hold. An unknown one is db.ErrNotFound.
//
// The acting account is locked and read too: by was read before the
// transaction, and may have lost the right. So of two admins
// who deactivate each other, one remains.
func (s *Service) choose(ctx context.Context, tx *db.DB, by *db.Account, right rights.Right, nicknames []string,
	hold holding,
) (*targets, error) {
	ids, err := resolve(ctx, tx, nicknames)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(ids)
	if by.ID != "" { // else the operator's secret, or a command on the machine
		order = append(order, by.ID)
	}
	slices.Sort(order)
	order = slices.Compact(order)
	rows, err := hold(ctx, tx, ids, order)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.Account, len(rows))
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	if by.ID != "" {
		by = byID[by.ID]
		if err := s.rights.Held(ctx, tx, by, right); err != nil {
			return nil, err
		}
	}
	t := &targets{by: by, ids: ids}
	seen := make(map[string]bool, len(rows))
	for _, id := range ids {
		a := byID[id]
		if a == nil { // deleted concurrently
			return nil, fmt.Errorf("account %s: %w", id, db.ErrNotFound)
		}
		if !seen[id] {
			seen[id] = true
			t.each = append(t.each, a)
		}
	}
	return t, nil
}

// inOrder returns every account once, by id: the order in which accounts are
// changed.
func (t *targets) inOrder() []*db.Account {
	out := slices.Clone(t.each)
	slices.SortFunc(out, func(a, b *db.Account) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// sparesStaff refuses to let a moderator act on admins and moderators, whose
// accounts are for admins alone.
func (t *targets) sparesStaff() error {
	if !t.by.IsAdmin && slices.ContainsFunc(t.each, func(a *db.Account) bool { return a.Staff() }) {
		return fault.Forbidden("Moderators may not act on accounts of admins and moderators.")
	}
	return nil
}
