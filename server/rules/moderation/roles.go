package moderation

import (
	"context"

	"svc/db"
	"svc/server/platform/fault"
)

// Role is a permission group.
type Role string

// The permission groups.
const (
	Admins     Role = "admin"
	Moderators Role = "moderator"
)

// RoleNamed returns the permission group of this name, or a refusal.
func RoleNamed(name string) (Role, error) {
	if r := Role(name); r == Admins || r == Moderators {
		return r, nil
	}
	return "", fault.NotFound("No such permission_group")
}

// of returns the field of an account for the group.
func (r Role) of(a *db.Account) *bool {
	if r == Admins {
		return &a.IsAdmin
	}
	return &a.IsModerator
}

// Grant adds accounts to a permission group, all or none. Existing members are
// logged too. It returns the ids in the order of the nicknames.
func (s *Service) Grant(ctx context.Context, by *db.Account, role Role, nicknames ...string) ([]string, error) {
	return s.setRole(ctx, by, role, true, nicknames, func(*db.Account) error { return nil })
}

// Revoke removes accounts from a permission group, all or none, like Grant. The
// caller cannot be among them.
func (s *Service) Revoke(ctx context.Context, by *db.Account, role Role, nicknames ...string) ([]string, error) {
	return s.setRole(ctx, by, role, false, nicknames, func(a *db.Account) error {
		if a.ID == by.ID {
			return fault.Forbidden("You can't revoke your own admin/moderator status.")
		}
		return nil
	})
}

// RevokeOne is Revoke for one account: admins may remove themselves from the
// moderators, but not from the admins.
func (s *Service) RevokeOne(ctx context.Context, by *db.Account, role Role, nickname string) ([]string, error) {
	return s.setRole(ctx, by, role, false, []string{nickname}, func(a *db.Account) error {
		if a.ID == by.ID && role == Admins {
			return fault.Forbidden("You can't revoke your own admin status.")
		}
		return nil
	})
}

// setRole changes a permission group of all accounts that may allows.
func (s *Service) setRole(ctx context.Context, by *db.Account, role Role, in bool, nicknames []string, may func(*db.Account) error) ([]string, error) {
	action := Revoked
	if in {
		action = Granted
	}
	if err := s.rights.Check(by, action.right); err != nil || len(nicknames) == 0 {
		return nil, err
	}
	var ids []string
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, action.right, nicknames, alone)
		if err != nil {
			return err
		}
		for _, a := range t.each {
			if err := may(a); err != nil {
				return err
			}
		}
		for _, a := range t.inOrder() {
			if *role.of(a) == in {
				continue
			}
			*role.of(a) = in
			if err := tx.SetRoles(ctx, a); err != nil {
				return err
			}
		}
		ids = t.ids
		return s.Log(ctx, tx, by, action, Data{Users: t.each, Permission: role})
	})
	return ids, err
}
