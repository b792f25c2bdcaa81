package ingest

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/remote"
)

// announcedActivity handles an activity of somebody else that a group announces to
// its followers. The group proves nothing: what the activity is about is fetched
// from its own server. Shape: FEP-1b12.
func (s *Service) announcedActivity(ctx context.Context, in *Incoming, inner activitypub.Object) error {
	if in.Actor.ActorType != "Group" {
		return errDrop("an announced activity")
	}
	if heard, err := s.heard(ctx, in); err != nil {
		return err
	} else if !heard {
		return errDrop("an activity in a group that nobody here follows")
	}
	switch {
	case inner.Is("Like", "EmojiReact", "Undo"):
		return s.actInGroup(ctx, in, inner)
	case !inner.Is("Create", "Update", "Delete"):
		return errDrop("a %.50s in a group", inner.Type())
	}
	id, err := s.ids.Check(inner.IDOf("object"))
	if err != nil {
		return dropRefused(err)
	}
	status, err := s.db.StatusByURI(ctx, id)
	if err != nil && !isNotFound(err) {
		return err
	}
	known := err == nil
	switch {
	case inner.Is("Delete"):
		if !known {
			return nil
		}
		return s.deletedInGroup(ctx, in, status)
	case inner.Is("Update") && known:
		return s.changedInGroup(ctx, status)
	case inner.Is("Update") && id == in.Actor.URI:
		if _, err := s.remote.Refresh(ctx, in.Actor); err != nil {
			return dropUnfetched(id, err)
		}
		return nil
	}
	return s.reblogged(ctx, in, id)
}

// changedInGroup fetches a status that was changed.
func (s *Service) changedInGroup(ctx context.Context, status *db.Status) error {
	err := s.refetch(ctx, status)
	var no *dropped
	if err == nil || errors.As(err, &no) {
		return err
	}
	return dropUnfetched(*status.URI, err)
}

// deletedInGroup removes a status if its server says that it is gone.
func (s *Service) deletedInGroup(ctx context.Context, in *Incoming, status *db.Status) error {
	if status.Local {
		return errDrop("%.200q is of this server", *status.URI)
	}
	switch _, err := s.remote.Fetch(ctx, *status.URI); {
	case err == nil:
		return errDrop("%.200q is not deleted", *status.URI)
	case !errors.Is(err, remote.ErrGone) && !errors.Is(err, remote.ErrNotFound):
		return dropUnfetched(*status.URI, err)
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error { return s.social.In(tx).RemoveRemote(ctx, status.ID) }))
}

// actInGroup handles a favourite, a reaction, or that one is undone, as the server of
// its actor shows it.
func (s *Service) actInGroup(ctx context.Context, in *Incoming, inner activitypub.Object) error {
	id, err := s.ids.Check(inner.ID())
	if err != nil {
		return dropRefused(err)
	}
	doc, err := s.remote.Fetch(ctx, id)
	if err != nil {
		return dropUnfetched(id, err)
	}
	activity, err := s.normalise(doc)
	if err != nil {
		return dropRefused(err)
	}
	if activity.ID() != id || activity.Type() != inner.Type() {
		return errDrop("%.200q is another activity at its server", id)
	}
	if undone := activity.Object("object"); activity.Is("Undo") && (undone == nil || !undone.Is("Like", "EmojiReact")) {
		return errDrop("an Undo in a group")
	}
	actor, err := s.remote.Actor(ctx, activity.Text("actor"))
	if err != nil {
		return dropUnfetched(activity.Text("actor"), err)
	}
	if actor.Deactivated {
		return errDrop("its actor is deactivated here")
	}
	act := &Incoming{
		Activity: activity, ID: id, Hash: hash([]byte(id)), Actor: actor, Signer: actor, ReceivedAt: in.ReceivedAt, db: in.db, item: in.item,
	}
	err = s.Process(ctx, act)
	in.committed = act.committed
	return err
}
