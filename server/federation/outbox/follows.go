package outbox

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Followed sends a follow request to a remote account.
func (s *Service) Followed(ctx context.Context, tx *db.DB, by, target *db.Account, f *db.Follow) error {
	if s.silent(by) || target.Local {
		return nil
	}
	a := follow(by, target, f)
	a.audience.Insistent = true
	return s.keep(ctx, tx, a)
}

// Unfollowed sends the Undo of a follow or request.
func (s *Service) Unfollowed(ctx context.Context, tx *db.DB, by, target *db.Account, f *db.Follow) error {
	if s.silent(by) || target.Local {
		return nil
	}
	return s.keep(ctx, tx, undo(follow(by, target, f)))
}

func follow(by, target *db.Account, f *db.Follow) act {
	a := act{
		id: f.URI, at: f.CreatedAt, kind: "Follow", by: by, object: target.URI, of: orderKey("Follow", by.URI, target.URI), to: []string{target.URI},
		priority: db.PriorityPerson, audience: only(target),
	}
	a.audience.Personal = true
	return a
}

// Accepted sends the Accept of a remote account's follow.
func (s *Service) Accepted(ctx context.Context, tx *db.DB, by, follower *db.Account, f *db.Follow) error {
	return s.answer(ctx, tx, "Accept", by, follower, f)
}

// Rejected sends the Reject of a remote account's follow, also of an accepted
// one.
func (s *Service) Rejected(ctx context.Context, tx *db.DB, by, follower *db.Account, f *db.Follow) error {
	return s.answer(ctx, tx, "Reject", by, follower, f)
}

// answer embeds the follow with its original id. A deactivated account sends
// nothing but a Reject.
func (s *Service) answer(ctx context.Context, tx *db.DB, kind string, by, follower *db.Account, f *db.Follow) error {
	if s.off() || !by.Local || by.Deactivated && kind != "Reject" || follower.Local {
		return nil
	}
	asked := activitypub.Inner("Follow", f.URI, follower.URI, by.URI)
	if f.URI == "" {
		delete(asked, "id")
	}
	a := act{
		kind: kind, by: by, object: asked, of: orderKey("Follow", follower.URI, by.URI), to: []string{follower.URI},
		priority: db.PriorityPerson, audience: only(follower),
	}
	a.audience.Personal = true
	return s.keep(ctx, tx, a)
}

// Blocked sends a block to the blocked account, if the settings say so.
func (s *Service) Blocked(ctx context.Context, tx *db.DB, by, target *db.Account, b *db.Block) error {
	if s.silent(by) || target.Local || !s.settings.Load().ActivityPub.OutgoingBlocks {
		return nil
	}
	return s.keep(ctx, tx, block(by, target, b))
}

// Unblocked sends the Undo of a block.
func (s *Service) Unblocked(ctx context.Context, tx *db.DB, by, target *db.Account, b *db.Block) error {
	if s.silent(by) || target.Local || !s.settings.Load().ActivityPub.OutgoingBlocks {
		return nil
	}
	return s.keep(ctx, tx, undo(block(by, target, b)))
}

func block(by, target *db.Account, b *db.Block) act {
	a := act{
		id: b.URI, at: b.CreatedAt, kind: "Block", by: by, object: target.URI, of: orderKey("Block", by.URI, target.URI), to: []string{target.URI},
		priority: db.PriorityAct, audience: only(target),
	}
	a.audience.Personal = true
	return a
}
