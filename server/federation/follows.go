package federation

import (
	"context"

	"svc/db"
	"svc/server/social"
)

// onFollow has the actor follow an account of this server, or ask to.
func (s *Service) onFollow(ctx context.Context, in *Incoming) error {
	if in.Activity.IDOf("object") == s.relays.URI() {
		return in.Commit(ctx, func(tx *db.DB) error { return s.relays.Followed(ctx, tx, in.Actor, in.ID) })
	}
	target, err := s.db.AccountByURI(ctx, in.Activity.IDOf("object"))
	if missing(err) || err == nil && (!target.Local || target.Invisible) {
		return errDrop("nobody here is followed")
	}
	if err != nil {
		return err
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		answer, err := s.social.In(tx).TakeFollow(ctx, in.Actor, target.ID, in.ID)
		if err != nil || answer == social.FollowWaits {
			return err
		}
		return nil
	})
}
