package action

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
)

// told returns results as text: the outcome and its reason.
func told(results []Result) []string {
	lines := make([]string, len(results))
	for i, r := range results {
		lines[i] = fmt.Sprintf("%s %s %s", r.Action.Target, r.Action.Kind, r.Outcome)
		if r.Err != nil {
			lines[i] += ": " + r.Err.Error()
		}
	}
	return lines
}

func want(t *testing.T, got, expected []string) {
	t.Helper()
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func act(kind Kind, targets ...string) []Action {
	actions := make([]Action, len(targets))
	for i, target := range targets {
		actions[i] = Action{Kind: kind, Target: target}
	}
	return actions
}

func TestReportsGoInBatchesAndOnlyWhenTheyMustChange(t *testing.T) {
	p := newPeer(t)
	var actions []Action
	for i := range 250 {
		id := fmt.Sprintf("r%03d", i)
		p.reports[id] = "open"
		if i%2 == 0 {
			p.reports[id] = "resolved"
		}
		actions = append(actions, Action{Kind: ReportResolve, Target: "report/" + id})
	}
	changed := 0
	for i, r := range New(p.client(), Options{}).Do(context.Background(), actions) {
		if r.Action.Target != actions[i].Target {
			t.Fatalf("result %d is about %s", i, r.Action.Target)
		}
		if want := map[bool]Outcome{true: Unchanged, false: Changed}[i%2 == 0]; r.Outcome != want {
			t.Errorf("%s: %s, want %s", r.Action.Target, r.Outcome, want)
		}
		if r.Outcome == Changed {
			changed++
		}
	}
	if changed != 125 || len(p.writes) != 3 {
		t.Errorf("%d changed in %d requests, want 125 in 3", changed, len(p.writes))
	}
	for _, write := range p.writes {
		if n := strings.Count(write, `"id"`); n > 50 {
			t.Errorf("a request has %d reports; half of a batch of 100 needed changing", n)
		}
	}
}

func TestAPartlyRefusedListTellsTheTruthOfEachReport(t *testing.T) {
	p := newPeer(t)
	p.reports = map[string]string{"a": "open", "b": "open", "c": "open"}
	p.before = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodPatch {
			delete(p.reports, "b") // gone between reading and writing
		}
		return false
	}
	got := New(p.client(), Options{}).Do(context.Background(), act(ReportClose, "report/a", "report/b", "report/c", "report/d"))
	want(t, told(got[:1]), []string{"report/a report.close changed"})
	want(t, told(got[2:3]), []string{"report/c report.close changed"})
	for _, r := range []Result{got[1], got[3]} {
		if r.Outcome != Failed || !errors.Is(r.Err, client.ErrNotFound) {
			t.Errorf("%v, want not found", told([]Result{r}))
		}
	}
}

// TestNobodyIsOverwrittenBetweenReadingAndWriting has others move two of three reports
// right before the write arrives.
func TestNobodyIsOverwrittenBetweenReadingAndWriting(t *testing.T) {
	p := newPeer(t)
	p.reports = map[string]string{"a": "open", "b": "open", "c": "open"}
	p.log = []string{
		"report_update tess 1769850251 @tess updated report #b (on user @u) with 'closed' state",
		"report_update ana 1769850250 @ana updated report #c (on user @u) with 'resolved' state",
	}
	p.before = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodPatch {
			p.reports["b"], p.reports["c"] = "closed", "resolved"
		}
		return false
	}
	got := New(p.client(), Options{}).Do(context.Background(), act(ReportResolve, "report/a", "report/b", "report/c"))
	want(t, told(got), []string{
		"report/a report.resolve changed", "report/b report.resolve failed: closed by tess at 2026-01-31T09:04:11Z", "report/c report.resolve unchanged",
	})
	if m := got[2].Meanwhile; m == nil || m.By != "ana" {
		t.Errorf("c was resolved by %+v", m)
	}
	if p.reports["b"] != "closed" || len(p.writes) != 1 {
		t.Errorf("it is %s after %q", p.reports["b"], p.writes)
	}
	p.reports["b"] = "open"
	want(t, told(New(p.client(), Options{Force: true}).Do(context.Background(), act(ReportResolve, "report/b"))), []string{"report/b report.resolve changed"})
}

