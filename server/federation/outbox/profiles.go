package outbox

import (
	"context"
	"errors"
	"slices"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
)

// ProfileChanged sends an account's profile: at once or, if one was just sent,
// in a moment with its state then.
func (s *Service) ProfileChanged(ctx context.Context, tx *db.DB, a *db.Account) error {
	if s.silent(a) {
		return nil
	}
	audience, err := s.profileAudience(ctx, tx, a)
	if err != nil || nobody(&audience) {
		return err
	}
	at, err := tx.PaceUpdate(ctx, a.ID, tx.Now(), profileEvery.Microseconds())
	if err != nil || at.IsZero() {
		return err
	}
	if at.After(tx.Now().Time) {
		return jobs.EnqueueAt(ctx, tx, jobs.TellProfile{AccountID: a.ID}, at.Time)
	}
	if _, err := tx.EndUpdate(ctx, a.ID); err != nil {
		return err
	}
	return s.profile(ctx, tx, a, audience)
}

// TellProfile runs a job of its kind. Run again it does nothing.
func (s *Service) TellProfile(ctx context.Context, d *db.DB, job jobs.TellProfile) error {
	return d.Tx(ctx, func(tx *db.DB) error {
		asked, err := tx.EndUpdate(ctx, job.AccountID)
		if err != nil || !asked {
			return err
		}
		a, err := tx.Account(ctx, job.AccountID)
		if errors.Is(err, db.ErrNotFound) {
			return tx.ForgetUpdate(ctx, job.AccountID)
		}
		if err != nil || s.silent(a) {
			return err
		}
		audience, err := s.profileAudience(ctx, tx, a)
		if err != nil {
			return err
		}
		return s.profile(ctx, tx, a, audience)
	})
}

// KeyChanged sends an account's new key, which is in a, signed with the key
// before.
func (s *Service) KeyChanged(ctx context.Context, tx *db.DB, a *db.Account) error {
	if s.silent(a) {
		return nil
	}
	audience, err := s.profileAudience(ctx, tx, a)
	if err != nil {
		return err
	}
	return s.profile(ctx, tx, a, audience)
}

// Moved sends that an account moved to the account in a.MovedTo: its profile, to all who
// may know it, and then the Move, to its followers.
func (s *Service) Moved(ctx context.Context, tx *db.DB, a *db.Account) error {
	if s.silent(a) {
		return nil
	}
	audience, err := s.profileAudience(ctx, tx, a)
	if err != nil || nobody(&audience) {
		return err
	}
	if err := s.profile(ctx, tx, a, audience); err != nil || !audience.Followers {
		return err
	}
	return s.keep(ctx, tx, act{
		kind: "Move", by: a, object: a.URI, of: a.URI, to: []string{a.FollowersURI}, more: activitypub.Object{"target": a.MovedTo},
		priority: db.PriorityPost, audience: db.Audience{Followers: true},
	})
}

func (s *Service) profile(ctx context.Context, tx *db.DB, a *db.Account, audience db.Audience) error {
	return s.keep(ctx, tx, act{
		kind: "Update", by: a, object: activitypub.Actor(a, s.base), of: a.URI, to: []string{activitypub.Public, a.FollowersURI},
		priority: db.PriorityPost, audience: audience,
	})
}

// profileAudience returns the audience of all servers that may know an account.
func (s *Service) profileAudience(ctx context.Context, tx *db.DB, a *db.Account) (audience db.Audience, err error) {
	audience.Followers, audience.Reached, err = tx.RemoteReach(ctx, a.ID)
	if err == nil && !nobody(&audience) {
		var feeds db.RelayFeed
		feeds, err = s.relayFeed(ctx, tx, &db.Status{Visibility: db.Public})
		audience.Relays = feeds.Plain
	}
	return audience, err
}

// AccountDeleted sends the deletion of an account, by itself or an admin, to
// every server. Its pending deliveries are dropped when this is distributed.
//
// Other servers accept it from the account itself only, so that a deletion by
// an admin is sent twice.
func (s *Service) AccountDeleted(ctx context.Context, tx *db.DB, by, a *db.Account) error {
	if s.off() || !a.Local {
		return nil
	}
	any, err := tx.AnyInstance(ctx)
	if err != nil || !any {
		return err
	}
	gone := act{
		kind: "Delete", by: a, object: a.URI, of: a.URI, to: []string{activitypub.Public}, cc: []string{a.FollowersURI},
		priority: db.PriorityPost, audience: db.Audience{Everywhere: true},
	}
	if by.ID != a.ID {
		other := gone
		other.by, other.to, other.cc = by, []string{a.FollowersURI}, nil
		if err := s.keep(ctx, tx, other); err != nil {
			return err
		}
	}
	return s.keep(ctx, tx, gone)
}

// Pinned sends the Add of a pinned status.
func (s *Service) Pinned(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	return s.pin(ctx, tx, "Add", by, status)
}

// Unpinned sends the Remove of a pinned status.
func (s *Service) Unpinned(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	return s.pin(ctx, tx, "Remove", by, status)
}

func (s *Service) pin(ctx context.Context, tx *db.DB, kind string, by *db.Account, status *db.Status) error {
	if s.silent(by) || isLocalOnly(status) || !slices.Contains([]string{db.Public, db.Unlisted}, status.Visibility) {
		return nil
	}
	followers, err := tx.HasRemoteFollowers(ctx, by.ID)
	if err != nil {
		return err
	}
	return s.keep(ctx, tx, act{
		kind: kind, by: by, object: *status.URI, of: *status.URI, to: []string{activitypub.Public}, cc: []string{by.FollowersURI},
		more: activitypub.Object{"target": by.FeaturedURI}, priority: db.PriorityAct, audience: db.Audience{Followers: followers},
	})
}
