// Package outbox turns what people here do into activities for other servers:
// each is rendered and kept in the transaction of what it tells of, and sent by
// package delivery once that is committed.
//
// It knows who is to be told, not how; documents are written by activitypub.
package outbox

import (
	"svc/db"
	"svc/server/config"
)

// Service keeps activities, on the pool or within one transaction. A nil Service
// keeps none.
type Service struct {
	settings *config.Live
	base     string
}

// New returns a Service for the public base URL, which has no slash at its end.
func New(settings *config.Live, base string) *Service {
	return &Service{settings: settings, base: base}
}

// newURI returns an ActivityPub id that cannot be guessed.
func (s *Service) newURI(tx *db.DB, kind string) string {
	return s.base + "/" + kind + "/" + tx.NewUUID()
}
