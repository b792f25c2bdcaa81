package db

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Participation is the part of a local account in a thread of direct statuses,
// in its list of conversations.
type Participation struct {
	ID             int64 `gorm:"primaryKey;autoIncrement"`
	AccountID      string
	ConversationID int64
	Unread         bool
	Recipients     string // account ids, sorted, with a space between them
	LastStatusID   string // "" when no direct status is left
	// ShownID is the newest direct status that the participant may and wants to
	// see, if it was read along; "" for none.
	ShownID string `gorm:"-"`
}

// RecipientIDs are the recipients of a reply, including the participant.
func (p *Participation) RecipientIDs() []string { return strings.Fields(p.Recipients) }

// recipientsKey is the stored form of a set of accounts.
func recipientsKey(ids []string) string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " ")
}

// AddToParticipations adds a new direct status to the participation of each
// local author and recipient. It counts as unread for recipients who block none
// of the other participants. A new participation has all participants as its
// recipients; existing ones keep theirs. addressed and local are ids without
// the author's.
func (d *DB) AddToParticipations(ctx context.Context, s *Status, authorLocal bool, addressed, local []string) error {
	everybody := append(slices.Clone(addressed), s.AccountID)
	parts := slices.Clone(local)
	if authorLocal {
		parts = append(parts, s.AccountID)
	}
	if len(parts) == 0 {
		return nil
	}
	// In the order of ids, so that two statuses in one thread do not deadlock.
	rows, err := list[Participation](ctx, d.writing(), "participate", `INSERT INTO participations (account_id, conversation_id, unread, recipients, last_status_id)
		SELECT a.id, CAST(? AS BIGINT), a.id <> ? AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = a.id AND b.target_id IN ?),
			CAST(? AS TEXT), CAST(? AS TEXT)
		FROM accounts a WHERE a.id IN ? ORDER BY a.id
		ON CONFLICT (account_id, conversation_id) DO UPDATE SET
			last_status_id = CASE WHEN excluded.last_status_id > participations.last_status_id THEN excluded.last_status_id ELSE participations.last_status_id END,
			unread = CASE WHEN excluded.account_id = ? THEN FALSE ELSE participations.unread OR excluded.unread END
		RETURNING id, account_id`,
		*s.ConversationID, s.AccountID, everybody, recipientsKey(everybody), s.ID, parts, s.AccountID)
	if err != nil {
		return err
	}
	d.countsChanged(parts...)
	for _, p := range rows {
		if err := d.Emit(ctx, Event{Kind: EventConversation, Subject: strconv.FormatInt(p.ID, 10), AccountID: p.AccountID}); err != nil {
			return err
		}
	}
	// Every writer of these rows holds the same participations first.
	_, err = d.exec(ctx, "know participants", `INSERT INTO participation_accounts (participation_id, account_id)
		SELECT p.id, a.id FROM participations p JOIN accounts a ON a.id IN ?
		WHERE p.conversation_id = ? AND p.account_id IN ? ON CONFLICT DO NOTHING`,
		everybody, *s.ConversationID, parts)
	return err
}

// RemoveFromParticipations removes a deleted direct status from the
// participations where it was the newest. A participation that is left without
// statuses counts as read.
func (d *DB) RemoveFromParticipations(ctx context.Context, s *Status) error {
	if s.ConversationID == nil || s.Visibility != Direct {
		return nil
	}
	if _, err := d.exec(ctx, "forsake", `UPDATE participations SET last_status_id = COALESCE((
			SELECT l.id FROM statuses l WHERE l.conversation_id = participations.conversation_id AND l.visibility = 'direct'
			AND (l.account_id = participations.account_id
				OR EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = l.id AND r.account_id = participations.account_id))
			ORDER BY l.id DESC LIMIT 1), '')
		WHERE last_status_id = ?`, s.ID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "read what is gone", "UPDATE participations SET unread = FALSE WHERE conversation_id = ? AND last_status_id = '' AND unread",
		*s.ConversationID)
	d.countsChanged(Everybody)
	return err
}

