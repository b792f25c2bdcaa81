package e2e

import (
	"os/exec"
	"testing"

	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestServerOfAnotherMakeIsFollowedReadAndAnswered exchanges activities with a
// server that shares no code with this one: Fedify, from npm.
func TestServerOfAnotherMakeIsFollowedReadAndAnswered(t *testing.T) {
	t.Parallel()
	dir := npmClients(t)
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.AtHost(t, dsn, "127.0.0.1")
		cmd := exec.CommandContext(t.Context(), "node", "fedify.mjs")
		cmd.Dir = dir
		everything(t, s, cmd)
	})
}
