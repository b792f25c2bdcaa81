package social_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/outbox"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

// in returns the world's service with a clock that is d ahead.
func (w *world) in(d time.Duration) *social.Service {
	return social.New(social.Parts{DB: w.d, Settings: w.settings, Site: config.NewSite(dbtest.Base, false), Outbox: outbox.New(w.settings, dbtest.Base), Now: func() time.Time { return time.Now().Add(d) }})
}

func (w *world) schedule(by *db.Account, in social.NewStatus, at time.Time) *db.ScheduledStatus {
	w.t.Helper()
	row, err := w.ScheduleStatus(w.t.Context(), by, in, at)
	w.must(err)
	return row
}

// uploads creates unused files of an account.
func (w *world) uploads(by *db.Account, n int) []int64 {
	w.t.Helper()
	files := make([]db.MediaAttachment, n)
	for i := range files {
		files[i] = db.MediaAttachment{AccountID: by.ID, Type: "image", URL: fmt.Sprintf("/media/%d.png", i)}
	}
	w.must(w.d.CreateAttachments(w.t.Context(), files))
	ids := make([]int64, n)
	for i := range files {
		ids[i] = files[i].ID
	}
	return ids
}

func TestAScheduledStatusIsPostedOnceAsItWasMeant(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		parent := w.post(bob, social.NewStatus{Text: "parent", Visibility: db.Unlisted})
		files := w.uploads(ann, 2)
		ends := int64(3600)
		in := social.NewStatus{
			Text: "**later** #tag @nobody", ContentType: "text/markdown", SpoilerText: "cw", Sensitive: new(true), InReplyToID: parent.ID,
			Language: "en", To: []string{"bob"}, MediaIDs: []int64{files[1], files[0]}, ExpiresIn: 2 * time.Hour,
			Poll: &db.PollParams{Options: []string{"a", "b"}, ExpiresIn: &ends, Multiple: true}, AppName: "App",
		}
		at := time.Now().Add(time.Hour)
		row := w.schedule(ann, in, at)
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Fatalf("%d statuses before the time", n)
		}
		if _, err := w.PostStatus(ctx, ann, social.NewStatus{MediaIDs: files[:1]}); err == nil {
			t.Error("a file of a scheduled status was used for another")
		}
		job := jobs.PublishScheduled{ID: row.ID}
		w.must(w.PublishScheduled(ctx, job))
		w.must(w.in(30*time.Minute).PublishScheduled(ctx, job))
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Fatal("posted before its time")
		}
		later := w.in(61 * time.Minute)
		together(6, func(int) {
			if err := later.PublishScheduled(ctx, job); err != nil {
				t.Error(err)
			}
		})
		if n := w.rows("SELECT COUNT(*) FROM statuses WHERE account_id = ?", ann.ID); n != 1 {
			t.Fatalf("posted %d times", n)
		}
		got, err := w.d.StatusByID(ctx, w.home(bob)[0])
		w.must(err)
		if got.Text != in.Text || !strings.Contains(got.Content, "<strong>later</strong>") || got.SpoilerText != "cw" || !got.Sensitive ||
			got.Visibility != db.Unlisted || *got.InReplyToID != parent.ID || got.Language != "en" || len(got.Mentions) != 1 || got.Mentions[0].Acct != "bob" ||
			got.ApplicationName != "App" || got.ExpiresAt.Before(at.Add(time.Hour)) || got.PollID == nil {
			t.Errorf("%+v", got)
		}
		shown, err := w.d.Attachments(ctx, []string{got.ID})
		w.must(err)
		if len(shown) != 2 || shown[0].ID != files[1] || shown[1].ID != files[0] || shown[0].ScheduledStatusID != nil {
			t.Errorf("files %+v", shown)
		}
		if n := w.rows("SELECT COUNT(*) FROM scheduled_statuses"); n != 0 {
			t.Error("it is still scheduled")
		}
	})
}

