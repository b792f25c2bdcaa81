package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// file files a report by reporter on account, about statuses.
func file(t *testing.T, d *db.DB, reporter, account *db.Account, statuses ...string) *db.Report {
	t.Helper()
	r := &db.Report{AccountID: account.ID, ReporterID: reporter.ID, Content: "spam"}
	var named []db.ReportStatus
	for _, id := range statuses {
		named = append(named, db.ReportStatus{StatusID: id, StatusURI: "https://one.example/" + id, Copy: `{"id":"` + id + `"}`})
	}
	if err := d.CreateReport(t.Context(), r, named); err != nil {
		t.Fatal(err)
	}
	return r
}

func reportIDs(rows []db.Report) string {
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

func TestReportsArePagedNewestFirstAndCountedByState(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		var all []string
		for i := range 11 {
			r := file(t, d, ann, bob)
			all = append([]string{r.ID}, all...)
			if i%3 == 0 {
				if err := d.SetReportState(ctx, r.ID, db.ReportResolved, "moderator"); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for page := 1; page <= 5; page++ {
			rows, counts, err := d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: page, Size: 3})
			if total := counts.In(""); err != nil || total != 11 {
				t.Fatalf("page %d: total %d, %v", page, total, err)
			}
			got = append(got, strings.Fields(reportIDs(rows))...)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for state, want := range map[string]int64{db.ReportOpen: 7, db.ReportResolved: 4, db.ReportClosed: 0} {
			rows, counts, err := d.Reports(ctx, db.ReportFilter{State: state}, db.NumberedPage{Number: 1, Size: 50})
			total := counts.In(state)
			if err != nil || total != want || int64(len(rows)) != want {
				t.Errorf("%s: %d rows of %d, %v; want %d", state, len(rows), total, err, want)
			}
		}
	})
}

