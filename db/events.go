package db

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The kinds of events, apart from notices (Announce).
const (
	EventStatus        = "status"         // a new status or reblog; subject is its id, data may be FollowersLater
	EventHome          = "home"           // it reached home timelines of followers later; data is a HomeRange
	EventStatusEdited  = "status.edited"  // subject is its id
	EventStatusDeleted = "status.deleted" // subject is its id, data a GoneStatus
	EventNotification  = "notification"   // subject is its id; of the account
	EventConversation  = "conversation"   // subject is its id; of the account
	EventChat          = "chat"           // a message came, was read or was removed; subject is the chat's id; of the account
	EventRelationship  = "relationship"   // the account follows, or no longer follows, the subject; data is a state
	EventFilters       = "filters"        // the account changed its filters
	EventAnnouncement  = "announcement"   // a new or changed one is shown; subject is its id
	EventRoom          = "room"           // somebody said something in the chat room; subject is their id, data the text itself
	EventReport        = "report"         // subject is its id, data one of the words below
	EventRegistration  = "registration"   // likewise, of an account that awaits approval
	EventLogEntry      = "log"            // a new one; subject is its number
	EventJob           = "job"            // one that failed; subject is its number, data one of the words below

	EventAnnouncementGone     = "announcement.gone"     // it is shown no more; subject is its id
	EventAnnouncementReaction = "announcement.reaction" // somebody reacted to it, or no more; data is an AnnouncementReaction
)

// FollowersLater is the Data of an EventStatus that followers, and their lists, are not
// told of: events of EventHome come for them.
const FollowersLater = "later"

// The Data of events about a report, a registration or a failed job: its
// change.
const (
	Added   = "added"
	Changed = "changed"
	Gone    = "gone"
)

// Event is a change that processes and open streams are told of. It is a row of
// the transaction that makes the change, so it exists if, and only if, that
// transaction commits.
type Event struct {
	Seq       int64 // its place in the order that all processes share, from 1
	Kind      string
	Subject   string // an id
	AccountID string // the account that it is for; "" if others may see it
	Data      string // with the facts that cannot be read later; "" for none
	CreatedAt Time
}

