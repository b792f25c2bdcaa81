// Package relays subscribes this server to relays: servers that distribute
// public statuses among their subscribers. There are two dialects. A relay
// named by its actor is followed by our relay actor {base}/relay, follows it
// back, and gets an Announce of each public status. A relay named by its inbox
// (the path ends in /inbox) gets a Follow of the public address, and public
// statuses as they are.
//
// Package ingest takes the statuses that relays send, and asks here which
// actors are relays; package outbox stores the activities for relays.
package relays

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/config"
)

// ErrRefused is a relay that rejected us, or that must not be called.
var ErrRefused = errors.New("the relay is refused")

// Service keeps subscriptions, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	settings *config.Live
	remote   *remote.Service
	outbox   *outbox.Service
	ids      activitypub.IDs
	base     string
	known    *known
}

// Parts are the dependencies of New.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Site     config.Site
	Remote   *remote.Service
	Outbox   *outbox.Service
}

// New returns a Service.
func New(p Parts) *Service {
	s := &Service{
		db: p.DB, settings: p.Settings, remote: p.Remote, outbox: p.Outbox, ids: activitypub.IDs{Insecure: p.Site.Insecure}, base: p.Site.Base,
		known: &known{changed: make(chan struct{})},
	}
	p.DB.Subscribe(s.known.hear)
	return s
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}

// URI is the id of our relay actor.
func (s *Service) URI() string { return s.base + "/relay" }

// Asked is a relay before a call, with its resolved actor.
type Asked struct {
	URL   string // with its host in stored form
	plain bool
	us    *db.Account // our relay actor
	actor *db.Account // nil if not known yet
	ends  []string    // the accounts of the follows that end with the subscription
}

// Accounts returns the ids of the accounts that Leave holds.
func (a *Asked) Accounts() []string { return a.ends }

// Find resolves the relay at address, and may call its server. It must not be
// called in a transaction.
func (s *Service) Find(ctx context.Context, address string) (*Asked, error) {
	clean, err := s.ids.Check(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	host := s.ids.Host(clean)
	switch {
	case !s.settings.Load().Instance.AllowRelay:
		return nil, fmt.Errorf("%w: the setting :allow_relay is off", ErrRefused)
	case !s.settings.Load().Instance.Federating:
		return nil, fmt.Errorf("%w: the setting :federating is off", ErrRefused)
	case s.ids.SameOrigin(clean, s.base+"/"):
		return nil, fmt.Errorf("%w: %q is this server's own", ErrRefused, address)
	case s.remote.Blocked(host):
		return nil, fmt.Errorf("%w: nothing is exchanged with %s", ErrRefused, host)
	}
	us, err := s.remote.RelayActor(ctx)
	if err != nil {
		return nil, err
	}
	out := &Asked{URL: clean, plain: named(clean), us: us}
	if out.plain {
		return out, nil
	}
	if out.actor, err = s.remote.Actor(ctx, clean); err != nil {
		return nil, fmt.Errorf("actor of the relay %q: %w", address, err)
	}
	if out.actor.Local || out.actor.Deactivated || out.actor.Inbox == "" {
		return nil, fmt.Errorf("%w: %q cannot be followed", ErrRefused, address)
	}
	return out, nil
}

// named reports whether an address is that of an inbox.
func named(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Path, "/inbox")
}

// Ask subscribes to a relay. A request without an answer is repeated.
func (s *Service) Ask(ctx context.Context, relay *Asked) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		r, err := s.asked(ctx, tx, relay)
		switch {
		case errors.Is(err, db.ErrNotFound):
			r = &db.Relay{URL: relay.URL, Plain: relay.plain, FollowURI: s.base + "/activities/" + tx.NewUUID(), Pending: true}
			if relay.plain {
				r.Inbox = relay.URL
			} else {
				r.AccountID = relay.actor.ID
			}
			err = tx.CreateRelay(ctx, r)
		case err != nil || !r.Pending:
			return err
		default:
			// A new id: activities are sent once each.
			r.FollowURI = s.base + "/activities/" + tx.NewUUID()
			err = tx.UpdateRelay(ctx, r, "follow_uri")
		}
		if err != nil {
			return err
		}
		return s.outbox.AskedRelay(ctx, tx, relay.us, relay.actor, r)
	})
}