// TestReportsAreFilteredAndCounted holds the counts that are kept to the rows, through
// every change of a report.
func TestReportsAreFilteredAndCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		far := db.NewAccount(dbtest.Base, "far")
		far.Local, far.Domain, far.Nickname, far.NickKey = false, "far.example", "far@far.example", "far@far.example"
		if err := d.CreateAccount(ctx, far); err != nil {
			t.Fatal(err)
		}
		one, two, three, four := file(t, d, ann, bob), file(t, d, ann, bob), file(t, d, ann, far), file(t, d, bob, far)
		for _, move := range []struct {
			r     *db.Report
			state string
		}{{one, db.ReportResolved}, {one, db.ReportClosed}, {three, db.ReportResolved}, {three, db.ReportOpen}, {four, db.ReportResolved}, {four, db.ReportResolved}} {
			if err := d.SetReportState(ctx, move.r.ID, move.state, bob.ID); err != nil {
				t.Fatal(err)
			}
		}
		here, there, nowhere := "", "far.example", "other.example"
		for name, test := range map[string]struct {
			f      db.ReportFilter
			want   []*db.Report
			counts db.ReportCounts
		}{
			"all":               {db.ReportFilter{}, []*db.Report{four, three, two, one}, db.ReportCounts{Open: 2, Closed: 1, Resolved: 1}},
			"about one":         {db.ReportFilter{AccountID: bob.ID}, []*db.Report{two, one}, db.ReportCounts{Open: 1, Closed: 1}},
			"open about one":    {db.ReportFilter{AccountID: bob.ID, State: db.ReportOpen}, []*db.Report{two}, db.ReportCounts{Open: 1, Closed: 1}},
			"by one":            {db.ReportFilter{ReporterID: ann.ID}, []*db.Report{three, two, one}, db.ReportCounts{Open: 2, Closed: 1}},
			"closed by one":     {db.ReportFilter{ReporterID: ann.ID, State: db.ReportClosed}, []*db.Report{one}, db.ReportCounts{Open: 2, Closed: 1}},
			"by one about one":  {db.ReportFilter{ReporterID: bob.ID, AccountID: far.ID}, []*db.Report{four}, db.ReportCounts{Resolved: 1}},
			"of a host":         {db.ReportFilter{Host: &there}, []*db.Report{four, three}, db.ReportCounts{Open: 1, Resolved: 1}},
			"open of this host": {db.ReportFilter{Host: &here, State: db.ReportOpen}, []*db.Report{two}, db.ReportCounts{Open: 1, Closed: 1}},
			"of a host by one":  {db.ReportFilter{Host: &there, ReporterID: ann.ID}, []*db.Report{three}, db.ReportCounts{Open: 1}},
			"of another host":   {db.ReportFilter{Host: &nowhere}, nil, db.ReportCounts{}},
			"about nobody":      {db.ReportFilter{AccountID: "nobody"}, nil, db.ReportCounts{}},
		} {
			rows, counts, err := d.Reports(ctx, test.f, db.NumberedPage{Number: 1, Size: 50})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]db.Report, len(test.want))
			for i, r := range test.want {
				want[i].ID = r.ID
			}
			if reportIDs(rows) != reportIDs(want) || counts != test.counts {
				t.Errorf("%s: %s, %+v; want %s, %+v", name, reportIDs(rows), counts, reportIDs(want), test.counts)
			}
		}
		counts, err := d.ReportCounts(ctx, []string{db.ReportsAbout(bob.ID), db.ReportsBy(ann.ID), db.ReportsBy("nobody")})
		if err != nil || len(counts) != 2 || counts[db.ReportsAbout(bob.ID)].In("") != 2 || counts[db.ReportsBy(ann.ID)].In(db.ReportOpen) != 2 {
			t.Errorf("%+v, %v", counts, err)
		}
		if r, err := d.Report(ctx, one.ID); err != nil || r.DecidedBy != bob.ID || r.DecidedAt.IsZero() {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestEarlierNamesAreKept renames an account, and erases it.
func TestEarlierNamesAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := dbtest.Account(t, d, "ann")
		rename := func(name string) {
			t.Helper()
			a.DisplayName = name
			if err := d.UpdateAccount(ctx, a, "display_name"); err != nil {
				t.Fatal(err)
			}
		}
		names := func() []string {
			t.Helper()
			rows, err := d.AccountNames(ctx, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, n := range rows {
				if n.Nickname != "ann" || n.Until.IsZero() {
					t.Errorf("%+v", n)
				}
				out = append(out, n.DisplayName)
			}
			return out
		}
		for i := range 30 {
			rename(fmt.Sprint("name ", i))
			rename(fmt.Sprint("name ", i))
		}
		if got := names(); len(got) != 20 || got[0] != "name 28" || got[19] != "name 9" {
			t.Errorf("%q", got)
		}
		if err := d.EmptyAccount(ctx, a.ID); err != nil {
			t.Fatal(err)
		}
		if got := names(); len(got) != 0 {
			t.Errorf("of an erased account: %q", got)
		}
	})
}

func TestGroupsHoldAllReportsOfAStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob, cat := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob"), dbtest.Account(t, d, "cat")
		r1 := file(t, d, ann, cat, "s1", "s2")
		r2 := file(t, d, bob, cat, "s2", "s3")
		r3 := file(t, d, bob, cat, "s1")
		file(t, d, bob, cat)
		if err := d.SetReportState(ctx, r1.ID, db.ReportClosed, "moderator"); err != nil {
			t.Fatal(err)
		}
		list := func(p db.NumberedPage) []string {
			groups, err := d.ReportGroups(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, g := range groups {
				out = append(out, g.StatusID+" "+g.StatusURI+": "+reportIDs(g.Reports))
			}
			return out
		}
		want := []string{
			"s1 https://one.example/s1: " + r3.ID + " " + r1.ID,
			"s3 https://one.example/s3: " + r2.ID,
			"s2 https://one.example/s2: " + r2.ID + " " + r1.ID,
		}
		if diff := cmp.Diff(want, list(db.NumberedPage{Number: 1, Size: 50})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[2:], list(db.NumberedPage{Number: 2, Size: 2})); diff != "" {
			t.Errorf("second page (-want +got):\n%s", diff)
		}
	})
}