// lastShown selects the newest direct status of p that its participant may and
// wants to see: not by a deactivated account, and not by or to accounts they
// block, except their own statuses.
func (q *selection) lastShown(v Viewer) {
	q.add(`(SELECT l.id FROM statuses l JOIN accounts la ON la.id = l.account_id
		WHERE l.conversation_id = p.conversation_id AND l.visibility = 'direct' AND l.id <= p.last_status_id
		AND NOT la.deactivated AND NOT la.invisible
		AND (l.account_id = ? OR EXISTS (SELECT 1 FROM status_recipients lr WHERE lr.status_id = l.id AND lr.account_id = ?))`, v.ID, v.ID)
	if v.Relations.Blocks {
		q.add(` AND (l.account_id = ? OR NOT EXISTS (SELECT 1 FROM blocks lb WHERE lb.account_id = ? AND (lb.target_id = l.account_id
			OR EXISTS (SELECT 1 FROM status_recipients lr WHERE lr.status_id = l.id AND lr.account_id = lb.target_id))))`, v.ID, v.ID)
	}
	q.add(` ORDER BY l.id DESC LIMIT 1)`)
}

// ParticipationFilter narrows a list of participations.
type ParticipationFilter struct {
	Recipients []string // exactly these and the viewer; nil is any
	IDs        []int64  // only these; nil is any
}

// Participations returns a page of the viewer's participations, newest status
// first. The bounds of the page are ids of participations and stand for their
// places in that order; an id of another account bounds an empty page.
// Participations without a visible status are left out.
func (d *DB) Participations(ctx context.Context, v Viewer, f ParticipationFilter, p Page) ([]Participation, error) {
	q := &selection{}
	q.add(`SELECT x.id, x.conversation_id, x.unread, x.recipients, x.last_status_id, x.shown_id FROM (
		SELECT p.id, p.conversation_id, p.unread, p.recipients, p.last_status_id, `)
	q.lastShown(v)
	q.add(` AS shown_id FROM participations p WHERE p.account_id = ? AND p.last_status_id <> ''`, v.ID)
	if f.Recipients != nil {
		q.add(` AND p.recipients = ?`, recipientsKey(append(slices.Clone(f.Recipients), v.ID)))
	}
	if f.IDs != nil {
		q.add(` AND p.id IN (NULL`)
		for _, id := range f.IDs {
			q.add(`, ?`, id)
		}
		q.add(`)`)
	}
	for _, b := range []struct{ op, id string }{{"<", p.MaxID}, {">", p.SinceID}, {">", p.MinID}} {
		if b.id != "" {
			q.add(` AND p.last_status_id `+b.op+` (SELECT c.last_status_id FROM participations c WHERE c.id = CAST(? AS BIGINT) AND c.account_id = ?)`, b.id, v.ID)
		}
	}
	q.add(`) x WHERE x.shown_id IS NOT NULL`)
	_, order, _ := Page{MinID: p.MinID, Limit: p.Limit}.where("x.last_status_id")
	q.add(order)
	out, err := read(ctx, d, "conversations of "+v.ID, v.participation, q.sql.String(), q.args...)
	return newestFirst(p, out), err
}

// Participation returns one of the viewer's participations with its visible
// status, if any. One of another account is ErrNotFound.
func (d *DB) Participation(ctx context.Context, v Viewer, id int64) (*Participation, error) {
	q := &selection{}
	q.add(`SELECT p.id, p.conversation_id, p.unread, p.recipients, p.last_status_id, COALESCE(`)
	q.lastShown(v)
	q.add(`, '') FROM participations p WHERE p.id = ? AND p.account_id = ?`, id, v.ID)
	what := fmt.Sprintf("conversation %d", id)
	rows, err := read(ctx, d, what, v.participation, q.sql.String(), q.args...)
	return firstOf(rows, err, what)
}

func (v Viewer) participation(rows *sql.Rows, c *Participation) error {
	c.AccountID = v.ID
	return rows.Scan(&c.ID, &c.ConversationID, &c.Unread, &c.Recipients, &c.LastStatusID, &c.ShownID)
}

