package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// moderationEvent is the payload of a frame.
func moderationEvent(t *testing.T, f frame) api.ModerationEvent {
	t.Helper()
	var e api.ModerationEvent
	if err := json.Unmarshal([]byte(f.Payload), &e); err != nil {
		t.Fatalf("%q: %v", f.Payload, err)
	}
	return e
}

// sameJSON compares the JSON of one object from a stream and from the admin
// API.
func sameJSON(t *testing.T, what string, streamed, read json.RawMessage) {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal(streamed, &a), json.Unmarshal(read, &b)); err != nil {
		t.Fatalf("%s: %v: %s, %s", what, err, streamed, read)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func needsApproval(s *config.Settings) { s.Instance.AccountApprovalRequired = true }

func register(t *testing.T, s *servertest.Server, name string) {
	t.Helper()
	agreed := api.Bool(true)
	must(s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
		Username: name, Password: servertest.Password, Email: name + "@example.org", Agreement: &agreed, Reason: "tea",
	}))(t)
}

// nonsense is a job without a worker, with one attempt.
type nonsense struct{}

func (nonsense) Kind() string { return "nonsense" }

func (nonsense) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// TestModeratorsHearOfTheirWork changes an object of each kind that moderators
// look after. The events, in another process too, must equal the objects of the
// admin API.
func TestModeratorsHearOfTheirWork(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		root, tess := s.Admin("root").Admin, s.Admin("tess").Admin
		bob := s.User("bob").ID
		o := dial(t, there, s.Token("root", servertest.AdminScopes), "stream=svc:moderation")
		expect := func(name, what, id string) json.RawMessage {
			t.Helper()
			e := moderationEvent(t, o.until(name, id))
			if e.Event != what {
				t.Errorf("%s %s: %s, want %s", name, id, e.Event, what)
			}
			return e.Object
		}
		logged := func(action string) {
			t.Helper()
			for {
				var entry api.LogEntry
				if err := json.Unmarshal(expect("svc:log", "added", ""), &entry); err != nil {
					t.Fatal(err)
				}
				if entry.Data.Action == action {
					newest := must(root.Log.List(api.LogQuery{PageSize: 1}).Page(ctx))(t).Items[0]
					sameJSON(t, action, entry.Raw, newest.Raw)
					return
				}
			}
		}

		filed := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob, Comment: "<b>spam</b> & more"}))(t).ID
		sameJSON(t, "a new report", expect("svc:report", "added", filed), must(root.Reports.Get(ctx, filed))(t).Raw)
		must(0, tess.Reports.AddNote(ctx, filed, "looking"))(t)
		noted := must(root.Reports.Get(ctx, filed))(t)
		sameJSON(t, "a note", expect("svc:report", "changed", filed), noted.Raw)
		logged("report_note")
		must(0, tess.Reports.Update(ctx, api.ReportUpdate{ID: filed, State: api.ReportResolved}))(t)
		sameJSON(t, "a resolved report", expect("svc:report", "changed", filed), must(root.Reports.Get(ctx, filed))(t).Raw)
		logged("report_update")
		must(0, tess.Reports.DeleteNote(ctx, filed, noted.Notes[0].ID))(t)
		sameJSON(t, "without the note", expect("svc:report", "changed", filed), must(root.Reports.Get(ctx, filed))(t).Raw)

		for _, name := range []string{"cat", "dan"} {
			register(t, s, name)
			waiting := must(root.Users.Get(ctx, name))(t)
			sameJSON(t, name, expect("svc:registration", "added", waiting.AccountID), waiting.Raw)
		}
		cat, dan := s.User("cat").ID, s.User("dan").ID
		must(tess.Users.Approve(ctx, "cat"))(t)
		must(tess.Users.Delete(ctx, "dan"))(t)
		for _, id := range []string{cat, dan} {
			if object := expect("svc:registration", "gone", id); string(object) != "null" {
				t.Errorf("an object of %s: %s", id, object)
			}
		}

		must(0, s.DB.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, nonsense{}) }))(t)
		failed := expect("svc:job", "added", "")
		job := must(root.Jobs.List(api.JobQuery{}).Page(ctx))(t).Items[0]
		sameJSON(t, "a failed job", failed, must(json.Marshal(job))(t))
		must(0, root.Jobs.Retry(ctx, job.ID))(t)
		expect("svc:job", "gone", strconv.FormatInt(job.ID, 10))
		expect("svc:job", "added", strconv.FormatInt(job.ID, 10))
	}, needsApproval)
}

