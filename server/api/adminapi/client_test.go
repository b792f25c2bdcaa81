package adminapi_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/api/view"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/rights"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// TestOurClientModerates moderates with our own client.
func TestOurClientModerates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin
		status := w.post(w.bob, social.NewStatus{Text: "one"})
		one, two := w.report("ann", w.bob, "rude", status), w.report("root", w.bob, "", status)

		list, err := admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(ctx)
		if err != nil || list.Total != 2 || list.Items[0].ID != two || list.Items[1].Actor.Nickname != "ann" || list.Items[1].Account.ID != w.bob.ID {
			t.Fatalf("list %+v, %v", list, err)
		}
		w.must(admin.Reports.AddNote(ctx, one, "hm"))
		got, err := admin.Reports.Get(ctx, one)
		if err != nil || len(got.Notes) != 1 || got.Notes[0].User.Nickname != "root" || len(got.Statuses) != 1 || got.Statuses[0].ID != status.ID {
			t.Fatalf("report %+v, %v", got, err)
		}
		w.must(admin.Reports.DeleteNote(ctx, one, got.Notes[0].ID))

		err = admin.Reports.Update(ctx, api.ReportUpdate{ID: one, State: "closed"}, api.ReportUpdate{ID: "nothing", State: "open"})
		var refusal *client.Error
		if !errors.As(err, &refusal) || cmp.Diff([]api.ItemError{{ID: "nothing", Error: "not_found"}}, refusal.Items) != "" {
			t.Errorf("refusal %v", err)
		}
		w.must(admin.Reports.Update(ctx, api.ReportUpdate{ID: two, State: "resolved"}))

		sensitive, unlisted := true, "unlisted"
		changed, err := admin.Statuses.Update(ctx, status.ID, api.StatusUpdate{Sensitive: &sensitive, Visibility: &unlisted})
		if err != nil || !changed.Sensitive || changed.Visibility != unlisted {
			t.Errorf("status %+v, %v", changed, err)
		}
		groups, err := admin.Reports.Groups(ctx)
		if err != nil || len(groups) != 1 || groups[0].Status.Deleted || groups[0].Status.ID != status.ID || len(groups[0].Reports) != 2 || len(groups[0].Actors) != 2 || groups[0].Account.Email == nil {
			t.Errorf("groups %+v, %v", groups, err)
		}
		w.must(admin.Statuses.Delete(ctx, status.ID))
		groups, err = admin.Reports.Groups(ctx)
		if err != nil || len(groups) != 1 || !groups[0].Status.Deleted || groups[0].Status.ID != *status.URI {
			t.Errorf("groups of a deleted status %+v, %v", groups, err)
		}

		users, err := admin.Users.Deactivate(ctx, "bob", "ann")
		if err != nil || len(users) != 2 || users[0].Nickname != "bob" || !users[0].Deactivated || !users[1].Deactivated {
			t.Errorf("deactivated %+v, %v", users, err)
		}
		r, err := admin.Reports.Get(ctx, one)
		if err != nil || r.Actor.ID != w.ann.ID || !*r.Actor.Svc.Deactivated || *r.Actor.Svc.IsAdmin || !*r.Account.Svc.Deactivated {
			t.Errorf("a report of a deactivated reporter: %+v, %v", r, err)
		}
		user, err := admin.Users.Toggle(ctx, "ann")
		if err != nil || user.Deactivated || user.ID != w.ann.Serial {
			t.Errorf("toggled %+v, %v", user, err)
		}
		users, err = admin.Users.Activate(ctx, "ann", "bob")
		if err != nil || users[1].Deactivated {
			t.Errorf("activated %+v, %v", users, err)
		}
		var names []string
		for u, err := range admin.Users.List(api.UserQuery{PageSize: 1}).All(ctx) {
			w.must(err)
			names = append(names, u.Nickname)
		}
		if got := strings.Join(names, " "); got != "ann bob eve@one.example root" {
			t.Errorf("users %s", got)
		}
		w.wantLog("@root activated users: @bob", "@root activated users: @ann", "@root deactivated users: @bob, @ann",
			"@root deleted status #"+status.ID, "@root updated status #"+status.ID+", set sensitive: 'true', visibility: 'unlisted'",
			"@root updated report #"+two+" (on user @bob) with 'resolved' state",
			"@root updated report #"+one+" (on user @bob) with 'closed' state",
			"@root deleted note 'hm' from report #"+one+" on user @bob", "@root added note 'hm' to report #"+one+" on user @bob")
	})
}

// TestADeactivatedAccountIsShutOut: a moderator's change takes effect with the
// next request.
func TestADeactivatedAccountIsShutOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.AdminUser("boss")
		boss := w.Admin("boss")
		if _, err := boss.Admin.Reports.List(api.ReportQuery{}).Page(ctx); err != nil {
			t.Fatal(err)
		}
		_, err := w.Admin("root").Admin.Users.Deactivate(ctx, "boss")
		w.must(err)
		_, err = boss.Admin.Reports.List(api.ReportQuery{}).Page(ctx)
		var refusal *client.Error
		if !errors.As(err, &refusal) || refusal.Status != 403 || refusal.Message != "Invalid credentials." {
			t.Errorf("a deactivated admin: %v", err)
		}
	})
}

