package auth

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/server/platform/fault"
)

// waits lets a caller wait in a lane, and returns once it is queued. got
// receives the outcome.
func waits(ctx context.Context, t *testing.T, q *queue, lane string, got func(leave func(), err error)) {
	t.Helper()
	before := q.queued()
	go func() { got(q.enter(ctx, place{lane: lane})) }()
	for q.queued() == before {
		runtime.Gosched()
	}
}

func TestLanesTakeTurns(t *testing.T) {
	q := newQueue(1)
	leave, err := q.enter(t.Context(), place{lane: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		order []string
	)
	for _, lane := range strings.Fields("a a a a b c b") {
		all.Add(1)
		waits(t.Context(), t, q, lane, func(leave func(), err error) {
			defer all.Done()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, lane)
			mu.Unlock()
			leave()
		})
	}
	leave()
	all.Wait()
	if want := strings.Fields("a b c a b a a"); !slices.Equal(order, want) {
		t.Errorf("in the order %v, want %v", order, want)
	}
	if q.free != 1 || q.queued() != 0 || len(q.lanes) != 0 || len(q.turns) != 0 {
		t.Errorf("left behind: %d free, %d waiting, %d lanes", q.free, q.queued(), len(q.lanes))
	}
}

func TestAFullQueueTakesFromItsLongestLane(t *testing.T) {
	q := newQueue(1)
	leave, err := q.enter(t.Context(), place{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, maxWaiting)
	for range maxWaiting {
		waits(t.Context(), t, q, "flood", func(leave func(), err error) {
			if err == nil {
				leave()
			}
			ended <- err
		})
	}
	if _, err := q.enter(t.Context(), place{lane: "flood"}); !fault.Is(err, fault.KindRateLimited) {
		t.Errorf("one more of the flood: %v", err)
	}
	owner := make(chan error, 1)
	go func() {
		leave, err := q.enter(t.Context(), place{lane: "owner"})
		if err == nil {
			leave()
		}
		owner <- err
	}()
	if err := <-ended; !fault.Is(err, fault.KindRateLimited) {
		t.Errorf("the last of the flood: %v", err)
	}
	leave()
	if err := <-owner; err != nil {
		t.Errorf("the owner of an account: %v", err)
	}
	for range maxWaiting - 1 {
		if err := <-ended; err != nil {
			t.Errorf("the others of the flood: %v", err)
		}
	}
}

func TestALeavingWaiterBlocksNobody(t *testing.T) {
	q := newQueue(1)
	leave, err := q.enter(t.Context(), place{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left, came := make(chan error, 1), make(chan error, 1)
	waits(ctx, t, q, "a", func(_ func(), err error) { left <- err })
	waits(t.Context(), t, q, "a", func(leave func(), err error) { leave(); came <- err })
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	leave()
	if err := <-came; err != nil {
		t.Errorf("who waited: %v", err)
	}
	refused := errors.New("refused")
	if _, err := q.enter(t.Context(), place{still: func() error { return refused }}); !errors.Is(err, refused) {
		t.Errorf("who may not any more: %v", err)
	}
	if q.free != 1 || q.queued() != 0 {
		t.Errorf("%d free, %d waiting", q.free, q.queued())
	}
}
