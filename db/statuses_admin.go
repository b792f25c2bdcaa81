package db

import (
	"context"
	"slices"
	"strings"
)

// AdminStatusFilter selects statuses for admins. At most one of AccountID,
// Local and Host is set.
type AdminStatusFilter struct {
	AccountID string
	Local     bool   // made here
	Host      string // made on this other server
	All       bool   // of any visibility, not only public and unlisted
	Reblogs   bool   // reblogs too
}

// unseen leaves out statuses of invisible accounts. Deactivated accounts are
// hidden from everybody but admins.
const unseen = ` AND NOT EXISTS (SELECT 1 FROM accounts h WHERE h.id = $ AND h.invisible)`

func (f *AdminStatusFilter) where(q *selection) {
	switch {
	case f.AccountID != "":
		q.add(` WHERE x.account_id = ?`, f.AccountID)
	case f.Local:
		q.add(` WHERE x.local`)
	case f.Host != "":
		q.add(` WHERE NOT x.local AND x.host = ?`, f.Host)
	default:
		q.add(` WHERE TRUE`)
	}
	if !f.All {
		q.add(` AND x.visibility IN ('public', 'unlisted')`)
	}
	q.add(strings.ReplaceAll(unseen, "$", "x.account_id"))
	if f.Reblogs {
		// A subquery per row: for NOT EXISTS behind an OR, PostgreSQL would first read
		// all accounts.
		q.add(` AND (x.reblog_of_id IS NULL OR NOT COALESCE((SELECT h.invisible FROM accounts h
			WHERE h.id = x.reblog_of_account_id), FALSE))`)
	} else {
		q.add(` AND x.reblog_of_id IS NULL`)
	}
}

// AdminStatuses returns a page of the statuses that f selects, newest first, as
// an anonymous viewer sees them.
func (d *DB) AdminStatuses(ctx context.Context, f AdminStatusFilter, p NumberedPage) ([]StatusRef, error) {
	q := &selection{}
	q.refs(Viewer{})
	q.add(` FROM (SELECT x.id FROM statuses x`)
	f.where(q)
	q.add(` ORDER BY x.id DESC` + p.limit() + `) pg JOIN statuses s ON s.id = pg.id` + refJoins)
	rows, err := d.statusRefs(ctx, q, "statuses for admins")
	slices.SortFunc(rows, func(a, b StatusRef) int { return strings.Compare(b.ID, a.ID) })
	return rows, err
}

// AnyStatusRefs returns these statuses of any visibility and author, as an
// anonymous viewer sees them, in no order.
func (d *DB) AnyStatusRefs(ctx context.Context, ids []string) ([]StatusRef, error) {
	return inChunks(ids, func(ids []string) ([]StatusRef, error) {
		q := &selection{}
		q.refs(Viewer{})
		q.add(` FROM statuses s`+refJoins+` WHERE s.id IN ?`, ids)
		return d.statusRefs(ctx, q, "statuses for admins")
	})
}

// KnowsHost reports whether an account of another server is stored.
func (d *DB) KnowsHost(ctx context.Context, host string) (bool, error) {
	n, err := value[int](ctx, d, "accounts of "+host, `SELECT COUNT(*) FROM (SELECT 1 FROM accounts WHERE domain = ? AND NOT local LIMIT 1) one`, host)
	return n > 0, err
}

// AdminStatusRef returns a status or reblog of any visibility. One by an
// invisible account is ErrNotFound.
func (d *DB) AdminStatusRef(ctx context.Context, id string) (*StatusRef, error) {
	q := &selection{}
	q.refs(Viewer{})
	q.add(` FROM statuses s`+refJoins+` WHERE s.id = ? AND NOT a.invisible`, id)
	rows, err := d.statusRefs(ctx, q, "status for admins")
	return firstOf(rows, err, "status "+id)
}
