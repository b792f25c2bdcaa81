package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// hear opens a stream of Server-Sent Events at a path.
func (w village) hear(t *testing.T, path, after string) *events {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/api/v1/streaming"+path, nil))(t)
	req.Header.Set("Authorization", "Bearer "+w.ann)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp := must(http.DefaultClient.Do(req))(t)
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, resp.Status)
	}
	return &events{t, resp.Body, bufio.NewScanner(resp.Body), after}
}

// TestEventsUnderAnotherName: Server-Sent Events are asked for by path and by parameter, under
// both names. A path of svc is answered in its words, any other place in those of the
// family, also when a client catches up.
func TestEventsUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		head := must(s.DB.EventHead(t.Context()))(t).String()
		if _, err := s.Client("bob").Chats.Send(t.Context(), w.chat, api.NewChatMessage{Content: "svc:report"}); err != nil {
			t.Fatal(err)
		}
		for path, name := range map[string]string{
			"/user/pleroma_chat": family, "?stream=user:pleroma_chat": family, "?stream=user:svc_chat": family, "/user/svc_chat": "svc",
		} {
			f, ok := w.hear(t, path, head).next()
			var chat map[string]any
			if err := json.Unmarshal([]byte(f.Payload), &chat); err != nil || !ok {
				t.Fatalf("%s: %q, %v", path, f.Payload, err)
			}
			account, _ := chat["account"].(map[string]any)
			if f.Event != name+":chat_update" || account[name] == nil || !strings.Contains(f.Payload, `"svc:report"`) {
				t.Errorf("%s: %s %s", path, f.Event, f.Payload)
			}
		}
	})
}

// TestModerationUnderAnotherName: the events that moderators hear are the objects of the
// admin API, in the words of the family.
func TestModerationUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		ctx := t.Context()
		theirs, both := dial(t, s, w.root, "stream=pleroma:moderation"), dial(t, s, w.root, "stream=svc:moderation")
		many := dial(t, s, w.root, "stream=user")
		if err := many.conn.Write(ctx, 1, []byte(`{"type":"subscribe","stream":"pleroma:moderation"}`)); err != nil {
			t.Fatal(err)
		}
		filed := must(s.Client("bob").Reports.Create(ctx, api.NewReport{AccountID: w.annID, Comment: "svc:report"}))(t).ID
		read := speak(t, s, false, w.root, "GET", "/api/pleroma/admin/reports/"+filed, "", "").decode(t)
		for _, socket := range []*socket{theirs, both, many} {
			f := socket.until("pleroma:report", filed)
			var e struct{ Object any }
			if err := json.Unmarshal([]byte(f.Payload), &e); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(read, e.Object); diff != "" || len(f.Stream) > 0 && f.Stream[0] != "pleroma:moderation" {
				t.Errorf("%s: %v %s", socket.name, f.Stream, diff)
			}
		}
		if err := many.conn.Write(ctx, 1, []byte(`{"type":"unsubscribe","stream":"svc:moderation"}`)); err != nil {
			t.Fatal(err)
		}
		register(t, s, "cat")
		if f := theirs.until("pleroma:registration", ""); !strings.Contains(f.Payload, `"nickname":"cat"`) || strings.Contains(f.Payload, `"svc":`) {
			t.Errorf("the registration is %s", f.Payload)
		}
		must(0, s.Admin("root").Admin.Reports.Update(ctx, api.ReportUpdate{ID: filed, State: api.ReportResolved}))(t)
		if f := theirs.until("pleroma:log", ""); strings.Contains(f.Payload, `"svc":`) {
			t.Errorf("the entry is %s", f.Payload)
		}
		must(0, s.DB.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, nonsense{}) }))(t)
		theirs.until("pleroma:job", "")
		// The last event of the socket that unsubscribed is about its own stream.
		posted := say(t, s.Client("root"), "the end")
		many.until("update", posted.ID)
		for _, f := range many.seen {
			if f.Event == "pleroma:job" || f.Event == "pleroma:log" {
				t.Errorf("heard after it unsubscribed: %s", f.Event)
			}
		}
	}, needsApproval)
}

// TestTheRoomUnderAnotherName: the token of the chat room is under the family's key, and
// authors are accounts of the family.
func TestTheRoomUnderAnotherName(t *testing.T) {
	servertest.Named(t, family, func(t *testing.T, s *servertest.Server) {
		w := newVillage(t, s)
		me, _ := speak(t, s, false, w.ann, "GET", "/api/v1/accounts/verify_credentials", "", "").decode(t).(map[string]any)
		extra, _ := me[family].(map[string]any)
		token, _ := extra["chat_token"].(string)
		r, status := enterRoom(t, s, token)
		if r == nil {
			t.Fatalf("refused: %d", status)
		}
		r.asked("phx_join", "{}")
		r.send(`{"topic":"chat:public","event":"new_msg","payload":{"text":"svc"},"ref":"8"}`)
		f := r.until("new_msg")
		var said struct {
			Text   string
			Author map[string]any
		}
		if err := json.Unmarshal(f.Payload, &said); err != nil || said.Text != "svc" || said.Author[family] == nil || said.Author["svc"] != nil {
			t.Errorf("said is %s, %v", f.Payload, err)
		}
		late, _ := enterRoom(t, s, token)
		late.asked("phx_join", "{}")
		if f := late.until("messages"); !strings.Contains(string(f.Payload), `"pleroma":{`) || strings.Contains(string(f.Payload), `"svc":`) {
			t.Errorf("said before is %s", f.Payload)
		}
	})
}
