package db

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
)

// The priorities of what is sent: people before floods.
const (
	PriorityPerson = 1 // follows and their answers, direct statuses, chats, mentions
	PriorityPost   = 2
	PriorityAct    = 3 // favourites, reblogs
	PriorityRelay  = 4
	PriorityBulk   = 5 // purges, tallies
)

// Activity is one that other servers are to be told.
type Activity struct {
	ID            int64 `gorm:"primaryKey;autoIncrement"`
	URI           string
	AccountID     string // who signs: its actor, or the service actor that speaks for it
	Type          string
	ObjectURI     string // what it is about: sent one after the other to each inbox
	Body          string // as it is sent, without bto and bcc
	Priority      int
	Audience      Audience
	Cursor        string // how far the followers have got theirs
	DistributedAt Time
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// Audience is for whom an activity is. Accounts of this server are never among
// them. Shape in the database: JSON.
type Audience struct {
	AccountIDs []string `json:"account_ids,omitempty"` // by name
	Followers  bool     `json:"followers,omitempty"`   // those who follow the actor
	StatusID   string   `json:"status_id,omitempty"`   // who reblogged, favourited or answered this, or fetched it
	Reached    bool     `json:"reached,omitempty"`     // every inbox that statuses of the actor ever reached
	OfID       string   `json:"of_id,omitempty"`       // whose Followers and Reached, where that is not the actor
	Everywhere bool     `json:"everywhere,omitempty"`  // every inbox that is known
	Relays     bool     `json:"relays,omitempty"`      // the relays that are subscribed to
	Inboxes    []string `json:"inboxes,omitempty"`     // as they are
	// Personal is for inboxes of their own even where a server has a shared one.
	Personal bool `json:"personal,omitempty"`
	// Public is for servers too that get nothing else (quarantine).
	Public bool `json:"public,omitempty"`
	// Insistent is tried even at servers that are given up, as follows are.
	Insistent bool `json:"insistent,omitempty"`
	// Bodies are what some inboxes get instead of the activity's, by inbox.
	Bodies map[string]string `json:"bodies,omitempty"`
}

// Value writes it.
func (a Audience) Value() (driver.Value, error) {
	b, err := json.Marshal(a)
	return string(b), err
}

// Scan reads it.
func (a *Audience) Scan(v any) error {
	switch v := v.(type) {
	case string:
		return json.Unmarshal([]byte(v), a)
	case []byte:
		return json.Unmarshal(v, a)
	}
	return fmt.Errorf("audience from %T", v)
}

// ActivityQueued is announced when there is something to send; see Subscribe.
const ActivityQueued = "activity"

// QueueActivity keeps an activity to be sent once d is committed. The deletion
// of a status is queued before the status is deleted.
func (d *DB) QueueActivity(ctx context.Context, a *Activity) error {
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	if a.Type == "Delete" && a.Audience.StatusID != "" {
		// Whom that is for can be found as long as the status is there.
		ids, err := d.remoteInteractors(ctx, a.Audience.StatusID)
		if err != nil {
			return err
		}
		a.Audience.AccountIDs = append(slices.Clone(a.Audience.AccountIDs), ids...)
	}
	if err := create(ctx, d, a, "queue activity %s", a.URI); err != nil {
		return err
	}
	return d.Announce(ctx, ActivityQueued, "")
}

// HasRemoteFollowers reports whether accounts of other servers follow an account,
// or ask to.
func (d *DB) HasRemoteFollowers(ctx context.Context, accountID string) (bool, error) {
	return value[bool](ctx, d, "remote followers of "+accountID, "SELECT EXISTS (SELECT 1 FROM follows WHERE target_id = ? AND NOT local)", accountID)
}