func (s *Service) asked(ctx context.Context, tx *db.DB, relay *Asked) (*db.Relay, error) {
	r, err := tx.RelayByURL(ctx, relay.URL)
	if errors.Is(err, db.ErrNotFound) && relay.actor != nil {
		return tx.RelayByAccount(ctx, relay.actor.ID)
	}
	return r, err
}

// Wait returns the relay at address once it accepted, or its state after
// patience. A relay that rejected us is ErrRefused.
func (s *Service) Wait(ctx context.Context, relay *Asked, patience time.Duration) (*db.Relay, error) {
	over := time.After(patience)
	for {
		changed := s.known.next()
		r, err := s.asked(ctx, s.db, relay)
		if errors.Is(err, db.ErrNotFound) {
			return nil, fmt.Errorf("%w: it says no", ErrRefused)
		}
		if err != nil || !r.Pending {
			return r, err
		}
		select {
		case <-changed:
		case <-over:
			return r, nil
		case <-ctx.Done():
			return r, nil
		}
	}
}

// Named finds a relay by the address that an admin gave, or by its actor's id.
// An unknown one is db.ErrNotFound.
func (s *Service) Named(ctx context.Context, address string) (*Asked, error) {
	r, err := s.byName(ctx, s.db, address)
	if err != nil {
		return nil, err
	}
	us, err := s.remote.RelayActor(ctx)
	if err != nil {
		return nil, err
	}
	out := &Asked{URL: address, us: us}
	if r.AccountID != "" {
		out.ends = []string{us.ID, r.AccountID}
	}
	return out, nil
}

// Leave ends a subscription. The relay is notified and its own follow rejected;
// it need not answer. A subscription that ended meanwhile is db.ErrNotFound.
func (s *Service) Leave(ctx context.Context, relay *Asked) error {
	us := relay.us
	return s.db.Tx(ctx, func(tx *db.DB) error {
		r, err := s.byName(ctx, tx, relay.URL)
		if err != nil {
			return err
		}
		var actor *db.Account
		if r.AccountID != "" {
			if actor, err = tx.Account(ctx, r.AccountID); err != nil && !errors.Is(err, db.ErrNotFound) {
				return err
			}
		}
		if err := tx.DeleteRelay(ctx, r); err != nil {
			return err
		}
		if actor != nil {
			if err := tx.HoldAccounts(ctx, us.ID, actor.ID); err != nil {
				return err
			}
			if _, err := unfollow(ctx, tx, us.ID, actor.ID); err != nil {
				return err
			}
		}
		if r.Plain || actor != nil {
			if err := s.outbox.LeftRelay(ctx, tx, us, actor, r); err != nil {
				return err
			}
		}
		if actor == nil {
			return nil
		}
		return s.expel(ctx, tx, us, actor)
	})
}

// byName finds a relay by the address that an admin gave, or by its actor's id.
func (s *Service) byName(ctx context.Context, tx *db.DB, address string) (*db.Relay, error) {
	r, err := tx.RelayByURL(ctx, address)
	if clean, bad := s.ids.Check(address); bad == nil && clean != address && errors.Is(err, db.ErrNotFound) {
		return s.byName(ctx, tx, clean)
	}
	if !errors.Is(err, db.ErrNotFound) {
		return r, err
	}
	actor, err := tx.AccountByURI(ctx, address)
	if err != nil {
		return nil, err
	}
	return tx.RelayByAccount(ctx, actor.ID)
}

// expel ends a relay's follow of us.
func (s *Service) expel(ctx context.Context, tx *db.DB, us, actor *db.Account) error {
	f, err := unfollow(ctx, tx, actor.ID, us.ID)
	if err != nil || f == nil {
		return err
	}
	return s.outbox.Rejected(ctx, tx, us, actor, f)
}

// List returns the relays, accepted ones first.
func (s *Service) List(ctx context.Context) ([]db.Relay, error) { return s.db.Relays(ctx) }
