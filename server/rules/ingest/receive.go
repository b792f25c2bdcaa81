package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/httpsig"
	"svc/server/federation/remote"
	"svc/server/platform/fault"
)

// Delivered is an activity as it was delivered.
type Delivered struct {
	Body      []byte
	Signature *httpsig.Signature // parsed, not checked
	// Owner returns the account of a personal inbox; nil is the shared inbox.
	Owner func(context.Context) (string, error)
}

// Receive stores an activity for later processing. Cheap checks come first, so
// that floods of junk cost little. All bad signatures get the same answer, so
// that it does not disclose which actors are known here.
//
// Errors are faults, those of Owner, and those of remote's signatures.
func (s *Service) Receive(ctx context.Context, in Delivered) error {
	doc, err := activitypub.Decode(in.Body)
	if err != nil {
		return fault.Malformed("The activity cannot be read")
	}
	actor, err := s.ids.Check(doc.IDOf("actor"))
	if err != nil || doc.Type() == "" {
		return fault.Malformed("The activity has no type or no actor")
	}
	it := &item{doc: doc, row: db.InboxItem{Actor: actor, Body: in.Body, Size: len(in.Body)}}
	if in.Owner != nil {
		if it.row.OwnerID, err = in.Owner(ctx); err != nil {
			return err
		}
	}
	if done, err := s.cheap(ctx, doc, actor); err != nil || done {
		return err
	}
	signer, err := s.remote.Signed(ctx, in.Signature)
	switch {
	case errors.Is(err, remote.ErrSignerGone) && doc.Is("Delete") && ofItself(doc):
		return s.signerGone(ctx, actor, in.Signature.KeyID)
	case refused(err) && ofItself(doc):
		return nil // as for an unknown actor
	case err != nil:
		return err
	}
	if known, err := s.seen(ctx, doc, in.Body); err != nil || known {
		return err
	}
	if signer.Account.Deactivated && !doc.Is("Delete") {
		return nil
	}
	it.row.SignerID, it.row.Host = signer.Account.ID, s.ids.Host(signer.Account.URI)
	now := db.At(s.now())
	it.row.NextAt, it.row.ReceivedAt = now, now
	if err := s.bounded(ctx, it.row.Host, len(in.Body)); err != nil {
		return err
	}
	return s.enqueue(ctx, it)
}

// refused reports whether a signature can never become valid.
func refused(err error) bool {
	return errors.Is(err, remote.ErrBadSignature) || errors.Is(err, remote.ErrKeyAway)
}

// ofItself reports whether an actor deletes or updates itself.
func ofItself(doc activitypub.Object) bool {
	return doc.Is("Delete", "Update") && doc.IDOf("object") == doc.IDOf("actor")
}

// cheap reports whether an activity is answered without checking its signature:
// its type is ignored here, or an unknown actor deletes or updates itself.
func (s *Service) cheap(ctx context.Context, doc activitypub.Object, actor string) (bool, error) {
	if s.handler(doc.Type()) == nil {
		return true, nil
	}
	if !ofItself(doc) {
		return false, nil
	}
	_, err := s.db.AccountByURI(ctx, actor)
	if isNotFound(err) {
		return true, nil
	}
	return false, err
}

// seen reports whether an activity was processed before: the same id with the
// same body. A Follow or an Undo counts each time.
func (s *Service) seen(ctx context.Context, doc activitypub.Object, body []byte) (bool, error) {
	id, err := s.ids.Check(doc.ID())
	if err != nil || doc.Is("Follow", "Undo") {
		return false, nil
	}
	return s.db.ActivitySeen(ctx, id, hash(body))
}

// hash returns the hash of a body, which identifies an activity together with
// its id.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// signerGone deletes an account that deletes itself with a key that its server
// says is gone. The server must also confirm that the account is gone, since
// the signature cannot be verified.
func (s *Service) signerGone(ctx context.Context, actor, keyID string) error {
	account, err := s.db.AccountByURI(ctx, actor)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if account.Local || account.KeyID != keyID && ownerOf(keyID) != account.URI {
		return nil
	}
	if _, err := s.remote.Look(ctx, account.URI); !errors.Is(err, remote.ErrGone) {
		s.log.InfoContext(ctx, "ignored a self-deletion: the account still exists", "actor", quote(actor), "err", err)
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.MarkKeyGone(ctx, keyID); err != nil {
			return err
		}
		_, err := s.social.In(tx).DeleteAccount(ctx, account, account)
		return err
	})
}
