package social

import (
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
)

// mostAliases is how many aliases an account may have, and longestAlias how many bytes one:
// other servers read no more, and every answer that shows the account has them all.
const (
	mostAliases  = 32
	longestAlias = 2048
)

// Aliases returns the other accounts of by: their handles, or the ids of those that are
// not known here.
func (s *Service) Aliases(ctx context.Context, by *db.Account) ([]string, error) {
	a, err := s.db.Account(ctx, by.ID)
	if err != nil {
		return nil, err
	}
	known, err := s.db.VisibleAccountsByURI(ctx, a.AlsoKnownAs)
	if err != nil {
		return nil, err
	}
	out := slices.Clone([]string(a.AlsoKnownAs))
	for i, uri := range out {
		if at := slices.IndexFunc(known, func(k db.Account) bool { return k.URI == uri }); at >= 0 {
			out[i] = s.Handle(&known[at])
		}
	}
	return out, nil
}

// Handle is the handle of an account with its host.
func (s *Service) Handle(a *db.Account) string {
	if a.Local {
		return a.Nickname + "@" + s.host
	}
	return a.Nickname
}

// AddAlias adds the account with a handle or ActivityPub id, which is fetched if it is
// unknown, to the aliases of by.
func (s *Service) AddAlias(ctx context.Context, by *db.Account, named string) error {
	alias, err := s.accountNamed(ctx, named)
	if err != nil {
		return err
	}
	if alias.ID == by.ID {
		return fault.Invalid("Validation failed: An account is no alias of itself")
	}
	return s.changeAliases(ctx, by, func(all []string) ([]string, error) {
		if slices.Contains(all, alias.URI) {
			return all, nil
		}
		if len(all) >= mostAliases {
			return nil, fault.Invalidf("Validation failed: An account has at most %d aliases", mostAliases)
		}
		return append(all, alias.URI), nil
	})
}

// RemoveAlias removes an alias of by, named as Aliases or AddAlias name it. It asks no
// other server. One that by does not have is not found.
func (s *Service) RemoveAlias(ctx context.Context, by *db.Account, named string) error {
	uri := named
	if !isURI(named) {
		a, err := s.db.AccountByNickname(ctx, s.nickname(strings.TrimPrefix(named, "@")))
		if err != nil {
			return noAccount(err)
		}
		uri = a.URI
	}
	return s.changeAliases(ctx, by, func(all []string) ([]string, error) {
		at := slices.Index(all, uri)
		if at < 0 {
			return nil, fault.NotFound("Account has no such alias.")
		}
		return slices.Delete(all, at, at+1), nil
	})
}

func (s *Service) changeAliases(ctx context.Context, by *db.Account, change func(all []string) ([]string, error)) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		a, err := tx.Account(ctx, by.ID)
		if err != nil {
			return err
		}
		all, err := change(append([]string{}, a.AlsoKnownAs...))
		if err != nil || slices.Equal(all, []string(a.AlsoKnownAs)) {
			return err
		}
		_, _, err = s.In(tx).UpdateProfile(ctx, a, Profile{AlsoKnownAs: all})
		return err
	})
}

// accountNamed returns the account with a handle or ActivityPub id, and fetches an
// unknown one. One that cannot be found is a fault.NotFound.
func (s *Service) accountNamed(ctx context.Context, named string) (*db.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, eachTime)
	defer cancel()
	var (
		a   *db.Account
		err error
	)
	if named = strings.TrimSpace(named); isURI(named) {
		a, err = s.db.AccountByURI(ctx, named)
		if errors.Is(err, db.ErrNotFound) && s.remote != nil {
			if a, err = s.remote.Actor(ctx, named); err != nil {
				return nil, errNoAccount
			}
		}
	} else {
		a, err = s.account(ctx, s.nickname(strings.TrimPrefix(named, "@")))
	}
	if err != nil {
		return nil, noAccount(err)
	}
	if a.Deactivated || a.Invisible {
		return nil, errNoAccount
	}
	return a, nil
}

func isURI(named string) bool {
	return strings.HasPrefix(named, "https://") || strings.HasPrefix(named, "http://")
}

// errNoAccount is the refusal where an account is not found, whatever its server said.
var errNoAccount = fault.NotFound("Account not found.")

// noAccount makes db.ErrNotFound errNoAccount.
func noAccount(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return errNoAccount
	}
	return err
}
