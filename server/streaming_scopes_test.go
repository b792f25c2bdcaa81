package server_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestHomeStreamsTellWhatTheTokenMayList: Ben mentions Ann, follows her and writes to her.
// Each of her tokens hears, live and later, of those things whose lists it may read.
func TestHomeStreamsTellWhatTheTokenMayList(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.Client("ann"), s.Client("ben")
		follow(t, ann, s.User("ben").ID)
		chat := must(ben.Chats.Open(ctx, s.User("ann").ID))(t)
		from := must(s.DB.EventHead(ctx))(t)
		tokens := map[string][]string{
			"read:statuses":                               {"update"},
			"read:statuses write":                         {"update"},
			"read:statuses read:notifications":            {"notification", "update"},
			"read:statuses read:chats":                    {"svc:chat_update", "update"},
			"read:statuses read:notifications read:chats": {"notification", "svc:chat_update", "update"},
			"read": {"notification", "svc:chat_update", "update"},
		}
		open := map[string]*socket{}
		for scopes := range tokens {
			open[scopes] = dial(t, s, s.Token("ann", scopes), "stream=user")
		}
		say(t, ben, "@ann hello")
		must(ben.Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}))(t)
		must(ben.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "psst"}))(t)
		end := say(t, ben, "the end")
		for scopes, want := range tokens {
			open[scopes].until("update", end.ID)
			var later []string
			resumed := listen(t, s, s.Token("ann", scopes), "user", from.String())
			for f, ok := resumed.next(); ; f, ok = resumed.next() {
				if later = append(later, f.Event); !ok || f.id() == end.ID {
					break
				}
			}
			var live []string
			for _, f := range open[scopes].seen {
				live = append(live, f.Event)
			}
			for what, got := range map[string][]string{"live": live, "later": later} {
				// The follow at the beginning may be told late.
				got = slices.DeleteFunc(got, func(event string) bool { return event == "svc:follow_relationships_update" })
				slices.Sort(got)
				if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
					t.Errorf("%s, with %q: %s", what, scopes, diff)
				}
			}
		}
		for _, tt := range []struct {
			scopes, stream string
			status         int
		}{
			{"read:statuses", "user:svc_chat", 401}, {"read:chats", "user:svc_chat", 101}, {"read:chats", "user", 401},
			{"read:statuses", "user:notification", 401}, {"read:notifications", "user:notification", 101}, {"read:notifications", "user", 401},
		} {
			if got := handshake(t, s, s.Token("ann", tt.scopes), tt.stream); got != tt.status {
				t.Errorf("%s with %s: %d, want %d", tt.stream, tt.scopes, got, tt.status)
			}
		}
	})
}

// handshake returns the status of the answer to a request of a socket.
func handshake(t *testing.T, s *servertest.Server, token, stream string) int {
	t.Helper()
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/streaming?stream="+url.QueryEscape(stream), &websocket.DialOptions{HTTPHeader: header})
	if conn != nil {
		_ = conn.CloseNow()
	}
	if resp == nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestAStreamThatBecomesPrivateEnds: strangers, and tokens that may not read statuses, hear
// public streams only while settings let strangers read their timelines. What becomes
// private is told to them no more, in any process, and their connections end.
func TestAStreamThatBecomesPrivateEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		writes, reads := s.Token("ben", "write"), s.Token("ben", "read:statuses")
		set := func(key string, value any) {
			t.Helper()
			must(s.Admin("root").Admin.Config.Set(ctx, ":svc", key, value))(t)
		}
		private := func(on bool) any { return client.Keyword(":public", !on) }
		restrict := func(local, federated bool) any {
			return client.Keyword(":timelines", map[string]any{":local": local, ":federated": federated})
		}
		// In this order: what is said of timelines counts more than what is said of the instance.
		for _, c := range []struct {
			name    string
			key     string
			on, off any
			ends    []string
			stays   []string
		}{
			{"private", ":instance", private(true), private(false), []string{"public", "public:local", "hashtag&tag=tea"}, nil},
			{"local", ":restrict_unauthenticated", restrict(true, false), restrict(false, false), []string{"public:local", "hashtag:local&tag=tea"}, []string{"public"}},
			{"federated", ":restrict_unauthenticated", restrict(false, true), restrict(false, false), []string{"public", "public:media"}, []string{"public:local"}},
		} {
			set(c.key, c.off)
			servertest.Eventually(t, c.name+": strangers may read", func() bool {
				return handshake(t, there, "", "public") == 101 && handshake(t, there, "", "public:local") == 101
			})
			type ear struct{ token, stream string }
			ends, stays := map[ear]*socket{}, map[ear]*socket{}
			for _, stream := range c.ends {
				ends[ear{"", stream}], ends[ear{writes, stream}] = dial(t, there, "", "stream="+stream), dial(t, there, writes, "stream="+stream)
				stays[ear{reads, stream}] = dial(t, there, reads, "stream="+stream)
			}
			for _, stream := range c.stays {
				stays[ear{"", stream}], stays[ear{writes, stream}] = dial(t, there, "", "stream="+stream), dial(t, there, writes, "stream="+stream)
			}
			set(c.key, c.on)
			for e, o := range ends {
				for {
					within, cancel := context.WithTimeout(ctx, patience)
					_, text, err := o.conn.Read(within)
					cancel()
					if err != nil {
						if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
							t.Errorf("%s: %q of token %q ends with %v", c.name, e.stream, e.token, err)
						}
						break
					}
					t.Errorf("%s: %s has %s", c.name, e.stream, text)
				}
				if !strings.Contains(e.stream, "&") {
					if got := handshake(t, there, e.token, e.stream); got != 401 {
						t.Errorf("%s: %s opens with %d", c.name, e.stream, got)
					}
				}
			}
			w := &visibilityWorld{s: s}
			end := w.illustrated(t, "ann", "#tea", db.Public)
			for _, o := range stays {
				o.until("update", end.ID)
			}
			set(c.key, c.off)
		}
	})
}

// TestATokenThatMayNotReadStatusesHearsAsAStranger: Ann muted Ben. Her token for lists
// hears of him on the public stream, as its public timeline shows him.
func TestATokenThatMayNotReadStatusesHearsAsAStranger(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	must(s.Client("ann").Accounts.Mute(ctx, s.User("ben").ID, api.Mute{}))(t)
	lists, all := dial(t, s, s.Token("ann", "read:lists"), "stream=public"), dial(t, s, s.Token("ann", "read"), "stream=public")
	said, end := say(t, s.Client("ben"), "hello"), say(t, s.Client("zed"), "the end")
	lists.until("update", end.ID)
	all.until("update", end.ID)
	if got := lists.ids("update"); !slices.Contains(got, said.ID) {
		t.Errorf("it hears %v", got)
	}
	if got := all.ids("update"); slices.Contains(got, said.ID) {
		t.Errorf("a muted person is told of: %v", got)
	}
	if f := lists.seen[0]; strings.Contains(f.Payload, `"muted":true`) {
		t.Errorf("told %s", f.Payload)
	}
}
