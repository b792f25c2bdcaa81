package streaming

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// TestAReaderThatDoesNotReadHarmsNobody tells of more events than may wait for a reader.
// The one who takes none is cut off, and given nothing after those that were lost; the
// one beside gets all.
func TestAReaderThatDoesNotReadHarmsNobody(t *testing.T) {
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	a := New(Parts{DB: dbtest.New(t), Settings: live, Log: slog.New(slog.DiscardHandler)})
	open := func() *reader {
		r := newReader("")
		r.id = &auth.Identity{Account: &db.Account{ID: me}, Scopes: []string{"read"}}
		if err := errors.Join(a.begin(r), a.subscribe(r, stream{kind: home})); err != nil {
			t.Fatal(err)
		}
		return r
	}
	idle, busy := open(), open()
	var got int64
	for seq := range int64(mostWaiting + 50) {
		a.tellAll(t.Context(), []db.Event{{Seq: seq + 1, Kind: db.EventFilters, AccountID: me}})
		select {
		case <-busy.more:
		default:
			t.Fatalf("event %d wakes nobody", seq+1)
		}
		for _, d := range busy.take() {
			if got++; d.seq != got {
				t.Errorf("event %d comes after %d", d.seq, got-1)
			}
		}
	}
	if got != mostWaiting+50 || busy.cause() != nil {
		t.Errorf("the other has %d events, %v", got, busy.cause())
	}
	if err := idle.cause(); !errors.Is(err, errSlow) {
		t.Errorf("it is cut off: %v", err)
	}
	if n := len(idle.take()); n != mostWaiting {
		t.Errorf("%d events wait", n)
	}
	a.tellAll(t.Context(), []db.Event{{Seq: 1000, Kind: db.EventFilters, AccountID: me}})
	if late := idle.take(); len(late) != 0 {
		t.Errorf("after lost events it is given %d", late[0].seq)
	}
}

// TestEventsOfOneReadAreTakenTogether wakes a reader once for all events that are told
// one after another.
func TestEventsOfOneReadAreTakenTogether(t *testing.T) {
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	a := New(Parts{DB: dbtest.New(t), Settings: live, Log: slog.New(slog.DiscardHandler)})
	r := newReader("")
	r.id = &auth.Identity{Account: &db.Account{ID: me}, Scopes: []string{"read"}}
	if err := errors.Join(a.begin(r), a.subscribe(r, stream{kind: home})); err != nil {
		t.Fatal(err)
	}
	asleep := sleepers{}
	for range 3 {
		if err := a.tell(t.Context(), &db.Event{Kind: db.EventFilters, AccountID: me}, a.snapshot(), &asleep); err != nil {
			t.Fatal(err)
		}
		select {
		case <-r.more:
			t.Fatal("it is woken for each event")
		default:
		}
	}
	asleep.wake()
	<-r.more
	if n := len(r.take()); n != 3 || len(asleep.readers) != 0 {
		t.Errorf("%d events, %d asleep", n, len(asleep.readers))
	}
}

// TestAnEventThatCannotBeToldEndsNobody tells events that fail and one that panics, since
// this API has no view. Those after them are told, and each is counted.
func TestAnEventThatCannotBeToldEndsNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		author := dbtest.Account(t, d, "author")
		if err := dbtest.Exec(t, d, "INSERT INTO statuses (id, account_id, uri, local, visibility, created_at) VALUES ('s', ?, 'https://svc.example/s', TRUE, 'public', 1)", author.ID); err != nil {
			t.Fatal(err)
		}
		live, err := config.NewLive(config.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		a := New(Parts{DB: d, Settings: live, Log: slog.New(slog.DiscardHandler)})
		mine, stranger := newReader(""), newReader("")
		mine.id = &auth.Identity{Account: &db.Account{ID: me}, Scopes: []string{"read"}}
		for r, s := range map[*reader]stream{mine: {kind: home}, stranger: {kind: public}} {
			if err := errors.Join(a.begin(r), a.subscribe(r, s)); err != nil {
				t.Fatal(err)
			}
		}
		a.tellAll(t.Context(), []db.Event{
			{Seq: 1, Kind: db.EventStatusDeleted, Data: "{"}, {Seq: 2, Kind: db.EventHome, Data: "{"}, {Seq: 3, Kind: db.EventNotification, AccountID: me, Subject: "x"},
			{Seq: 4, Kind: db.EventStatus, Subject: "s"}, {Seq: 5, Kind: db.EventFilters, AccountID: me},
		})
		if err := errors.Join(mine.cause(), stranger.cause()); err != nil || a.Skipped() != 4 || a.told.Load() != 5 {
			t.Errorf("cut off by %v; %d are skipped, and told up to %d", err, a.Skipped(), a.told.Load())
		}
		if got := mine.take(); len(got) != 1 || got[0].seq != 5 {
			t.Errorf("told %v", got)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		a.tellAll(t.Context(), []db.Event{{Seq: 6, Kind: db.EventStatus, Subject: "s"}})
		if mine.cause() != errBehind || stranger.cause() != errBehind || a.Skipped() != 4 {
			t.Errorf("without a database: %v, %v, %d", mine.cause(), stranger.cause(), a.Skipped())
		}
	})
}

