package social_test

import (
	"testing"
	"time"

	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

func TestAStatusExpiresAsItsAuthorWouldDeleteIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		files := w.uploads(ann, 1)
		root := w.post(bob, social.NewStatus{Text: "root"})
		s := w.post(ann, social.NewStatus{Text: "@bob for a while", InReplyToID: root.ID, ExpiresIn: time.Hour + time.Second, MediaIDs: files})
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'expire_status' AND state = 'scheduled'"); n != 1 {
			t.Fatalf("%d jobs", n)
		}
		job := jobs.ExpireStatus{StatusID: s.ID}
		w.must(w.in(59*time.Minute).ExpireStatus(ctx, job))
		if _, err := w.d.StatusByID(ctx, s.ID); err != nil {
			t.Fatalf("gone before its time: %v", err)
		}
		later := w.in(61 * time.Minute)
		together(4, func(int) {
			if err := later.ExpireStatus(ctx, job); err != nil {
				t.Error(err)
			}
		})
		_, err := w.d.StatusByID(ctx, s.ID)
		wantNotFound(t, err)
		parent, err := w.d.StatusByID(ctx, root.ID)
		w.must(err)
		if parent.RepliesCount != 0 || w.counts(ann)[2] != 0 {
			t.Errorf("counted %d replies, %v", parent.RepliesCount, w.counts(ann))
		}
		for table, want := range map[string]int{"moderation_log": 0, "media_attachments": 0, "notifications": 0, "tombstones": 1} {
			if n := w.rows("SELECT COUNT(*) FROM " + table); n != want {
				t.Errorf("%s has %d rows, want %d", table, n, want)
			}
		}
	})
}

func TestAPinnedStatusDoesNotExpire(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		s := w.post(ann, social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
		_, err := w.Pin(ctx, ann, s.ID)
		w.must(err)
		later, job := w.in(3*time.Hour), jobs.ExpireStatus{StatusID: s.ID}
		w.must(later.ExpireStatus(ctx, job))
		w.sql("UPDATE statuses SET expires_at = 1 WHERE expires_at IS NOT NULL")
		w.must(w.Due(ctx))
		if _, err := w.d.StatusByID(ctx, s.ID); err != nil {
			t.Fatalf("a pinned status expired: %v", err)
		}
		before := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'expire_status'")
		_, err = w.Unpin(ctx, ann, s.ID)
		w.must(err)
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'expire_status'"); n != before+1 {
			t.Errorf("unpinning left %d jobs, want %d", n, before+1)
		}
		w.must(later.ExpireStatus(ctx, job))
		_, err = w.d.StatusByID(ctx, s.ID)
		wantNotFound(t, err)
	})
}

func TestOverdueStatusesExpireWithoutTheirJob(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	w.post(ann, social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour})
	w.post(ann, social.NewStatus{Text: "y", ExpiresIn: 2 * time.Hour})
	w.post(ann, social.NewStatus{Text: "z"})
	w.sql("UPDATE statuses SET expires_at = 1 WHERE text = 'x'")
	w.sql("DELETE FROM river_job")
	w.must(w.Due(t.Context()))
	if n := w.rows("SELECT COUNT(*) FROM statuses WHERE text <> 'x'"); n != 2 || w.rows("SELECT COUNT(*) FROM statuses") != 2 {
		t.Errorf("%d stay", n)
	}
}

func TestExpiryFollowsTheSettings(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	s := config.DefaultSettings()
	s.Expiry.MinLifetime = time.Minute
	w.must(w.settings.Swap(s))
	_, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "x", ExpiresIn: time.Minute})
	wantRefusal(t, err, "Expiry date is too soon")
	w.post(ann, social.NewStatus{Text: "x", ExpiresIn: 61 * time.Second})
	s.Expiry.Enabled = false
	w.must(w.settings.Swap(s))
	_, err = w.PostStatus(t.Context(), ann, social.NewStatus{Text: "x", ExpiresIn: time.Hour})
	wantRefusal(t, err, "Statuses that expire are not available")
}

func TestFilesOfADeletedStatusCanBeUsedAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, mod := w.person("ann"), w.person("mod")
		files := w.uploads(ann, 2)
		s := w.post(ann, social.NewStatus{MediaIDs: files})
		w.must(w.DeleteStatus(ctx, ann, s.ID))
		s = w.post(ann, social.NewStatus{Text: "again", MediaIDs: []int64{files[1], files[0]}})
		got, err := w.d.Attachments(ctx, []string{s.ID})
		w.must(err)
		if len(got) != 2 || got[0].ID != files[1] {
			t.Errorf("%+v", got)
		}
		// The files of a status that a moderator deletes are deleted too.
		mod.IsModerator = true
		w.must(w.DeleteStatus(ctx, mod, s.ID))
		if n := w.rows("SELECT COUNT(*) FROM media_attachments"); n != 0 {
			t.Errorf("%d files stay", n)
		}
	})
}
