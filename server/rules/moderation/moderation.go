// Package moderation holds what moderators and admins do: reports and their
// notes, making and deleting accounts, shutting them out and letting them in,
// changing and deleting others' statuses. Each operation is one transaction with its entries in the
// moderation log, so that neither is ever there without the other.
//
// What a change does to accounts and statuses is social's to know; this package
// calls it and is called by no rule. It knows neither HTTP nor JSON bodies, but
// for the log's data, which are stored as they are read.
package moderation

import (
	"time"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/relays"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Parts are what a Service works with.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Social   *social.Service
	Signup   *signup.Service
	Auth     *auth.Service
	Archive  *archive.Service
	Chats    *chats.Service
	Outbox   *outbox.Service
	Remote   *remote.Service // nil forwards no reports
	Relays   *relays.Service
	Now      func() time.Time
}

// Service carries out operations, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	settings *config.Live
	social   *social.Service
	signup   *signup.Service
	auth     *auth.Service
	archive  *archive.Service
	chats    *chats.Service
	outbox   *outbox.Service
	remote   *remote.Service
	relays   *relays.Service
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{
		db: p.DB, settings: p.Settings, social: p.Social, signup: p.Signup, auth: p.Auth, archive: p.Archive, chats: p.Chats,
		outbox: p.Outbox, remote: p.Remote, relays: p.Relays, now: p.Now,
	}
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}
