package relays

import (
	"context"
	"errors"
	"slices"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
)

// Answered takes an Accept or Reject by a remote account. ours reports whether
// it answers a relay subscription; if not, nothing is done.
func (s *Service) Answered(ctx context.Context, tx *db.DB, by *db.Account, answer activitypub.Object) (ours bool, err error) {
	r, err := s.about(ctx, tx, by, answer)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	us, err := tx.AccountByURI(ctx, s.URI())
	if err != nil {
		return true, err
	}
	if answer.Is("Accept") {
		return true, s.accepted(ctx, tx, us, by, r)
	}
	if err := tx.DeleteRelay(ctx, r); err != nil || r.Pending {
		return true, err
	}
	if err := tx.HoldAccounts(ctx, us.ID, by.ID); err != nil {
		return true, err
	}
	_, err = unfollow(ctx, tx, us.ID, by.ID)
	return true, err
}

func (s *Service) accepted(ctx context.Context, tx *db.DB, us, by *db.Account, r *db.Relay) error {
	if !r.Pending {
		return nil
	}
	r.Pending, r.AccountID = false, by.ID
	if err := tx.UpdateRelay(ctx, r, "pending", "account_id"); err != nil || r.Plain {
		return err
	}
	// The relay actor's following collection is made of follows.
	f := &db.Follow{FollowerID: us.ID, TargetID: by.ID, URI: r.FollowURI, Reblogs: true, Local: true}
	if err := tx.HoldAccounts(ctx, us.ID, by.ID); err != nil {
		return err
	}
	if _, err := unfollow(ctx, tx, us.ID, by.ID); err != nil {
		return err
	}
	return s.follow(ctx, tx, f)
}

// about finds the relay of an answer: by our Follow's id, alone or within the
// Follow, or else by the sender. Only the relay itself may answer: the actor
// that was followed or, for a relay named by its inbox, an actor of the same
// server.
func (s *Service) about(ctx context.Context, tx *db.DB, by *db.Account, answer activitypub.Object) (*db.Relay, error) {
	r, err := tx.RelayByFollow(ctx, answer.IDOf("object"))
	if errors.Is(err, db.ErrNotFound) {
		asked := answer.Object("object")
		if asked == nil || !asked.Is("Follow") || asked.IDOf("actor") != s.URI() {
			return nil, err
		}
		if r, err = tx.RelayByAccount(ctx, by.ID); errors.Is(err, db.ErrNotFound) {
			r, err = s.unanswered(ctx, tx, by)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.AccountID != "" && r.AccountID != by.ID || r.AccountID == "" && !s.ids.SameOrigin(r.Inbox, by.URI) {
		return nil, db.ErrNotFound
	}
	return r, nil
}

// unanswered returns the pending relay with an inbox on an actor's server.
func (s *Service) unanswered(ctx context.Context, tx *db.DB, by *db.Account) (*db.Relay, error) {
	all, err := tx.Relays(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r db.Relay) bool {
		return r.Plain && r.Pending && r.AccountID == "" && (r.Inbox == by.Inbox || r.Inbox == by.SharedInbox)
	})
	if i < 0 {
		return nil, db.ErrNotFound
	}
	return &all[i], nil
}

// Followed takes a Follow of our relay actor, with this id, and answers it:
// relays and other servers' relay actors get statuses, people do not.
func (s *Service) Followed(ctx context.Context, tx *db.DB, by *db.Account, uri string) error {
	us, err := tx.AccountByURI(ctx, s.URI())
	if err != nil {
		return err
	}
	if err := tx.HoldAccounts(ctx, us.ID, by.ID); err != nil {
		return err
	}
	f := &db.Follow{FollowerID: by.ID, TargetID: us.ID, URI: uri, Reblogs: true}
	may, err := s.mayFollow(ctx, tx, by)
	if err != nil {
		return err
	}
	if !may {
		return s.outbox.Rejected(ctx, tx, us, by, f)
	}
	switch before, err := tx.Follow(ctx, by.ID, us.ID); {
	case errors.Is(err, db.ErrNotFound):
		if err := s.follow(ctx, tx, f); err != nil {
			return err
		}
	case err != nil:
		return err
	case before.URI != uri:
		if err := tx.UpdateFollow(ctx, f, "uri"); err != nil {
			return err
		}
	}
	return s.outbox.Accepted(ctx, tx, us, by, f)
}

func (s *Service) mayFollow(ctx context.Context, tx *db.DB, by *db.Account) (bool, error) {
	if by.Local || by.Deactivated || !s.settings.Load().Instance.AllowRelay {
		return false, nil
	}
	if by.ActorType == "Application" || by.ActorType == "Service" {
		return true, nil
	}
	_, err := tx.RelayByAccount(ctx, by.ID)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) follow(ctx context.Context, tx *db.DB, f *db.Follow) error {
	if err := tx.CreateFollow(ctx, f); err != nil {
		return err
	}
	if err := tx.AddCounts(ctx, f.TargetID, db.Counts{Followers: 1}); err != nil {
		return err
	}
	if err := tx.AddCounts(ctx, f.FollowerID, db.Counts{Following: 1}); err != nil {
		return err
	}
	return tx.Announce(ctx, db.RelaysChanged, "")
}

// unfollow ends a follow, if there is one, and returns it. Both accounts must
// be held.
func unfollow(ctx context.Context, tx *db.DB, followerID, targetID string) (*db.Follow, error) {
	f, err := social.CutFollow(ctx, tx, followerID, targetID, social.FollowEnded)
	if err != nil || f == nil {
		return nil, err
	}
	return f, tx.Announce(ctx, db.RelaysChanged, "")
}
