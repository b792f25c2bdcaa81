package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/hosts"
	"svc/server/platform/jobs"
)

// Actor returns the account with an ActivityPub id, from the database or else
// from its server. An old one is refreshed in the background.
//
// Errors: as Fetch, and db.ErrNotFound for unknown local ids.
func (s *Service) Actor(ctx context.Context, uri string) (*db.Account, error) {
	id, err := s.ids.Check(uri)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	a, err := s.known(ctx, func() (*db.Account, error) { return s.db.AccountByURI(ctx, id) })
	if err == nil || !errors.Is(err, db.ErrNotFound) || s.Local(id) {
		return a, err
	}
	return s.actors.do(ctx, id, func(ctx context.Context) (*db.Account, error) { return s.fetchActor(ctx, id, "") })
}

// Handle returns the account of a handle: nick@host, or a local nick.
//
// Errors: as Actor.
func (s *Service) Handle(ctx context.Context, handle string) (*db.Account, error) {
	if nick, host, full := hosts.Handle(handle); !full || host == s.host {
		a, err := s.db.AccountByNickname(ctx, nick)
		if err == nil && !a.Local {
			err = fmt.Errorf("account %.200q: %w", handle, db.ErrNotFound)
		}
		return a, err
	}
	nick, host, err := s.handle(handle)
	if err != nil {
		return nil, err
	}
	handle = nick + "@" + host
	a, err := s.known(ctx, func() (*db.Account, error) { return s.db.AccountByNickname(ctx, handle) })
	if err == nil || !errors.Is(err, db.ErrNotFound) {
		return a, err
	}
	key := "acct:" + strings.ToLower(handle)
	if f, ok := s.failures.Get(key); ok && s.now().Before(f.until) {
		return nil, f.err
	}
	return s.actors.do(ctx, key, func(ctx context.Context) (*db.Account, error) {
		a, err := s.discovered(ctx, nick, host)
		s.remember(ctx, key, err)
		return a, err
	})
}

// discovered returns the account of a remote handle.
func (s *Service) discovered(ctx context.Context, nick, host string) (*db.Account, error) {
	said, err := s.webfinger(ctx, nick, host)
	if err != nil {
		return nil, err
	}
	id, err := s.ids.Check(said.self)
	if err != nil || s.Local(id) {
		return nil, fmt.Errorf("%w: %s@%s is %.200q", ErrRefused, nick, host, said.self)
	}
	began := s.now()
	doc, err := s.Fetch(ctx, id)
	if err != nil {
		return nil, err
	}
	a, err := s.profile(doc, "", began)
	if err != nil {
		return nil, err
	}
	if a.Nickname, err = s.confirm(ctx, doc, nick+"@"+host, said); err != nil {
		return nil, err
	}
	return s.store(ctx, a)
}

// known returns a stored account, and refreshes an old one in the background.
func (s *Service) known(ctx context.Context, find func() (*db.Account, error)) (*db.Account, error) {
	a, err := find()
	if err != nil || a.Local || s.now().Sub(a.FetchedAt.Time) < fresh {
		return a, err
	}
	id := a.ID
	s.inBackground(ctx, func(ctx context.Context) {
		_, err := s.actors.do(ctx, a.URI, func(ctx context.Context) (*db.Account, error) {
			// It is not repeated at once, whether it succeeds or fails.
			if err := s.db.MarkAccountFetched(ctx, id, s.now()); err != nil {
				return nil, err
			}
			return s.fetchActor(ctx, a.URI, a.KeyID)
		})
		s.logFailure(ctx, "refresh account", a.URI, err)
	})
	return a, nil
}

// Refresh fetches a remote account now and updates its row.
func (s *Service) Refresh(ctx context.Context, a *db.Account) (*db.Account, error) {
	if a.Local {
		return a, nil
	}
	return s.actors.do(ctx, a.URI, func(ctx context.Context) (*db.Account, error) { return s.fetchActor(ctx, a.URI, a.KeyID) })
}

// Look fetches a remote account now, regardless of cached failures, and updates
// its row: a found one is no longer gone. It counts as a question of the client
// in ctx.
//
// Errors: as Fetch.
func (s *Service) Look(ctx context.Context, uri string) (*db.Account, error) {
	if !s.mayAsk(ctx) {
		return nil, ErrBusy
	}
	s.failures.Remove(uri)
	return s.fetchActor(ctx, uri, "")
}

