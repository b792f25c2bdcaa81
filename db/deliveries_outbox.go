package db

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
)

// The priorities of activities: people before floods.
const (
	PriorityPerson = 1 // follows and their answers, direct statuses, chats, mentions
	PriorityPost   = 2
	PriorityAct    = 3 // favourites, reblogs
	PriorityRelay  = 4
	PriorityBulk   = 5 // purges, tallies
)

// Activity is an activity for other servers.
type Activity struct {
	ID            int64 `gorm:"primaryKey;autoIncrement"`
	URI           string
	AccountID     string // the signer: its actor, or the service actor that speaks for it
	Type          string
	ObjectURI     string // its object: activities about one object arrive in order at each inbox
	Body          string // as sent, without bto and bcc
	Priority      int
	Audience      Audience
	Cursor        string // the last recipient that has a delivery
	ClaimedBy     string // the holder that distributes it
	DistributedAt Time
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// Audience selects the recipients of an activity. Local accounts are never
// among them. Shape in the database: JSON.
type Audience struct {
	AccountIDs []string `json:"account_ids,omitempty"` // by name
	Followers  bool     `json:"followers,omitempty"`   // the followers of the actor
	StatusID   string   `json:"status_id,omitempty"`   // the accounts that reblogged, favourited or answered this status, and the servers that fetched it
	Reached    bool     `json:"reached,omitempty"`     // every inbox that statuses of the actor ever reached
	OfID       string   `json:"of_id,omitempty"`       // the account of Followers and Reached, if it is not the actor
	Everywhere bool     `json:"everywhere,omitempty"`  // every known inbox
	Relays     bool     `json:"relays,omitempty"`      // the subscribed relays
	Inboxes    []string `json:"inboxes,omitempty"`     // as they are
	// Personal uses personal inboxes even if a server has a shared one.
	Personal bool `json:"personal,omitempty"`
	// Public allows delivery to servers that get only public activities
	// (quarantine).
	Public bool `json:"public,omitempty"`
	// Insistent tries servers that are given up too, as for follows.
	Insistent bool `json:"insistent,omitempty"`
	// Bodies replace the activity's body for some inboxes, by inbox.
	Bodies map[string]string `json:"bodies,omitempty"`
}

// Value writes the JSON.
func (a Audience) Value() (driver.Value, error) {
	b, err := json.Marshal(a)
	return string(b), err
}

// Scan reads the JSON.
func (a *Audience) Scan(v any) error {
	switch v := v.(type) {
	case string:
		return json.Unmarshal([]byte(v), a)
	case []byte:
		return json.Unmarshal(v, a)
	}
	return fmt.Errorf("audience from %T", v)
}

// ActivityQueued is announced when there is an activity to send; see Subscribe.
const ActivityQueued = "activity"

// QueueActivity stores an activity, to be sent once d is committed. The
// deletion of a status is queued before the status is deleted.
func (d *DB) QueueActivity(ctx context.Context, a *Activity) error {
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	if a.Type == "Delete" && a.Audience.StatusID != "" {
		// Its recipients can be found as long as the status exists.
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

// HasRemoteFollowers reports whether remote accounts follow an account, or
// request to.
func (d *DB) HasRemoteFollowers(ctx context.Context, accountID string) (bool, error) {
	return value[bool](ctx, d, "remote followers of "+accountID, "SELECT EXISTS (SELECT 1 FROM follows WHERE target_id = ? AND NOT local)", accountID)
}
