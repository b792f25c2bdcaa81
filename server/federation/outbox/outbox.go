// Package outbox turns what people here do into activities for other servers:
// each is rendered and kept in the transaction of what it tells of, and sent by
// package delivery once that is committed.
//
// It knows who is to be told, not how; documents are written by activitypub.
// What concerns nobody elsewhere is not kept: whoever has no followers, and
// names nobody, on other servers costs a query at most.
package outbox

import (
	"context"
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
)

// Service keeps activities, on the pool or within one transaction. A nil Service
// keeps none.
type Service struct {
	settings *config.Live
	base     string
	feed     *feed
}

// New returns a Service for the public base URL, which has no slash at its end.
func New(settings *config.Live, base string) *Service {
	return &Service{settings: settings, base: base, feed: &feed{}}
}

// newURI returns an ActivityPub id that cannot be guessed.
func (s *Service) newURI(tx *db.DB, kind string) string {
	return s.base + "/" + kind + "/" + tx.NewUUID()
}

// off reports whether this server talks to no other.
func (s *Service) off() bool { return s == nil || !s.settings.Load().Instance.Federating }

// silent reports whether nothing an account does is told: nothing of remote ones,
// who tell it themselves, nor of deactivated ones, but that things are deleted.
func (s *Service) silent(by *db.Account) bool { return s.off() || !by.Local || by.Deactivated }

// remote reports whether an id is another server's.
func (s *Service) remote(uri string) bool { return uri != "" && !strings.HasPrefix(uri, s.base+"/") }

// act is an activity about to be kept.
type act struct {
	id       string // "" is made up
	kind     string
	by       *db.Account // who signs, and does it
	object   any
	of       string // what goes one after the other to each server: see together
	to, cc   []string
	at       db.Time // zero is now
	more     activitypub.Object
	priority int
	audience db.Audience
}

// orderKey names what two accounts, or an account and a post, have with each
// other: doing it, undoing it and doing it again must come in this order.
func orderKey(kind, by, with string) string { return kind + " " + by + " " + with }

// keep renders an activity and has it sent. One that nobody is to get is not
// kept.
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

// queue keeps an activity that is rendered already.
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

// only is the audience of one account: nobody where it is of this server.
func only(a *db.Account) db.Audience {
	if a.Local {
		return db.Audience{}
	}
	return db.Audience{AccountIDs: []string{a.ID}}
}

// undo is the activity that takes one back: it embeds it, for those who forgot
// its id, and goes to whom that went.
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
