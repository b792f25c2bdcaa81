package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestOpenStreamsFollowWhatPeopleChange: Ann changes her follows, lists, mutes,
// blocks and filters while her streams are open. Afterwards the streams have
// those of Ben's statuses that her timelines have.
func TestOpenStreamsFollowWhatPeopleChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		ann, ben, zed := s.Client("ann"), s.Client("ben"), s.Client("zed")
		benID, token := s.User("ben").ID, s.Token("ann", servertest.AllScopes)
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "x"}))(t).ID
		for _, name := range []string{"ben", "zed"} {
			follow(t, ann, s.User(name).ID)
			must(0, ann.Lists.Add(ctx, list, s.User(name).ID))(t)
		}
		timelines := map[string]string{"stream=user": "home", "stream=public": "public", "stream=list&list=" + list: "list/" + list}
		open := map[string]*socket{}
		for query := range timelines {
			open[query] = dial(t, there, token, query)
		}
		var filter *api.Filter
		for _, step := range []struct {
			name   string
			change func() error
			hears  int // of the three streams
		}{
			{"at first", func() error { return nil }, 3},
			{"filtered", func() (err error) {
				filter, err = ann.Filters.Create(ctx, api.NewFilter{Phrase: given("rain"), Context: []string{"home", "public"}, Irreversible: given(api.Bool(true))})
				return err
			}, 0},
			{"not filtered", func() error { return ann.Filters.Delete(ctx, filter.ID) }, 3},
			{"muted", func() error { _, err := ann.Accounts.Mute(ctx, benID, api.Mute{}); return err }, 0},
			{"not muted", func() error { _, err := ann.Accounts.Unmute(ctx, benID); return err }, 3},
			{"off the list", func() error { return ann.Lists.Remove(ctx, list, benID) }, 2},
			{"on the list", func() error { return ann.Lists.Add(ctx, list, benID) }, 3},
			{"not followed", func() error { _, err := ann.Accounts.Unfollow(ctx, benID); return err }, 1},
			{"followed", func() error { _, err := ann.Accounts.Follow(ctx, benID, api.Follow{}); return err }, 3},
			{"blocked", func() error { _, err := ann.Accounts.Block(ctx, benID); return err }, 0},
			{"not blocked", func() error { _, err := ann.Accounts.Unblock(ctx, benID); return err }, 1},
		} {
			if err := step.change(); err != nil {
				t.Fatal(step.name, err)
			}
			said := say(t, ben, "rain").ID
			last := say(t, zed, "the end").ID
			hears := 0
			for query, timeline := range timelines {
				o := open[query]
				o.seen = nil
				o.until("update", last)
				var shown []api.Status
				if err := json.Unmarshal(s.Get(ctx, "/api/v1/timelines/"+timeline+"?limit=2", token).Body.Bytes(), &shown); err != nil {
					t.Fatal(err)
				}
				want := []string{}
				for _, status := range shown {
					if status.ID >= said {
						want = append(want, status.ID)
					}
				}
				slices.Sort(want)
				got := o.ids("update")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s: %s", step.name, query, diff)
				}
				if slices.Contains(got, said) {
					hears++
				}
			}
			if hears != step.hears {
				t.Errorf("%s: %d streams tell of it, want %d", step.name, hears, step.hears)
			}
		}
	})
}

// FuzzSocketFrames sends a frame to a socket: it is accepted or refused, and
// the socket still serves.
func FuzzSocketFrames(f *testing.F) {
	for _, seed := range []string{
		`{"type":"subscribe","stream":"user"}`, `{"type":"unsubscribe","stream":"user"}`, `{"type":"subscribe","stream":"list","list":7}`,
		`{"type":"subscribe","stream":"list","list":{"a":[]}}`, `{"type":"subscribe","stream":"hashtag","tag":"#Tea "}`, `{"type":"subscribe","stream":"svc:moderation"}`,
		`{"type":"subscribe","stream":"public:remote","instance":"[::1]:99999/%00"}`, `{"type":"subscribe","stream":":::"}`, `{"type":"subscribe","stream":"list","list":"9223372036854775808"}`,
		`{"type":1}`, `{}`, `[]`, `null`, `"subscribe"`, ``, `{`, "\xff\x00", strings.Repeat("[", 4000), `{"type":"subscribe","stream":"` + strings.Repeat("x", 4000) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	s := servertest.Start(f)
	token := s.Token("ann", servertest.AllScopes)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4<<10 {
			return // which ends the connection
		}
		o := dial(t, s, token, "")
		for _, frame := range [][]byte{text, []byte("[]")} {
			if err := o.conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
				t.Fatal(err)
			}
		}
		for {
			switch got := o.next(); {
			case got.Error == "Invalid JSON" && got.Status == 400: // the answer to [], or that to text
				_ = o.conn.Close(websocket.StatusNormalClosure, "")
				return
			case !slices.Contains([]int{400, 401, 403, 404, 422}, got.Status) || got.Error == "":
				t.Errorf("%q: %+v", text, got)
			}
		}
	})
}
