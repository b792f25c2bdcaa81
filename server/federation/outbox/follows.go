package outbox

import (
	"context"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Followed asks a remote account whether by may follow it.
func (s *Service) Followed(ctx context.Context, tx *db.DB, by, target *db.Account, f *db.Follow) error {
	if s.silent(by) || target.Local {
		return nil
	}
	a := follow(by, target, f)
	a.audience.Insistent = true
	return s.keep(ctx, tx, a)
}

// Unfollowed tells a remote account that by follows it, or asks to, no more.
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

// Accepted tells a remote account that it follows by now.
func (s *Service) Accepted(ctx context.Context, tx *db.DB, by, follower *db.Account, f *db.Follow) error {
	return s.answer(ctx, tx, "Accept", by, follower, f)
}

// Rejected tells a remote account that it may not follow by, or no more.
func (s *Service) Rejected(ctx context.Context, tx *db.DB, by, follower *db.Account, f *db.Follow) error {
	return s.answer(ctx, tx, "Reject", by, follower, f)
}

// answer embeds the follow by the id that its sender gave it. A deactivated
// account turns followers away, and nothing else.
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

// Blocked tells a remote account that by blocks it, where servers are told that
// at all.
func (s *Service) Blocked(ctx context.Context, tx *db.DB, by, target *db.Account, b *db.Block) error {
	if s.silent(by) || target.Local || !s.settings.Load().ActivityPub.OutgoingBlocks {
		return nil
	}
	return s.keep(ctx, tx, block(by, target, b))
}

// Unblocked tells it that by does not any more.
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
