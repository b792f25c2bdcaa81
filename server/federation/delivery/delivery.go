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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/alive"
	"svc/server/platform/config"
)

// The rhythm of the work.
const (
	tick      = time.Second      // how often is looked for what is due by the clock
	statement = 20 * time.Second // for what is asked of the database at once
)

// Sender signs activities in an account's name and sends them to inboxes, never
// to a host that is not to be spoken to.
type Sender interface {
	// Post sends body as an account. An error is no answer, remote.ErrRefused, or
	// db.ErrNotFound where there is no such account.
	Post(ctx context.Context, accountID, inbox string, body []byte) (*remote.Result, error)
	// Blocked reports whether nothing is sent to a host, which may have a port.
	Blocked(host string) bool
}

// Service distributes and sends, in any number of processes.
type Service struct {
	db       *db.DB
	process  *alive.Process
	settings *config.Live
	send     Sender
	relays   func(context.Context) ([]string, error)
	own      string // host
	now      func() time.Time
	log      *slog.Logger
	vary     func() float64 // from 0 to 1
	pace     *pace

	holder   *alive.Holder
	held     alive.Known[string] // hosts
	waken    chan struct{}       // there is something to send
	expand   chan struct{}       // there is something to distribute
	audience audience            // of the activity that is being distributed
	stop     context.CancelFunc
	calls    context.Context // of what is under way, which may end after stop
	hangUp   context.CancelFunc
	running  sync.WaitGroup

	delivered, failed, dropped atomic.Int64
}

// Parts are what a Service is made of. Nothing of it may be missing.
type Parts struct {
	DB       *db.DB
	Process  *alive.Process
	Settings *config.Live
	Send     Sender
	Relays   func(context.Context) ([]string, error) // inboxes of those that are subscribed to
	Visits   func() Visits                           // sending goes slowly while people come
	Site     config.Site
	Now      func() time.Time
	Log      *slog.Logger
}

// New returns a Service.
func New(p Parts) *Service {
	s := &Service{
		db: p.DB, process: p.Process, settings: p.Settings, send: p.Send, relays: p.Relays, own: inboxHost(p.Site.Base), now: p.Now, log: p.Log,
		vary: rand.Float64, pace: newPace(runtime.GOMAXPROCS(0), p.Visits), waken: make(chan struct{}, 1), expand: make(chan struct{}, 1),
	}
	p.DB.Subscribe(func(topic, _ string) {
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
	claims := alive.Claims[string]{Held: s.db.HeldHosts, Knows: s.held.Has, Release: s.db.ReleaseHosts}
	var err error
	if s.holder, err = alive.Hold(ctx, s.process, claims, func() { nudge(s.waken) }); err != nil {
		return err
	}
	s.calls, s.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	ctx, s.stop = context.WithCancel(ctx)
	s.running.Go(func() { alive.Forever(ctx, s.log, "distribute activities", s.distribute) })
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
	return s.holder.End(ctx)
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
