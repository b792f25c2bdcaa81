package db

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// The topics that are announced. Payloads are ids.
const (
	AccountChanged = "account" // an account, its user, tokens or relations: all facts that authenticate a request
	AppChanged     = "app"
	FollowsChanged = "follows" // what these accounts follow, separated by commas
	CountsChanged  = "counts"  // the OwnStanding of these accounts, separated by commas, or Everybody
	EmojisChanged  = "emoji"   // the pictures on disk; the payload names the process that has read them
	AnythingMissed = "missed"  // events were swept before they were read here: every cache may be old
)

// notices passes announcements between the parts of this process.
type notices struct {
	mu        sync.RWMutex
	listeners []func(topic, payload string)
}

// Subscribe registers fn for every announcement of this process and, on
// PostgreSQL while Listen runs, of others. fn must be quick.
func (d *DB) Subscribe(fn func(topic, payload string)) {
	d.pool.notices.mu.Lock()
	defer d.pool.notices.mu.Unlock()
	d.pool.notices.listeners = append(d.pool.notices.listeners, fn)
}

// notice begins the kinds of events that are notices.
const notice = "notice."

// Announce sends a notice to all processes once d is committed: to this one at
// once, to others as an event. On SQLite one process serves, and hears as events of what
// commands beside it do.
//
// A process that did not get the answer to its COMMIT does not know that it was
// done. It hears of its own notice when it reads the event. The data of the event
// names the process and the transaction, so that each is told once.
func (d *DB) Announce(ctx context.Context, topic, payload string) error {
	if d.pool.dialect != Postgres && (d.pool.facts.on.Load() || d.pool.bulk) {
		d.AfterCommit(func() { d.pool.tell(topic, payload) })
		return nil
	}
	e := Event{Kind: notice + topic, Subject: payload}
	if d.tx == nil {
		e.Data = d.pool.own.name()
	} else {
		if d.tx.notice == "" {
			d.tx.notice, d.tx.told = d.pool.own.name(), map[Event]bool{}
		}
		e.Data = d.tx.notice
		if d.tx.told[e] {
			return nil
		}
		d.tx.told[e] = true
	}
	d.AfterCommit(func() {
		if d.pool.own.first(e) {
			d.pool.tell(topic, payload)
		}
	})
	return d.Emit(ctx, e)
}

// ownNotices knows which notices of this process were told here. Each comes twice: when
// its transaction is committed, and when it is read as an event.
type ownNotices struct {
	process string // begins their names

	mu   sync.Mutex
	last int64
	once map[Event]bool // came once
}

func (o *ownNotices) init() { o.process, o.once = rand.Text(), map[Event]bool{} }

// mostOnce bounds those that came once. Most come again within a moment. Others do not:
// those whose COMMIT had no answer, and those of a process that reads no events. Beyond
// it all are forgotten, and some may be told twice.
const mostOnce = 10_000

// name names the notices of a transaction.
func (o *ownNotices) name() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	return o.process + " " + strconv.FormatInt(o.last, 10)
}

// made reports whether an event is a notice of this process.
func (o *ownNotices) made(e *Event) bool {
	process, _, _ := strings.Cut(e.Data, " ")
	return process == o.process
}

// first reports whether a notice comes for the first time.
func (o *ownNotices) first(e Event) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	e = Event{Kind: e.Kind, Subject: e.Subject, Data: e.Data}
	if o.once[e] {
		delete(o.once, e)
		return false
	}
	if len(o.once) >= mostOnce {
		clear(o.once)
	}
	o.once[e] = true
	return true
}

// Everybody stands for all accounts in CountsChanged.
const Everybody = "*"

// followsChanged announces FollowsChanged of these accounts.
func (d *DB) followsChanged(ctx context.Context, ids ...string) error {
	return d.Announce(ctx, FollowsChanged, strings.Join(ids, ","))
}

// countsChanged announces CountsChanged of these accounts. A notice that is lost
// costs at most a second, the life of a cached standing.
func (d *DB) countsChanged(ids ...string) {
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	if err := d.Announce(ctx, CountsChanged, strings.Join(ids, ",")); err != nil {
		d.pool.log.WarnContext(ctx, "cannot announce changed counts", "err", err)
	}
}

func (p *pool) tell(topic, payload string) {
	p.facts.hear(topic, payload)
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