func TestALostAnswerIsReadAgain(t *testing.T) {
	p := newPeer(t)
	p.cut = true
	p.reports["a"] = "open"
	p.users["kim"] = false
	p.statuses["s"] = map[string]string{"sensitive": "false", "visibility": "public"}
	got := New(p.client(), Options{}).Do(context.Background(), []Action{
		{Kind: ReportResolve, Target: "report/a"},
		{Kind: UserDeactivate, Target: "user/kim"},
		{Kind: StatusSensitive, Target: "status/s", Args: map[string]string{"sensitive": "true"}},
		{Kind: StatusDelete, Target: "status/s"},
		{Kind: ReportNote, Target: "report/a", Args: map[string]string{"text": "seen"}},
	})
	want(t, told(got), []string{
		"report/a report.resolve changed",
		"user/kim user.deactivate changed",
		"status/s status.sensitive changed",
		"status/s status.delete changed",
		"report/a report.note changed",
	})
	if len(p.writes) != 5 {
		t.Errorf("sent %q, want each once", p.writes)
	}
}

func TestWithoutAnyAnswerTheFateIsUnknown(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "open"
	dead := false
	p.before = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if dead = dead || r.Method == http.MethodPatch; dead {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	got := New(p.client(), Options{}).Do(context.Background(), act(ReportResolve, "report/a"))
	if got[0].Outcome != Unknown || !client.MayHaveHappened(got[0].Err) {
		t.Errorf("got %v", told(got))
	}
}

func TestAServerErrorThatDidNothingIsAFailure(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "open"
	p.before = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodPatch {
			http.Error(w, `{"errors":{"detail":"Internal server error"}}`, http.StatusInternalServerError)
			return true
		}
		return false
	}
	got := New(p.client(), Options{}).Do(context.Background(), act(ReportResolve, "report/a"))
	if got[0].Outcome != Failed || client.Status(got[0].Err) != 500 {
		t.Errorf("got %v", told(got))
	}
}

func TestAConflictNamesWhoAndWhen(t *testing.T) {
	p := newPeer(t)
	p.reports = map[string]string{"9xA7": "closed", "9xA": "open"}
	p.users["kim"] = true
	p.log = []string{
		"report_update ana 1769850300 @ana updated report #9xA7b (on user @u) with 'resolved' state",
		"report_note ana 1769850299 @ana added note 'x' to report #9xA7 on user @u",
		"report_update tess 1769850251 @tess updated report #9xA7 (on user @u) with 'closed' state",
		"deactivate tess 1769850252 @tess deactivated users: @kimberly, @kim",
	}
	actions := []Action{
		{Kind: ReportResolve, Target: "report/9xA7", Before: map[string]string{"state": "open"}},
		{Kind: ReportResolve, Target: "report/9xA", Before: map[string]string{"state": "open"}},
		{Kind: UserActivate, Target: "user/kim", Before: map[string]string{"deactivated": "false"}},
	}
	got := New(p.client(), Options{}).Do(context.Background(), actions)
	want(t, told(got), []string{
		"report/9xA7 report.resolve failed: closed by tess at 2026-01-31T09:04:11Z",
		"report/9xA report.resolve changed",
		"user/kim user.activate failed: deactivated by tess at 2026-01-31T09:04:12Z",
	})
	var conflict *Conflict
	if !errors.As(got[0].Err, &conflict) || conflict.By != "tess" || conflict.Now != "closed" || conflict.Target != "report/9xA7" {
		t.Errorf("conflict is %+v", conflict)
	}
	if len(p.writes) != 1 {
		t.Errorf("sent %q, want only the report without conflict", p.writes)
	}
	forced := New(p.client(), Options{Force: true}).Do(context.Background(), actions)
	want(t, told(forced), []string{
		"report/9xA7 report.resolve changed", "report/9xA report.resolve unchanged", "user/kim user.activate changed",
	})
}

func TestOnesOwnEarlierDecisionIsNoConflictWhenAskedSo(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "closed"
	p.log = []string{"report_update mika 1769850251 @mika updated report #a (on user @u) with 'closed' state"}
	actions := []Action{{Kind: ReportResolve, Target: "report/a", Before: map[string]string{"state": "open"}}}
	if got := New(p.client(), Options{}).Do(context.Background(), actions); got[0].Outcome != Failed {
		t.Errorf("got %v, want a conflict", told(got))
	}
	want(t, told(New(p.client(), Options{OwnIsFine: true}).Do(context.Background(), actions)), []string{"report/a report.resolve changed"})
	p.reports["a"], p.self = "closed", "tess"
	if got := New(p.client(), Options{OwnIsFine: true}).Do(context.Background(), actions); got[0].Outcome != Failed {
		t.Errorf("got %v, want a conflict with mika", told(got))
	}
}

