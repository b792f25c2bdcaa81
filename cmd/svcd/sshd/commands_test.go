package sshd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client/api"
	"svc/cmd/svcd/sshd"
	"svc/server/servertest"
)

// runs runs a command and returns its end.
func (w *world) runs(c *ssh.Client, line, stdin string) (code int, out, errOut string) {
	w.t.Helper()
	s := w.session(c)
	w.must(s.Start(line))
	_, _ = io.WriteString(s.keys, stdin) // which it may have ended without
	_ = s.keys.Close()
	code = s.ends()
	out, errOut = s.written()
	return code, out, errOut
}

func TestVerbsRunOverSSH(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		root := w.AdminUser("root")
		id := w.file(w.User("bob"), hostile)
		key, row := w.key(root)
		c := w.connect(key)

		code, out, errOut := w.runs(c, "report list", "")
		var reports []api.AdminReport
		if err := json.Unmarshal([]byte(out), &reports); err != nil || code != 0 || len(reports) != 1 || reports[0].ID != id {
			t.Fatalf("exit %d, %q, %q: %v", code, out, errOut, err)
		}
		for _, format := range []string{"json", "jsonl", "yaml", "table", "wide", "csv", "name"} {
			seat := w.session(c)
			w.must(seat.Start("report list -o " + format))
			if code := seat.ends(); code != 0 {
				t.Errorf("-o %s: exit %d", format, code)
			}
			seat.clean()
		}
		if code, out, errOut := w.runs(c, "svcctl report note add "+id+" 'seen before'", ""); code != 0 {
			t.Errorf("exit %d, %q, %q", code, out, errOut)
		}
		if code, out, errOut := w.runs(c, "report resolve -", id+"\n"); code != 0 {
			t.Errorf("exit %d, %q, %q", code, out, errOut)
		}
		report, err := w.Admin("root").Admin.Reports.Get(t.Context(), id)
		w.must(err)
		if report.State != api.ReportResolved || len(report.Notes) != 1 || report.Notes[0].Content != "seen before" {
			t.Errorf("%+v", report)
		}
		if code, _, errOut := w.runs(c, "user deactivate bob", ""); code != 2 || !strings.Contains(errOut, `"code":"usage"`) {
			t.Errorf("unconfirmed: exit %d, %q", code, errOut)
		}
		if code, _, errOut := w.runs(c, "user get nobody", ""); code != 4 {
			t.Errorf("nobody: exit %d, %q", code, errOut)
		}
		if code, out, _ := w.runs(c, "undo", ""); code != 0 || !strings.Contains(out, id) {
			t.Errorf("undo: exit %d, %q", code, out)
		}
		if n := w.tokens(row); n != 0 {
			t.Errorf("%d tokens are left", n)
		}
	})
}

func TestNoOtherProgramRunsOverSSH(t *testing.T) {
	w := start(t)
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	canary := t.TempDir() + "/canary"
	w.must(os.WriteFile(canary, []byte("{\"a\":\"sings\"}"), 0o600))
	for _, line := range []string{
		"sh", "bash -i", "/bin/sh -c id", "scp -t /tmp", "rsync --server . /", "sftp-server", "report list; id", "report list | sh", "report list && id", "`id`", "$(id)",
		"report list > /tmp/x", "tui", "auth token", "context list", "alias list", "completion bash", "doctor", "man /tmp", "config edit", "__complete report ''",
		"report list --url http://127.0.0.1:1", "report list --jq .", "report list --template x", "report list --context x",
		"api POST config --input " + canary, "config apply --yes " + canary, "config plan " + canary, "doc put instance-panel " + canary, "user create -f " + canary,
		"ssh-key add " + canary, "user credentials set root avatar=@" + canary, "report 'list", "report note add x --text @" + canary,
	} {
		code, out, errOut := w.runs(c, line, "")
		if code == 0 || out != "" || strings.Contains(errOut, "sings") || strings.Contains(errOut, "uid=") || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errOut)
		}
	}
	for _, env := range []string{"SVCCTL_TOKEN", "SVCCTL_URL", "SVCCTL_OUTPUT"} {
		if err := w.session(c).Setenv(env, "x"); err == nil {
			t.Errorf("%s was taken", env)
		}
	}
	if code, _, errOut := w.runs(c, strings.Repeat("x", 1<<17), ""); code != 2 || errOut != "The command is too long.\n" {
		t.Errorf("a long line: exit %d, %q", code, errOut)
	}
	if code, out, _ := w.runs(c, "", ""); code != 0 || !strings.Contains(out, "Administer an instance") {
		t.Errorf("nothing: exit %d, %q", code, out)
	}
}

