package db

import (
	"context"
	"fmt"
)

// A home entry's account_id names a timeline: an account's home, or one of
// these.
const (
	listPrefix   = "list:"   // of a list, by number
	directPrefix = "direct:" // of the direct statuses to and by an account
)

// ListTimeline returns a page of the statuses by those members of a list that
// its owner v follows, without reblogs, and of replies those of its policy. It sends statements as HomeTimeline
// does.
func (d *DB) ListTimeline(ctx context.Context, v Viewer, listID int64, f TimelineFilter, p Page) (Timeline, error) {
	q := d.refsFor(v)
	q.ofList(v, ListTimelineName(listID), listID)
	if f.OnlyMedia {
		q.add(` AND s.has_media`)
	}
	q.seen(v)
	q.unwanted(v, f.WithMuted, "")
	q.narrow(f, v)
	return d.windowed(ctx, q, p, "h.status_id", "timeline of a list", entriesOf(ListTimelineName(listID)))
}

// ofList begins at the entries of a list's timeline.
func (q *selection) ofList(v Viewer, timeline, listID any) {
	q.from(`home_entries h JOIN statuses s ON s.id = h.status_id`+refJoins+`
	WHERE h.account_id = ? AND s.reblog_of_id IS NULL
	AND EXISTS (SELECT 1 FROM list_accounts hl WHERE hl.list_id = ? AND hl.account_id = s.account_id`+existsOnce+`)
	AND EXISTS (SELECT 1 FROM follows hf WHERE hf.follower_id = ? AND hf.target_id = s.account_id AND NOT hf.pending`+v.inLanguages()+existsOnce+`)`,
		timeline, listID, v.ID)
	// A reply whose parent is not stored is one to somebody unknown.
	q.add(` AND (s.in_reply_to_id IS NULL AND s.in_reply_to_uri = '' OR s.in_reply_to_account_id = s.account_id OR s.in_reply_to_account_id = ?
		OR CASE (SELECT rl.replies_policy FROM lists rl WHERE rl.id = ?) WHEN 'none' THEN FALSE
			WHEN 'followed' THEN EXISTS (SELECT 1 FROM follows rf WHERE rf.follower_id = ? AND rf.target_id = s.in_reply_to_account_id AND NOT rf.pending`+existsOnce+`)
			ELSE EXISTS (SELECT 1 FROM list_accounts rm WHERE rm.list_id = ? AND rm.account_id = s.in_reply_to_account_id`+existsOnce+`) END)`,
		v.ID, listID, v.ID, listID)
}

// DirectTimeline returns a page of the direct statuses to and by the viewer.
func (d *DB) DirectTimeline(ctx context.Context, v Viewer, f TimelineFilter, p Page) (Timeline, error) {
	q := d.refsFor(v)
	q.direct(directPrefix + v.ID)
	q.seen(v)
	q.unwanted(v, f.WithMuted, "")
	q.narrow(f, v)
	if !f.selective(v) {
		return d.timeline(ctx, q, p, "h.status_id", "direct timeline")
	}
	return d.windowed(ctx, q, p, "h.status_id", "direct timeline", entriesOf(directPrefix+v.ID))
}

// direct begins at the direct statuses of the viewer. Nearly all entries are
// still direct, which PostgreSQL cannot know: without the CASE it would search
// all direct statuses.
func (q *selection) direct(timeline any) {
	q.from(`home_entries h JOIN statuses s ON s.id = h.status_id`+refJoins+`
	WHERE h.account_id = ? AND CASE WHEN s.visibility = 'direct' THEN TRUE ELSE FALSE END`, timeline)
}

// ListMemberRefs returns a page of a list's active members, by account id.
func (d *DB) ListMemberRefs(ctx context.Context, listID int64, p Page) ([]AccountRef, error) {
	return d.related(ctx, "members of a list", "FROM list_accounts x JOIN accounts a ON a.id = x.account_id WHERE x.list_id = ?", "x.account_id", p, listID)
}

// CountListMembers returns the number of a list's members.
func (d *DB) CountListMembers(ctx context.Context, listID int64) (int, error) {
	return value[int](ctx, d, fmt.Sprintf("count members of list %d", listID), "SELECT COUNT(*) FROM list_accounts WHERE list_id = ?", listID)
}

