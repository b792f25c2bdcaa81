// Package ingest processes activities from other servers: the queue behind the
// inboxes, the effect of each type of activity, and the fetches that they need.
//
// An activity is verified and stored as a row. Workers of this process read the
// activity, check whether its sender may say it, apply the policies, and carry
// it out with the operations of social, chats, moderation and relays, in one
// transaction with the end of the row. Documents are fetched before that
// transaction begins.
package ingest

import (
	"log/slog"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/alive"
	"svc/server/platform/config"
	"svc/server/platform/tracing"
	"svc/server/rules/chats"
	"svc/server/rules/moderation"
	"svc/server/rules/relays"
	"svc/server/rules/social"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB         *db.DB
	Process    *alive.Process
	Settings   *config.Live
	Social     *social.Service
	Moderation *moderation.Service
	Outbox     *outbox.Service
	Relays     *relays.Service
	Remote     *remote.Service
	Chats      *chats.Service
	Site       config.Site
	Traces     *tracing.Traces // nil for none
	Log        *slog.Logger
	Now        func() time.Time
}

// Service processes activities.
type Service struct {
	db         *db.DB
	process    *alive.Process
	settings   *config.Live
	social     *social.Service
	moderation *moderation.Service
	outbox     *outbox.Service
	relays     *relays.Service
	remote     *remote.Service
	chats      *chats.Service
	ids        activitypub.IDs
	base       string
	host       string
	traces     *tracing.Traces
	log        *slog.Logger
	now        func() time.Time

	engine  atomic.Pointer[engine] // nil unless started
	load    load
	waiters waiters
	reports floods
}

// New returns a Service.
func New(p Parts) *Service {
	s := &Service{
		db: p.DB, process: p.Process, settings: p.Settings, social: p.Social, moderation: p.Moderation, outbox: p.Outbox, relays: p.Relays,
		remote: p.Remote, chats: p.Chats,
		ids: activitypub.IDs{Insecure: p.Site.Insecure}, base: p.Site.Base, host: p.Site.Host, log: p.Log, traces: p.Traces, now: p.Now,
	}
	p.DB.Subscribe(s.waiters.hear)
	return s
}

// ours reports whether an id is one of this server's.
func (s *Service) ours(id string) bool { return s.ids.SameOrigin(id, s.base+"/") }
