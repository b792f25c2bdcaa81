package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestServerOfAnotherMakeIsFollowedReadAndAnswered exchanges activities with a
// server that shares no code with this one: Fedify, from npm.
func TestServerOfAnotherMakeIsFollowedReadAndAnswered(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "clients")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@fedify", "fedify")); err != nil {
		if os.Getenv("SVC_TEST_NODE") == "required" {
			t.Fatalf("run npm ci in %s: %v", dir, err)
		}
		t.Skipf("run npm ci in %s: %v", dir, err)
	}
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.AtHost(t, dsn, "127.0.0.1")
		cmd := exec.CommandContext(t.Context(), "node", "fedify.mjs")
		cmd.Dir = dir
		everything(t, s, cmd)
	})
}
