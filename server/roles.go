package server

import (
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/fault"
)

// plays reports whether a route belongs to the roles of this process. Probes belong to all.
func (s *Server) plays(r Route) bool {
	switch {
	case web.Probes[r.Path]:
		return true
	case r.Access == Stream, strings.HasPrefix(r.Path, "/api/v1/streaming/"):
		return s.cfg.Roles.Stream
	}
	return s.cfg.Roles.Web
}

// elsewhere refuses a request for which other processes are there.
func elsewhere(*gin.Context) error {
	return fault.Unavailable("This process of the server does not answer such requests (SVC_ROLES)")
}
