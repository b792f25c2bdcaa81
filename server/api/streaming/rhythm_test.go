package streaming

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gin-gonic/gin"

	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// connection is a server with one reader at a quick rhythm, and how it ended.
type connection struct {
	url    string
	ended  chan error
	valid  atomic.Bool // the reader's token
	checks atomic.Int64
}

func quick(t *testing.T, r rhythm) *connection {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	a := New(Parts{DB: dbtest.New(t), Settings: live, Log: slog.New(slog.DiscardHandler)})
	a.rhythm = r
	c := &connection{ended: make(chan error, 1)}
	c.valid.Store(true)
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/", func(g *gin.Context) {
		r := newReader("token")
		r.renew = func(context.Context) (*auth.Identity, error) {
			c.checks.Add(1)
			if !c.valid.Load() {
				return nil, nil
			}
			return &auth.Identity{}, nil
		}
		if g.GetHeader("Upgrade") == "" {
			c.ended <- a.serveEvents(g, r)
			return
		}
		out := &cork{}
		conn, err := websocket.Accept(corking{g.Writer, out}, g.Request, nil)
		if err != nil {
			t.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(g.Request.Context())
		defer cancel()
		go listen(ctx, conn, mastodon{a, r})
		c.ended <- a.speak(ctx, conn, out, r, mastodon{a, r})
		_ = conn.CloseNow()
	})
	s := httptest.NewServer(engine)
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

func (c *connection) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the connection goes on")
		return nil
	}
}

func TestTheRhythmIsThatOfTheProtocol(t *testing.T) {
	if usual.pinging != 30*time.Second || usual.pinging+usual.answered != time.Minute || usual.thumping != 15*time.Second {
		t.Errorf("%+v", usual)
	}
}

// TestSocketsAreProbed: an idle socket is probed again and again, its token is read
// from time to time, and it ends once the token is invalid.
func TestSocketsAreProbed(t *testing.T) {
	t.Parallel()
	c := quick(t, rhythm{pinging: time.Millisecond, answered: time.Minute, thumping: time.Hour})
	var pings atomic.Int64
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(c.url, "http"), &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool {
			if pings.Add(1) == 3*renewing {
				c.valid.Store(false)
			}
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if _, _, err := conn.Read(t.Context()); err == nil {
		t.Error("there is a message")
	}
	if err := c.end(t); !errors.Is(err, errRevoked) || c.checks.Load() < 2 {
		t.Errorf("after %d probes and %d checks: %v", pings.Load(), c.checks.Load(), err)
	}
}

// TestASocketThatDoesNotAnswerIsCutOff leaves probes without an answer.
func TestASocketThatDoesNotAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	c := quick(t, rhythm{pinging: 10 * time.Millisecond, answered: 20 * time.Millisecond, thumping: time.Hour})
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(c.url, "http"), &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	go func() { _, _, _ = conn.Read(t.Context()) }()
	if err := c.end(t); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

// TestServerSentEventsHaveComments: an idle stream has comments, and ends once the
// token is invalid.
func TestServerSentEventsHaveComments(t *testing.T) {
	t.Parallel()
	c := quick(t, rhythm{pinging: time.Hour, answered: time.Hour, thumping: time.Millisecond})
	resp, err := http.Get(c.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	comments, lines := 0, bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() != ":thump" {
			t.Fatalf("%q", lines.Text())
		}
		if comments++; comments == 2*renewing {
			c.valid.Store(false)
		}
	}
	if err := c.end(t); err != nil || comments < 2*renewing || c.checks.Load() < 2 {
		t.Errorf("%d comments, %d checks, %v", comments, c.checks.Load(), err)
	}
}
