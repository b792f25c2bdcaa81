package staged

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/action"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string) *Actions {
	t.Helper()
	o, err := Open(dir, "example.social", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func stage(o *Actions, kind action.Kind, due time.Duration, targets ...string) *Item {
	item := &Item{Label: kind.Verb(), At: noon, Phase: Waiting, Due: noon.Add(due)}
	for _, target := range targets {
		item.Actions = append(item.Actions, action.Action{Kind: kind, Target: target})
	}
	o.Stage(item)
	return item
}

func labels(items []*Item) []string {
	var found []string
	for _, item := range items {
		for _, a := range item.Actions {
			found = append(found, string(a.Kind)+" "+a.Target)
		}
	}
	return found
}

func TestTheLastWishForAnObjectCounts(t *testing.T) {
	o := open(t, t.TempDir())
	stage(o, action.ReportResolve, 0, "report/1", "report/2")
	stage(o, action.ReportNote, 0, "report/1")
	stage(o, action.ReportClose, 0, "report/1")
	stage(o, action.StatusSensitive, 0, "status/1")
	stage(o, action.StatusVisibility, 0, "status/1")
	stage(o, action.ReportClose, 0, "report/2")
	stage(o, action.UserDeactivate, 0, "user/kim")
	stage(o, action.UserTag, 0, "user/kim")
	stage(o, action.UserActivate, 0, "user/kim")
	stage(o, action.StatusSensitive, 0, "status/2")
	stage(o, action.StatusDelete, 0, "status/2")
	want := []string{
		"report.note report/1", "report.close report/1", "status.sensitive status/1", "status.visibility status/1", "report.close report/2",
		"user.tag.add user/kim", "user.activate user/kim", "status.delete status/2",
	}
	if diff := cmp.Diff(want, labels(o.Items)); diff != "" {
		t.Error(diff)
	}
}

func TestTakeGivesWhatIsDueOfOneKindAndOneBatchAtATime(t *testing.T) {
	o := open(t, t.TempDir())
	stage(o, action.ReportResolve, 0, "report/1")
	stage(o, action.ReportClose, 0, "report/2")
	stage(o, action.ReportResolve, time.Second, "report/3")
	stage(o, action.ReportResolve, -time.Second, "report/4")
	batch := o.Take(noon)
	if diff := cmp.Diff([]string{"report.resolve report/1", "report.resolve report/4"}, labels(batch)); diff != "" {
		t.Error(diff)
	}
	if again := o.Take(noon); again != nil {
		t.Errorf("while a batch is being sent, it gave %v", labels(again))
	}
	if !o.Busy("report/1") || o.Busy("report/2") {
		t.Error("what is being sent is busy, and nothing else")
	}
	o.Drop(batch)
	if diff := cmp.Diff([]string{"report.close report/2"}, labels(o.Take(noon))); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsBeingSentCannotBeCancelled(t *testing.T) {
	o := open(t, t.TempDir())
	stage(o, action.ReportResolve, 0, "report/1")
	o.Take(noon)
	stage(o, action.ReportClose, time.Second, "report/2")
	going, later := o.Items[0], o.Items[1]
	if !o.Cancel(later) || slices.Contains(o.Items, later) {
		t.Error("what waits is not cancelled")
	}
	if o.Cancel(going) || !slices.Contains(o.Items, going) {
		t.Error("what is on its way is cancelled")
	}
	if n := o.CancelAll(); n != 0 {
		t.Errorf("cancelled %d", n)
	}
}

// TestAConflictIsKeptAndNeverDueByItself holds an item in conflict against all that
// sends others, and a restart.
func TestAConflictIsKeptAndNeverDueByItself(t *testing.T) {
	dir := t.TempDir()
	o := open(t, dir)
	item := stage(o, action.ReportResolve, 0, "report/1", "report/2")
	item.Phase, item.Why = Conflict, map[string]string{"report/2": "closed by tess"}
	o.Hurry(noon)
	if batch := o.Take(noon); batch != nil {
		t.Errorf("took %v", labels(batch))
	}
	if _, any := o.Next(); any || !o.InConflict("report/2") || o.InConflict("report/1") || o.Busy("report/2") {
		t.Error("it counts down, or is on its way")
	}
	if err := o.Save()(); err != nil {
		t.Fatal(err)
	}
	if err := o.file.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	o = open(t, dir)
	if len(o.Items) != 1 || o.Items[0].Phase != Conflict || o.Items[0].Why["report/2"] != "closed by tess" {
		t.Fatalf("after a restart there is %+v", o.Items)
	}
	o.KeepTheirs(o.Items[0], noon)
	if diff := cmp.Diff([]string{"report.resolve report/1"}, labels(o.Take(noon))); diff != "" {
		t.Error(diff)
	}
}

func TestAnOlderSaveDoesNotUndoANewer(t *testing.T) {
	dir := t.TempDir()
	o := open(t, dir)
	stage(o, action.ReportResolve, 0, "report/1")
	older := o.Save()
	stage(o, action.ReportClose, 0, "report/2")
	newer := o.Save()
	for _, save := range []func() error{newer, older} {
		if err := save(); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.file.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(labels(o.Items), labels(open(t, dir).Items)); diff != "" {
		t.Error(diff)
	}
}

func TestADamagedFileIsNamedAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "outbox-example.social-0.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, "example.social", time.Now)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{" {
		t.Errorf("the file holds %q now, %v", data, err)
	}
}

func TestCloseLeavesNothingBehindWhenAllIsDone(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(left) != 0 {
		t.Errorf("left %q, %v", left, err)
	}
}
