package clientapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/rules/notify"
	"svc/server/rules/push"
	"svc/server/servertest"
)

const pushPath = "/api/v1/push/subscription"

// everyAlert switches all types of pushes on.
var everyAlert = api.PushAlerts{
	Follow: true, FollowRequest: new(api.Bool(true)), Favourite: true, Mention: true, Reblog: true, Poll: true, Status: true, Update: true,
	SignUp: true, Report: true, Chat: true, Reaction: true,
}

// subscription is the form that subscribes a device.
func subscription(d *webpushtest.Device, alerts api.PushAlerts) api.NewPushSubscription {
	return api.NewPushSubscription{
		Subscription: api.PushTarget{Endpoint: d.Endpoint, Keys: api.PushKeys{P256dh: d.P256dh, Auth: d.Auth}}, Data: api.PushData{Alerts: &alerts},
	}
}

func subscribe(t *testing.T, c *client.Client, d *webpushtest.Device, alerts api.PushAlerts) *api.PushSubscription {
	t.Helper()
	got, err := c.Push.Subscribe(t.Context(), subscription(d, alerts))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// pushed is the text of a message.
type pushed struct {
	AccessToken      string `json:"access_token"`
	PreferredLocale  string `json:"preferred_locale"`
	NotificationID   int64  `json:"notification_id"`
	NotificationType string `json:"notification_type"`
	Icon, Title      string
	Body             string
	Svc              struct {
		ActivityID           *string `json:"activity_id"`
		DirectConversationID *int64  `json:"direct_conversation_id"`
	}
}

// read waits for the next message.
func read(t *testing.T, at *webpushtest.Service) (pushed, webpushtest.Message) {
	t.Helper()
	select {
	case m := <-at.Messages:
		var p pushed
		if err := json.Unmarshal(m.Text, &p); err != nil {
			t.Fatalf("%q: %v", m.Text, err)
		}
		return p, m
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was pushed")
		panic("unreachable")
	}
}

func TestEveryNotificationIsPushed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		ann, bob := s.User("ann"), s.Client("bob")
		posted, err := s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "my tea"})
		if err != nil {
			t.Fatal(err)
		}
		subscribed := subscribe(t, s.Client("ann"), &service.Device, everyAlert)
		instance, err := s.Anonymous().Instance.Get(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if instance.VAPIDPublicKey == nil || *instance.VAPIDPublicKey != subscribed.ServerKey || instance.Svc.VAPIDPublicKey == nil {
			t.Fatalf("the key is %v in the description, and %q in the subscription", instance.VAPIDPublicKey, subscribed.ServerKey)
		}
		say := func(text, visibility string) *api.Status {
			got, err := bob.Statuses.Post(ctx, api.NewStatus{Status: text, Visibility: visibility})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		done := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		theirs := say("my juice", "public")
		long := "@ann " + strings.Repeat("word ", 40)
		for _, c := range []struct {
			do                func()
			kind, title, body string
		}{
			{func() { say("@ann <b>good</b>\nmorning", "public") }, "mention", "New Mention", "@bob: @ann <b>good</b> morning"},
			{func() { say(long, "public") }, "mention", "New Mention", "@bob: " + strings.TrimSpace(long[:79]) + "…"},
			{func() { say("@ann psst", "direct") }, "mention", "New Direct Message", "@bob: @ann psst"},
			{func() { done(bob.Statuses.Favourite(ctx, posted.ID)) }, "favourite", "New Favorite", "@bob has favorited your post"},
			{func() { done(bob.Statuses.Reblog(ctx, posted.ID, api.NewReblog{})) }, "reblog", "New Repeat", "@bob repeated: my tea"},
			{func() { done(bob.Accounts.Follow(ctx, ann.ID, api.Follow{})) }, "follow", "New Follower", "@bob has followed you"},
			{func() { // nothing is pushed of a follow, which this device does not ask for any more
				done(s.Client("ann").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: new(api.Bool(true))}))
				done(s.Client("cat").Accounts.Follow(ctx, ann.ID, api.Follow{}))
			}, "follow_request", "New Follow Request", "@cat has requested to follow you"},
			{func() {
				done(s.Client("ann").Statuses.Reblog(ctx, theirs.ID, api.NewReblog{}))
				done(bob.Statuses.Edit(ctx, theirs.ID, api.StatusForm{Status: "my coffee"}))
			}, "update", "Edited Post", "@bob: my coffee"},
			{func() { done(bob.Statuses.React(ctx, posted.ID, "☕")) }, "svc:emoji_reaction", "New Reaction", "@bob reacted with ☕"},
			{func() { whisper(t, s, "bob", "ann", "are you there?") }, "svc:chat_mention", "New Chat Message", "@bob: are you there?"},
		} {
			c.do()
			got, m := read(t, service)
			if got.NotificationType != c.kind || got.Title != c.title || got.Body != c.body {
				t.Errorf("%s: %q %q %q", c.kind, got.NotificationType, got.Title, got.Body)
			}
			if got.AccessToken != s.Token("ann", servertest.AllScopes) || got.PreferredLocale != "en" || !strings.HasPrefix(got.Icon, s.Base()) {
				t.Errorf("%s: %+v", c.kind, got)
			}
			if m.Key != subscribed.ServerKey {
				t.Errorf("%s: signed with %s", c.kind, m.Key)
			}
			if (got.Svc.ActivityID == nil) != strings.HasPrefix(c.kind, "follow") || (got.Svc.DirectConversationID != nil) != (c.title == "New Direct Message") {
				t.Errorf("%s: %s", c.kind, m.Text)
			}
			n, err := s.Client("ann").Notifications.Get(ctx, strconv.FormatInt(got.NotificationID, 10))
			if err != nil || n.Type != c.kind {
				t.Errorf("%s: the notification %+v %v", c.kind, n, err)
			}
		}
		yes := api.Bool(true)
		if err := s.Client("ann").Accounts.SetNotificationSettings(ctx, api.SetNotificationSettings{HideNotificationContents: &yes}); err != nil {
			t.Fatal(err)
		}
		say("@ann my secret", "public")
		if got, m := read(t, service); got.Title != "" || got.Body != "New Mention" || strings.Contains(string(m.Text), "secret") {
			t.Errorf("hidden contents: %s", m.Text)
		}
	})
}

