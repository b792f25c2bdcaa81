package ingest

import (
	"context"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
)

// moving is how long an account that moved may not move again.
const moving = 7 * 24 * time.Hour

// onMove moves the local followers of an account to the target of its Move. The
// target must name the account, so its server is asked now.
func (s *Service) onMove(ctx context.Context, in *Incoming) error {
	if in.Activity.IDOf("object") != in.Actor.URI {
		return errDrop("an account moves another one")
	}
	uri, err := s.ids.Check(in.Activity.IDOf("target"))
	if err != nil {
		return err
	}
	if uri == in.Actor.URI {
		return errDrop("an account moves to itself")
	}
	if last, err := s.db.MovedAt(ctx, in.Actor.ID); err == nil && s.now().Sub(last.Time) < moving {
		return errDrop("it moved %s ago", s.now().Sub(last.Time).Round(time.Minute))
	} else if err != nil && !isNotFound(err) {
		return err
	}
	target, err := s.moved(ctx, uri)
	if err != nil {
		return err
	}
	if !slices.Contains(target.AlsoKnownAs, in.Actor.URI) {
		return errDrop("%.200q does not know whom it is moved from", uri)
	}
	if target.Deactivated || target.Invisible {
		return errDrop("%.200q cannot be followed", uri)
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		if err := tx.HoldActive(ctx, in.Actor.ID, target.ID); err != nil {
			return ignoreNotFound(err)
		}
		// Two concurrent activities are one move.
		if err := tx.Moved(ctx, in.Actor.ID, target.ID, db.At(s.now().Add(-moving))); isNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		in.Actor.MovedTo = target.URI
		if err := tx.UpdateAccount(ctx, in.Actor, "moved_to"); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.FollowMoved{AccountID: in.Actor.ID, TargetID: target.ID})
	})
}

// moved fetches the target of a move as its server shows it now.
func (s *Service) moved(ctx context.Context, uri string) (*db.Account, error) {
	if s.ours(uri) {
		target, err := s.db.AccountByURI(ctx, uri)
		if isNotFound(err) {
			return nil, errDrop("it moves to nobody")
		}
		return target, err
	}
	if s.remote.Blocked(s.ids.Host(uri)) {
		return nil, errDrop("it moves to a server that is blocked")
	}
	target, err := s.db.AccountByURI(ctx, uri)
	if isNotFound(err) {
		target, err = s.remote.Actor(ctx, uri)
	} else if err == nil {
		target, err = s.remote.Refresh(ctx, target)
	}
	if err != nil {
		return nil, dropUnfetched(uri, err)
	}
	return target, nil
}
