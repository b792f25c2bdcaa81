// Package alive tells processes that share a database which of them live, and
// lets go of what nobody holds.
//
// A process has one row, which says that it lives, and one heartbeat, whatever
// it does. Parts that claim rows register as holders: a claim names its holder,
// and counts as long as the process is heard. Whoever is silent for a lifetime
// has lost what it claimed, and finds that out before it does anything that
// cannot be taken back: see Lease. Times are the database's alone, since the
// clocks of processes differ.
//
// On SQLite one process serves, and has no heartbeat: what others claimed was
// claimed by processes that ended.
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
)

// The rhythm. A process that was silent for longer than lapse trusts nothing of
// what it claimed before; others take it over after a lifetime. Before a process
// calls others silent, it was heard itself for a lifetime: when the database
// comes back, all have been silent.
const (
	beat     = 5 * time.Second
	again    = time.Second // after a heartbeat that failed
	lapse    = 15 * time.Second
	lifetime = 30 * time.Second
	patience = 10 * time.Second // for one heartbeat, or for one look
)

// ErrLost is a claim that others may have taken over.
var ErrLost = errors.New("the claim is lost: this process was not heard for too long")

// Process is this process among those of the database. Its heartbeat begins with
// its first holder and ends with its last.
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
	ended   []string  // holders whose claims may still stand in the database
	since   db.Time   // when the process began to be heard without a gap
	heard   time.Time // last, by the monotonic clock, before the database was asked
}

// New returns a Process that holds nothing yet.
func New(d *db.DB, log *slog.Logger) *Process {
	return &Process{db: d, log: log, id: d.NewUUID(), holders: map[*Holder]bool{}}
}

// ID names the process.
func (p *Process) ID() string { return p.id }

// Holder is a part of a process that claims rows.
type Holder struct {
	p    *Process
	id   string
	look func(ctx context.Context, holder string) (found bool, err error)
	wake func()
}

// Hold registers a holder of claims. wake is called when something may have
// been let go.
func Hold[K comparable](ctx context.Context, p *Process, claims Claims[K], wake func()) (*Holder, error) {
	return p.hold(ctx, claims.look(), wake)
}

func (p *Process) hold(ctx context.Context, look func(context.Context, string) (bool, error), wake func()) (*Holder, error) {
	p.life.Lock()
	defer p.life.Unlock()
	if p.stop == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	h := &Holder{p: p, id: p.id + "/" + strconv.Itoa(p.made), look: look, wake: wake}
	p.holders[h] = true
	return h, nil
}

// ID names the holder in what it claims.
func (h *Holder) ID() string { return h.id }

// End lets go of all that the holder claimed: it must do nothing any more. The
// process of the last holder ends with it. What cannot be let go now is later,
// by this process or by others.
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

// start makes the process known. p.life must be held.
func (p *Process) start(ctx context.Context) error {
	if err := p.say(ctx); err != nil {
		return err
	}
	if p.db.Dialect() != db.Postgres {
		if err := p.db.ForgetOthers(ctx, p.id); err != nil {
			return err
		}
	}
	if err := p.sweep(ctx); err != nil { // the look after the next heartbeat does it
		p.log.WarnContext(ctx, "cannot let go of what nobody holds", "err", err)
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	heard := make(chan struct{}, 1)
	p.done.Go(func() { Forever(ctx, p.log, "heartbeat", func(ctx context.Context) { p.pulse(ctx, heard) }) })
	p.done.Go(func() { Forever(ctx, p.log, "look for lost claims", func(ctx context.Context) { p.tend(ctx, heard) }) })
	return nil
}

// say has the database know that the process lives.
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

// pulse is one heartbeat, and the pause before it.
func (p *Process) pulse(ctx context.Context, heard chan<- struct{}) {
	wait(ctx, beat)
	if p.db.Dialect() == db.Postgres {
		for err := p.say(ctx); err != nil; err = p.say(ctx) {
			if ctx.Err() != nil {
				return
			}
			p.log.WarnContext(ctx, "cannot say that this process lives", "err", err)
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

// tend lets go, after a heartbeat, of what others left behind, and of what
// stands in the database as held by a holder that knows nothing of it.
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
	if err == nil {
		err = p.sweep(ctx)
	}
	for _, h := range p.all() {
		if err == nil {
			err = h.tend(ctx)
		}
	}
	if err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "cannot let go of what nobody holds", "err", err)
	}
}

func (h *Holder) tend(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := h.look(ctx, h.id)
	if found {
		h.p.log.InfoContext(ctx, "let go of what was claimed, and whose claim was lost", "holder", h.id)
		h.wake()
	}
	return err
}

// judge has the database forget the processes that were silent for too long.
func (p *Process) judge(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.db.ForgetSilent(ctx, p.id, lapse, lifetime)
}

// sweep lets go of what processes left behind that are not known any more, and
// holders of this one that ended.
func (p *Process) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p.mu.Lock()
	ended := slices.Clone(p.ended)
	p.mu.Unlock()
	left, err := p.db.ReviveClaims(ctx, ended)
	if left.Any() {
		if len(ended) == 0 {
			p.log.InfoContext(ctx, "took over what a process left that died", "jobs", left.Jobs, "hosts", left.Hosts, "activities", left.Activities)
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

// all are the holders there are.
func (p *Process) all() []*Holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.holders))
}
