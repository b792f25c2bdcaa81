// Package outbox turns local acts into activities for other servers: each is
// rendered and stored in the transaction of its act, and delivered by package
// delivery after the commit.
//
// It decides about recipients, not delivery; documents are written by
// activitypub. An act without remote recipients is not stored: without
// followers and mentions on other servers it costs at most one query.
package outbox

import (
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
)

// Service stores activities, on the pool or within one transaction. A nil
// Service stores none.
type Service struct {
	settings *config.Live
	base     string
	feed     *feed
}

// New returns a Service for the public base URL, without a trailing slash.
func New(settings *config.Live, base string) *Service {
	return &Service{settings: settings, base: base, feed: &feed{}}
}

// newURI returns an ActivityPub id that cannot be guessed.
func (s *Service) newURI(tx *db.DB, kind string) string {
	return s.base + "/" + kind + "/" + tx.NewUUID()
}

// off reports whether federation is off.
func (s *Service) off() bool { return s == nil || !s.settings.Load().Instance.Federating }

// silent reports whether an account's acts are not sent: those of remote
// accounts, and those of deactivated ones, except deletions.
func (s *Service) silent(by *db.Account) bool { return s.off() || !by.Local || by.Deactivated }

// remote reports whether an id is another server's.
func (s *Service) remote(uri string) bool { return uri != "" && !strings.HasPrefix(uri, s.base+"/") }

// act is an activity before it is rendered.
type act struct {
	id       string // "" is made up
	kind     string
	by       *db.Account // the actor and signer
	object   any
	of       string // order key at each server: see orderKey
	to, cc   []string
	at       db.Time // zero is now
	more     activitypub.Object
	priority int
	audience db.Audience
}

// orderKey names a pair of accounts, or an account and a status: doing, undoing
// and repeating an act must arrive in this order.
func orderKey(kind, by, with string) string { return kind + " " + by + " " + with }

// keep renders an activity and enqueues it. One without recipients is dropped.
func (s *Service) keep(ctx context.Context, tx *db.DB, a act) error {
	if nobody(&a.audience) {
		return nil
	}
	if a.id == "" {
		a.id = s.newURI(tx, "activities")
	}
	if a.at.IsZero() {
		a.at = tx.Now()
	}
	doc := activitypub.Activity(a.kind, a.id, a.by.URI, a.object, a.to, a.cc, a.at.Time)
	for key, value := range a.more {
		doc[key] = value
	}
	return s.queue(ctx, tx, doc, a)
}

// queue enqueues a rendered activity.
func (s *Service) queue(ctx context.Context, tx *db.DB, doc activitypub.Object, a act) error {
	body, err := activitypub.Encode(doc)
	if err != nil {
		return err
	}
	a.audience.Public = isPublic(doc.Texts("to"), doc.Texts("cc"))
	return tx.QueueActivity(ctx, &db.Activity{
		URI: doc.ID(), AccountID: a.by.ID, Type: doc.Type(), ObjectURI: a.of, Body: string(body), Priority: a.priority, Audience: a.audience,
	})
}

func nobody(a *db.Audience) bool {
	return len(a.AccountIDs) == 0 && !a.Followers && a.StatusID == "" && !a.Reached && !a.Everywhere && !a.Relays && len(a.Inboxes) == 0
}

func isPublic(to, cc []string) bool {
	return slices.Contains(to, activitypub.Public) || slices.Contains(cc, activitypub.Public)
}

// only is the audience of one remote account; nobody for a local one.
func only(a *db.Account) db.Audience {
	if a.Local {
		return db.Audience{}
	}
	return db.Audience{AccountIDs: []string{a.ID}}
}

// undo is the Undo of an activity: it embeds it, for servers that forgot its
// id, and has the same audience.
func undo(a act) act {
	inner := activitypub.Inner(a.kind, a.id, a.by.URI, a.object)
	if a.id == "" {
		delete(inner, "id")
	}
	for key, value := range a.more {
		inner[key] = value
	}
	a.id, a.kind, a.object, a.more, a.at = "", "Undo", inner, nil, db.Time{}
	return a
}
