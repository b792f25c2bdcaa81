// Package inbox receives activities from other servers. It reads and answers
// the request; package ingest processes the activity later.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/ingest"
)

// API answers the deliveries of other servers. Its methods are web.Handlers.
type API struct {
	DB       *db.DB
	Remote   *remote.Service
	Ingest   *ingest.Service
	Settings *config.Live
	Log      *slog.Logger
}

// Shared is POST /inbox, for all local accounts.
func (a *API) Shared(c *gin.Context) error { return a.receive(c, nil) }

// Personal is POST /users/:nickname/inbox. It answers 404 for an unknown user,
// and 410 for a deleted one.
func (a *API) Personal(c *gin.Context) error {
	return a.receive(c, func(ctx context.Context) (string, error) {
		owner, err := a.DB.AccountByNickname(ctx, c.Param("nickname"))
		switch {
		case err != nil:
			return "", err
		case !owner.Local || owner.Invisible:
			return "", db.ErrNotFound
		}
		gone, err := a.DB.Deleted(ctx, owner.ID)
		if err == nil && gone {
			err = fault.Gone("Gone")
		}
		return owner.ID, err
	})
}

// unpublished is the body for a path without a page.
var unpublished = gin.H{"errors": gin.H{"detail": "Page not found"}}

// receive stores an activity and answers before it is processed.
//
// Answers: 202; 400 an unreadable activity; 401 no valid signature; 403 a
// blocked server; 404 and 410 of owner; 413, 415 and 408 the body; 429 a server
// with too many waiting activities; 503 a key that cannot be fetched for now.
func (a *API) receive(c *gin.Context, owner func(context.Context) (string, error)) error {
	if !a.Settings.Load().Instance.Federating {
		return &web.Answer{Status: http.StatusNotFound, Body: unpublished}
	}
	body, err := read(c)
	if err != nil {
		return err
	}
	// These checks of the signature need no key.
	sig, err := a.Remote.Parse(c.Request, body)
	if err != nil {
		return a.unsigned(c, err)
	}
	ctx := remote.WithSource(c.Request.Context(), web.RemoteAddr(c))
	if err := a.Ingest.Receive(ctx, ingest.Delivered{Body: body, Signature: sig, Owner: owner}); err != nil {
		return a.unsigned(c, err)
	}
	c.Header("Content-Length", "0")
	c.Status(http.StatusAccepted)
	c.Writer.WriteHeaderNow()
	return nil
}

// read returns the body unchanged, so that the hashed bytes are the parsed
// ones.
func read(c *gin.Context) ([]byte, error) {
	req := c.Request
	if !activitypub.IsDocument(req.Header.Get("Content-Type")) || req.Header.Get("Content-Encoding") != "" {
		return nil, &web.Answer{Status: http.StatusUnsupportedMediaType, Body: gin.H{"error": "The body must be " + activitypub.ContentType}}
	}
	return io.ReadAll(req.Body) // web bounds it, in length and in time
}

// unsigned refuses a signature. Only the log has the reason: the answer
// discloses nothing.
func (a *API) unsigned(c *gin.Context, err error) error {
	var answer error
	switch {
	case errors.Is(err, remote.ErrUnsigned):
		return fault.Unauthenticated("Request not signed")
	case errors.Is(err, remote.ErrBlocked):
		answer = fault.Forbidden("This server is blocked")
	case errors.Is(err, remote.ErrBadSignature):
		answer = fault.Unauthenticated("The signature does not count")
	case errors.Is(err, remote.ErrKeyAway):
		answer = web.Later(c, remote.KeyRetry, "The key of the signature cannot be had now")
	default:
		return err
	}
	a.Log.InfoContext(c.Request.Context(), "refused a signature", "reason", fmt.Sprintf("%.500s", err))
	return answer
}
