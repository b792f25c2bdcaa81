package db

import (
	"context"
	"strings"
	"sync"
	"time"
)

// DueWork is what work waits in the database for some process.
type DueWork struct {
	Inbox      bool     // unclaimed inbox items that are due
	Activities bool     // undistributed activities
	Hosts      bool     // unclaimed hosts with due deliveries
	Queues     []string // with available jobs
	look       int      // its number
}

// lastWork keeps the answer of the last look.
type lastWork struct {
	mu    sync.Mutex // held while looking: who comes meanwhile wants the same answer
	found DueWork
	until time.Time

	storing sync.Mutex    // never held while looking
	stored  chan struct{} // closed when this process has stored work
	unseen  bool          // such work, since it was looked
	looks   int           // that found something out
}

// lookEvery is the rhythm in which work is looked for that other processes have stored, or
// that was stored for later. An answer serves for almost as long.
const (
	lookEvery  = time.Second
	waitingFor = lookEvery - 100*time.Millisecond
)

// LookForWork makes the next call of DueWork look once the transaction is committed,
// since it has stored work, and wakes who waits in WaitForWork.
func (d *DB) LookForWork() {
	d.AfterCommit(func() {
		w := &d.pool.waiting
		w.storing.Lock()
		defer w.storing.Unlock()
		w.unseen = true
		if w.stored != nil {
			close(w.stored)
			w.stored = nil
		}
	})
}

// WaitForWork waits until last may be outdated: once this process stores work or somebody
// has looked again, or for a second.
func (d *DB) WaitForWork(ctx context.Context, last DueWork) error {
	w := &d.pool.waiting
	w.storing.Lock()
	if w.stored == nil {
		w.stored = make(chan struct{})
	}
	stored, outdated := w.stored, w.unseen || w.looks != last.look
	w.storing.Unlock()
	if outdated {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stored:
	case <-time.After(lookEvery):
	}
	return nil
}

// DueWork looks once a second for all who look for work, so that a server at rest asks the
// database once and not for each kind of work.
func (d *DB) DueWork(ctx context.Context) (DueWork, error) {
	w := &d.pool.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	w.storing.Lock()
	unseen := w.unseen
	w.unseen = false
	w.storing.Unlock()
	if now := time.Now(); unseen || now.After(w.until) {
		w.until = time.Time{} // if this fails, the next caller looks
		found, err := d.lookForWork(ctx)
		if err != nil {
			return DueWork{}, err
		}
		w.storing.Lock()
		w.looks++
		found.look = w.looks
		w.storing.Unlock()
		w.found, w.until = found, now.Add(waitingFor)
	}
	return w.found, nil
}

func (d *DB) lookForWork(ctx context.Context) (DueWork, error) {
	type row struct {
		Inbox, Activities, Hosts bool
		Queues                   string
	}
	now := d.Now()
	var q selection
	q.add(`SELECT EXISTS (SELECT 1 FROM inbox_items WHERE claimed_by = '' AND next_at <= ?) AS inbox,
		EXISTS (SELECT 1 FROM activities WHERE distributed_at IS NULL) AS activities, FALSE`, now)
	for p := PriorityPerson; p <= PriorityBulk; p++ { // each is a look into the index
		q.add(" OR EXISTS (SELECT 1 FROM delivery_hosts WHERE holder = '' AND priority = ? AND due_at <= ?)", p, now)
	}
	q.add(` AS hosts, (SELECT COALESCE(STRING_AGG(name, ' '), '') FROM river_queue
		WHERE EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = river_queue.name)) AS queues`)
	r, err := value[row](ctx, d, "look for work", q.sql.String(), q.args...)
	return DueWork{Inbox: r.Inbox, Activities: r.Activities, Hosts: r.Hosts, Queues: strings.Fields(r.Queues)}, err
}
