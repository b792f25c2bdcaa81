package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
)

// pane is the terminal UI in a tmux window of 80x24.
type pane struct {
	t      *testing.T
	socket string
}

func openPane(t *testing.T, s *servertest.Server, admin string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("SVC_TEST_TMUX") == "required" {
			t.Fatal(err)
		}
		t.Skipf("tmux is not installed: %v", err)
	}
	home := t.TempDir()
	p := &pane{t, filepath.Join(home, "s")}
	cmd := exec.Command("tmux", "-f", "/dev/null", "-S", p.socket, "new-session", "-d", "-x", "80", "-y", "24",
		filepath.Join(servertest.Programs(t), "svcctl"), "tui")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "NO_COLOR=1",
		"SVCCTL_NO_KEYRING=1", "SVCCTL_URL="+s.URL, "SVCCTL_TOKEN="+admin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	return p
}

func (p *pane) key(key string) {
	p.t.Helper()
	if out, err := exec.Command("tmux", "-S", p.socket, "send-keys", key).CombinedOutput(); err != nil {
		p.t.Fatalf("send %s: %v: %s", key, err, out)
	}
}

// shows waits until the screen holds text.
func (p *pane) shows(within time.Duration, text string) {
	p.t.Helper()
	var screen []byte
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		screen, _ = exec.Command("tmux", "-S", p.socket, "capture-pane", "-p").Output()
		if strings.Contains(string(screen), text) {
			return
		}
	}
	p.t.Fatalf("%q did not appear in %s:\n%s", text, within, screen)
}

// A report filed elsewhere appears in an open terminal by itself, is resolved
// with one key, undone with another before anything is sent, and logged once it
// is sent.
func TestAReportIsTriagedInATerminal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	ctx := t.Context()
	admin := s.Admin("root")
	p := openPane(t, s, s.Token("root", servertest.AdminScopes))
	p.shows(20*time.Second, "REPORTS open 0")

	spam, err := s.Client("spam1").Statuses.Post(ctx, api.NewStatus{Status: "win big today"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: spam.Account.ID, StatusIDs: []string{spam.ID}, Comment: "crypto, again"}); err != nil {
		t.Fatal(err)
	}
	p.shows(15*time.Second, "crypto, again")

	reports, err := admin.Admin.Reports.List(api.ReportQuery{}).Page(ctx)
	if err != nil || len(reports.Items) != 1 {
		t.Fatalf("%v, %v", reports, err)
	}
	id := reports.Items[0].ID
	p.key("r")
	p.shows(5*time.Second, "OUTBOX 1")
	p.key("u")
	p.shows(5*time.Second, "nothing was sent")
	log, err := admin.Admin.Log.List(api.LogQuery{}).Page(ctx)
	if err != nil || len(log.Items) != 0 {
		t.Fatalf("the log after taking it back: %v, %v", log.Items, err)
	}
	p.key("r")
	p.shows(5*time.Second, "OUTBOX 1")
	eventually(t, 15*time.Second, "the report is resolved", func() bool {
		r, err := admin.Admin.Reports.Get(ctx, id)
		return err == nil && r.State == "resolved"
	})
	if log, err = admin.Admin.Log.List(api.LogQuery{}).Page(ctx); err != nil || len(log.Items) != 1 ||
		log.Items[0].Message != "@root updated report #"+id+" (on user @spam1) with 'resolved' state" {
		t.Errorf("the log: %+v, %v", log.Items, err)
	}
}
