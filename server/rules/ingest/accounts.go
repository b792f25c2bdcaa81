package ingest

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/federation/remote"
)

// ownerOf is the address of the document that a key is part of.
func ownerOf(keyID string) string {
	address, _, _ := strings.Cut(keyID, "#")
	return address
}

// onUpdate changes an account or an object.
func (s *Service) onUpdate(ctx context.Context, in *Incoming) error {
	object := in.Activity.Object("object")
	if in.Activity.IDOf("object") == in.Actor.URI || object != nil && isActor(object) {
		return s.updateAccount(ctx, in)
	}
	return s.updateObject(ctx, in)
}

// updateAccount keeps what an account says of itself. Nobody says it for another:
// what he did not sign himself is asked for.
func (s *Service) updateAccount(ctx context.Context, in *Incoming) error {
	if in.Activity.IDOf("object") != in.Actor.URI {
		return errDrop("an account changes another one")
	}
	object := in.Activity.Object("object")
	var err error
	if object != nil && isActor(object) && !in.Forwarded {
		_, err = s.remote.StoreActor(ctx, object)
	} else {
		_, err = s.remote.Refresh(ctx, in.Actor)
	}
	if err != nil {
		return dropUnfetched(in.Actor.URI, err)
	}
	return nil
}

// onDelete removes an account or an object.
func (s *Service) onDelete(ctx context.Context, in *Incoming) error {
	if in.Activity.IDOf("object") == in.Actor.URI {
		return s.deleteAccount(ctx, in)
	}
	return s.deleteObject(ctx, in)
}

// deleteAccount removes an account because it says so itself. What someone else
// says of it counts once its own server says the same. A job removes what it
// made. Its key counts no more, or what comes late would bring it back where its
// server still shows it.
func (s *Service) deleteAccount(ctx context.Context, in *Incoming) error {
	if in.Forwarded {
		_, err := s.remote.Look(ctx, in.Actor.URI)
		switch {
		case err == nil:
			return errDrop("the account that is deleted is still there")
		case errors.Is(err, remote.ErrGone), errors.Is(err, remote.ErrNotFound):
		default:
			return dropUnfetched(in.Actor.URI, err)
		}
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		if err := tx.MarkKeyGone(ctx, in.Actor.KeyID); err != nil {
			return err
		}
		_, err := s.social.In(tx).DeleteAccount(ctx, in.Actor, in.Actor)
		return err
	})
}
