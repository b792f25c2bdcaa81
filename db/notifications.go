package db

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// The kinds of notification that exist so far.
const (
	NotifyMention       = "mention"
	NotifyFollow        = "follow"
	NotifyFollowRequest = "follow_request"
	NotifyReblog        = "reblog"
	NotifyFavourite     = "favourite"
	NotifyUpdate        = "update" // an edit of a status that one reblogged
	NotifyMove          = "move"
	NotifyReaction      = "svc:emoji_reaction"
	NotifyChat          = "svc:chat_mention"
	NotifyReport        = "svc:report"
	NotifyStatus        = "status" // a post of an account that one follows with notify
	NotifyPoll          = "poll"   // the end of a poll
	NotifySignUp        = "admin.sign_up"
	// NotifyAdminReport is a report without what only the admin API shows: rows have
	// NotifyReport.
	NotifyAdminReport = "admin.report"
)

// Notification tells an account about an act of another.
type Notification struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	Type      string
	FromID    string
	StatusID  string // "" when it is about no status
	ReportID  string
	Emoji     string // of a reaction
	MessageID string // of a chat
	TargetID  string // where FromID moved
	Seen      bool
	Hidden    bool
	CreatedAt Time `gorm:"autoCreateTime:false"`
	// FromVersion is the version of the sender's account if it was read along, else
	// 0.
	FromVersion int64 `gorm:"-"`
}

// News is an act of From that others are notified of.
type News struct {
	Type         string
	From         *Account
	StatusID     string
	ReportID     string
	Emoji        string // of a reaction
	MessageID    string // of a chat
	TargetID     string // where From moved
	Conversation *int64 // of the status, for accounts that mute the thread
	Text         string // of another's status, in plain text, for the recipients' filters
	To           []string
	Always       bool // also to recipients who block strangers' notifications
	Seen         bool // as one that was seen already
}

// Notify writes a notification for each local and active account of To, in one
// statement. An account that blocks From or their domain, mutes them with
// notifications, or mutes the thread, gets a hidden one; an account that only
// mutes them gets a seen one. A repeated notification is not written again. It
// returns the pushes of unseen ones, which the caller enqueues.
func (d *DB) Notify(ctx context.Context, n News) ([]Push, error) {
	now := d.Now()
	if n.Type == NotifyFollow || n.Type == NotifyFollowRequest {
		if err := d.forgetFollows(ctx, n); err != nil {
			return nil, err
		}
	}
	if n.Type == NotifyUpdate || n.Type == NotifyPoll {
		if err := d.forgetOlder(ctx, n); err != nil {
			return nil, err
		}
	}
	seen := "q.hidden OR q.muted"
	if n.Seen {
		seen = "TRUE"
	}
	var q selection
	q.add(`INSERT INTO notifications (account_id, type, from_id, status_id, report_id, emoji, message_id, target_id, seen, hidden, created_at)
		SELECT q.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), `+seen+`, q.hidden, CAST(? AS BIGINT)
		FROM (SELECT a.id,
			EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = a.id AND m.target_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)) AS muted,
			EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = a.id AND b.target_id = ?)
			OR EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = a.id AND m.target_id = ? AND m.notifications AND (m.expires_at IS NULL OR m.expires_at > ?))`,
		n.Type, n.From.ID, n.StatusID, n.ReportID, n.Emoji, n.MessageID, n.TargetID, now, n.From.ID, now, n.From.ID, n.From.ID, now)
	if n.Conversation != nil {
		q.add(` OR EXISTS (SELECT 1 FROM thread_mutes t WHERE t.account_id = a.id AND t.conversation_id = ? AND (t.expires_at IS NULL OR t.expires_at > ?))`,
			*n.Conversation, now)
	}
	if n.From.Domain != "" {
		q.add(` OR EXISTS (SELECT 1 FROM domain_blocks d WHERE d.account_id = a.id AND d.domain IN ?)
			AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = a.id AND f.target_id = ? AND NOT f.pending)`, domainPatterns(n.From.Domain), n.From.ID)
	}
	q.add(` AS hidden FROM accounts a LEFT JOIN users u ON u.account_id = a.id
		WHERE a.id IN ? AND a.local AND NOT a.deactivated`, n.To)
	if !n.Always {
		q.add(` AND (NOT COALESCE(u.block_from_strangers, FALSE)
			OR EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = ? AND f.target_id = a.id AND NOT f.pending))`, n.From.ID)
	}
	q.add(`) q WHERE TRUE`)
	if len(n.To) > 1 {
		q.add(` ORDER BY q.id`) // numbers that do not hang on the planner
	}
	q.add(` ON CONFLICT DO NOTHING RETURNING id, account_id, hidden, seen,
		EXISTS (SELECT 1 FROM push_subscriptions p WHERE p.account_id = notifications.account_id) AS subscribed`)
	type row struct {
		Notification
		Subscribed bool
	}
	added, err := list[row](ctx, d.writing(), "notify", q.sql.String(), q.args...)
	if err != nil {
		return nil, err
	}
	d.countsChanged(n.To...)
	var pushed []Notification
	for i := range added {
		row := &added[i]
		if row.Hidden {
			continue
		}
		if err := d.Emit(ctx, Event{Kind: EventNotification, Subject: strconv.FormatInt(row.ID, 10), AccountID: row.AccountID}); err != nil {
			return nil, err
		}
		if row.Subscribed && !row.Seen {
			pushed = append(pushed, row.Notification)
		}
	}
	return d.pushes(ctx, n.Type, pushed)
}

