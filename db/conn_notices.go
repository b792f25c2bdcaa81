package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The topics that are announced. Payloads are ids.
const (
	AccountChanged = "account" // an account, its user, tokens or relations: whatever authenticates a request
	AppChanged     = "app"
	CountsChanged  = "counts" // the OwnStanding of these accounts, separated by commas, or Everybody; other processes hear of it a moment later
	EmojisChanged  = "emoji"  // the pictures on disk; the payload names the process that has read them
	AnythingMissed = "missed" // the listening connection was lost: every cache may be old
)

// notices passes announcements between the parts of this process and other
// processes.
type notices struct {
	mu        sync.RWMutex
	listeners []func(topic, payload string)
	counts    counts
}

// Subscribe registers fn for every announcement of this process and, on
// PostgreSQL while Listen runs, of others. fn must be quick.
func (d *DB) Subscribe(fn func(topic, payload string)) {
	d.pool.notices.mu.Lock()
	defer d.pool.notices.mu.Unlock()
	d.pool.notices.listeners = append(d.pool.notices.listeners, fn)
}

// Announce sends a notice to all processes once d is committed.
func (d *DB) Announce(ctx context.Context, topic, payload string) error {
	d.AfterCommit(func() { d.pool.tell(topic, payload) })
	if d.pool.dialect != Postgres {
		return nil
	}
	_, err := d.exec(ctx, "announce", "SELECT pg_notify('svc', ?)", topic+" "+payload)
	return err
}

func (p *pool) tell(topic, payload string) {
	p.notices.mu.RLock()
	defer p.notices.mu.RUnlock()
	for _, fn := range p.notices.listeners {
		p.survive("hear an announcement", func() { fn(topic, payload) })
	}
}

// survive runs fn and logs a panic: nothing above recovers a goroutine of this
// package.
func (p *pool) survive(what string, fn func()) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic", "in", what, "reason", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	fn()
}

// Listen receives the announcements of other processes until ctx ends. On
// SQLite, where one process serves, it only waits.
func (d *DB) Listen(ctx context.Context) {
	if d.pool.dialect == Postgres {
		var spread sync.WaitGroup
		spread.Go(func() {
			for ctx.Err() == nil {
				d.pool.survive("announce counts", func() { d.announceCounts(ctx) })
			}
		})
		defer spread.Wait()
	}
	for d.pool.dialect == Postgres && ctx.Err() == nil {
		var err error
		d.pool.survive("listen", func() { err = d.listen(ctx) })
		if ctx.Err() != nil {
			return
		}
		d.pool.log.WarnContext(ctx, "lost the listening connection to the database", "err", err)
		d.pool.tell(AnythingMissed, "")
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	<-ctx.Done()
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
	next := time.Now().Add(upkeep)
	for {
		var n *pgconn.Notification
		err := within(ctx, time.Until(next), func(ctx context.Context) (err error) {
			n, err = c.WaitForNotification(ctx)
			return err
		})
		switch {
		case n != nil:
			topic, payload, _ := strings.Cut(n.Payload, " ")
			d.pool.tell(topic, payload)
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

// Everybody stands for all accounts in CountsChanged.
const Everybody = "*"

// counts collects the accounts whose counts are to be announced to other
// processes.
type counts struct {
	mu    sync.Mutex
	told  chan struct{} // nil while nobody tells them
	whose map[string]bool
}

// The rhythm of announcing changed counts to other processes.
const (
	gather   = 20 * time.Millisecond
	tellMost = 300 // ids in one notification, which holds 8000 bytes
)

// countsChanged announces CountsChanged of these accounts once d is committed.
// The statement that notifies other processes is outside of the transaction:
// inside, all commits of the cluster would wait for each other, and these rows
// change all the time. A notification that is lost with its process costs at
// most a second, the life of a cached standing.
func (d *DB) countsChanged(ids ...string) {
	if len(ids) == 0 {
		return
	}
	d.AfterCommit(func() {
		d.pool.tell(CountsChanged, strings.Join(ids, ","))
		d.pool.notices.counts.add(ids)
	})
}

func (c *counts) add(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told == nil {
		return
	}
	for _, id := range ids {
		c.whose[id] = true
	}
	select {
	case c.told <- struct{}{}:
	default:
	}
}

// take returns the pending ids, in pieces that fit a notification.
func (c *counts) take() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.whose))
	for id := range c.whose {
		ids = append(ids, id)
	}
	clear(c.whose)
	if slices.Contains(ids, Everybody) || len(ids) > 10*tellMost {
		ids = []string{Everybody}
	}
	return slices.Collect(slices.Chunk(ids, tellMost))
}

// announceCounts notifies other processes of changed counts until ctx ends.
func (d *DB) announceCounts(ctx context.Context) {
	c, told := &d.pool.notices.counts, make(chan struct{}, 1)
	c.mu.Lock()
	c.told, c.whose = told, map[string]bool{}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.told, c.whose = nil, nil
		c.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-told:
		}
		select {
		case <-ctx.Done():
		case <-time.After(gather):
		}
		for _, ids := range c.take() {
			err := within(context.WithoutCancel(ctx), answerTime, func(ctx context.Context) error {
				return errOf(d.exec(ctx, "tell whose counts changed", "SELECT pg_notify('svc', ?)", CountsChanged+" "+strings.Join(ids, ",")))
			})
			if err != nil && ctx.Err() == nil {
				d.pool.log.WarnContext(ctx, "cannot announce changed counts", "err", err)
			}
		}
	}
}
