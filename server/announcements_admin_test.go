package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// TestAdminsAnnounce: what they write is shown as they say, and a changed text is not
// unread again.
func TestAdminsAnnounce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root, ann := t.Context(), s.Admin("root").Admin.Announcements, s.Client("ann")
		lists := func(want ...string) {
			t.Helper()
			if diff := cmp.Diff(append([]string{}, want...), contents(t, ann, api.AnnouncementQuery{})); diff != "" {
				t.Error(diff)
			}
		}
		add := func(form api.AnnouncementForm) *api.AdminAnnouncement {
			t.Helper()
			return must(root.Create(ctx, form))(t)
		}
		in := func(d time.Duration) *string { return new(s.DB.Now().Add(d).Format(time.RFC3339)) }
		one := add(api.AnnouncementForm{Content: new(" New <rooms> "), AllDay: new(api.Bool(true))})
		if one.Svc.RawContent != "New <rooms>" || one.Content != "New &lt;rooms&gt;" || !one.Published || one.AllDay || one.Read != nil {
			t.Errorf("%+v", one)
		}
		draft := add(api.AnnouncementForm{Content: new("draft"), Published: new(api.Bool(false))})
		later := add(api.AnnouncementForm{Content: new("later"), StartsAt: in(time.Hour), EndsAt: in(2 * time.Hour), AllDay: new(api.Bool(true))})
		if !later.AllDay || !later.PublishedAt.Equal(later.StartsAt.Time) {
			t.Errorf("%+v", later)
		}
		lists("!New &lt;rooms&gt;")
		must(0, ann.Announcements.Dismiss(ctx, one.ID))(t)
		must(root.Update(ctx, one.ID, api.AnnouncementForm{Content: new("Newer rooms")}))(t)
		lists("Newer rooms")
		must(root.Update(ctx, draft.ID, api.AnnouncementForm{Published: new(api.Bool(true))}))(t)
		lists("Newer rooms", "!draft")
		must(root.Update(ctx, later.ID, api.AnnouncementForm{StartsAt: new("")}))(t)
		lists("Newer rooms", "!draft", "!later")
		if got := must(root.Get(ctx, later.ID))(t); got.StartsAt != nil || got.EndsAt == nil || got.AllDay {
			t.Errorf("%+v", got)
		}
		page := must(root.List(api.AdminAnnouncementQuery{PageSize: 2}).Page(ctx))(t)
		if len(page.Items) != 2 || page.Items[0].ID != later.ID || page.Items[1].ID != draft.ID {
			t.Errorf("%+v", page.Items)
		}
		must(0, ann.Announcements.React(ctx, one.ID, "🎉"))(t)
		must(0, root.Delete(ctx, one.ID))(t)
		lists("!draft", "!later")
		must(0, s.Social.ForgetAnnouncement(ctx, jobs.ForgetAnnouncement{ID: number(t, one.ID)}))(t)
		if n := rowsOf(t, s, "SELECT (SELECT COUNT(*) FROM announcement_reads) + (SELECT COUNT(*) FROM announcement_reactions)"); n != 0 {
			t.Errorf("%d rows of a deleted announcement", n)
		}

		token, rows := s.Token("root", "read write admin"), rowsOf(t, s, "SELECT COUNT(*) FROM announcements")
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", "", `{}`, 400},
			{"POST", "", `{"content":["x"]}`, 400},
			{"POST", "", `{"content":" "}`, 422},
			{"POST", "", `{"content":"` + strings.Repeat("é", 5001) + `"}`, 422},
			{"POST", "", `{"content":"x","starts_at":"soon"}`, 400},
			{"POST", "", `{"content":"x","starts_at":"2026-12-24","ends_at":"2026-12-24T00:00:00Z"}`, 422},
			{"PATCH", "/" + later.ID, `{"content":""}`, 422},
			{"PATCH", "/" + later.ID, `{"starts_at":"2999-12-24T00:00:00Z"}`, 422},
			{"PATCH", "/" + one.ID, `{"content":"x"}`, 404},
			{"GET", "/" + one.ID, ``, 404},
			{"GET", "/x", ``, 404},
			{"DELETE", "/" + one.ID, ``, 404},
		} {
			if status, body := query(t, s, token, c.method, "/api/svc/admin/announcements"+c.path, c.body); status != c.status {
				t.Errorf("%s %s %.40s: %d %s", c.method, c.path, c.body, status, body)
			}
		}
		lists("!draft", "!later")
		for i := range db.MaxAnnouncements - rows {
			add(api.AnnouncementForm{Content: new(fmt.Sprint("number ", i)), Published: new(api.Bool(false))})
		}
		if status, body := query(t, s, token, "POST", "/api/svc/admin/announcements", `{"content":"one too many"}`); status != 422 {
			t.Errorf("%d %s", status, body)
		}
	})
}