// GoneStatus is the Data of EventStatusDeleted: the facts that select the
// timelines which may have shown the status.
type GoneStatus struct {
	AccountID  string   `json:"account"`
	Visibility string   `json:"visibility"`
	Local      bool     `json:"local,omitempty"`
	HasMedia   bool     `json:"media,omitempty"`
	Reblog     bool     `json:"reblog,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Recipients []string `json:"recipients,omitempty"` // local accounts
}

// HomeRange is the Data of EventHome: home timelines of accounts with ids above
// After and, if there are more, up to UpTo.
type HomeRange struct {
	After string `json:"after,omitempty"`
	UpTo  string `json:"up_to,omitempty"`
}

// Emit stores events with the rest of the transaction. They are written
// together, as its last statement.
func (d *DB) Emit(ctx context.Context, events ...Event) error {
	if d.tx == nil {
		return d.writeEvents(ctx, events)
	}
	d.tx.events = append(d.tx.events, events...)
	return nil
}

// EventData is v as the Data of an event.
func EventData(v any) string {
	text, err := json.Marshal(v)
	if err != nil { // the shapes above always can be written
		panic(err)
	}
	return string(text)
}

// EmitGone emits that a status or reblog is about to be deleted, with its
// recipients.
func (d *DB) EmitGone(ctx context.Context, s *Status) error {
	gone := GoneStatus{
		AccountID: s.AccountID, Visibility: s.Visibility, Local: s.Local, HasMedia: s.HasMedia, Reblog: s.ReblogOfID != nil, Tags: s.Tags,
	}
	if !gone.Reblog {
		var err error
		if gone.Recipients, err = list[string](ctx, d, "recipients", `SELECT r.account_id FROM status_recipients r JOIN accounts a ON a.id = r.account_id
			WHERE r.status_id = ? AND a.local`, s.ID); err != nil {
			return err
		}
	}
	return d.Emit(ctx, Event{Kind: EventStatusDeleted, Subject: s.ID, Data: EventData(gone)})
}

// writeEvents inserts events, each once.
func (d *DB) writeEvents(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	var (
		q    selection
		seen = make(map[Event]bool, len(events))
		now  = d.Now()
	)
	q.add("INSERT INTO events (kind, subject, account_id, data, created_at) VALUES ")
	for _, e := range events {
		if seen[e] {
			continue
		}
		if len(seen) > 0 {
			q.add(", ")
		}
		seen[e] = true
		q.add("(?, ?, ?, ?, ?)", e.Kind, e.Subject, e.AccountID, e.Data, now)
	}
	if err := d.execLater(ctx, "store events", q.sql.String(), q.args...); err != nil {
		return err
	}
	d.AfterCommit(d.pool.events.wake)
	return nil
}

// EventPosition is a place in the order of events, EPOCH.NUMBER as text.
type EventPosition struct {
	Epoch string
	Seq   int64
}

// String is the position as text.
func (p EventPosition) String() string { return p.Epoch + "." + strconv.FormatInt(p.Seq, 10) }

// ParseEventPosition reads a position; ok is false for anything else.
func ParseEventPosition(text string) (p EventPosition, ok bool) {
	epoch, number, ok := strings.Cut(text, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || seq < 0 || epoch == "" {
		return EventPosition{}, false
	}
	return EventPosition{Epoch: epoch, Seq: seq}, true
}

// EventHead returns the position of the last event that has a number.
func (d *DB) EventHead(ctx context.Context) (EventPosition, error) {
	r, err := d.eventHead(ctx)
	return EventPosition{r.Epoch, r.Seq}, err
}

// eventHead is the position of the last event, and whether others wait for a number. On
// SQLite events have one from the start.
type eventHead struct {
	Epoch   string
	Seq     int64
	Waiting bool
}

func (d *DB) eventHead(ctx context.Context) (eventHead, error) {
	head := "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS seq, FALSE AS waiting"
	if d.pool.dialect == Postgres {
		head = "(SELECT seq FROM event_head) AS seq, EXISTS (SELECT 1 FROM events WHERE seq IS NULL) AS waiting"
	}
	return value[eventHead](ctx, d, "head of events", "SELECT COALESCE((SELECT value FROM meta WHERE key = '"+eventEpoch+"'), '') AS epoch, "+head)
}

// eventEpoch is the key of the epoch in meta.
const eventEpoch = "event_epoch"

// DrawEventEpoch says that the numbers of events up to now may be those of others, since a
// copy of the database was put back: readers that go on after one get a gap. Of several
// callers who know the epoch of before, one draws.
func (d *DB) DrawEventEpoch(ctx context.Context, before string) error {
	_, err := d.exec(ctx, "draw an epoch of events", "UPDATE meta SET value = ? WHERE key = ? AND value = ?", newEpoch(), eventEpoch, before)
	return err
}

func newEpoch() string { return strings.ToLower(rand.Text()[:8]) }

// OldestEvent returns the number of the oldest event that is kept, 0 for none.
func (d *DB) OldestEvent(ctx context.Context) (int64, error) {
	oldest, _, err := optional(value[int64](ctx, d, "oldest event", "SELECT seq FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT 1"))
	return oldest, err
}

// EventsAfter returns up to limit events with numbers above seq, in their order.
func (d *DB) EventsAfter(ctx context.Context, seq int64, limit int) ([]Event, error) {
	return list[Event](ctx, d, "events", "SELECT seq, kind, subject, account_id, data, created_at FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit)
}

// EventsFor returns up to limit events that may concern a reader, with numbers above
// after and up to upTo, in their order: no notices, and none for accounts other than
// accountID, which is "" for a stranger.
func (d *DB) EventsFor(ctx context.Context, accountID string, after, upTo int64, limit int) ([]Event, error) {
	return list[Event](ctx, d, "events for a reader", `SELECT seq, kind, subject, account_id, data, created_at FROM events
		WHERE seq > ? AND seq <= ? AND kind NOT LIKE '`+notice+`%' AND account_id IN ('', ?) ORDER BY seq LIMIT ?`, after, upTo, accountID, limit)
}

// LastEventsOf returns the newest kept events of a kind, oldest first. Only EventRoom
// has an index.
func (d *DB) LastEventsOf(ctx context.Context, kind string, limit int) ([]Event, error) {
	events, err := list[Event](ctx, d, "last events of a kind", `SELECT seq, kind, subject, account_id, data, created_at FROM events
		WHERE kind = ? AND seq IS NOT NULL ORDER BY seq DESC LIMIT ?`, kind, limit)
	slices.Reverse(events)
	return events, err
}

// numbered bounds the events of one numbering.
const numbered = 1000

// numberEvents numbers the committed events of PostgreSQL, in the order in which they
// were stored, and notifies other processes of the new head. It returns their number.
//
// One statement locks the row of event_head, and the next one reads the events.
// A statement sees everything that was committed when it began, so it also sees
// the events left over by the former holder of the lock. They are sent in one round
// trip, and the rest in another.
func (d *DB) numberEvents(ctx context.Context) (n int64, err error) {
	err = d.Tx(ctx, func(tx *DB) error {
		if err := tx.execLater(ctx, "hold the head of events", "SELECT seq FROM event_head FOR UPDATE"); err != nil {
			return err
		}
		n, err = tx.exec(ctx, "number events", `UPDATE events SET seq = w.seq
			FROM (SELECT u.id, h.seq + ROW_NUMBER() OVER (ORDER BY u.id) AS seq
				FROM (SELECT id FROM events WHERE seq IS NULL ORDER BY id LIMIT ?) u CROSS JOIN event_head h) w
			WHERE events.id = w.id`, numbered)
		if err != nil || n == 0 {
			return err
		}
		if err := tx.execLater(ctx, "move the head of events", "UPDATE event_head SET seq = seq + ?", n); err != nil {
			return err
		}
		return tx.execLater(ctx, "tell of events", "SELECT pg_notify('svc', '')")
	})
	return n, err
}

// sweptEvents bounds the events that one statement removes.
const sweptEvents = 5000

// SweepEvents removes events stored before a moment, from the oldest on, except
// the newest of all.
func (d *DB) SweepEvents(ctx context.Context, before Time) error {
	for {
		n, err := d.exec(ctx, "sweep events", `DELETE FROM events WHERE seq IN (SELECT seq FROM
			(SELECT seq, created_at FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT ?) o WHERE created_at < ?)`, sweptEvents, before)
		if err != nil || n < sweptEvents {
			return err
		}
	}
}
