package db

import (
	"context"
	"fmt"
	"slices"
)

// Follow is a follow of one account by another, or a follow request while
// pending.
type Follow struct {
	FollowerID string `gorm:"primaryKey"`
	TargetID   string `gorm:"primaryKey"`
	ID         string // flake
	URI        string `gorm:"column:uri"`
	Pending    bool
	Reblogs    bool // show reblogs
	// Languages are those of the target's own statuses that the follower sees; none are all.
	Languages Slice[string]
	Local     bool // the follower is local
	// Uncounted follows are not among those that the follower counts: the target
	// is deactivated.
	Uncounted bool
	CreatedAt Time   `gorm:"autoCreateTime:false"`
	Host      string `gorm:"->"` // of the account elsewhere, as a trigger fills it; "" between local ones
}

// Narrowed reports whether the follower sees less than all of the target's statuses.
func (f *Follow) Narrowed() bool { return !f.Reblogs || len(f.Languages) > 0 }

// Block is one account blocking another.
type Block struct {
	AccountID string `gorm:"primaryKey"`
	TargetID  string `gorm:"primaryKey"`
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// Mute is one account muting another, until ExpiresAt when it is set.
type Mute struct {
	AccountID     string `gorm:"primaryKey"`
	TargetID      string `gorm:"primaryKey"`
	Notifications bool
	ExpiresAt     Time
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// ThreadMute silences a conversation for one account.
type ThreadMute struct {
	AccountID      string `gorm:"primaryKey"`
	ConversationID int64  `gorm:"primaryKey"`
	ExpiresAt      Time
	CreatedAt      Time `gorm:"autoCreateTime:false"`
}

// Favourite is an account's favourite of a status. Its id pages favourites.
type Favourite struct {
	AccountID string `gorm:"primaryKey"`
	StatusID  string `gorm:"primaryKey"`
	ID        string // flake
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// HoldAccounts locks the rows of accounts until the transaction ends, so that
// later reads of them stay true. On SQLite a writing transaction is alone
// anyway.
func (d *DB) HoldAccounts(ctx context.Context, ids ...string) error {
	return d.holdAccounts(ctx, ids, false)
}

// HoldFollows holds accounts that are hidden, shown or erased, and others with them,
// and for each up to limit accounts that it follows and up to limit of its followers,
// which CutLocalFollows and CountFollowing write. All are held at once, in their
// order. With erased, KeepAccounts waits too.
//
// It reports whether all of those are held. A follow may be new, or the transaction may
// have held other accounts before: then only the accounts themselves are held, and the
// rest needs a transaction of its own.
func (d *DB) HoldFollows(ctx context.Context, limit int, erased bool, accountIDs []string, others ...string) (whole bool, err error) {
	if d.pool.dialect != Postgres {
		return true, nil
	}
	ids := slices.Concat(accountIDs, others)
	if d.tx == nil || len(d.tx.held) == 0 {
		near, err := d.followedOrFollowing(ctx, accountIDs, limit)
		if err != nil {
			return false, err
		}
		ids = append(ids, near...)
	}
	if err := d.holdAccounts(ctx, ids, erased); err != nil {
		return false, err
	}
	near, err := d.followedOrFollowing(ctx, accountIDs, limit)
	return err == nil && !slices.ContainsFunc(near, func(id string) bool { return !d.holds(id) }), err
}

// followedOrFollowing returns for each account up to limit accounts that it follows,
// and up to limit of its followers.
func (d *DB) followedOrFollowing(ctx context.Context, accountIDs []string, limit int) (out []string, err error) {
	for _, id := range accountIDs {
		ids, err := list[string](ctx, d.writing(), "follows of "+id, "(SELECT target_id FROM follows WHERE follower_id = ? ORDER BY target_id LIMIT ?) UNION (SELECT follower_id FROM follows WHERE target_id = ? ORDER BY follower_id LIMIT ?)",
			id, limit, id, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, ids...)
	}
	return out, nil
}

// KeepAccounts makes the deletion of accounts wait until the transaction ends. If
// one of them is deactivated, it is ErrNotFound: it may be erased already.
func (d *DB) KeepAccounts(ctx context.Context, ids ...string) error {
	return d.active(ctx, d.keep(), ids)
}

// HoldActive is HoldAccounts and KeepAccounts in one statement.
func (d *DB) HoldActive(ctx context.Context, ids ...string) error {
	return d.active(ctx, d.hold(), ids)
}

func (d *DB) active(ctx context.Context, lock string, ids []string) error {
	kept, err := list[string](ctx, d.writing(), "keep accounts", "SELECT id FROM accounts WHERE id IN ? AND NOT deactivated ORDER BY id"+lock, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			return notFound("account %s", id)
		}
	}
	return nil
}

// Follow returns the follow of target by follower, pending or not.
func (d *DB) Follow(ctx context.Context, followerID, targetID string) (*Follow, error) {
	return one[Follow](ctx, d, fmt.Sprintf("follow of %s by %s", targetID, followerID), "SELECT * FROM follows WHERE follower_id = ? AND target_id = ?", followerID, targetID)
}

// CreateFollow inserts f and sets its id and time. An existing follow is
// ErrDuplicate.
func (d *DB) CreateFollow(ctx context.Context, f *Follow) error {
	if f.ID == "" {
		f.ID = d.NewID()
	}
	if f.CreatedAt.IsZero() {
		f.CreatedAt = d.Now()
	}
	if err := create(ctx, d, f, "follow %s", f.TargetID); err != nil {
		return err
	}
	d.countsChanged(f.TargetID)
	return d.followsChanged(ctx, f.FollowerID)
}

// UpdateFollow writes the named columns of f.
func (d *DB) UpdateFollow(ctx context.Context, f *Follow, columns ...string) error {
	err := d.writer(ctx).Model(&Follow{}).Where("follower_id = ? AND target_id = ?", f.FollowerID, f.TargetID).Select(columns).Updates(f).Error
	if err != nil {
		return wrap(err, "update follow of %s", f.TargetID)
	}
	d.countsChanged(f.TargetID)
	return d.Announce(ctx, AccountChanged, f.FollowerID)
}

// DeleteFollow removes f.
func (d *DB) DeleteFollow(ctx context.Context, f *Follow) error {
	if err := d.execLater(ctx, "delete follow", "DELETE FROM follows WHERE follower_id = ? AND target_id = ?", f.FollowerID, f.TargetID); err != nil {
		return err
	}
	d.countsChanged(f.TargetID)
	if !f.Narrowed() {
		return d.followsChanged(ctx, f.FollowerID)
	}
	return d.Announce(ctx, AccountChanged, f.FollowerID)
}

// Blocks reports whether an account blocks another.
func (d *DB) Blocks(ctx context.Context, accountID, targetID string) (bool, error) {
	return value[bool](ctx, d, "block of "+targetID, "SELECT EXISTS (SELECT 1 FROM blocks WHERE account_id = ? AND target_id = ?)", accountID, targetID)
}

// Block returns the block of target by account.
func (d *DB) Block(ctx context.Context, accountID, targetID string) (*Block, error) {
	return one[Block](ctx, d, fmt.Sprintf("block of %s by %s", targetID, accountID), "SELECT * FROM blocks WHERE account_id = ? AND target_id = ?", accountID, targetID)
}

// PutBlock inserts b and reports whether it is new; an existing one stays.
func (d *DB) PutBlock(ctx context.Context, b *Block) (bool, error) {
	n, err := d.exec(ctx, "block", `INSERT INTO blocks (account_id, target_id, uri, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		b.AccountID, b.TargetID, b.URI, b.CreatedAt)
	if err != nil || n == 0 {
		return false, err
	}
	return true, d.Announce(ctx, AccountChanged, b.AccountID)
}

// Favourite returns an account's favourite of a status.
func (d *DB) Favourite(ctx context.Context, accountID, statusID string) (*Favourite, error) {
	return one[Favourite](ctx, d, "favourite of "+statusID, "SELECT * FROM favourites WHERE account_id = ? AND status_id = ?", accountID, statusID)
}

// DeleteBlock removes a block; none is no error.
func (d *DB) DeleteBlock(ctx context.Context, accountID, targetID string) error {
	if _, err := d.exec(ctx, "unblock", "DELETE FROM blocks WHERE account_id = ? AND target_id = ?", accountID, targetID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// PutMute inserts m, or updates an existing one.
func (d *DB) PutMute(ctx context.Context, m *Mute) error {
	if _, err := d.exec(ctx, "mute", `INSERT INTO mutes (account_id, target_id, notifications, expires_at, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (account_id, target_id) DO UPDATE SET notifications = excluded.notifications, expires_at = excluded.expires_at`,
		m.AccountID, m.TargetID, m.Notifications, m.ExpiresAt, d.Now()); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, m.AccountID)
}

// DeleteMute removes a mute; none is no error.
func (d *DB) DeleteMute(ctx context.Context, accountID, targetID string) error {
	if _, err := d.exec(ctx, "unmute", "DELETE FROM mutes WHERE account_id = ? AND target_id = ?", accountID, targetID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// Relationship is the relation of one account to the account ID.
type Relationship struct {
	ID                  string
	Following           bool
	Requested           bool
	RequestedBy         bool
	ShowingReblogs      bool
	Notifying           bool
	FollowedBy          bool
	Blocking            bool
	BlockedBy           bool
	Muting              bool
	MutingNotifications bool
	DomainBlocking      bool
	Note                string
	Languages           Slice[string] // none are all
}

// Relationships returns the relations of an account to others, by their ids;
// unknown ids are left out.
func (d *DB) Relationships(ctx context.Context, accountID string, ids []string) (map[string]Relationship, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q selection
	q.add(`SELECT a.id,
		f.pending IS NOT NULL AND NOT f.pending AS following, COALESCE(f.pending, FALSE) AS requested,
		COALESCE(f.reblogs, FALSE) AS showing_reblogs,
		EXISTS (SELECT 1 FROM subscriptions u WHERE u.account_id = ? AND u.target_id = a.id) AS notifying,
		g.pending IS NOT NULL AND NOT g.pending AS followed_by, COALESCE(g.pending, FALSE) AS requested_by,
		b.account_id IS NOT NULL AS blocking, c.account_id IS NOT NULL AS blocked_by,
		m.account_id IS NOT NULL AS muting, COALESCE(m.notifications, FALSE) AS muting_notifications, COALESCE(n.comment, '') AS note,
		COALESCE(f.languages, '[]') AS languages,
		`, accountID)
	q.domainBlocked("a", accountID)
	q.add(` AS domain_blocking
		FROM accounts a
		LEFT JOIN follows f ON f.follower_id = ? AND f.target_id = a.id
		LEFT JOIN follows g ON g.follower_id = a.id AND g.target_id = ?
		LEFT JOIN blocks b ON b.account_id = ? AND b.target_id = a.id
		LEFT JOIN blocks c ON c.account_id = a.id AND c.target_id = ?
		LEFT JOIN mutes m ON m.account_id = ? AND m.target_id = a.id AND (m.expires_at IS NULL OR m.expires_at > ?)
		LEFT JOIN account_notes n ON n.account_id = ? AND n.target_id = a.id
		WHERE a.id IN ?`, accountID, accountID, accountID, accountID, accountID, d.Now(), accountID, ids)
	rows, err := list[Relationship](ctx, d, "relationships of "+accountID, q.sql.String(), q.args...)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Relationship, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, nil
}

// Followers returns a page of the followers of an account, by account id.
// Hidden followers are visible to the account alone.
func (d *DB) Followers(ctx context.Context, v Viewer, of *Account, p Page) ([]AccountRef, error) {
	if of.HideFollowers && v.ID != of.ID {
		return nil, nil
	}
	return d.related(ctx, "followers", "FROM follows x JOIN accounts a ON a.id = x.follower_id WHERE x.target_id = ? AND NOT x.pending"+v.accounts("a"), "x.follower_id", p, of.ID)
}

// Following returns a page of the accounts that an account follows, likewise.
func (d *DB) Following(ctx context.Context, v Viewer, of *Account, p Page) ([]AccountRef, error) {
	if of.HideFollows && v.ID != of.ID {
		return nil, nil
	}
	return d.related(ctx, "following", "FROM follows x JOIN accounts a ON a.id = x.target_id WHERE x.follower_id = ? AND NOT x.pending"+v.accounts("a"), "x.target_id", p, of.ID)
}

// FollowRequests returns a page of the accounts that request to follow an
// account, by account id.
func (d *DB) FollowRequests(ctx context.Context, accountID string, p Page) ([]AccountRef, error) {
	return d.related(ctx, "follow requests", "FROM follows x JOIN accounts a ON a.id = x.follower_id WHERE x.target_id = ? AND x.pending", "x.follower_id", p, accountID)
}

// Waiting returns up to limit accounts that request to follow an account, by id
// after the given one.
func (d *DB) Waiting(ctx context.Context, accountID, after string, limit int) ([]string, error) {
	return list[string](ctx, d, "those who wait for "+accountID,
		"SELECT follower_id FROM follows WHERE target_id = ? AND pending AND follower_id > ? ORDER BY follower_id LIMIT ?", accountID, after, limit)
}

// Blocked returns a page of the accounts that an account blocks, by account id.
func (d *DB) Blocked(ctx context.Context, accountID string, p Page) ([]AccountRef, error) {
	return d.related(ctx, "blocked", "FROM blocks x JOIN accounts a ON a.id = x.target_id WHERE x.account_id = ?", "x.target_id", p, accountID)
}

// Muted returns a page of the accounts that an account mutes, by account id.
func (d *DB) Muted(ctx context.Context, accountID string, p Page) ([]AccountRef, error) {
	return d.related(ctx, "muted", "FROM mutes x JOIN accounts a ON a.id = x.target_id WHERE x.account_id = ? AND (x.expires_at IS NULL OR x.expires_at > ?)",
		"x.target_id", p, accountID, d.Now())
}

// MuteEnds returns when an account's mutes of these accounts end, by account id. Mutes
// without an end are left out.
func (d *DB) MuteEnds(ctx context.Context, accountID string, muted []AccountRef) (map[string]Time, error) {
	out := make(map[string]Time)
	if len(muted) == 0 {
		return out, nil
	}
	ids := make([]string, len(muted))
	for i := range muted {
		ids[i] = muted[i].ID
	}
	rows, err := list[Mute](ctx, d, "ends of mutes", "SELECT * FROM mutes WHERE account_id = ? AND target_id IN ? AND expires_at IS NOT NULL", accountID, ids)
	for _, r := range rows {
		out[r.TargetID] = r.ExpiresAt
	}
	return out, err
}

func (d *DB) related(ctx context.Context, what, from, column string, p Page, args ...any) ([]AccountRef, error) {
	var q selection
	q.add("SELECT a.id, a.version "+from+" AND NOT a.deactivated", args...)
	cond, order, bounds := p.where(column)
	q.add(cond+order, bounds...)
	rows, err := d.accountRefs(ctx, &q, what)
	return newestFirst(p, rows), err
}

// CutLocalFollows removes up to limit of a deactivated account's follows of local
// accounts for good, updates the counters of all, and returns the number of
// follows. It reports whether there may be more.
func (d *DB) CutLocalFollows(ctx context.Context, accountID string, limit int) (cut int, more bool, err error) {
	follows, n, err := d.cutFollows(ctx, true, accountID, limit)
	counted := int64(0)
	for _, f := range follows {
		if !f.Pending && !f.Uncounted {
			counted++
		}
	}
	if err == nil && counted > 0 {
		err = d.AddCounts(ctx, accountID, Counts{Following: -counted})
	}
	return len(follows), n >= limit, err
}

// cutFollows ends up to limit follows by an account, by the other accounts, which
// are held first and no longer count it. n is how many were looked at. local ends
// those of local accounts, while it is deactivated.
func (d *DB) cutFollows(ctx context.Context, local bool, accountID string, limit int) (cut []Follow, n int, err error) {
	cond := ""
	if local {
		cond = "AND EXISTS (SELECT 1 FROM accounts t WHERE t.id = follows.target_id AND t.local)"
	}
	all, err := list[string](ctx, d, "follows of "+accountID, "SELECT target_id FROM follows WHERE follower_id = ? "+cond+" ORDER BY target_id LIMIT ?", accountID, limit)
	if err != nil || len(all) == 0 {
		return nil, 0, err
	}
	if err := d.HoldAccounts(ctx, append(slices.Clone(all), accountID)...); err != nil {
		return nil, 0, err
	}
	if local {
		if a, err := d.Account(ctx, accountID); err != nil || !a.Deactivated {
			return nil, 0, err
		}
	}
	these, args := among("follower_id", accountID, "target_id", all)
	if _, err := d.exec(ctx, "count followers", `UPDATE accounts SET followers_count = followers_count - 1
		WHERE followers_count > 0 AND id IN (SELECT target_id FROM follows WHERE `+these+` AND NOT pending)`, args...); err != nil {
		return nil, 0, err
	}
	d.countsChanged(all...)
	cut, err = list[Follow](ctx, d.writing(), "cut follows", "DELETE FROM follows WHERE "+these+" RETURNING *", args...)
	if err == nil {
		err = d.followsChanged(ctx, accountID)
	}
	return cut, len(all), err
}

// CountFollowing makes the next limit followers of an account, by id, count it
// if it is active, and not if it is deactivated. next is where to continue, ""
// at the end.
func (d *DB) CountFollowing(ctx context.Context, accountID, after string, limit int) (next string, err error) {
	ids, err := list[string](ctx, d, "followers of "+accountID, "SELECT follower_id FROM follows WHERE target_id = ? AND follower_id > ? ORDER BY follower_id LIMIT ?", accountID, after, limit)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	if len(ids) == limit {
		next = ids[len(ids)-1]
	}
	if err := d.HoldAccounts(ctx, append(slices.Clone(ids), accountID)...); err != nil {
		return "", err
	}
	a, err := d.Account(ctx, accountID)
	if err != nil {
		return "", err
	}
	by := 1
	if a.Deactivated {
		by = -1
	}
	these, args := among("target_id", accountID, "follower_id", ids)
	changed, err := list[string](ctx, d.writing(), "count follows", "UPDATE follows SET uncounted = ? WHERE "+these+" AND NOT pending AND uncounted <> ? RETURNING follower_id",
		slices.Concat([]any{a.Deactivated}, args, []any{a.Deactivated})...)
	if err != nil || len(changed) == 0 {
		return next, err
	}
	d.countsChanged(changed...)
	return next, d.addFollowing(ctx, changed, by)
}

// addFollowing changes the following counters of accounts that are held.
func (d *DB) addFollowing(ctx context.Context, ids []string, by int) error {
	_, err := d.exec(ctx, "count following", "UPDATE accounts SET following_count = CASE WHEN following_count + ? < 0 THEN 0 ELSE following_count + ? END WHERE id IN ?", by, by, ids)
	return err
}
