package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// socket is an open stream of one viewer.
type socket struct {
	t    *testing.T
	name string
	conn *websocket.Conn
	seen []frame
}

// frame is a message to a client.
type frame struct {
	Stream  []string `json:"stream"`
	Event   string   `json:"event"`
	Payload string   `json:"payload"`
	Error   string   `json:"error"`
	Status  int      `json:"status"`
}

// id is the id of a frame's subject.
func (f frame) id() string {
	if f.Event == "delete" {
		return f.Payload
	}
	var subject struct{ ID string }
	_ = json.Unmarshal([]byte(f.Payload), &subject)
	return subject.ID
}

// dial opens a socket at a server; an empty token is a stranger's.
func dial(t *testing.T, s *servertest.Server, token, query string) *socket {
	t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	if token != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+token)
	}
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/streaming?"+query, o)
	if err != nil {
		t.Fatalf("%s: %v, %v", query, err, resp)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t: t, name: query, conn: conn}
}

// patience bounds the wait for a message, with time for a busy machine.
const patience = time.Minute

// next is the next message.
func (s *socket) next() frame {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	_, text, err := s.conn.Read(ctx)
	if err != nil {
		s.t.Fatalf("%s: no message: %v, after %+v", s.name, err, s.seen)
	}
	var f frame
	if err := json.Unmarshal(text, &f); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	s.seen = append(s.seen, f)
	return f
}

// until reads up to the event about id.
func (s *socket) until(event, id string) frame {
	s.t.Helper()
	for {
		if f := s.next(); f.Event == event && (id == "" || f.id() == id) {
			return f
		}
	}
}

// ids returns the subjects of the events of a kind, each once, sorted.
func (s *socket) ids(event string) []string {
	out := []string{}
	for _, f := range s.seen {
		if f.Event == event {
			out = append(out, f.id())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestStreamsShowWhatTimelinesHaveOnTop opens every stream of every viewer in
// the world of the visibility matrix. Then Ann posts with each visibility. Each
// stream must have exactly the new statuses of its timeline. When she deletes
// them, each viewer is told of those they saw.
func TestStreamsShowWhatTimelinesHaveOnTop(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newVisibilityWorld(t, s)
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t) // written in one process, read in another
		}
		zed := s.Client("zed") // the author of the last status for everybody
		for _, v := range viewers[1:] {
			follow(t, s.Client(v), s.User("zed").ID)
			if err := s.Client(v).Lists.Add(ctx, w.lists[v], s.User("zed").ID); err != nil {
				t.Fatal(err)
			}
		}
		type open struct {
			*socket
			viewer, timeline string
		}
		streams := []struct{ query, timeline string }{
			{"stream=public", "/api/v1/timelines/public"},
			{"stream=public:local", "/api/v1/timelines/public?local=true"},
			{"stream=public:media", "/api/v1/timelines/public?only_media=true"},
			{"stream=hashtag&tag=%EF%BC%83%EF%BC%AEeedle", "/api/v1/timelines/tag/needle"},
			{"stream=user", "/api/v1/timelines/home"},
			{"stream=list&list=LIST", "/api/v1/timelines/list/LIST"},
			{"stream=direct", "/api/v1/timelines/direct"},
		}
		var all []open
		for _, viewer := range viewers {
			token := ""
			if viewer != "" {
				token = s.Token(viewer, servertest.AllScopes)
			}
			for i, stream := range streams {
				if viewer == "" && i > 3 {
					continue
				}
				all = append(all, open{dial(t, there, token, strings.ReplaceAll(stream.query, "LIST", w.lists[viewer])), viewer, stream.timeline})
			}
		}
		// So many read their homes that only the author's audience is looked at.
		for i := range 40 {
			name := fmt.Sprintf("passer%d", i)
			s.User(name)
			dial(t, there, s.Token(name, servertest.AllScopes), "stream=user")
		}
		start := say(t, zed, "from here on").ID
		w.posts = w.post(t)
		said := w.illustrated(t, "zed", "#needle that is all", db.Public)
		direct := w.toEach(t, zed)
		for _, o := range all {
			last := said.ID
			if strings.HasSuffix(o.timeline, "direct") {
				last = direct[o.viewer]
			}
			o.until("update", last)
			separator := "?"
			if strings.Contains(o.timeline, "?") {
				separator = "&"
			}
			code, body := w.ask(o.viewer, "GET", o.timeline+separator+"limit=40&since_id="+start+"&max_id="+last, "")
			var timeline []api.Status
			if err := json.Unmarshal([]byte(body), &timeline); err != nil {
				t.Fatal(code, body)
			}
			want := []string{}
			for _, status := range timeline {
				want = append(want, status.ID)
			}
			slices.Sort(want)
			got := slices.DeleteFunc(o.ids("update"), func(id string) bool { return id <= start || id >= last })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, as seen by %q: %s", o.timeline, o.viewer, diff)
			}
		}
		// Deletions reach the streams that had the statuses.
		for _, post := range w.posts {
			must(s.Client("ann").Statuses.Delete(ctx, post.ID))(t)
		}
		end := w.illustrated(t, "zed", "#needle no more", db.Public)
		endDirect := w.toEach(t, zed)
		for _, o := range all {
			last := end.ID
			if strings.HasSuffix(o.timeline, "direct") {
				last = endDirect[o.viewer]
			}
			o.until("update", last)
			shown, gone := o.ids("update"), o.ids("delete")
			for _, visibility := range everyVisibility {
				id := w.posts[visibility].ID
				saw, hears := slices.Contains(shown, id), slices.Contains(gone, id)
				if saw && !hears || hears && !saw && visibility != db.Public && visibility != db.Unlisted && visibility != db.Local {
					t.Errorf("%s, as seen by %q: a %s status was shown: %v; its deletion: %v", o.timeline, o.viewer, visibility, saw, hears)
				}
			}
		}
	}, pinsForAll)
}

