package client

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"svc/client/api"
)

// Streams reads events while they happen.
type Streams struct{ c *Client }

// silence is how long a stream may say nothing: the server sends a comment every
// 15 s.
const silence = 45 * time.Second

// longestEvent bounds one event, in bytes.
const longestEvent = 4 << 20

// Listen returns the events of a stream until ctx ends or the loop is left. A
// lost connection is made anew, and goes on after the last event, for as long as
// the server keeps events; otherwise the event "gap" comes. The error of a
// refusal is the last that is yielded. after is where to begin, as StreamEvent.ID,
// or "" for now. GET /api/v1/streaming.
func (s *Streams) Listen(ctx context.Context, query api.StreamQuery, after string) iter.Seq2[api.StreamEvent, error] {
	return s.Follow(ctx, query, after, func(bool) {})
}

// Follow is Listen that reports when a connection stands, and when it is lost: a
// program that was told nothing yet may have missed something until it stands
// again, and may look by itself meanwhile.
func (s *Streams) Follow(ctx context.Context, query api.StreamQuery, after string, connected func(bool)) iter.Seq2[api.StreamEvent, error] {
	return func(yield func(api.StreamEvent, error) bool) {
		left := errors.New("the loop was left")
		for failures := 0; ; failures++ {
			err := s.listen(ctx, query, after, connected, func(e api.StreamEvent) error {
				if e.ID != "" {
					after = e.ID
				}
				if e.Name == "" && e.Payload == nil {
					return nil
				}
				failures = 0
				if !yield(e, nil) {
					return left
				}
				return nil
			})
			var refusal *Error
			switch {
			case errors.Is(err, left):
				return
			case ctx.Err() != nil:
				yield(api.StreamEvent{}, ctx.Err())
				return
			case errors.As(err, &refusal) && refusal.Status != http.StatusTooManyRequests && refusal.Status < 500, hopeless(err):
				yield(api.StreamEvent{}, err)
				return
			}
			if err := s.c.wait(ctx, min(firstPause<<min(failures, 10), maxPause)); err != nil {
				yield(api.StreamEvent{}, err)
				return
			}
		}
	}
}

// listen reads one connection to its end.
func (s *Streams) listen(ctx context.Context, query api.StreamQuery, after string, connected func(bool), tell func(api.StreamEvent) error) error {
	in := Request{Method: http.MethodGet, Path: "/api/v1/streaming", Query: values(query), Header: http.Header{"Accept": {"text/event-stream"}}}
	if after != "" {
		in.Header.Set("Last-Event-ID", after)
	}
	token := ""
	if s.c.options.tokens != nil {
		var err error
		if token, err = s.c.options.tokens.Token(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := time.AfterFunc(silence, cancel)
	defer heard.Stop()
	req, err := s.c.request(ctx, in, nil, token)
	if err != nil {
		return err
	}
	resp, err := s.c.http.Do(req)
	if err != nil {
		return &TransportError{Method: in.Method, Path: in.Path, Sent: true, Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, err := readBody(resp.Body)
		if err != nil {
			return err
		}
		return newError(&Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, in.Method, in.Path)
	}
	connected(true)
	defer connected(false)
	return readEvents(resp.Body, func() { heard.Reset(silence) }, tell)
}

// readEvents parses Server-Sent Events; heard is called for each line. An id
// without an event, which says where to go on, is an event without a name.
// Format: https://html.spec.whatwg.org/multipage/server-sent-events.html.
func readEvents(body io.Reader, heard func(), tell func(api.StreamEvent) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 16<<10), longestEvent)
	var (
		event api.StreamEvent
		data  []string
	)
	for lines.Scan() {
		heard()
		name, text, _ := strings.Cut(lines.Text(), ":")
		text = strings.TrimPrefix(text, " ")
		switch {
		case lines.Text() == "":
			if event.Name != "" || event.ID != "" || data != nil {
				if all := strings.Join(data, "\n"); all != "" && all != "null" {
					event.Payload = []byte(all)
				}
				if err := tell(event); err != nil {
					return err
				}
			}
			event, data = api.StreamEvent{}, nil
		case name == "event":
			event.Name = text
		case name == "id":
			event.ID = text
		case name == "data":
			data = append(data, text)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
