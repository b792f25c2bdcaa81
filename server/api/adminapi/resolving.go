package adminapi

import (
	"context"
	"errors"
	"strings"
	"time"

	"svc/db"
)

// The bounds of what one request asks other servers for.
const (
	maxLookups = 20
	lookupTime = 15 * time.Second // for all of them together
)

// found is local for an account that may be one of another server not known yet:
// that is asked for it.
func (a *API) found(ctx context.Context, nickname string) string {
	return a.allFound(ctx, []string{nickname})[0]
}

// allFound is found for each. Who cannot be found stays unknown, which is for
// the operation to say.
func (a *API) allFound(ctx context.Context, nicknames []string) []string {
	out := a.locals(nicknames)
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	asked := 0
	for i, n := range out {
		if !strings.Contains(n, "@") || asked >= maxLookups {
			continue
		}
		if _, err := a.DB.AccountByNickname(ctx, n); !errors.Is(err, db.ErrNotFound) {
			continue
		}
		asked++
		if account, err := a.Remote.Handle(ctx, n); err == nil {
			out[i] = account.Nickname // its server may write it in another way
		}
	}
	return out
}
