package servertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Programs returns a folder with svcd and svcctl as people get them: without the
// race detector, with which they take ten times as long to start. Other users may
// run them too. A package that asks for them runs its tests by Main.
func Programs(t testing.TB) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var programsMade atomic.Bool

var programs = sync.OnceValues(func() (string, error) {
	programsMade.Store(true)
	dir, err := os.MkdirTemp("", "svc-programs-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return dir, err
	}
	out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "svc/cmd/svcd", "svc/cmd/svcctl").CombinedOutput()
	if err != nil {
		return dir, fmt.Errorf("build svcd and svcctl: %w\n%s", err, out)
	}
	return dir, nil
})

// Main runs the tests of a package, and removes what Programs built.
type Main struct{ *testing.M }

// Run implements the interface of testing.M.
func (m Main) Run() int {
	defer func() {
		if !programsMade.Load() {
			return
		}
		if dir, _ := programs(); dir != "" {
			_ = os.RemoveAll(dir)
		}
	}()
	return m.M.Run()
}
