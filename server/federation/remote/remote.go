// Package remote makes all requests to other servers: documents, accounts,
// verification of signatures, and signed deliveries.
//
// It decides which claims of a document about itself are believed. The meaning
// of documents for statuses and follows is decided by callers.
package remote

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/platform/outgoing"
	"svc/server/platform/tracing"
)

// The final errors of requests. Every other error is temporary.
var (
	ErrGone     = errors.New("gone from its server")
	ErrNotFound = fmt.Errorf("not at its server: %w", db.ErrNotFound)
	// ErrRefused is an address that must not be requested, or an answer that must
	// not be believed: a blocked host, another type, an id of another host.
	ErrRefused = errors.New("refused")
)

// The errors of verification.
var (
	ErrUnsigned     = errors.New("the request is not signed")
	ErrBadSignature = errors.New("the signature does not count")
	ErrBlocked      = errors.New("the server is blocked")
	// ErrSignerGone is a signature with a key that is gone from its server. It is
	// ErrBadSignature too.
	ErrSignerGone = fmt.Errorf("%w: its key is gone", ErrBadSignature)
	// ErrKeyAway is a signature with a key that cannot be fetched for now: its
	// server fails, or was asked too often.
	ErrKeyAway = errors.New("the key cannot be had for now")
)

// KeyRetry is when a request with ErrKeyAway can be repeated: a failed fetch is
// not repeated before.
const KeyRetry = time.Minute

const (
	fresh    = 6 * time.Hour    // how long an account is current
	forgiven = 5 * time.Minute  // how long a failure is cached
	unheard  = 30 * time.Second // the same, without an answer
	goneFor  = 3 * 7 * 24 * time.Hour
	// total bounds one request, flight all requests of one question.
	total      = 10 * time.Second
	flight     = 45 * time.Second
	remembered = 10000 // entries of each cache
	behind     = 8     // concurrent background questions
)

// Service makes requests to other servers. It is safe for many goroutines.
type Service struct {
	db     *db.DB
	live   *config.Live
	out    *outgoing.Client // follows no redirects
	free   *outgoing.Client // follows some
	base   string
	host   string
	ids    activitypub.IDs
	now    func() time.Time
	log    *slog.Logger
	traces *tracing.Traces

	newKey func() (*rsa.PrivateKey, error)

	icons    icons
	pages    flights[*page]
	actors   flights[*db.Account]
	failures *lru.Cache[string, failure]
	knocks   *lru.Cache[string, signatureSupport]
	keys     *lru.Cache[string, *rsa.PrivateKey] // by their text
	signers  *lru.Cache[string, *signer]         // by account
	hosts    budget                              // requests to one server
	sources  budget                              // requests caused by one client

	stop    context.CancelFunc
	stopped context.Context
	slots   chan struct{}
	running sync.WaitGroup
}

// failure is a cached failure.
type failure struct {
	err   error
	until time.Time
}

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Site     config.Site
	Outgoing *outgoing.Client
	Traces   *tracing.Traces // nil for none
	Log      *slog.Logger    // for failures in the background; nil discards
	Now      func() time.Time
	NewKey   func() (*rsa.PrivateKey, error) // for an account's first key; nil generates it
}

// New returns a Service.
func New(p Parts) *Service {
	if p.NewKey == nil {
		p.NewKey = generate
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	calls := p.Outgoing.For(outgoing.Federation).Within(total)
	s := &Service{
		db: p.DB, live: p.Settings, out: calls.Once(), free: calls, base: p.Site.Base, host: p.Site.Host, ids: activitypub.IDs{Insecure: p.Site.Insecure},
		now: p.Now, log: p.Log, traces: p.Traces, newKey: p.NewKey, failures: memory[failure](), knocks: memory[signatureSupport](),
		keys: memory[*rsa.PrivateKey](), signers: memory[*signer](), slots: make(chan struct{}, behind),
		hosts: newBudget(600, 10, p.Now), sources: newBudget(300, 5, p.Now),
	}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

func memory[T any]() *lru.Cache[string, T] {
	c, err := lru.New[string, T](remembered)
	if err != nil {
		panic(err) // the size is a constant
	}
	return c
}

// Stop ends background work.
func (s *Service) Stop() {
	s.stop()
	s.running.Wait()
}

// Settle waits for background work.
func (s *Service) Settle() { s.running.Wait() }

// IDs returns the rules for ids.
func (s *Service) IDs() activitypub.IDs { return s.ids }

// Local reports whether an id is one of this server.
func (s *Service) Local(id string) bool { return s.ids.SameOrigin(id, s.base) }

// Blocked reports whether a host is blocked in all directions; host may have a
// port.
func (s *Service) Blocked(host string) bool {
	return mrf.Refuses(&s.live.Load().Policies, mrf.Here{Host: s.host}, host)
}

// inBackground runs fn in the background, unless too much runs there already.
func (s *Service) inBackground(ctx context.Context, fn func(ctx context.Context)) {
	select {
	case s.slots <- struct{}{}:
	default:
		return
	}
	if s.stopped.Err() != nil {
		<-s.slots
		return
	}
	s.running.Add(1)
	go func() {
		defer func() { <-s.slots; s.running.Done() }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flight)
		defer cancel()
		defer context.AfterFunc(s.stopped, cancel)()
		if err := guard.Run(func() error { fn(ctx); return nil }); err != nil {
			s.log.ErrorContext(ctx, "background work panicked", "err", err)
		}
	}()
}

// flights joins concurrent identical questions.
type flights[T any] struct{ group singleflight.Group }

// do returns the result of fn for key, run once for all concurrent callers. fn
// goes on if its first caller gives up, and its panic is an error.
func (f *flights[T]) do(ctx context.Context, key string, fn func(ctx context.Context) (T, error)) (T, error) {
	done := f.group.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flight)
		defer cancel()
		var value T
		err := guard.Run(func() (err error) { value, err = fn(ctx); return err })
		return value, err
	})
	select {
	case r := <-done:
		return r.Val.(T), r.Err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