// newest is how many notifications back a follow counts as a repetition.
const newest = 20

// forgetFollows removes an old notification of a follow by the same account, so
// that the follow is notified again.
func (d *DB) forgetFollows(ctx context.Context, n News) error {
	for _, id := range n.To {
		if err := d.execLater(ctx, "forget follow", `DELETE FROM notifications WHERE account_id = ? AND type = ? AND from_id = ?
			AND id < (SELECT id FROM notifications WHERE account_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
			id, n.Type, n.From.ID, id, newest-1); err != nil {
			return err
		}
	}
	return nil
}

// forgetOlder removes the notifications of earlier edits of a status, or of a former end
// of its poll, so that the newest is notified.
func (d *DB) forgetOlder(ctx context.Context, n News) error {
	return d.execLater(ctx, "forget older news", "DELETE FROM notifications WHERE status_id = ? AND status_id <> '' AND type = ? AND account_id IN ?", n.StatusID, n.Type, n.To)
}

// NotificationFilter narrows a list of notifications.
type NotificationFilter struct {
	Types               []string // only these; nil is all but those that must be asked for
	FromID              string
	ExcludeVisibilities []string // of the status, where there is one
	IDs                 []int64  // only these
	WithMuted           bool
}

// usual leaves out the types that must be asked for. It must match the
// condition of an index word by word.
const usual = ` AND n.type <> 'svc:chat_mention' AND n.type <> 'svc:report' AND n.type <> 'admin.sign_up'`

// Lists reports whether notifications of a type may be listed to the viewer: those of
// reports and sign-ups are for whoever may read these.
func (v Viewer) Lists(kind string) bool {
	return (kind != NotifyReport || v.Reports) && (kind != NotifySignUp || v.SignUps)
}

// permit leaves out the types that may not be listed to the viewer, and reports whether
// one is left.
func (f *NotificationFilter) permit(v Viewer) bool {
	if f.Types != nil {
		f.Types = slices.DeleteFunc(slices.Clone(f.Types), func(kind string) bool { return !v.Lists(kind) })
	}
	return f.Types == nil || len(f.Types) > 0
}

// CountUnread counts the notifications that Notifications lists, that are unseen and
// newer than the marker, up to most.
func (d *DB) CountUnread(ctx context.Context, v Viewer, f NotificationFilter, most int) (int, error) {
	if !f.permit(v) {
		return 0, nil
	}
	markers, err := list[string](ctx, d, "marker of "+v.ID, "SELECT last_read_id FROM markers WHERE account_id = ? AND timeline = ?", v.ID, MarkNotifications)
	if err != nil {
		return 0, err
	}
	read := int64(0)
	for _, id := range markers {
		read, _ = strconv.ParseInt(id, 10, 64) // apps may have stored another id: then nothing is read
	}
	var q selection
	q.add(`SELECT COUNT(*) FROM (`)
	q.notifications(v, f, d.Now(), false)
	if f.Types == nil {
		q.add(usual)
	} else {
		q.add(` AND n.type IN ?`, f.Types)
	}
	q.add(` AND NOT n.seen AND n.id > ?`+limit(int64(most), 0)+`) pg`, read)
	return value[int](ctx, d, "count of the notifications of "+v.ID, q.sql.String(), q.args...)
}

// Notifications returns a page of the viewer's notifications, newest first,
// without those from deactivated accounts and from accounts that the viewer has
// since blocked or muted, and those of reports for a viewer who may not read
// reports. The bounds of the page must be integers.
func (d *DB) Notifications(ctx context.Context, v Viewer, f NotificationFilter, p Page) ([]Notification, error) {
	if !f.permit(v) {
		return nil, nil
	}
	if d.tx == nil && f.IDs == nil && !v.Relations.DomainBlocks && d.pool.facts.current() {
		return d.filledNotifications(ctx, v, f, p)
	}
	out, err := d.readNotifications(ctx, v, f, p, false)
	return newestFirst(p, out), err
}

// filledNotifications is Notifications with senders left to facts: it reads on until the
// page is full or the list ends.
func (d *DB) filledNotifications(ctx context.Context, v Viewer, f NotificationFilter, p Page) ([]Notification, error) {
	out := []Notification{}
	for step := p; ; step.Limit = min(4*step.Limit, windowSize) {
		rows, err := d.readNotifications(ctx, v, f, step, true)
		if err != nil {
			return nil, err
		}
		senders := make(map[string]bool, len(rows))
		for i := range rows {
			senders[rows[i].FromID] = true
		}
		known, err := d.people(ctx, v.ID, senders, nil)
		if err != nil {
			return nil, err
		}
		read, last := len(rows), ""
		if read > 0 {
			last = strconv.FormatInt(rows[read-1].ID, 10)
		}
		rows = slices.DeleteFunc(rows, func(n Notification) bool {
			sender, ok := known.authors[n.FromID]
			return !ok || sender.deactivated
		})
		for i := range rows {
			rows[i].FromVersion = known.authors[rows[i].FromID].version
		}
		out = append(out, rows...)
		switch {
		case len(out) >= p.Limit:
			return newestFirst(p, out[:p.Limit]), nil
		case read < step.Limit:
			return newestFirst(p, out), nil
		case p.MinID != "":
			step.MinID = last
		default:
			step.MaxID = last
		}
	}
}

// readNotifications reads a page in the order in which it is read. byFacts leaves senders
// to facts.
func (d *DB) readNotifications(ctx context.Context, v Viewer, f NotificationFilter, p Page, byFacts bool) ([]Notification, error) {
	var q, narrow selection
	for _, b := range []struct{ op, id string }{{"<", p.MaxID}, {">", p.SinceID}, {">", p.MinID}} {
		if b.id == "" {
			continue
		}
		id, err := strconv.ParseInt(b.id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("notification %q: %w", b.id, err)
		}
		narrow.add(" AND n.id "+b.op+" ?", id)
	}
	order := " ORDER BY %sid DESC" + limit(int64(p.Limit), 0)
	if p.MinID != "" {
		order = " ORDER BY %sid" + limit(int64(p.Limit), 0)
	}
	one := func(kinds string, args ...any) {
		q.notifications(v, f, d.Now(), byFacts)
		q.add(kinds, args...)
		q.add(narrow.sql.String(), narrow.args...)
		q.add(fmt.Sprintf(order, "n."))
	}
	switch {
	case f.Types == nil:
		one(usual)
	case len(f.Types) == 1:
		one(` AND n.type = ?`, f.Types[0])
	case f.FromID != "" || f.IDs != nil:
		one(` AND n.type IN ?`, f.Types)
	default:
		// One page of each type, merged: rare types are not searched among all
		// notifications.
		for i, kind := range f.Types {
			if i > 0 {
				q.add(` UNION ALL `)
			}
			q.add(`SELECT * FROM (`)
			one(` AND n.type = ?`, kind)
			q.add(`) k` + strconv.Itoa(i))
		}
		q.add(fmt.Sprintf(order, ""))
	}
	cells := func(n *Notification) []any {
		return []any{&n.ID, &n.Type, &n.FromID, &n.StatusID, &n.ReportID, &n.Emoji, &n.MessageID, &n.TargetID,
			&n.Seen, &n.Hidden, &n.CreatedAt, &n.FromVersion}
	}
	out, err := scanAll(ctx, d, "notifications of "+v.ID, cells, q.sql.String(), q.args...)
	for i := range out {
		out[i].AccountID = v.ID
	}
	return out, err
}

// notifications begins a statement for the notifications visible to the viewer. byFacts
// leaves it to facts whether their senders are there.
func (q *selection) notifications(v Viewer, f NotificationFilter, now Time, byFacts bool) {
	const columns = `SELECT n.id, n.type, n.from_id, n.status_id, n.report_id, n.emoji, n.message_id, n.target_id, n.seen, n.hidden, n.created_at, `
	if byFacts {
		q.add(columns+`0 FROM notifications n WHERE n.account_id = ?`, v.ID)
	} else {
		q.add(columns+`a.version FROM notifications n JOIN accounts a ON a.id = n.from_id WHERE n.account_id = ? AND NOT a.deactivated`, v.ID)
	}
	if !f.WithMuted {
		q.add(` AND NOT n.hidden`)
	}
	if v.Relations.Blocks {
		q.add(` AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = ? AND b.target_id = n.from_id)`, v.ID)
	}
	if v.Relations.Mutes && !f.WithMuted {
		q.add(` AND NOT EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = ? AND m.target_id = n.from_id AND m.notifications AND (m.expires_at IS NULL OR m.expires_at > ?))`, v.ID, now)
	}
	if v.Relations.DomainBlocks {
		q.add(` AND NOT (`)
		q.domainBlocked("a", v.ID)
		q.add(` AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = ? AND f.target_id = a.id AND NOT f.pending))`, v.ID)
	}
	if f.FromID != "" {
		q.add(` AND n.from_id = ?`, f.FromID)
	}
	if len(f.ExcludeVisibilities) > 0 {
		q.add(` AND NOT EXISTS (SELECT 1 FROM statuses s WHERE s.id = n.status_id AND s.visibility IN ?)`, f.ExcludeVisibilities)
	}
	if f.IDs != nil {
		q.add(` AND n.id IN (`)
		for i, id := range f.IDs {
			if i > 0 {
				q.add(`,`)
			}
			q.add(`?`, id)
		}
		q.add(`)`)
	}
}

// Notification returns one of the viewer's notifications that are listed.
func (d *DB) Notification(ctx context.Context, v Viewer, id int64) (*Notification, error) {
	n, err := one[Notification](ctx, d, fmt.Sprintf("notification %d", id), "SELECT * FROM notifications WHERE id = ? AND account_id = ? AND NOT hidden", id, v.ID)
	if err == nil && !v.Lists(n.Type) {
		return nil, notFound("notification %d", id)
	}
	return n, err
}

// DeleteNotifications removes an account's notifications with these ids, and
// returns their number.
func (d *DB) DeleteNotifications(ctx context.Context, accountID string, ids ...int64) (int64, error) {
	var removed int64
	for some := range slices.Chunk(ids, manyAtOnce) {
		these, args := among("account_id", accountID, "id", some)
		n, err := d.exec(ctx, "delete notifications", "DELETE FROM notifications WHERE "+d.inOrder("notifications", "id", these, 0), args...)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	d.countsChanged(accountID)
	return removed, nil
}

// DeleteNotificationsAbout removes an account's notifications about these
// statuses.
func (d *DB) DeleteNotificationsAbout(ctx context.Context, accountID string, statusIDs []string) error {
	for some := range slices.Chunk(statusIDs, manyAtOnce) {
		_, err := d.exec(ctx, "delete notifications", "DELETE FROM notifications WHERE account_id = ? AND status_id IN ? AND status_id <> ''", accountID, some)
		if err != nil {
			return err
		}
	}
	d.countsChanged(accountID)
	return nil
}

// forgetReports removes an account's notifications of reports.
func (d *DB) forgetReports(ctx context.Context, accountID string) error {
	_, err := d.exec(ctx, "forget reports", "DELETE FROM notifications WHERE account_id = ? AND type = ?", accountID, NotifyReport)
	d.countsChanged(accountID)
	return err
}

// ClearNotifications removes the newest limit notifications of an account up to
// one. next is where to continue, 0 at the end.
func (d *DB) ClearNotifications(ctx context.Context, accountID string, upTo int64, limit int) (next int64, err error) {
	ids, err := list[int64](ctx, d.writing(), "notifications of "+accountID, "SELECT id FROM notifications WHERE account_id = ? AND id <= ? ORDER BY id DESC LIMIT ?", accountID, upTo, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if len(ids) == limit {
		next = ids[limit-1] - 1
	}
	_, err = d.DeleteNotifications(ctx, accountID, ids...)
	return next, err
}

// SeeNotification marks one notification of an account as seen.
func (d *DB) SeeNotification(ctx context.Context, accountID string, id int64) error {
	return d.Tx(ctx, func(tx *DB) error {
		n, err := tx.exec(ctx, "see notification", "UPDATE notifications SET seen = TRUE WHERE account_id = ? AND id = ?", accountID, id)
		if err == nil && n == 0 {
			err = notFound("notification %d", id)
		}
		if err != nil {
			return err
		}
		tx.countsChanged(accountID)
		return tx.followSeen(ctx, accountID, id)
	})
}

// SeeNotifications marks the newest limit of an account's unseen notifications up
// to one as seen, and returns them, newest first.
func (d *DB) SeeNotifications(ctx context.Context, accountID string, upTo int64, limit int) ([]int64, error) {
	ids, err := list[int64](ctx, d.writing(), "unseen notifications of "+accountID, "SELECT id FROM notifications WHERE account_id = ? AND id <= ? AND NOT seen ORDER BY id DESC LIMIT ?",
		accountID, upTo, limit)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if err := d.seeNotifications(ctx, accountID, ids); err != nil {
		return nil, err
	}
	return ids, d.followSeen(ctx, accountID, ids[0])
}

// seeNotifications marks these of an account's notifications as seen.
func (d *DB) seeNotifications(ctx context.Context, accountID string, ids []int64) error {
	these, args := among("account_id", accountID, "id", ids)
	_, err := d.exec(ctx, "see notifications", "UPDATE notifications SET seen = TRUE WHERE "+d.inOrder("notifications", "id", these, 0), args...)
	if err == nil {
		d.countsChanged(accountID)
	}
	return err
}

// DeleteFollowRequestNotification removes the notification of a follow request.
func (d *DB) DeleteFollowRequestNotification(ctx context.Context, targetID, fromID string) error {
	_, err := d.exec(ctx, "delete notification",
		"DELETE FROM notifications WHERE account_id = ? AND type = ? AND from_id = ?", targetID, NotifyFollowRequest, fromID)
	d.countsChanged(targetID)
	return err
}

// FollowRequestAccepted turns the notification of a follow request into one of
// a follow.
func (d *DB) FollowRequestAccepted(ctx context.Context, targetID, fromID string) error {
	if _, err := d.exec(ctx, "delete notification",
		"DELETE FROM notifications WHERE account_id = ? AND type = ? AND from_id = ?", targetID, NotifyFollow, fromID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "change notification", "UPDATE notifications SET type = ? WHERE account_id = ? AND type = ? AND from_id = ?",
		NotifyFollow, targetID, NotifyFollowRequest, fromID)
	d.countsChanged(targetID)
	return err
}
