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
	"context"
	"time"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/relays"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Service carries out operations, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	social   *social.Service
	signup   *signup.Service
	auth     *auth.Service
	archive  *archive.Service
	chats    *chats.Service
	outbox   *outbox.Service
	speaker  func(ctx context.Context) (*db.Account, error)
	relays   *relays.Service
	settings *config.Live
	now      func() time.Time
}

// New returns a Service.
func New(d *db.DB, s *social.Service, settings *config.Live, now func() time.Time) *Service {
	return &Service{db: d, social: s, settings: settings, now: now}
}

// Parts are what only some operations call.
type Parts struct {
	Signup  *signup.Service
	Auth    *auth.Service
	Archive *archive.Service
	Chats   *chats.Service
	Outbox  *outbox.Service
	// Speaker is the account that reports to other servers, for all who report
	// here.
	Speaker func(ctx context.Context) (*db.Account, error)
	Relays  *relays.Service
}

// With returns a Service that can also change how accounts begin, sign in and
// are taken along, and what they write to each other outside of statuses.
func (s *Service) With(p Parts) *Service {
	with := *s
	with.signup, with.auth, with.archive, with.chats, with.relays = p.Signup, p.Auth, p.Archive, p.Chats, p.Relays
	with.outbox, with.speaker = p.Outbox, p.Speaker
	return &with
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}

// mayModerate is the right to all that is done here, except to report.
func mayModerate(by *db.Account) error {
	if by.Staff() {
		return nil
	}
	return fault.Forbidden("User is not an admin.")
}
