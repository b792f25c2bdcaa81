// Package delivery delivers activities to other servers. An activity from
// package outbox first gets its recipients, one row for each inbox, chunk by
// chunk; then each row is sent until its inbox has it, or is given up. Rows are
// the only memory: a process that ends in any way leaves its unfinished work to
// the next.
//
// A host belongs to one process at a time, so that activities about one object
// arrive in order, and no host gets more concurrent calls than it should.
package delivery

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/alive"
	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/platform/tracing"
)

// The times of the work.
const (
	tick      = time.Second      // how often due hosts are read
	statement = 20 * time.Second // for one access to the database
)

// Sender signs activities as an account and posts them to inboxes, never to a
// blocked host.
type Sender interface {
	// Post sends body as an account. An error is no answer, remote.ErrRefused, or
	// db.ErrNotFound for an unknown account.
	Post(ctx context.Context, accountID, inbox string, body []byte) (*remote.Result, error)
	// Blocked reports whether nothing is sent to a host, which may have a port.
	Blocked(host string) bool
}

// Service distributes and delivers activities, in any number of processes.
type Service struct {
	db       *db.DB
	process  *alive.Process
	settings *config.Live
	send     Sender
	relays   func(context.Context) ([]string, error)
	own      string // host
	now      func() time.Time
	log      *slog.Logger
	traces   *tracing.Traces
	vary     func() float64 // from 0 to 1
	pace     *pace

	holder   *alive.Holder
	held     alive.Known[string] // hosts
	waken    chan struct{}       // a delivery may be due
	expand   chan struct{}       // an activity may wait
	audience audience            // of the current activity
	stop     context.CancelFunc
	calls    context.Context // of running calls, which may outlast stop
	hangUp   context.CancelFunc
	running  sync.WaitGroup

	delivered, failed, dropped atomic.Int64
}

// Parts are the dependencies of a Service. Only Traces may be missing.
type Parts struct {
	DB       *db.DB
	Process  *alive.Process
	Settings *config.Live
	Send     Sender
	Relays   func(context.Context) ([]string, error) // inboxes of subscribed relays
	Visits   func() Visits                           // delivery slows down for visitors
	Site     config.Site
	Traces   *tracing.Traces
	Now      func() time.Time
	Log      *slog.Logger
}

// New returns a Service.
func New(p Parts) *Service {
	s := &Service{
		db: p.DB, process: p.Process, settings: p.Settings, send: p.Send, relays: p.Relays, own: inboxHost(p.Site.Base), now: p.Now, log: p.Log, traces: p.Traces,
		vary: rand.Float64, pace: newPace(runtime.GOMAXPROCS(0), p.Visits), waken: make(chan struct{}, 1), expand: make(chan struct{}, 1),
	}
	p.DB.Subscribe(func(topic, _ string) {
		if topic == db.ActivityQueued || topic == db.AnythingMissed {
			s.Wake()
		}
	})
	return s
}

// Wake makes the Service look for work now.
func (s *Service) Wake() {
	s.db.LookForWork()
	nudge(s.expand)
	nudge(s.waken)
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Counts returns the counts of this process.
type Counts struct {
	Delivered int64 // the inbox has it
	Failed    int64 // failed tries, most of which are repeated
	Dropped   int64 // given up, or refused
}

// Counts returns the deliveries of this process by outcome.
func (s *Service) Counts() Counts {
	return Counts{Delivered: s.delivered.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load()}
}

// Start begins to distribute and deliver, until Stop.
func (s *Service) Start(ctx context.Context) error {
	claims := alive.Claims[string]{Held: s.db.HeldHosts, Knows: s.held.Has, Release: s.db.ReleaseHosts}
	var err error
	if s.holder, err = alive.Hold(ctx, s.process, claims, func() { nudge(s.waken) }); err != nil {
		return err
	}
	s.calls, s.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	ctx, s.stop = context.WithCancel(ctx)
	s.running.Go(func() { guard.Forever(ctx, s.log, "distribute activities", s.distribute) })
	s.running.Go(func() { s.dispatch(ctx) })
	return nil
}

// Stop waits for running calls until ctx ends, and stores their outcomes. Other
// work is left to other processes, or the next start.
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
	return s.holder.End(ctx)
}

// hostOf returns the host of an address in stored form: lower case, with a port
// other than the usual one.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// inboxHost returns the host of an inbox, "" for an invalid address.
func inboxHost(inbox string) string {
	u, err := url.Parse(inbox)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return hostOf(u)
}