// post posts as Ann with every visibility, and reblogs as Ned where he may.
func (w *visibilityWorld) post(t *testing.T) map[string]*db.Status {
	t.Helper()
	out := map[string]*db.Status{}
	for _, visibility := range everyVisibility {
		as := visibility
		if visibility == db.List {
			as = "list:" + w.members
		}
		out[visibility] = w.illustrated(t, "ann", "@ned needle #needle again", as)
		if slices.Contains([]string{db.Public, db.Unlisted, db.Local}, visibility) {
			must(w.s.Client("ned").Statuses.Reblog(t.Context(), out[visibility].ID, api.NewReblog{}))(t)
		}
	}
	return out
}

// toEach sends a direct status to each viewer alone, and returns their ids.
func (w *visibilityWorld) toEach(t *testing.T, by *client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, v := range viewers[1:] {
		out[v] = say(t, by, "@"+v, func(f *api.NewStatus) { f.Visibility = db.Direct }).ID
	}
	return out
}

// illustrated posts a status with a picture.
func (w *visibilityWorld) illustrated(t *testing.T, author, text, visibility string) *db.Status {
	t.Helper()
	by := must(w.s.DB.Account(t.Context(), w.s.User(author).ID))(t)
	files := []db.MediaAttachment{{AccountID: by.ID, Type: "image", URL: "/media/again.png"}}
	must(0, w.s.DB.CreateAttachments(t.Context(), files))(t)
	return must(w.s.Social.PostStatus(t.Context(), by, social.NewStatus{Text: text, Visibility: visibility, MediaIDs: []int64{files[0].ID}}))(t)
}

