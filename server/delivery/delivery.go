// Package delivery brings activities to other servers. What package outbox kept
// in the transaction of what it tells of is first given its recipients, one row
// for each inbox, chunk by chunk; then each row is sent until its inbox has it,
// or never will. Rows are the only memory: a process that ends, however it does,
// leaves what it had not done to the next.
//
// A host is one process's at a time, so that what is told of one thing arrives
// in its order, and no host gets more calls at once than it should.
package delivery

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/config"
	"svc/server/remote"
)

// The rhythm of the work.
const (
	heartbeat = 5 * time.Second
	lifetime  = 30 * time.Second // after which a silent process counts as dead
	tick      = time.Second      // how often is looked for what is due by the clock
)

// Sender signs activities in an account's name and sends them to inboxes, never
// to a host that is not to be spoken to.
type Sender interface {
	// Post sends body. An error is no answer, or remote.ErrRefused.
	Post(ctx context.Context, as *db.Account, inbox string, body []byte) (*remote.Result, error)
	// Blocked tells whether nothing is sent to a host, which may have a port.
	Blocked(host string) bool
}

// Service distributes and sends, in any number of processes.
type Service struct {
	db       *db.DB
	settings *config.Live
	send     Sender
	relays   func(context.Context) ([]string, error)
	own      string // host
	now      func() time.Time
	log      *slog.Logger
	id       string         // of this process
	vary     func() float64 // from 0 to 1

	waken    chan struct{} // there is something to send
	expand   chan struct{} // there is something to distribute
	audience audience      // of the activity that is being distributed
	stop     context.CancelFunc
	calls    context.Context // of what is under way, which may end after stop
	hangUp   context.CancelFunc
	running  sync.WaitGroup

	delivered, failed, dropped atomic.Int64
}

// New returns a Service for the public base URL. relays returns the inboxes of
// the relays that are subscribed to; nil is none.
func New(d *db.DB, settings *config.Live, send Sender, relays func(context.Context) ([]string, error), base string, now func() time.Time, log *slog.Logger) *Service {
	own := ""
	if u, err := url.Parse(base); err == nil {
		own = hostOf(u)
	}
	s := &Service{
		db: d, settings: settings, send: send, relays: relays, own: own, now: now, log: log,
		id: d.NewUUID(), vary: rand.Float64, waken: make(chan struct{}, 1), expand: make(chan struct{}, 1),
	}
	d.Subscribe(func(topic, _ string) {
		if topic == db.ActivityQueued || topic == db.AnythingMissed {
			s.Wake()
		}
	})
	return s
}

// Wake has the Service look for work now.
func (s *Service) Wake() {
	nudge(s.expand)
	nudge(s.waken)
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Counts are how many deliveries this process ended, by how.
type Counts struct {
	Delivered int64 // the inbox has it
	Failed    int64 // tries that failed, of which most are made again
	Dropped   int64 // given up, or never wanted
}

// Counts returns what this process did.
func (s *Service) Counts() Counts {
	return Counts{Delivered: s.delivered.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load()}
}

// Start begins to distribute and send, until Stop.
func (s *Service) Start(ctx context.Context) error {
	s.calls, s.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	ctx, s.stop = context.WithCancel(ctx)
	if err := s.beat(ctx); err != nil {
		s.stop()
		return err
	}
	if s.db.Dialect() == db.Postgres {
		s.running.Go(func() { s.live(ctx) })
	}
	s.running.Go(func() { s.distribute(ctx) })
	s.running.Go(func() { s.dispatch(ctx) })
	return nil
}

// Stop lets the calls that are under way end, until ctx does, and keeps how they
// went; what else waits is left to other processes, or the next start.
func (s *Service) Stop(ctx context.Context) error {
	if s.stop == nil {
		return nil
	}
	s.stop()
	done := make(chan struct{})
	go func() { s.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		s.hangUp()
		<-done
		ctx = context.WithoutCancel(ctx)
	}
	s.hangUp()
	if err := s.db.ReleaseHosts(ctx, s.id); err != nil {
		return err
	}
	if s.db.Dialect() != db.Postgres {
		return nil
	}
	return s.db.ProcessGone(ctx, s.id)
}

// live says every heartbeat that this process does, and takes over the hosts of
// those that do not.
func (s *Service) live(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.beat(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "cannot say that this process sends", "err", err)
		}
	}
}

// beat is live once. On SQLite one process serves: what is held when it begins,
// was by the one before.
func (s *Service) beat(ctx context.Context) error {
	before := s.now()
	if s.db.Dialect() == db.Postgres {
		if err := s.db.ProcessSeen(ctx, s.id); err != nil {
			return err
		}
		before = before.Add(-lifetime)
	}
	n, err := s.db.ReviveHosts(ctx, db.At(before))
	if n > 0 {
		s.log.InfoContext(ctx, "took over the hosts of a process that died", "hosts", n)
		nudge(s.waken)
	}
	return err
}

// hostOf is the host of an address as it is known by: in lower case, with its
// port where that is not the usual one.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// inboxHost is the host of an inbox, "" of what is no address.
func inboxHost(inbox string) string {
	u, err := url.Parse(inbox)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return hostOf(u)
}
