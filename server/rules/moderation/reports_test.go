package moderation_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/rules/moderation"
)

func TestAReportKeepsCopiesOfTheTargetsStatuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		one, two, other := w.post(w.bob, "one"), w.post(w.bob, "two"), w.post(w.ann, "three")
		r := w.report(two.ID, other.ID, one.ID, "nothing", two.ID)
		named, err := w.d.ReportStatuses(ctx, []string{r.ID})
		w.must(err)
		var got []string
		for _, s := range named {
			got = append(got, s.StatusID+" "+s.StatusURI)
		}
		if diff := cmp.Diff([]string{two.ID + " " + *two.URI, one.ID + " " + *one.URI}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		var raw string
		w.must(w.d.Writer().QueryRowContext(ctx, "SELECT copy FROM report_statuses WHERE status_id = '"+one.ID+"'").Scan(&raw))
		var kept db.CopiedStatus
		w.must(json.Unmarshal([]byte(raw), &kept))
		stored, err := w.d.StatusByID(ctx, one.ID)
		w.must(err)
		if diff := cmp.Diff(*stored, kept.Status); diff != "" {
			t.Errorf("copy (-want +got):\n%s", diff)
		}
		w.wantLog(nil)
	})
}

func TestAReportTellsModeratorsOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		mod, off := w.person("mod"), w.person("off")
		mod.IsModerator, mod.IsAdmin = true, true
		off.IsModerator, off.Deactivated = true, true
		w.must(w.d.UpdateAccount(ctx, mod, "is_moderator", "is_admin"))
		w.must(w.d.UpdateAccount(ctx, off, "is_moderator", "deactivated"))
		r := w.report()
		for _, who := range []struct {
			a    *db.Account
			want int
		}{{w.root, 1}, {mod, 1}, {off, 0}, {w.ann, 0}, {w.bob, 0}} {
			rows, err := w.d.Notifications(ctx, db.Viewer{ID: who.a.ID, Reports: true}, db.NotificationFilter{Types: []string{db.NotifyReport}}, db.Page{Limit: 10})
			w.must(err)
			if len(rows) != who.want || who.want > 0 && (rows[0].ReportID != r.ID || rows[0].FromID != w.ann.ID) {
				t.Errorf("%s was told %+v", who.a.Nickname, rows)
			}
		}
	})
}

func TestReportsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		relay := w.person("relay")
		relay.Invisible = true
		w.must(w.d.UpdateAccount(ctx, relay, "invisible"))
		for name, test := range map[string]struct {
			in   moderation.NewReport
			want string
		}{
			"unknown target": {moderation.NewReport{TargetID: "nobody"}, "Account not found"},
			"service actor":  {moderation.NewReport{TargetID: relay.ID}, "Account not found"},
			"oneself":        {moderation.NewReport{TargetID: w.ann.ID}, "You cannot report yourself"},
			"long comment":   {moderation.NewReport{TargetID: w.bob.ID, Comment: strings.Repeat("ä", 1001)}, "Comment must be up to 1000 characters"},
		} {
			_, err := w.FileReport(ctx, w.ann, test.in)
			if !fault.Is(err, fault.KindMalformed) || err.Error() != test.want {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
		}
		if _, counts, err := w.d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 1, Size: 1}); err != nil || counts.In("") != 0 {
			t.Errorf("%d reports, %v", counts.In(""), err)
		}
		if _, err := w.FileReport(ctx, w.ann, moderation.NewReport{TargetID: w.bob.ID, Comment: strings.Repeat("ä", 1000)}); err != nil {
			t.Errorf("1000 characters: %v", err)
		}
	})
}

func TestReportsMoveOneByOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s := w.post(w.bob, "one")
		a, b, c := w.report(s.ID), w.report(s.ID), w.report(s.ID)
		refused, err := w.UpdateReports(ctx, w.root, []moderation.ReportChange{
			{ID: a.ID, State: "resolved"}, {ID: "nothing", State: "closed"}, {ID: b.ID, State: "lost"},
			{ID: "", State: "open"}, {ID: c.ID, State: "closed"}, {ID: c.ID, State: "open"}, {ID: "nothing", State: "lost"},
		})
		w.must(err)
		if diff := cmp.Diff([]moderation.Refusal{
			{ID: "nothing", Reason: "not_found"}, {ID: b.ID, Reason: "Unsupported state"},
			{ID: "", Reason: "not_found"}, {ID: "nothing", Reason: "not_found"},
		}, refused); diff != "" {
			t.Errorf("refused (-want +got):\n%s", diff)
		}
		for r, want := range map[*db.Report]string{a: "resolved", b: "open", c: "open"} {
			got, err := w.d.Report(ctx, r.ID)
			if err != nil || got.State != want {
				t.Errorf("%s is %+v, %v; want %s", r.ID, got, err, want)
			}
		}
		w.wantLog(map[string]string{a.ID: "A", b.ID: "B", c.ID: "C"},
			"@root updated report #A (on user @bob) with 'resolved' state",
			"@root updated report #C (on user @bob) with 'closed' state",
			"@root updated report #C (on user @bob) with 'open' state")
		refused, err = w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: a.ID, State: "resolved"}})
		if err != nil || len(refused) != 0 || len(w.log(nil)) != 4 {
			t.Errorf("the same state again: %v, %v, %q", refused, err, w.log(nil))
		}
	})
}

