package ingest

import (
	"context"
	"sync"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// The bounds of the queue in rows: of one host, and in all.
const (
	mostOfHost  = 10_000
	bytesOfHost = 64 << 20
	mostOfAll   = 200_000
	bytesOfAll  = 1 << 30
	// weighEvery is how often the queue is counted in the database. The process's
	// own additions and removals are counted at once.
	weighEvery = 5 * time.Second
)

// load is the size of the queue, by host.
type load struct {
	mu    sync.Mutex
	at    time.Time // the last count, by the monotonic clock
	all   db.Load
	hosts map[string]db.Load
}

// set stores the counts of the database.
func (l *load) set(rows []db.HostLoad) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.all, l.hosts = time.Now(), db.Load{}, make(map[string]db.Load, len(rows))
	for _, r := range rows {
		l.hosts[r.Host] = r.Load
		l.all.Items += r.Items
		l.all.Bytes += r.Bytes
	}
}

// add counts activities of a host that came or ended.
func (l *load) add(host string, items, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[string]db.Load{}
	}
	of := l.hosts[host]
	of.Items, of.Bytes = max(of.Items+items, 0), max(of.Bytes+bytes, 0)
	if of == (db.Load{}) {
		delete(l.hosts, host)
	} else {
		l.hosts[host] = of
	}
	l.all.Items, l.all.Bytes = max(l.all.Items+items, 0), max(l.all.Bytes+bytes, 0)
}

// refuse returns why an activity of a host is refused: too many of the host, or
// in all.
func (l *load) refuse(host string, size int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.hosts[host]
	switch {
	case of.Items >= mostOfHost, of.Bytes+size > bytesOfHost:
		return fault.RateLimited("Too many activities of this server wait")
	case l.all.Items >= mostOfAll, l.all.Bytes+size > bytesOfAll:
		return fault.Unavailable("Too many activities wait")
	}
	return nil
}

// old reports whether it is time to count again.
func (l *load) old() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.at) >= weighEvery
}

// weigh counts the queue, unless it was just counted.
func (s *Service) weigh(ctx context.Context) error {
	if !s.load.old() {
		return nil
	}
	rows, err := s.db.InboxLoad(ctx)
	if err == nil {
		s.load.set(rows)
	}
	return err
}

// bounded refuses an activity if the queue is full.
func (s *Service) bounded(ctx context.Context, host string, size int) error {
	if s.engine.Load() == nil { // not counted without workers
		if err := s.weigh(ctx); err != nil {
			return err
		}
	}
	return s.load.refuse(host, size)
}