// AddListMembers adds those of accountIDs that exist to a list, and the newest
// statuses of those that its owner follows, up to limit of each, to its
// timeline.
func (d *DB) AddListMembers(ctx context.Context, l *AccountList, accountIDs []string, limit int) error {
	// An account that is deleted meanwhile would stay a member: MarkDeleted waits.
	if _, err := list[string](ctx, d.writing(), "keep members", "SELECT id FROM accounts WHERE id IN ? ORDER BY id"+d.keep(), accountIDs); err != nil {
		return err
	}
	added, err := list[string](ctx, d.writing(), fmt.Sprintf("add members of list %d", l.ID), `INSERT INTO list_accounts (list_id, account_id, owner_id)
		SELECT CAST(? AS BIGINT), a.id, CAST(? AS TEXT) FROM accounts a WHERE a.id IN ? AND NOT a.invisible
		AND NOT EXISTS (SELECT 1 FROM deletions x WHERE x.account_id = a.id) ON CONFLICT DO NOTHING RETURNING account_id`,
		l.ID, l.AccountID, accountIDs)
	if err != nil {
		return err
	}
	for _, id := range added {
		if err := d.backfillLists(ctx, l.AccountID, id, limit); err != nil {
			return err
		}
	}
	return nil
}

// backfillLists puts the newest limit statuses of a member on the timelines of
// all an account's lists with this member, if it follows the member.
func (d *DB) backfillLists(ctx context.Context, ownerID, memberID string, limit int) error {
	return d.execLater(ctx, "backfill lists", `INSERT INTO home_entries (account_id, status_id, author_id, why)
		SELECT CAST(? AS TEXT) || CAST(m.list_id AS TEXT), pg.id, pg.account_id, CAST(? AS BIGINT)
		FROM list_accounts m CROSS JOIN (
			SELECT id, account_id FROM statuses
			WHERE account_id = ? AND visibility IN ('public', 'unlisted', 'private', 'local') AND reblog_of_id IS NULL
			ORDER BY id DESC LIMIT ?) pg
		WHERE m.account_id = ? AND m.owner_id = ?
		AND EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = ? AND f.target_id = ? AND NOT f.pending)
		ON CONFLICT DO NOTHING`, listPrefix, homeFollowed, memberID, limit, memberID, ownerID, ownerID, memberID)
}

// RemoveListMembers removes accounts from a list. Their statuses stay on its
// timeline, unseen, until RemoveHomeEntries has removed them.
func (d *DB) RemoveListMembers(ctx context.Context, l *AccountList, accountIDs []string) error {
	_, err := d.exec(ctx, "remove members of a list", "DELETE FROM list_accounts WHERE list_id = ? AND account_id IN ?", l.ID, accountIDs)
	return err
}

// InList reports whether an account is on a list.
func (d *DB) InList(ctx context.Context, listID int64, accountID string) (bool, error) {
	return value[bool](ctx, d, fmt.Sprintf("member of list %d", listID), "SELECT EXISTS (SELECT 1 FROM list_accounts WHERE list_id = ? AND account_id = ?)", listID, accountID)
}

// RemoveListEntries removes up to limit entries of a list's timeline and
// returns their number.
func (d *DB) RemoveListEntries(ctx context.Context, listID int64, limit int) (int64, error) {
	name := ListTimelineName(listID)
	return d.exec(ctx, "clear list", `DELETE FROM home_entries WHERE account_id = ? AND status_id IN
		(SELECT status_id FROM home_entries WHERE account_id = ? ORDER BY status_id LIMIT ?)`, name, name, limit)
}

// listsOf selects the timelines of lists for a status of s's author. The owners
// of the lists follow the author, and have ids above after and up to upTo, if
// these are given.
func listsOf(s *Status, after, upTo string) (string, []any) {
	query := `SELECT CAST(? AS TEXT) || CAST(m.list_id AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM list_accounts m
		JOIN follows f ON f.follower_id = m.owner_id AND f.target_id = m.account_id
		WHERE m.account_id = ? AND NOT f.pending`
	args := []any{listPrefix, s.ID, s.AccountID, homeFollowed, s.AccountID}
	if after != "" {
		query += " AND m.owner_id > ?"
		args = append(args, after)
	}
	if upTo != "" {
		query += " AND m.owner_id <= ?"
		args = append(args, upTo)
	}
	return query, args
}

// onLists reports whether a status can be on timelines of lists.
func onLists(s *Status) bool {
	return s.ReblogOfID == nil && s.Visibility != Direct && s.Visibility != List
}

// ListTimelines returns the names of the timelines of an account's lists with a
// member, for RemoveHomeEntries.
func (d *DB) ListTimelines(ctx context.Context, ownerID, memberID string) ([]string, error) {
	lists, err := d.ListsWith(ctx, ownerID, memberID)
	out := make([]string, len(lists))
	for i := range lists {
		out[i] = ListTimelineName(lists[i].ID)
	}
	return out, err
}
