// Package social holds the rules of public acts: statuses, reblogs, favourites,
// follows, blocks, mutes and profiles. Each operation is one transaction, with
// its counters, notifications, home entries and jobs.
//
// It leaves rows to db, texts to text, and the rules of notifications to
// notify; it knows neither HTTP nor JSON. Moderators' operations and the
// moderation log are in moderation, which calls this package.
package social

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/cards"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
)

const (
	// fanOutNow is the number of followers up to which a status is delivered in its
	// author's own request; above, a job delivers it.
	fanOutNow = 2000
	// fanOutChunk bounds the followers that one transaction of that job serves.
	fanOutChunk = 2000
	// backfill is how many statuses a new follow puts on the home timeline.
	backfill = 400
	// maxAddressed bounds the recipients of one status.
	maxAddressed = 100
	// keyLife is how long a repeated request to post is recognised.
	keyLife = 6 * time.Hour
)

// Public is the address of everybody. Shape: ActivityPub 5.6.
const Public = "https://www.w3.org/ns/activitystreams#Public"

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Site     config.Site
	Emojis   *emoji.Live     // nil has no custom emoji
	Cards    *cards.Service  // nil looks for no links to preview
	Outbox   *outbox.Service // nil tells no other server
	Remote   *remote.Service // nil asks no other server
	Now      func() time.Time
}

// Service carries out operations, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	settings *config.Live
	emojis   *emoji.Live
	cards    *cards.Service
	outbox   *outbox.Service
	remote   *remote.Service
	base     string
	host     string
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{
		db: p.DB, settings: p.Settings, emojis: p.Emojis, cards: p.Cards, outbox: p.Outbox, remote: p.Remote,
		base: p.Site.Base, host: p.Site.Host, now: p.Now,
	}
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}

// visible returns the status with this id for by, or for a reblog the reblogged
// one. A status that by may not see is db.ErrNotFound.
func visible(ctx context.Context, d *db.DB, by *db.Account, id string) (*db.Status, error) {
	status, err := d.VisibleStatus(ctx, db.Viewer{ID: by.ID}, id)
	if err != nil || status.ReblogOfID == nil {
		return status, err
	}
	return d.VisibleStatus(ctx, db.Viewer{ID: by.ID}, *status.ReblogOfID)
}

// heldVisible is visible with the status held before it is looked at, so that the answer
// stays true until the transaction ends. An id that is made after it is higher than those
// of others who held the status before.
func heldVisible(ctx context.Context, tx *db.DB, by *db.Account, id string) (*db.Status, error) {
	if err := tx.HoldOriginal(ctx, id); err != nil {
		return nil, err
	}
	return visible(ctx, tx, by, id)
}

// counted reports whether a status of this visibility counts on its author and
// parent.
func counted(visibility string) bool {
	return visibility == db.Public || visibility == db.Unlisted || visibility == db.Local
}

// ignoreNotFound drops a "not found" error.
func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

func errNotFound(what, id string) error { return fmt.Errorf("%s %s: %w", what, id, db.ErrNotFound) }
