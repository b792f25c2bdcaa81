// Package alive tells which processes of a database are alive, and releases the
// claims of those that are not.
//
// A process has one row and one heartbeat for all its work. Parts that claim
// rows register as holders: a claim names its holder, and is valid as long as
// the process is heard. A process that is silent for a lifetime loses its
// claims, and learns that before any irreversible effect: see Lease. All times
// are the database's, since the clocks of processes differ.
//
// On SQLite one process serves, without a heartbeat: claims of others are
// claims of processes that ended.
package alive

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"svc/db"
	"svc/server/platform/guard"
)

// The times of heartbeats. A process that was silent for longer than lapse does
// not trust its earlier claims; others take them over after a lifetime. A
// process declares others silent only if it was heard itself for a lifetime:
// after an outage of the database all have been silent.
const (
	beat     = 5 * time.Second
	again    = time.Second // after a failed heartbeat
	lapse    = 15 * time.Second
	lifetime = 30 * time.Second
	patience = 10 * time.Second // for one heartbeat, or one sweep
)

// ErrLost is a claim that others may have taken over.
var ErrLost = errors.New("the claim is lost: this process was not heard for too long")

// Process is this process. Its heartbeat begins with its first holder and ends
// with its last.
type Process struct {
	db  *db.DB
	log *slog.Logger
	id  string

	life sync.Mutex // held while the heartbeat begins or ends
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	holders map[*Holder]bool
	made    int
	ended   []string  // ended holders that may still have claims
	since   db.Time   // begin of the heartbeats without a gap
	heard   time.Time // last heartbeat, by the monotonic clock, before its statement
}

// New returns a Process that holds nothing yet.
func New(d *db.DB, log *slog.Logger) *Process {
	return &Process{db: d, log: log, id: d.NewUUID(), holders: map[*Holder]bool{}}
}

// ID returns the name of the process.
func (p *Process) ID() string { return p.id }

// Others reports whether other processes of the database are alive. In a transaction the
// process itself is alive for others from its end on.
func (p *Process) Others(ctx context.Context, tx *db.DB) (bool, error) {
	if tx.Dialect() != db.Postgres {
		return false, nil // one process serves
	}
	if _, err := tx.ProcessSeen(ctx, p.id, lapse); err != nil {
		return false, err
	}
	return tx.OtherProcesses(ctx, p.id, lifetime)
}

// Holder is a part of a process that claims rows.
type Holder struct {
	p    *Process
	id   string
	look func(ctx context.Context, holder string, claimed bool) (found bool, err error)
	wake func()
}

// Hold registers a holder of claims. wake is called when claims may have been
// released.
func Hold[K comparable](ctx context.Context, p *Process, claims Claims[K], wake func()) (*Holder, error) {
	return p.hold(ctx, claims.look(), wake)
}

// Attend registers a holder without claims: the process is heard until it ends.
func (p *Process) Attend(ctx context.Context) (*Holder, error) {
	return p.register(ctx, func() *Holder {
		return &Holder{p: p, id: p.id + "/0", look: func(context.Context, string, bool) (bool, error) { return false, nil }, wake: func() {}}
	})
}

func (p *Process) hold(ctx context.Context, look func(context.Context, string, bool) (bool, error), wake func()) (*Holder, error) {
	return p.register(ctx, func() *Holder {
		p.made++
		return &Holder{p: p, id: p.id + "/" + strconv.Itoa(p.made), look: look, wake: wake}
	})
}

func (p *Process) register(ctx context.Context, holder func() *Holder) (*Holder, error) {
	p.life.Lock()
	defer p.life.Unlock()
	if p.stop == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := holder()
	p.holders[h] = true
	return h, nil
}

// ID names the holder in its claims.
func (h *Holder) ID() string { return h.id }

