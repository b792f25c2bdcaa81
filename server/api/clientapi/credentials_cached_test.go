package clientapi_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestWhatIsKeptOfOneselfIsNeverOld changes each fact that verify_credentials
// shows. The answers right before and right after differ, although they are
// cached for a second.
func TestWhatIsKeptOfOneselfIsNeverOld(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.Client("ann"), s.Client("ben")
		annID, benID := s.User("ann").ID, s.User("ben").ID
		yes := api.Bool(true)
		if _, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: &yes}); err != nil {
			t.Fatal(err)
		}
		var post, direct, chat, message string
		newest := func() *api.Notification {
			t.Helper()
			list, err := ann.Notifications.List(api.NotificationQuery{}).Page(ctx)
			if err != nil || len(list.Items) == 0 {
				t.Fatal(list.Items, err)
			}
			return &list.Items[0]
		}
		conversation := func() string {
			t.Helper()
			list, err := ann.Conversations.List(api.ConversationQuery{}).Page(ctx)
			if err != nil || len(list.Items) == 0 {
				t.Fatal(list.Items, err)
			}
			return list.Items[0].ID
		}
		second := func(_ any, err error) error { return err }
		answer := func(how string) error {
			return second(ann.Do(ctx, client.Request{Method: "POST", Path: "/api/v1/follow_requests/" + benID + "/" + how}, nil))
		}
		say := func(by string, id *string, in api.NewStatus) error {
			got, err := s.Client(by).Statuses.Post(ctx, in)
			if err == nil {
				*id = got.ID
			}
			return err
		}
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"a request", func() error { return second(ben.Accounts.Follow(ctx, annID, api.Follow{})) }},
			{"a rejection", func() error { return answer("reject") }},
			{"another request", func() error { return second(ben.Accounts.Follow(ctx, annID, api.Follow{})) }},
			{"a withdrawal", func() error { return second(ben.Accounts.Unfollow(ctx, annID)) }},
			{"a third request", func() error { return second(ben.Accounts.Follow(ctx, annID, api.Follow{})) }},
			{"an acceptance", func() error { return answer("authorize") }},
			{"a post", func() error { return say("ann", &post, api.NewStatus{Status: "hello"}) }},
			{"a favourite", func() error { return second(ben.Statuses.Favourite(ctx, post)) }},
			{"its end", func() error { return second(ben.Statuses.Unfavourite(ctx, post)) }},
			{"a reaction", func() error { return second(ben.Statuses.React(ctx, post, "👍")) }},
			{"its end", func() error { return second(ben.Statuses.Unreact(ctx, post, "👍")) }},
			{"a reblog", func() error { return second(ben.Statuses.Reblog(ctx, post, api.NewReblog{})) }},
			{"its end", func() error { return second(ben.Statuses.Unreblog(ctx, post)) }},
			{"a mention", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"its deletion", func() error { return second(ben.Statuses.Delete(ctx, direct)) }},
			{"a direct post", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello", Visibility: "direct"}) }},
			{"reading it", func() error { return second(ann.Conversations.Read(ctx, conversation())) }},
			{"another", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello", Visibility: "direct"}) }},
			{"reading all", func() error { return second(ann.Conversations.ReadAll(ctx)) }},
			{"a third", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello", Visibility: "direct"}) }},
			{"leaving it", func() error { return ann.Conversations.Delete(ctx, conversation()) }},
			{"a fourth", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello", Visibility: "direct"}) }},
			{"its deletion", func() error { return second(ben.Statuses.Delete(ctx, direct)) }},
			{"seeing one", func() error {
				id, err := strconv.ParseInt(newest().ID, 10, 64)
				if err != nil {
					return err
				}
				return second(ann.Notifications.See(ctx, id))
			}},
			{"a chat message", func() error {
				c, err := ben.Chats.Open(ctx, annID)
				if err != nil {
					return err
				}
				chat = c.ID
				m, err := ben.Chats.Send(ctx, chat, api.NewChatMessage{Content: "hello"})
				if err == nil {
					message = m.ID
				}
				return err
			}},
			{"its deletion", func() error { return second(ben.Chats.Delete(ctx, chat, message)) }},
			{"a mention more", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"dismissing it", func() error { return ann.Notifications.Dismiss(ctx, newest().ID) }},
			{"a mention yet", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"muting its thread", func() error { return second(ann.Statuses.MuteThread(ctx, direct, api.ThreadMute{})) }},
			{"a last mention", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"removing it", func() error { return ann.Notifications.Destroy(ctx, newest().ID) }},
			{"one to see", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"seeing up to it", func() error {
				id, err := strconv.ParseInt(newest().ID, 10, 64)
				if err != nil {
					return err
				}
				return second(ann.Notifications.SeeUpTo(ctx, id))
			}},
			{"one to clear", func() error { return say("ben", &direct, api.NewStatus{Status: "@ann hello"}) }},
			{"clearing", func() error { return ann.Notifications.Clear(ctx) }},
			{"deleting a post", func() error { return second(ann.Statuses.Delete(ctx, post)) }},
			{"a block", func() error { return second(ann.Accounts.Block(ctx, benID)) }},
		} {
			before := standingShown(t, s)
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if diff := cmp.Diff(standingCounted(t, s, annID), standingShown(t, s)); diff != "" {
				t.Errorf("after %s (was %v; -rows +shown):\n%s", step.name, before, diff)
			}
		}
	})
}

// standingShown returns the counts that ann's clients get.
func standingShown(t *testing.T, s *servertest.Server) string {
	t.Helper()
	a, err := s.Client("ann").Accounts.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(*a.FollowRequests, *a.Svc.UnreadNotifications, *a.Svc.UnreadConversations, a.FollowersCount, a.StatusesCount)
}

// standingCounted returns the same counts from the rows.
func standingCounted(t *testing.T, s *servertest.Server, id string) string {
	t.Helper()
	own, err := s.DB.OwnStanding(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.DB.Account(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(own.FollowRequests, own.UnseenNotifications, own.UnreadConversations, a.FollowersCount, a.StatusesCount)
}
