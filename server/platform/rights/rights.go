// Package rights holds the two rights over the instance as a whole. An operation
// asks for its right before all else, so that no door can forget it.
//
// The account that asks may have no row: requests with the operator's secret, and
// svcd's own commands, act as an admin without an id.
package rights

import (
	"svc/db"
	"svc/server/platform/fault"
)

// Moderate is the right of moderators and admins: reports, and the accounts and
// statuses of others.
func Moderate(by *db.Account) error { return only(by.Staff()) }

// Administer is the right of admins alone.
func Administer(by *db.Account) error { return only(by.IsAdmin) }

func only(allowed bool) error {
	if allowed {
		return nil
	}
	return fault.Forbidden("User is not an admin.")
}
