package sshd

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// holds reports whether the turn is that of t.
func (t *turn) holds() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// TestTwoCommandsDoNotComputeAtOnce has 32 commands compute, read and call again and
// again.
func TestTwoCommandsDoNotComputeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(Limits{Turn: 2 * time.Second})
		var mu sync.Mutex
		computing, most, rounds := 0, 0, 0
		compute := func() {
			mu.Lock()
			computing++
			most, rounds = max(most, computing), rounds+1
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			computing--
			mu.Unlock()
		}
		var commands sync.WaitGroup
		for range 32 {
			commands.Go(func() {
				mine := all.of(t.Context(), "ann")
				mine.take()
				defer mine.give()
				input := turnReader{mine, strings.NewReader("abc")}
				for one := make([]byte, 1); ; {
					compute()
					if _, err := input.Read(one); err == io.EOF {
						return
					}
				}
			})
		}
		commands.Wait()
		if most != 1 || rounds != 32*4 {
			t.Errorf("%d commands computed at once, %d times in all", most, rounds)
		}
	})
}

// TestWhoeverWaitsGivesTheTurnAway has a command wait for its client, for the API and
// for the next event of a stream, while another one wants the turn.
func TestWhoeverWaitsGivesTheTurnAway(t *testing.T) {
	for name, wait := range map[string]func(*turn, *io.PipeReader, *io.PipeWriter){
		"its input":  func(mine *turn, r *io.PipeReader, _ *io.PipeWriter) { _, _ = turnReader{mine, r}.Read(make([]byte, 1)) },
		"its output": func(mine *turn, _ *io.PipeReader, w *io.PipeWriter) { _, _ = turnWriter{mine, w}.Write([]byte("x")) },
		"an answer": func(mine *turn, r *io.PipeReader, _ *io.PipeWriter) {
			_, _ = turnCaller{mine, answers(func() io.ReadCloser {
				_, _ = r.Read(make([]byte, 1))
				return http.NoBody
			})}.RoundTrip(nil)
		},
		"an event": func(mine *turn, r *io.PipeReader, _ *io.PipeWriter) {
			resp, _ := turnCaller{mine, answers(func() io.ReadCloser { return r })}.RoundTrip(nil)
			_, _ = resp.Body.Read(make([]byte, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := newTurns(Limits{Turn: time.Hour})
				one, other := all.of(t.Context(), "ann"), all.of(t.Context(), "ann")
				r, w := io.Pipe()
				one.take()
				go wait(one, r, w)
				synctest.Wait()
				took := make(chan struct{})
				go func() {
					other.take()
					close(took)
				}()
				synctest.Wait()
				select {
				case <-took:
				default:
					t.Error("the other command does not get the turn")
				}
				_, _ = r.Close(), w.Close() // what it waited for
				synctest.Wait()
				if one.holds() {
					t.Error("both have the turn")
				}
				other.give()
				synctest.Wait()
				if !one.holds() {
					t.Error("the first has not the turn again")
				}
			})
		})
	}
}

// answers is a server of which only the body matters.
type answers func() io.ReadCloser

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{Body: a()}, nil
}

// TestASessionThatGoesAwayGivesItsTurnBack ends a command that computes and one that
// waits for its turn, and has one compute for too long.
func TestASessionThatGoesAwayGivesItsTurnBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(Limits{Turn: 2 * time.Second})
		ctx, leave := context.WithCancel(t.Context())
		computes, waits, next := all.of(ctx, "ann"), all.of(ctx, "ann"), all.of(t.Context(), "ann")
		computes.take()
		over := make(chan struct{})
		go func() {
			waits.take()
			close(over)
		}()
		synctest.Wait()
		leave()
		<-over
		if waits.holds() {
			t.Error("a command that left has the turn")
		}
		waits.give()
		go next.take()
		synctest.Wait()
		if next.holds() {
			t.Error("two have the turn")
		}
		computes.give()
		synctest.Wait()
		if !next.holds() {
			t.Error("the turn was lost with a command that left")
		}
		began := time.Now()
		last := all.of(t.Context(), "ann")
		last.take()
		if took := time.Since(began); took != 2*time.Second || next.holds() {
			t.Errorf("a long turn ended after %s", took)
		}
		next.give() // it has none
		if !last.holds() {
			t.Error("a command gave the turn of another away")
		}
	})
}

// TestWhoComputedLeastIsNext has somebody ask for the turn behind thirty commands of
// another account.
func TestWhoComputedLeastIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(Limits{Turn: 2 * time.Second})
		var commands sync.WaitGroup
		for range 30 {
			commands.Go(func() {
				mine := all.of(t.Context(), "ann")
				for range 3 {
					mine.take()
					time.Sleep(500 * time.Millisecond)
					mine.give()
				}
			})
		}
		time.Sleep(3*time.Second + time.Millisecond)
		began := time.Now()
		for range 10 {
			mine := all.of(t.Context(), "ben")
			mine.take()
			time.Sleep(time.Millisecond)
			mine.give()
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("ten turns took %s", took)
		}
		commands.Wait()
		time.Sleep(time.Hour)
		all.withdraw(all.claim("ann"))
		if len(all.used) != 0 || len(all.waiting) != 0 || all.busy {
			t.Errorf("%d accounts are remembered, %d wait", len(all.used), len(all.waiting))
		}
	})
}
