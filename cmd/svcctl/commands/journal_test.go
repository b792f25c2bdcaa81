package commands

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/client/action"
	"svc/client/journal"
)

// TestEveryWriteIsInTheJournal runs the command of each admin route that changes
// something, and those of other routes: what was sent is in the journal, with an undo
// or with the reason why there is none.
func TestEveryWriteIsInTheJournal(t *testing.T) {
	s, vars := adminWorld(t)
	state := t.TempDir()
	entries := func() []journal.Entry {
		t.Helper()
		all, damaged, err := journal.Open(filepath.Join(state, "svcctl"), s.URL, time.Now).Entries()
		if err != nil || damaged > 0 {
			t.Fatal(damaged, err)
		}
		return all
	}
	var lines []string
	for _, r := range adminRoutes(s) {
		if !reads(r) {
			lines = append(lines, example(r))
		}
	}
	lines = append(lines, "message send juno --text hello --yes", "ssh-key add $SSHKEY", "api POST users/follow -f follower=kim -f followed=ana",
		"user role add admin ana --legacy --yes --max 1", "user delete ana --legacy --yes --max 1", "config unset svc instance description --yes --max 1")
	wrote := regexp.MustCompile(`(?m)^> (POST|PUT|PATCH|DELETE|GET \S*/(restart|password_reset))\b.*$`)
	unexplained := action.Kind("no.such-kind").Final()
	n := 0
	for _, line := range lines {
		before := len(entries())
		args := strings.Fields(line)
		for i, arg := range args {
			if value, ok := vars[arg]; ok {
				args[i] = value
			}
		}
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"], c.env["XDG_STATE_HOME"] = vars["$MIKA"], state
		code := Run(c.App, append(args, "--debug"))
		talk := c.stderr.String()
		made(vars, talk)
		sent := wrote.FindString(talk)
		if code != 0 || sent == "" {
			if code != 0 {
				t.Errorf("svcctl %s: exit %d: %s", line, code, talk)
			}
			continue
		}
		n++
		now := entries()
		if len(now) <= before {
			t.Errorf("svcctl %s sent %q, which is not in the journal", line, sent)
			continue
		}
		for _, e := range now[:len(now)-before] {
			if why := e.Action.Kind.Final(); e.Undo == nil && why == unexplained && !slices.Contains(action.Kinds(), e.Action.Kind) {
				t.Errorf("svcctl %s: %s has no undo, and no reason why", line, e.Action.Kind)
			}
			if e.Action.Kind.Noun() == "api" && strings.Contains(e.Action.Target, "?") {
				t.Errorf("svcctl %s: %s shows a query", line, e.Action.Target)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d commands wrote", n)
	}
}
