package social

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/guard"
)

// The bounds of the calls to other servers by one operation.
const (
	maxResolved = 10               // mentions of one text
	resolveTime = 5 * time.Second  // for all of them together
	eachTime    = 10 * time.Second // for a single account
)

// accountsNamed is db.AccountsByNickname. With lookUp, unknown remote accounts
// are fetched; those that are not found in time are left out.
func (s *Service) accountsNamed(ctx context.Context, names []string, id string, lookUp bool) ([]db.Account, error) {
	known, err := s.db.AccountsByNickname(ctx, names, id)
	if err != nil || !lookUp || s.remote == nil || s.db.InTx() {
		return known, err
	}
	var unknown []string
	for _, n := range names {
		// Its server may tell upper case from lower case.
		key := db.NicknameKey(n)
		same := func(other string) bool { return db.NicknameKey(other) == key }
		if strings.Contains(n, "@") && !slices.ContainsFunc(unknown, same) && len(unknown) < maxResolved &&
			!slices.ContainsFunc(known, func(a db.Account) bool { return a.NickKey == key }) {
			unknown = append(unknown, n)
		}
	}
	if len(unknown) == 0 {
		return known, nil
	}
	if !s.resolve(ctx, unknown) {
		return known, nil
	}
	return s.db.AccountsByNickname(ctx, names, id)
}

// resolve fetches the accounts of handles concurrently, and reports whether any
// was found and stored.
func (s *Service) resolve(ctx context.Context, handles []string) bool {
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	var (
		wg    sync.WaitGroup
		found atomic.Bool
	)
	for _, h := range handles {
		wg.Go(func() {
			if err := guard.Run(func() error { _, err := s.remote.Handle(ctx, h); return err }); err == nil {
				found.Store(true)
			}
		})
	}
	wg.Wait()
	return found.Load()
}

// account returns the account with this nickname, and fetches an unknown remote
// one.
func (s *Service) account(ctx context.Context, nickname string) (*db.Account, error) {
	a, err := s.db.AccountByNickname(ctx, nickname)
	if !errors.Is(err, db.ErrNotFound) || s.remote == nil || s.db.InTx() || !strings.Contains(nickname, "@") {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, eachTime)
	defer cancel()
	if found, failed := s.remote.Handle(ctx, nickname); failed == nil {
		return found, nil
	}
	return nil, err
}
