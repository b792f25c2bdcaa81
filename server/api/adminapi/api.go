// Package adminapi answers admins, under /api/svc/admin. Each noun is a small
// struct in a file of its own, with only the dependencies of its handlers as
// fields. A handler binds parameters, calls one operation or query, and
// renders; rules are below, in moderation and its kin.
//
// A request is checked in this order: the caller, by the guard of the route;
// the shape of its parameters and then the scope, by the binder; the rest by
// the operation.
package adminapi

import (
	"net/http"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/delivery"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/media"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/platform/static"
	"svc/server/rules/auth"
	"svc/server/rules/moderation"
	"svc/server/rules/push"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
)

// Parts are the dependencies of the API. Each noun has a method here; the paths
// and scopes of its handlers stand in package server.
type Parts struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	Signup     *signup.Service
	Auth       *auth.Service
	Emojis     *emoji.Live
	Outgoing   *outgoing.Client
	Media      *media.Service
	Proxy      *media.Proxy
	Push       *push.Service
	Static     *static.Folder
	Delivery   *delivery.Service
	Settings   *config.Live
	Saved      *settings.Store
	Remote     *remote.Service
	Rights     *rights.Service
	Site       config.Site
}

// bad refuses invalid parameters where the API has no more specific answer.
func bad() error { return &web.Answer{Status: http.StatusBadRequest, Body: "Invalid parameters"} }
