package ingest

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/federation/remote"
)

// ownerOf returns the address of the document of a key.
func ownerOf(keyID string) string {
	address, _, _ := strings.Cut(keyID, "#")
	return address
}

// onUpdate handles the Update of an account or an object.
func (s *Service) onUpdate(ctx context.Context, in *Incoming) error {
	object := in.Activity.Object("object")
	if in.Activity.IDOf("object") == in.Actor.URI || object != nil && isActor(object) {
		return s.updateAccount(ctx, in)
	}
	return s.updateObject(ctx, in)
}

// updateAccount stores an account's new profile. Only the account itself can
// change it: a profile that it did not sign is fetched.
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

// onDelete handles the Delete of an account or an object.
func (s *Service) onDelete(ctx context.Context, in *Incoming) error {
	if in.Activity.IDOf("object") == in.Actor.URI {
		return s.deleteAccount(ctx, in)
	}
	return s.deleteObject(ctx, in)
}

// deleteAccount deletes an account at its own word. A Delete by others counts
// once the account's server confirms it. A job removes its rows. Its key
// becomes invalid, or late activities would bring it back if its server still
// shows it.
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