func TestCopiesOutliveTheirReportForAWhile(t *testing.T) {
	for _, state := range []string{db.ReportClosed, db.ReportResolved, db.ReportOpen} {
		t.Run(state, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				ctx := t.Context()
				ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
				r, other := file(t, d, ann, bob, "s1", "s2"), file(t, d, ann, bob, "s1")
				if err := d.SetReportState(ctx, r.ID, state, "moderator"); err != nil {
					t.Fatal(err)
				}
				drop := func(closed db.Time) {
					t.Helper()
					for more := true; more; {
						var err error
						if more, err = d.DropCopies(ctx, closed, 1); err != nil {
							t.Fatal(err)
						}
					}
				}
				drop(d.Now().Add(-time.Hour))
				if n := copies(t, d, r.ID); n != 2 {
					t.Errorf("%d copies left within the time, want 2", n)
				}
				want := 0
				if state == db.ReportOpen {
					want = 2
				}
				drop(d.Now().Add(time.Hour))
				if n := copies(t, d, r.ID); n != want {
					t.Errorf("%d copies left, want %d", n, want)
				}
				if n := copies(t, d, other.ID); n != 1 {
					t.Errorf("another report has %d copies, want 1", n)
				}
				named, err := d.ReportStatuses(ctx, []string{r.ID})
				if err != nil || len(named) != 2 || named[0].StatusID != "s1" || named[1].StatusID != "s2" {
					t.Errorf("ids %+v, %v", named, err)
				}
			})
		})
	}
}

func TestAReportThatIsOpenedAgainKeepsItsCopies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		r := file(t, d, dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob"), "s1")
		for _, state := range []string{db.ReportResolved, db.ReportClosed, db.ReportOpen} {
			if err := d.SetReportState(ctx, r.ID, state, "moderator"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.DropCopies(ctx, d.Now().Add(time.Hour), 10); err != nil {
			t.Fatal(err)
		}
		if n := copies(t, d, r.ID); n != 1 {
			t.Errorf("%d copies left, want 1", n)
		}
	})
}

func TestAFileOfAReportedStatusStaysWithTheCopy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		uri := "https://one.example/s"
		s := &db.Status{AccountID: bob.ID, URI: &uri, Local: true, Visibility: db.Public, HasMedia: true, CreatedAt: d.Now()}
		if err := d.CreateStatus(ctx, s); err != nil {
			t.Fatal(err)
		}
		if _, err := d.HoldFile(ctx, "f.png", 7, ""); err != nil {
			t.Fatal(err)
		}
		if err := d.CreateAttachments(ctx, []db.MediaAttachment{{AccountID: bob.ID, StatusID: &s.ID, File: "f.png", URL: "/media/f.png", Type: "image"}}); err != nil {
			t.Fatal(err)
		}
		all, err := d.CopyStatuses(ctx, []string{s.ID, "unknown"})
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		raw, err := json.Marshal(all[s.ID])
		if err != nil {
			t.Fatal(err)
		}
		r := &db.Report{AccountID: bob.ID, ReporterID: ann.ID}
		if err := d.CreateReport(ctx, r, []db.ReportStatus{{StatusID: s.ID, Copy: string(raw), Version: all[s.ID].Version}}); err != nil {
			t.Fatal(err)
		}
		want := func(when string, evidence, removed bool) {
			t.Helper()
			got, err := d.ShownFile(ctx, "f.png")
			if err != nil || got.Size != 7 || got.Evidence != evidence {
				t.Errorf("%s: %+v, %v, want evidence %t", when, got, err, evidence)
			}
			later := d.Now().Add(24 * time.Hour)
			names, err := d.OrphanedFiles(ctx, later, false, 9)
			if err != nil {
				t.Fatal(err)
			}
			doomed := false
			if len(names) > 0 {
				if doomed, err = d.BeginFileRemoval(ctx, "f.png", later); err != nil {
					t.Fatal(err)
				}
			}
			if doomed != removed {
				t.Errorf("%s: removed %t, want %t", when, doomed, removed)
			}
		}
		want("while the status is there", false, false)
		if _, err := d.DeleteStatus(ctx, s, 9); err != nil {
			t.Fatal(err)
		}
		if err := d.ReportedGone(ctx, s.ID, db.DeletedByModerator, ann.ID); err != nil {
			t.Fatal(err)
		}
		want("after the deletion", true, false)
		if err := d.SetReportState(ctx, r.ID, db.ReportResolved, "moderator"); err != nil {
			t.Fatal(err)
		}
		want("when it is resolved", true, false)
		if _, err := d.DropCopies(ctx, d.Now().Add(time.Hour), 9); err != nil {
			t.Fatal(err)
		}
		want("when the copy is dropped", false, true)
	})
}