// TestUsersHearOfAllThatConcernsThem reads the user's stream and its parts.
func TestUsersHearOfAllThatConcernsThem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.Client("ann"), s.Client("ben")
		token := s.Token("ann", servertest.AllScopes)
		user, told, chats := dial(t, s, token, "stream=user"), dial(t, s, token, "stream=user:notification"), dial(t, s, token, "stream=user:svc_chat")
		direct := dial(t, s, token, "stream=direct")

		must(ben.Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}))(t)
		for _, o := range []*socket{user, told} {
			var n api.Notification
			if err := json.Unmarshal([]byte(o.until("notification", "").Payload), &n); err != nil || n.Type != "follow" || n.Account.Username != "ben" {
				t.Errorf("%+v, %v", n, err)
			}
		}
		must(ann.Accounts.Follow(ctx, s.User("ben").ID, api.Follow{}))(t)
		var follow api.FollowRelationshipsUpdate
		if err := json.Unmarshal([]byte(user.until("svc:follow_relationships_update", "").Payload), &follow); err != nil ||
			follow.State != "follow_accept" || follow.Follower.ID != s.User("ann").ID || follow.Follower.FollowingCount != 1 || follow.Following.FollowerCount != 1 {
			t.Errorf("%+v, %v", follow, err)
		}
		must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("spoiler"), Context: []string{"home"}, Irreversible: given(api.Bool(true))}))(t)
		if f := user.until("filters_changed", ""); f.Payload != "" {
			t.Errorf("%+v", f)
		}
		say(t, ben, "a spoiler")
		user.until("update", say(t, ben, "harmless").ID)
		if got := user.ids("update"); len(got) != 1 {
			t.Errorf("a filter let %d pass", len(got))
		}
		secret := say(t, ben, "@ann psst", func(f *api.NewStatus) { f.Visibility = db.Direct })
		var thread api.Conversation
		if err := json.Unmarshal([]byte(direct.until("conversation", "").Payload), &thread); err != nil || thread.LastStatus == nil || thread.LastStatus.ID != secret.ID || !thread.Unread {
			t.Errorf("%+v, %v", thread, err)
		}
		chat := must(ben.Chats.Open(ctx, s.User("ann").ID))(t)
		must(ben.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "hello"}))(t)
		for _, o := range []*socket{user, chats} {
			var got api.Chat
			if err := json.Unmarshal([]byte(o.until("svc:chat_update", "").Payload), &got); err != nil || got.Unread != 1 || got.LastMessage == nil || *got.LastMessage.Content != "hello" {
				t.Errorf("%+v, %v", got, err)
			}
		}
	})
}

// TestStreamsAreRefusedToTheWrong tries invalid names, parameters and tokens.
func TestStreamsAreRefusedToTheWrong(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	theirs := must(s.Client("ben").Lists.Create(ctx, api.NewList{Title: "x"}))(t).ID
	all, read := s.Token("ann", servertest.AllScopes), s.Token("ann", "read:lists")
	for _, tt := range []struct {
		path, token string
		socket, sse int
	}{
		{"?stream=user", "", 401, 401},
		{"?stream=user", "wrong", 401, 401},
		{"?stream=public", "wrong", 401, 401},
		{"?stream=user", read, 401, 401},
		{"?stream=user", s.AppToken(), 401, 401},
		{"?stream=user:other", all, 404, 400},
		{"?stream=nothing", all, 404, 400},
		{"?stream=public:other", "", 404, 400},
		{"?stream=hashtag", "", 404, 400},
		{"?stream=list", all, 404, 400},
		{"?stream=list&list=x", all, 404, 400},
		{"?stream=list&list=" + theirs, all, 404, 400},
		{"/hashtag", "", 404, 400},
		{"", "", 101, 400},
	} {
		conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/streaming"+tt.path,
			&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + tt.token}}})
		if resp == nil || resp.StatusCode != tt.socket {
			t.Errorf("a socket at %s: %v, %v; want %d", tt.path, resp, err, tt.socket)
		}
		if conn != nil {
			_ = conn.CloseNow()
		}
		req := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/streaming"+tt.path, nil)
		if tt.token != "" {
			req.Header.Set("Authorization", "Bearer "+tt.token)
		}
		got := httptest.NewRecorder()
		if s.Handler().ServeHTTP(got, req); got.Code != tt.sse || !json.Valid(got.Body.Bytes()) {
			t.Errorf("events at %s: %d %s, want %d", tt.path, got.Code, got.Body, tt.sse)
		}
	}
	if got := s.Get(ctx, "/api/v1/streaming/health", ""); got.Code != 200 || got.Body.String() != "OK" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestOpenStreamsAreLimited opens streams of one user and of one address, before
