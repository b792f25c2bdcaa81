package adminapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/api/view"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/rights"
	"svc/server/servertest"
)

// chat creates from's chat with to, with these texts as messages, in order.
func (w *world) chat(from string, to *db.Account, texts ...string) (*api.Chat, []string) {
	w.t.Helper()
	chats := w.Client(from).Chats
	chat, err := chats.Open(w.t.Context(), to.ID)
	w.must(err)
	var ids []string
	for _, text := range texts {
		m, err := chats.Send(w.t.Context(), chat.ID, api.NewChatMessage{Content: text})
		w.must(err)
		ids = append(ids, m.ID)
	}
	return chat, ids
}

func TestAnAdminReadsEverybodysChats(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, admin := t.Context(), w.Admin("root").Admin.Chats
		_, err := w.DB.Writer().ExecContext(ctx, "UPDATE accounts SET accepts_chat_messages = TRUE")
		w.must(err)
		withEve, _ := w.chat("ann", w.eve, "to eve")
		withBob, ids := w.chat("ann", w.bob, "one", "two <3")
		empty, _ := w.chat("ann", w.root)
		_, err = w.Client("bob").Accounts.Block(ctx, w.ann.ID)
		w.must(err)
		_, err = w.Client("ann").Accounts.Block(ctx, w.bob.ID)
		w.must(err)

		for _, name := range []string{"ann", "ANN", w.ann.ID, fmt.Sprint(w.ann.Serial)} {
			list, err := admin.OfUser(ctx, name)
			w.must(err)
			var got []string
			for _, c := range list {
				got = append(got, c.ID)
			}
			if diff := cmp.Diff([]string{empty.ID, withBob.ID, withEve.ID}, got); diff != "" {
				t.Errorf("chats of %s: %s", name, diff)
			}
		}
		theirs, err := admin.OfUser(ctx, "bob")
		w.must(err)
		if len(theirs) != 1 || theirs[0].ID == withBob.ID || theirs[0].Sender.ID != w.bob.ID || theirs[0].Receiver.ID != w.ann.ID ||
			theirs[0].Unread != 2 || theirs[0].LastMessage == nil || theirs[0].LastMessage.ID != ids[1] || !theirs[0].LastMessage.Unread {
			t.Fatalf("bob's: %+v", theirs)
		}
		if list, err := admin.OfUser(ctx, "eve@one.example"); err != nil || len(list) != 0 {
			t.Errorf("a remote account has chats here: %+v, %v", list, err)
		}
		one, err := admin.Get(ctx, theirs[0].ID)
		if err != nil || cmp.Diff(theirs[0], *one) != "" {
			t.Errorf("one and of many differ: %v %s", err, cmp.Diff(theirs[0], *one))
		}
		messages, err := admin.Messages(theirs[0].ID, api.PageQuery{}).Page(ctx)
		if err != nil || len(messages.Items) != 2 || messages.Items[0].ID != ids[1] || *messages.Items[0].Content != "two &lt;3" || messages.Items[0].AccountID != w.ann.ID ||
			messages.Items[0].ChatID != theirs[0].ID || !messages.Items[1].Unread {
			t.Errorf("messages %+v, %v", messages.Items, err)
		}
		if again, err := admin.Get(ctx, theirs[0].ID); err != nil || again.Unread != 2 {
			t.Errorf("reading marked something as read: %+v, %v", again, err)
		}

		_, text := w.admin("GET", "/chats/"+theirs[0].ID, "")
		var keys map[string]json.RawMessage
		w.decode(text, &keys)
		if got := fmt.Sprint(slices.Sorted(mapKeys(keys))); got != "[id last_message receiver sender unread updated_at]" {
			t.Errorf("keys %s", got)
		}
		w.decode(string(keys["last_message"]), &keys)
		for _, key := range []string{"account_id", "attachment", "card", "chat_id", "content", "created_at", "emojis", "id", "unread"} {
			if keys[key] == nil {
				t.Errorf("a message has no %s", key)
			}
		}
		w.wantLog()
	})
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestMessagesOfAChatArePagedByIDs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, admin := t.Context(), w.Admin("root").Admin.Chats
		texts := make([]string, 45)
		for i := range texts {
			texts[i] = fmt.Sprint("number ", i)
		}
		chat, ids := w.chat("ann", w.bob, texts...)
		newest := slices.Clone(ids)
		slices.Reverse(newest)
		for query, want := range map[string][]string{
			"":                                newest[:20],
			"?limit=3":                        newest[:3],
			"?limit=99":                       newest[:40],
			"?limit=0":                        newest[:1],
			"?limit=2&max_id=" + newest[4]:    newest[5:7],
			"?limit=2&since_id=" + newest[4]:  newest[:2],
			"?limit=2&min_id=" + newest[4]:    newest[2:4],
			"?min_id=" + newest[0]:            nil,
			"?limit=2&offset=5":               newest[:2],
			"?max_id=" + ids[0]:               nil,
			"?limit=1&max_id=&min_id=":        newest[:1],
			"?min_id=" + ids[0] + "&limit=2":  {ids[2], ids[1]},
			"?max_id=" + ids[2] + "&limit=40": {ids[1], ids[0]},
		} {
			status, text := w.admin("GET", "/chats/"+chat.ID+"/messages"+query, "")
			var list []api.ChatMessage
			w.decode(text, &list)
			var got []string
			for _, m := range list {
				got = append(got, m.ID)
			}
			if diff := cmp.Diff(want, got); status != 200 || diff != "" {
				t.Errorf("%s: %d %s", query, status, diff)
			}
		}
		for _, limit := range []int{7, 100} { // 100 is more than the server gives at once
			var walked []string
			for m, err := range admin.Messages(chat.ID, api.PageQuery{Limit: limit}).All(ctx) {
				w.must(err)
				walked = append(walked, m.ID)
			}
			if diff := cmp.Diff(newest, walked); diff != "" {
				t.Errorf("walked by %d: %s", limit, diff)
			}
		}
	})
}

