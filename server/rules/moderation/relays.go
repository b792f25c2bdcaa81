package moderation

import (
	"context"

	"svc/db"
)

// FollowRelay subscribes to a relay, waits a moment for its answer, and returns
// its state. Errors are relays.ErrRefused, and those of calling its server.
func (s *Service) FollowRelay(ctx context.Context, by *db.Account, address string) (*db.Relay, error) {
	if err := s.rights.Check(by, RelayFollowed.right); err != nil {
		return nil, err
	}
	relay, err := s.relays.Find(ctx, address)
	if err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := s.rights.Hold(ctx, tx, by, RelayFollowed.right); err != nil {
			return err
		}
		if err := s.relays.In(tx).Ask(ctx, relay); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, RelayFollowed, Data{Target: address})
	})
	if err != nil {
		return nil, err
	}
	return s.relays.Wait(ctx, relay, s.settings.Load().ActivityPub.FollowHandshake)
}

// UnfollowRelay leaves a relay, whether it answers or not. An unknown relay is
// db.ErrNotFound.
func (s *Service) UnfollowRelay(ctx context.Context, by *db.Account, address string) error {
	if err := s.rights.Check(by, RelayUnfollowed.right); err != nil {
		return err
	}
	relay, err := s.relays.Named(ctx, address)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := s.rights.Hold(ctx, tx, by, RelayUnfollowed.right, relay.Accounts()...); err != nil {
			return err
		}
		if err := s.relays.In(tx).Leave(ctx, relay); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, RelayUnfollowed, Data{Target: address})
	})
}
