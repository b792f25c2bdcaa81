package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestAHistoryTellsWhatIsKnown asks for the history of somebody who was reported, decided
// about, renamed and tagged, as an admin and with fewer privileges.
func TestAHistoryTellsWhatIsKnown(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		root, ann, eve := s.Admin("root").Admin, s.Client("ann"), s.User("eve")
		file := func(as, about string) string {
			t.Helper()
			return must(s.Client(as).Reports.Create(ctx, api.NewReport{AccountID: s.User(about).ID, Comment: as + " says"}))(t).ID
		}
		first, second, third := file("ann", "eve"), file("bob", "eve"), file("eve", "bob")
		must(0, root.Reports.Update(ctx, api.ReportUpdate{ID: first, State: api.ReportResolved}, api.ReportUpdate{ID: third, State: api.ReportClosed}))(t)
		must(0, root.Reports.AddNote(ctx, first, "warned"))(t)
		status := must(s.Client("eve").Statuses.Post(ctx, api.NewStatus{Status: "words"}))(t)
		must(0, root.Statuses.Delete(ctx, status.ID))(t)
		must(0, root.Users.Tag(ctx, []string{"eve"}, []string{"mrf_tag:sandbox"}))(t)
		for _, name := range []string{"Eve the first", "Eve the second"} {
			eve = must(s.DB.Account(ctx, eve.ID))(t)
			eve.DisplayName = name
			must(0, s.DB.UpdateAccount(ctx, eve, "display_name"))(t)
		}

		got := must(root.Users.History(ctx, "eve"))(t)
		if got.AccountID != eve.ID || got.Nickname != "eve" || got.ReportsAbout != (api.ReportCounts{Open: 1, Resolved: 1}) || got.ReportsBy != (api.ReportCounts{Closed: 1}) {
			t.Errorf("%s", got.Raw)
		}
		if len(got.About) != 2 || got.About[0].ID != second || got.About[0].Svc.Decided != nil || got.About[1].ID != first ||
			got.About[1].Svc.Decided == nil || got.About[1].Svc.Decided.Nickname != "root" || len(got.About[1].Notes) != 1 || got.About[1].Notes[0].Content != "warned" {
			t.Errorf("about: %s", got.Raw)
		}
		if len(got.By) != 1 || got.By[0].ID != third || got.By[0].State != api.ReportClosed {
			t.Errorf("by: %s", got.Raw)
		}
		var log []string
		for _, e := range *got.Log {
			log = append(log, e.Data.Action)
		}
		if want := []string{"tag", "status_delete", "report_note", "report_update"}; !slices.Equal(log, want) {
			t.Errorf("log %q, want %q", log, want)
		}
		if len(got.Names) != 2 || got.Names[0].DisplayName != "Eve the first" {
			t.Errorf("names %+v", got.Names)
		}
		if got.MailDomain == nil || got.MailDomain.Domain != "example.org" || got.MailDomain.More || len(got.MailDomain.Users) != 3 {
			t.Errorf("mail %+v", got.MailDomain)
		}
		if got.Invite != nil {
			t.Errorf("invite %+v", got.Invite)
		}

		// The same by the lists, and the counts of a row.
		page := must(root.Reports.List(api.ReportQuery{AccountID: eve.ID, State: api.ReportOpen}).Page(ctx))(t)
		if len(page.Items) != 1 || page.Total != 1 || page.Items[0].Svc.ReportsAbout.All() != 2 || page.Items[0].Svc.ReportsBy.Open != 1 {
			t.Errorf("%+v", page)
		}
		counts := must(root.Reports.Counts(ctx, api.ReportQuery{ActorID: eve.ID}))(t)
		if *counts != (api.ReportCounts{Closed: 1}) {
			t.Errorf("%+v", counts)
		}
		if page := must(root.Reports.List(api.ReportQuery{Domain: s.Host()}).Page(ctx))(t); page.Total != 3 {
			t.Errorf("%d reports about people of this server", page.Total)
		}
		if page := must(root.Reports.List(api.ReportQuery{Domain: "other.example"}).Page(ctx))(t); page.Total != 0 {
			t.Errorf("%d reports about people of another server", page.Total)
		}
		if entries := must(root.Log.List(api.LogQuery{AccountID: eve.ID, Search: "tags"}).Page(ctx))(t); len(entries.Items) != 1 {
			t.Errorf("%+v", entries)
		}

		// Who may read reports alone sees neither log nor addresses; others see nothing.
		moderator(t, s, "tess")
		opens(t, s, api.PrivilegeReports)
		tess := s.With(s.Token("tess", servertest.AdminScopes)).Admin
		got = must(tess.Users.History(ctx, "eve"))(t)
		if got.Log != nil || got.MailDomain != nil || len(got.About) != 2 || len(got.Names) != 2 {
			t.Errorf("with reports alone: %s", got.Raw)
		}
		opens(t, s, api.PrivilegeUsersRead, api.PrivilegeLog, api.PrivilegeStatuses)
		if _, err := tess.Users.History(ctx, "eve"); err == nil {
			t.Error("a moderator who may not see reports sees a history")
		}
		if _, err := ann.Admin.Users.History(ctx, "eve"); err == nil {
			t.Error("somebody sees a history")
		}
	})
}

