// Package adminapi holds the doors for admins, under /api/svc/admin. A handler
// decodes, checks the scope, calls one operation or query, and renders.
package adminapi

import (
	"time"

	"svc/db"
	"svc/server/config"
	"svc/server/moderation"
	"svc/server/view"
)

// API answers the admin API's requests. Its methods are web.Handlers; which
// path and scope each has stands in package server.
type API struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	Settings   *config.Live
	Base       string // public base URL, without a slash
	Now        func() time.Time
}