// device creates a mention before ann has a device, so that no job is stored.
// It returns the job for the device that she subscribes then.
func device(t *testing.T, s *servertest.Server, at *webpushtest.Service, alerts api.PushAlerts) jobs.Push {
	t.Helper()
	s.User("ann")
	if _, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "@ann hello", Visibility: "public"}); err != nil {
		t.Fatal(err)
	}
	return again(t, s, at, alerts)
}

// number reads one number.
func number(t *testing.T, s *servertest.Server, query string) (n int64) {
	t.Helper()
	if err := s.DB.Writer().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// again subscribes anew, and returns the job for the newest notification.
func again(t *testing.T, s *servertest.Server, at *webpushtest.Service, alerts api.PushAlerts) jobs.Push {
	t.Helper()
	got := subscribe(t, s.Client("ann"), &at.Device, alerts)
	return jobs.Push{SubscriptionID: got.ID, NotificationID: number(t, s, "SELECT MAX(id) FROM notifications")}
}

// TestASlowPushServiceHoldsUpNobodyElse: 400 messages of one account are for services
// that never answer, through five devices of two hosts. Another
// account is pushed its notification meanwhile.
func TestASlowPushServiceHoldsUpNobodyElse(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, fast := t.Context(), webpushtest.Start(t)
		slow, asked := neverAnswers(t)
		for i, scopes := range []string{servertest.AllScopes, "read push", "read write push", "push", "push follow"} {
			device := fast.Device
			device.Endpoint = strings.Replace(slow.URL, "127.0.0.1", []string{"127.0.0.1", "localhost"}[i%2], 1) + "/" + strconv.Itoa(i)
			subscribe(t, s.With(s.Token("ann", scopes)), &device, everyAlert)
		}
		subscribe(t, s.Client("bob"), &fast.Device, everyAlert)
		ann, bob, cat := s.User("ann"), s.User("bob"), s.User("cat")
		if err := s.DB.Tx(ctx, func(tx *db.DB) error {
			for i := range 80 { // pushes to five devices each
				a := db.NewAccount(s.Base(), "u"+strconv.Itoa(i))
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
				if err := notify.Notify(ctx, tx, db.News{Type: db.NotifyFollow, From: a}, ann.ID); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		servertest.Eventually(t, "the slow service is called", func() bool { return asked.Load() > 0 })
		if err := s.DB.Tx(ctx, func(tx *db.DB) error {
			return notify.Notify(ctx, tx, db.News{Type: db.NotifyFollow, From: cat}, bob.ID)
		}); err != nil {
			t.Fatal(err)
		}
		if got, _ := read(t, fast); got.Body != "@cat has followed you" {
			t.Errorf("%+v", got)
		}
		if n := asked.Load(); n > 8 { // four, and as many again once these were given up
			t.Errorf("%d calls of one account", n)
		}
	}, func(c *config.Settings) { c.Queues.Push = 10 })
}

// TestASlowPushServiceHasHalfOfTheWorkersAtMost: so many accounts have devices at a service
// that never answers that their messages could take all workers.
func TestASlowPushServiceHasHalfOfTheWorkersAtMost(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, fast := t.Context(), webpushtest.Start(t)
		slow, asked := neverAnswers(t)
		subscribe(t, s.Client("bob"), &fast.Device, everyAlert)
		bob, cat := s.User("bob"), s.User("cat")
		many := make([]string, 12)
		for i := range many {
			name := "u" + strconv.Itoa(i)
			device := fast.Device
			device.Endpoint = slow.URL + "/" + name
			subscribe(t, s.Client(name), &device, everyAlert)
			many[i] = s.User(name).ID
		}
		follow := func(ids ...string) {
			t.Helper()
			if err := s.DB.Tx(ctx, func(tx *db.DB) error {
				return notify.Notify(ctx, tx, db.News{Type: db.NotifyFollow, From: cat}, ids...)
			}); err != nil {
				t.Fatal(err)
			}
		}
		follow(many...)
		servertest.Eventually(t, "the slow service is called", func() bool { return asked.Load() >= 3 })
		follow(bob.ID)
		if got, _ := read(t, fast); got.Body != "@cat has followed you" {
			t.Errorf("%+v", got)
		}
		if n := asked.Load(); n > 3 {
			t.Errorf("%d calls of one service", n)
		}
	}, func(c *config.Settings) { c.Queues.Push = 6 })
}