// End releases all claims of the holder, which must be idle. The last holder
// ends the process's row. Claims that cannot be released now are released
// later, by this process or others.
func (h *Holder) End(ctx context.Context) error {
	p := h.p
	p.life.Lock()
	defer p.life.Unlock()
	p.mu.Lock()
	if !p.holders[h] {
		p.mu.Unlock()
		return nil
	}
	delete(p.holders, h)
	p.ended = append(p.ended, h.id)
	last := len(p.holders) == 0
	p.mu.Unlock()
	err := p.sweep(ctx)
	if !last {
		return err
	}
	p.stop()
	p.done.Wait()
	p.stop = nil
	return errors.Join(err, p.db.ProcessGone(ctx, p.id))
}

// start stores the process's row. p.life must be held.
func (p *Process) start(ctx context.Context) error {
	if err := p.say(ctx); err != nil {
		return err
	}
	if p.db.Dialect() != db.Postgres {
		if err := p.db.ForgetOthers(ctx, p.id); err != nil {
			return err
		}
	}
	if err := p.sweep(ctx); err != nil { // the sweep after the next heartbeat repeats it
		p.log.WarnContext(ctx, "cannot release stale claims", "err", err)
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	heard := make(chan struct{}, 1)
	p.done.Go(func() { guard.Forever(ctx, p.log, "heartbeat", func(ctx context.Context) { p.pulse(ctx, heard) }) })
	p.done.Go(func() {
		guard.Forever(ctx, p.log, "look for lost claims", func(ctx context.Context) { p.tend(ctx, heard) })
	})
	return nil
}

// say stores a heartbeat.
func (p *Process) say(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	since, err := p.db.ProcessSeen(ctx, p.id, lapse)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if began.After(p.heard) {
		p.since, p.heard = since, began
	}
	return nil
}

// pulse waits and sends one heartbeat.
func (p *Process) pulse(ctx context.Context, heard chan<- struct{}) {
	wait(ctx, beat)
	if p.db.Dialect() == db.Postgres {
		for err := p.say(ctx); err != nil; err = p.say(ctx) {
			if ctx.Err() != nil {
				return
			}
			p.log.WarnContext(ctx, "cannot store a heartbeat", "err", err)
			wait(ctx, again)
		}
	}
	select {
	case heard <- struct{}{}:
	default:
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tend releases, after a heartbeat, claims that others left behind, and claims
// in the database that their holder does not know.
func (p *Process) tend(ctx context.Context, heard <-chan struct{}) {
	select {
	case <-ctx.Done():
		return
	case <-heard:
	}
	var err error
	if p.db.Dialect() == db.Postgres {
		err = p.judge(ctx)
	}
	var claimed bool
	if err == nil {
		claimed, err = p.claimed(ctx)
	}
	if err == nil && claimed {
		err = p.sweep(ctx)
	}
	for _, h := range p.all() {
		if err == nil {
			err = h.tend(ctx, claimed)
		}
	}
	if err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "cannot release stale claims", "err", err)
	}
}

// claimed reports whether any process has claimed anything: at rest nothing is, and the
// tables need not be searched one by one.
func (p *Process) claimed(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.db.AnythingClaimed(ctx)
}

func (h *Holder) tend(ctx context.Context, claimed bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := h.look(ctx, h.id, claimed)
	if found {
		h.p.log.InfoContext(ctx, "released lost claims", "holder", h.id)
		h.wake()
	}
	return err
}

// judge removes the processes that were silent for too long.
func (p *Process) judge(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.db.ForgetSilent(ctx, p.id, lapse, lifetime)
}

// sweep releases the claims of unknown processes, and of this one's ended
// holders.
func (p *Process) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p.mu.Lock()
	ended := slices.Clone(p.ended)
	p.mu.Unlock()
	left, err := p.db.ReviveClaims(ctx, ended)
	if left.Any() {
		if len(ended) == 0 {
			p.log.InfoContext(ctx, "took over the claims of a dead process", "jobs", left.Jobs, "hosts", left.Hosts, "activities", left.Activities)
		}
		for _, h := range p.all() {
			h.wake()
		}
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.ended = slices.DeleteFunc(p.ended, func(id string) bool { return slices.Contains(ended, id) })
	p.mu.Unlock()
	return nil
}

// all returns all holders.
func (p *Process) all() []*Holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.holders))
}