func number(t *testing.T, id string) (n int64) {
	t.Helper()
	must(fmt.Sscan(id, &n))(t)
	return n
}

// TestStreamsTellOfAnnouncements: everybody who listens to their home timeline hears of
// them, through every process, and hears what they missed.
func TestStreamsTellOfAnnouncements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root, ann := t.Context(), s.Admin("root").Admin.Announcements, s.Client("ann")
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		here, far := dial(t, s, s.Token("ann", "read"), "stream=user"), dial(t, there, s.Token("bob", "read"), "stream=user")
		hear := func(event string, into any) {
			t.Helper()
			for _, o := range []*socket{here, far} {
				if err := json.Unmarshal([]byte(o.until(event, "").Payload), into); err != nil {
					t.Error(err)
				}
			}
		}
		var got api.Announcement
		one := must(root.Create(ctx, api.AnnouncementForm{Content: new("first")}))(t)
		if hear("announcement", &got); got.ID != one.ID || got.Content != "first" || got.Read != nil {
			t.Errorf("%+v", got)
		}
		must(0, ann.Announcements.Dismiss(ctx, one.ID))(t)
		must(0, ann.Announcements.React(ctx, one.ID, "🎉"))(t)
		var reaction api.AnnouncementReactionUpdate
		want := api.AnnouncementReactionUpdate{AnnouncementReaction: api.AnnouncementReaction{Name: "🎉", Count: 1}, AnnouncementID: one.ID}
		if hear("announcement.reaction", &reaction); cmp.Diff(want, reaction) != "" {
			t.Error(cmp.Diff(want, reaction))
		}
		must(0, ann.Announcements.Unreact(ctx, one.ID, "🎉"))(t)
		want.Count = 0
		reaction = api.AnnouncementReactionUpdate{}
		if hear("announcement.reaction", &reaction); cmp.Diff(want, reaction) != "" {
			t.Error(cmp.Diff(want, reaction))
		}
		got = api.Announcement{}
		must(root.Update(ctx, one.ID, api.AnnouncementForm{Content: new("second")}))(t)
		if hear("announcement", &got); got.Content != "second" {
			t.Errorf("%+v", got)
		}
		var gone json.Number
		must(root.Update(ctx, one.ID, api.AnnouncementForm{Published: new(api.Bool(false))}))(t)
		if hear("announcement.delete", &gone); gone.String() != one.ID {
			t.Error(gone)
		}

		// One that is not shown yet is told of at its time, and again at its end.
		later := must(root.Create(ctx, api.AnnouncementForm{
			Content: new("later"), StartsAt: new(s.DB.Now().Add(time.Hour).Format(time.RFC3339)), EndsAt: new(s.DB.Now().Add(2 * time.Hour).Format(time.RFC3339)),
		}))(t)
		must(0, s.Social.Due(ctx))(t)
		s.Advance(90 * time.Minute)
		must(0, s.Social.Due(ctx))(t)
		got = api.Announcement{}
		if hear("announcement", &got); got.ID != later.ID {
			t.Errorf("%+v", got)
		}
		s.Advance(time.Hour)
		must(0, s.Social.TurnAnnouncements(ctx, jobs.TurnAnnouncements{}))(t)
		if hear("announcement.delete", &gone); gone.String() != later.ID {
			t.Error(gone)
		}
		must(root.Update(ctx, later.ID, api.AnnouncementForm{EndsAt: new("")}))(t)
		must(0, root.Delete(ctx, later.ID))(t)
		if hear("announcement.delete", &gone); gone.String() != later.ID {
			t.Error(gone)
		}
	})
}
