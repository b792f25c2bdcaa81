// Package streaming sends events to clients, over WebSocket and Server-Sent
// Events. A stream has the statuses that its timeline would have on top: when
// an event is sent, one query of the timeline selects the readers of the
// process who may see the status.
//
// The format is that of Mastodon's streaming API.
package streaming

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/rules/auth"
)

// Parts are the dependencies of the API.
type Parts struct {
	DB         *db.DB
	View       *view.View
	Identities *auth.Identities
	Auth       *auth.Service
	Guard      *web.Guard
	Limits     *web.Limiter
	Settings   *config.Live
	Log        *slog.Logger
}

// API holds the readers of this process.
type API struct {
	Parts
	rhythm    rhythm
	events    chan []db.Event // from the database; nil where events were missed
	checks    chan string     // accounts whose tokens, or what they may read, may have changed; "" is all
	members   *turns          // of streams of accounts that catch up
	strangers *turns          // of those of strangers
	told      atomic.Int64    // the number of the last event that was told
	skipped   atomic.Int64    // events that could not be told

	mu       sync.Mutex
	stopping bool
	left     chan struct{} // closed once it stops and there are no readers
	all      map[*reader]bool
	subs     index
	present  *audience      // subs as they are told; nil until the next event
	by       map[string]int // readers of an account, or of a stranger's address
	open     [transports]int
}

// New returns an API without readers.
func New(p Parts) *API {
	a := &API{Parts: p, rhythm: usual, events: make(chan []db.Event, 256), checks: make(chan string, 256), members: newTurns(0), strangers: newTurns(strangersRest), all: map[*reader]bool{}, left: make(chan struct{}), by: map[string]int{}}
	p.DB.OnEvents(func(_ string, events []db.Event) {
		select {
		case a.events <- events:
		default: // too many events: readers must connect again
			a.cutAll(errBehind)
		}
	})
	check := func(account string) {
		select {
		case a.checks <- account:
		default:
			a.cutAll(errBehind)
		}
	}
	p.DB.Subscribe(func(topic, payload string) {
		switch {
		case topic == db.AnythingMissed || topic == db.AppChanged:
			check("")
		case topic == db.AccountChanged && a.reads(payload):
			check(payload)
		}
	})
	p.Settings.OnChange(func(before, now *config.Settings) {
		if before.Restrict != now.Restrict || before.Instance.Public != now.Instance.Public || before.ChatRoom != now.ChatRoom {
			check("")
		}
	})
	return a
}

// Run sends events until ctx ends. Then it cuts readers off.
func (a *API) Run(ctx context.Context) {
	var checking sync.WaitGroup
	checking.Go(func() { guard.Forever(ctx, a.Log, "check tokens of streams", a.check) })
	defer checking.Wait()
	guard.Forever(ctx, a.Log, "tell events", func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case events := <-a.events:
			woken := a.tellAll(ctx, a.waiting(events))
			select {
			case <-ctx.Done():
			case <-time.After(restAfter(woken)):
			}
		}
	})
}

// together bounds the events that are told before readers are woken. It is less than
// mostWaiting, so that nobody counts as slow who was not woken.
const together = mostWaiting / 2

// waiting returns events and some of those that wait behind them.
func (a *API) waiting(events []db.Event) []db.Event {
	for {
		if events == nil {
			a.cutAll(errBehind)
		}
		if len(events) >= together {
			return events
		}
		select {
		case next := <-a.events:
			if next == nil || events == nil {
				events = next
			} else {
				events = append(slices.Clip(events), next...)
			}
		default:
			return events
		}
	}
}

// restAfter is how long events wait for others once as many readers were woken. A
// message costs most by the call of the system that sends it: where a thousand listen
// and many post, this leaves the processor to those who post. An event that comes after
// the rest is told at once.
func restAfter(woken int) time.Duration {
	return min(time.Duration(woken)*200*time.Microsecond, 250*time.Millisecond)
}

// Stop cuts off all readers, and accepts no more. It returns once all are gone, or
// when ctx ends.
func (a *API) Stop(ctx context.Context) {
	a.mu.Lock()
	a.stopping = true
	a.leave()
	a.mu.Unlock()
	a.cutAll(errStopping)
	select {
	case <-a.left:
	case <-ctx.Done():
	}
}

// leave closes a.left if the last reader is gone. a.mu is held.
func (a *API) leave() {
	if !a.stopping || len(a.all) > 0 {
		return
	}
	select {
	case <-a.left:
	default:
		close(a.left)
	}
}

// Skipped returns the number of events that could not be told.
func (a *API) Skipped() int64 { return a.skipped.Load() }

// Count returns the number of readers.
func (a *API) Count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.all)
}

// Transport is the way in which a client hears a stream.
type Transport int

// The transports. The chat room is one over WebSocket.
const (
	SSE Transport = iota // Server-Sent Events
	WebSocket
	transports
)

// String names the transport.
func (t Transport) String() string { return [...]string{"sse", "websocket"}[t] }

// Transports are all of them.
func Transports() []Transport { return []Transport{SSE, WebSocket} }

// CountOf returns the number of readers by a transport.
func (a *API) CountOf(t Transport) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open[t]
}

// tellAll sends events in their order, if there are readers, and returns how many it
// woke.
func (a *API) tellAll(ctx context.Context, events []db.Event) (woken int) {
	var asleep sleepers
	defer func() { woken += asleep.wake() }()
	for i := range events {
		subs := a.snapshot()
		if subs == nil {
			break
		}
		err := a.tell(ctx, &events[i], subs, &asleep)
		if len(asleep.readers) > 0 && (time.Since(asleep.since) > longestSleep || (i+1)%together == 0) {
			woken += asleep.wake()
		}
		switch {
		case ctx.Err() != nil:
			return woken
		case err != nil:
			// Its readers are unknown. They resume once the database answers.
			a.Log.WarnContext(ctx, "the database does not answer, so streams end", "kind", events[i].Kind, "subject", events[i].Subject, "err", err)
			a.cutAll(errBehind)
		}
	}
	if len(events) > 0 {
		a.told.Store(events[len(events)-1].Seq)
	}
	return woken
}

// check waits for changed accounts, and cuts off readers with invalid tokens.
func (a *API) check(ctx context.Context) {
	select {
	case <-ctx.Done():
	case account := <-a.checks:
		for _, r := range a.readersOf(account) {
			if err := r.recheck(ctx, a); err != nil {
				r.cut(err)
			}
		}
	}
}

// The reasons for cutting a reader off.
var (
	errBehind     = errors.New("events were missed")
	errSlow       = errors.New("the client does not read")
	errStopping   = errors.New("the server is stopping")
	errBadMessage = errors.New("a message is not of the protocol")
	errRevoked    = errors.New("the access token is invalid")
)