// fetchActor fetches an actor's document and stores it.
func (s *Service) fetchActor(ctx context.Context, uri, keyID string) (*db.Account, error) {
	began := s.now()
	doc, err := s.Fetch(ctx, uri)
	if err != nil {
		return nil, err
	}
	return s.adopt(ctx, doc, keyID, began)
}

// StoreActor stores an actor's document from an activity that the actor signed.
// A new handle is confirmed first.
//
// Errors: as Fetch.
func (s *Service) StoreActor(ctx context.Context, doc activitypub.Object) (*db.Account, error) {
	return s.adopt(ctx, doc, "", s.now())
}

// adopt stores an actor from its own document, as it was at a moment. keyID
// selects one of several keys.
func (s *Service) adopt(ctx context.Context, doc activitypub.Object, keyID string, at time.Time) (*db.Account, error) {
	a, err := s.profile(doc, keyID, at)
	if err != nil {
		return nil, err
	}
	was, err := s.db.AccountByURI(ctx, a.URI)
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return nil, err
	case err == nil && sameHandle(was, doc):
		a.Nickname = was.Nickname
	default:
		if a.Nickname, err = s.confirm(ctx, doc, "", nil); err != nil {
			if a.Nickname = s.nameless(a, doc, err); a.Nickname == "" {
				return nil, err
			}
		}
	}
	return s.store(ctx, a)
}

// sameHandle reports whether a document claims the handle of its account.
func sameHandle(was *db.Account, doc activitypub.Object) bool {
	if claimed := strings.TrimPrefix(doc.Text("webfinger"), "@"); claimed != "" {
		return strings.EqualFold(claimed, was.Nickname)
	}
	return strings.EqualFold(doc.Text("preferredUsername"), was.Username())
}

// nameless returns a handle, which nobody can claim, for actors without one:
// relays, and instance actors.
func (s *Service) nameless(a *db.Account, doc activitypub.Object, why error) string {
	if a.ActorType != "Application" && a.ActorType != "Service" || errors.Is(why, ErrRefused) {
		return ""
	}
	sum := sha256.Sum256([]byte(a.URI))
	return doc.Text("preferredUsername") + "." + hex.EncodeToString(sum[:6]) + "@" + a.Domain
}

// store stores an account, and fetches the rest in the background.
func (s *Service) store(ctx context.Context, a *db.Account) (*db.Account, error) {
	_, host, _ := strings.Cut(a.Nickname, "@")
	if s.Blocked(host) {
		return nil, refusal{fmt.Errorf("host %.200q is blocked", host)}
	}
	err := s.db.StoreRemote(ctx, a)
	if errors.Is(err, db.ErrDuplicate) { // stored concurrently
		err = s.db.StoreRemote(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	if err := s.db.AddInstance(ctx, a.Domain); err != nil {
		return nil, err
	}
	stored := *a
	s.inBackground(ctx, func(ctx context.Context) { s.rest(ctx, &stored) })
	return a, nil
}

// rest fetches the parts that an actor's document only links to.
func (s *Service) rest(ctx context.Context, a *db.Account) {
	s.logFailure(ctx, "ask what server it is", a.Domain, s.describe(ctx, a.Domain))
	if a.Invisible || a.Deactivated {
		return
	}
	if s.live.Load().Instance.ExternalUserSynchronization {
		s.logFailure(ctx, "count", a.URI, s.count(ctx, a))
	}
	s.logFailure(ctx, "enqueue the fetch of pinned statuses", a.URI, s.featuredLater(ctx, a))
}

// featuredLater enqueues the fetch of an actor's pinned statuses.
func (s *Service) featuredLater(ctx context.Context, a *db.Account) error {
	if a.Local || a.FeaturedURI == "" || a.Deactivated || !s.live.Load().Instance.Federating {
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.FetchFeatured{AccountID: a.ID}) })
}

func (s *Service) logFailure(ctx context.Context, what, of string, err error) {
	if err != nil && s.stopped.Err() == nil {
		s.log.InfoContext(ctx, "background request failed", slog.String("what", what), slog.String("of", fmt.Sprintf("%.200q", of)), slog.String("error", err.Error()))
	}
}
