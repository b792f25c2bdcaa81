package federation

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/activitypub"
	"svc/server/fault"
	"svc/server/remote"
	"svc/server/web"
)

// Inbox is POST /inbox, for everybody here.
func (s *Service) Inbox(c *gin.Context) error { return s.receive(c, nil) }

// UserInbox is POST /users/:nickname/inbox. 404 is a user whom there never was,
// 410 one who is deleted.
func (s *Service) UserInbox(c *gin.Context) error {
	return s.receive(c, func(ctx context.Context) (string, error) {
		owner, err := s.db.AccountByNickname(ctx, c.Param("nickname"))
		if err != nil || !owner.Local || owner.Invisible {
			return "", orMissing(err)
		}
		gone, err := s.db.Deleted(ctx, owner.ID)
		if err == nil && gone {
			err = fault.Gone("Gone")
		}
		return owner.ID, err
	})
}

func orMissing(err error) error {
	if err == nil {
		return db.ErrNotFound
	}
	return err
}

// unpublished answers what is no page of this server.
var unpublished = gin.H{"errors": gin.H{"detail": "Page not found"}}

// receive takes an activity: it is kept, and answered before it is worked off.
// What costs least is judged first, so that those who send very much of nothing
// cost little. Whoever signs badly gets one answer, whatever is known here.
//
// Answers: 202; 400 what cannot be read; 401 no signature that counts; 403 a
// blocked server; 404 and 410 of owner; 413, 415 and 408 the body; 429 a server
// of which too much waits; 503 a key that cannot be had for now.
func (s *Service) receive(c *gin.Context, owner func(context.Context) (string, error)) error {
	if !s.settings.Load().Instance.Federating {
		return &web.Answer{Status: http.StatusNotFound, Body: unpublished}
	}
	body, err := read(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	// All of the signature that needs no key.
	sig, err := s.remote.Parse(c.Request, body)
	if err != nil {
		return s.unsigned(c, err)
	}
	doc, err := activitypub.Decode(body)
	if err != nil {
		return fault.Malformed("The activity cannot be read")
	}
	actor, err := s.ids.Check(doc.IDOf("actor"))
	if err != nil || doc.Type() == "" {
		return fault.Malformed("The activity has no type or no actor")
	}
	it := &item{doc: doc, row: db.InboxItem{Actor: actor, Body: body, Size: len(body)}}
	if owner != nil {
		if it.row.OwnerID, err = owner(ctx); err != nil {
			return err
		}
	}
	if done, err := s.cheap(ctx, doc, actor); err != nil || done {
		return accepted(c, err)
	}
	ctx = remote.WithSource(ctx, web.RemoteAddr(c))
	signer, err := s.remote.Signed(ctx, sig)
	switch {
	case errors.Is(err, remote.ErrSignerGone) && doc.Is("Delete") && ofItself(doc):
		return accepted(c, s.signerGone(ctx, actor, sig.KeyID))
	case refused(err) && ofItself(doc):
		return accepted(c, nil) // as if it were of a stranger
	case err != nil:
		return s.unsigned(c, err)
	}
	if known, err := s.seen(ctx, doc, body); err != nil || known {
		return accepted(c, err)
	}
	if signer.Account.Deactivated && !doc.Is("Delete") {
		return accepted(c, nil)
	}
	it.row.SignerID, it.row.Host = signer.Account.ID, s.ids.Host(signer.Account.URI)
	now := db.At(s.now())
	it.row.NextAt, it.row.ReceivedAt = now, now
	if err := s.bounded(ctx, it.row.Host, len(body)); err != nil {
		return err
	}
	return accepted(c, s.enqueue(ctx, it))
}

func accepted(c *gin.Context, err error) error {
	if err != nil {
		return err
	}
	c.Header("Content-Length", "0")
	c.Status(http.StatusAccepted)
	c.Writer.WriteHeaderNow()
	return nil
}

// read returns the body as it came: hashed and parsed are the same bytes.
func read(c *gin.Context) ([]byte, error) {
	req := c.Request
	if !activitypub.IsDocument(req.Header.Get("Content-Type")) || req.Header.Get("Content-Encoding") != "" {
		return nil, &web.Answer{Status: http.StatusUnsupportedMediaType, Body: gin.H{"error": "The body must be " + activitypub.ContentType}}
	}
	return io.ReadAll(req.Body) // web bounds it, in length and in time
}

// unsigned is how a signature is refused. Why is for the log alone: who signs
// badly learns nothing.
func (s *Service) unsigned(c *gin.Context, err error) error {
	if !errors.Is(err, remote.ErrUnsigned) {
		s.log.InfoContext(c.Request.Context(), "refused a signature", "reason", cut(err.Error()))
	}
	switch {
	case errors.Is(err, remote.ErrBlocked):
		return fault.Forbidden("This server is blocked")
	case errors.Is(err, remote.ErrUnsigned):
		return fault.Unauthenticated("Request not signed")
	case errors.Is(err, remote.ErrBadSignature):
		return fault.Unauthenticated("The signature does not count")
	case errors.Is(err, remote.ErrKeyAway):
		return web.Later(c, remote.KeyRetry, "The key of the signature cannot be had now")
	}
	return err
}

// refused tells whether a signature does not count, now or ever.
func refused(err error) bool {
	return errors.Is(err, remote.ErrBadSignature) || errors.Is(err, remote.ErrKeyAway)
}

// ofItself tells whether an actor deletes or changes itself.
func ofItself(doc activitypub.Object) bool {
	return doc.Is("Delete", "Update") && doc.IDOf("object") == doc.IDOf("actor")
}

// cheap tells whether an activity is answered without asking who signed it: its
// type means nothing here, or a stranger deletes or changes himself.
func (s *Service) cheap(ctx context.Context, doc activitypub.Object, actor string) (bool, error) {
	if s.handler(doc.Type()) == nil {
		return true, nil
	}
	if !ofItself(doc) {
		return false, nil
	}
	_, err := s.db.AccountByURI(ctx, actor)
	if missing(err) {
		return true, nil
	}
	return false, err
}

// seen tells whether an activity was worked off before: the same id with the
// same body. A Follow or an Undo counts each time that it comes.
func (s *Service) seen(ctx context.Context, doc activitypub.Object, body []byte) (bool, error) {
	id, err := s.ids.Check(doc.ID())
	if err != nil || doc.Is("Follow", "Undo") {
		return false, nil
	}
	return s.db.SeenActivity(ctx, id, hash(body))
}

// hash is that of a body, by which an activity is known besides its id.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// signerGone removes an account that deletes itself with a key that its server
// says is gone. It counts only once the server says the same of the account: a
// signature that nobody can check proves nothing.
func (s *Service) signerGone(ctx context.Context, actor, keyID string) error {
	account, err := s.db.AccountByURI(ctx, actor)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if account.Local || account.KeyID != keyID && ownerOf(keyID) != account.URI {
		return nil
	}
	if _, err := s.remote.Look(ctx, account.URI); !errors.Is(err, remote.ErrGone) {
		s.log.InfoContext(ctx, "an account that deletes itself with a key that is gone is not gone", "actor", quote(actor), "err", err)
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.KeyGone(ctx, keyID); err != nil {
			return err
		}
		_, err := s.social.In(tx).DeleteAccount(ctx, account, account)
		return err
	})
}