// TestARepeatedNoteIsWrittenOnce repeats a request with its key, as a client
// does after a lost answer.
func TestARepeatedNoteIsWrittenOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id := w.report("ann", w.bob, "rude")
		for range 3 {
			w.must(w.Admin("root").Admin.Reports.AddNote(t.Context(), id, "once", client.IdempotencyKey("k1")))
		}
		got, err := w.Admin("root").Admin.Reports.Get(t.Context(), id)
		if err != nil || len(got.Notes) != 1 {
			t.Errorf("notes %+v, %v", got.Notes, err)
		}
		w.wantLog("@root added note 'once' to report #" + id + " on user @bob")
	})
}

// TestTwoServersModerateAtOnce: of concurrent changes in two processes the last
// one counts, and both get a right answer.
func TestTwoServersModerateAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.DB.Dialect() != db.Postgres {
			return // one process serves a SQLite file
		}
		ctx := t.Context()
		second := w.Second(t)
		ids := []string{w.report("ann", w.bob, "a"), w.report("ann", w.bob, "b"), w.report("ann", w.bob, "c")}
		token := w.Token("root", servertest.AdminScopes)
		var wg sync.WaitGroup
		for i := range 6 {
			state := []string{api.ReportClosed, api.ReportResolved}[i%2]
			s := []*servertest.Server{w.Server, second}[i%2]
			wg.Go(func() {
				items := make([]api.ReportUpdate, len(ids))
				for j := range ids {
					items[j] = api.ReportUpdate{ID: ids[(i+j)%len(ids)], State: state}
				}
				if err := s.With(token).Admin.Reports.Update(ctx, items...); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		states := map[string]bool{}
		for _, id := range ids {
			r, err := second.With(token).Admin.Reports.Get(ctx, id)
			w.must(err)
			states[r.State] = true
		}
		if len(states) != 1 {
			t.Errorf("a change was half done: %v", states)
		}
		if n := len(w.log()); n != 18 {
			t.Errorf("%d log entries, want 18", n)
		}
	})
}

// TestListsCostAFixedNumberOfStatements: it is the same for one report and
// many, cached or not.
func TestListsCostAFixedNumberOfStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 6 {
			s := w.post(w.bob, social.NewStatus{Text: "one"})
			w.post(w.ann, social.NewStatus{Text: "a reply", InReplyToID: s.ID})
			_, err := w.Social.Reblog(t.Context(), w.ann, s.ID, "")
			w.must(err)
			id := w.report("ann", w.bob, "rude", s)
			w.must(w.Admin("root").Admin.Reports.AddNote(t.Context(), id, "note"))
		}
		type list func(ctx context.Context, v *view.View, size int) error
		lists := map[string]struct {
			list       list
			cold, warm int64
		}{
			"reports": {func(ctx context.Context, v *view.View, size int) error {
				rows, _, err := w.DB.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 1, Size: size})
				if err != nil {
					return err
				}
				_, err = v.AdminReports(ctx, rows)
				return err
			}, 11, 8},
			"groups": {func(ctx context.Context, v *view.View, size int) error {
				rows, err := w.DB.ReportGroups(ctx, db.NumberedPage{Number: 1, Size: size})
				if err != nil {
					return err
				}
				_, err = v.ReportGroups(ctx, rows)
				return err
			}, 12, 9},
			"statuses": {func(ctx context.Context, v *view.View, size int) error {
				rows, err := w.DB.AdminStatuses(ctx, db.AdminStatusFilter{All: true, Reblogs: true}, db.NumberedPage{Number: 1, Size: 3 * size})
				if err != nil {
					return err
				}
				_, err = v.AdminStatuses(ctx, rows, true)
				return err
			}, 7, 2},
		}
		for name, l := range lists {
			for _, size := range []int{1, 6} {
				v, err := view.New(view.Parts{
					DB: w.DB, Settings: w.Settings, Rights: rights.New(w.Settings, true), Site: config.NewSite(w.Base(), false), URLs: media.NewURLs(w.Base(), w.Settings, "secret"), Remote: w.Remote,
				})
				w.must(err)
				for _, want := range []int64{l.cold, l.warm} {
					n := dbtest.Queries(t, func(ctx context.Context) { w.must(l.list(ctx, v, size)) })
					if n != want {
						t.Errorf("%s of %d: %d statements, want %d", name, size, n, want)
					}
				}
			}
		}
	})
}

// TestAModeratorIsNotifiedOfTheReport: the notification has the report, if the
// token may read reports.
func TestAModeratorIsNotifiedOfTheReport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		status := w.post(w.bob, social.NewStatus{Text: "one"})
		id := w.report("ann", w.bob, "rude", status)
		admin := w.Admin("root")
		list, err := admin.Notifications.List(api.NotificationQuery{IncludeTypes: []string{"svc:report"}}).Page(ctx)
		if err != nil || len(list.Items) != 1 || list.Items[0].Account.ID != w.ann.ID || list.Items[0].Report == nil || list.Items[0].Report.ID != id || len(list.Items[0].Report.Statuses) != 1 {
			t.Fatalf("notifications %+v, %v", list.Items, err)
		}
		if list, err = admin.Notifications.List(api.NotificationQuery{}).Page(ctx); err != nil || len(list.Items) != 0 {
			t.Errorf("without asking: %+v, %v", list.Items, err)
		}
		_, err = admin.Admin.Users.Deactivate(ctx, "ann")
		w.must(err)
		list, err = admin.Notifications.List(api.NotificationQuery{IncludeTypes: []string{"svc:report"}}).Page(ctx)
		if err != nil || len(list.Items) != 0 {
			t.Errorf("of a deactivated reporter: %+v, %v", list.Items, err)
		}
	})
}
