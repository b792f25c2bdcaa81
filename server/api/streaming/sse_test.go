package streaming

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// stage is a server of the streams of one account, over a database with a clock that can
// be set. Only events that need no other rows can be told.
type stage struct {
	t   *testing.T
	db  *db.DB
	api *API
	url string
	add atomic.Int64
}

const me = "me"

// stages runs fn on each database, with a quick rhythm.
func stages(t *testing.T, fn func(t *testing.T, s *stage)) {
	t.Parallel()
	gin.SetMode(gin.ReleaseMode)
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := &stage{t: t}
		s.db = dbtest.OpenAt(t, dsn, func() time.Time { return time.Now().Add(time.Duration(s.add.Load())) })
		live, err := config.NewLive(config.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		s.api = New(Parts{DB: s.db, Settings: live, Log: slog.New(slog.DiscardHandler)})
		s.api.rhythm.thumping = time.Millisecond
		engine := gin.New()
		engine.GET("/", func(g *gin.Context) {
			r := newReader("")
			r.id = &auth.Identity{Account: &db.Account{ID: me}, Scopes: []string{"read"}}
			if err := errors.Join(s.api.begin(r), s.api.subscribe(r, stream{kind: home, name: "user"})); err != nil {
				t.Error(err)
			}
			defer s.api.end(r)
			if err := s.api.serveEvents(g, r); err != nil {
				t.Error(err)
			}
		})
		server := httptest.NewUnstartedServer(engine)
		server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10) // so that a client that does not read is felt
			return ctx
		}
		server.Start()
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { s.db.Listen(ctx) })
		running.Go(func() { s.api.Run(ctx) })
		t.Cleanup(func() {
			stop()
			running.Wait()
			server.Close()
		})
		for s.db.EventCursor().Epoch == "" {
			time.Sleep(time.Millisecond)
		}
		s.url = server.URL
		fn(t, s)
	})
}

// emit stores an event that a stream of an account has, and returns the number of the
// last event once it is told.
func (s *stage) emit(account string) string {
	s.t.Helper()
	return s.emitEvent(db.Event{Kind: db.EventFilters, AccountID: account})
}

// emitEvent is emit of any event. It waits until the event is read, so that the number it
// returns is of this event and not of an earlier one.
func (s *stage) emitEvent(e db.Event) string {
	s.t.Helper()
	before := s.db.EventCursor().Seq
	if err := s.db.Emit(s.t.Context(), e); err != nil {
		s.t.Fatal(err)
	}
	for s.db.EventCursor().Seq == before {
		time.Sleep(time.Millisecond)
	}
	return s.db.EventCursor().String()
}

// emitMany stores events of me, and returns once they are told.
func (s *stage) emitMany(n int) {
	s.t.Helper()
	before := s.db.EventCursor().Seq
	events := make([]db.Event, n)
	for i := range events {
		events[i] = db.Event{Kind: db.EventFilters, AccountID: me, Subject: strconv.Itoa(i)}
	}
	if err := s.db.Emit(s.t.Context(), events...); err != nil {
		s.t.Fatal(err)
	}
	for s.api.told.Load() < before+int64(n) {
		time.Sleep(time.Millisecond)
	}
}

// listening is an open stream.
type listening struct {
	t     *testing.T
	close func() error
	lines *bufio.Scanner
	last  string
}

func (s *stage) listen(after string) *listening { return s.listenBy(http.DefaultClient, after) }

func (s *stage) listenBy(c *http.Client, after string) *listening {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := c.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	return &listening{s.t, resp.Body.Close, bufio.NewScanner(resp.Body), ""}
}

// until reads up to an id, or if that is "" to an event, and returns the names of the
// events.
func (l *listening) until(id string) (events []string) {
	l.t.Helper()
	for l.lines.Scan() {
		if text, ok := strings.CutPrefix(l.lines.Text(), "id: "); ok {
			l.last = text
		}
		if name, ok := strings.CutPrefix(l.lines.Text(), "event: "); ok {
			events = append(events, name)
		}
		if l.lines.Text() == "" && (id == "" && len(events) > 0 || l.last == id) {
			return events
		}
	}
	l.t.Fatalf("the stream ended at %q with %q: %v", l.last, events, l.lines.Err())
	return nil
}

// TestAQuietStreamKeepsItsPlace: for longer than events are kept, only others have any. A
// stream that is opened anew has what it missed, and no gap.
func TestAQuietStreamKeepsItsPlace(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		s.emit("others")
		first := s.listen("")
		first.until(s.emit(me))
		for range 21 {
			s.add.Add(int64(time.Minute))
			first.until(s.emit("others"))
		}
		if err := s.db.SweepEvents(t.Context(), db.At(s.db.Now().Time.Add(-20*time.Minute))); err != nil {
			t.Fatal(err)
		}
		_ = first.close()
		s.emit(me)
		if got := s.listen(first.last).until(""); got[0] != "filters_changed" {
			t.Errorf("told %q", got)
		}
	})
}

// TestABusyInstanceLeavesNoGap: far more happened to others than to the stream that is
// opened anew.
func TestABusyInstanceLeavesNoGap(t *testing.T) {
	stages(t, func(t *testing.T, s *stage) {
		first := s.listen("")
		first.until(s.emit(me))
		_ = first.close()
		for _, busy := range []db.Event{{Kind: "notice.account"}, {Kind: db.EventFilters}} {
			events := make([]db.Event, 6000)
			for i := range events {
				events[i] = busy
				events[i].Subject, events[i].AccountID = strconv.Itoa(i), "others"
			}
			for page := range slices.Chunk(events, 1000) {
				if err := s.db.Emit(t.Context(), page...); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.emit(me)
		s.emit("others")
		s.emit(me)
		for s.db.EventCursor().Seq < 12004 {
			time.Sleep(time.Millisecond)
		}
		head, err := s.db.EventHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second := s.listen(first.last)
		if got := second.until(head.String()); !slices.Equal(got, []string{"filters_changed", "filters_changed"}) {
			t.Errorf("told %q", got)
		}
	})
}