// ParticipationOf returns the participation of an account that a direct status
// belongs to; 0 if there is none.
func (d *DB) ParticipationOf(ctx context.Context, accountID, statusID string) (int64, error) {
	ids, err := list[int64](ctx, d, "conversation of status "+statusID, `SELECT p.id FROM statuses s JOIN participations p ON p.conversation_id = s.conversation_id AND p.account_id = ?
		WHERE s.id = ? AND s.visibility = 'direct'`, accountID, statusID)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// Participants returns, by participation, the authors and recipients of its
// visible statuses.
func (d *DB) Participants(ctx context.Context, ids []int64) (map[int64][]string, error) {
	out := make(map[int64][]string, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	type participant struct {
		ParticipationID int64
		AccountID       string
	}
	rows, err := list[participant](ctx, d, "participants", "SELECT participation_id, account_id FROM participation_accounts WHERE participation_id IN ? ORDER BY participation_id, account_id", ids)
	for _, r := range rows {
		out[r.ParticipationID] = append(out[r.ParticipationID], r.AccountID)
	}
	return out, err
}

// ConversationStatuses returns a page of a thread's statuses that the viewer
// may and wants to see, newest first.
func (d *DB) ConversationStatuses(ctx context.Context, v Viewer, conversationID int64, p Page) ([]StatusRef, error) {
	q := d.refsFor(v)
	q.add(` FROM statuses s`+refJoins+` WHERE s.conversation_id = ? AND s.reblog_of_id IS NULL`, conversationID)
	q.seen(v)
	q.unwanted(v, false, "")
	return d.page(ctx, q, p, "s.id", "statuses of a conversation")
}

// ReadParticipation marks a participation of an account as read.
func (d *DB) ReadParticipation(ctx context.Context, accountID string, id int64) error {
	n, err := d.exec(ctx, "read conversation", "UPDATE participations SET unread = FALSE WHERE id = ? AND account_id = ?", id, accountID)
	if err == nil && n == 0 {
		err = notFound("conversation %d", id)
	}
	d.countsChanged(accountID)
	return err
}

// ReadParticipations marks all participations of an account as read, or with
// withID those that this account takes part in. It returns those that were
// unread, the newest first, without the statuses to show.
func (d *DB) ReadParticipations(ctx context.Context, accountID, withID string) ([]Participation, error) {
	query, args := "UPDATE participations SET unread = FALSE WHERE account_id = ? AND unread", []any{accountID}
	if withID != "" {
		query += " AND EXISTS (SELECT 1 FROM participation_accounts x WHERE x.participation_id = participations.id AND x.account_id = ?)"
		args = append(args, withID)
	}
	read, err := list[Participation](ctx, d.writing(), "read conversations", query+" RETURNING *", args...)
	slices.SortFunc(read, func(a, b Participation) int { return strings.Compare(b.LastStatusID, a.LastStatusID) })
	d.countsChanged(accountID)
	return read, err
}

// SetRecipients changes the recipients of an account's replies in a thread.
func (d *DB) SetRecipients(ctx context.Context, accountID string, id int64, recipients []string) error {
	n, err := d.exec(ctx, "set recipients", "UPDATE participations SET recipients = ? WHERE id = ? AND account_id = ?",
		recipientsKey(append(slices.Clone(recipients), accountID)), id, accountID)
	if err == nil && n == 0 {
		err = notFound("conversation %d", id)
	}
	return err
}

// DeleteParticipation removes a participation. The next direct status of the
// thread begins a new one.
func (d *DB) DeleteParticipation(ctx context.Context, accountID string, id int64) error {
	n, err := d.exec(ctx, "delete conversation", "DELETE FROM participations WHERE id = ? AND account_id = ?", id, accountID)
	if err == nil && n == 0 {
		err = notFound("conversation %d", id)
	}
	if err != nil {
		return err
	}
	d.countsChanged(accountID)
	_, err = d.exec(ctx, "delete participants", "DELETE FROM participation_accounts WHERE participation_id = ?", id)
	return err
}