func TestAReportThatSomebodyMovedMeanwhileIsNotMovedAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s := w.post(w.bob, "one")
		a, b, c := w.report(s.ID), w.report(s.ID), w.report(s.ID)
		_, err := w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: a.ID, State: "closed"}, {ID: b.ID, State: "resolved"}})
		w.must(err)
		refused, err := w.UpdateReports(ctx, w.root, []moderation.ReportChange{
			{ID: a.ID, State: "resolved", Was: "open"}, {ID: b.ID, State: "resolved", Was: "open"}, {ID: c.ID, State: "resolved", Was: "open"},
		})
		w.must(err)
		if diff := cmp.Diff([]moderation.Refusal{{ID: a.ID, Reason: "state_changed"}, {ID: b.ID, Reason: "state_changed"}}, refused); diff != "" {
			t.Errorf("refused (-want +got):\n%s", diff)
		}
		for r, want := range map[*db.Report]string{a: "closed", b: "resolved", c: "resolved"} {
			got, err := w.d.Report(ctx, r.ID)
			if err != nil || got.State != want {
				t.Errorf("%s is %+v, %v; want %s", r.ID, got, err, want)
			}
		}
		w.wantLog(map[string]string{a.ID: "A", b.ID: "B", c.ID: "C"},
			"@root updated report #A (on user @bob) with 'closed' state",
			"@root updated report #B (on user @bob) with 'resolved' state",
			"@root updated report #C (on user @bob) with 'resolved' state")
	})
}

func TestReportsOfADeactivatedReporterAreMovedLikeOthers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		r := w.report()
		_, err := w.Deactivate(ctx, w.root, "ann")
		w.must(err)
		refused, err := w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: r.ID, State: "closed"}})
		if err != nil || len(refused) != 0 {
			t.Errorf("refused %v, %v", refused, err)
		}
		w.must(w.AddNote(ctx, w.root, r.ID, "a note", ""))
		w.wantLog(map[string]string{r.ID: "R"}, "@root deactivated users: @ann", "@root updated report #R (on user @bob) with 'closed' state",
			"@root added note 'a note' to report #R on user @bob")
	})
}

func TestNotesComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		r, other := w.report(), w.report()
		long := strings.Repeat("long ", 5000)
		w.must(w.AddNote(ctx, w.root, r.ID, "first", ""))
		w.must(w.AddNote(ctx, w.root, r.ID, long, ""))
		notes, err := w.d.ReportNotes(ctx, []string{r.ID})
		w.must(err)
		if len(notes) != 2 || notes[0].Content != "first" || notes[1].Content != long || notes[0].AccountID != w.root.ID {
			t.Fatalf("notes %+v", notes)
		}
		for name, err := range map[string]error{
			"on nothing":             w.AddNote(ctx, w.root, "nothing", "x", ""),
			"of another report":      w.DeleteNote(ctx, w.root, other.ID, notes[0].ID),
			"that is not":            w.DeleteNote(ctx, w.root, r.ID, 999),
			"of a report that isn't": w.DeleteNote(ctx, w.root, "nothing", notes[0].ID),
		} {
			if !errors.Is(err, db.ErrNotFound) {
				t.Errorf("a note %s: %v, want ErrNotFound", name, err)
			}
		}
		if err := w.AddNote(ctx, w.root, r.ID, " \n\t", ""); !fault.Is(err, fault.KindMalformed) {
			t.Errorf("a blank note: %v", err)
		}
		w.must(w.DeleteNote(ctx, w.root, r.ID, notes[0].ID))
		w.wantLog(map[string]string{r.ID: "R"},
			"@root added note 'first' to report #R on user @bob",
			"@root added note '"+long+"' to report #R on user @bob",
			"@root deleted note 'first' from report #R on user @bob")
	})
}
