// Package documents serves other servers: actors, statuses, activities,
// collections, and the ways to find them. Access to private documents depends
// on the signer of the request; see readers.go.
package documents

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/config"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Remote   *remote.Service
	Site     config.Site
	Now      func() time.Time
}

// Service answers other servers. Its methods are web.Handlers.
type Service struct {
	db     *db.DB
	live   *config.Live
	remote *remote.Service
	base   string
	host   string
	now    func() time.Time
	kept   *cache
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{db: p.DB, live: p.Settings, remote: p.Remote, base: p.Site.Base, host: p.Site.Host, now: p.Now, kept: newCache(p.Now)}
}

// unfederated answers other servers while federation is off.
var unfederated = &web.Answer{Status: http.StatusNotFound, Body: gin.H{"errors": gin.H{"detail": "Page not found"}}}

// open answers with h without a signature: the document is public, and needed
// to verify signatures.
func (s *Service) open(h web.Handler) web.Handler {
	return func(c *gin.Context) error {
		c.Header("Vary", web.VaryBySigner)
		if !s.live.Load().Instance.Federating {
			return unfederated
		}
		return h(c)
	}
}

// read answers with h for a reader. In secure mode the request must be signed.
func (s *Service) read(h func(c *gin.Context, r reader) error) web.Handler {
	return s.open(func(c *gin.Context) error {
		r, err := s.reader(c)
		if err != nil {
			return sayUnsigned(c, err)
		}
		return h(c, r)
	})
}

const (
	linkedData = "application/ld+json"
	// profiled is linked data of the kind that is served.
	profiled = `application/ld+json; profile="https://www.w3.org/ns/activitystreams"; charset=utf-8`
	usual    = activitypub.ContentType + "; charset=utf-8"
)

// send answers with a document, in the type that was asked for.
func send(c *gin.Context, status int, doc activitypub.Object) error {
	raw, err := activitypub.Encode(doc)
	if err != nil {
		return err
	}
	sendRaw(c, status, raw)
	return nil
}

func sendRaw(c *gin.Context, status int, raw []byte) {
	kind := usual
	if accept := strings.ToLower(c.GetHeader("Accept")); strings.Contains(accept, linkedData) && !strings.Contains(accept, activitypub.ContentType) {
		kind = profiled
	}
	c.Header("Content-Length", strconv.Itoa(len(raw)))
	c.Data(status, kind, raw)
}

// gone answers for a deleted object.
func gone(c *gin.Context, uri, kind string, at db.Time) error {
	return send(c, http.StatusGone, activitypub.Tombstone(uri, kind, at))
}
