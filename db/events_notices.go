package db

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// The topics that are announced. Payloads are ids.
const (
	AccountChanged = "account" // an account, its user, tokens or relations: all facts that authenticate a request
	AppChanged     = "app"
	CountsChanged  = "counts" // the OwnStanding of these accounts, separated by commas, or Everybody
	EmojisChanged  = "emoji"  // the pictures on disk; the payload names the process that has read them
	AnythingMissed = "missed" // events were swept before they were read here: every cache may be old
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
// once, to others as an event, whose data names this process. On SQLite one
// process serves.
func (d *DB) Announce(ctx context.Context, topic, payload string) error {
	d.AfterCommit(func() { d.pool.tell(topic, payload) })
	if d.pool.dialect != Postgres {
		return nil
	}
	return d.Emit(ctx, Event{Kind: notice + topic, Subject: payload, Data: d.pool.events.process})
}

// Everybody stands for all accounts in CountsChanged.
const Everybody = "*"

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