// neverAnswers starts a push service that does not answer, and counts its calls.
func neverAnswers(t *testing.T) (service *httptest.Server, asked *atomic.Int64) {
	ended := make(chan struct{})
	asked = new(atomic.Int64)
	service = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(func() { close(ended); service.Close() })
	return service, asked
}

func TestAnswersOfPushServices(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		job := device(t, s, service, everyAlert)
		for _, c := range []struct {
			answer webpushtest.Answer
			pause  time.Duration
			fails  bool
			gone   bool
		}{
			{answer: webpushtest.Answer{Status: 201}},
			{answer: webpushtest.Answer{Status: 202}},
			{answer: webpushtest.Answer{Status: 429, RetryAfter: "120"}, pause: 2 * time.Minute},
			{answer: webpushtest.Answer{Status: 503, RetryAfter: "99999999"}, pause: time.Hour},
			{answer: webpushtest.Answer{Status: 429}, fails: true},
			{answer: webpushtest.Answer{Status: 500}, fails: true},
			{answer: webpushtest.Answer{Status: 307}, fails: true},
			{answer: webpushtest.Answer{Status: 408}, fails: true},
			{answer: webpushtest.Answer{Status: 410}, gone: true},
			{answer: webpushtest.Answer{Status: 404}, gone: true},
			{answer: webpushtest.Answer{Status: 403}, gone: true},
		} {
			service.Answer(c.answer)
			err := s.Push.Send(ctx, job)
			<-service.Messages
			pause := new(push.Pause)
			if errors.As(err, &pause) != (c.pause > 0) || pause.For != c.pause || (err != nil && c.pause == 0) != c.fails {
				t.Errorf("%d: %v", c.answer.Status, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret-of-the-device") {
				t.Errorf("%d: the error names the device: %v", c.answer.Status, err)
			}
			if _, err := s.Client("ann").Push.Get(ctx); errors.Is(err, client.ErrNotFound) != c.gone {
				t.Errorf("%d: the device: %v", c.answer.Status, err)
			}
			if err := dbtest.Exec(t, s.DB, "DELETE FROM pushes_sent"); err != nil { // else it is sent once
				t.Fatal(err)
			}
			if c.gone {
				job = again(t, s, service, everyAlert)
			}
		}
		service.Close()
		if err := s.Push.Send(ctx, job); err == nil || strings.Contains(err.Error(), "secret-of-the-device") {
			t.Errorf("no push service: %v", err)
		}
		if strings.Contains(s.Log.String(), "secret-of-the-device") {
			t.Error("the log names the device")
		}
	})
}

