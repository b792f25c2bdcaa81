package db

import (
	"testing"
	"time"
)

// TestFlakeVector checks the vector of the client API's specification, 1.4.
func TestFlakeVector(t *testing.T) {
	const hi, lo, text = 0x0000016eb3da2a5c, 0xd5292ce35fd50000, "9pQtDGXuq4p3VlcJEm"
	if got := encodeFlake(hi, lo); got != text {
		t.Errorf("encode = %s, want %s", got, text)
	}
	at, ok := FlakeTime(text)
	if want := time.Date(2019, 11, 28, 21, 10, 49, 692e6, time.UTC); !ok || !at.Equal(want) {
		t.Errorf("time = %v %v, want %v", at, ok, want)
	}
}

func TestFlakesSortInTheOrderTheyWereMade(t *testing.T) {
	var f flakes
	f.init(0)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	last := ""
	for i := range 200_000 {
		if i == 100_000 {
			now = now.Add(-time.Hour) // the clock is set back
		}
		id := f.next(now)
		if id <= last || len(id) != 18 {
			t.Fatalf("id %d %q after %q", i, id, last)
		}
		last = id
	}
}

func FuzzFlakeTime(f *testing.F) {
	f.Add("9pQtDGXuq4p3VlcJEm")
	f.Add("zzzzzzzzzzzzzzzzzzzzzz")
	f.Fuzz(func(t *testing.T, s string) {
		if at, ok := FlakeTime(s); ok && at.IsZero() && s == "" {
			t.Fatal("the empty id has no time")
		}
	})
}
