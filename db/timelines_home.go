package db

import (
	"context"
	"strings"
)

// Why a status is on a home timeline.
const (
	homeFollowed  = 1 // its author is followed
	homeAddressed = 2
	homeOwn       = 3
	homeTagged    = 4 // one of its hashtags is followed
)

// HomeEntries are the home entries of a new status, with those of the direct
// timeline, of lists, and of those who follow its hashtags.
type HomeEntries struct {
	Status    *Status
	Own       bool     // for its local author
	Addressed []string // for these local recipients, without the author
	Followers bool     // for the author's local followers, and their lists with the author
}

// AddHomeEntries puts a status on home timelines, in one statement.
func (d *DB) AddHomeEntries(ctx context.Context, v HomeEntries) error {
	var (
		parts []string
		args  []any
	)
	const one = "SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) WHERE TRUE"
	to := func(account string, why int) {
		parts, args = append(parts, one), append(args, account, v.Status.ID, v.Status.AccountID, why)
		if v.Status.Visibility == Direct && v.Status.ReblogOfID == nil {
			parts, args = append(parts, one), append(args, directPrefix+account, v.Status.ID, v.Status.AccountID, why)
		}
	}
	if v.Own {
		to(v.Status.AccountID, homeOwn)
	}
	for _, id := range v.Addressed {
		to(id, homeAddressed)
	}
	if v.Followers {
		query, more := followersOf(v.Status, "", "")
		parts, args = append(parts, query), append(args, more...)
	}
	if v.Followers && onLists(v.Status) {
		query, more := listsOf(v.Status, "", "")
		parts, args = append(parts, query), append(args, more...)
	}
	if query, more := tagEntries(v.Status); query != "" {
		parts, args = append(parts, query), append(args, more...)
	}
	if len(parts) == 0 {
		return nil
	}
	// The first of two rows for one account stays: a recipient's entry outlives a
	// follow.
	return d.execLater(ctx, "deliver status", "INSERT INTO home_entries (account_id, status_id, author_id, why) "+
		strings.Join(parts, " UNION ALL ")+" ON CONFLICT DO NOTHING", args...)
}

// followersOf selects home entries for the local followers of s's author with
// ids above after and up to upTo, if these are given.
func followersOf(s *Status, after, upTo string) (string, []any) {
	query := `SELECT follower_id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM follows
		WHERE target_id = ? AND local AND NOT pending`
	args := []any{s.ID, s.AccountID, homeFollowed, s.AccountID}
	if s.ReblogOfAccountID != nil {
		query += " AND reblogs AND follower_id <> ?"
		args = append(args, *s.ReblogOfAccountID)
	}
	if after != "" {
		query += " AND follower_id > ?"
		args = append(args, after)
	}
	if upTo != "" {
		query += " AND follower_id <= ?"
		args = append(args, upTo)
	}
	return query, args
}

// AddFollowerEntries puts a status on the home timelines of the next local
// followers of its author, and their lists with the author: about limit of
// them, by id. next is where to continue, "" at the end.
func (d *DB) AddFollowerEntries(ctx context.Context, s *Status, after string, limit int) (next string, err error) {
	// A follow that ends meanwhile, and the removal of its entries, wait.
	followers, err := list[string](ctx, d.writing(), "followers of "+s.AccountID, `SELECT follower_id FROM follows WHERE target_id = ? AND local AND NOT pending AND follower_id > ?
		ORDER BY follower_id LIMIT ?`+d.keep(), s.AccountID, after, limit)
	if err != nil || len(followers) == 0 {
		return "", err
	}
	if len(followers) == limit {
		next = followers[limit-1]
	}
	query, args := followersOf(s, after, next)
	if onLists(s) {
		lists, more := listsOf(s, after, next)
		query, args = query+" UNION ALL "+lists, append(args, more...)
	}
	_, err = d.exec(ctx, "deliver status", "INSERT INTO home_entries (account_id, status_id, author_id, why) "+query+" ON CONFLICT DO NOTHING", args...)
	return next, err
}