func TestWhatSomebodyElseAlreadyDidIsUnchanged(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "resolved"
	got := New(p.client(), Options{}).Do(context.Background(), []Action{
		{Kind: ReportResolve, Target: "report/a", Before: map[string]string{"state": "open"}},
	})
	want(t, told(got), []string{"report/a report.resolve unchanged"})
	if got[0].Meanwhile != nil {
		t.Errorf("without a log it is said that %s did it", got[0].Meanwhile.By)
	}
	p.log = []string{"report_update tess 1769850251 @tess updated report #a (on user @u) with 'resolved' state"}
	again := []Action{got[0].Action}
	if got := New(p.client(), Options{}).Do(context.Background(), again); got[0].Meanwhile == nil || got[0].Meanwhile.By != "tess" {
		t.Errorf("%+v, want that tess did it", got[0])
	}
	p.self = "tess"
	if got := New(p.client(), Options{}).Do(context.Background(), again); got[0].Meanwhile != nil {
		t.Errorf("the own change counts as somebody else's: %+v", got[0].Meanwhile)
	}
}

// TestARenewedActionOverwritesOneChangeAlone renews an action after a conflict: it
// goes, unless the object changes once more.
func TestARenewedActionOverwritesOneChangeAlone(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "closed"
	e := New(p.client(), Options{})
	actions := []Action{{Kind: ReportResolve, Target: "report/a", Before: map[string]string{"state": "open"}}}
	if got := e.Do(t.Context(), actions); got[0].Outcome != Failed {
		t.Fatalf("got %v, want a conflict", told(got))
	}
	renewed, err := e.Renew(t.Context(), actions)
	if err != nil || renewed[0].Before["state"] != "closed" || actions[0].Before["state"] != "open" || len(p.writes) > 0 {
		t.Fatalf("renewed %+v from %+v, %v, writes %q", renewed, actions, err, p.writes)
	}
	p.reports["a"] = "open"
	if got := e.Do(t.Context(), renewed); got[0].Outcome != Failed {
		t.Errorf("got %v, want a conflict with the second change", told(got))
	}
	p.reports["a"] = "closed"
	want(t, told(e.Do(t.Context(), renewed)), []string{"report/a report.resolve changed"})
	delete(p.reports, "a")
	if _, err := e.Renew(t.Context(), actions); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("a report that is gone: %v", err)
	}
}

func TestOneVanishedUserDoesNotKeepTheOthersFromChanging(t *testing.T) {
	p := newPeer(t)
	p.users = map[string]bool{"ana": false, "kim": false, "tess@there.example": false}
	p.before = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodPatch {
			delete(p.users, "kim")
		}
		return false
	}
	got := New(p.client(), Options{}).Do(context.Background(), act(UserDeactivate, "user/ana", "user/kim", "user/tess@there.example"))
	if got[1].Outcome != Failed || !errors.Is(got[1].Err, client.ErrNotFound) {
		t.Errorf("kim: %v", told(got[1:2]))
	}
	if got[0].Outcome != Changed || got[2].Outcome != Changed || !p.users["ana"] || !p.users["tess@there.example"] {
		t.Errorf("got %v and %v", told(got), p.users)
	}
}

func TestNicknamesThatReadLikePathsOrIdsReachTheirOwner(t *testing.T) {
	p := newPeer(t)
	p.users = map[string]bool{"invites": false, "11": false, "eleven_long": false} // the last one has id 11
	got := New(p.client(), Options{}).Do(context.Background(), act(UserDeactivate, "user/invites", "user/11", "user/12"))
	want(t, told(got[:2]), []string{"user/invites user.deactivate changed", "user/11 user.deactivate changed"})
	if !errors.Is(got[2].Err, client.ErrNotFound) {
		t.Errorf("user/12: %v, want not found", got[2].Err)
	}
	if !p.users["invites"] || !p.users["11"] || p.users["eleven_long"] {
		t.Errorf("users are %v", p.users)
	}
}

func TestADeletedStatusIsUnchangedOnlyWhenTheLogKnows(t *testing.T) {
	p := newPeer(t)
	p.statuses["there"] = map[string]string{"sensitive": "false", "visibility": "public"}
	p.log = []string{"status_delete tess 1769850251 @tess deleted status #gone"}
	got := New(p.client(), Options{}).Do(context.Background(), act(StatusDelete, "status/there", "status/gone", "status/gon"))
	want(t, told(got[:2]), []string{"status/there status.delete changed", "status/gone status.delete unchanged"})
	if got[2].Outcome != Failed || !errors.Is(got[2].Err, client.ErrNotFound) {
		t.Errorf("a mistyped id: %v", told(got[2:]))
	}
}

