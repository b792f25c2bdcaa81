package db

import (
	"context"
	"slices"
)

// EmojiReaction is an account's reaction to a status with an emoji.
type EmojiReaction struct {
	ID        string `gorm:"primaryKey"` // flake
	AccountID string
	StatusID  string
	Emoji     string
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// ReactionCount is the number of accounts that reacted with an emoji.
type ReactionCount struct {
	Emoji string `json:"emoji"`
	Count int    `json:"count"`
}

// HoldStatus locks the row of a status until the transaction ends, so that
// later reads of it stay true. On SQLite a writing transaction is alone anyway.
func (d *DB) HoldStatus(ctx context.Context, id string) error {
	_, err := value[string](ctx, d.writing(), "status "+id, "SELECT id FROM statuses WHERE id = ?"+d.hold(), id)
	return err
}

// HoldStatuses locks the rows of statuses, in the order of their ids, until the
// transaction ends. Statuses that are gone are left out.
func (d *DB) HoldStatuses(ctx context.Context, ids ...string) error {
	if d.pool.dialect != Postgres || len(ids) == 0 {
		return nil
	}
	_, err := list[string](ctx, d, "hold statuses", "SELECT id FROM statuses WHERE id IN ? ORDER BY id"+d.hold(), ids)
	return err
}

// HoldOriginal locks the row of a status, or for a reblog that of the reblogged one, until
// the transaction ends, from its next statement on. A status that is gone is no error.
func (d *DB) HoldOriginal(ctx context.Context, id string) error {
	if d.pool.dialect != Postgres {
		return nil
	}
	return d.execLater(ctx, "hold status "+id, "SELECT id FROM statuses WHERE id = (SELECT COALESCE(reblog_of_id, id) FROM statuses WHERE id = ?)"+d.hold(), id)
}

// CreateReaction inserts r and counts it. It is false, without changes, if the
// reaction exists, or its account is deactivated: MarkDeleted waits for the
// account, which is held here. A status that is gone is ErrNotFound. An id is made
// once the status is held, so that no lower one is stored later.
func (d *DB) CreateReaction(ctx context.Context, r *EmojiReaction) (bool, error) {
	if err := d.HoldStatus(ctx, r.StatusID); err != nil {
		return false, err
	}
	if r.ID == "" {
		r.ID = d.NewID()
	}
	query := `INSERT INTO emoji_reactions (id, account_id, status_id, emoji, uri, created_at)
		SELECT CAST(? AS TEXT), a.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) FROM accounts a WHERE a.id = ? AND NOT a.deactivated`
	if d.pool.dialect == Postgres {
		query += " FOR KEY SHARE"
	}
	n, err := d.exec(ctx, "create reaction", query+" ON CONFLICT DO NOTHING", r.ID, r.StatusID, r.Emoji, r.URI, r.CreatedAt, r.AccountID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, d.countReaction(ctx, r.StatusID, r.Emoji, 1)
}

// Reaction returns an account's reaction to a status with an emoji.
func (d *DB) Reaction(ctx context.Context, accountID, statusID, emoji string) (*EmojiReaction, error) {
	return one[EmojiReaction](ctx, d, "reaction to "+statusID, "SELECT * FROM emoji_reactions WHERE status_id = ? AND account_id = ? AND emoji = ?", statusID, accountID, emoji)
}

// DeleteReaction removes a reaction and its notification. It is false if there
// was none.
func (d *DB) DeleteReaction(ctx context.Context, accountID, statusID, emoji string) (bool, error) {
	if err := d.HoldStatus(ctx, statusID); err != nil {
		return false, err
	}
	n, err := d.exec(ctx, "delete reaction", "DELETE FROM emoji_reactions WHERE status_id = ? AND account_id = ? AND emoji = ?", statusID, accountID, emoji)
	if err != nil || n == 0 {
		return false, err
	}
	if err := d.countReaction(ctx, statusID, emoji, -1); err != nil {
		return false, err
	}
	_, err = d.exec(ctx, "delete notification",
		"DELETE FROM notifications WHERE status_id = ? AND status_id <> '' AND type = ? AND from_id = ? AND emoji = ?", statusID, NotifyReaction, accountID, emoji)
	d.countsChanged(Everybody)
	return true, err
}

// countReaction updates the counts of the held status. A new emoji comes last;
// an unused one is removed.
func (d *DB) countReaction(ctx context.Context, statusID, emoji string, by int) error {
	counts, err := value[Slice[ReactionCount]](ctx, d.writing(), "reactions to "+statusID, "SELECT reactions FROM statuses WHERE id = ?", statusID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(counts, func(c ReactionCount) bool { return c.Emoji == emoji })
	if i < 0 {
		i = len(counts)
		counts = append(counts, ReactionCount{Emoji: emoji})
	}
	if counts[i].Count += by; counts[i].Count <= 0 {
		counts = slices.Delete(counts, i, i+1)
	}
	_, err = d.exec(ctx, "count reactions", "UPDATE statuses SET reactions = ? WHERE id = ?", counts, statusID)
	return err
}

// OwnReactions are the viewer's reactions to one status, and the number of
// reactions per emoji that do not count for the viewer.
type OwnReactions struct {
	Mine   map[string]bool
	Unseen map[string]int
}

// OwnReactions returns, by status, the viewer's own reactions, and those of
// accounts that the viewer blocks or mutes (v.WithMuted counts muted ones). It
// sends one statement, and a second if the viewer blocks or mutes anybody.
func (d *DB) OwnReactions(ctx context.Context, v Viewer, statusIDs []string) (map[string]OwnReactions, error) {
	if v.ID == "" || len(statusIDs) == 0 {
		return nil, nil
	}
	out := make(map[string]OwnReactions, len(statusIDs))
	of := func(id string) OwnReactions {
		own, ok := out[id]
		if !ok {
			own = OwnReactions{Mine: map[string]bool{}, Unseen: map[string]int{}}
			out[id] = own
		}
		return own
	}
	var q selection
	q.add(`SELECT e.status_id, e.emoji, 1 FROM emoji_reactions e WHERE e.status_id IN ? AND e.account_id = ?`, statusIDs, v.ID)
	err := d.eachReaction(ctx, &q, func(id, emoji string, _ int) { of(id).Mine[emoji] = true })
	if cond, args := v.ignored("e.account_id", d.Now()); err == nil && cond != "" {
		var q selection
		q.add(`SELECT e.status_id, e.emoji, COUNT(*) FROM emoji_reactions e WHERE e.status_id IN ? AND `+cond+` GROUP BY e.status_id, e.emoji`,
			append([]any{statusIDs}, args...)...)
		err = d.eachReaction(ctx, &q, func(id, emoji string, n int) { of(id).Unseen[emoji] = n })
	}
	return out, err
}

// ignored returns the condition that the viewer blocks or mutes an account; ""
// if the viewer does neither to anybody.
func (v Viewer) ignored(column string, now Time) (cond string, args []any) {
	if v.Relations.Blocks {
		cond, args = `EXISTS (SELECT 1 FROM blocks ib WHERE ib.account_id = ? AND ib.target_id = `+column+existsOnce+`)`, []any{v.ID}
	}
	if v.Relations.Mutes && !v.WithMuted {
		if cond != "" {
			cond += ` OR `
		}
		cond += `EXISTS (SELECT 1 FROM mutes im WHERE im.account_id = ? AND im.target_id = ` + column + ` AND (im.expires_at IS NULL OR im.expires_at > ?)` + existsOnce + `)`
		args = append(args, v.ID, now)
	}
	if cond != "" {
		cond = `(` + cond + `)`
	}
	return cond, args
}

func (d *DB) eachReaction(ctx context.Context, q *selection, each func(statusID, emoji string, n int)) error {
	rows, err := d.rows(ctx, q)
	if err != nil {
		return wrap(err, "reactions")
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			id, emoji string
			n         int
		)
		if err := rows.Scan(&id, &emoji, &n); err != nil {
			return wrap(err, "reactions")
		}
		each(id, emoji, n)
	}
	return wrap(rows.Err(), "reactions")
}

// The bounds of a list of reactors: accounts of each emoji, and of all.
const (
	reactorsOfEach = 80
	reactorsOfAll  = 1000
)

// Reactors returns the accounts that reacted to a status with an emoji, or with
// any for "": by emoji, earliest first, up to 80 of each and 1000 of all,
// without deactivated ones and those that the viewer blocks or mutes.
func (d *DB) Reactors(ctx context.Context, v Viewer, statusID, emoji string) (map[string][]AccountRef, error) {
	var q selection
	q.add(`SELECT x.emoji, a.id, a.version FROM (
		SELECT e.emoji, e.account_id, e.id, ROW_NUMBER() OVER (PARTITION BY e.emoji ORDER BY e.id) AS place
		FROM emoji_reactions e JOIN accounts b ON b.id = e.account_id WHERE e.status_id = ? AND NOT b.deactivated`+v.accounts("b"), statusID)
	if emoji != "" {
		q.add(` AND e.emoji = ?`, emoji)
	}
	if cond, args := v.ignored("e.account_id", d.Now()); cond != "" {
		q.add(` AND NOT `+cond, args...)
	}
	q.add(`) x JOIN accounts a ON a.id = x.account_id WHERE x.place <= ? ORDER BY x.place, x.id`+limit(reactorsOfAll, 0), reactorsOfEach)
	rows, err := d.rows(ctx, &q)
	if err != nil {
		return nil, wrap(err, "who reacted to %s", statusID)
	}
	defer func() { _ = rows.Close() }()
	out := map[string][]AccountRef{}
	for rows.Next() {
		var (
			with string
			by   AccountRef
		)
		if err := rows.Scan(&with, &by.ID, &by.Version); err != nil {
			return nil, wrap(err, "who reacted to %s", statusID)
		}
		out[with] = append(out[with], by)
	}
	return out, wrap(rows.Err(), "who reacted to %s", statusID)
}

// ReactionCounts returns the reactions to a status by emoji, earliest emoji
// first.
func (d *DB) ReactionCounts(ctx context.Context, statusID string) ([]ReactionCount, error) {
	return value[Slice[ReactionCount]](ctx, d, "status "+statusID, "SELECT reactions FROM statuses WHERE id = ?", statusID)
}

// Pinned counts an account's pinned statuses.
func (d *DB) Pinned(ctx context.Context, accountID string) (int, error) {
	return value[int](ctx, d, "pinned statuses of "+accountID, "SELECT COUNT(*) FROM statuses WHERE account_id = ? AND pinned_at IS NOT NULL", accountID)
}