func TestAnAdminDeletesAMessageForBoth(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, admin := t.Context(), w.Admin("root").Admin.Chats
		chat, ids := w.chat("ann", w.bob, "one", "two")
		theirs, err := admin.OfUser(ctx, "bob")
		w.must(err)
		other, _ := w.chat("ann", w.root, "another chat")
		w.must(err)
		for _, path := range []string{
			"/chats/" + chat.ID + "/messages/nothing", "/chats/nothing/messages/" + ids[0],
			"/chats/" + other.ID + "/messages/" + ids[0],
		} {
			w.want("DELETE", path, "", 400, `{"error":"could_not_delete"}`)
		}
		w.wantLog()

		before, err := admin.Messages(theirs[0].ID, api.PageQuery{}).Page(ctx)
		w.must(err)
		got, err := admin.DeleteMessage(ctx, theirs[0].ID, ids[1])
		if err != nil || cmp.Diff(before.Items[0], *got) != "" {
			t.Errorf("%v, as it was: %s", err, cmp.Diff(before.Items[0], *got))
		}
		for name, id := range map[string]string{"ann": chat.ID, "bob": theirs[0].ID} {
			left, err := w.Client(name).Chats.Messages(id, api.PageQuery{}).Page(ctx)
			if err != nil || len(left.Items) != 1 || left.Items[0].ID != ids[0] {
				t.Errorf("%s is left %+v, %v", name, left.Items, err)
			}
		}
		after, err := admin.Get(ctx, theirs[0].ID)
		if err != nil || after.Unread != 1 || after.LastMessage.ID != ids[0] {
			t.Errorf("the chat then: %+v, %v", after, err)
		}
		_, err = admin.DeleteMessage(ctx, chat.ID, ids[1])
		if client.Status(err) != 400 {
			t.Errorf("deleted twice: %v", err)
		}
		w.wantLog("@root deleted chat message #" + ids[1])
		_, text := w.admin("GET", "/moderation_log", "")
		root, err := w.DB.AccountByNickname(ctx, "root")
		w.must(err)
		want := fmt.Sprintf(`"data":{"actor":{"id":%d,"account_id":%q,"nickname":"root","type":"user"},`, root.Serial, root.ID) +
			`"action":"chat_message_delete","message":"@root deleted chat message #` + ids[1] + `","subject_id":"` + ids[1] + `"}`
		if !strings.Contains(text, want) {
			t.Errorf("log %s\nwant %s", text, want)
		}
	})
}

