package sshd_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"svc/cmd/svcd/sshd"
	"svc/db"
	"svc/server/servertest"
)

// moderator is an account that may do this alone.
func (w *world) moderator(name string, privileges ...string) *db.Account {
	w.t.Helper()
	account := w.User(name)
	account.IsModerator = true
	w.must(w.DB.UpdateAccount(w.t.Context(), account, "is_moderator"))
	settings := *w.Settings.Base()
	settings.Instance.ModeratorPrivileges = privileges
	w.must(w.Settings.Swap(settings))
	return account
}

// TestTheRightIsAskedBeforeInputIsRead begins commands whose input never comes.
func TestTheRightIsAskedBeforeInputIsRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		key, _ := w.key(w.moderator("mod", "invites"))
		c := w.connect(key)
		for _, line := range []string{
			"config plan -", "config apply - --yes", "config diff -", "config unset -", "user create -f - --generate", "doc put instance-panel -", "report resolve -", "report act - --playbook spam",
			"report get -", "report note add x -", "status delete -", "user deactivate -", "user get -", "user approve -", "media purge -", "media unban -", "chat delete-message 1 -", "ssh-key add - --user mod",
			"relay unfollow -", "app delete -",
		} {
			seat := w.session(c)
			w.must(seat.Start(line))
			if code := seat.ends(); code != 3 {
				out, errOut := seat.written()
				t.Errorf("%s: exit %d, %q, %q", line, code, out, errOut)
			}
		}
		if code, _, errOut := w.runs(c, "invite revoke - --yes --max 3", "x\n"); code == 3 {
			t.Errorf("what they may do: exit %d, %q", code, errOut)
		}
	})
}

// TestCommandsShareOutTheMemory fills the room of one account with a command that
// stays, and asks as another.
func TestCommandsShareOutTheMemory(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Room, l.Rooms = 4<<20, 5<<20 })
	key, _ := w.key(w.AdminUser("root"))
	other, _ := w.key(w.AdminUser("ann"))
	fill := func(n int) *seat {
		seat := w.session(w.connect(key))
		w.must(seat.Start("doc put instance-panel -"))
		_, _ = io.WriteString(seat.keys, strings.Repeat("x", n))
		return seat
	}
	if code := fill(8 << 20).ends(); code != 2 {
		t.Errorf("too much for one: exit %d", code)
	}
	first := fill(2<<20 - 1)
	code, said := 0, ""
	for range 100 { // the first may not have read it yet
		second := fill(2 << 20)
		_ = second.keys.Close()
		code = second.ends()
		if _, said = second.written(); strings.Contains(said, "Other commands") {
			break
		}
	}
	if code != 1 || !strings.Contains(said, "Other commands need the memory") {
		t.Errorf("too much for an account: exit %d, %q", code, said)
	}
	if code, _, errOut := w.runs(w.connect(other), "doc put instance-panel -", strings.Repeat("x", 1<<20)); code != 0 {
		t.Errorf("another account: exit %d, %q", code, errOut)
	}
	_ = first.keys.Close()
	if code := first.ends(); code != 12 { // the document is too large for the server
		t.Errorf("the first: exit %d", code)
	}
	if code, _, errOut := w.runs(w.connect(key), "doc put instance-panel -", strings.Repeat("y", 1<<20)); code != 0 {
		t.Errorf("after the first: exit %d, %q", code, errOut)
	}
}

// TestSmallFilesThatStandForMuchAreRefused are those that took the server's memory.
func TestSmallFilesThatStandForMuchAreRefused(t *testing.T) {
	w := start(t)
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	var laughs strings.Builder
	laughs.WriteString(":svc:\n  :a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&laughs, "  :a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	for name, file := range map[string]string{"aliases": laughs.String(), "a list": "[1" + strings.Repeat(",1", 4<<20)} {
		for _, line := range []string{"config plan -", "config diff -", "config apply - --yes"} {
			if code, _, errOut := w.runs(c, line, file); code != 2 || !strings.Contains(errOut, "more than 100000 values") && !strings.Contains(errOut, "too much for a command") {
				t.Errorf("%s, %s: exit %d, %q", name, line, code, errOut)
			}
		}
	}
}
