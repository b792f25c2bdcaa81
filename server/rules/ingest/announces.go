package ingest

import (
	"context"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
)

// onAnnounce handles a reblog. The object of a relay's Announce is fetched and
// stored, without a reblog.
func (s *Service) onAnnounce(ctx context.Context, in *Incoming) error {
	relayed, err := s.relays.From(ctx, in.Actor)
	if err != nil {
		return err
	}
	if in.Forwarded {
		if err := s.confirmed(ctx, in); err != nil {
			return err
		}
	}
	if inner := in.Activity.Object("object"); inner != nil && inner["object"] != nil && !relayed {
		return s.announcedActivity(ctx, in, inner)
	}
	id, err := s.ids.Check(announced(in.Activity))
	if err != nil {
		return dropRefused(err)
	}
	if relayed {
		_, err := s.object(ctx, id)
		return err
	}
	return s.reblogged(ctx, in, id)
}

// reblogged stores the reblog of a status.
func (s *Service) reblogged(ctx context.Context, in *Incoming, id string) error {
	status, err := s.announcedStatus(ctx, in, id)
	if err != nil {
		return err
	}
	reblog := social.RemoteReblog{URI: in.ID, To: in.Activity.Addresses("to"), CC: in.Activity.Addresses("cc"), At: s.notFuture(in.Activity.Time("published"))}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		return s.social.In(tx).TakeReblog(ctx, in.Actor, status.ID, reblog)
	}))
}

// announced returns the id of the announced object: the status itself, if a
// relay forwards the activity that created it.
func announced(a activitypub.Object) string {
	if object := a.Object("object"); object != nil && object.Is("Create", "Update") {
		return object.IDOf("object")
	}
	return a.IDOf("object")
}

// confirmed fetches a forwarded Announce from the actor's own server: a reblog
// counts only at its author's word.
func (s *Service) confirmed(ctx context.Context, in *Incoming) error {
	doc, err := s.remote.Fetch(ctx, in.ID)
	if err != nil {
		return dropUnfetched(in.ID, err)
	}
	if !doc.Is("Announce") || doc.IDOf("actor") != in.Actor.URI || !s.ids.SameOrigin(in.ID, in.Actor.URI) {
		return errDrop("%.200q is no reblog by %.200q", in.ID, in.Actor.URI)
	}
	in.Activity, err = s.judge(ctx, in.Actor, doc) // it may differ from the forwarded one
	return err
}

// announcedStatus returns the announced status. An unknown one is fetched if
// the actor has local followers, or is a relay.
func (s *Service) announcedStatus(ctx context.Context, in *Incoming, id string) (*db.Status, error) {
	status, err := s.db.StatusAt(ctx, id)
	if err == nil && status.ReblogOfID == nil {
		return status, nil
	}
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	if heard, err := s.heard(ctx, in); err != nil {
		return nil, err
	} else if !heard {
		return nil, errDrop("a reblog of an unknown status, by an account without local followers")
	}
	return s.object(ctx, id)
}

// heard reports whether somebody here follows the actor of an activity, or owns the
// inbox that it came to.
func (s *Service) heard(ctx context.Context, in *Incoming) (bool, error) {
	followers, err := s.db.LocalFollowers(ctx, in.Actor.ID, 1)
	return followers > 0 || in.Owner != nil, err
}

// notFuture returns a remote time, or now if it is zero or in the future.
func (s *Service) notFuture(t time.Time) db.Time {
	if now := s.now(); t.IsZero() || t.After(now) || t.Year() < 1980 {
		return db.At(now)
	}
	return db.At(t)
}
