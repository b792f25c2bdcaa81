package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestEventsGoOnWhereTheyWereLeft loses a connection and requests the events
// missed; then it requests events that are not kept any more.
func TestEventsGoOnWhereTheyWereLeft(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		head := must(s.DB.EventHead(ctx))(t)
		hear := func(after string, n int) (got []string, last string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			for e, err := range ann.Streams.Listen(ctx, api.StreamQuery{Stream: "user"}, after) {
				if err != nil {
					t.Fatal(err)
				}
				var status api.Status
				_ = json.Unmarshal(e.Payload, &status)
				got, last = append(got, e.Name+" "+status.Content), e.ID
				if len(got) == n {
					break
				}
			}
			return got, last
		}
		say(t, ann, "one")
		say(t, ann, "two")
		got, last := hear(head.String(), 1)
		if diff := cmp.Diff([]string{"update one"}, got); diff != "" {
			t.Error(diff)
		}
		say(t, ann, "three")
		got, _ = hear(last, 2)
		if diff := cmp.Diff([]string{"update two", "update three"}, got); diff != "" {
			t.Error(diff)
		}
		must(0, s.DB.SweepEvents(ctx, db.At(s.DB.Now().Time.Add(time.Hour))))(t)
		for _, after := range []string{"other.1", "x", db.EventPosition{Epoch: head.Epoch, Seq: 1 << 40}.String(), head.String()} {
			if got, _ := hear(after, 1); got[0] != "gap " {
				t.Errorf("after %q: %v", after, got)
			}
		}
		swept := must(s.DB.EventHead(ctx))(t)
		say(t, ann, "four")
		if got, _ := hear(swept.String(), 1); got[0] != "update four" {
			t.Errorf("after what is swept, but was seen: %v", got)
		}
		if _, err := collectFirst(s.Anonymous().Streams.Listen(ctx, api.StreamQuery{Stream: "user"}, "")); err == nil {
			t.Error("a stranger hears a user's stream")
		}
	})
}

// events is an open stream of Server-Sent Events.
type events struct {
	t     *testing.T
	body  io.Closer
	lines *bufio.Scanner
	last  string // the id, as browsers keep it
}

// listen opens a stream of Server-Sent Events, as browsers do; after is the last id of the
// stream before it, if any.
func listen(t *testing.T, s *servertest.Server, token, stream, after string) *events {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/streaming?stream="+stream, nil))(t)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp := must(http.DefaultClient.Do(req))(t)
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	return &events{t, resp.Body, bufio.NewScanner(resp.Body), after}
}

// next returns the next event; ok is false where the stream ends.
func (e *events) next() (f frame, ok bool) {
	for has := false; e.lines.Scan(); {
		name, text, _ := strings.Cut(e.lines.Text(), ":")
		text = strings.TrimPrefix(text, " ")
		switch name {
		case "id":
			e.last = text
		case "event":
			f.Event = text
		case "data":
			f.Payload, has = text, true
		case "":
			if e.lines.Text() == "" && has {
				return f, true
			}
		}
	}
	return f, false
}

// begin reads up to the id that a stream begins with.
func (e *events) begin() {
	e.t.Helper()
	for ok := false; !ok; {
		if !e.lines.Scan() || strings.HasPrefix(e.lines.Text(), ":") {
			e.t.Fatalf("%q in place of an id, %v", e.lines.Text(), e.lines.Err())
		}
		e.last, ok = strings.CutPrefix(e.lines.Text(), "id: ")
	}
}

// TestAStreamWithoutAnEventGoesOn loses a connection that had no event yet. The next one
// has what happened meanwhile, once.
func TestAStreamWithoutAnEventGoesOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann, token := s.Client("ann"), s.Token("ann", servertest.AllScopes)
		told := dial(t, s, token, "stream=user")
		told.until("update", say(t, ann, "before").ID)
		first := listen(t, s, token, "user", "")
		first.begin()
		_ = first.body.Close()
		meanwhile := say(t, ann, "meanwhile")
		second := listen(t, s, token, "user", first.last)
		f, _ := second.next()
		last := say(t, ann, "the end")
		end, _ := second.next()
		if diff := cmp.Diff([]string{"update", meanwhile.ID, "update", last.ID}, []string{f.Event, f.id(), end.Event, end.id()}); diff != "" {
			t.Error(diff)
		}
	})
}

// TestEventsAreReadableByClients checks the bytes of Server-Sent Events: ids of
// deleted statuses are plain text, except for Mastodon.py, which reads them as
// JSON. Events without a payload have data, since browsers drop events without
// any.
func TestEventsAreReadableByClients(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann := s.Client("ann")
	head := must(s.DB.EventHead(ctx))(t)
	said := say(t, ann, "gone soon")
	must(ann.Statuses.Delete(ctx, said.ID))(t)
	must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("x"), Context: []string{"home"}}))(t)
	for agent, id := range map[string]string{"other": said.ID, "mastodonpy": `"` + said.ID + `"`} {
		req := must(http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/streaming/user", nil))(t)
		req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
		req.Header.Set("User-Agent", agent)
		req.Header.Set("Last-Event-ID", head.String())
		resp := must(http.DefaultClient.Do(req))(t)
		defer resp.Body.Close()
		var got []string
		for lines := bufio.NewScanner(resp.Body); len(got) < 2 && lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && !strings.HasPrefix(data, "{") {
				got = append(got, data)
			}
		}
		if diff := cmp.Diff([]string{id, "null"}, got); diff != "" {
			t.Errorf("%s: %s", agent, diff)
		}
	}
}

func collectFirst(events func(func(api.StreamEvent, error) bool)) (api.StreamEvent, error) {
	for e, err := range events {
		return e, err
	}
	return api.StreamEvent{}, errors.New("nothing")
}
