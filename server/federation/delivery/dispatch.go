package delivery

import (
	"context"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/guard"
)

// The times and sizes of storing outcomes: many in one transaction, since each
// keeps others waiting.
const (
	flushSize  = 64
	flushEvery = 100 * time.Millisecond
	lull       = time.Second // after a failure of the database
	maxBreaks  = 10_000      // hosts whose failures are remembered
)

// ended is a delivery after a try.
type ended struct {
	host  *host
	w     *db.DueDelivery
	began time.Time
	outcome
}

// dispatcher is the goroutine that decides about sending.
type dispatcher struct {
	*Service
	hosts   []*host
	under   int // calls
	results chan ended
	pending db.DeliveryResults
	size    int               // of pending
	since   time.Time         // the arrival of the first of pending, by the wall clock
	look    bool              // look for hosts to claim
	breaks  map[string]breaks // of released hosts, by name
}

// dispatch delivers until ctx ends and all calls have ended.
func (s *Service) dispatch(ctx context.Context) {
	d := &dispatcher{Service: s, results: make(chan ended), look: true, breaks: map[string]breaks{}}
	timer := time.NewTicker(tick)
	defer timer.Stop()
	guard.Forever(ctx, s.log, "send activities", func(ctx context.Context) {
		wait := d.work(ctx)
		var flush <-chan time.Time
		if wait > 0 {
			flush = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case r := <-d.results:
			d.end(ctx, r)
		case <-s.waken:
			d.look = true
		case <-timer.C:
			d.look = d.look || len(d.hosts) > 0 || d.due(ctx)
		case <-flush:
		}
	})
	ctx = context.WithoutCancel(ctx)
	for d.under > 0 {
		r := <-d.results
		guard.Broke(ctx, s.log, "end a delivery", func() { d.end(ctx, r) })
	}
	if err := d.flush(ctx); err != nil {
		s.log.ErrorContext(ctx, "cannot store delivery outcomes", "err", err)
	}
}

// due reports whether hosts with due deliveries may wait. Where that cannot be told, the
// caller looks, and reports what hinders it.
func (d *dispatcher) due(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, statement)
	defer cancel()
	waiting, err := d.db.DueWork(ctx)
	return err != nil || waiting.Hosts
}

// work begins the deliveries that may begin, and returns when to call it again even without
// an event; 0 is never.
func (d *dispatcher) work(ctx context.Context) time.Duration {
	for _, h := range d.hosts {
		if h.lease.Lost() {
			h.queue = nil // another process may send it
		}
	}
	startable := slices.ContainsFunc(d.hosts, (*host).startable)
	if d.size >= flushSize || d.size > 0 && (d.under == 0 && !startable || time.Since(d.since) >= flushEvery) {
		if err := d.flush(context.WithoutCancel(ctx)); err != nil {
			d.log.ErrorContext(ctx, "cannot store delivery outcomes", "err", err)
			return lull
		}
	}
	most := d.settings.Load().Queues.Outgoing
	if d.look {
		if err := d.claim(ctx, most); err != nil {
			if ctx.Err() == nil {
				d.log.ErrorContext(ctx, "cannot read due deliveries", "err", err)
			}
			d.look = false
			return lull
		}
	}
	for d.under < most && d.begin() {
		d.under++
	}
	d.releaseIdle()
	switch {
	case d.size == 0:
		return 0
	case d.under == 0:
		return time.Nanosecond
	}
	return max(flushEvery-time.Since(d.since), time.Nanosecond)
}

// claim claims hosts and reads their due deliveries.
func (d *dispatcher) claim(ctx context.Context, most int) error {
	d.look = false
	lease := d.holder.Lease()
	if !d.settings.Load().Instance.Federating || !lease.Good() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, statement)
	defer cancel()
	if err := d.readMore(ctx); err != nil {
		return err
	}
	// Many hosts are claimed at once, and the next ones while calls to others are
	// running.
	room := 2*most - len(d.hosts)
	if room < max(1, most/2) {
		d.look = true
		return nil
	}
	claimed, err := d.db.ClaimHosts(ctx, d.holder.ID(), room)
	if err != nil {
		return err
	}
	d.look = len(claimed) == room
	hosts := make([]*host, len(claimed))
	for i, c := range claimed {
		d.held.Add(c.Host)
		hosts[i] = &host{ClaimedHost: c, lease: lease, breaks: d.breaks[c.Host]}
		delete(d.breaks, c.Host)
	}
	d.hosts = append(d.hosts, hosts...)
	return d.read(ctx, hosts)
}

