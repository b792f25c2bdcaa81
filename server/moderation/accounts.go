package moderation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/db"
)

// Activate lets accounts in again, all or none; those that are active stay so.
// It returns their ids in the order of the nicknames.
func (s *Service) Activate(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error) {
	return s.switchAll(ctx, by, nicknames, func(bool) bool { return true })
}

// Deactivate shuts accounts out, all or none, like Activate.
func (s *Service) Deactivate(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error) {
	return s.switchAll(ctx, by, nicknames, func(bool) bool { return false })
}

// Toggle shuts an active account out, and lets a deactivated one in. Two at
// once undo each other, in either order.
func (s *Service) Toggle(ctx context.Context, by *db.Account, nickname string) (string, error) {
	ids, err := s.switchAll(ctx, by, []string{nickname}, func(active bool) bool { return !active })
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// switchAll makes each account as active as want says, and logs those that
// were not. An unknown nickname is db.ErrNotFound, and nothing is changed.
func (s *Service) switchAll(ctx context.Context, by *db.Account, nicknames []string, want func(active bool) bool) ([]string, error) {
	if err := mayModerate(by); err != nil || len(nicknames) == 0 {
		return nil, err
	}
	var ids []string
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		var err error
		if ids, err = resolve(ctx, tx, nicknames); err != nil {
			return err
		}
		inOrder := slices.Clone(ids)
		slices.Sort(inOrder)
		inOrder = slices.Compact(inOrder)
		rows, err := tx.LockAccounts(ctx, inOrder)
		if err != nil {
			return err
		}
		accounts := make(map[string]*db.Account, len(rows))
		for i := range rows {
			accounts[rows[i].ID] = &rows[i]
		}
		changed, err := s.switchEach(ctx, tx, by, inOrder, accounts, want)
		if err != nil {
			return err
		}
		for _, action := range []Action{Activated, Deactivated} {
			var users []*db.Account
			for _, id := range ids {
				if changed[id] == action {
					users = append(users, accounts[id])
					delete(changed, id) // named twice, logged once
				}
			}
			if len(users) == 0 {
				continue
			}
			if err := s.Log(ctx, tx, by, action, Data{Users: users}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// switchEach changes the accounts in this order and tells what was done.
func (s *Service) switchEach(ctx context.Context, tx *db.DB, by *db.Account, ids []string, accounts map[string]*db.Account, want func(active bool) bool) (map[string]Action, error) {
	changed := map[string]Action{}
	for _, id := range ids {
		a := accounts[id]
		if a == nil {
			return nil, fmt.Errorf("account %s: %w", id, db.ErrNotFound)
		}
		active := want(!a.Deactivated)
		if active == !a.Deactivated {
			continue
		}
		var err error
		if active {
			changed[id] = Activated
			err = s.social.In(tx).Activate(ctx, by, a)
		} else {
			changed[id] = Deactivated
			err = s.social.In(tx).Deactivate(ctx, by, a)
		}
		if err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// resolve finds the accounts with these nicknames, all of them, in order.
func resolve(ctx context.Context, tx *db.DB, nicknames []string) ([]string, error) {
	found, err := tx.AccountIDs(ctx, nicknames)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(nicknames))
	for i, n := range nicknames {
		id, ok := found[strings.ToLower(n)]
		if !ok {
			return nil, fmt.Errorf("account %s: %w", n, db.ErrNotFound)
		}
		ids[i] = id
	}
	return ids, nil
}
