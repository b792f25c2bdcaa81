package server_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/webpush/webpushtest"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// TestNarrowedStreamsFollowWhatPeopleChange: one socket has many streams. While it is
// open, Ann blocks a domain, hides reblogs, mutes a thread, and blocks a person who is
// mentioned. Afterwards each stream has the statuses that its timeline has.
func TestNarrowedStreamsFollowWhatPeopleChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben, zed := s.Client("ann"), s.Client("ben"), s.Client("zed")
		me := must(s.DB.Account(ctx, s.User("ann").ID))(t)
		cat := must(s.DB.Account(ctx, s.User("cat").ID))(t)
		far := remote(t, s, "far@far.example")
		for _, id := range []string{s.User("ben").ID, s.User("zed").ID} {
			follow(t, ann, id)
		}
		follow(t, ann, far.ID)
		must(0, s.Social.AuthorizeFollow(ctx, far, me.ID))(t)
		root := socialtest.Post(t, s.Social, far, db.Public, activitypub.Post{Content: "<p>a thread</p>"})
		streams := map[string]struct{ command, timeline string }{
			"user":                            {`"stream":"user"`, "home"},
			"direct":                          {`"stream":"direct"`, "direct"},
			"hashtag tea":                     {`"stream":"hashtag","tag":"tea"`, "tag/tea"},
			"hashtag:local tea":               {`"stream":"hashtag:local","tag":"tea"`, "tag/tea?local=true"},
			"public:remote":                   {`"stream":"public:remote"`, "public?remote=true"},
			"public:remote:media":             {`"stream":"public:remote:media"`, "public?remote=true&only_media=true"},
			"public:local:media":              {`"stream":"public:local:media"`, "public?local=true&only_media=true"},
			"public:remote far.example":       {`"stream":"public:remote","instance":"far.example"`, "public?remote=true&instance=far.example"},
			"public:remote:media far.example": {`"stream":"public:remote:media","instance":"far.example"`, "public?remote=true&only_media=true&instance=far.example"},
		}
		token := s.Token("ann", servertest.AllScopes)
		o := dial(t, s, token, "")
		for _, stream := range streams {
			if err := o.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"subscribe",`+stream.command+`}`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.conn.Write(ctx, websocket.MessageText, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		o.next() // the refusal of the last command: the others are done
		w := &visibilityWorld{s: s}
		picture := []activitypub.Attachment{{Kind: "image", URL: "https://far.example/a.png", MediaType: "image/png"}}
		tea := []string{"tea"}
		everything := []string{"direct", "local", "mentioning", "picture", "reblog", "reply"}
		for _, step := range []struct {
			name   string
			change func() error
			hidden []string // on all streams
		}{
			{"at first", func() error { return nil }, nil},
			{"a blocked domain", func() error { // which hides nobody who is followed
				if _, err := ann.Accounts.Unfollow(ctx, far.ID); err != nil {
					return err
				}
				return ann.DomainBlocks.Block(ctx, "far.example")
			}, []string{"direct", "mentioning", "picture", "reblog", "reply"}},
			{"no blocked domain", func() error {
				if err := ann.DomainBlocks.Unblock(ctx, "far.example"); err != nil {
					return err
				}
				follow(t, ann, far.ID)
				return s.Social.AuthorizeFollow(ctx, far, me.ID)
			}, nil},
			{"no reblogs", func() error {
				_, err := ann.Accounts.Follow(ctx, s.User("ben").ID, api.Follow{Reblogs: given(api.Bool(false))})
				return err
			}, []string{"reblog"}},
			{"reblogs", func() error {
				_, err := ann.Accounts.Follow(ctx, s.User("ben").ID, api.Follow{Reblogs: given(api.Bool(true))})
				return err
			}, nil},
			{"a muted thread", func() error { _, err := ann.Statuses.MuteThread(ctx, root.ID, api.ThreadMute{}); return err }, []string{"reply"}},
			{"no muted thread", func() error { _, err := ann.Statuses.UnmuteThread(ctx, root.ID); return err }, nil},
			{"a blocked person, mentioned", func() error { _, err := ann.Accounts.Block(ctx, cat.ID); return err }, []string{"mentioning"}},
			{"nobody blocked", func() error { _, err := ann.Accounts.Unblock(ctx, cat.ID); return err }, nil},
		} {
			if err := step.change(); err != nil {
				t.Fatal(step.name, err)
			}
			post := func(visibility string, p activitypub.Post, named ...*db.Account) *db.Status {
				p.Content, p.Hashtags = "<p>#tea</p>", tea
				return socialtest.Post(t, s.Social, far, visibility, p, named...)
			}
			shown := post(db.Public, activitypub.Post{Attachments: picture})
			names := map[string]string{
				shown.ID: "picture",
				post(db.Public, activitypub.Post{}, cat).ID:                     "mentioning",
				post(db.Public, activitypub.Post{InReplyTo: *root.URI}).ID:      "reply",
				post(db.Direct, activitypub.Post{}, me).ID:                      "direct",
				w.illustrated(t, "ben", "#tea", db.Public).ID:                   "local",
				must(ben.Statuses.Reblog(ctx, shown.ID, api.NewReblog{}))(t).ID: "reblog",
			}
			last := say(t, zed, "the end")
			got, want := map[string][]string{}, map[string][]string{}
			for f := o.next(); f.Event != "update" || f.id() != last.ID || f.Stream[0] != "user"; f = o.next() {
				if name := names[f.id()]; name != "" && f.Event == "update" {
					stream := strings.Join(f.Stream, " ")
					got[stream] = append(got[stream], name)
				}
			}
			for name, stream := range streams {
				separator := "?"
				if strings.Contains(stream.timeline, "?") {
					separator = "&"
				}
				answer := s.Get(ctx, "/api/v1/timelines/"+stream.timeline+separator+"limit=20", token)
				var timeline []api.Status
				if err := json.Unmarshal(answer.Body.Bytes(), &timeline); err != nil {
					t.Fatal(stream.timeline, answer)
				}
				for _, status := range timeline {
					if n := names[status.ID]; n != "" {
						want[name] = append(want[name], n)
					}
				}
			}
			seen := map[string]bool{}
			for _, m := range []map[string][]string{got, want} {
				for _, list := range m {
					slices.Sort(list)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", step.name, diff)
			}
			for _, list := range got {
				for _, name := range list {
					seen[name] = true
				}
			}
			if diff := cmp.Diff(slices.DeleteFunc(slices.Clone(everything), func(n string) bool { return slices.Contains(step.hidden, n) }), slices.Sorted(maps.Keys(seen))); diff != "" {
				t.Errorf("%s, on any stream: %s", step.name, diff)
			}
		}
	})
}

// TestNotificationsThatAreHiddenAreNeitherStreamedNorPushed: people mention Ann whom she
// blocks or mutes, whose server she blocks, or in a thread that she mutes. Each
// notification is stored, and heard nowhere.
func TestNotificationsThatAreHiddenAreNeitherStreamedNorPushed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, service := t.Context(), webpushtest.Start(t)
		ann := s.Client("ann")
		me := must(s.DB.Account(ctx, s.User("ann").ID))(t)
		must(ann.Push.Subscribe(ctx, api.NewPushSubscription{
			Subscription: api.PushTarget{Endpoint: service.Device.Endpoint, Keys: api.PushKeys{P256dh: service.Device.P256dh, Auth: service.Device.Auth}},
			Data:         api.PushData{Alerts: &api.PushAlerts{Mention: true}},
		}))(t)
		blocked, muted, quiet, far := s.User("blocked"), s.User("muted"), s.User("quiet"), remote(t, s, "far@far.example")
		must(ann.Accounts.Block(ctx, blocked.ID))(t)
		must(ann.Accounts.Mute(ctx, muted.ID, api.Mute{}))(t)
		must(ann.Accounts.Mute(ctx, quiet.ID, api.Mute{Notifications: given(api.Bool(false))}))(t)
		must(0, ann.DomainBlocks.Block(ctx, "far.example"))(t)
		thread := say(t, ann, "a thread")
		must(ann.Statuses.MuteThread(ctx, thread.ID, api.ThreadMute{}))(t)
		token := s.Token("ann", servertest.AllScopes)
		user, told := dial(t, s, token, "stream=user"), dial(t, s, token, "stream=user:notification")
		say(t, s.Client("blocked"), "@ann blocked")
		say(t, s.Client("muted"), "@ann muted")
		say(t, s.Client("eve"), "@ann in the thread", func(f *api.NewStatus) { f.InReplyToID = thread.ID })
		postBy(t, s, far, "@ann from afar", db.Public)
		heard := []string{say(t, s.Client("quiet"), "@ann muted without notifications").ID, say(t, s.Client("zed"), "@ann the end").ID}
		for _, o := range []*socket{user, told} {
			for _, want := range heard {
				var n api.Notification
				if err := json.Unmarshal([]byte(o.until("notification", "").Payload), &n); err != nil || n.Status == nil || n.Status.ID != want || n.Svc.IsMuted {
					t.Errorf("%s: %+v, %v; want the status %s", o.name, n, err, want)
				}
			}
		}
		rows := must(s.DB.Notifications(ctx, db.Viewer{ID: me.ID}, db.NotificationFilter{}, db.Page{Limit: 100}))(t)
		// The first is seen from the start, as that of a muted person, and not pushed.
		select {
		case m := <-service.Messages:
			var pushed struct {
				ID json.Number `json:"notification_id"`
			}
			err := json.Unmarshal(m.Text, &pushed)
			id, _ := strconv.ParseInt(pushed.ID.String(), 10, 64)
			at := slices.IndexFunc(rows, func(n db.Notification) bool { return n.ID == id })
			if err != nil || at < 0 || rows[at].StatusID != heard[1] {
				t.Errorf("pushed %s, %v", m.Text, err)
			}
		case <-time.After(patience):
			t.Fatal("not pushed")
		}
		select {
		case m := <-service.Messages:
			t.Errorf("pushed %s", m.Text)
		default:
		}
		shown := must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items
		all := must(ann.Notifications.List(api.NotificationQuery{WithMuted: true}).Page(ctx))(t).Items
		hidden := map[string]bool{} // with_muted lists none of who is blocked
		for _, n := range all {
			hidden[n.Account.Acct] = n.Svc.IsMuted
		}
		if diff := cmp.Diff(map[string]bool{"muted": true, "eve": true, "quiet": false, "zed": false}, hidden); diff != "" || len(shown) != len(heard) {
			t.Errorf("listed are %d, with muted ones: %s", len(shown), diff)
		}
	})
}
