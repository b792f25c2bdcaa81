package moderation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/rules/moderation"
)

func TestTheLogAndTheChangeFailTogether(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s, r := w.post(w.bob, "one"), w.report()
		w.must(w.AddNote(ctx, w.root, r.ID, "kept", ""))
		_, err := w.d.Writer().ExecContext(ctx, "ALTER TABLE moderation_log RENAME TO moderation_log_away")
		w.must(err)
		_, toggled := w.Toggle(ctx, w.root, "bob")
		_, updated := w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: r.ID, State: "closed"}})
		for name, err := range map[string]error{
			"toggle": toggled, "report": updated, "note": w.AddNote(ctx, w.root, r.ID, "lost", ""), "delete": w.DeleteStatus(ctx, w.root, s.ID),
		} {
			if err == nil {
				t.Errorf("%s worked without a log", name)
			}
		}
		w.wantActive("ann", "bob")
		got, err := w.d.Report(ctx, r.ID)
		if err != nil || got.State != db.ReportOpen {
			t.Errorf("report %+v, %v", got, err)
		}
		notes, err := w.d.ReportNotes(ctx, []string{r.ID})
		if err != nil || len(notes) != 1 {
			t.Errorf("notes %+v, %v", notes, err)
		}
		if _, err := w.d.StatusByID(ctx, s.ID); err != nil {
			t.Errorf("status: %v", err)
		}
	})
}

func TestTheLogsDataAreAsTheAPIShowsThem(t *testing.T) {
	yes, private := true, "private"
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s, r := w.post(w.bob, "one"), w.report()
		_, err := w.Deactivate(ctx, w.root, "bob")
		w.must(err)
		_, err = w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: r.ID, State: "closed"}})
		w.must(err)
		w.must(w.AddNote(ctx, w.root, r.ID, "why", ""))
		w.must(w.UpdateStatus(ctx, w.root, s.ID, &yes, &private))
		_, err = w.Activate(ctx, w.root, "bob")
		w.must(err)
		w.must(w.DeleteStatus(ctx, w.root, s.ID))
		rows, err := w.d.Log(ctx, db.LogFilter{}, db.NumberedPage{Number: 1, Size: 50})
		w.must(err)
		user := func(a *db.Account) string {
			return fmt.Sprintf(`{"id":%d,"account_id":%q,"nickname":%q,"type":"user"}`, a.Serial, a.ID, a.Nickname)
		}
		want := []string{
			fmt.Sprintf(`"action":"status_delete","message":"@root deleted status #%s","subject_id":%q}`, s.ID, s.ID),
			`"action":"activate","message":"@root activated users: @bob","subject":[` + user(w.bob) + `]}`,
			fmt.Sprintf(`"action":"status_update","message":"@root updated status #%s, set sensitive: 'true', visibility: 'private'",`, s.ID) +
				fmt.Sprintf(`"subject":{"type":"status","id":%q},"sensitive":true,"visibility":"private"}`, s.ID),
			fmt.Sprintf(`"action":"report_note","message":"@root added note 'why' to report #%s on user @bob",`, r.ID) +
				fmt.Sprintf(`"subject":{"type":"report","id":%q,"state":"closed"},"subject_actor":%s,"text":"why"}`, r.ID, user(w.bob)),
			fmt.Sprintf(`"action":"report_update","message":"@root updated report #%s (on user @bob) with 'closed' state",`, r.ID) +
				fmt.Sprintf(`"subject":{"type":"report","id":%q,"state":"closed"},"subject_actor":%s}`, r.ID, user(w.bob)),
			`"action":"deactivate","message":"@root deactivated users: @bob","subject":[` + user(w.bob) + `]}`,
		}
		for i := range want {
			want[i] = `{"actor":` + user(w.root) + `,` + want[i]
		}
		var got []string
		for _, e := range rows {
			got = append(got, string(e.Data))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAReportedAccountThatIsGoneIsLeftOutOfTheLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		r := w.report()
		_, err := w.d.Writer().ExecContext(ctx, "DELETE FROM accounts WHERE nickname = 'bob'")
		w.must(err)
		_, err = w.UpdateReports(ctx, w.root, []moderation.ReportChange{{ID: r.ID, State: "closed"}})
		w.must(err)
		w.must(w.AddNote(ctx, w.root, r.ID, "why", ""))
		w.wantLog(map[string]string{r.ID: "R"}, "@root updated report #R with 'closed' state", "@root added note 'why' to report #R")
	})
}
