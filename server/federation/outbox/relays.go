package outbox

import (
	"context"
	"sync"

	"svc/db"
	"svc/server/federation/activitypub"
)

// feed caches the relays for public statuses.
type feed struct {
	once    sync.Once
	mu      sync.Mutex
	changes int // number of changes
	known   bool
	last    db.RelayFeed
}

func (f *feed) listen(d *db.DB) {
	d.Subscribe(func(topic, _ string) {
		if topic != db.RelaysChanged && topic != db.AnythingMissed {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.known, f.changes = false, f.changes+1
	})
}

// load returns the relays for statuses, mostly from memory; uri is our relay
// actor.
func (f *feed) load(ctx context.Context, tx *db.DB, uri string) (db.RelayFeed, error) {
	f.once.Do(func() { f.listen(tx) })
	f.mu.Lock()
	known, last, changes := f.known, f.last, f.changes
	f.mu.Unlock()
	if known {
		return last, nil
	}
	now, err := tx.RelayFeed(ctx, uri)
	if err != nil {
		return db.RelayFeed{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changes == changes {
		f.known, f.last = true, now
	}
	return now, nil
}

// relayed sends an Announce of a local public status to our relay actor's
// followers. thread is the id of its conversation. plain reports whether there
// are relays that get the activity itself, by Relays in its audience.
func (s *Service) relayed(ctx context.Context, tx *db.DB, status *db.Status, thread string) (plain bool, err error) {
	if s.off() || status.Visibility != db.Public || status.URI == nil || !s.settings.Load().Instance.AllowRelay {
		return false, nil
	}
	relay := s.base + "/relay"
	waiting, err := s.feed.load(ctx, tx, relay)
	if err != nil || waiting.AccountID == "" {
		return waiting.Plain, err
	}
	return waiting.Plain, s.keep(ctx, tx, act{
		kind: "Announce", by: &db.Account{ID: waiting.AccountID, URI: relay, Local: true}, object: *status.URI, of: *status.URI,
		to: []string{relay + "/followers"}, at: status.CreatedAt, more: activitypub.Object{"context": thread},
		priority: db.PriorityRelay, audience: db.Audience{Followers: true},
	})
}

// AskedRelay sends the Follow of a relay: of its actor or, for one named by its
// inbox, of the public address, with a nil actor. by is our relay actor.
func (s *Service) AskedRelay(ctx context.Context, tx *db.DB, by, actor *db.Account, r *db.Relay) error {
	if s.silent(by) {
		return nil
	}
	a := askRelay(by, actor, r)
	a.audience.Insistent = true
	return s.keep(ctx, tx, a)
}

// LeftRelay sends the Undo of a relay's Follow.
func (s *Service) LeftRelay(ctx context.Context, tx *db.DB, by, actor *db.Account, r *db.Relay) error {
	if s.silent(by) {
		return nil
	}
	return s.keep(ctx, tx, undo(askRelay(by, actor, r)))
}

func askRelay(by, actor *db.Account, r *db.Relay) act {
	if actor != nil && !r.Plain {
		return follow(by, actor, &db.Follow{URI: r.FollowURI})
	}
	return act{
		id: r.FollowURI, kind: "Follow", by: by, object: activitypub.Public, of: orderKey("Follow", by.URI, r.Inbox), to: []string{activitypub.Public},
		priority: db.PriorityPerson, audience: db.Audience{Inboxes: []string{r.Inbox}},
	}
}
