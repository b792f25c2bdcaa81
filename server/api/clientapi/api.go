// Package clientapi holds the doors for people's clients: the Mastodon client
// API at level 2.7.2 with the service's extensions, and OAuth. A handler
// decodes, calls one operation or query, and renders; rules live elsewhere.
package clientapi

import (
	"context"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/api/view"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/media"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/moderation"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Posts are those of other servers, as far as people ask for them.
type Posts interface {
	// Take keeps a post that was fetched; what is none is db.ErrNotFound.
	Take(ctx context.Context, doc activitypub.Object) (*db.Status, error)
	// Recent asks again for a post that is here for long.
	Recent(ctx context.Context, id string)
	// RefreshPoll brings a poll up to date that was not for a minute.
	RefreshPoll(ctx context.Context, status *db.Status, poll *db.Poll) (*db.Poll, error)
}

// API answers the client API's requests. Its methods are web.Handlers; which
// path and scope each has stands in package server.
type API struct {
	DB         *db.DB
	View       *view.View
	Social     *social.Service
	Auth       *auth.Service
	Standings  *auth.Standings
	Signup     *signup.Service
	Moderation *moderation.Service
	Emojis     *emoji.Live
	Chats      *chats.Service
	Media      *media.Service
	Proxy      *media.Proxy
	Archive    *archive.Service
	Remote     *remote.Service // nil asks no other server
	Posts      Posts           // nil takes none of other servers
	// AwaitAnswer waits a moment until another server answers a follow; nil waits
	// for none.
	AwaitAnswer func(ctx context.Context, followerID, targetID string) error
	Settings    *config.Live
	Base        string // public base URL, without a slash
	Version     string
	Now         func() time.Time
	Scopes      []string // that some endpoint asks for, and their parents

	instance instance // what is kept to describe the instance
	listed   atomic.Pointer[listedEmojis]
}
