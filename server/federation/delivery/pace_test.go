package delivery

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestACallLetsVisitorsGoFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		stay, waits time.Duration
	}{
		"nobody is there":     {},
		"they are served":     {stay: 5 * time.Millisecond, waits: 5 * time.Millisecond},
		"there is always one": {stay: time.Hour, waits: slowest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				p := newPace(1, func() Visits { return Visits{Waiting: time.Since(began) < tt.stay, Lately: true} })
				signed, err := p.turn(t.Context())
				if waited := time.Since(began); err != nil || waited != tt.waits {
					t.Errorf("it waits %s, want %s: %v", waited, tt.waits, err)
				}
				signed()
			})
		})
	}
}

func TestSignaturesLeaveProcessorsToOthers(t *testing.T) {
	come := true
	p := newPace(2, func() Visits { return Visits{Lately: come} })
	signed, err := p.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.turn(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one at once: %v", err)
	}
	come = false
	another, err := p.turn(t.Context())
	if err != nil {
		t.Fatalf("while nobody comes: %v", err)
	}
	if _, err := p.turn(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("more than there are processors: %v", err)
	}
	another()
	come = true
	signed()
	signed() // which happens: once it is signed, and at the end of the call
	for range 2 {
		if signed, err = p.turn(t.Context()); err != nil {
			t.Fatal(err)
		}
		signed()
	}
	if n := len(p.turns) + len(p.spare); n != 0 {
		t.Errorf("%d turns never end", n)
	}
}