// reported makes n reports, of which half are about spammer and half of those about spammer
// are by ann, with as many entries of the log about spammer. It returns their ids.
func reported(t testing.TB, s *servertest.Server, n int) (spammer, ann string) {
	t.Helper()
	spammer, ann = s.User("spammer").ID, s.User("ann").ID
	others := []string{s.User("bob").ID, s.User("cat").ID}
	const chunk = 1000 // a transaction holds its events
	for from := 0; from < n; from += chunk {
		err := s.DB.Tx(t.Context(), func(tx *db.DB) error {
			for i := from; i < min(from+chunk, n); i++ {
				r := &db.Report{AccountID: spammer, ReporterID: ann, Content: "rude", State: []string{db.ReportOpen, db.ReportClosed, db.ReportResolved}[i%3]}
				if i%2 == 1 {
					r.AccountID, r.ReporterID = others[0], others[1]
				} else if i%4 == 2 {
					r.ReporterID = others[1]
				}
				if err := tx.CreateReport(t.Context(), r, nil); err != nil {
					return err
				}
				e := &db.LogEntry{ActorID: others[0], Action: "report_update", Data: `{"actor":{"id":1,"account_id":"1","nickname":"root"},"action":"report_update","message":"m"}`, Message: fmt.Sprint("@bob updated report #", r.ID), About: []string{r.AccountID}}
				if err := tx.CreateLogEntry(t.Context(), e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.DB.Dialect() == db.Postgres {
		if err := dbtest.Exec(t, s.DB, "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	return spammer, ann
}

// TestAHistoryCostsAFixedNumberOfStatements: however many reports there are.
func TestAHistoryCostsAFixedNumberOfStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		token := s.Token("root", servertest.AdminScopes)
		spammer, _ := reported(t, s, 4)
		ask := func() int64 {
			t.Helper()
			return dbtest.FewestQueries(t, func(ctx context.Context) {
				w := s.Get(ctx, "/api/svc/admin/users/"+spammer+"/history", token)
				var h api.UserHistory
				if err := json.Unmarshal(w.Body.Bytes(), &h); w.Code != http.StatusOK || err != nil || len(h.About) == 0 {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			})
		}
		few := ask()
		reported(t, s, 100)
		if many := ask(); few != many || many > 20 {
			t.Errorf("%d statements for few reports, %d for many", few, many)
		}
	})
}

// BenchmarkHistories asks for what moderators need to know of somebody about whom half of
// all reports are, in worlds of 100 and 100,000 reports: it must not cost more.
//
//	go test ./server -run - -bench Histories -benchtime 100x -timeout 1h
func BenchmarkHistories(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		on := func(dialect, dsn string) {
			b.Run(fmt.Sprintf("%s/%d", dialect, n), func(b *testing.B) {
				s := servertest.On(b, dsn)
				token := s.Token("root", servertest.AdminScopes)
				spammer, ann := reported(b, s, n)
				for name, path := range map[string]string{
					"history": "users/" + spammer + "/history", "about": "reports?account_id=" + spammer, "open_about": "reports?state=open&account_id=" + spammer,
					"by": "reports?actor_id=" + ann, "host": "reports?state=closed&domain=" + s.Host(), "log": "moderation_log?account_id=" + spammer,
				} {
					b.Run(name, func(b *testing.B) {
						times := make([]time.Duration, 0, b.N)
						for range b.N {
							start := time.Now()
							if w := s.Get(b.Context(), "/api/svc/admin/"+path, token); w.Code != http.StatusOK {
								b.Fatalf("%d %.200s", w.Code, w.Body)
							}
							times = append(times, time.Since(start))
						}
						slices.Sort(times)
						b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
						b.ReportMetric(float64(times[0].Microseconds())/1000, "best-ms")
					})
				}
			})
		}
		on("sqlite", dbtest.Ready(b))
		if dsn := dbtest.Postgres(b); dsn != "" {
			on("postgres", dsn)
		}
	}
}