// and after the limits are changed.
func TestOpenStreamsAreLimited(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	open := func(addr, token string) (*websocket.Conn, int) {
		t.Helper()
		header := http.Header{}
		if addr != "" {
			header.Set("X-Forwarded-For", addr)
		}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/streaming?stream=public", &websocket.DialOptions{HTTPHeader: header})
		if resp == nil {
			t.Fatal(err)
		}
		if conn != nil {
			t.Cleanup(func() { _ = conn.CloseNow() })
		}
		return conn, resp.StatusCode
	}
	expect := func(addr, token string, want int) *websocket.Conn {
		t.Helper()
		conn, status := open(addr, token)
		if status != want {
			t.Errorf("from %q with token %q: %d, want %d", addr, token, status, want)
		}
		return conn
	}
	limit := func(user, address int) {
		t.Helper()
		for name, n := range map[string]int{":connections_per_user": user, ":connections_per_address": address} {
			if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", ":streaming", client.Keyword(name, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	limit(2, 1)
	expect("192.0.2.1", token, 101)
	last := expect("192.0.2.2", token, 101)
	expect("192.0.2.3", token, 429)
	expect("192.0.2.1", "", 101)
	expect("192.0.2.1", "", 429)
	expect("192.0.2.1", s.AppToken(), 429)
	expect("2001:db8::1", "", 101)
	expect("2001:db8::2", "", 429) // an address of the same customer
	expect("", "", 101)            // without an address from the proxy
	expect("", "", 101)
	_ = last.Close(websocket.StatusNormalClosure, "")
	for status, end := 0, time.Now().Add(patience); status != 101; _, status = open("192.0.2.3", token) {
		if time.Now().After(end) {
			t.Fatal("a closed stream counts")
		}
	}
	limit(0, 3)
	expect("192.0.2.3", token, 101)
	expect("192.0.2.1", "", 101)
}

// TestASocketTakesCommands subscribes to streams on one socket and
// unsubscribes.
func TestASocketTakesCommands(t *testing.T) {
	s := servertest.Start(t)
	o := dial(t, s, "", "access_token="+url.QueryEscape(s.Token("ann", servertest.AllScopes)))
	write := func(text string) {
		t.Helper()
		if err := o.conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text   string
		status int
	}{
		{"{", 400}, {"[]", 400}, {`{"type":"dance"}`, 400}, {`{"type":"subscribe","stream":"nothing"}`, 404}, {`{"type":"subscribe","stream":"list","list":7}`, 404},
	} {
		write(tt.text)
		if f := o.next(); f.Status != tt.status || f.Error == "" {
			t.Errorf("%s: %+v, want %d", tt.text, f, tt.status)
		}
	}
	write(`{"type":"subscribe","stream":"hashtag","tag":"Tea"}`)
	write(`{"type":"subscribe","stream":"user"}`)
	write(`{"type":"subscribe","stream":"nothing"}`)
	o.next() // the others are done
	own := say(t, s.Client("ann"), "#tea")
	got := []string{strings.Join(o.until("update", own.ID).Stream, " "), strings.Join(o.until("update", own.ID).Stream, " ")}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"hashtag tea", "user"}, got); diff != "" {
		t.Error(diff)
	}
	write(`{"type":"unsubscribe","stream":"user"}`)
	write(`{"type":"unsubscribe","stream":"nothing"}`)
	o.next()
	say(t, s.Client("ann"), "no tea")
	o.until("update", say(t, s.Client("ann"), "more #tea").ID)
	if n := len(o.ids("update")); n != 2 {
		t.Errorf("%d statuses, want 2", n)
	}
	for _, bad := range []struct {
		kind websocket.MessageType
		text []byte
		want websocket.StatusCode
	}{
		{websocket.MessageBinary, []byte("x"), websocket.StatusUnsupportedData},
		{websocket.MessageText, []byte(strings.Repeat("x", 1<<20)), websocket.StatusMessageTooBig},
	} {
		o := dial(t, s, "", "stream=public")
		_ = o.conn.Write(t.Context(), bad.kind, bad.text)
		if _, _, err := o.conn.Read(t.Context()); websocket.CloseStatus(err) != bad.want {
			t.Errorf("closed with %v, want %v", err, bad.want)
		}
	}
}

// TestWhoMayNoLongerReadIsCutOff revokes a token, changes a password, and
// deactivates an account while their sockets are open, in another process too.
func TestWhoMayNoLongerReadIsCutOff(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		admin := s.Admin("root")
		for name, end := range map[string]func(token string) error{
			"ann": func(token string) error {
				tokens := must(s.With(token).Security.Tokens(ctx))(t)
				return s.With(token).Security.DeleteToken(ctx, tokens[0].ID)
			},
			"cat": func(token string) error {
				return s.With(token).Security.ChangePassword(ctx, api.PasswordChange{Password: servertest.Password, NewPassword: "another one", Confirmation: "another one"})
			},
			"ben": func(string) error {
				_, err := admin.Admin.Users.Deactivate(ctx, "ben")
				return err
			},
		} {
			token := s.Token(name, servertest.AllScopes)
			o := dial(t, there, token, "stream=user")
			if err := end(token); err != nil {
				t.Fatal(name, err)
			}
			for {
				if _, _, err := o.conn.Read(ctx); err != nil {
					if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
						t.Errorf("%s: %v", name, err)
					}
					break
				}
			}
		}
	})
}