func TestWhatChatsAreNotThere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want("GET", "/users/nobody/chats", "", 404, notFound)
		w.want("GET", "/users/ann/chats", "", 200, `[]`)
		w.want("GET", "/chats/nothing", "", 404, notFound)
		w.want("GET", "/chats/%00", "", 404, notFound)
		w.want("GET", "/chats/nothing/messages", "", 404, `{"error":"not found"}`)
		w.want("GET", "/chats/nothing/messages?limit=x", "", 400, invalid("limit", "limit - Invalid integer. Got: string."))
		w.want("GET", "/chats/nothing/messages?max_id[]=x", "", 400, invalid("max_id", "max_id - Invalid string. Got: array."))
	})
}

// TestAMessagesKeyIsShownForAWhile: admins see it too.
func TestAMessagesKeyIsShownForAWhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		chat, err := w.Client("ann").Chats.Open(ctx, w.bob.ID)
		w.must(err)
		_, err = w.Client("ann").Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "x"}, client.IdempotencyKey("mine"))
		w.must(err)
		key := func() string {
			list, err := w.Admin("root").Admin.Chats.Messages(chat.ID, api.PageQuery{}).Page(ctx)
			w.must(err)
			return list.Items[0].IdempotencyKey
		}
		if got := key(); got != "mine" {
			t.Errorf("key %q", got)
		}
		_, err = w.DB.Writer().ExecContext(ctx, "UPDATE chat_messages SET created_at = created_at - 121000000")
		w.must(err)
		if got := key(); got != "" {
			t.Errorf("two minutes later: %q", got)
		}
	})
}

// TestChatsCostAFixedNumberOfStatements: one chat costs as many as several.
func TestChatsCostAFixedNumberOfStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.chat("ann", w.bob, "one")
		v, err := view.New(view.Parts{
			DB: w.DB, Settings: w.Settings, Rights: rights.New(w.Settings, true), Site: config.NewSite(w.Base(), false), URLs: media.NewURLs(w.Base(), w.Settings, "secret"), Remote: w.Remote,
		})
		w.must(err)
		count := func() int64 {
			return dbtest.Queries(t, func(ctx context.Context) {
				rows, err := w.DB.AllChats(ctx, w.ann.ID)
				w.must(err)
				_, err = v.AdminChats(ctx, w.ann.ID, rows)
				w.must(err)
			})
		}
		cold, warm := count(), count()
		if cold != 4 || warm != 3 {
			t.Errorf("%d and %d statements for one, want 4 and 3", cold, warm)
		}
		for i := range 5 {
			w.chat("ann", w.User(fmt.Sprint("friend", i)), "hello")
		}
		if cold, warm = count(), count(); cold != 4 || warm != 3 {
			t.Errorf("%d and %d statements for six, want 4 and 3", cold, warm)
		}
	})
}

// TestAnAccountThatIsGoneIsAnEmptyObject: the messages to it stay.
func TestAnAccountThatIsGoneIsAnEmptyObject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		chat, _ := w.chat("ann", w.bob, "one")
		w.must(w.DB.DeleteAccount(t.Context(), w.bob.ID))
		status, _, text := w.call(w.Token("root", servertest.AdminScopes), "GET", "/chats/"+chat.ID, "")
		if status != 200 || !strings.Contains(text, `"receiver":{},`) {
			t.Errorf("%d %s", status, text)
		}
	})
}
