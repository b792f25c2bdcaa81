// Package moderation holds the operations of moderators and admins: reports and
// their notes, creating, deactivating and deleting accounts, changing and
// deleting others' statuses. Each operation is one transaction with its entries
// in the moderation log, so that neither exists without the other.
//
// The effects on accounts and statuses are in social, which this package calls;
// no rule calls this package. It knows neither HTTP nor JSON bodies, except the
// stored data of log entries.
package moderation

import (
	"time"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/rights"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/relays"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Saved    *settings.Store
	Rights   *rights.Service
	Social   *social.Service
	Signup   *signup.Service
	Auth     *auth.Service
	Archive  *archive.Service
	Chats    *chats.Service
	Outbox   *outbox.Service
	Remote   *remote.Service // nil forwards no reports
	Relays   *relays.Service
	Proxy    *media.Proxy
	Now      func() time.Time
}

// Service carries out operations, on the pool or within one transaction.
type Service struct {
	db       *db.DB
	settings *config.Live
	saved    *settings.Store
	rights   *rights.Service
	social   *social.Service
	signup   *signup.Service
	auth     *auth.Service
	archive  *archive.Service
	chats    *chats.Service
	outbox   *outbox.Service
	remote   *remote.Service
	relays   *relays.Service
	proxy    *media.Proxy
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{
		db: p.DB, settings: p.Settings, saved: p.Saved, rights: p.Rights, social: p.Social, signup: p.Signup, auth: p.Auth, archive: p.Archive, chats: p.Chats,
		outbox: p.Outbox, remote: p.Remote, relays: p.Relays, proxy: p.Proxy, now: p.Now,
	}
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}