func copies(t *testing.T, d *db.DB, reportID string) int {
	t.Helper()
	var n int
	err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM report_statuses WHERE report_id = '"+reportID+"' AND copy <> ''").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestANoteBelongsToItsReport(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		r1, r2 := file(t, d, ann, bob), file(t, d, ann, bob)
		for i, r := range []*db.Report{r1, r2, r1} {
			if err := d.CreateReportNote(ctx, &db.ReportNote{ReportID: r.ID, AccountID: bob.ID, Content: fmt.Sprint("note ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		notes, err := d.ReportNotes(ctx, []string{r1.ID})
		if err != nil || len(notes) != 2 || notes[0].Content != "note 0" || notes[1].Content != "note 2" {
			t.Fatalf("notes %+v, %v", notes, err)
		}
		if _, err := d.ReportNote(ctx, r2.ID, notes[0].ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("under another report: %v, want ErrNotFound", err)
		}
		if err := d.DeleteReportNote(ctx, &notes[0]); err != nil {
			t.Fatal(err)
		}
		if err := d.DeleteReportNote(ctx, &notes[0]); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("deleted twice: %v, want ErrNotFound", err)
		}
	})
}

func TestTheLogIsFilteredNewestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		for i, message := range []string{"@ann did ÄRGER", "@bob did 100%", "@ann did a_b", "@bob did aXb"} {
			actor := ann
			if i%2 == 1 {
				actor = bob
			}
			e := &db.LogEntry{ActorID: actor.ID, Action: "x", Data: `{}`, Message: message, CreatedAt: db.At(start.Add(time.Duration(i) * time.Minute))}
			if err := d.CreateLogEntry(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		at := func(minute int) db.Time { return db.At(start.Add(time.Duration(minute) * time.Minute)) }
		for name, test := range map[string]struct {
			f    db.LogFilter
			want string
		}{
			"all":             {db.LogFilter{}, "aXb a_b 100% ÄRGER"},
			"an actor":        {db.LogFilter{ActorID: ann.ID}, "a_b ÄRGER"},
			"since":           {db.LogFilter{Since: at(2)}, "aXb a_b"},
			"before":          {db.LogFilter{Before: at(2)}, "100% ÄRGER"},
			"both":            {db.LogFilter{Since: at(1), Before: at(3), ActorID: bob.ID}, "100%"},
			"a word":          {db.LogFilter{Search: "ärger"}, "ÄRGER"},
			"an underscore":   {db.LogFilter{Search: "a_b"}, "a_b"},
			"a per cent sign": {db.LogFilter{Search: "%"}, "100%"},
			"nothing":         {db.LogFilter{Search: "nowhere"}, ""},
		} {
			rows, err := d.Log(ctx, test.f, db.NumberedPage{Number: 1, Size: 50})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			var got []string
			for _, e := range rows {
				got = append(got, e.Message[strings.LastIndexByte(e.Message, ' ')+1:])
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%s: %q, want %q", name, got, test.want)
			}
		}
		rows, err := d.Log(ctx, db.LogFilter{}, db.NumberedPage{Number: 2, Size: 3})
		if err != nil || len(rows) != 1 || rows[0].Message != "@ann did ÄRGER" {
			t.Errorf("second page %+v, %v", rows, err)
		}
	})
}

func TestModeratorsAreLocalAndActive(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		all := crowd(t, d)
		dora := all["dora"]
		dora.IsModerator = true
		erik := all["erik@one.example"]
		erik.IsAdmin = true
		for _, a := range []*db.Account{dora, erik} {
			if err := d.UpdateAccount(t.Context(), a, "is_admin", "is_moderator"); err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.Moderators(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{all["Bert"].ID, dora.ID}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestMoreValuesThanAStatementHolds(t *testing.T) {
	d := dbtest.New(t)
	ann := dbtest.Account(t, d, "ann")
	ids := make([]string, 40000)
	for i := range ids {
		ids[i] = fmt.Sprint("x", i)
	}
	ids[39999] = ann.ID
	n := dbtest.Queries(t, func(ctx context.Context) {
		rows, err := d.UserStamps(ctx, ids)
		if err != nil || len(rows) != 1 {
			t.Errorf("%+v, %v", rows, err)
		}
	})
	if n != 8 {
		t.Errorf("%d statements, want 8", n)
	}
}
