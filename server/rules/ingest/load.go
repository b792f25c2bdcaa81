package ingest

import (
	"context"
	"sync"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// The bounds of what may wait at all, as rows: of one host, and of all.
const (
	mostOfHost  = 10_000
	bytesOfHost = 64 << 20
	mostOfAll   = 200_000
	bytesOfAll  = 1 << 30
	// weighEvery is how often what waits is counted in the database; what this
	// process adds and ends is known at once.
	weighEvery = 5 * time.Second
)

// load is how much waits, by host.
type load struct {
	mu    sync.Mutex
	at    time.Time // when it was last counted, by the monotonic clock
	all   db.Load
	hosts map[string]db.Load
}

// set is what the database says.
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

// add counts activities of a host that came, or ended.
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

// refuse tells why an activity of a host is not taken: too much waits of the
// host, or of all.
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

// weigh counts what waits, unless it was just counted.
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

// bounded refuses an activity where too much waits.
func (s *Service) bounded(ctx context.Context, host string, size int) error {
	if s.engine.Load() == nil { // nobody counts
		if err := s.weigh(ctx); err != nil {
			return err
		}
	}
	return s.load.refuse(host, size)
}
