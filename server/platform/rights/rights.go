// Package rights decides who may do what in the admin API. A route asks for its
// right, and so does the operation behind it, first of all: a command of svcd that
// calls the operation needs the right too. Inside its transaction the operation
// asks again.
//
// The account that asks may have no row: requests with the operator's secret, and
// svcd's own commands, act as an admin without an id.
package rights

import (
	"context"
	"errors"
	"slices"

	"svc/client/api"
	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// A Right is what a route or an operation needs. Admins have all of them.
type Right string

// The rights. A moderator has Staff, and those privileges that the setting
// ":instance :moderator_privileges" names.
const (
	Admins Right = "admins"
	Staff  Right = "staff" // of moderators without any privilege, by the client API

	// Signups is the right to read accounts that await approval, which users_read and
	// approvals open: the handler shows no other account to who lacks users_read.
	Signups Right = "signups"

	Reports         = Right(api.PrivilegeReports)
	Statuses        = Right(api.PrivilegeStatuses)
	UsersRead       = Right(api.PrivilegeUsersRead)
	UsersActivation = Right(api.PrivilegeUsersActivation)
	Approvals       = Right(api.PrivilegeApprovals)
	Log             = Right(api.PrivilegeLog)
	Invites         = Right(api.PrivilegeInvites)
	Media           = Right(api.PrivilegeMedia)
)

// Administer is the right of admins alone, for operations without privileges.
func Administer(by *db.Account) error { return allow(by, Admins, nil) }

// HoldAdmin is Administer inside a transaction: it holds the account's row and reads
// it again. The role does not change before the transaction ends.
func HoldAdmin(ctx context.Context, tx *db.DB, by *db.Account) error {
	if by.ID == "" { // the operator's secret, or a command on the machine
		return Administer(by)
	}
	now, err := held(ctx, tx, by.ID, nil)
	if err != nil {
		return err
	}
	return standing(now, Admins)
}

// AdministerNow is HoldAdmin for an operation without a transaction of its own, such
// as a change of files: the role is read again right before it.
func AdministerNow(ctx context.Context, d *db.DB, by *db.Account) error {
	if err := Administer(by); err != nil {
		return err
	}
	return d.Tx(ctx, func(tx *db.DB) error { return HoldAdmin(ctx, tx, by) })
}

// held returns an account once its row is held, and those of others; nil if it is gone.
func held(ctx context.Context, tx *db.DB, id string, others []string) (*db.Account, error) {
	if err := tx.HoldAccounts(ctx, append([]string{id}, others...)...); err != nil {
		return nil, err
	}
	now, err := tx.Account(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return now, err
}

// standing refuses an account that is gone, and one without the right, where
// moderators have no privileges.
func standing(now *db.Account, right Right) error {
	if now == nil || now.Deactivated {
		return fault.Forbidden("Invalid credentials.")
	}
	return allow(now, right, nil)
}

// Service knows the privileges of moderators.
type Service struct {
	settings *config.Live
	saved    bool
}

// New returns a Service. Saved says that settings saved in the database act.
func New(settings *config.Live, saved bool) *Service { return &Service{settings, saved} }

// Of returns the privileges of an account in the admin API, in the order of
// api.Privileges; nil for none.
func (s *Service) Of(a *db.Account) []api.Privilege {
	var out []api.Privilege
	for _, p := range api.Privileges() {
		if s.Check(a, Right(p)) == nil {
			out = append(out, p)
		}
	}
	return out
}

// Check refuses an account without the right, by the process's settings and the
// account as it was read.
func (s *Service) Check(by *db.Account, right Right) error {
	return allow(by, right, s.settings.Load().Instance.ModeratorPrivileges)
}

// Hold is Check inside a transaction: it holds the account's row and reads it
// again. Neither a role nor a privilege changes before the transaction ends. Others
// are the accounts that the operation holds too: all are held in one order.
func (s *Service) Hold(ctx context.Context, tx *db.DB, by *db.Account, right Right, others ...string) error {
	if by.ID == "" { // the operator's secret, or a command on the machine
		if err := s.Check(by, right); err != nil {
			return err
		}
		return tx.HoldAccounts(ctx, others...)
	}
	now, err := held(ctx, tx, by.ID, others)
	if err != nil {
		return err
	}
	return s.Held(ctx, tx, now, right)
}

// Held is Hold for an account that was read under its lock; nil if it is gone.
func (s *Service) Held(ctx context.Context, tx *db.DB, now *db.Account, right Right) error {
	if now == nil || now.Deactivated || now.IsAdmin || !now.IsModerator || !isPrivilege(right) {
		return standing(now, right)
	}
	opened, err := s.opened(ctx, tx)
	if err != nil {
		return err
	}
	return allow(now, right, opened)
}

// opened reads the privileges of moderators from the database. The process's
// own settings may be older than a change by another process.
func (s *Service) opened(ctx context.Context, tx *db.DB) ([]string, error) {
	base := s.settings.Base()
	if !s.saved {
		return base.Instance.ModeratorPrivileges, nil
	}
	const group, key = ":svc", ":instance"
	raw, err := tx.HeldSetting(ctx, group, key)
	if err != nil || raw == "" {
		return base.Instance.ModeratorPrivileges, err
	}
	value, err := term.Decode(raw)
	if err != nil { // as if it was not saved, which the log of the start says
		return base.Instance.ModeratorPrivileges, nil
	}
	now, _ := base.With([]config.Saved{{Group: group, Key: key, Value: value}})
	return now.Instance.ModeratorPrivileges, nil
}

func isPrivilege(right Right) bool { return right != Admins && right != Staff }

// allow refuses an account without the right where moderators have the opened
// privileges. While they have none, nobody is told of privileges.
func allow(by *db.Account, right Right, opened []string) error {
	if right == Signups {
		if right = UsersRead; by.IsModerator && slices.Contains(opened, string(Approvals)) {
			return nil
		}
	}
	switch {
	case by.IsAdmin:
		return nil
	case by.IsModerator && (right == Staff || isPrivilege(right) && slices.Contains(opened, string(right))):
		return nil
	case by.IsModerator && isPrivilege(right) && len(opened) > 0:
		return fault.Forbiddenf("User is not an admin, and moderators lack the privilege %s.", right)
	}
	return fault.Forbidden("User is not an admin.")
}
