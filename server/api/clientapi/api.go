// Package clientapi holds the doors for people's clients: the Mastodon client
// API at level 2.7.2 with the service's extensions, and OAuth. A handler
// decodes, calls one operation or query, and renders; rules live elsewhere.
package clientapi

import (
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/api/view"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/media"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/ingest"
	"svc/server/rules/login"
	"svc/server/rules/moderation"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// API answers the client API's requests. Its methods are web.Handlers; which
// path and scope each has stands in package server.
type API struct {
	DB         *db.DB
	View       *view.View
	Social     *social.Service
	Auth       *auth.Service
	Standings  *auth.Standings
	Login      *login.Service
	Signup     *signup.Service
	Moderation *moderation.Service
	Emojis     *emoji.Live
	Chats      *chats.Service
	Media      *media.Service
	Proxy      *media.Proxy
	Archive    *archive.Service
	Remote     *remote.Service
	Ingest     *ingest.Service
	Settings   *config.Live
	Site       config.Site
	Version    string
	Now        func() time.Time
	Scopes     []string // that some endpoint asks for, and their parents

	instance instance // what is kept to describe the instance
	listed   atomic.Pointer[listedEmojis]
}
