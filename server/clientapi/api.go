// Package clientapi holds the doors for people's clients: the Mastodon client
// API at level 2.7.2 with the service's extensions, and OAuth. A handler
// decodes, calls one operation or query, and renders; rules live elsewhere.
package clientapi

import (
	"context"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/archive"
	"svc/server/auth"
	"svc/server/chats"
	"svc/server/config"
	"svc/server/emoji"
	"svc/server/media"
	"svc/server/moderation"
	"svc/server/remote"
	"svc/server/signup"
	"svc/server/social"
	"svc/server/view"
)

// API answers the client API's requests. Its methods are web.Handlers; which
// path and scope each has stands in package server.
type API struct {
	DB         *db.DB
	View       *view.View
	Social     *social.Service
	Auth       *auth.Service
	Signup     *signup.Service
	Moderation *moderation.Service
	Emojis     *emoji.Live
	Chats      *chats.Service
	Media      *media.Service
	Proxy      *media.Proxy
	Archive    *archive.Service
	Remote     *remote.Service // nil asks no other server
	// StatusAt finds the status that another server has under an id, and keeps
	// it; it is asked for as by where nobody else may see it. nil finds none.
	StatusAt func(ctx context.Context, id string, by *db.Account) (*db.Status, error)
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
