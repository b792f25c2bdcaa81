package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/client/api"
)

// TestOneFolderIsServedOnce starts a second svcd on the folder of one that
// serves: it is refused, names the first, and does nothing to it. When the first
// is killed, nothing keeps the next from starting.
func TestOneFolderIsServedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, shortDir(t), "")
	p.user("alice")
	p.start()
	alice := p.logIn("alice")
	for range 2 {
		second := newProcess(t, p.dir, "")
		second.socket = filepath.Join(p.dir, "s2")
		second.launch()
		if code := second.wait(30 * time.Second); code != 1 {
			t.Errorf("a second svcd: exit code %d", code)
		}
		want := fmt.Sprintf("another svcd serves this database: process %d\n", p.cmd.Process.Pid)
		if said := second.stderr.String(); !strings.HasSuffix(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("a second svcd says %q, want %q", said, want)
		}
	}
	p.user("bob") // which commands beside the first may
	if _, err := p.client(alice).Statuses.Post(t.Context(), api.NewStatus{Status: "still here"}); err != nil {
		t.Error(err)
	}
	p.kill()
	p.start()
}