func TestInversesBringBackWhatWas(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "closed"
	p.users["kim"] = false
	p.statuses["s"] = map[string]string{"sensitive": "false", "visibility": "unlisted"}
	p.statuses["d"] = map[string]string{"sensitive": "false", "visibility": "direct"}
	engine := New(p.client(), Options{})
	results := engine.Do(context.Background(), []Action{
		{Kind: ReportResolve, Target: "report/a"},
		{Kind: UserDeactivate, Target: "user/kim"},
		{Kind: StatusVisibility, Target: "status/s", Args: map[string]string{"visibility": "private", "sensitive": "true"}},
		{Kind: StatusVisibility, Target: "status/d", Args: map[string]string{"visibility": "private"}},
		{Kind: ReportNote, Target: "report/a", Args: map[string]string{"text": "same wave"}},
	})
	if results[3].Inverse != nil {
		t.Errorf("back to direct: %+v, which the API does not take", results[3].Inverse)
	}
	var back []Action
	for _, r := range results {
		if r.Outcome != Changed {
			t.Errorf("%v", told([]Result{r}))
		}
		if r.Inverse != nil {
			back = append(back, *r.Inverse)
		}
	}
	wantBack := []Action{
		{Kind: ReportClose, Target: "report/a", Before: map[string]string{"state": "resolved"}},
		{Kind: UserActivate, Target: "user/kim", Before: map[string]string{"deactivated": "true"}},
		{
			Kind: StatusVisibility, Target: "status/s",
			Args:   map[string]string{"visibility": "unlisted", "sensitive": "false"},
			Before: map[string]string{"visibility": "private", "sensitive": "true"},
		},
		{Kind: ReportNoteDelete, Target: "report/a", Args: map[string]string{"text": "same wave", "after": "0"}},
	}
	if diff := cmp.Diff(wantBack, back); diff != "" {
		t.Errorf("inverses (-want +got):\n%s", diff)
	}
	for _, r := range engine.Do(context.Background(), back) {
		if r.Outcome != Changed {
			t.Errorf("back: %v", told([]Result{r}))
		}
	}
	if p.reports["a"] != "closed" || p.users["kim"] || p.statuses["s"]["visibility"] != "unlisted" || len(p.notes["a"]) != 0 {
		t.Errorf("not as before: %v %v %v %v", p.reports, p.users, p.statuses, p.notes)
	}
	again := engine.Do(context.Background(), back[3:])
	want(t, told(again), []string{"report/a report.note.delete unchanged"})
}

func TestRepeatsOfATargetAreSentOnce(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "open"
	got := New(p.client(), Options{}).Do(context.Background(), act(ReportResolve, "report/a", "report/a"))
	want(t, told(got), []string{"report/a report.resolve changed", "report/a report.resolve unchanged"})
	if len(p.writes) != 1 || strings.Count(p.writes[0], `"id"`) != 1 {
		t.Errorf("sent %q", p.writes)
	}
}

func TestPreviewShowsTheRequestsAndSendsNone(t *testing.T) {
	p := newPeer(t)
	p.reports = map[string]string{"a": "open", "b": "closed", "c": "open"}
	p.statuses["s"] = map[string]string{"sensitive": "false", "visibility": "public"}
	var shown []client.Preview
	engine := New(p.client(client.WithPreview(func(r client.Preview) { shown = append(shown, r) })), Options{})
	got := engine.Do(context.Background(), append(
		act(ReportClose, "report/a", "report/b", "report/c"), act(StatusDelete, "status/s")...))
	outcomes := []Outcome{got[0].Outcome, got[1].Outcome, got[2].Outcome, got[3].Outcome}
	if diff := cmp.Diff([]Outcome{Skipped, Unchanged, Skipped, Skipped}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var lines []string
	for _, r := range shown {
		lines = append(lines, fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Body))
	}
	want(t, lines, []string{
		`PATCH /api/svc/admin/reports {"reports":[{"id":"a","state":"closed","was":"open"},{"id":"c","state":"closed","was":"open"}]}`,
		"DELETE /api/svc/admin/statuses/s ",
	})
	if len(p.writes) != 0 {
		t.Errorf("sent %q", p.writes)
	}
}

