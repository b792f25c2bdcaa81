package documents

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
)

// Actor is GET /users/:nickname: a local account. In secure mode, a request
// without a signature gets the part that is needed to verify one. An invalid
// signature gets nothing, since its sender would store that part as the
// account.
func (s *Service) Actor(c *gin.Context) error { return s.open(s.actor)(c) }

func (s *Service) actor(c *gin.Context) error {
	ctx := c.Request.Context()
	a, err := s.account(c)
	if err != nil || a == nil {
		return err
	}
	// Most accounts have no blocks, and the answer is the same for every
	// reader.
	matters := s.live.Load().ActivityPub.SecureMode
	if !matters && signed(c.Request) {
		if matters, err = s.db.BlocksAnybody(ctx, a.ID); err != nil {
			return err
		}
	}
	if !matters {
		return s.sendActor(c, a)
	}
	r, err := s.reader(c)
	if errors.Is(err, errUnsigned) {
		if a, err = s.keyed(ctx, a); err != nil {
			return err
		}
		return send(c, http.StatusOK, activitypub.ActorStub(a))
	}
	if err != nil {
		return sayUnsigned(c, err)
	}
	blocked, err := s.blocked(ctx, r, a.ID)
	if err != nil {
		return err
	}
	if blocked {
		return db.ErrNotFound
	}
	return s.sendActor(c, a)
}

func (s *Service) sendActor(c *gin.Context, a *db.Account) error {
	a, err := s.keyed(c.Request.Context(), a)
	if err != nil {
		return err
	}
	return s.answer(c, "actor "+a.ID, a.Version, true, func() (activitypub.Object, lifetime, error) {
		return activitypub.Actor(a, s.base), lifetime{}, nil
	})
}

// keyed returns an account that has a key.
func (s *Service) keyed(ctx context.Context, a *db.Account) (*db.Account, error) {
	if a.PublicKey != "" {
		return a, nil
	}
	if _, _, err := s.remote.Key(ctx, a.ID); err != nil {
		return nil, err
	}
	return s.db.Account(ctx, a.ID)
}

// account returns the account in the path. For a deleted one it answers and
// returns nil.
func (s *Service) account(c *gin.Context) (*db.Account, error) {
	ctx := c.Request.Context()
	a, err := s.db.AccountByNickname(ctx, c.Param("nickname"))
	if err != nil {
		return nil, err
	}
	if !a.Local || a.Invisible || a.ApprovalPending || a.ConfirmationPending {
		return nil, db.ErrNotFound
	}
	if !a.Deactivated {
		return a, nil
	}
	at, err := s.db.DeletedAt(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		return nil, db.ErrNotFound
	}
	return nil, gone(c, a.URI, a.ActorType, at)
}

// of answers with h for the account in the path.
func (s *Service) of(h func(c *gin.Context, r reader, a *db.Account) error) web.Handler {
	return s.read(func(c *gin.Context, r reader) error {
		a, err := s.account(c)
		if err != nil || a == nil {
			return err
		}
		blocked, err := s.blocked(c.Request.Context(), r, a.ID)
		if err != nil {
			return err
		}
		if blocked {
			return db.ErrNotFound
		}
		return h(c, r, a)
	})
}

// Relay is GET /relay, and Fetcher GET /internal/fetch: the service's own
// actors. No signature is required, since other servers need them to verify
// ours.
func (s *Service) Relay(c *gin.Context) error { return s.service(s.relayActor, s.sendActor)(c) }

// Fetcher is GET /internal/fetch; see Relay.
func (s *Service) Fetcher(c *gin.Context) error {
	return s.service(s.remote.Fetcher, s.sendActor)(c)
}

func (s *Service) relayActor(ctx context.Context) (*db.Account, error) {
	if !s.live.Load().Instance.AllowRelay {
		return nil, db.ErrNotFound
	}
	return s.remote.RelayActor(ctx)
}

func (s *Service) service(who func(context.Context) (*db.Account, error), h func(c *gin.Context, a *db.Account) error) web.Handler {
	return s.open(func(c *gin.Context) error {
		a, err := who(c.Request.Context())
		if err != nil {
			return err
		}
		return h(c, a)
	})
}
