package main

import (
	"errors"
	"testing"
)

func TestMemoryIsBoundByTheContainerOrTheMachine(t *testing.T) {
	const gib = 1 << 30
	has := func(n uint64) func() (uint64, error) { return func() (uint64, error) { return n, nil } }
	none := func() (uint64, error) { return 0, errors.New("none") }
	for name, row := range map[string]struct {
		container, machine func() (uint64, error)
		want               uint64
	}{
		"container":                       {has(10 * gib), has(16 * gib), 9 * gib},
		"machine":                         {none, has(16 * gib), 8 * gib},
		"container of the machine's size": {has(16 * gib), has(16 * gib), 8 * gib},
		"container without a limit":       {has(1 << 62), has(16 * gib), 8 * gib},
		"unknown machine":                 {has(10 * gib), none, 9 * gib},
	} {
		got, err := allowed(row.container, row.machine)()
		if err != nil || got != row.want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, row.want)
		}
	}
	if _, err := allowed(none, none)(); err == nil {
		t.Error("a bound was made of nothing")
	}
	for bound, want := range map[uint64]int64{64 << 20: 32 << 20, 128 << 20: 64 << 20, 512 << 20: 448 << 20} {
		if got := heapOf(bound); got != want {
			t.Errorf("of %d: %d, want %d", bound, got, want)
		}
	}
}