// TestASubscriptionSaysWhatItIsPushed: apps insist on the number and on every alert.
func TestASubscriptionSaysWhatItIsPushed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		service := webpushtest.Start(t)
		token := s.Token("ann", servertest.AllScopes)
		names := []string{
			"follow", "follow_request", "favourite", "mention", "reblog", "poll", "status", "update", "admin.sign_up", "admin.report", "svc:chat_mention", "svc:emoji_reaction",
		}
		form := func(alerts map[string]string) string {
			v := url.Values{
				"subscription[endpoint]": {service.Device.Endpoint}, "subscription[keys][p256dh]": {service.Device.P256dh}, "subscription[keys][auth]": {service.Device.Auth},
				"subscription[standard]": {"false"},
			}
			for name, on := range alerts {
				v.Set("data[alerts]["+name+"]", on)
			}
			return v.Encode()
		}
		cases := []struct {
			sent map[string]string
			on   []string
		}{
			{nil, nil},
			{map[string]string{"follow": "true"}, []string{"follow", "follow_request"}},
			{map[string]string{"follow": "true", "follow_request": "false"}, []string{"follow"}},
			{map[string]string{"follow_request": "1", "quote": "true"}, []string{"follow_request"}},
		}
		for _, name := range names[2:] {
			cases = append(cases, struct {
				sent map[string]string
				on   []string
			}{map[string]string{name: "true"}, []string{name}})
		}
		for _, c := range cases {
			want := map[string]bool{}
			for _, name := range names {
				want[name] = slices.Contains(c.on, name)
			}
			posted := call(t, s, token, "POST", pushPath, "application/x-www-form-urlencoded", form(c.sent))
			for door, a := range map[string]answer{"POST": posted, "GET": call(t, s, token, "GET", pushPath, "", "")} {
				var got struct {
					ID       int64
					Standard bool
					Alerts   map[string]bool
				}
				if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || got.ID == 0 || !got.Standard {
					t.Fatalf("%s %v: %d %s, %v", door, c.sent, a.status, a.body, err)
				}
				if diff := cmp.Diff(want, got.Alerts); diff != "" {
					t.Errorf("%s %v: %s", door, c.sent, diff)
				}
			}
		}
	})
}