// TestAnEventThatCannotBeToldIsPassedOverLater resumes before such an event.
func TestAnEventThatCannotBeToldIsPassedOverLater(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		first := s.listen("")
		first.until(s.emit(me))
		_ = first.close()
		s.emitEvent(db.Event{Kind: db.EventStatusDeleted, Subject: "s", Data: "{"})
		second := s.listen(first.last)
		if got := second.until(s.emit(me)); !slices.Equal(got, []string{"filters_changed"}) {
			t.Errorf("told %v", got)
		}
	})
}

// TestEventsThatWaitAreToldTogether has events wait while others are told.
func TestEventsThatWaitAreToldTogether(t *testing.T) {
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	a := New(Parts{DB: dbtest.New(t), Settings: live, Log: slog.New(slog.DiscardHandler)})
	r := newReader("")
	if err := a.begin(r); err != nil {
		t.Fatal(err)
	}
	batch := func(from, n int64) (out []db.Event) {
		for i := range n {
			out = append(out, db.Event{Seq: from + i})
		}
		return out
	}
	a.events <- batch(3, 1)
	a.events <- batch(4, together)
	a.events <- batch(4+together, 1)
	var seqs []int64
	for _, e := range a.waiting(batch(1, 2)) {
		seqs = append(seqs, e.Seq)
	}
	if n := len(seqs); n != 3+together || !slices.IsSorted(seqs) || len(a.events) != 1 || r.cause() != nil {
		t.Errorf("%d events are told at once, %v, and %d wait; %v", n, seqs, len(a.events), r.cause())
	}
	a.events <- nil // some were missed
	a.events <- batch(900, 1)
	if last := a.waiting(<-a.events); len(last) != 1 || last[0].Seq != 900 || r.cause() != errBehind {
		t.Errorf("after a gap: %v, %v", last, r.cause())
	}
	for woken, want := range map[int]time.Duration{0: 0, 1: 200 * time.Microsecond, 1000: 200 * time.Millisecond, 10_000: 250 * time.Millisecond} {
		if rest := restAfter(woken); rest != want {
			t.Errorf("after %d readers it rests %s", woken, rest)
		}
	}
}

// TestASlowStreamGetsTheRestLater: a client does not read while far more events come than
// may wait, and is cut off. When it connects again, it gets the others.
func TestASlowStreamGetsTheRestLater(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		dialer := net.Dialer{}
		slow := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(1 << 10)
			}
			return conn, err
		}}}
		defer slow.CloseIdleConnections()
		first := s.listenBy(slow, "")
		first.until(s.emit(me))
		const many = 4000
		s.emitMany(many)
		got := 0
		for first.lines.Scan() {
			if text, ok := strings.CutPrefix(first.lines.Text(), "id: "); ok {
				first.last = text
			}
			if first.lines.Text() == "event: filters_changed" {
				got++
			}
		}
		if got >= many {
			t.Fatal("it is not cut off")
		}
		rest := s.listen(first.last).until(s.db.EventCursor().String())
		if n := got + len(rest); n != many {
			t.Errorf("%d events, then %d", got, len(rest))
		}
	})
}
