package streaming

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// The chat room of the instance: one topic of a Phoenix channel. All users of the
// instance see what all say; who comes in gets the last messages.
// Format: https://hexdocs.pm/phoenix/writing_a_channels_client.html
const (
	roomTopic    = "chat:public"
	roomRemember = 20 // messages, of those that are kept
)

var errRoom = fault.NotFound("There is no chat room")

// Room is GET /socket/websocket: the socket of the chat room, with the chat_token of
// verify_credentials as token. Those whose access token lacks write:statuses listen. vsn is the version of the format, 1.0.0 or 2.0.0.
func (a *API) Room(c *gin.Context) error {
	r := newReader(c.Query("token"))
	r.words, r.transport = web.Words(c), WebSocket
	r.renew = func(ctx context.Context) (*auth.Identity, error) {
		if !a.Settings.Load().ChatRoom {
			return nil, errRoom
		}
		id, err := a.Auth.ChatTokenOwner(ctx, r.token)
		if errors.Is(err, db.ErrNotFound) {
			return nil, nil
		}
		return id, err
	}
	id, err := r.renew(c.Request.Context())
	if err != nil {
		return err
	}
	if id == nil {
		return errInvalid
	}
	r.id, r.who = id, id.Account.ID
	if err := a.begin(r); err != nil {
		return err
	}
	a.serveSocket(c, r, &phoenix{API: a, reader: r, lists: strings.HasPrefix(c.Query("vsn"), "2.")})
	return nil
}

// phoenix is the protocol of the chat room.
type phoenix struct {
	*API
	*reader
	lists  bool // messages are lists in place of objects
	joined atomic.Bool

	// Of frames alone.
	began  bool // the last messages were sent
	passed int64
	held   []delivery // what was said while they were read
}