func TestACommandHasTheRightsOfItsAccountAlone(t *testing.T) {
	w := start(t)
	w.User("mod")
	if _, err := w.DB.Writer().ExecContext(t.Context(), "UPDATE accounts SET is_moderator = TRUE WHERE nickname = 'mod'"); err != nil {
		t.Fatal(err)
	}
	settings := *w.Settings.Base()
	settings.Instance.ModeratorPrivileges = []string{"reports"}
	w.must(w.Settings.Swap(settings))
	key, _ := w.key(w.User("mod"))
	c := w.connect(key)
	if code, _, errOut := w.runs(c, "report list", ""); code != 0 {
		t.Errorf("with the privilege: exit %d, %q", code, errOut)
	}
	for _, line := range []string{"user list", "config get", "log list", "ssh-key list --user root", "user create x --email x@example.org --generate --yes"} {
		if code, out, errOut := w.runs(c, line, ""); code != 3 || strings.Contains(out, "nickname") || strings.Contains(out, "fingerprint") {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errOut)
		}
	}
	ann, _ := w.key(w.User("ann"))
	if code, out, errOut := w.runs(w.connect(ann), "report list", ""); code != 1 || out != "" || !strings.HasPrefix(errOut, "@ann has no rights here") {
		t.Errorf("as ann: exit %d, %q, %q", code, out, errOut)
	}
}

func TestTheOutputOfACommandIsBounded(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Output = 1 << 20 })
	key, _ := w.key(w.AdminUser("root"))
	bob := w.User("bob")
	for i := range 20 {
		w.file(bob, strings.Repeat(fmt.Sprint(i), 400))
	}
	c := w.connect(key)
	if code, out, _ := w.runs(c, "report list --all", ""); code != 0 || len(out) > 1<<20 {
		t.Errorf("exit %d with %d bytes", code, len(out))
	}
	less := serve(t, w.Server, func(l *sshd.Limits) { l.Output = 1000 })
	code, out, errOut := less.runs(less.connect(key), "report list --all", "")
	if code != 1 || len(out) > 1000 || !strings.HasPrefix(errOut, "The output was cut off after") {
		t.Errorf("exit %d, %d bytes, %q", code, len(out), errOut)
	}
}

func TestAWatchEndsWithItsRightsAndItsClient(t *testing.T) {
	w := start(t)
	a := w.AdminUser("mika")
	w.AdminUser("root")
	key, row := w.key(a)
	watch := w.session(w.connect(key))
	w.must(watch.Start("report list --state open --watch"))
	id := w.file(w.User("bob"), "news")
	watch.waits(id)
	_, err := w.Auth.DeleteSSHKey(t.Context(), a.ID, row.ID)
	w.must(err)
	if code := watch.ends(); code != 1 {
		t.Errorf("exit %d", code)
	}
	watch.waits("This session has ended: its key was deleted")

	key, row = w.key(a)
	c := w.connect(key)
	left := w.session(c)
	w.must(left.Start("report list --watch"))
	left.waits(id)
	w.must(c.Close())
	for deadline := time.Now().Add(20 * time.Second); w.tokens(row) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the token of a client that left is there still")
		}
	}
}