// TestPushesShowNoMoreThanTheList removes a notification from the list before
// its push.
func TestPushesShowNoMoreThanTheList(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *servertest.Server, n *api.Notification) error{
		"blocked": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			_, err := s.Client("ann").Accounts.Block(t.Context(), n.Account.ID)
			return err
		},
		"muted": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			_, err := s.Client("ann").Accounts.Mute(t.Context(), n.Account.ID, api.Mute{})
			return err
		},
		"deleted": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			_, err := s.Client("bob").Statuses.Delete(t.Context(), n.Status.ID)
			return err
		},
		"dismissed": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			return s.Client("ann").Notifications.Dismiss(t.Context(), n.ID)
		},
		"seen": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			id, err := strconv.ParseInt(n.ID, 10, 64)
			if err == nil {
				_, err = s.Client("ann").Notifications.See(t.Context(), id)
			}
			return err
		},
		"not asked for": func(t *testing.T, s *servertest.Server, _ *api.Notification) error {
			_, err := s.Client("ann").Push.Update(t.Context(), api.ChangedPushSubscription{Data: api.PushData{Alerts: &api.PushAlerts{Follow: true}}})
			return err
		},
		"from nobody": policy("none"), "from a stranger": policy("followed"), "from no follower": policy("follower"),
		"too old": func(_ *testing.T, s *servertest.Server, _ *api.Notification) error {
			s.Advance(25 * time.Hour)
			return nil
		},
		"superseded": func(t *testing.T, s *servertest.Server, n *api.Notification) error {
			s.Advance(2 * time.Minute)
			return dbtest.Exec(t, s.DB, `INSERT INTO notifications (account_id, type, from_id, status_id, created_at)
				SELECT account_id, type, from_id || 'x', status_id, created_at FROM notifications WHERE id = `+n.ID)
		},
		"suspended": func(t *testing.T, s *servertest.Server, _ *api.Notification) error {
			_, err := s.Admin("root").Admin.Users.Deactivate(t.Context(), "ann")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := servertest.Start(t), webpushtest.Start(t)
			job := device(t, s, service, everyAlert)
			n, err := s.Client("ann").Notifications.Get(t.Context(), strconv.FormatInt(job.NotificationID, 10))
			if err == nil {
				err = s.Push.Send(t.Context(), job)
			}
			if err != nil || len(service.Messages) != 1 {
				t.Fatalf("before: %v, %d messages", err, len(service.Messages))
			}
			<-service.Messages
			if err := errors.Join(change(t, s, n), dbtest.Exec(t, s.DB, "DELETE FROM pushes_sent")); err != nil {
				t.Fatal(err)
			}
			if err := s.Push.Send(t.Context(), job); err != nil || len(service.Messages) != 0 {
				t.Errorf("%v, %d messages", err, len(service.Messages))
			}
		})
	}
}

func policy(name string) func(t *testing.T, s *servertest.Server, n *api.Notification) error {
	return func(t *testing.T, s *servertest.Server, _ *api.Notification) error {
		got, err := s.Client("ann").Push.Update(t.Context(), api.ChangedPushSubscription{Data: api.PushData{Policy: &name}})
		if err == nil && (got.Policy != name || !cmp.Equal(got.Alerts, everyAlert)) {
			t.Errorf("%+v", got)
		}
		return err
	}
}

func TestDevicesEndWithTheirTokens(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		there := func() int64 { return number(t, s, "SELECT COUNT(*) FROM push_subscriptions") }
		for name, end := range map[string]func(nickname, token string) error{
			"revoked": func(_, token string) error { return s.Anonymous().OAuth.Revoke(ctx, &api.App{}, token) },
			"password": func(_, token string) error {
				return s.With(token).Security.ChangePassword(ctx, api.PasswordChange{
					Password: servertest.Password, NewPassword: "another one", Confirmation: "another one",
				})
			},
			"deleted": func(_, token string) error {
				return s.With(token).Security.DeleteAccount(ctx, servertest.Password)
			},
		} {
			s.User(name)
			token := s.Token(name, servertest.AllScopes)
			subscribe(t, s.With(token), &service.Device, everyAlert)
			if there() != 1 {
				t.Fatalf("%s: %d devices", name, there())
			}
			if err := end(name, token); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if there() != 0 {
				t.Errorf("%s: the device is kept", name)
			}
		}
	})
}

