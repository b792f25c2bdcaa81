package streaming

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// TestStreamsThatCatchUpHoldNoPlaceWhileTheyAreWritten: far more streams than there are
// places catch up, and do not read. One that does gets everything at once.
func TestStreamsThatCatchUpHoldNoPlaceWhileTheyAreWritten(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		s.api.rhythm.thumping = time.Hour
		first := s.listen("")
		start := s.emit(me)
		first.until(start)
		_ = first.close()
		const many = 4000
		s.emitMany(many)
		slow := slowClient()
		defer slow.CloseIdleConnections()
		for range 16 * mostCatchUp {
			s.listenBy(slow, start) // and does not read
		}
		if got := s.listen(start).until(s.db.EventCursor().String()); len(got) != many {
			t.Errorf("%d events, want %d", len(got), many)
		}
	})
}

// slowClient has connections that hold little which was not read.
func slowClient() *http.Client {
	dialer := net.Dialer{}
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(1 << 10)
		}
		return conn, err
	}}}
}

// TestMoreMayComeWhileAStreamCatchesUpThanMayWait: a stream that is not read for a moment
// catches up. It goes on, though far more events come meanwhile than wait for a reader.
func TestMoreMayComeWhileAStreamCatchesUpThanMayWait(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		s.api.rhythm.thumping = time.Hour
		first := s.listen("")
		start := s.emit(me)
		first.until(start)
		_ = first.close()
		const many = 4000
		// Without another reader nothing is told.
		other := newReader("")
		if err := s.api.begin(other); err != nil {
			t.Fatal(err)
		}
		defer s.api.end(other)
		s.emitMany(many)
		slow := slowClient()
		defer slow.CloseIdleConnections()
		second := s.listenBy(slow, start)
		s.emitMany(many)
		if got := second.until(s.db.EventCursor().String()); len(got) != 2*many {
			t.Errorf("%d events, want %d", len(got), 2*many)
		}
		s.emit(me)
		if got := second.until(""); len(got) != 1 {
			t.Errorf("then %q", got)
		}
	})
}

// TestTurnsAreApart: an account or an address holds two places at most, all strangers
// eight, and who gives up waiting holds none.
func TestTurnsAreApart(t *testing.T) {
	tried := func(turns *turns, who string) (back func(), ok bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		r := newReader("")
		r.who = who
		back, err := turns.take(ctx, r)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		return back, err == nil
	}
	strangers := newTurns(0)
	var backs []func()
	for i, want := range []bool{true, true, false} {
		back, ok := tried(strangers, "192.0.2.1")
		if ok != want {
			t.Errorf("stream %d of an address: %v", i, ok)
		}
		if ok {
			backs = append(backs, back)
		}
	}
	for i := len(backs); i < mostCatchUp; i++ {
		who := "" // without an address
		if i%2 == 0 {
			who = "192.0.2." + strconv.Itoa(i)
		}
		back, ok := tried(strangers, who)
		if !ok {
			t.Fatalf("stream %d gets no place", i)
		}
		backs = append(backs, back)
	}
	if _, ok := tried(strangers, "198.51.100.1"); ok {
		t.Error("there are more places")
	}
	cut := newReader("")
	cut.cut(errSlow)
	if _, err := strangers.take(t.Context(), cut); err != errSlow {
		t.Errorf("who is cut off: %v", err)
	}
	for _, back := range backs {
		back()
	}
	if len(strangers.places) != 0 || len(strangers.by) != 0 {
		t.Errorf("%d places are held, %d are known", len(strangers.places), len(strangers.by))
	}
	back, ok := tried(strangers, "192.0.2.1")
	if !ok {
		t.Fatal("no place is free again")
	}
	back()
}
