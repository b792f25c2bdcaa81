// Package adminapi holds the doors for admins, under /api/svc/admin: users,
// statuses, reports and the moderation log. A handler binds parameters, which ends
// with the scope, calls one operation or query, and renders; rules live in
// moderation.
//
// A request is looked at in this order: who calls (the route's guard), the
// shape of typed parameters, the scope, and only then what is asked for.
package adminapi

import (
	"net/http"
	"time"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/delivery"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/hosts"
	"svc/server/platform/media"
	"svc/server/platform/static"
	"svc/server/rules/auth"
	"svc/server/rules/moderation"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
)

// API answers the admin API's requests. Its methods are web.Handlers; which
// path and scope each has stands in package server.
type API struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	Signup     *signup.Service
	Auth       *auth.Service
	Emojis     *emoji.Live
	Media      *media.Service
	Proxy      *media.Proxy
	Static     *static.Folder
	Delivery   *delivery.Service
	Settings   *config.Live
	Saved      *settings.Store
	Remote     *remote.Service
	Site       config.Site
	Now        func() time.Time
}

// bad is the answer to parameters that make no sense where the API has no
// better word for them.
func bad() error { return &web.Answer{Status: http.StatusBadRequest, Body: "Invalid parameters"} }

// local is the nickname that we know a handle by: nick@own-host is nick, and other
// hosts are as they are kept.
func (a *API) local(handle string) string {
	nick, host, full := hosts.Handle(handle)
	if !full || host == a.Site.Host {
		return nick
	}
	return nick + "@" + host
}
