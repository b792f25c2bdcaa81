package server_test

import (
	"encoding/json"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestChatsAgreeOnAllSockets has Ann look at a chat on two sockets, at another
// process too, while messages come, are read and are removed: both tell the count
// and the message that the list of chats has.
func TestChatsAgreeOnAllSockets(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		ann, ben, cat := s.Client("ann"), s.Client("ben"), s.Client("cat")
		anns := map[string]*socket{
			"user":          dial(t, s, s.Token("ann", servertest.AllScopes), "stream=user"),
			"user:svc_chat": dial(t, there, s.Token("ann", servertest.AllScopes), "stream=user:svc_chat"),
		}
		bens := map[string]*socket{"user": dial(t, there, s.Token("ben", servertest.AllScopes), "stream=user")}
		theirs := must(ben.Chats.Open(ctx, s.User("ann").ID))(t)
		told := func(what string, sockets map[string]*socket, chat string, unread int, last string) {
			t.Helper()
			for name, o := range sockets {
				var got api.Chat
				if err := json.Unmarshal([]byte(o.until("svc:chat_update", chat).Payload), &got); err != nil {
					t.Fatal(err)
				}
				shown := ""
				if got.LastMessage != nil {
					shown = *got.LastMessage.Content
				}
				if got.Unread != unread || shown != last {
					t.Errorf("%s, on %s: %d unread, last %q; want %d, %q", what, name, got.Unread, shown, unread, last)
				}
			}
		}
		send := func(text string) *api.ChatMessage {
			t.Helper()
			return must(ben.Chats.Send(ctx, theirs.ID, api.NewChatMessage{Content: text}))(t)
		}
		one := send("one")
		chat := must(ann.Chats.List(api.ChatQuery{}).Page(ctx))(t).Items[0]
		told("one came", anns, chat.ID, 1, "one")
		told("one was sent", bens, theirs.ID, 0, "one")
		two := send("two")
		told("two came", anns, chat.ID, 2, "two")
		told("two was sent", bens, theirs.ID, 0, "two")
		must(ann.Chats.ReadMessage(ctx, chat.ID, one.ID))(t)
		told("one was read", anns, chat.ID, 1, "two")
		must(ben.Chats.Delete(ctx, theirs.ID, two.ID))(t)
		told("two was deleted", anns, chat.ID, 0, "one")
		told("two was deleted", bens, theirs.ID, 0, "one")
		three := send("three")
		told("three came", anns, chat.ID, 1, "three")
		told("three was sent", bens, theirs.ID, 0, "three")
		must(ann.Chats.Read(ctx, chat.ID, three.ID))(t)
		told("all was read", anns, chat.ID, 0, "three")
		must(ann.Chats.Delete(ctx, chat.ID, three.ID))(t) // from her side
		told("three was removed", anns, chat.ID, 0, "one")
		must(s.Admin("root").Admin.Chats.DeleteMessage(ctx, chat.ID, one.ID))(t)
		told("one was deleted by an admin", anns, chat.ID, 0, "")
		told("one was deleted by an admin", bens, theirs.ID, 0, "three")

		// A chat that the list leaves out is not told of.
		must(ann.Accounts.Mute(ctx, s.User("ben").ID, api.Mute{}))(t)
		send("four")
		told("four was sent", bens, theirs.ID, 0, "four")
		cats := must(cat.Chats.Open(ctx, s.User("ann").ID))(t)
		must(cat.Chats.Send(ctx, cats.ID, api.NewChatMessage{Content: "five"}))(t)
		for name, o := range anns {
			var got api.Chat
			if err := json.Unmarshal([]byte(o.until("svc:chat_update", "").Payload), &got); err != nil || got.Account.Username != "cat" {
				t.Errorf("on %s: of %s, who is muted; %v", name, got.Account.Username, err)
			}
		}
	})
}