func TestALostRightStopsTheRest(t *testing.T) {
	p := newPeer(t)
	for i := range 12 {
		p.statuses[fmt.Sprint("s", i)] = map[string]string{"sensitive": "false", "visibility": "public"}
	}
	p.before = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodDelete {
			http.Error(w, `{"error":"Insufficient permissions: admin:write:statuses."}`, http.StatusForbidden)
			return true
		}
		return false
	}
	var actions []Action
	for i := range 12 {
		actions = append(actions, Action{Kind: StatusDelete, Target: fmt.Sprint("status/s", i)})
	}
	failed := 0
	for _, r := range New(p.client(), Options{}).Do(context.Background(), actions) {
		if !errors.Is(r.Err, client.ErrForbidden) {
			t.Errorf("%v", told([]Result{r}))
		}
		if r.Outcome == Failed {
			failed++
		}
	}
	if failed == 0 || failed > inFlight || len(p.writes) != failed {
		t.Errorf("%d failed with %d requests; at most %d are under way at once", failed, len(p.writes), inFlight)
	}
}

func TestACancelledRunSkipsWhatIsLeft(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "open"
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := New(p.client(), Options{}).Do(ctx, act(ReportResolve, "report/a"))
	if got[0].Outcome != Skipped || !errors.Is(got[0].Err, context.Canceled) || len(p.writes) != 0 {
		t.Errorf("got %v, sent %q", told(got), p.writes)
	}
}

func TestProgressCountsEveryAction(t *testing.T) {
	p := newPeer(t)
	p.reports["a"] = "open"
	var last [2]int
	calls := 0
	New(p.client(), Options{Progress: func(done, total int) { last, calls = [2]int{done, total}, calls+1 }}).
		Do(context.Background(), append(act(ReportResolve, "report/a", "report/a", "user/a"), act(StatusDelete, "status/x")...))
	if last != [2]int{4, 4} || calls == 0 {
		t.Errorf("last progress %v after %d calls", last, calls)
	}
}

func TestMistakesAreNotSent(t *testing.T) {
	p := newPeer(t)
	p.statuses["s"] = map[string]string{"sensitive": "false", "visibility": "public"}
	got := New(p.client(), Options{}).Do(context.Background(), []Action{
		{Kind: "report.frob", Target: "report/a"},
		{Kind: ReportResolve, Target: "user/kim"},
		{Kind: StatusVisibility, Target: "status/s", Args: map[string]string{"visibility": "secret"}},
		{Kind: StatusSensitive, Target: "status/s"},
		{Kind: ReportNoteDelete, Target: "report/a", Args: map[string]string{"note": "x"}},
	})
	for _, r := range got {
		var usage *UsageError
		if r.Outcome != Failed || !errors.As(r.Err, &usage) {
			t.Errorf("%v, want a usage error", told([]Result{r}))
		}
	}
	if len(p.writes) != 0 {
		t.Errorf("sent %q", p.writes)
	}
}

// TestALostWriteGoesOverNobody has the server cut the answer of a write, or drop the
// request, with a client that repeats calls.
func TestALostWriteGoesOverNobody(t *testing.T) {
	for name, c := range map[string]struct {
		arrives bool
		then    string // somebody else's state
		writes  int
		state   string
		outcome Outcome
	}{
		"answer lost": {true, "", 1, "resolved", Changed},
		"answer lost, and closed by somebody else": {true, "closed", 1, "closed", Failed},
		"request lost": {false, "", 2, "resolved", Changed},
		"request lost, and closed by somebody else":   {false, "closed", 1, "closed", Failed},
		"request lost, and resolved by somebody else": {false, "resolved", 1, "resolved", Changed},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			p.reports["a"] = "open"
			p.before = func(_ http.ResponseWriter, r *http.Request, body string) bool {
				if r.Method != http.MethodPatch || len(p.writes) > 1 {
					return false
				}
				if c.arrives {
					p.patchReports([]byte(body))
				}
				if c.then != "" {
					p.reports["a"] = c.then
				}
				panic(http.ErrAbortHandler)
			}
			got := New(p.client(client.WithRetries(3)), Options{}).Do(context.Background(), act(ReportResolve, "report/a"))
			if len(p.writes) != c.writes || p.reports["a"] != c.state || got[0].Outcome != c.outcome {
				t.Errorf("%v, %q after %q", told(got), p.reports["a"], p.writes)
			}
		})
	}
}
