package clientapi_test

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// whisper sends a message in the chat of two users.
func whisper(t *testing.T, s *servertest.Server, from, to, text string) *api.ChatMessage {
	t.Helper()
	c := s.Client(from)
	chat, err := c.Chats.Open(t.Context(), s.User(to).ID)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Chats.Send(t.Context(), chat.ID, api.NewChatMessage{Content: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// chatWith returns a user's chat with another, as in their list.
func chatWith(t *testing.T, s *servertest.Server, me, other string) *api.Chat {
	t.Helper()
	chats, err := s.Client(me).Chats.List(api.ChatQuery{}).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range chats.Items {
		if chats.Items[i].Account.Acct == other {
			return &chats.Items[i]
		}
	}
	return nil
}

func contents(rows []api.ChatMessage) string {
	var out []string
	for _, m := range rows {
		if m.Content != nil && *m.Content != "" {
			out = append(out, *m.Content)
		}
	}
	return strings.Join(out, " ")
}

func TestAMessageStandsInBothChats(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		chat, err := ann.Chats.Open(ctx, s.User("bob").ID)
		if err != nil {
			t.Fatal(err)
		}
		if chat.LastMessage != nil || chat.Unread != 0 || chat.Account.Acct != "bob" {
			t.Errorf("an empty chat: %+v", chat)
		}
		again, err := ann.Chats.Open(ctx, s.User("bob").ID)
		if err != nil || again.ID != chat.ID {
			t.Fatalf("%v %v", again, err)
		}
		sent, err := ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "hi @bob <b>\nhttps://x.example/ #Tag"}, client.IdempotencyKey("mine"))
		if err != nil {
			t.Fatal(err)
		}
		content := `hi <span class="h-card"><a class="u-url mention" data-user="` + s.User("bob").ID + `" href="` + s.Base() + `/users/bob" rel="ugc">@<span>bob</span></a></span> &lt;b&gt;<br>` +
			`<a href="https://x.example/" rel="ugc">https://x.example/</a> <a class="hashtag" data-tag="tag" href="` + s.Base() + `/tag/tag" rel="tag ugc">#Tag</a>`
		want := &api.ChatMessage{
			ID: sent.ID, ChatID: chat.ID, AccountID: s.User("ann").ID, Content: &content, CreatedAt: sent.CreatedAt, IdempotencyKey: "mine",
		}
		if diff := cmp.Diff(want, sent, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(api.ChatMessage{}, "Raw")); diff != "" {
			t.Error(diff)
		}
		theirs := chatWith(t, s, "bob", "ann")
		if theirs == nil || theirs.ID == chat.ID || theirs.Unread != 1 {
			t.Fatalf("bob's chat: %+v", theirs)
		}
		want.ChatID, want.Unread, want.IdempotencyKey = theirs.ID, true, ""
		if diff := cmp.Diff(want, theirs.LastMessage, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(api.ChatMessage{}, "Raw")); diff != "" {
			t.Error(diff)
		}
		if !theirs.UpdatedAt.Equal(sent.CreatedAt.Time) {
			t.Errorf("updated %v, sent %v", theirs.UpdatedAt, sent.CreatedAt)
		}
		messages, err := bob.Chats.Messages(theirs.ID, api.PageQuery{}).Page(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]api.ChatMessage{*want}, messages.Items, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(api.ChatMessage{}, "Raw")); diff != "" {
			t.Error(diff)
		}
		if mine := chatWith(t, s, "ann", "bob"); mine.ID != chat.ID || mine.Unread != 0 {
			t.Errorf("ann's chat: %+v", mine)
		}
		for _, path := range []string{"", "/messages", "/read"} {
			method := "GET"
			if path == "/read" {
				method = "POST"
			}
			if a := call(t, s, s.Token("bob", servertest.AllScopes), method, "/api/v1/svc/chats/"+chat.ID+path, asJSON, `{"last_read_id":"x"}`); a.text() != `404 {"error":"Record not found"}` {
				t.Errorf("ann's chat to bob %s: %s", path, a.text())
			}
		}
	})
}

func TestAMessageIsRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Token("ann", servertest.AllScopes)
		no := api.Bool(false)
		if _, err := s.Client("cat").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{AcceptsChatMessages: &no}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client("dan").Accounts.Block(ctx, s.User("ann").ID); err != nil {
			t.Fatal(err)
		}
		for to, tries := range map[string]map[string]string{
			"bob": {
				`{}`:                 `400 {"error":"no_content"}`,
				`{"content":" \n "}`: `400 {"error":"no_content"}`,
				`{"content":"` + strings.Repeat("é", 11) + `"}`: `400 {"error":"content_too_long"}`,
				`{"media_id":"x"}`:  `422 {"error":"Could not find the media to attach"}`,
				`{"media_id":"77"}`: `422 {"error":"Could not find the media to attach"}`,
			},
			"cat": {`{"content":"x"}`: `403 {"error":"The recipient does not accept your chat messages"}`},
			"dan": {`{"content":"x"}`: `403 {"error":"The recipient does not accept your chat messages"}`},
		} {
			chat, err := s.Client("ann").Chats.Open(ctx, s.User(to).ID)
			if err != nil {
				t.Fatal(err)
			}
			for body, want := range tries {
				if a := call(t, s, ann, "POST", "/api/v1/svc/chats/"+chat.ID+"/messages", asJSON, body); a.text() != want {
					t.Errorf("to %s %s: %s", to, body, a.text())
				}
			}
			if got, err := s.Client("ann").Chats.Get(ctx, chat.ID); err != nil || got.LastMessage != nil {
				t.Errorf("%s got %+v %v", to, got, err)
			}
			if to != "bob" && chatWith(t, s, to, "ann") != nil {
				t.Errorf("%s has a chat with ann", to)
			}
		}
		if a := call(t, s, ann, "POST", "/api/v1/svc/chats/by-account-id/nobody", "", ""); a.status != 404 {
			t.Errorf("a chat with nobody: %s", a.text())
		}
		whisper(t, s, "ann", "bob", strings.Repeat("é", 10))
	}, func(c *config.Settings) { c.Instance.ChatLimit = 10 })
}

func TestMessagesArePagedAndReadAndDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		var sent []*api.ChatMessage
		for i := range 5 {
			sent = append(sent, whisper(t, s, "ann", "bob", "m"+strconv.Itoa(i)))
		}
		theirs := chatWith(t, s, "bob", "ann")
		for name, tt := range map[string]struct {
			q    api.PageQuery
			want string
		}{
			"all":      {api.PageQuery{}, "m4 m3 m2 m1 m0"},
			"limit":    {api.PageQuery{Limit: 2}, "m4 m3"},
			"max_id":   {api.PageQuery{MaxID: sent[2].ID}, "m1 m0"},
			"since_id": {api.PageQuery{SinceID: sent[1].ID, Limit: 2}, "m4 m3"},
			"min_id":   {api.PageQuery{MinID: sent[1].ID, Limit: 2}, "m3 m2"},
		} {
			got, err := bob.Chats.Messages(theirs.ID, tt.q).Page(ctx)
			if err != nil || contents(got.Items) != tt.want {
				t.Errorf("%s: %s %v", name, contents(got.Items), err)
			}
		}
		var walked []api.ChatMessage
		for m, err := range bob.Chats.Messages(theirs.ID, api.PageQuery{Limit: 2}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, m)
		}
		if contents(walked) != "m4 m3 m2 m1 m0" {
			t.Errorf("walked %s", contents(walked))
		}
		unread := func(want int, ids ...int) {
			t.Helper()
			chat, err := bob.Chats.Get(ctx, theirs.ID)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := bob.Chats.Messages(theirs.ID, api.PageQuery{}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, m := range rows.Items {
				if m.Unread {
					n++
				}
			}
			if chat.Unread != want || n != want {
				t.Errorf("%d unread, %d of them shown, want %d", chat.Unread, n, want)
			}
		}
		unread(5)
		if m, err := bob.Chats.ReadMessage(ctx, theirs.ID, sent[3].ID); err != nil || m.Unread || *m.Content != "m3" {
			t.Errorf("%+v %v", m, err)
		}
		unread(4)
		if chat, err := bob.Chats.Read(ctx, theirs.ID, sent[1].ID); err != nil || chat.Unread != 2 {
			t.Errorf("%+v %v", chat, err)
		}
		unread(2)

		// bob hides one of ann's, and ann deletes one for both.
		if m, err := bob.Chats.Delete(ctx, theirs.ID, sent[4].ID); err != nil || *m.Content != "m4" || !m.Unread {
			t.Errorf("%+v %v", m, err)
		}
		unread(1)
		mine := chatWith(t, s, "ann", "bob")
		if mine.LastMessage == nil || *mine.LastMessage.Content != "m4" {
			t.Errorf("ann's last: %+v", mine.LastMessage)
		}
		if last := chatWith(t, s, "bob", "ann").LastMessage; *last.Content != "m3" {
			t.Errorf("bob's last: %+v", last)
		}
		if _, err := ann.Chats.Delete(ctx, mine.ID, sent[2].ID); err != nil {
			t.Fatal(err)
		}
		unread(0)
		for _, who := range []string{"ann", "bob"} {
			other := map[string]string{"ann": "bob", "bob": "ann"}[who]
			rows, err := s.Client(who).Chats.Messages(chatWith(t, s, who, other).ID, api.PageQuery{}).Page(ctx)
			want := map[string]string{"ann": "m4 m3 m1 m0", "bob": "m3 m1 m0"}[who]
			if err != nil || contents(rows.Items) != want {
				t.Errorf("%s sees %s, want %s %v", who, contents(rows.Items), want, err)
			}
		}
		token := s.Token("bob", servertest.AllScopes)
		for _, id := range []string{sent[2].ID, "nosuchid", mine.LastMessage.ID} {
			if a := call(t, s, token, "DELETE", "/api/v1/svc/chats/"+theirs.ID+"/messages/"+id, "", ""); a.text() != `400 {"error":"could_not_delete"}` {
				t.Errorf("%s: %s", id, a.text())
			}
		}
		if a := call(t, s, token, "POST", "/api/v1/svc/chats/"+theirs.ID+"/messages/nosuchid/read", "", ""); a.status != 404 {
			t.Errorf("%s", a.text())
		}
	})
}

func TestChatsAreListedByTheirNewestMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		for _, from := range []string{"bob", "cat", "dan"} {
			whisper(t, s, from, "ann", "hi")
		}
		whisper(t, s, "ann", "bob", "you too")
		ann := s.Client("ann")
		names := func(q api.ChatQuery) string {
			t.Helper()
			rows, err := ann.Chats.List(q).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, c := range rows.Items {
				out = append(out, fmt.Sprintf("%s:%d:%s", c.Account.Acct, c.Unread, *c.LastMessage.Content))
			}
			return strings.Join(out, " ")
		}
		if got := names(api.ChatQuery{}); got != "bob:1:you too dan:1:hi cat:1:hi" {
			t.Error(got)
		}
		if got := names(api.ChatQuery{Limit: 1, MaxID: chatWith(t, s, "ann", "bob").ID}); got != "dan:1:hi" {
			t.Error(got)
		}
		var walked []string
		for c, err := range ann.Chats.List(api.ChatQuery{Limit: 1}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, c.Account.Acct)
		}
		if strings.Join(walked, " ") != "bob dan cat" {
			t.Error(walked)
		}
		if _, err := ann.Accounts.Mute(ctx, s.User("dan").ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Accounts.Block(ctx, s.User("cat").ID); err != nil {
			t.Fatal(err)
		}
		if got := names(api.ChatQuery{}); got != "bob:1:you too" {
			t.Error(got)
		}
		if got := names(api.ChatQuery{WithMuted: true}); got != "bob:1:you too dan:1:hi" {
			t.Error(got)
		}
	})
}

func TestAMessageIsSentOncePerKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		chat, err := ann.Chats.Open(ctx, s.User("bob").ID)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		ids := make([]string, 4)
		for i := range ids {
			all.Go(func() {
				m, err := ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "once"}, client.IdempotencyKey("k"))
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = m.ID
			})
		}
		all.Wait()
		rows, err := ann.Chats.Messages(chat.ID, api.PageQuery{}).Page(ctx)
		if err != nil || len(rows.Items) != 1 {
			t.Fatalf("%d messages, %v", len(rows.Items), err)
		}
		for _, id := range ids {
			if id != rows.Items[0].ID {
				t.Errorf("told %s, is %s", id, rows.Items[0].ID)
			}
		}
		// The key is shown for two minutes.
		if err := dbtest.Exec(t, s.DB, "UPDATE chat_messages SET created_at = ?", s.DB.Now().Add(-2*time.Minute).UnixMicro()); err != nil {
			t.Fatal(err)
		}
		if rows, err = ann.Chats.Messages(chat.ID, api.PageQuery{}).Page(ctx); err != nil || rows.Items[0].IdempotencyKey != "" {
			t.Errorf("%+v %v", rows.Items, err)
		}
	})
}

// TestTwoWhoWriteAtOnceDoNotWaitForever: both sides of a chat write at the same
// time, many times.
func TestTwoWhoWriteAtOnceDoNotWaitForever(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ids := map[string]string{}
		for me, other := range map[string]string{"ann": "bob", "bob": "ann"} {
			chat, err := s.Client(me).Chats.Open(t.Context(), s.User(other).ID)
			if err != nil {
				t.Fatal(err)
			}
			ids[me] = chat.ID
		}
		var all sync.WaitGroup
		for me, id := range ids {
			c := s.Client(me)
			for range 2 {
				all.Go(func() {
					for range 10 {
						if _, err := c.Chats.Send(t.Context(), id, api.NewChatMessage{Content: "x"}); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		all.Wait()
		for me, other := range map[string]string{"ann": "bob", "bob": "ann"} {
			if c := chatWith(t, s, me, other); c.Unread != 20 {
				t.Errorf("%s has %d unread", me, c.Unread)
			}
		}
	})
}

func TestAChatTakesAFile(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.User("ann"), s.User("bob")
		files := []db.MediaAttachment{{AccountID: ann.ID, Type: "image", URL: "/media/x.png", MimeType: "image/png", Description: "a cat"}, {AccountID: bob.ID, Type: "image", URL: "/media/y.png"}}
		if err := s.DB.CreateAttachments(ctx, files); err != nil {
			t.Fatal(err)
		}
		chat, err := s.Client("ann").Chats.Open(ctx, bob.ID)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := s.Client("ann").Chats.Send(ctx, chat.ID, api.NewChatMessage{MediaID: strconv.FormatInt(files[0].ID, 10)})
		if err != nil {
			t.Fatal(err)
		}
		if sent.Content == nil || *sent.Content != "" || sent.Attachment == nil || sent.Attachment.URL != s.Base()+"/media/x.png" || *sent.Attachment.Description != "a cat" {
			t.Errorf("%+v", sent)
		}
		for _, id := range []int64{files[0].ID, files[1].ID} {
			a := call(t, s, s.Token("ann", servertest.AllScopes), "POST", "/api/v1/svc/chats/"+chat.ID+"/messages", asForm, "content=x&media_id="+strconv.FormatInt(id, 10))
			if a.text() != `422 {"error":"Could not find the media to attach"}` {
				t.Errorf("used or foreign: %s", a.text())
			}
		}
		last := chatWith(t, s, "bob", "ann").LastMessage
		if diff := cmp.Diff(sent.Attachment, last.Attachment); diff != "" {
			t.Error(diff)
		}
		gone, err := s.Client("ann").Chats.Delete(ctx, chat.ID, sent.ID)
		if err != nil || gone.Attachment == nil {
			t.Errorf("%+v %v", gone, err)
		}
		if left, err := s.DB.Attachments(ctx, []string{sent.ID}); err != nil || len(left) != 0 {
			t.Errorf("%v %v", left, err)
		}
		if c := chatWith(t, s, "bob", "ann"); c.LastMessage != nil || c.Unread != 0 {
			t.Errorf("%+v", c)
		}
	})
}

func TestChatsAreToldOfOnRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, bob := t.Context(), s.Client("bob")
		first := whisper(t, s, "ann", "bob", "one")
		second := whisper(t, s, "ann", "bob", "two")
		usual, err := bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(usual.Items) != 0 {
			t.Errorf("%v %v", usual.Items, err)
		}
		ask := api.NotificationQuery{IncludeTypes: []string{"svc:chat_mention"}}
		told, err := bob.Notifications.List(ask).Page(ctx)
		if err != nil || len(told.Items) != 2 {
			t.Fatalf("%v %v", told.Items, err)
		}
		want := *chatWith(t, s, "bob", "ann").LastMessage
		if n := told.Items[0]; n.Type != "svc:chat_mention" || n.Account.Acct != "ann" || n.Status != nil || !cmp.Equal(&want, n.ChatMessage, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(api.ChatMessage{}, "Raw")) || n.ChatMessage.ID != second.ID {
			t.Errorf("%s %s", n.Raw, cmp.Diff(&want, n.ChatMessage, cmpopts.IgnoreFields(api.ChatMessage{}, "Raw")))
		}
		if _, err := bob.Chats.Delete(ctx, want.ChatID, first.ID); err != nil {
			t.Fatal(err)
		}
		if told, err = bob.Notifications.List(ask).Page(ctx); err != nil || len(told.Items) != 1 {
			t.Errorf("%d left, %v", len(told.Items), err)
		}
		if _, err := bob.Accounts.Mute(ctx, s.User("ann").ID, api.Mute{}); err != nil {
			t.Fatal(err)
		}
		whisper(t, s, "ann", "bob", "three")
		if told, err = bob.Notifications.List(ask).Page(ctx); err != nil || len(told.Items) != 0 {
			t.Errorf("%d of a muted one, %v", len(told.Items), err)
		}
		ask.WithMuted = true
		if told, err = bob.Notifications.List(ask).Page(ctx); err != nil || len(told.Items) != 2 {
			t.Errorf("%d with muted, %v", len(told.Items), err)
		}
	})
}

// TestChatsTakeAFixedNumberOfStatements: a list of many chats takes as many as
// one of few.
func TestChatsTakeAFixedNumberOfStatements(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	// The least of a few requests: an event that comes meanwhile makes the next
	// one read its caller again.
	count := func(path string) int64 {
		t.Helper()
		least := int64(math.MaxInt64)
		for range 4 {
			ctx, n := db.CountStatements(t.Context())
			if w := s.Get(ctx, path, token); w.Code != http.StatusOK {
				t.Fatal(w.Body)
			}
			least = min(least, n.Load())
		}
		return least
	}
	whisper(t, s, "bob", "ann", "x")
	messages := "/api/v1/svc/chats/" + chatWith(t, s, "ann", "bob").ID + "/messages"
	few, one := count("/api/v1/svc/chats"), count(messages)
	for i := range 8 {
		whisper(t, s, "user"+strconv.Itoa(i), "ann", "x")
		whisper(t, s, "bob", "ann", "y")
	}
	if many, more := count("/api/v1/svc/chats"), count(messages); many != few || more != one || few > 4 || one > 3 {
		t.Errorf("%d statements for 1 chat, %d for 9; %d for 1 message, %d for 9", few, many, one, more)
	}
}