// phoenixMessage is a message of either side, as an object.
type phoenixMessage struct {
	JoinRef *string         `json:"join_ref,omitempty"`
	Ref     *string         `json:"ref"`
	Topic   string          `json:"topic"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
}

func (p *phoenix) read(text []byte) (m phoenixMessage, err error) {
	if !p.lists {
		err = json.Unmarshal(text, &m)
		return m, err
	}
	fields := []any{&m.JoinRef, &m.Ref, &m.Topic, &m.Event, &m.Payload}
	n := len(fields)
	if err = json.Unmarshal(text, &fields); err == nil && len(fields) != n {
		err = errors.New("a message has five elements")
	}
	return m, err
}

func (p *phoenix) bytes(m phoenixMessage) []byte {
	if m.Payload == nil {
		m.Payload = json.RawMessage("{}")
	}
	var shape any = m
	if p.lists {
		shape = []any{m.JoinRef, m.Ref, m.Topic, m.Event, m.Payload}
	}
	out, err := json.Marshal(shape)
	if err != nil { // texts, and payloads from here, always can be written
		panic(err)
	}
	return out
}

// longest has space for a message in which each character is escaped.
func (p *phoenix) longest() int64 {
	return 1<<10 + 12*int64(min(p.Settings.Load().Instance.ChatLimit, 100_000))
}

func (p *phoenix) frames(d delivery) [][]byte {
	switch {
	case d.raw != nil:
		return [][]byte{d.raw}
	case d.event == "messages":
		p.began, p.passed = true, d.seq
		out := [][]byte{p.bytes(phoenixMessage{Topic: roomTopic, Event: d.event, Payload: d.data})}
		for _, held := range p.held {
			out = append(out, p.frames(held)...)
		}
		p.held = nil
		return out
	case !p.began && len(p.held) >= mostWaiting:
		p.cut(errSlow)
	case !p.began:
		p.held = append(p.held, d)
	case d.seq > p.passed:
		return [][]byte{p.bytes(phoenixMessage{Topic: roomTopic, Event: d.event, Payload: d.data})}
	}
	return nil
}

func (p *phoenix) hear(ctx context.Context, text []byte) {
	m, err := p.read(text)
	if err != nil {
		p.cut(errBadMessage)
		return
	}
	send := func(out phoenixMessage) { p.answer(&message{raw: p.bytes(out)}, stream{}) }
	answer := func(status string, response any) {
		payload, err := json.Marshal(map[string]any{"status": status, "response": response})
		if err != nil { // texts always can be written
			panic(err)
		}
		send(phoenixMessage{JoinRef: m.JoinRef, Ref: m.Ref, Topic: m.Topic, Event: "phx_reply", Payload: payload})
	}
	refuse := func(reason string) { answer("error", map[string]string{"reason": reason}) }
	done := struct{}{}
	here := stream{kind: room, name: roomTopic}
	switch {
	case m.Topic == "phoenix" && m.Event == "heartbeat":
		answer("ok", done)
	case m.Topic != roomTopic || m.Event != "phx_join" && !p.joined.Load():
		refuse("unmatched topic")
	case m.Event == "phx_join":
		if err := p.subscribe(p.reader, here); err != nil {
			refuse(err.Error())
			return
		}
		last, err := p.lastSaid(ctx)
		if err != nil {
			p.cut(err)
			return
		}
		p.joined.Store(true)
		answer("ok", done)
		p.answer(last, here)
	case m.Event == "phx_leave":
		p.unsubscribe(p.reader, here)
		p.joined.Store(false)
		answer("ok", done)
		send(phoenixMessage{JoinRef: m.JoinRef, Ref: m.JoinRef, Topic: roomTopic, Event: "phx_close"})
	case m.Event == "new_msg":
		if err := p.recheck(ctx, p.API); err != nil {
			p.cut(err)
			return
		}
		if err := p.say(ctx, m.Payload); err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				p.cut(err)
				return
			}
			refuse(f.Message)
			return
		}
		answer("ok", done)
	default:
		refuse("unknown event")
	}
}

// say puts what the reader says into the room.
func (p *phoenix) say(ctx context.Context, payload json.RawMessage) error {
	var in struct{ Text string }
	if err := json.Unmarshal(payload, &in); err != nil {
		return fault.Malformed("Invalid JSON")
	}
	if !p.identity().Can("write:statuses") {
		return fault.Forbidden("Insufficient permissions: write:statuses.")
	}
	text := strings.TrimSpace(in.Text)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return fault.Malformed("no_content")
	case n > p.Settings.Load().Instance.ChatLimit:
		return fault.Malformed("content_too_long")
	}
	me := p.identity().Account.ID
	if err := p.Limits.Count(web.Limit{Bucket: config.BucketStatuses, Kind: "room"}, me); err != nil {
		return err
	}
	return p.DB.Emit(ctx, db.Event{Kind: db.EventRoom, Subject: me, Data: text})
}

// lastSaid returns the last messages of the room.
func (a *API) lastSaid(ctx context.Context) (*message, error) {
	events, err := a.DB.LastEventsOf(ctx, db.EventRoom, roomRemember)
	if err != nil {
		return nil, err
	}
	said, err := a.roomMessages(ctx, events)
	if err != nil {
		return nil, err
	}
	m := &message{event: "messages"}
	if len(events) > 0 {
		m.seq = events[len(events)-1].Seq
	}
	m.data, err = json.Marshal(map[string]any{"messages": said})
	return m, err
}

// said sends a message of the room to those in it.
func (t *teller) said(ctx context.Context) error {
	subs := t.to[room][""]
	if len(subs) == 0 {
		return nil
	}
	said, err := t.roomMessages(ctx, []db.Event{*t.event})
	if err != nil || len(said) == 0 {
		return err
	}
	raw, err := json.Marshal(said[0])
	if err == nil {
		t.give("new_msg", raw, subs)
	}
	return err
}

// roomMessages renders messages of the room. Those of people who were deleted or
// deactivated are left out.
func (a *API) roomMessages(ctx context.Context, events []db.Event) ([]api.RoomMessage, error) {
	var ids []string
	for _, e := range events {
		ids = append(ids, e.Subject)
	}
	accounts, err := a.DB.Accounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	raw, err := a.View.Accounts(ctx, accounts)
	if err != nil {
		return nil, err
	}
	var shown []json.RawMessage
	if err := json.Unmarshal(raw, &shown); err != nil {
		return nil, err
	}
	authors := map[string]json.RawMessage{}
	for i := range accounts {
		if !accounts[i].Deactivated {
			authors[accounts[i].ID] = shown[i]
		}
	}
	out := []api.RoomMessage{}
	for _, e := range events {
		if author := authors[e.Subject]; author != nil {
			out = append(out, api.RoomMessage{ID: e.Seq, Text: e.Data, Author: author})
		}
	}
	return out, nil
}
