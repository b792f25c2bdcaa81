package documents

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
	"svc/server/platform/fault"
)

// reader is the server or account that a document is for.
type reader struct {
	signer *db.Account // nil for an anonymous reader
}

// The faults of a request in secure mode.
var (
	errUnsigned   = errors.New("the request is not signed")
	errUnverified = errors.New("the signature does not count")
)

// signed reports whether a request claims to be signed.
func signed(req *http.Request) bool {
	return req.Header.Get("Signature") != "" || req.Header.Get("Signature-Input") != "" ||
		strings.HasPrefix(strings.ToLower(req.Header.Get("Authorization")), "signature ")
}

// reader identifies the signer of a request. An invalid signature counts as
// none. In secure mode, no signature is errUnsigned, an invalid one
// errUnverified, and a blocked server is refused.
func (s *Service) reader(c *gin.Context) (reader, error) {
	secure := s.live.Load().ActivityPub.SecureMode
	if secure || signed(c.Request) {
		// The answer is for this reader alone.
		c.Header("Cache-Control", "private, no-store")
	}
	if !signed(c.Request) {
		if secure {
			return reader{}, errUnsigned
		}
		return reader{}, nil
	}
	ctx := remote.WithSource(c.Request.Context(), web.RemoteAddr(c))
	signer, err := s.remote.Verify(ctx, c.Request, nil)
	switch {
	case err == nil:
		return reader{signer.Account}, nil
	case errors.Is(err, remote.ErrBlocked):
		return reader{}, fault.Forbidden("Your server is blocked here")
	case !errors.Is(err, remote.ErrUnsigned) && !errors.Is(err, remote.ErrBadSignature) && !errors.Is(err, remote.ErrKeyAway):
		return reader{}, err
	case secure:
		return reader{}, fmt.Errorf("%w: %w", errUnverified, err)
	}
	return reader{}, nil
}

// sayUnsigned answers a request with a missing or invalid signature; err is the
// error of reader. Other errors are returned.
func sayUnsigned(c *gin.Context, err error) error {
	switch {
	case errors.Is(err, remote.ErrKeyAway):
		return web.Later(c, remote.KeyRetry, "The key of the signature cannot be had now")
	case errors.Is(err, errUnverified), errors.Is(err, errUnsigned):
		c.String(http.StatusUnauthorized, "Request not signed")
		return nil
	}
	return err
}

// blocked reports whether a local account blocks the reader.
func (s *Service) blocked(ctx context.Context, r reader, accountID string) (bool, error) {
	if r.signer == nil {
		return false, nil
	}
	return s.db.Blocks(ctx, accountID, r.signer.ID)
}

// mayRead reports whether a reader may have a local status or reblog: one
// statement at most.
func (s *Service) mayRead(ctx context.Context, r reader, status *db.Status, author *db.Account) (bool, error) {
	if !author.Local || author.Deactivated || author.ApprovalPending || status.Visibility == db.Local {
		return false, nil
	}
	public := status.Visibility == db.Public || status.Visibility == db.Unlisted
	if r.signer == nil {
		return public, nil
	}
	standing, err := s.db.RemoteAccessOf(ctx, r.signer.ID, author.ID, status.ID)
	if err != nil || standing.Blocked {
		return false, err
	}
	return public || standing.Addressed || activitypub.Addressed(status, r.signer.URI) ||
		standing.Follows && activitypub.Addressed(status, author.FollowersURI), nil
}

// named reports whether a reader is among the recipients of an activity.
func (s *Service) named(ctx context.Context, r reader, doc activitypub.Object, actor *db.Account) (bool, error) {
	to := append(doc.Addresses("to"), doc.Addresses("cc")...)
	public := slices.Contains(to, activitypub.Public)
	if r.signer == nil {
		return public, nil
	}
	standing, err := s.db.RemoteAccessOf(ctx, r.signer.ID, actor.ID, "")
	if err != nil || standing.Blocked {
		return false, err
	}
	return public || slices.Contains(to, r.signer.URI) || standing.Follows && slices.Contains(to, actor.FollowersURI), nil
}

// remember stores that a server fetched a status, so that it gets the Delete
// later. The answer does not depend on it.
func (s *Service) remember(c *gin.Context, r reader, status *db.Status) {
	if r.signer == nil {
		return
	}
	inbox := r.signer.SharedInbox
	if inbox == "" {
		inbox = r.signer.Inbox
	}
	if inbox == "" {
		return
	}
	if err := s.db.AddFetcher(c.Request.Context(), status.ID, inbox); err != nil {
		web.Log(c).WarnContext(c.Request.Context(), "cannot keep who asked for a post", "err", err, "status_id", status.ID)
	}
}
