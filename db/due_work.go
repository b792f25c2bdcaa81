package db

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// DueWork is what work waits in the database for some process.
type DueWork struct {
	Inbox      bool // unclaimed inbox items that are due
	Activities bool // undistributed activities
	Hosts      bool // unclaimed hosts with due deliveries
	queues     []string
	anything   bool // not looked
}

// Queue reports whether jobs of a queue are available.
func (w DueWork) Queue(name string) bool { return w.anything || slices.Contains(w.queues, name) }

// lastWork keeps the answer of the last look.
type lastWork struct {
	stored atomic.Bool // work, by this process, since it was looked

	mu    sync.Mutex // held while looking: who comes meanwhile wants the same answer
	found DueWork
	until time.Time
}

// waitingFor is how long an answer serves. Who looks for work does so every second, or
// more often.
const waitingFor = 900 * time.Millisecond

// LookForWork makes the next call of DueWork look once the transaction is committed,
// since it has stored work.
func (d *DB) LookForWork() {
	d.AfterCommit(func() { d.pool.waiting.stored.Store(true) })
}

// DueWork looks once a second for all who look for work, so that a server at rest asks
// PostgreSQL once and not for each kind of work. On SQLite a statement is a call within the
// process: there everybody looks for themselves.
func (d *DB) DueWork(ctx context.Context) (DueWork, error) {
	if d.pool.dialect != Postgres {
		return DueWork{Inbox: true, Activities: true, Hosts: true, anything: true}, nil
	}
	w := &d.pool.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.stored.Swap(false) || now.After(w.until) {
		w.until = time.Time{} // if this fails, the next caller looks
		found, err := d.lookForWork(ctx)
		if err != nil {
			return DueWork{}, err
		}
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
	return DueWork{Inbox: r.Inbox, Activities: r.Activities, Hosts: r.Hosts, queues: strings.Fields(r.Queues)}, err
}
