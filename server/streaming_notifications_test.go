package server_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/servertest"
)

// TestNotificationsOfEveryTypeFromCauseToEnd takes each type of notification through its
// life: it is caused, listed, streamed, pushed, seen and removed. Those of chats and
// reports are listed on request only, so that no stream has them.
func TestNotificationsOfEveryTypeFromCauseToEnd(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		root := s.AdminUser("root")
		bob, cat, dan := s.Client("bob"), s.Client("cat"), s.User("dan")
		me := s.Client("root")
		posted := say(t, me, "my tea")
		must(me.Push.Subscribe(ctx, api.NewPushSubscription{
			Subscription: api.PushTarget{Endpoint: service.Device.Endpoint, Keys: api.PushKeys{P256dh: service.Device.P256dh, Auth: service.Device.Auth}},
			Data:         api.PushData{Alerts: &api.PushAlerts{Follow: true, Favourite: true, Mention: true, Reblog: true, Chat: true, Reaction: true, Poll: true, Status: true, Update: true}},
		}))(t)
		token := s.Token("root", servertest.AllScopes)
		user, told := dial(t, s, token, "stream=user"), dial(t, s, token, "stream=user:notification")
		list := func(q api.NotificationQuery) []api.Notification {
			t.Helper()
			return must(me.Notifications.List(q).Page(ctx))(t).Items
		}
		ids := func(rows []api.Notification) (out []string) {
			for _, n := range rows {
				out = append(out, n.ID)
			}
			return out
		}
		unread := func(what string, want int) {
			t.Helper()
			own := must(me.Accounts.Verify(ctx))(t)
			marker, placed := must(me.Markers.Get(ctx, "notifications"))(t)["notifications"] // from the first that is seen on
			if *own.Svc.UnreadNotifications != want || placed && marker.Svc.UnreadCount != want {
				t.Errorf("%s: %d unread, %d by the marker, want %d", what, *own.Svc.UnreadNotifications, marker.Svc.UnreadCount, want)
			}
		}
		lock := func(on bool) {
			must(me.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: given(api.Bool(on))}))(t)
		}
		mention := ""
		const listed, pushes = 1, 2 // without being asked for, as streams have them; by a device with all alerts
		for _, c := range []struct {
			kind string
			is   int
			do   func()
		}{
			{"mention", listed | pushes, func() { mention = say(t, bob, "@root hello").ID }},
			{"favourite", listed | pushes, func() { must(bob.Statuses.Favourite(ctx, posted.ID))(t) }},
			{"reblog", listed | pushes, func() { must(bob.Statuses.Reblog(ctx, posted.ID, api.NewReblog{}))(t) }},
			{"svc:emoji_reaction", listed | pushes, func() { must(bob.Statuses.React(ctx, posted.ID, "☕"))(t) }},
			{"svc:chat_mention", pushes, func() {
				must(bob.Chats.Send(ctx, must(bob.Chats.Open(ctx, root.ID))(t).ID, api.NewChatMessage{Content: "psst"}))(t)
			}},
			{"svc:report", 0, func() { must(bob.Reports.Create(ctx, api.NewReport{AccountID: s.User("cat").ID}))(t) }},
			{"follow_request", listed | pushes, func() {
				lock(true)
				must(cat.Accounts.Follow(ctx, root.ID, api.Follow{}))(t)
			}},
			{"follow", listed | pushes, func() {
				must(cat.Accounts.Unfollow(ctx, root.ID))(t) // who waits would be accepted
				lock(false)
				must(bob.Accounts.Follow(ctx, root.ID, api.Follow{}))(t)
			}},
			{"move", listed, func() {
				must(me.Accounts.Follow(ctx, dan.ID, api.Follow{}))(t)
				must(0, s.Social.FollowMoved(ctx, jobs.FollowMoved{AccountID: dan.ID, TargetID: s.User("eve").ID}))(t)
			}},
		} {
			unread("before a "+c.kind, 0)
			c.do()
			got := list(api.NotificationQuery{IncludeTypes: []string{c.kind}})
			if len(got) != 1 || got[0].Type != c.kind || got[0].Svc.IsSeen {
				t.Fatalf("%s: listed are %+v", c.kind, got)
			}
			n := got[0]
			for what, rows := range map[string][]api.Notification{
				"types":         list(api.NotificationQuery{Types: []string{c.kind, "mention"}}),
				"include_types": list(api.NotificationQuery{IncludeTypes: []string{"mention", c.kind}}),
				"account_id":    list(api.NotificationQuery{IncludeTypes: []string{c.kind}, AccountID: n.Account.ID}),
			} {
				if !slices.Contains(ids(rows), n.ID) {
					t.Errorf("%s: not listed by %s", c.kind, what)
				}
			}
			if slices.Contains(ids(list(api.NotificationQuery{ExcludeTypes: []string{c.kind}})), n.ID) {
				t.Errorf("%s: listed although it is excluded", c.kind)
			}
			if usual := slices.Contains(ids(list(api.NotificationQuery{})), n.ID); usual != (c.is&listed != 0) {
				t.Errorf("%s: listed without being asked for: %v", c.kind, usual)
			}
			if c.is&listed != 0 {
				// The next one, so that nothing came of those before that streams do not have.
				if f := told.next(); f.Event != "notification" || f.id() != n.ID {
					t.Errorf("%s: its stream has %s %s", c.kind, f.Event, f.Payload)
				}
				var streamed api.Notification
				if err := json.Unmarshal([]byte(user.until("notification", "").Payload), &streamed); err != nil || streamed.ID != n.ID || streamed.Type != c.kind || streamed.Svc.IsSeen {
					t.Errorf("%s: the user's stream has %+v, %v", c.kind, streamed, err)
				}
			}
			if c.is&pushes != 0 {
				select {
				case m := <-service.Messages:
					var pushed struct {
						ID   int64  `json:"notification_id"`
						Kind string `json:"notification_type"`
					}
					if err := json.Unmarshal(m.Text, &pushed); err != nil || strconv.FormatInt(pushed.ID, 10) != n.ID || pushed.Kind != c.kind {
						t.Errorf("%s: pushed is %s, %v", c.kind, m.Text, err)
					}
				case <-time.After(patience):
					t.Fatalf("%s: not pushed", c.kind)
				}
			}
			unread("after a "+c.kind, 1)
			number := must(strconv.ParseInt(n.ID, 10, 64))(t)
			if seen := must(me.Notifications.See(ctx, number))(t); !seen.Svc.IsSeen {
				t.Errorf("%s: not seen after it was read", c.kind)
			}
			unread("after reading a "+c.kind, 0)
			if at := must(me.Markers.Get(ctx, "notifications"))(t)["notifications"].LastReadID; at != n.ID {
				t.Errorf("%s: the marker is at %s, want %s", c.kind, at, n.ID)
			}
			if again := list(api.NotificationQuery{IncludeTypes: []string{c.kind}}); len(again) != 1 || !again[0].Svc.IsSeen {
				t.Errorf("%s: listed as %+v after it was read", c.kind, again)
			}
			end := n.ID
			if c.kind == "mention" {
				end = mention // the activity
			}
			must(0, me.Notifications.Destroy(ctx, end))(t)
			if left := list(api.NotificationQuery{IncludeTypes: []string{c.kind}}); len(left) != 0 {
				t.Errorf("%s: left is %+v", c.kind, left)
			}
			if _, err := me.Notifications.Get(ctx, n.ID); client.Status(err) != 403 {
				t.Errorf("%s: read after it was removed: %v", c.kind, err)
			}
		}

		// Notifications of strangers: none is made.
		must(0, me.Accounts.SetNotificationSettings(ctx, api.SetNotificationSettings{BlockFromStrangers: given(api.Bool(true))}))(t)
		say(t, s.Client("fay"), "@root hello")
		said := say(t, bob, "@root hello again") // he follows her
		var last api.Notification
		if err := json.Unmarshal([]byte(told.next().Payload), &last); err != nil || last.Status == nil || last.Status.ID != said.ID {
			t.Errorf("%+v, %v", last, err)
		}
		if got := list(api.NotificationQuery{IncludeTypes: []string{db.NotifyMention}}); len(got) != 1 || got[0].ID != last.ID {
			t.Errorf("listed are %+v", got)
		}
	})
}
