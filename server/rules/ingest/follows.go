package ingest

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
)

// onFollow handles a follow, or a follow request, of a local account.
func (s *Service) onFollow(ctx context.Context, in *Incoming) error {
	object := in.Activity.IDOf("object")
	if object == s.relays.URI() {
		return in.Commit(ctx, func(tx *db.DB) error { return s.relays.Followed(ctx, tx, in.Actor, in.ID) })
	}
	target, err := s.db.AccountByURI(ctx, object)
	if isNotFound(err) || err == nil && (!target.Local || target.Invisible) {
		return errDrop("nobody here is followed")
	}
	if err != nil {
		return err
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		answer, err := s.social.In(tx).TakeFollow(ctx, in.Actor, target.ID, in.ID)
		if err != nil {
			return err
		}
		f := &db.Follow{FollowerID: in.Actor.ID, TargetID: target.ID, URI: in.ID}
		switch answer {
		case social.FollowAccepted:
			return s.outbox.Accepted(ctx, tx, target, in.Actor, f)
		case social.FollowRejected:
			return s.outbox.Rejected(ctx, tx, target, in.Actor, f)
		}
		return nil
	})
}

// onAccept handles the acceptance of a local account's follow, or of a relay's.
func (s *Service) onAccept(ctx context.Context, in *Incoming) error {
	return s.answered(ctx, in, func(tx *db.DB, id, follower string) error {
		return s.social.In(tx).TakeAccept(ctx, in.Actor, id, follower)
	})
}

// onReject handles a rejection, which also ends an accepted follow.
func (s *Service) onReject(ctx context.Context, in *Incoming) error {
	return s.answered(ctx, in, func(tx *db.DB, id, follower string) error {
		return s.social.In(tx).TakeReject(ctx, in.Actor, id, follower)
	})
}

func (s *Service) answered(ctx context.Context, in *Incoming, take func(tx *db.DB, id, follower string) error) error {
	follow := in.Activity.Object("object")
	follower := ""
	if follow != nil {
		// A relay may have been asked to follow the public address.
		follower = follow.IDOf("actor")
		if follow.Type() != "" && !follow.Is("Follow") || s.about(follow, in.Actor.URI) != in.Actor.URI && follower != s.relays.URI() {
			return errDrop("it answers no follow of its actor")
		}
	}
	err := in.Commit(ctx, func(tx *db.DB) error {
		ours, err := s.relays.Answered(ctx, tx, in.Actor, in.Activity)
		if err != nil || ours {
			return err
		}
		if err = take(tx, in.Activity.IDOf("object"), follower); isNotFound(err) {
			return errDrop("nobody here asked for it")
		}
		return err
	})
	return err
}

// about returns the object of an inner activity, or else usual.
func (s *Service) about(inner activitypub.Object, usual string) string {
	if id := inner.IDOf("object"); id != "" {
		return id
	}
	return usual
}

// onBlock handles the block of a local account.
func (s *Service) onBlock(ctx context.Context, in *Incoming) error {
	target, err := s.db.AccountByURI(ctx, in.Activity.IDOf("object"))
	if isNotFound(err) || err == nil && (!target.Local || target.Invisible) {
		return errDrop("nobody here is blocked")
	}
	if err != nil {
		return err
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		return s.social.In(tx).TakeBlock(ctx, in.Actor, target.ID, in.ID)
	})
}

// onUndo undoes an activity of the actor: by its id, or by its kind and object.
// An unknown one is remembered for a while, since it may still come.
func (s *Service) onUndo(ctx context.Context, in *Incoming) error {
	id, inner := in.Activity.IDOf("object"), in.Activity.Object("object")
	kind, object := "", ""
	if inner != nil {
		if actor := inner.IDOf("actor"); actor != "" && actor != in.Actor.URI {
			return errDrop("it undoes what somebody else did")
		}
		kind, object = inner.Type(), inner.IDOf("object")
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		for _, undo := range s.undoers(kind) {
			found, err := undo(ctx, tx, in, undone{id: id, kind: kind, object: object, inner: inner})
			if err != nil || found {
				return err
			}
		}
		if id == "" || in.repeated || !s.ids.SameOrigin(id, in.Actor.URI) {
			return nil
		}
		return tx.AddUndone(ctx, id, in.Actor.URI)
	})
}

// undone is the object of an Undo. Fields but id are "" or nil if only an id is
// given.
type undone struct {
	id, kind, object string
	inner            activitypub.Object
}

type undoer func(ctx context.Context, tx *db.DB, in *Incoming, what undone) (found bool, err error)

// undoers returns the functions that can undo activities of a type, all for "".
func (s *Service) undoers(kind string) []undoer {
	switch kind {
	case "Follow":
		return []undoer{s.undoFollow}
	case "Block":
		return []undoer{s.undoBlock}
	case "Like", "EmojiReact", "Announce":
		return []undoer{s.undoRemote}
	case "":
		return []undoer{s.undoFollow, s.undoBlock, s.undoRemote}
	}
	return nil
}

func (s *Service) undoFollow(ctx context.Context, tx *db.DB, in *Incoming, what undone) (bool, error) {
	return s.social.In(tx).TakeUnfollow(ctx, in.Actor, what.id, what.object)
}

func (s *Service) undoBlock(ctx context.Context, tx *db.DB, in *Incoming, what undone) (bool, error) {
	return s.social.In(tx).TakeUnblock(ctx, in.Actor, what.id, what.object)
}

// undoRemote undoes a favourite, a reaction or a reblog.
func (s *Service) undoRemote(ctx context.Context, tx *db.DB, in *Incoming, what undone) (bool, error) {
	inner := what.inner
	if inner == nil {
		inner = activitypub.Object{"id": what.id}
	}
	return s.undoInteraction(ctx, tx, in.Actor, inner)
}
