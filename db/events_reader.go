package db

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The rhythm of reading events.
const (
	coalesce   = 20 * time.Millisecond // while events come one after another, those of further transactions wait for the next read
	busy       = 20 * time.Millisecond // since the last event; one that comes later is read at once
	readAnyway = time.Second           // the pause between reads without a notification
	eventPage  = 500                   // events of one statement
)

// eventReader reads the events of all processes, in the order of their numbers.
type eventReader struct {
	woken chan struct{} // holds one call of wake

	mu        sync.RWMutex
	followers []func(epoch string, events []Event)
	cursor    EventPosition // the last event that was passed on

	read  time.Time // when events were last read to their end, for Listen alone
	found time.Time // when events were last found, likewise
}

// wake makes the reader read events now.
func (r *eventReader) wake() {
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// OnEvents registers fn for all events that are read from now on, in order, by
// calls that do not overlap. An empty list means that events were missed. fn
// must be quick: it keeps back all later events of this process.
func (d *DB) OnEvents(fn func(epoch string, events []Event)) {
	r := &d.pool.events
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers = append(r.followers, fn)
}

// EventCursor returns the position of the last event that was passed on.
func (d *DB) EventCursor() EventPosition {
	r := &d.pool.events
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.cursor
}

// StartEvents reads where the events stand, before Listen. All later events are passed
// on, so who subscribes after it misses none.
func (d *DB) StartEvents(ctx context.Context) error {
	err := d.readEvents(ctx)
	d.pool.facts.on.Store(err == nil)
	return err
}

// Listen reads the events of all processes until ctx ends.
func (d *DB) Listen(ctx context.Context) {
	var ear sync.WaitGroup
	defer ear.Wait()
	if d.pool.dialect == Postgres {
		ear.Go(func() { d.listenForever(ctx) })
	}
	r := &d.pool.events
	r.read = time.Time{}
	for {
		var err error
		d.pool.survive("read events", func() { err = d.readEvents(ctx) })
		if err != nil && ctx.Err() == nil {
			d.pool.log.WarnContext(ctx, "cannot read events", "err", err)
			rest(ctx, readAnyway)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(readAnyway):
		case <-r.woken:
			if time.Since(r.found) < busy {
				rest(ctx, coalesce)
			}
		}
	}
}

// rest waits for a moment, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// readEvents numbers events that have none, and passes on all after the cursor.
func (d *DB) readEvents(ctx context.Context) error {
	r := &d.pool.events
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	began := time.Now()
	head, err := d.eventHead(ctx)
	if err != nil {
		return err
	}
	if r.cursor.Epoch == head.Epoch && head.Seq < r.cursor.Seq {
		// A copy of the database was put back, or a standby without the last events
		// took over. Their numbers are given anew.
		if err := d.DrawEventEpoch(ctx, head.Epoch); err != nil {
			return err
		}
		if head, err = d.eventHead(ctx); err != nil {
			return err
		}
	}
	switch r.cursor.Epoch {
	case "":
		r.move(EventPosition{head.Epoch, head.Seq})
	case head.Epoch:
	default:
		d.missEvents(EventPosition{head.Epoch, head.Seq})
	}
	for more := true; more; {
		var n int64
		if head.Waiting {
			if n, err = d.numberEvents(ctx); err != nil {
				return err
			}
		}
		more = n == numbered
		for full := n > 0 || head.Seq > r.cursor.Seq; full; {
			events, err := d.EventsAfter(ctx, r.cursor.Seq, eventPage)
			if err != nil {
				return err
			}
			full = len(events) == eventPage
			if len(events) > 0 {
				r.found = time.Now()
				d.passOn(events)
			}
		}
	}
	if time.Since(r.read) > longAway {
		if err := d.lookBehind(ctx); err != nil {
			return err
		}
	}
	r.read = time.Now()
	d.pool.facts.asOf.Store(began.UnixNano())
	return nil
}

// longAway is the pause between reads after which unread events may have been
// swept. Sweeps keep events for longer than that.
const longAway = time.Minute

// lookBehind notices that unread events were swept, even if no event came after
// them.
func (d *DB) lookBehind(ctx context.Context) error {
	r := &d.pool.events
	head, err := d.EventHead(ctx)
	if err != nil || head.Seq <= r.cursor.Seq {
		return err
	}
	later, err := d.EventsAfter(ctx, r.cursor.Seq, 1)
	if err != nil || len(later) > 0 { // the next read passes them on
		return err
	}
	d.missEvents(head)
	return nil
}

// missEvents goes on after head, and says that events were missed.
func (d *DB) missEvents(head EventPosition) {
	d.pool.events.move(head)
	d.pool.tell(AnythingMissed, "")
	d.pool.pass(nil)
}

// passOn gives events that continue after the cursor to the functions of
// OnEvents, and notices to their listeners.
func (d *DB) passOn(events []Event) {
	r := &d.pool.events
	if events[0].Seq > r.cursor.Seq+1 { // the events between were swept
		d.pool.tell(AnythingMissed, "")
		d.pool.pass(nil)
	}
	r.move(EventPosition{r.cursor.Epoch, events[len(events)-1].Seq})
	for i := range events {
		topic, ok := strings.CutPrefix(events[i].Kind, notice)
		if ok && (!d.pool.own.made(&events[i]) || d.pool.own.first(events[i])) {
			d.pool.tell(topic, events[i].Subject)
		}
	}
	d.pool.pass(events)
}

func (r *eventReader) move(to EventPosition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cursor = to
}

// pass calls the functions of OnEvents.
func (p *pool) pass(events []Event) {
	r := &p.events
	r.mu.RLock()
	followers, epoch := r.followers, r.cursor.Epoch
	r.mu.RUnlock()
	for _, fn := range followers {
		p.survive("take events", func() { fn(epoch, events) })
	}
}

// listenForever wakes the reader whenever a process has numbered events, until
// ctx ends.
func (d *DB) listenForever(ctx context.Context) {
	for ctx.Err() == nil {
		var err error
		d.pool.survive("listen", func() { err = d.listen(ctx) })
		if ctx.Err() == nil {
			d.pool.log.WarnContext(ctx, "lost the listening connection to the database", "err", err)
			rest(ctx, time.Second)
		}
	}
}

func (d *DB) listen(ctx context.Context) error {
	conn, err := d.pool.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(raw any) error {
		c := raw.(*boundedConn).Conn.Conn()
		// It still listens, so the pool must not have it.
		defer func() { _ = within(context.WithoutCancel(ctx), answerTime, c.Close) }()
		return d.hear(ctx, c)
	})
}

// upkeep is how often the listening connection is probed, since a server that
// hangs sends nothing either. It also bounds how far this process's ids may
// fall behind those of others.
const upkeep = 10 * time.Second

func (d *DB) hear(ctx context.Context, c *pgx.Conn) error {
	if err := within(ctx, answerTime, func(ctx context.Context) error { return errOf(c.Exec(ctx, "LISTEN svc")) }); err != nil {
		return err
	}
	d.pool.events.wake() // nothing was heard before
	next := time.Now().Add(upkeep)
	for {
		var n *pgconn.Notification
		err := within(ctx, time.Until(next), func(ctx context.Context) (err error) {
			n, err = c.WaitForNotification(ctx)
			return err
		})
		switch {
		case n != nil:
			d.pool.events.wake()
		case pgconn.Timeout(err) && ctx.Err() == nil && !c.IsClosed():
			if err := errors.Join(within(ctx, answerTime, c.Ping), d.followIDs(ctx)); err != nil {
				return err
			}
			next = time.Now().Add(upkeep)
		default:
			return err
		}
	}
}

func within(ctx context.Context, bound time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return do(ctx)
}

func errOf[T any](_ T, err error) error { return err }
