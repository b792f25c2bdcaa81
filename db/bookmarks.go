package db

import (
	"context"
	"fmt"
	"strconv"
)

// CreateBookmark bookmarks a status for an account, once. A status that is gone
// is ErrNotFound.
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

// Bookmarks returns a page of the statuses that the viewer bookmarked and may
// still see, last bookmarked first. Key is the number of the bookmark; the
// bounds of the page must be such numbers.
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

// Favourites returns a page of the statuses that an account favourited and the
// viewer may see, last favourited first. On another's list the viewer's blocks,
// mutes and filters apply too. Key is the id of the favourite.
func (d *DB) Favourites(ctx context.Context, v Viewer, accountID string, p Page) ([]StatusRef, error) {
	q := d.keyedRefs(v, "x.id")
	q.add(` FROM favourites x JOIN statuses s ON s.id = x.status_id`+refJoins+` WHERE x.account_id = ?`, accountID)
	q.seen(v)
	if v.ID != accountID {
		q.unwanted(v, false, "")
	}
	return d.page(ctx, q, p, "x.id", "favourites")
}

// keyedRefs is refsFor with a column for Key.
func (d *DB) keyedRefs(v Viewer, column string) *selection {
	q := d.refsFor(v)
	q.add(`, ` + column)
	q.keyed = true
	return q
}