// TestARenewedTokenKeepsItsDevice refreshes a token. Its number, and so its
// device, stays.
func TestARenewedTokenKeepsItsDevice(t *testing.T) {
	s, service := servertest.Start(t), webpushtest.Start(t)
	s.User("ann")
	app, err := s.Anonymous().Apps.Create(t.Context(), api.NewApp{ClientName: "x", RedirectURIs: "urn:ietf:wg:oauth:2.0:oob", Scopes: servertest.AllScopes})
	if err != nil {
		t.Fatal(err)
	}
	if app.VAPIDKey == "" {
		t.Error("the app has no key")
	}
	first, err := s.Anonymous().OAuth.Password(t.Context(), app, "ann", servertest.Password, "")
	if err != nil {
		t.Fatal(err)
	}
	subscribe(t, s.With(first.AccessToken), &service.Device, everyAlert)
	second, err := s.Anonymous().OAuth.Refresh(t.Context(), app, first.RefreshToken)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "@ann hello", Visibility: "public"}); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, service); got.AccessToken != second.AccessToken {
		t.Errorf("the message names another token")
	}
}

func TestWrongDevicesAreRefusedAndChangeNothing(t *testing.T) {
	service := webpushtest.Start(t)
	s := servertest.Booted(t, dbtest.Ready(t), func(c *config.Config) { c.FederationInsecure = false })
	s.User("ann")
	good := service.Device
	good.Endpoint = "https://push.example/send/1"
	kept := subscribe(t, s.Client("ann"), &good, api.PushAlerts{Mention: true})
	token := s.Token("ann", servertest.AllScopes)
	form := func(name, value string) string {
		v := url.Values{"subscription[endpoint]": {good.Endpoint}, "subscription[keys][p256dh]": {good.P256dh}, "subscription[keys][auth]": {good.Auth}, "data[alerts][poll]": {"true"}}
		if value == "" {
			v.Del(name)
		} else {
			v.Set(name, value)
		}
		return v.Encode()
	}
	for _, c := range []struct {
		name, value string
		status      int
		says        string
	}{
		{"subscription[endpoint]", "", 400, "Missing field"},
		{"subscription[keys][auth]", "", 400, "Missing field"},
		{"subscription[endpoint]", "http://push.example/1", 422, "https"},
		{"subscription[endpoint]", "https://127.0.0.1/1", 422, "public"},
		{"subscription[endpoint]", "https://[::1]/1", 422, "public"},
		{"subscription[endpoint]", "https://10.0.0.1/1", 422, "public"},
		{"subscription[endpoint]", "https://localhost/1", 422, "public"},
		{"subscription[endpoint]", "https://me:secret@push.example/1", 422, "public"},
		{"subscription[endpoint]", "javascript:alert(1)", 422, "https"},
		{"subscription[endpoint]", "https://push.example/" + strings.Repeat("x", 5000), 422, "long"},
		{"subscription[keys][p256dh]", good.P256dh[:80], 422, "P-256"},
		{"subscription[keys][p256dh]", "???", 422, "P-256"},
		{"subscription[keys][auth]", good.Auth + "AAAA", 422, "16 bytes"},
		{"data[policy]", "strangers", 422, "policy"},
	} {
		a := call(t, s, token, "POST", pushPath, "application/x-www-form-urlencoded", form(c.name, c.value))
		if a.status != c.status || !strings.Contains(a.body, c.says) || !strings.HasPrefix(a.body, `{"error":`) {
			t.Errorf("%s=%.40s: %d %.200s", c.name, c.value, a.status, a.body)
		}
	}
	if a := call(t, s, token, "PUT", pushPath, "application/json", `{"data":{"policy":"strangers","alerts":{"follow":true}}}`); a.status != 422 {
		t.Errorf("%d %s", a.status, a.body)
	}
	got, err := s.Client("ann").Push.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Error(diff)
	}
	if a := call(t, s, s.Token("ann", "read write follow"), "GET", pushPath, "", ""); a.status != 403 {
		t.Errorf("without the scope: %d %s", a.status, a.body)
	}
	// A name that resolves to this machine is not called, and the device is
	// removed.
	if err := dbtest.Exec(t, s.DB, "UPDATE push_subscriptions SET endpoint = '"+service.Device.Endpoint+"'"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "@ann hello", Visibility: "public"}); err != nil {
		t.Fatal(err)
	}
	servertest.Eventually(t, "the device is forgotten", func() bool {
		_, err := s.Client("ann").Push.Get(t.Context())
		return errors.Is(err, client.ErrNotFound)
	})
	if len(service.Messages) != 0 {
		t.Error("a device on this machine was called")
	}
	if err := s.Client("ann").Push.Unsubscribe(t.Context()); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("unsubscribing from nothing: %v", err)
	}
}

