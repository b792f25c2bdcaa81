package delivery

import (
	"context"
	"time"

	"svc/db"
)

// Bounds of stored results.
const (
	successEvery = time.Minute // how often a success is stored
	maxWaiting   = 10_000      // deliveries for a host that is down
)

// told are the types whose inboxes also get the deletion of their object.
var told = map[string]bool{"Create": true, "Announce": true, "Update": true, "Add": true}

// end handles the result of a try.
func (d *dispatcher) end(ctx context.Context, r ended) {
	h, w := r.host, r.w
	d.under--
	d.add(1)
	h.ended(w)
	if w.Attempt == 0 && told[w.Type] && (r.verdict == done || r.verdict == later || r.verdict == silent) {
		// The inbox may have it even if the answer was lost.
		d.pending.Reached = append(d.pending.Reached, db.ReachedInbox{AccountID: w.AccountID, Inbox: w.Inbox})
	}
	switch r.verdict {
	case done:
		d.delivered.Add(1)
		d.pending.Done = append(d.pending.Done, w.ID)
		d.markUp(h)
	case gone:
		d.pending.Gone = append(d.pending.Gone, db.GoneInbox{Inbox: w.Inbox, Host: h.Host})
		d.giveUp(ctx, h, r)
		d.markUp(h)
	case refused:
		d.giveUp(ctx, h, r)
		d.markUp(h)
	case later:
		d.failed.Add(1)
		d.retry(ctx, h, r, d.now().Add(d.pause(w.Attempt+1)), w.Attempt+1)
		if h.countFailure(w.Type) {
			d.markDown(ctx, h, r)
		}
	case asked:
		d.failed.Add(1)
		at := d.now().Add(r.pause)
		d.retry(ctx, h, r, at, w.Attempt)
		h.paused = true
		d.pending.Down = append(d.pending.Down, db.HostDown{Host: h.Host, Failures: h.Failures, RetryAt: db.At(at), Error: r.why})
	case silent:
		d.failed.Add(1)
		if at, first := d.markDown(ctx, h, r); first {
			d.retry(ctx, h, r, at, w.Attempt+1)
		}
	case postponed:
		d.log.WarnContext(ctx, "cannot deliver", "inbox", w.Inbox, "activity", w.URI, "err", r.why)
		d.retry(ctx, h, r, d.now().Add(localPause), w.Attempt)
	}
}

// markUp marks a host as up.
func (d *dispatcher) markUp(h *host) {
	if now := d.now(); h.Failures > 0 || !h.Unreachable.IsZero() || now.Sub(h.DeliveredAt.Time) >= successEvery {
		if h.Failures > 0 {
			d.log.Info("server is up again", "host", h.Host)
			d.pending.Back = append(d.pending.Back, h.Host)
		}
		d.pending.Up = append(d.pending.Up, h.Host)
		h.DeliveredAt = db.At(now)
	}
	h.answered()
}

// markDown marks a host as down, and returns until when, and whether that is
// news: of concurrent failures one counts.
func (d *dispatcher) markDown(ctx context.Context, h *host, r ended) (until time.Time, first bool) {
	if h.paused && !r.began.After(h.down) {
		return time.Time{}, false
	}
	h.Failures++
	h.paused, h.down = true, d.now()
	until = h.down.Add(d.pause(h.Failures))
	if d.givenUp(h.Unreachable) {
		until = h.down.Add(maxPause)
	}
	d.pending.Down = append(d.pending.Down, db.HostDown{Host: h.Host, Failures: h.Failures, RetryAt: db.At(until), Error: r.why})
	if h.Failures == 1 {
		d.log.InfoContext(ctx, "server is down", "host", h.Host, "err", r.why)
	}
	return until, true
}

// retry schedules another try of a delivery, unless it was the last.
func (d *dispatcher) retry(ctx context.Context, h *host, r ended, at time.Time, attempt int) {
	w := r.w
	age := d.now().Sub(w.CreatedAt.Time)
	spent := attempt >= d.tries()
	if spent && r.verdict == silent && d.settings.Load().Retries.Limit() == 0 {
		// A host that is down for days still gets it, until it is given up.
		days := d.settings.Load().Instance.FederationReachabilityTimeoutDays
		if days == 0 {
			days = standardDays
		}
		spent = age > time.Duration(days)*24*time.Hour
	}
	if spent || age > tooOld {
		d.giveUp(ctx, h, r)
		return
	}
	d.pending.Retries = append(d.pending.Retries, db.DeliveryRetry{ID: w.ID, Attempt: attempt, NextAt: db.At(at), Error: r.why})
	d.pending.Behind = append(d.pending.Behind, h.putOff(w)...)
}

// giveUp drops a delivery.
func (d *dispatcher) giveUp(ctx context.Context, _ *host, r ended) {
	d.dropped.Add(1)
	d.pending.Done = append(d.pending.Done, r.w.ID)
	d.log.InfoContext(ctx, "gave up a delivery", "inbox", r.w.Inbox, "activity", r.w.URI, "type", r.w.Type, "attempt", r.w.Attempt+1, "why", r.why)
}

// trim bounds the deliveries for a host that is down.
func (s *Service) trim(ctx context.Context, host string) error {
	n, err := s.db.TrimHost(ctx, host, maxWaiting)
	if n > 0 {
		s.dropped.Add(int64(n))
		s.log.WarnContext(ctx, "dropped deliveries for a server that is down", "host", host, "deliveries", n)
	}
	return err
}

// Sweep removes delivered activities after a while, and deliveries that waited
// too long.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	n, err := s.db.SweepDeliveries(ctx, db.At(now.Add(-tooOld)))
	if n > 0 {
		s.log.InfoContext(ctx, "dropped expired deliveries", "deliveries", n)
	}
	if err != nil {
		return err
	}
	return s.db.SweepActivities(ctx, db.At(now.Add(-keptFor)))
}

// keptFor is how long a delivered activity can be fetched by its id.
const keptFor = 7 * 24 * time.Hour