func TestAnInvalidStatusIsNotScheduled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		for _, rule := range []struct {
			in   social.NewStatus
			want string
		}{
			{social.NewStatus{}, "Cannot post an empty status without attachments"},
			{social.NewStatus{Text: "x", MediaIDs: []int64{7}}, "Could not find the media to attach"},
			{social.NewStatus{Text: "x", Visibility: "list:9"}, "List not found"},
		} {
			_, err := w.ScheduleStatus(t.Context(), ann, rule.in, time.Now().Add(time.Hour))
			wantRefusal(t, err, rule.want)
		}
		_, err := w.ScheduleStatus(t.Context(), ann, social.NewStatus{Text: "x", InReplyToID: "nosuch"}, time.Now().Add(time.Hour))
		wantNotFound(t, err)
		if n := w.rows("SELECT COUNT(*) FROM scheduled_statuses") + w.rows("SELECT COUNT(*) FROM river_job"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

func TestAMovedStatusIsPostedAtItsNewTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		row := w.schedule(ann, social.NewStatus{Text: "x"}, time.Now().Add(time.Hour))
		_, err := w.Reschedule(ctx, ann, row.ID, time.Now().Add(4*time.Minute))
		wantRefusal(t, err, "must be at least 5 minutes from now")
		_, err = w.Reschedule(ctx, bob, row.ID, time.Now().Add(3*time.Hour))
		wantNotFound(t, err)
		moved, err := w.Reschedule(ctx, ann, row.ID, time.Now().Add(3*time.Hour))
		w.must(err)
		if moved.ScheduledAt.Sub(row.ScheduledAt.Time) < time.Hour {
			t.Errorf("%v", moved.ScheduledAt)
		}
		job := jobs.PublishScheduled{ID: row.ID}
		w.must(w.in(61*time.Minute).PublishScheduled(ctx, job))
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 0 {
			t.Error("posted at its old time")
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'publish_scheduled'"); n != 2 {
			t.Errorf("%d jobs, want one for each time", n)
		}
		w.must(w.in(181*time.Minute).PublishScheduled(ctx, job))
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Error("not posted at its new time")
		}
		files := w.uploads(ann, 1)
		row = w.schedule(ann, social.NewStatus{MediaIDs: files}, time.Now().Add(time.Hour))
		wantNotFound(t, w.CancelScheduled(ctx, bob, row.ID))
		w.must(w.CancelScheduled(ctx, ann, row.ID))
		w.must(w.in(61*time.Minute).PublishScheduled(ctx, jobs.PublishScheduled{ID: row.ID}))
		w.post(ann, social.NewStatus{MediaIDs: files})
	})
}

func TestLimitsOfSchedulingHoldAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := config.DefaultSettings()
		s.Scheduled.DailyUserLimit, s.Scheduled.TotalUserLimit = 3, 5
		w.must(w.settings.Swap(s))
		ann, bob := w.person("ann"), w.person("bob")
		noon := func(days int) time.Time {
			return time.Now().UTC().Truncate(24 * time.Hour).Add(time.Duration(24*days+12) * time.Hour)
		}
		try := func(by *db.Account, at time.Time) string {
			_, err := w.ScheduleStatus(t.Context(), by, social.NewStatus{Text: "x"}, at)
			if err != nil {
				return err.Error()
			}
			return ""
		}
		count := func(days int, want map[string]int) {
			t.Helper()
			var out [8]string
			together(8, func(i int) { out[i] = try(ann, noon(days)) })
			got := map[string]int{}
			for _, o := range out {
				got[o]++
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("day %d: %s", days, diff)
			}
		}
		count(2, map[string]int{"": 3, "daily limit exceeded": 5})
		count(3, map[string]int{"": 2, "total limit exceeded": 6})
		if got := try(bob, noon(2)); got != "" {
			t.Errorf("bob: %s", got)
		}
		// The limit of a day holds for rescheduled statuses too.
		var id int64
		rows, err := w.d.ScheduledStatuses(t.Context(), ann.ID, db.Page{Limit: 10})
		w.must(err)
		for _, r := range rows {
			if r.Day == db.DayOf(noon(3)) {
				id = r.ID
			}
		}
		_, err = w.Reschedule(t.Context(), ann, id, noon(2))
		wantRefusal(t, err, "daily limit exceeded")
		_, err = w.Reschedule(t.Context(), ann, id, noon(3).Add(time.Hour))
		w.must(err)
	})
}

func TestARefusedScheduledStatusIsKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		parent := w.post(bob, social.NewStatus{Text: "@ann psst", Visibility: db.Direct})
		reply := w.schedule(ann, social.NewStatus{Text: "@bob yes", InReplyToID: parent.ID}, time.Now().Add(time.Hour))
		talk := w.schedule(ann, social.NewStatus{Text: "and", ConversationID: w.number(ann, parent)}, time.Now().Add(time.Hour))
		w.must(w.DeleteStatus(ctx, bob, parent.ID))
		w.must(w.LeaveConversation(ctx, ann, talk.Params.ConversationID))
		later := w.in(61 * time.Minute)
		// Without its parent a direct reply stays direct.
		w.must(later.PublishScheduled(ctx, jobs.PublishScheduled{ID: reply.ID}))
		if n := w.rows("SELECT COUNT(*) FROM statuses WHERE visibility = 'direct' AND in_reply_to_id IS NULL AND text = '@bob yes'"); n != 1 {
			t.Error("the reply was not posted, or to everybody")
		}
		// Without its conversation the status has no recipients: it is kept
		// with the reason.
		w.must(later.PublishScheduled(ctx, jobs.PublishScheduled{ID: talk.ID}))
		kept, err := w.d.ScheduledStatus(ctx, ann.ID, talk.ID)
		w.must(err)
		if kept.Refused == "" {
			t.Errorf("%+v", kept)
		}
		row := w.schedule(ann, social.NewStatus{Text: "x"}, time.Now().Add(time.Hour))
		w.must(w.Deactivate(ctx, ann, ann))
		w.must(later.PublishScheduled(ctx, jobs.PublishScheduled{ID: row.ID}))
		if kept, err = w.d.ScheduledStatus(ctx, ann.ID, row.ID); err != nil || kept.Refused != "Your account is currently disabled" {
			t.Errorf("%+v %v", kept, err)
		}
		if due, err := w.d.DueScheduledStatuses(ctx, w.d.Now(), 10); err != nil || len(due) != 0 {
			t.Errorf("%v %v", due, err)
		}
	})
}

func TestSwitchedOffScheduledStatusesAreKeptAndNeverPosted(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ctx := t.Context()
	ann := w.person("ann")
	before := w.schedule(ann, social.NewStatus{Text: "before"}, time.Now().Add(time.Hour))
	off := config.DefaultSettings()
	off.Scheduled.Enabled = false
	w.must(w.settings.Swap(off))
	during := w.schedule(ann, social.NewStatus{Text: "during"}, time.Now().Add(time.Hour))
	for range 2 {
		for _, id := range []int64{before.ID, during.ID} {
			w.must(w.in(2*time.Hour).PublishScheduled(ctx, jobs.PublishScheduled{ID: id}))
		}
		w.must(w.settings.Swap(config.DefaultSettings()))
	}
	if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 0 {
		t.Errorf("%d were posted", n)
	}
	if n := w.rows("SELECT COUNT(*) FROM scheduled_statuses"); n != 2 {
		t.Errorf("%d are kept", n)
	}
}

func TestARepeatedScheduleIsTheFirstOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		var ids [6]int64
		together(6, func(i int) {
			row, err := w.ScheduleStatus(t.Context(), ann, social.NewStatus{Text: fmt.Sprint("take ", i), IdempotencyKey: "k"}, time.Now().Add(time.Hour))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = row.ID
		})
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Fatalf("%v", ids)
			}
		}
	})
}

func TestOverdueStatusesWithoutAJobArePostedAllTheSame(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	w.schedule(ann, social.NewStatus{Text: "x"}, time.Now().Add(time.Hour))
	w.sql("UPDATE scheduled_statuses SET scheduled_at = 1")
	w.sql("DELETE FROM river_job")
	w.must(w.Due(t.Context()))
	w.must(w.Due(t.Context()))
	if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
		t.Errorf("%d statuses", n)
	}
}
