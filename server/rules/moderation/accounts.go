package moderation

import (
	"context"
	"fmt"

	"svc/db"
)

// Activate activates accounts, all or none; active ones stay. It returns their
// ids in the order of the nicknames.
func (s *Service) Activate(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error) {
	return s.switchAll(ctx, by, nicknames, func(bool) bool { return true })
}

// Deactivate deactivates accounts, all or none, like Activate.
func (s *Service) Deactivate(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error) {
	return s.switchAll(ctx, by, nicknames, func(bool) bool { return false })
}

// Toggle deactivates an active account and activates a deactivated one. Two
// concurrent calls undo each other, in either order.
func (s *Service) Toggle(ctx context.Context, by *db.Account, nickname string) (string, error) {
	ids, err := s.switchAll(ctx, by, []string{nickname}, func(active bool) bool { return !active })
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// switchAll gives each account the state that want returns, and logs the
// changed ones. An unknown nickname is db.ErrNotFound, and nothing changes.
func (s *Service) switchAll(ctx context.Context, by *db.Account, nicknames []string, want func(active bool) bool) ([]string, error) {
	if err := s.rights.Check(by, Deactivated.right); err != nil || len(nicknames) == 0 {
		return nil, err
	}
	var ids []string
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, Deactivated.right, nicknames, s.withFollows(false))
		if err != nil {
			return err
		}
		if err := t.sparesStaff(); err != nil {
			return err
		}
		ids = t.ids
		changed := map[string]*Action{}
		for _, a := range t.inOrder() {
			active := want(!a.Deactivated)
			if active == !a.Deactivated {
				continue
			}
			change := s.social.In(tx).Deactivate
			if changed[a.ID] = Deactivated; active {
				changed[a.ID], change = Activated, s.social.In(tx).Activate
			}
			if err := change(ctx, by, a); err != nil {
				return err
			}
		}
		for _, action := range []*Action{Activated, Deactivated} {
			var users []*db.Account
			for _, a := range t.each {
				if changed[a.ID] == action {
					users = append(users, a)
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

// resolve returns the ids of the accounts with these nicknames, all of them, in
// order.
func resolve(ctx context.Context, tx *db.DB, nicknames []string) ([]string, error) {
	found, err := tx.AccountIDs(ctx, nicknames)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(nicknames))
	for i, n := range nicknames {
		id, ok := found[db.NicknameKey(n)]
		if !ok {
			return nil, fmt.Errorf("account %s: %w", n, db.ErrNotFound)
		}
		ids[i] = id
	}
	return ids, nil
}
