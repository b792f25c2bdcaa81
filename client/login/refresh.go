package login

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// expiryMargin is how long before its end a token is exchanged, so that it
	// does not expire on the way.
	expiryMargin = 30 * time.Second
	// lockLimit bounds waiting for another process that refreshes.
	lockLimit = 30 * time.Second
	lockRetry = 20 * time.Millisecond
)

// stored is the credential that a login left behind.
type stored struct {
	store  *Store
	name   string
	origin *url.URL
	now    func() time.Time

	mu      sync.Mutex
	current *Credential
}

// token reads the credential once. A token that was refused, or is about to
// expire, is exchanged under a lock that all processes share. The second holder
// of the lock finds the new token and does not use the refresh token.
func (s *stored) token(ctx context.Context, stale string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		c, err := s.read()
		if err != nil {
			return "", err
		}
		s.current = &c
	}
	if s.usable(*s.current, stale) {
		return s.current.AccessToken, nil
	}
	if s.current.RefreshToken == "" {
		if stale == "" {
			return s.current.AccessToken, nil // let the server judge
		}
		return "", errNoOther
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	c, err := s.read()
	if err != nil {
		return "", err
	}
	if !s.usable(c, stale) {
		if c, err = s.exchange(ctx, c); err != nil {
			return "", err
		}
	}
	s.current = &c
	return c.AccessToken, nil
}

func (s *stored) usable(c Credential, stale string) bool {
	if c.AccessToken == stale {
		return false
	}
	return c.ExpiresAt.IsZero() || s.now().Add(expiryMargin).Before(c.ExpiresAt)
}

// read takes the credential from the store, bound to this origin.
func (s *stored) read() (Credential, error) {
	c, err := s.store.Get(s.name)
	if err != nil {
		return c, s.explain(err)
	}
	if c.AccessToken == "" {
		return c, s.explain(ErrNoCredential)
	}
	if c.Origin != s.origin.String() {
		return c, &AuthError{
			Message: fmt.Sprintf("the login of context %s is for %s, not for %s", s.name, c.Origin, s.origin),
			Hint:    "svcctl auth login " + s.origin.String(),
		}
	}
	return c, nil
}

func (s *stored) explain(err error) error {
	var permission *PermissionError
	switch {
	case errors.Is(err, ErrNoCredential):
		return &AuthError{Message: "not logged in to " + s.origin.Host, Hint: "svcctl auth login " + s.origin.String()}
	case errors.As(err, &permission):
		return &AuthError{Message: "credential", Hint: permission.Hint(), Err: err}
	}
	return err
}

func (s *stored) lock(ctx context.Context) (unlock func(), err error) {
	path := filepath.Join(s.store.dir, s.name+".lock")
	if err := os.MkdirAll(s.store.dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock credential: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another svcctl that refreshes the login: %w", err)
	}
	return func() { lock.Close() }, nil
}

// exchange uses up the refresh token and stores the new tokens.
func (s *stored) exchange(ctx context.Context, c Credential) (Credential, error) {
	token, err := refreshToken(ctx, s.origin, c)
	if err != nil {
		return c, &AuthError{Message: "refresh the login", Hint: "svcctl auth login " + s.origin.String(), Err: err}
	}
	c = c.withToken(token, s.now())
	if _, err := s.store.Put(s.name, c); err != nil {
		return c, err
	}
	return c, nil
}
