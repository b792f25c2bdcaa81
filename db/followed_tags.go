package db

import (
	"context"
	"fmt"
	"strconv"
)

// MaxFollowedTags bounds the hashtags that an account follows.
const MaxFollowedTags = 500

// FollowedTag is a hashtag that an account follows, by its name.
type FollowedTag struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	Tag       string
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// FollowTag has an account follow a hashtag, once.
func (d *DB) FollowTag(ctx context.Context, accountID, tag string) error {
	_, err := d.exec(ctx, "follow hashtag", "INSERT INTO followed_tags (account_id, tag, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", accountID, tag, d.Now())
	if err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// UnfollowTag ends that, and reports whether there was something to end. The statuses
// leave the home timeline at once, and their entries by RemoveTagEntries.
func (d *DB) UnfollowTag(ctx context.Context, accountID, tag string) (bool, error) {
	n, err := d.exec(ctx, "unfollow hashtag", "DELETE FROM followed_tags WHERE account_id = ? AND tag = ?", accountID, tag)
	if err != nil || n == 0 {
		return false, err
	}
	return true, d.Announce(ctx, AccountChanged, accountID)
}

// FollowsTags returns those of tags that an account follows, and the number of all that
// it follows.
func (d *DB) FollowsTags(ctx context.Context, accountID string, tags []string) (followed map[string]bool, all int, err error) {
	followed = map[string]bool{}
	if len(tags) == 0 {
		return followed, 0, nil
	}
	rows, err := list[struct {
		Tag string
		N   int
	}](ctx, d, "followed hashtags", `SELECT n.n, COALESCE(f.tag, '') AS tag FROM (SELECT COUNT(*) AS n FROM followed_tags WHERE account_id = ?) n
		LEFT JOIN followed_tags f ON f.account_id = ? AND f.tag IN ?`, accountID, accountID, tags)
	for _, r := range rows {
		followed[r.Tag], all = true, r.N
	}
	return followed, all, err
}

// FollowedTags returns a page of the hashtags that an account follows, last followed
// first. The bounds of the page must be numbers, as ids are.
func (d *DB) FollowedTags(ctx context.Context, accountID string, p Page) ([]FollowedTag, error) {
	cond, order, args := p.where("id")
	for i, id := range args {
		n, err := strconv.ParseInt(id.(string), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("followed hashtag %q: %w", id, err)
		}
		args[i] = n
	}
	rows, err := list[FollowedTag](ctx, d, "hashtags of "+accountID, "SELECT * FROM followed_tags WHERE account_id = ?"+cond+order, append([]any{accountID}, args...)...)
	return newestFirst(p, rows), err
}

// tagEntries selects home entries for the local accounts that follow a hashtag of s; ""
// if there can be none.
func tagEntries(s *Status) (string, []any) {
	if len(s.Tags) == 0 || s.Visibility != Public || s.ReblogOfID != nil {
		return "", nil
	}
	return `SELECT account_id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM followed_tags WHERE tag IN ?`,
		[]any{s.ID, s.AccountID, homeTagged, []string(s.Tags)}
}

// AddTagEntries puts a status on the home timelines of those who follow one of its
// hashtags.
func (d *DB) AddTagEntries(ctx context.Context, s *Status) error {
	query, args := tagEntries(s)
	if query == "" {
		return nil
	}
	_, err := d.exec(ctx, "deliver to followers of hashtags", "INSERT INTO home_entries (account_id, status_id, author_id, why) "+query+" ON CONFLICT DO NOTHING", args...)
	return err
}

// RemoveTagEntries checks the next limit entries of an account's home timeline, and
// removes those that are there because of a hashtag, while nothing else keeps them. next
// is where to continue, "" at the end.
func (d *DB) RemoveTagEntries(ctx context.Context, accountID, after string, limit int) (next string, err error) {
	next, _, err = optional(value[string](ctx, d, "timeline of "+accountID, "SELECT status_id FROM home_entries WHERE account_id = ? AND status_id > ? ORDER BY status_id LIMIT 1 OFFSET ?",
		accountID, after, limit-1))
	if err != nil {
		return "", err
	}
	query := `DELETE FROM home_entries WHERE account_id = ? AND status_id > ? AND why = ?
		AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = home_entries.account_id AND f.target_id = home_entries.author_id AND NOT f.pending)
		AND NOT ` + d.tagged("home_entries")
	args := []any{accountID, after, homeTagged}
	if next != "" {
		query += " AND status_id <= ?"
		args = append(args, next)
	}
	_, err = d.exec(ctx, "withdraw from timelines", query, args...)
	return next, err
}

// tagged is the condition that the owner of a home entry follows a hashtag of its status.
func (d *DB) tagged(entry string) string {
	return `EXISTS (SELECT 1 FROM statuses ts CROSS JOIN ` + d.tagsOf("ts") + ` CROSS JOIN followed_tags tf WHERE ts.id = ` + entry + `.status_id
		AND ts.visibility = 'public' AND ts.reblog_of_id IS NULL AND tf.account_id = ` + entry + `.account_id AND tf.tag = x.value)`
}
