package db

import (
	"context"
	"fmt"
	"strconv"
)

// CreateBookmark keeps a status for an account, once. A status that is gone is
// ErrNotFound.
func (d *DB) CreateBookmark(ctx context.Context, accountID, statusID string) error {
	before, err := value[bool](ctx, d, "bookmarks of "+accountID, "SELECT EXISTS (SELECT 1 FROM bookmarks WHERE account_id = ?)", accountID)
	if err != nil {
		return err
	}
	if _, err := d.exec(ctx, "create bookmark", "INSERT INTO bookmarks (account_id, status_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		accountID, statusID, d.Now()); err != nil || before {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// DeleteBookmark removes a bookmark; none is no error.
func (d *DB) DeleteBookmark(ctx context.Context, accountID, statusID string) error {
	_, err := d.exec(ctx, "delete bookmark", "DELETE FROM bookmarks WHERE account_id = ? AND status_id = ?", accountID, statusID)
	return err
}

// Bookmarks returns a page of the statuses that the viewer has bookmarked and
// may still see, the last bookmarked first. Their Key is the bookmark's number;
// the page's ids must be such.
func (d *DB) Bookmarks(ctx context.Context, v Viewer, p Page) ([]StatusRef, error) {
	q := d.keyedRefs(v, "x.id")
	q.add(` FROM bookmarks x JOIN statuses s ON s.id = x.status_id`+refJoins+` WHERE x.account_id = ?`, v.ID)
	q.seen(v)
	cond, order, args := p.where("x.id")
	for i, id := range args {
		n, err := strconv.ParseInt(id.(string), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("bookmark %q: %w", id, err)
		}
		args[i] = n
	}
	q.add(cond, args...)
	q.add(order)
	q.expect = p.Limit
	refs, err := d.statusRefs(ctx, q, "bookmarks")
	return newestFirst(p, refs), err
}

// Favourites returns a page of the statuses that an account has favourited and
// the viewer may see, the last favourited first; for another than himself,
// without what he does not want to see. Their Key is the favourite's id.
func (d *DB) Favourites(ctx context.Context, v Viewer, accountID string, p Page) ([]StatusRef, error) {
	q := d.keyedRefs(v, "x.id")
	q.add(` FROM favourites x JOIN statuses s ON s.id = x.status_id`+refJoins+` WHERE x.account_id = ?`, accountID)
	q.seen(v)
	if v.ID != accountID {
		q.unwanted(v, false, "")
	}
	return d.page(ctx, q, p, "x.id", "favourites")
}

// keyedRefs is refsFor with the column that gives each ref its Key.
func (d *DB) keyedRefs(v Viewer, column string) *selection {
	q := d.refsFor(v)
	q.add(`, ` + column)
	q.keyed = true
	return q
}