// readMore reads new deliveries for held hosts with free capacity.
func (d *dispatcher) readMore(ctx context.Context) error {
	now := time.Now()
	return d.read(ctx, slices.DeleteFunc(slices.Clone(d.hosts), func(h *host) bool { return !h.needsMore(now) }))
}

// read reads the due deliveries of hosts.
func (d *dispatcher) read(ctx context.Context, hosts []*host) error {
	if len(hosts) == 0 {
		return nil
	}
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Host
	}
	now := time.Now()
	rows, err := d.db.DueDeliveries(ctx, names)
	if err != nil {
		return err
	}
	for _, h := range hosts {
		h.read = now
		d.take(h, rows[h.Host])
	}
	return nil
}

// take adds due deliveries to a host.
func (d *dispatcher) take(h *host, rows []db.DueDelivery) {
	h.probing = h.Failures > 0
	if h.RetryAt.After(d.now()) {
		// A host that is down gets nothing but a follow of someone there, which is
		// tried once.
		urgent := func(w db.DueDelivery) bool {
			return h.Failures > 0 && w.Type == "Follow" && w.Attempt == 0 && w.Behind == 0
		}
		rows = slices.DeleteFunc(rows, func(w db.DueDelivery) bool { return !urgent(w) })
	}
	if behind := h.fill(rows); len(behind) > 0 {
		d.add(len(behind))
		d.pending.Behind = append(d.pending.Behind, behind...)
	}
}

// begin starts the most urgent call of the host that was served longest ago,
// and reports whether there was one.
func (d *dispatcher) begin() bool {
	next := -1
	for i, h := range d.hosts {
		if len(h.queue) == 0 || h.paused || len(h.under) >= atOnce {
			continue
		}
		if next < 0 || h.queue[0].Priority < d.hosts[next].queue[0].Priority {
			if h.startable() {
				next = i
			}
		}
	}
	if next < 0 {
		return false
	}
	h := d.hosts[next]
	w := h.ready()
	d.hosts = append(slices.Delete(d.hosts, next, next+1), h)
	r := ended{h, w, d.now(), outcome{verdict: postponed, why: "it broke"}}
	go func() {
		defer func() { d.results <- r }()
		guard.Broke(d.calls, d.log, "send an activity", func() { r.outcome = d.deliver(d.calls, w) })
	}()
	return true
}

// releaseIdle releases the hosts without further work.
func (d *dispatcher) releaseIdle() {
	d.hosts = slices.DeleteFunc(d.hosts, func(h *host) bool {
		if len(h.under) > 0 || len(h.queue) > 0 && !h.paused {
			return false
		}
		if h.bad > 0 && !h.paused && len(d.breaks) < maxBreaks {
			d.breaks[h.Host] = h.breaks
		}
		d.add(1)
		d.pending.Release = append(d.pending.Release, h.Host)
		return true
	})
}

func (d *dispatcher) add(n int) {
	if d.size == 0 {
		d.since = time.Now()
	}
	d.size += n
}

// flush stores the pending outcomes.
func (d *dispatcher) flush(ctx context.Context) error {
	if d.size == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, statement)
	defer cancel()
	if err := d.db.StoreDeliveryResults(ctx, d.holder.ID(), d.pending); err != nil {
		return err
	}
	d.held.Remove(d.pending.Release...)
	for _, h := range d.pending.Down {
		if err := d.trim(ctx, h.Host); err != nil {
			d.log.WarnContext(ctx, "cannot trim the deliveries of a host", "host", h.Host, "err", err)
		}
	}
	d.look = d.look || len(d.pending.Release) > 0
	d.pending, d.size = db.DeliveryResults{}, 0
	return nil
}
