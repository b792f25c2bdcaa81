package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/hosts"
	"svc/server/platform/jobs"
)

// Actor returns the account with an ActivityPub id: from the store, and where it
// is not there from its server. One that was last asked for long ago is asked for
// again with nobody waiting.
//
// Errors: as Fetch, and db.ErrNotFound for ids of this server that are not known.
func (s *Service) Actor(ctx context.Context, uri string) (*db.Account, error) {
	id, err := s.ids.Check(uri)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	a, err := s.known(ctx, func() (*db.Account, error) { return s.db.AccountByURI(ctx, id) })
	if err == nil || !errors.Is(err, db.ErrNotFound) || s.Local(id) {
		return a, err
	}
	return s.actors.do(ctx, id, func(ctx context.Context) (*db.Account, error) {
		doc, err := s.Fetch(ctx, id)
		if err != nil {
			return nil, err
		}
		return s.adopt(ctx, doc, "")
	})
}

// Handle returns the account of a handle: nick@host, or nick of this server.
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

// discovered is the account that a handle of another server leads to.
func (s *Service) discovered(ctx context.Context, nick, host string) (*db.Account, error) {
	said, err := s.webfinger(ctx, nick, host)
	if err != nil {
		return nil, err
	}
	id, err := s.ids.Check(said.self)
	if err != nil || s.Local(id) {
		return nil, fmt.Errorf("%w: %s@%s is %.200q", ErrRefused, nick, host, said.self)
	}
	doc, err := s.Fetch(ctx, id)
	if err != nil {
		return nil, err
	}
	a, err := s.profile(doc, "")
	if err != nil {
		return nil, err
	}
	if a.Nickname, err = s.confirm(ctx, doc, nick+"@"+host, said); err != nil {
		return nil, err
	}
	return s.store(ctx, a)
}

// known is an account of the store, of which an old one is asked for again.
func (s *Service) known(ctx context.Context, find func() (*db.Account, error)) (*db.Account, error) {
	a, err := find()
	if err != nil || a.Local || s.now().Sub(a.FetchedAt.Time) < fresh {
		return a, err
	}
	id := a.ID
	s.inBackground(ctx, func(ctx context.Context) {
		_, err := s.actors.do(ctx, a.URI, func(ctx context.Context) (*db.Account, error) {
			// Whatever comes of it, it is not tried again at once.
			if err := s.db.MarkAccountFetched(ctx, id, s.now()); err != nil {
				return nil, err
			}
			doc, err := s.Fetch(ctx, a.URI)
			if err != nil {
				return nil, err
			}
			return s.adopt(ctx, doc, a.KeyID)
		})
		s.complain(ctx, "refresh account", a.URI, err)
	})
	return a, nil
}

// Refresh asks for an account of another server now, and changes its row to what
// its document says.
func (s *Service) Refresh(ctx context.Context, a *db.Account) (*db.Account, error) {
	if a.Local {
		return a, nil
	}
	return s.actors.do(ctx, a.URI, func(ctx context.Context) (*db.Account, error) {
		doc, err := s.Fetch(ctx, a.URI)
		if err != nil {
			return nil, err
		}
		return s.adopt(ctx, doc, a.KeyID)
	})
}

// Look asks for an account of another server now, whatever was remembered of it,
// and changes its row to what its document says: one that was found counts as
// there again. It is one of the questions that the client in ctx has asked.
//
// Errors: as Fetch.
func (s *Service) Look(ctx context.Context, uri string) (*db.Account, error) {
	if !s.mayAsk(ctx) {
		return nil, ErrBusy
	}
	s.failures.Remove(uri)
	doc, err := s.Fetch(ctx, uri)
	if err != nil {
		return nil, err
	}
	return s.adopt(ctx, doc, "")
}

// StoreActor keeps what an actor said of himself in an activity that he signed.
// A handle that is new is confirmed first.
//
// Errors: as Fetch.
func (s *Service) StoreActor(ctx context.Context, doc activitypub.Object) (*db.Account, error) {
	return s.adopt(ctx, doc, "")
}

// adopt keeps the actor of a document that is his own. keyID is the key that is
// wanted of several.
func (s *Service) adopt(ctx context.Context, doc activitypub.Object, keyID string) (*db.Account, error) {
	a, err := s.profile(doc, keyID)
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

// sameHandle reports whether a document claims no other handle than its account
// has.
func sameHandle(was *db.Account, doc activitypub.Object) bool {
	if claimed := strings.TrimPrefix(doc.Text("webfinger"), "@"); claimed != "" {
		return strings.EqualFold(claimed, was.Nickname)
	}
	return strings.EqualFold(doc.Text("preferredUsername"), was.Username())
}

// nameless is a handle, which nobody can claim, for the actors of programs whose
// server does not know them by any: relays, and what signs for a whole server.
func (s *Service) nameless(a *db.Account, doc activitypub.Object, why error) string {
	if a.ActorType != "Application" && a.ActorType != "Service" || errors.Is(why, ErrRefused) {
		return ""
	}
	sum := sha256.Sum256([]byte(a.URI))
	return doc.Text("preferredUsername") + "." + hex.EncodeToString(sum[:6]) + "@" + a.Domain
}

// store writes an account's row, and asks for the rest with nobody waiting.
func (s *Service) store(ctx context.Context, a *db.Account) (*db.Account, error) {
	_, host, _ := strings.Cut(a.Nickname, "@")
	if s.Blocked(host) {
		return nil, refusal{fmt.Errorf("host %.200q is blocked", host)}
	}
	err := s.db.StoreRemote(ctx, a)
	if errors.Is(err, db.ErrDuplicate) { // another was quicker
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

// rest asks for what an actor's document only points to.
func (s *Service) rest(ctx context.Context, a *db.Account) {
	s.complain(ctx, "ask what server it is", a.Domain, s.describe(ctx, a.Domain))
	if a.Invisible {
		return
	}
	if s.live.Load().Instance.ExternalUserSynchronization {
		s.complain(ctx, "count", a.URI, s.count(ctx, a))
	}
	s.complain(ctx, "have its profile's posts fetched", a.URI, s.featuredLater(ctx, a))
}

// featuredLater has a job fetch what a profile shows.
func (s *Service) featuredLater(ctx context.Context, a *db.Account) error {
	if a.Local || a.FeaturedURI == "" || a.Deactivated || !s.live.Load().Instance.Federating {
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, jobs.FetchFeatured{AccountID: a.ID}) })
}

func (s *Service) complain(ctx context.Context, what, of string, err error) {
	if err != nil && s.stopped.Err() == nil {
		s.log.InfoContext(ctx, "failed to "+what, slog.String("of", fmt.Sprintf("%.200q", of)), slog.String("error", err.Error()))
	}
}
