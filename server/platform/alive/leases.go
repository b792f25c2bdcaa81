package alive

import (
	"context"
	"time"

	"svc/db"
)

// Lease is the time in which nobody can have taken over what was claimed in it.
// The zero value never ends.
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

// Good reports whether the claims of the lease are still held. It is not while
// the process has not been heard for a while: then it cannot know.
func (l Lease) Good() bool {
	if l.p == nil || l.p.db.Dialect() != db.Postgres {
		return true
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.since == l.p.since && time.Since(l.p.heard) < lapse
}

// Lost reports whether others may have taken over what was claimed in the lease:
// it will not be good again.
func (l Lease) Lost() bool {
	if l.p == nil {
		return false
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.since != l.p.since
}

// Confirm has the database say that the process is heard, and returns the
// lease from now on. What was claimed before may have been lost in an earlier
// one.
func (h *Holder) Confirm(ctx context.Context) (Lease, error) {
	if h.p.db.Dialect() == db.Postgres {
		if err := h.p.say(ctx); err != nil {
			return Lease{}, err
		}
	}
	return h.Lease(), nil
}

type leaseKey struct{}

// Under returns a context for an effect that cannot be taken back: it is to
// happen only while the lease is good.
func Under(ctx context.Context, l Lease) context.Context {
	return context.WithValue(ctx, leaseKey{}, l)
}

// Sure is asked right before an effect that cannot be taken back: ErrLost where
// someone else may do it by now.
func Sure(ctx context.Context) error {
	if l, ok := ctx.Value(leaseKey{}).(Lease); ok && !l.Good() {
		return ErrLost
	}
	return ctx.Err()
}