// TestKeysOfTheSettingsWin saves a valid pair of keys, and then an invalid one.
func TestKeysOfTheSettingsWin(t *testing.T) {
	const public = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	s, service := servertest.Start(t, func(c *config.Settings) {
		c.Push = config.Push{Subject: "mailto:push@svc.example", PublicKey: public, PrivateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"}
	}), webpushtest.Start(t)
	job := device(t, s, service, everyAlert)
	if err := s.Push.Send(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if _, m := read(t, service); m.Key != public || m.Claims["sub"] != "mailto:push@svc.example" {
		t.Errorf("%s %v", m.Key, m.Claims)
	}
	without := *s.Settings.Load()
	without.Push.PrivateKey = ""
	if err := s.Settings.Swap(without); err != nil {
		t.Fatal(err)
	}
	if a := call(t, s, s.Token("ann", servertest.AllScopes), "GET", pushPath, "", ""); a.status != 403 {
		t.Errorf("without a key: %d %s", a.status, a.body)
	}
	if a := call(t, s, "", "GET", "/api/v1/instance", "", ""); !strings.Contains(a.body, `"vapid_public_key":null`) {
		t.Errorf("%s", a.body)
	}
}

// TestAPushIsSentOnceThoughItsJobIsDoneAgain does the job of a push that was sent, as after a
// process that ended before it noted that; that of one whose process stops while the push
// service has the message and did not answer; and that of one that could not be sent.
func TestAPushIsSentOnceThoughItsJobIsDoneAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		service := webpushtest.Start(t)
		job := device(t, s, service, everyAlert)
		again := func(what string, ctx context.Context, want int, fails bool) {
			t.Helper()
			if err := s.Push.Send(ctx, job); (err != nil) != fails {
				t.Errorf("%s: %v", what, err)
			}
			if n := len(service.Messages); n != want {
				t.Errorf("%s: %d messages, want %d", what, n, want)
			}
			for len(service.Messages) > 0 {
				<-service.Messages
			}
		}
		anew := func() {
			t.Helper()
			if err := dbtest.Exec(t, s.DB, "DELETE FROM pushes_sent"); err != nil {
				t.Fatal(err)
			}
		}
		again("sent", t.Context(), 1, false)
		again("sent, done again", t.Context(), 0, false)
		anew()
		service.Answer(webpushtest.Answer{Status: 503}, webpushtest.Answer{Status: 429, RetryAfter: "1"})
		again("an outage", t.Context(), 1, true)
		again("a pause", t.Context(), 1, true)
		again("after an outage", t.Context(), 1, false)
		again("after an outage, done again", t.Context(), 0, false)
		anew()
		service.Answer(webpushtest.Answer{})
		again("the connection breaks", t.Context(), 1, true)
		again("after it broke", t.Context(), 1, false)
		anew()
		stopping, stop := context.WithCancel(t.Context())
		service.Hold(stop)
		again("the process stops", stopping, 1, true)
		again("the process stopped", t.Context(), 0, false)
		anew()
		stopped, stop := context.WithCancel(t.Context())
		stop()
		again("stopped before", stopped, 0, true)
		again("stopped before, done again", t.Context(), 1, false)
		if err := s.Push.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		again("swept too early", t.Context(), 0, false)
		s.Advance(49 * time.Hour)
		if err := s.Push.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		if left, err := s.DB.BeginPush(t.Context(), db.Push{SubscriptionID: job.SubscriptionID, NotificationID: job.NotificationID}); err != nil || !left {
			t.Errorf("it is not swept: %v, %v", left, err)
		}
	})
}
