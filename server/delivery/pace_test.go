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
				p, began := newPace(), time.Now()
				p.visited = func() bool { return time.Since(began) < tt.stay }
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
	p := newPace()
	p.turns = make(chan struct{}, 1)
	signed, err := p.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.turn(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one at once: %v", err)
	}
	signed()
	signed() // which happens: once it is signed, and at the end of the call
	for range 2 {
		if signed, err = p.turn(t.Context()); err != nil {
			t.Fatal(err)
		}
		signed()
	}
	if len(p.turns) != 0 {
		t.Errorf("%d turns never end", len(p.turns))
	}
}