// BackfillHome puts the newest limit statuses of an author that a new follower
// may see on the follower's home timeline and lists.
func (d *DB) BackfillHome(ctx context.Context, f *Follow, limit int) error {
	err := d.execLater(ctx, "backfill home timeline", `INSERT INTO home_entries (account_id, status_id, author_id, why)
		SELECT CAST(? AS TEXT), pg.id, pg.account_id, CAST(? AS BIGINT) FROM (
			SELECT id, account_id FROM statuses
			WHERE account_id = ? AND visibility IN ('public', 'unlisted', 'private', 'local')
			AND (reblog_of_id IS NULL OR (? AND reblog_of_account_id <> ?))
			ORDER BY id DESC LIMIT ?) pg
		WHERE TRUE ON CONFLICT DO NOTHING`, f.FollowerID, homeFollowed, f.TargetID, f.Reblogs, f.FollowerID, limit)
	if err != nil {
		return err
	}
	return d.backfillLists(ctx, f.FollowerID, f.TargetID, limit)
}

// RemoveHomeEntries removes up to limit of an author's statuses from timelines,
// given as accounts or by ListTimelines, if they are there because of a follow and
// stay for no hashtag, oldest first. next is where to continue, "" at the end.
func (d *DB) RemoveHomeEntries(ctx context.Context, timelines []string, authorID, after string, limit int) (next string, err error) {
	next, _, err = optional(value[string](ctx, d, "statuses of "+authorID, "SELECT id FROM statuses WHERE account_id = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?",
		authorID, after, limit-1))
	if err != nil {
		return "", err
	}
	query := "DELETE FROM home_entries WHERE account_id IN ? AND why IN (?, ?) AND status_id IN (SELECT id FROM statuses WHERE account_id = ? AND id > ?"
	args := []any{timelines, homeFollowed, homeTagged, authorID, after}
	if next != "" {
		query += " AND id <= ?"
		args = append(args, next)
	}
	_, err = d.exec(ctx, "withdraw from timelines", query+") AND NOT "+d.tagged("home_entries"), args...)
	return next, err
}

// PruneTimeline checks the next limit entries of a timeline of an account, given
// as RemoveHomeEntries takes it, and removes those that are there because of a
// follow that is gone. next is where to continue, "" at the end. The account must
// be held.
func (d *DB) PruneTimeline(ctx context.Context, accountID, timeline, after string, limit int) (next string, err error) {
	next, _, err = optional(value[string](ctx, d, "timeline of "+accountID, "SELECT status_id FROM home_entries WHERE account_id = ? AND status_id > ? ORDER BY status_id LIMIT 1 OFFSET ?",
		timeline, after, limit-1))
	if err != nil {
		return "", err
	}
	query := `DELETE FROM home_entries WHERE account_id = ? AND status_id > ? AND why IN (?, ?)
		AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = ? AND f.target_id = home_entries.author_id AND NOT f.pending)
		AND NOT ` + d.tagged("home_entries")
	args := []any{timeline, after, homeFollowed, homeTagged, accountID}
	if next != "" {
		query += " AND status_id <= ?"
		args = append(args, next)
	}
	_, err = d.exec(ctx, "prune timeline", query, args...)
	return next, err
}

// sweptKey is the position of SweepHomeEntries: an account and a status.
const sweptKey = "home_swept"

// SweepHomeEntries checks the next limit home entries, starting over at the
// end, and removes those without a status. It returns the number of removed
// entries, and whether the end was reached.
func (d *DB) SweepHomeEntries(ctx context.Context, limit int) (removed int64, end bool, err error) {
	type entry struct{ AccountID, StatusID string }
	kept, _, err := d.walkPosition(ctx, sweptKey)
	if err != nil {
		return 0, false, err
	}
	var from entry
	from.AccountID, from.StatusID, _ = strings.Cut(kept, " ")
	upTo, more, err := optional(value[entry](ctx, d, "home entries", `SELECT account_id, status_id FROM home_entries WHERE (account_id, status_id) > (?, ?)
		ORDER BY account_id, status_id LIMIT 1 OFFSET ?`, from.AccountID, from.StatusID, limit-1))
	if err != nil {
		return 0, false, err
	}
	end = !more
	query := `DELETE FROM home_entries WHERE (account_id, status_id) > (?, ?)
		AND NOT EXISTS (SELECT 1 FROM statuses s WHERE s.id = home_entries.status_id)`
	args := []any{from.AccountID, from.StatusID}
	if !end {
		query += " AND (account_id, status_id) <= (?, ?)"
		args = append(args, upTo.AccountID, upTo.StatusID)
	}
	if removed, err = d.exec(ctx, "sweep home timelines", query, args...); err != nil {
		return 0, false, err
	}
	_, err = d.exec(ctx, "keep where the sweep stopped",
		"INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
		sweptKey, strings.TrimSpace(upTo.AccountID+" "+upTo.StatusID))
	return removed, end, err
}
