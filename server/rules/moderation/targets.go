package moderation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
)

// targets are the accounts that a request names.
type targets struct {
	ids  []string      // in its order, as often as it names them
	each []*db.Account // likewise, each once
}

// choose finds the accounts with these nicknames, all of them, and loads them
// with lock, which gets their ids in order. An unknown one is db.ErrNotFound.
//
// The account that acts is locked and read along: by is from before the
// transaction, and may have lost the right that may asks for. So of two admins
// who shut each other out, one is left.
func choose(ctx context.Context, tx *db.DB, by *db.Account, may func(*db.Account) error, nicknames []string,
	lock func(context.Context, []string) ([]db.Account, error),
) (*targets, error) {
	ids, err := resolve(ctx, tx, nicknames)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(ids)
	if by.ID != "" { // else whoever holds the operator's secret, or the machine
		order = append(order, by.ID)
	}
	slices.Sort(order)
	order = slices.Compact(order)
	rows, err := lock(ctx, order)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.Account, len(rows))
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	if by.ID != "" {
		now := byID[by.ID]
		if now == nil || now.Deactivated {
			return nil, fault.Forbidden("Invalid credentials.")
		}
		if err := may(now); err != nil {
			return nil, err
		}
	}
	t := &targets{ids: ids}
	seen := make(map[string]bool, len(rows))
	for _, id := range ids {
		a := byID[id]
		if a == nil { // gone in between
			return nil, fmt.Errorf("account %s: %w", id, db.ErrNotFound)
		}
		if !seen[id] {
			seen[id] = true
			t.each = append(t.each, a)
		}
	}
	return t, nil
}

// inOrder is every account once, by id: in this order accounts are changed.
func (t *targets) inOrder() []*db.Account {
	out := slices.Clone(t.each)
	slices.SortFunc(out, func(a, b *db.Account) int { return strings.Compare(a.ID, b.ID) })
	return out
}