// TestOnlyThoseHearWhoMayRead opens the stream with every role and scope: each
// gets events only of objects that it may read in the admin API.
func TestOnlyThoseHearWhoMayRead(t *testing.T) {
	s := servertest.Start(t, needsApproval)
	ctx := t.Context()
	s.User("ann")
	mod := s.User("mod")
	mod.IsModerator = true
	must(0, s.DB.UpdateAccount(ctx, mod, "is_moderator"))(t)
	root := s.Admin("root").Admin
	bob, head := s.User("bob").ID, must(s.DB.EventHead(ctx))(t)
	opened := map[string]*socket{}
	reads := map[string]func(c *client.Admin) error{
		"svc:report":       func(c *client.Admin) error { _, err := c.Reports.List(api.ReportQuery{}).Page(ctx); return err },
		"svc:registration": func(c *client.Admin) error { _, err := c.Users.List(api.UserQuery{}).Page(ctx); return err },
		"svc:log":          func(c *client.Admin) error { _, err := c.Log.List(api.LogQuery{}).Page(ctx); return err },
		"svc:job":          func(c *client.Admin) error { _, err := c.Jobs.List(api.JobQuery{}).Page(ctx); return err },
	}
	tokens := map[string]string{}
	for _, tt := range []struct {
		name, token string
		status      int
	}{
		{"a stranger", "", 401},
		{"a wrong token", "wrong", 401},
		{"an app", s.AppToken(), 401},
		{"a user", s.Token("ann", servertest.AllScopes), 403},
		{"a user with admin scopes", s.Token("ann", servertest.AdminScopes), 403},
		{"a moderator", s.Token("mod", servertest.AdminScopes), 403},
		{"an admin without admin scopes", s.Token("root", servertest.AllScopes), 403},
		{"an admin with another scope", s.Token("root", "admin:read:invites"), 403},
		{"an admin who only writes", s.Token("root", "admin:write"), 403},
		{"an admin", s.Token("root", servertest.AdminScopes), 101},
		{"an admin who reads", s.Token("root", "admin:read"), 101},
		{"an admin for reports", s.Token("root", "admin:read:reports"), 101},
		{"an admin for accounts", s.Token("root", "admin:read:accounts"), 101},
	} {
		conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/streaming?stream=svc:moderation",
			&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + tt.token}}})
		if resp == nil || resp.StatusCode != tt.status {
			t.Errorf("%s: %v, %v, want %d", tt.name, resp, err, tt.status)
			continue
		}
		if conn != nil {
			conn.SetReadLimit(1 << 20)
			t.Cleanup(func() { _ = conn.CloseNow() })
			opened[tt.name], tokens[tt.name] = &socket{t: t, name: tt.name, conn: conn}, tt.token
			continue
		}
		for _, path := range []string{"/svc/moderation", "?stream=svc:moderation"} {
			req := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/streaming"+path, nil)
			if tt.token != "" {
				req.Header.Set("Authorization", "Bearer "+tt.token)
			}
			got := httptest.NewRecorder()
			if s.Handler().ServeHTTP(got, req); got.Code != tt.status || !json.Valid(got.Body.Bytes()) {
				t.Errorf("%s at %s: %d %s, want %d", tt.name, path, got.Code, got.Body, tt.status)
			}
		}
		if tt.token == "wrong" {
			continue // which opens nothing at all
		}
		o := dial(t, s, tt.token, "")
		must(0, o.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"subscribe","stream":"svc:moderation"}`)))(t)
		if f := o.next(); f.Status != tt.status {
			t.Errorf("%s subscribes: %+v, want %d", tt.name, f, tt.status)
		}
	}

	everything := func(round string) {
		t.Helper()
		must(0, s.DB.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, nonsense{}) }))(t)
		must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t)
		register(t, s, "new"+round)
		must(root.Users.Deactivate(ctx, "bob"))(t)
		// Every reader gets one of these two events, which are the last.
		register(t, s, "last"+round)
		must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t)
		servertest.Eventually(t, "the job failed", func() bool {
			failed := must(root.Jobs.List(api.JobQuery{}).Page(ctx))(t)
			return slices.ContainsFunc(failed.Items, func(j api.Job) bool { return j.Kind == "nonsense" })
		})
	}
	everything("a")
	for name, o := range opened {
		c := s.With(tokens[name]).Admin
		want := []string{}
		for event, read := range reads {
			if read(c) == nil {
				want = append(want, event)
			}
		}
		slices.Sort(want)
		got := []string{}
		for len(got) < len(want) {
			if f := o.next(); !slices.Contains(got, f.Event) {
				got = append(got, f.Event)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", name, diff)
		}
		// The same events are kept for readers that connect later.
		seen := map[string]bool{}
		for e, err := range s.With(tokens[name]).Streams.Listen(ctx, api.StreamQuery{Stream: api.StreamModeration}, head.String()) {
			if err != nil {
				t.Fatal(name, err)
			}
			if seen[e.Name] = true; len(seen) == len(want) {
				break
			}
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(seen))); diff != "" {
			t.Errorf("%s, later: %s", name, diff)
		}
	}
	reports := opened["an admin for reports"]
	must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t)
	reports.until("svc:report", "")
	for _, f := range reports.seen {
		if f.Event != "svc:report" {
			t.Errorf("who may read reports alone hears %+v", f)
		}
	}
}

// TestWhoModeratesNoLongerIsCutOff removes the role of an admin with an open
// stream, in another process too. The stream gets no later event.
func TestWhoModeratesNoLongerIsCutOff(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		root := s.Admin("root").Admin
		o := dial(t, there, s.Token("tess", servertest.AdminScopes), "stream=svc:moderation")
		kept := dial(t, there, s.Token("tess", servertest.AdminScopes), "stream=user")
		bob := s.User("bob").ID
		filed := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t).ID
		o.until("svc:report", filed)
		must(root.Users.RemoveRole(ctx, "admin", "tess"))(t)
		secret := must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob}))(t).ID
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		for {
			_, text, err := o.conn.Read(ctx)
			if err != nil {
				if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
					t.Errorf("closed with %v", err)
				}
				break
			}
			if strings.Contains(string(text), secret) {
				t.Errorf("who is no admin any more hears %s", text)
			}
		}
		kept.until("update", say(t, s.Client("tess"), "still here").ID)
		_, err := collectFirst(s.With(s.Token("tess", servertest.AdminScopes)).Streams.Listen(ctx, api.StreamQuery{Stream: api.StreamModeration}, ""))
		if !errors.Is(err, client.ErrForbidden) {
			t.Errorf("they come again: %v", err)
		}
	})
}
