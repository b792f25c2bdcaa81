package clientapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// unusedFile makes an unused file of somebody's.
func unusedFile(t *testing.T, s *servertest.Server, nickname string) string {
	t.Helper()
	files := []db.MediaAttachment{{AccountID: s.User(nickname).ID, Type: "image", URL: "/media/x.png", MimeType: "image/png", Description: "a cat"}}
	if err := s.DB.CreateAttachments(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(files[0].ID)
}

func inFuture(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

func TestStatusesAreScheduledMovedAndCancelled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		parent := publish(t, bob, api.NewStatus{Status: "parent"})
		file, ends := unusedFile(t, s, "ann"), api.Int(600)
		form := api.NewStatus{
			Status: "later", SpoilerText: "cw", Sensitive: new(api.Bool(true)), Visibility: "private", InReplyToID: parent.ID, MediaIDs: []string{file},
			ScheduledAt: inFuture(time.Hour), Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &ends},
		}
		row, err := ann.Statuses.Schedule(ctx, form, client.IdempotencyKey("k"))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "scheduled_status", regexp.MustCompile(`"id":"\d+"|"media_ids":\["\d+"\]`).ReplaceAllStringFunc(unchanging(string(row.Raw), map[string]string{parent.ID: "PARENT"}),
			func(s string) string { return regexp.MustCompile(`\d+`).ReplaceAllString(s, "7") }))
		if again, err := ann.Statuses.Schedule(ctx, form, client.IdempotencyKey("k")); err != nil || again.ID != row.ID {
			t.Errorf("%+v %v", again, err)
		}
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{MediaIDs: []string{file}}); status(err) != 422 {
			t.Errorf("its file was used elsewhere: %v", err)
		}
		other, err := ann.Statuses.Schedule(ctx, api.NewStatus{Status: "another", ScheduledAt: inFuture(2 * time.Hour)})
		if err != nil || other.Params.Visibility != nil || other.MediaAttachments == nil || strings.Contains(string(other.Raw), "media_ids") {
			t.Fatalf("%+v %v", other, err)
		}
		var all []string
		for r, err := range ann.ScheduledStatuses.List(api.PageQuery{Limit: 1}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r.ID)
		}
		if diff := cmp.Diff([]string{other.ID, row.ID}, all); diff != "" {
			t.Error(diff)
		}
		moved, err := ann.ScheduledStatuses.Reschedule(ctx, row.ID, api.Reschedule{ScheduledAt: inFuture(3 * time.Hour)})
		if err != nil || moved.ScheduledAt.Sub(row.ScheduledAt.Time) < 90*time.Minute || !moved.Params.ScheduledAt.Equal(moved.ScheduledAt.Time) {
			t.Errorf("%+v %v", moved, err)
		}
		if _, err := ann.ScheduledStatuses.Reschedule(ctx, row.ID, api.Reschedule{ScheduledAt: inFuture(time.Minute)}); status(err) != 422 || !strings.Contains(err.Error(), "must be at least 5 minutes from now") {
			t.Errorf("%v", err)
		}
		if _, err := ann.ScheduledStatuses.Reschedule(ctx, row.ID, api.Reschedule{ScheduledAt: "soon"}); status(err) != 400 {
			t.Errorf("%v", err)
		}
		if got, err := ann.ScheduledStatuses.Get(ctx, row.ID); err != nil || string(got.Raw) != string(moved.Raw) {
			t.Errorf("%+v %v", got, err)
		}
		for _, err := range []error{
			errOf(bob.ScheduledStatuses.Get(ctx, row.ID)), errOf(bob.ScheduledStatuses.Delete(ctx, row.ID)), errOf(bob.ScheduledStatuses.Get(ctx, "x")),
			errOf(bob.ScheduledStatuses.Reschedule(ctx, row.ID, api.Reschedule{ScheduledAt: inFuture(time.Hour)})),
		} {
			if status(err) != 404 {
				t.Errorf("somebody else's: %v", err)
			}
		}
		if gone, err := ann.ScheduledStatuses.Delete(ctx, row.ID); err != nil || string(gone.Raw) != string(moved.Raw) {
			t.Errorf("%+v %v", gone, err)
		}
		if _, err := ann.ScheduledStatuses.Get(ctx, row.ID); status(err) != 404 {
			t.Errorf("%v", err)
		}
		publish(t, ann, api.NewStatus{MediaIDs: []string{file}})
	})
}

func TestWhatIsScheduledForSoonIsPostedAtOnce(t *testing.T) {
	s := servertest.Start(t)
	ann := s.Client("ann")
	for _, at := range []string{inFuture(4 * time.Minute), inFuture(-time.Hour), "2001-01-01T00:00:00.000Z"} {
		if got := publish(t, ann, api.NewStatus{Status: "now", ScheduledAt: at}); got.Svc.Content.Plain != "now" {
			t.Errorf("%s", got.Raw)
		}
	}
	if _, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: "x", ScheduledAt: "tomorrow"}); status(err) != 400 {
		t.Errorf("%v", err)
	}
}

