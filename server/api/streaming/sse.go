package streaming

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/rules/auth"
)

// The bounds of catching up. A client may have missed any number of events that are
// kept: most are for others, or notices between processes, and are passed over.
const (
	replayed   = 5000 // numbers that one statement passes over
	replayPage = 100  // events that one statement returns
)

// serveEvents writes Server-Sent Events until the client is gone or cut off. A
// client that sends the id of its last event as Last-Event-ID gets the events
// since then. If they are not kept any more, it gets the event "gap", and
// should reload.
//
// Format: https://html.spec.whatwg.org/multipage/server-sent-events.html. The
// id of an event is EPOCH.NUMBER. A stream begins with an id, so that a client
// that had no event yet can go on as well.
func (a *API) serveEvents(c *gin.Context, r *reader) error {
	ctx := c.Request.Context()
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	head, err := a.DB.EventHead(ctx)
	if err != nil {
		return err
	}
	c.Status(http.StatusOK)
	out := &eventWriter{
		c: c.Writer, control: http.NewResponseController(c.Writer), epoch: head.Epoch,
		quoting: strings.HasPrefix(c.GetHeader("User-Agent"), "mastodonpy"),
		placing: strings.Contains(c.GetHeader("Accept"), "text/event-stream") || c.GetHeader("Last-Event-ID") != "",
	}
	if head, err = a.catchUp(ctx, r, c.GetHeader("Last-Event-ID"), head, out); err != nil {
		return nil // the client is gone, or will ask again
	}
	out.place(head.Seq)
	if err := out.comment(); err != nil {
		return nil
	}
	tick := time.NewTicker(a.rhythm.thumping)
	defer tick.Stop()
	for n := 1; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-r.gone:
			return nil
		case <-r.more:
			err = out.deliver(r, head.Seq)
		case <-tick.C:
			err = a.beat(ctx, r, n, func() error { return a.thump(r, head.Seq, out) })
			n++
		}
		if err != nil {
			return nil
		}
	}
}

// thump writes a comment and, if other events have passed since the last event of the
// stream, where to go on: a stream may have none for longer than events are kept.
func (a *API) thump(r *reader, after int64, out *eventWriter) error {
	told := a.told.Load() // of which all that concerns the reader waits, or is written
	if err := out.deliver(r, after); err != nil {
		return err
	}
	if r.cause() == nil && told > out.at { // else an event may have been lost
		out.place(told)
	}
	return out.comment()
}

// catchUp writes the events after the last one of a client, up to head and then those
// that came meanwhile: more may come than may wait. It returns the position from which on
// events wait for the reader, who is registered before.
func (a *API) catchUp(ctx context.Context, r *reader, last string, head db.EventPosition, out *eventWriter) (db.EventPosition, error) {
	if last == "" {
		return head, nil
	}
	r.fall()
	err := a.replayUpTo(ctx, r, last, head, out)
	for err == nil && !r.join(head.Seq) {
		if last = head.String(); r.cause() != nil {
			return head, r.cause()
		}
		if head, err = a.DB.EventHead(ctx); err == nil {
			err = a.replayUpTo(ctx, r, last, head, out)
		}
	}
	return head, err
}

// replayUpTo writes the events after the last one of a client, up to head.
func (a *API) replayUpTo(ctx context.Context, r *reader, last string, head db.EventPosition, out *eventWriter) error {
	from, ok := db.ParseEventPosition(last)
	if !ok || from.Epoch != head.Epoch || from.Seq > head.Seq {
		out.write(gapAt(head))
		return out.flush()
	}
	of, account := a.strangers, ""
	if me := auth.AccountOf(r.identity()); me != nil {
		of, account = a.members, me.ID
	}
	replay := replay{API: a, reader: r, account: account, at: from.Seq, head: head}
	for replay.at < head.Seq {
		err := of.with(ctx, r, func() error { return replay.step(ctx, out) })
		if err = errors.Join(err, out.flush()); err != nil { // without a place: the client may be slow
			return err
		}
	}
	return nil
}

// replay is the state of a stream that catches up.
type replay struct {
	*API
	*reader
	account string     // "" for a stranger
	events  []db.Event // read, and not told yet
	upTo    int64      // all up to here are read
	at      int64      // all up to here are told
	head    db.EventPosition
}

