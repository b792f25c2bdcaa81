package e2e

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mattn/go-mastodon"

	"svc/client/api"
	"svc/server/servertest"
)

// streams opens every stream of go-mastodon, over one of its transports.
func streams(c *caller, over any, prefix string, list mastodon.ID) map[string]chan mastodon.Event {
	c.t.Helper()
	out := map[string]chan mastodon.Event{}
	for name, args := range map[string][]any{"User": {}, "Public": {false}, "Hashtag": {"tea", true}, "List": {list}, "Direct": {}} {
		in := []reflect.Value{reflect.ValueOf(c.t.Context())}
		for _, a := range args {
			in = append(in, reflect.ValueOf(a))
		}
		made := reflect.ValueOf(over).MethodByName(prefix + name).Call(in)
		if err, failed := made[1].Interface().(error); failed {
			c.t.Fatal(prefix+name, err)
		}
		out[name] = made[0].Interface().(chan mastodon.Event)
	}
	return out
}

// TestGoMastodonListens has go-mastodon listen to all its streams, over Server-Sent
// Events and WebSocket.
func TestGoMastodonListens(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		as := func(nickname string) *caller {
			s.User(nickname)
			client := mastodon.NewClient(&mastodon.Config{Server: s.URL, AccessToken: s.Token(nickname, servertest.AllScopes)})
			return &caller{t, client, map[string]bool{}}
		}
		alice, bob := as("alice"), as("bob")
		bobID := mastodon.ID(s.User("bob").ID)
		alice.call("AccountFollow", bobID)
		list := alice.call("CreateList", "friends").(*mastodon.List).ID
		alice.call("AddToList", list, bobID)
		open := map[string]chan mastodon.Event{}
		for name, events := range streams(alice, alice.Client, "Streaming", list) {
			open["SSE "+name] = events
		}
		for name, events := range streams(alice, alice.NewWSClient(), "StreamingWS", list) {
			open["WebSocket "+name] = events
		}

		// heard waits until a stream has told of all that is wanted, in any order.
		heard := func(name string, wanted ...func(mastodon.Event) bool) {
			t.Helper()
			for end := time.After(30 * time.Second); len(wanted) > 0; {
				select {
				case e := <-open[name]:
					if failed, is := e.(*mastodon.ErrorEvent); is {
						t.Fatal(name, failed.Err)
					}
					wanted = slices.DeleteFunc(wanted, func(is func(mastodon.Event) bool) bool { return is(e) })
				case <-end:
					t.Fatalf("%s: an event does not come", name)
				}
			}
		}
		say := func(text, visibility string) mastodon.ID {
			return bob.call("PostStatus", &mastodon.Toot{Status: text, Visibility: visibility}).(*mastodon.Status).ID
		}
		// A stream is open once it tells of something.
		for name, events := range open {
			for is := false; !is; {
				say("@alice #tea?", map[bool]string{true: "direct", false: "public"}[name == "SSE Direct" || name == "WebSocket Direct"])
				select {
				case <-events:
					is = true
				case <-time.After(100 * time.Millisecond):
				}
			}
		}
		said, whispered := say("@alice #tea!", "public"), say("@alice psst", "direct")
		update := func(e mastodon.Event) bool {
			u, is := e.(*mastodon.UpdateEvent)
			return is && u.Status.ID == said
		}
		mention := func(e mastodon.Event) bool {
			n, is := e.(*mastodon.NotificationEvent)
			return is && n.Notification.Type == "mention" && n.Notification.Status.ID == said
		}
		conversation := func(e mastodon.Event) bool {
			c, is := e.(*mastodon.ConversationEvent)
			return is && c.Conversation.LastStatus.ID == whispered
		}
		for _, transport := range []string{"SSE ", "WebSocket "} {
			for _, name := range []string{"Public", "Hashtag", "List"} {
				heard(transport+name, update)
			}
			heard(transport+"User", update, mention)
			heard(transport+"Direct", conversation)
		}
		sensitive := true
		if _, err := s.Admin("mod").Admin.Statuses.Update(t.Context(), string(said), api.StatusUpdate{Sensitive: &sensitive}); err != nil {
			t.Fatal(err)
		}
		// Its sockets do not know the event.
		for _, name := range []string{"User", "Public", "Hashtag", "List"} {
			heard("SSE "+name, func(e mastodon.Event) bool {
				u, is := e.(*mastodon.UpdateEditEvent)
				return is && u.Status.ID == said && u.Status.Sensitive
			})
		}
		if err := bob.DeleteStatus(t.Context(), said); err != nil {
			t.Fatal(err)
		}
		for name := range open {
			if name != "SSE Direct" && name != "WebSocket Direct" {
				heard(name, func(e mastodon.Event) bool {
					d, is := e.(*mastodon.DeleteEvent)
					return is && d.ID == said
				})
			}
		}
	})
}
