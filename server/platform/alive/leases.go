package alive

import (
	"context"
	"time"

	"svc/db"
)

// Lease returns the present lease. Taken before a claim, it covers the claim.
type Lease struct {
	p     *Process
	since db.Time
}

// Lease is the present one. Taken before a claim is made, it covers the claim.
func (h *Holder) Lease() Lease {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	return Lease{h.p, h.p.since}
}

// Good reports whether the claims of the lease are valid. Without a recent
// heartbeat they may not be.
func (l Lease) Good() bool {
	if l.p == nil || l.p.db.Dialect() != db.Postgres {
		return true
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.since == l.p.since && time.Since(l.p.heard) < lapse
}

// Lost reports whether others may have taken over the claims of the lease. It
// will not be good again.
func (l Lease) Lost() bool {
	if l.p == nil {
		return false
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.since != l.p.since
}

// Confirm sends a heartbeat and returns the new lease. Claims of an earlier
// lease may be lost.
func (h *Holder) Confirm(ctx context.Context) (Lease, error) {
	if h.p.db.Dialect() == db.Postgres {
		if err := h.p.say(ctx); err != nil {
			return Lease{}, err
		}
	}
	return h.Lease(), nil
}

type leaseKey struct{}

// Under returns a context for an irreversible effect, which must happen only
// while the lease is good.
func Under(ctx context.Context, l Lease) context.Context {
	return context.WithValue(ctx, leaseKey{}, l)
}

// Sure is called right before an irreversible effect: it is ErrLost if another
// process may have taken over.
func Sure(ctx context.Context) error {
	if l, ok := ctx.Value(leaseKey{}).(Lease); ok && !l.Good() {
		return ErrLost
	}
	return ctx.Err()
}