// step adds the messages of the next events to out, about as many as are sent at once.
func (p *replay) step(ctx context.Context, out *eventWriter) error {
	if len(p.events) == 0 {
		gap, err := p.read(ctx)
		if err != nil {
			return err
		}
		if gap {
			p.at = p.head.Seq
			out.write(gapAt(p.head))
			return nil
		}
	}
	for out.buf.Len() < mostHeld && len(p.events) > 0 {
		e := &p.events[0]
		missed := &reader{token: p.token, renew: p.renew, who: p.who, words: p.words, id: p.identity(), more: make(chan struct{}, 1), gone: make(chan struct{})}
		if err := p.tell(ctx, e, p.audienceOf(p.reader, missed), new(sleepers)); err != nil {
			return err
		}
		for _, d := range missed.take() {
			out.write(d.message)
		}
		p.at, p.events = e.Seq, p.events[1:]
	}
	if len(p.events) == 0 {
		p.at = p.upTo
		out.place(p.at) // it goes on from here if the connection ends while it catches up
	}
	return nil
}

// read reads the next events. gap is true if some may have been swept before they were
// read.
func (p *replay) read(ctx context.Context) (gap bool, err error) {
	p.upTo = min(p.at+replayed, p.head.Seq)
	if p.events, err = p.DB.EventsFor(ctx, p.account, p.at, p.upTo, replayPage); err != nil {
		return false, err
	}
	oldest, err := p.DB.OldestEvent(ctx)
	if len(p.events) == replayPage {
		p.upTo = p.events[replayPage-1].Seq
	}
	return err == nil && (oldest == 0 || oldest > p.at+1), err
}

// audienceOf returns the streams of one reader, with their messages for
// another.
func (a *API) audienceOf(r, to *reader) *audience {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out audience
	for s := range r.streams {
		if out[s.kind] == nil {
			out[s.kind] = map[string][]subscription{}
		}
		out[s.kind][s.key(to.id)] = append(out[s.kind][s.key(to.id)], subscription{to, s})
	}
	return &out
}

// eventWriter writes Server-Sent Events to a client that takes them in time.
type eventWriter struct {
	c       http.ResponseWriter
	control *http.ResponseController
	epoch   string
	quoting bool // the client, Mastodon.py, reads the data of every event as JSON
	// The client goes on after the last id. Browsers and other clients of the
	// standard name the format in Accept. Mastodon.py does not, and breaks off at
	// an id without an event.
	placing bool
	at      int64 // the number of the last id
	buf     bytes.Buffer
}

// deliver sends what waits for a reader, after a position up to which the client has
// everything.
func (w *eventWriter) deliver(r *reader, after int64) (err error) {
	for _, d := range r.take() {
		if d.seq > after {
			err = errors.Join(err, w.add(d.message))
		}
	}
	return errors.Join(err, w.flush())
}

// add writes an event to the buffer, which is sent once it is large.
func (w *eventWriter) add(m *message) error {
	w.write(m)
	if w.buf.Len() < mostHeld {
		return nil
	}
	return w.flush()
}

// gapAt says that events up to head are not kept any more.
func gapAt(head db.EventPosition) *message { return &message{seq: head.Seq, event: "gap"} }

// write writes an event to the buffer.
func (w *eventWriter) write(m *message) {
	w.at = m.seq
	w.buf.WriteString("event: " + m.event + "\nid: " + w.epoch + "." + strconv.FormatInt(m.seq, 10) + "\ndata: ")
	switch { // JSON and ids have no line breaks
	case m.data == nil:
		w.buf.WriteString("null") // browsers drop an event without data
	case m.event == "delete" && w.quoting:
		w.buf.WriteString(strconv.Quote(string(m.data)))
	default:
		w.buf.Write(m.data)
	}
	w.buf.WriteString("\n\n")
}

// place adds the id of an event without an event: the client goes on after it.
func (w *eventWriter) place(seq int64) {
	w.at = seq
	if w.placing {
		w.buf.WriteString("id: " + w.epoch + "." + strconv.FormatInt(seq, 10) + "\n\n")
	}
}

// comment shows the client, and those between, that the connection lives.
func (w *eventWriter) comment() error {
	w.buf.WriteString(":thump\n")
	return w.flush()
}

// flush sends what was added.
func (w *eventWriter) flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	defer func() { w.buf = bytes.Buffer{} }() // an idle client keeps no memory
	err := w.control.SetWriteDeadline(time.Now().Add(writing))
	if err == nil || errors.Is(err, http.ErrNotSupported) {
		_, err = w.c.Write(w.buf.Bytes())
	}
	if err == nil {
		err = w.control.Flush()
	}
	return err
}