// The job runner posts and deletes statuses when they are due, once, even if
// two servers run it.
func TestJobsPostAndDeleteInTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		if s.DB.Dialect() == db.Postgres {
			s.Second(t)
		}
		brief := publish(t, ann, api.NewStatus{Status: "brief", ExpiresIn: new(api.Int(3601))})
		if brief.Svc.ExpiresAt == nil {
			t.Errorf("%s", brief.Raw)
		}
		if seen, err := s.Client("bob").Statuses.Get(ctx, brief.ID); err != nil || seen.Svc.ExpiresAt != nil {
			t.Errorf("a stranger learns when it ends: %+v %v", seen, err)
		}
		for i := range 5 {
			if _, err := ann.Statuses.Schedule(ctx, api.NewStatus{Status: fmt.Sprint("due ", i), ScheduledAt: inFuture(time.Hour)}); err != nil {
				t.Fatal(err)
			}
		}
		due := time.Now().Add(-time.Second).UnixMicro()
		for _, query := range []string{"UPDATE scheduled_statuses SET scheduled_at = ?", "UPDATE statuses SET expires_at = ? WHERE expires_at IS NOT NULL"} {
			if err := dbtest.Exec(t, s.DB, query, due); err != nil {
				t.Fatal(err)
			}
		}
		now := any(time.Now().UTC().Add(-time.Second))
		if s.DB.Dialect() == db.SQLite {
			now = time.Now().UTC().Add(-time.Second).Format("2006-01-02 15:04:05.000")
		}
		if err := dbtest.Exec(t, s.DB, "UPDATE river_job SET state = 'available', scheduled_at = ? WHERE state = 'scheduled'", now); err != nil {
			t.Fatal(err)
		}
		var got []string
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			list, err := ann.Accounts.Statuses(s.User("ann").ID, api.AccountStatusQuery{}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got = plainTexts(list.Items); len(got) == 5 && !slices.Contains(got, "brief") {
				break
			}
			<-time.After(50 * time.Millisecond)
		}
		seen := map[string]int{}
		for _, text := range got {
			seen[text]++
		}
		if diff := cmp.Diff(map[string]int{"due 0": 1, "due 1": 1, "due 2": 1, "due 3": 1, "due 4": 1}, seen); diff != "" {
			t.Error(diff)
		}
		if rest, err := ann.ScheduledStatuses.List(api.PageQuery{}).Page(ctx); err != nil || len(rest.Items) != 0 {
			t.Errorf("%v %v", rest.Items, err)
		}
	})
}

// A preview equals the status, except for fields that only a stored status has.
func TestAPreviewLooksLikeThePost(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		parent := publish(t, bob, api.NewStatus{Status: "parent"})
		file, ends := unusedFile(t, s, "ann"), api.Int(600)
		for name, form := range map[string]api.NewStatus{
			"a reply with everything": {
				Status: "*hi* @bob #Tag https://a.example/x", ContentType: "text/markdown", SpoilerText: "cw", Visibility: "unlisted", InReplyToID: parent.ID,
				MediaIDs: []string{file}, Language: "en", ExpiresIn: new(api.Int(7200)),
			},
			"a poll":       {Status: "which?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &ends, Multiple: true}},
			"a direct one": {Status: "@bob psst", Visibility: "direct"},
			"html":         {Status: "<b onclick=x>b</b><script>alert(1)</script>", ContentType: "text/html", Visibility: "private", Sensitive: new(api.Bool(true))},
		} {
			form.Preview = true
			preview, err := ann.Statuses.Post(ctx, form, client.IdempotencyKey("k"+name))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if preview.ID != "svc:fakeid" {
				t.Errorf("%s: id %s", name, preview.ID)
			}
			form.Preview = false
			posted, err := ann.Statuses.Post(ctx, form, client.IdempotencyKey("k"+name))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if posted.ID == preview.ID {
				t.Fatalf("%s: the preview was answered for the post", name)
			}
			if diff := cmp.Diff(withoutIdentity(t, posted), withoutIdentity(t, preview)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

// withoutIdentity is a status without the fields that only a stored one has.
func withoutIdentity(t *testing.T, s *api.Status) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(s.Raw, &v); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "uri", "url", "created_at"} {
		delete(v, name)
	}
	for _, name := range []string{"conversation_id", "direct_conversation_id", "expires_at"} {
		delete(v["svc"].(map[string]any), name)
	}
	for _, name := range []string{"statuses_count", "last_status_at"} {
		delete(v["account"].(map[string]any), name)
	}
	if p, ok := v["poll"].(map[string]any); ok {
		delete(p, "id")
		delete(p, "expires_at")
	}
	return v
}

func TestAStatusIsRedraftedWithItsFiles(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann := s.Client("ann")
	file := unusedFile(t, s, "ann")
	posted := publish(t, ann, api.NewStatus{Status: "*typo*", ContentType: "text/markdown", MediaIDs: []string{file}})
	gone, err := ann.Statuses.Delete(ctx, posted.ID)
	if err != nil || *gone.Text != "*typo*" || gone.MediaAttachments[0].ID != file {
		t.Fatalf("%+v %v", gone, err)
	}
	again := publish(t, ann, api.NewStatus{Status: "*fixed*", ContentType: "text/markdown", MediaIDs: []string{gone.MediaAttachments[0].ID}})
	if len(again.MediaAttachments) != 1 || *again.MediaAttachments[0].Description != "a cat" {
		t.Errorf("%s", again.Raw)
	}
}
