package journal

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client/action"
)

func changed(target string) action.Result {
	return action.Result{
		Action: action.Action{Kind: action.ReportResolve, Target: target}, Outcome: action.Changed,
		Inverse: &action.Action{Kind: action.ReportReopen, Target: target, Before: map[string]string{"state": "resolved"}},
	}
}

func TestChangesAreRemembered(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	j := Open(dir, "https://one.example/", func() time.Time { return now })
	failed := action.Result{Action: action.Action{Kind: action.ReportResolve, Target: "report/b"}, Outcome: action.Failed}
	ids, err := j.Add([]action.Result{changed("report/a"), failed, changed("report/c")}, nil)
	if err != nil || ids[0] == "" || ids[1] != "" || ids[2] == "" {
		t.Fatalf("%q, %v", ids, err)
	}
	if _, err := Open(dir, "https://two.example", time.Now).Add([]action.Result{changed("report/z")}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Add([]action.Result{changed("report/a")}, []string{ids[0]}); err != nil {
		t.Fatal(err)
	}
	entries, damaged, err := j.Entries()
	if err != nil || damaged != 0 || len(entries) != 3 {
		t.Fatalf("%+v, %d damaged, %v", entries, damaged, err)
	}
	back, c, a := entries[0], entries[1], entries[2]
	if back.Undoes != a.ID || !a.Undone || c.Undone || c.Run != a.Run || back.Run == a.Run || !a.At.Equal(now) || c.Undo.Before["state"] != "resolved" {
		t.Errorf("%+v", entries)
	}
	info, err := os.Stat(filepath.Join(dir, "journal.jsonl"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestALineThatWasCutOffLosesNoOther(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, "https://one.example", time.Now)
	for _, target := range []string{"report/a", "report/b"} {
		if _, err := j.Add([]action.Result{changed(target)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "journal.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Add([]action.Result{changed("report/c")}, nil); err != nil {
		t.Fatal(err)
	}
	entries, damaged, err := j.Entries()
	if err != nil || damaged != 1 || len(entries) != 2 || entries[0].Action.Target != "report/c" {
		t.Errorf("%+v, %d damaged, %v", entries, damaged, err)
	}
}

func TestSeveralProgramsWriteAtOnce(t *testing.T) {
	dir := t.TempDir()
	// Near the size at which the file is shortened.
	old := strings.Repeat(strings.Repeat("x", 1023)+"\n", maxSize/1024)
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := Open(dir, "https://one.example", time.Now).Add([]action.Result{changed("report/a")}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries, damaged, err := Open(dir, "https://one.example", time.Now).Entries()
	if err != nil || len(entries) != 20 || damaged > maxSize/1024/2 {
		t.Errorf("%d entries, %d damaged, %v", len(entries), damaged, err)
	}
}
