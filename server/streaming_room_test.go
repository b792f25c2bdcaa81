package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// roomSocket is a socket of the chat room, as a client of Phoenix channels.
type roomSocket struct {
	t    *testing.T
	conn *websocket.Conn
}

// roomFrame is a message of either side.
type roomFrame struct {
	Topic   string          `json:"topic"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Ref     *string         `json:"ref"`
}

func enterRoom(t *testing.T, s *servertest.Server, token string) (*roomSocket, int) {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/socket/websocket?vsn=1.0.0&token="+token, nil)
	if err != nil {
		if resp == nil {
			t.Fatal(err)
		}
		return nil, resp.StatusCode
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return &roomSocket{t, conn}, resp.StatusCode
}

func (r *roomSocket) send(text string) {
	r.t.Helper()
	if err := r.conn.Write(r.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *roomSocket) read() []byte {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	_, text, err := r.conn.Read(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

// until is the next message with this event.
func (r *roomSocket) until(event string) roomFrame {
	r.t.Helper()
	for {
		var f roomFrame
		if text := r.read(); json.Unmarshal(text, &f) != nil {
			r.t.Fatalf("%s", text)
		}
		if f.Event == event {
			return f
		}
	}
}

func (r *roomSocket) asked(event, payload string) string {
	r.t.Helper()
	r.send(fmt.Sprintf(`{"topic":"chat:public","event":%q,"payload":%s,"ref":"7"}`, event, payload))
	f := r.until("phx_reply")
	if f.Ref == nil || *f.Ref != "7" {
		r.t.Errorf("an answer to %v", f.Ref)
	}
	return string(f.Payload)
}

// said are the texts and authors of messages.
func said(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var in struct{ Messages []api.RoomMessage }
	if err := json.Unmarshal(raw, &in); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range in.Messages {
		var author api.Account
		if err := json.Unmarshal(m.Author, &author); err != nil || m.ID <= 0 {
			t.Fatalf("%s, %v", raw, err)
		}
		out = append(out, author.Username+": "+m.Text)
	}
	return out
}

func (r *roomSocket) hears(want string) {
	r.t.Helper()
	f := r.until("new_msg")
	if got := said(r.t, json.RawMessage(`{"messages":[`+string(f.Payload)+`]}`)); !slices.Equal(got, []string{want}) || f.Topic != "chat:public" {
		r.t.Errorf("%s: %v, want %q", f.Topic, got, want)
	}
}

// TestAllTalkInTheRoom: people talk in the room of the instance, at two processes
// where there are two, and who comes later gets what was said.
func TestAllTalkInTheRoom(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		token := func(name string) string { return must(s.Client(name).Accounts.Verify(ctx))(t).Svc.ChatToken }
		const ok, unmatched = `{"response":{},"status":"ok"}`, `{"response":{"reason":"unmatched topic"},"status":"error"}`
		enter := func(at *servertest.Server, name string) *roomSocket {
			t.Helper()
			r, status := enterRoom(t, at, token(name))
			if r == nil {
				t.Fatalf("%s is refused: %d", name, status)
			}
			return r
		}
		ann, ben := enter(s, "ann"), enter(there, "ben")
		if got := ann.asked("new_msg", `{"text":"outside"}`); got != unmatched {
			t.Errorf("spoken from outside: %s", got)
		}
		for _, r := range []*roomSocket{ann, ben} {
			if got := r.asked("phx_join", `{}`); got != ok {
				t.Errorf("joined: %s", got)
			}
			if got := said(t, r.until("messages").Payload); len(got) != 0 {
				t.Errorf("before anybody spoke: %v", got)
			}
		}
		ann.send(`{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"8"}`)
		if f := ann.until("phx_reply"); f.Topic != "phoenix" || string(f.Payload) != ok {
			t.Errorf("a heartbeat: %+v", f)
		}
		ann.send(`{"topic":"chat:public","event":"new_msg","payload":{"text":" hi <b>all</b> "},"ref":"1"}`)
		ann.hears("ann: hi <b>all</b>")
		ben.hears("ann: hi <b>all</b>")
		ben.send(`{"topic":"chat:public","event":"new_msg","payload":{"text":"hi"},"ref":"1"}`)
		ann.hears("ben: hi")
		ben.hears("ben: hi")

		// The other format, in which messages are lists.
		conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/socket/websocket?vsn=2.0.0&token="+token("cat"), nil)
		if err != nil {
			t.Fatal(err)
		}
		cat := &roomSocket{t, conn}
		t.Cleanup(func() { _ = conn.CloseNow() })
		cat.send(`["3","4","chat:public","phx_join",{}]`)
		if got := string(cat.read()); got != `["3","4","chat:public","phx_reply",`+ok+`]` {
			t.Error(got)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(cat.read(), &list); err != nil || len(list) != 5 || string(list[3]) != `"messages"` {
			t.Fatalf("%s, %v", list, err)
		}
		if got := said(t, list[4]); !slices.Equal(got, []string{"ann: hi <b>all</b>", "ben: hi"}) {
			t.Errorf("who came later got %v", got)
		}

		for payload, reason := range map[string]string{
			`{"text":" "}`: "no_content", `{}`: "no_content", `[]`: "Invalid JSON",
			`{"text":"` + strings.Repeat("a", 5001) + `"}`: "content_too_long",
		} {
			if got := ann.asked("new_msg", payload); !strings.Contains(got, `"`+reason+`"`) {
				t.Errorf("%.20s: %s", payload, got)
			}
		}
		if got := ann.asked("dance", `{}`); !strings.Contains(got, "unknown event") {
			t.Errorf("an unknown event: %s", got)
		}
		if got := ann.asked("phx_leave", `{}`); got != ok {
			t.Errorf("left: %s", got)
		}
		ann.until("phx_close")
		if got := ann.asked("new_msg", `{"text":"outside"}`); got != unmatched {
			t.Errorf("spoken after leaving: %s", got)
		}
		ann.send(`nonsense`)
		if _, _, err := ann.conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("after a message that is no JSON: %v", err)
		}

		// What those said who are gone is not shown.
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "ann"))(t)
		ben.asked("phx_join", `{}`)
		if got := said(t, ben.until("messages").Payload); !slices.Equal(got, []string{"ben: hi"}) {
			t.Errorf("after ann was deactivated: %v", got)
		}
	})
}

// TestTheRoomIsForUsers opens the room with tokens that are not valid, or no more,
// and where the setting closes it.
func TestTheRoomIsForUsers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		token := func() string { return must(s.Client("ann").Accounts.Verify(ctx))(t).Svc.ChatToken }
		for _, bad := range []string{"", "x", s.Token("ann", servertest.AllScopes)} {
			if _, status := enterRoom(t, s, bad); status != http.StatusUnauthorized {
				t.Errorf("token %q: %d", bad, status)
			}
		}
		offered := func() bool {
			return slices.Contains(must(s.Anonymous().Instance.Get(ctx))(t).Svc.Metadata.Features, "chat")
		}
		if !offered() {
			t.Error("the instance does not offer its room")
		}
		first := token()
		ann, _ := enterRoom(t, s, first)
		must(s.Admin("root").Admin.Users.Deactivate(ctx, "ann"))(t)
		if _, _, err := ann.conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("after the account was deactivated: %v", err)
		}
		if _, status := enterRoom(t, s, first); status != http.StatusUnauthorized {
			t.Errorf("of a deactivated account: %d", status)
		}
		ben, _ := enterRoom(t, s, must(s.Client("ben").Accounts.Verify(ctx))(t).Svc.ChatToken)
		ben.asked("phx_join", `{}`)
		must(s.Admin("root").Admin.Config.Set(ctx, ":svc", ":chat", client.Keyword(":enabled", false)))(t)
		ben.send(`{"topic":"chat:public","event":"new_msg","payload":{"text":"hi"},"ref":"1"}`)
		for {
			_, _, err := ben.conn.Read(ctx)
			if err == nil {
				continue // the last messages
			}
			if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Errorf("after the room was closed: %v", err)
			}
			break
		}
		if _, status := enterRoom(t, s, must(s.Client("ben").Accounts.Verify(ctx))(t).Svc.ChatToken); status != http.StatusNotFound || offered() {
			t.Errorf("a closed room: %d, offered %v", status, offered())
		}
	})
}

// FuzzRoomFrames sends a frame to a socket of the chat room, in either format: it is
// answered, or ends the connection, and the room still serves others.
func FuzzRoomFrames(f *testing.F) {
	for _, seed := range []string{
		`{"topic":"chat:public","event":"phx_join","payload":{},"ref":"1"}`, `{"topic":"chat:public","event":"new_msg","payload":{"text":"x"},"ref":"1"}`,
		`{"topic":"chat:public","event":"new_msg","payload":{"text":7},"ref":null}`, `{"topic":"chat:public","event":"new_msg","payload":null}`,
		`{"topic":"chat:public","event":"phx_leave","payload":{},"ref":1}`, `{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"2"}`,
		`{"topic":["chat:public"]}`, `["1","2","chat:public","phx_join",{}]`, `["1","2","chat:public","new_msg",{"text":"x"}]`, `[null,null,"phoenix","heartbeat",{}]`,
		`["1","2","chat:public","new_msg"]`, `["1","2","chat:public","new_msg",{},{}]`, `[1,2,3,4,5]`, `[]`, `{}`, `null`, ``, `{`, "\xff\x00", strings.Repeat("[", 900),
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	s := servertest.Start(f)
	me, err := s.Client("ann").Accounts.Verify(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, lists bool) {
		if len(text) > 1<<10 {
			return
		}
		vsn, join, beat := "1.0.0", `{"topic":"chat:public","event":"phx_join","payload":{},"ref":"j"}`, `{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"the end"}`
		if lists {
			vsn, join, beat = "2.0.0", `["j","j","chat:public","phx_join",{}]`, `["x","the end","phoenix","heartbeat",{}]`
		}
		conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/socket/websocket?vsn="+vsn+"&token="+me.Svc.ChatToken, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(1 << 20)
		for _, frame := range [][]byte{[]byte(join), text, []byte(beat)} {
			if err := conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
				break // it was cut off by the frame before
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for {
			_, got, err := conn.Read(ctx)
			if status := websocket.CloseStatus(err); err != nil {
				if status != websocket.StatusPolicyViolation {
					t.Errorf("%q ends the connection with %v", text, err)
				}
				break
			}
			if !json.Valid(got) {
				t.Errorf("%q is answered with %q", text, got)
			}
			if strings.Contains(string(got), `"the end"`) {
				break
			}
		}
	})
}

// TestTheRoomAsksForTheTokenBehindTheChatToken: a chat token is worth as much as the
// access token that it was given to. Who may not write listens, and nobody is in the
// room once their token or their password is another.
func TestTheRoomAsksForTheTokenBehindTheChatToken(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		chatToken := func(token string) string {
			t.Helper()
			return must(s.With(token).Accounts.Verify(ctx))(t).Svc.ChatToken
		}
		in := func(token string) *roomSocket {
			t.Helper()
			r, status := enterRoom(t, there, token)
			if r == nil {
				t.Fatalf("refused: %d", status)
			}
			r.asked("phx_join", `{}`)
			return r
		}
		ended := func(what string, r *roomSocket, chat string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			for {
				_, _, err := r.conn.Read(ctx)
				if err == nil {
					continue // the last messages
				}
				if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
					t.Errorf("%s: %v", what, err)
				}
				break
			}
			if _, status := enterRoom(t, there, chat); status != http.StatusUnauthorized {
				t.Errorf("%s: the room answers %d", what, status)
			}
		}
		const refused = `{"response":{"reason":"Insufficient permissions: write:statuses."},"status":"error"}`
		for scopes, may := range map[string]bool{
			"read:accounts": false, "read": false, "read write:accounts": false, "read write:chats": false,
			"read:accounts write:statuses": true, "read write": true,
		} {
			r := in(chatToken(s.Token("ann", scopes)))
			if got := r.asked("new_msg", `{"text":"hi"}`); (got == refused) == may {
				t.Errorf("with %q: %s", scopes, got)
			}
		}

		revoked, chat := s.Token("ben", "read write"), ""
		chat = chatToken(revoked)
		kept := in(chatToken(s.Token("ben", "read write:statuses")))
		r := in(chat)
		must(0, s.Auth.Revoke(ctx, revoked))(t)
		ended("the token was revoked", r, chat)
		if got := kept.asked("new_msg", `{"text":"still here"}`); !strings.Contains(got, `"ok"`) {
			t.Errorf("by another token: %s", got)
		}

		chat = chatToken(s.Token("cat", servertest.AllScopes))
		r = in(chat)
		must(0, s.With(s.Token("cat", servertest.AllScopes)).Security.ChangePassword(ctx, api.PasswordChange{Password: servertest.Password, NewPassword: "another long password", Confirmation: "another long password"}))(t)
		ended("the password was changed", r, chat)

		renewed := s.Token("dan", servertest.AllScopes)
		chat = chatToken(renewed)
		r = in(chat)
		must(0, dbtest.Exec(t, s.DB, "UPDATE tokens SET expires_at = 1 WHERE account_id = ?", s.User("dan").ID))(t)
		r.send(`{"topic":"chat:public","event":"new_msg","payload":{"text":"late"},"ref":"1"}`)
		ended("the token has expired", r, chat)
	})
}
