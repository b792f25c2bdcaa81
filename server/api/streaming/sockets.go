package streaming

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/gin-gonic/gin"

	"svc/server/platform/fault"
	"svc/server/platform/guard"
)

// protocol is how a client and the server talk over a socket.
type protocol interface {
	// longest bounds a message of the client, in bytes.
	longest() int64
	// hear carries out a message of the client. Answers go through the queue of the
	// reader.
	hear(ctx context.Context, text []byte)
	// frames returns the bytes of what is sent for a delivery. Calls do not overlap.
	frames(d delivery) [][]byte
}

// serveSocket opens a socket for a registered reader, who is forgotten when it ends.
// It returns at once: the request and the stack that led here would take most of the
// memory of an idle socket.
func (a *API) serveSocket(c *gin.Context, r *reader, p protocol) {
	o := &websocket.AcceptOptions{InsecureSkipVerify: true} // a token is no cookie: any page may show one
	if protocol := c.GetHeader("Sec-WebSocket-Protocol"); protocol != "" && protocol == r.token {
		o.Subprotocols = []string{protocol}
	}
	out := &cork{}
	conn, err := websocket.Accept(corking{c.Writer, out}, c.Request, o)
	if err != nil {
		c.Abort() // it is answered
		a.end(r)
		return
	}
	conn.SetReadLimit(p.longest())
	go func() {
		defer a.end(r)
		ctx := context.Background()
		guard.Broke(ctx, a.Log, "serve a socket", func() { a.converse(ctx, conn, out, r, p) })
	}()
}

// converse serves a client until either side ends the connection.
func (a *API) converse(ctx context.Context, conn *websocket.Conn, out *cork, r *reader, p protocol) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		guard.Broke(ctx, a.Log, "listen to a socket", func() { listen(ctx, conn, p) })
	}()
	err := a.speak(ctx, conn, out, r, p)
	switch {
	case errors.Is(err, errRevoked), errors.Is(err, errBadMessage), fault.Is(err, fault.KindUnauthenticated), fault.Is(err, fault.KindForbidden), fault.Is(err, fault.KindNotFound):
		_ = conn.Close(websocket.StatusPolicyViolation, err.Error())
	case errors.Is(err, errStopping), errors.Is(err, errBehind), errors.Is(err, errSlow):
		_ = conn.Close(websocket.StatusGoingAway, err.Error())
	}
	_ = conn.CloseNow()
}

// speak writes messages and pings until the client is gone or cut off.
func (a *API) speak(ctx context.Context, conn *websocket.Conn, out *cork, r *reader, p protocol) error {
	tick := time.NewTicker(a.rhythm.pinging)
	defer tick.Stop()
	held := context.WithoutCancel(ctx) // the cork bounds a write: a timer for each frame would cost more than the frame
	lost := make(chan error, 1)
	for n := 1; ; {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.gone:
			return r.cause()
		case err = <-lost:
		case <-r.more:
			out.hold()
			for _, d := range r.take() {
				for _, frame := range p.frames(d) {
					err = errors.Join(err, conn.Write(held, websocket.MessageText, frame))
				}
			}
			err = errors.Join(err, out.release())
		case <-tick.C:
			err = a.beat(ctx, r, n, func() error {
				go func() { // the answer is read by listen, and others are written meanwhile
					guard.Broke(ctx, a.Log, "ping a socket", func() {
						ctx, cancel := context.WithTimeout(ctx, a.rhythm.answered)
						defer cancel()
						if err := conn.Ping(ctx); err != nil {
							select {
							case lost <- err:
							default:
							}
						}
					})
				}()
				return nil
			})
			n++
		}
		if err != nil {
			return err
		}
	}
}

// listen reads messages until the client ends. A client that sends anything but
// texts, or too much, is cut off.
func listen(ctx context.Context, conn *websocket.Conn, p protocol) {
	for {
		kind, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			_ = conn.Close(websocket.StatusUnsupportedData, "only text is understood")
			return
		}
		p.hear(ctx, text)
	}
}

// mastodon is the protocol of Mastodon's streaming API: an invalid command gets a
// refusal as a message.
type mastodon struct {
	*API
	*reader
}

func (m mastodon) longest() int64 { return 4 << 10 }

func (m mastodon) hear(ctx context.Context, text []byte) {
	if err := m.obey(ctx, m.reader, text); err != nil {
		m.answer(&message{raw: refusal(err)}, stream{})
	}
}

func (m mastodon) frames(d delivery) [][]byte {
	if d.raw != nil {
		return [][]byte{d.raw}
	}
	return [][]byte{d.socketFrame(m.multiple.Load())}
}

// socketFrame returns the bytes of a message for a socket: those that all share, or with
// the names of the stream.
func (d delivery) socketFrame(multiple bool) []byte {
	if !multiple {
		return d.frame
	}
	names, err := json.Marshal(d.stream.names())
	if err != nil { // texts always can be written
		panic(err)
	}
	out := make([]byte, 0, len(names)+len(d.frame)+len(`{"stream":,`))
	out = append(append(append(out, `{"stream":`...), names...), ',')
	return append(out, d.frame[1:]...)
}

// command is a message of the client.
type command struct {
	Type     string          `json:"type"`
	Stream   string          `json:"stream"`
	Tag      string          `json:"tag"`
	List     json.RawMessage `json:"list"` // a text or a number
	Instance string          `json:"instance"`
}

// obey carries out a command of the client.
func (a *API) obey(ctx context.Context, r *reader, text []byte) error {
	var said command
	if err := json.Unmarshal(text, &said); err != nil {
		return fault.Malformed("Invalid JSON")
	}
	q := asked{Name: r.words.In(said.Stream), Tag: said.Tag, Instance: said.Instance, List: strings.Trim(string(said.List), `"`)}
	switch said.Type {
	case "subscribe":
		s, err := a.stream(ctx, r.identity(), q)
		if err != nil {
			return err
		}
		r.multiple.Store(true)
		return a.subscribe(r, s)
	case "unsubscribe":
		if s, ok := named(q); ok {
			a.unsubscribe(r, s)
			return nil
		}
		return errUnknown
	}
	return fault.Malformed("Unknown message type")
}

// refusal is an error as a message: {"error":TEXT,"status":HTTP STATUS}.
func refusal(err error) []byte {
	status, text := http.StatusInternalServerError, "Internal server error"
	var f *fault.Error
	if errors.As(err, &f) {
		text = f.Message
		switch f.Kind {
		case fault.KindUnauthenticated:
			status = http.StatusUnauthorized
		case fault.KindForbidden:
			status = http.StatusForbidden
		case fault.KindNotFound:
			status = http.StatusNotFound
		case fault.KindInvalid:
			status = http.StatusUnprocessableEntity
		default:
			status = http.StatusBadRequest
		}
	}
	out, err := json.Marshal(struct {
		Error  string `json:"error"`
		Status int    `json:"status"`
	}{text, status})
	if err != nil { // texts and numbers always can be written
		panic(err)
	}
	return out
}
