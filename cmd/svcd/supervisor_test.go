package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/server/servertest"
)

// TestASupervisorHandsTheSocketAndHearsHowTheServiceFares starts svcd as systemd does: with
// an open socket, a watchdog, and a socket for messages.
func TestASupervisorHandsTheSocketAndHearsHowTheServiceFares(t *testing.T) {
	dir, err := os.MkdirTemp("", "svcd-") // a short path: it is a socket's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	heard, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = heard.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handed, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()

	program := filepath.Join(servertest.Programs(t), "svcd")
	var log servertest.Log
	cmd := exec.Command("sh", "-c", `export LISTEN_PID=$$; exec "$0" serve`, program)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SVC_DATA_DIR=" + filepath.Join(dir, "data"), "SVC_BASE_URL=http://svc.example", "SVC_DRAIN=0",
		"NOTIFY_SOCKET=" + filepath.Join(dir, "notify"), "WATCHDOG_USEC=30000000", "LISTEN_FDS=1", "LISTEN_FDNAMES=svcd.socket",
	}
	cmd.Stderr, cmd.ExtraFiles = &log, []*os.File{handed}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	_, _ = handed.Close(), l.Close()

	hear := func(want string) string {
		t.Helper()
		if err := heard.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		message := make([]byte, 4096)
		for {
			n, err := heard.Read(message)
			if err != nil {
				t.Fatalf("%s is not heard: %v\n%s", want, err, log.String())
			}
			if lines := "\n" + string(message[:n]) + "\n"; strings.Contains(lines, "\n"+want+"\n") {
				return lines
			}
		}
	}
	healthy := func() {
		t.Helper()
		resp, err := http.Get("http://" + at + "/healthz")
		if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("it does not serve on the socket: %v\n%s", err, log.String())
		}
	}

	if told := hear("READY=1"); !strings.Contains(told, "\nSTATUS=Serving http://svc.example\n") {
		t.Errorf("ready: %q", told)
	}
	healthy()
	hear("WATCHDOG=1")
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if told := hear("RELOADING=1"); !strings.Contains(told, "\nMONOTONIC_USEC=") {
			t.Errorf("reloading: %q", told)
		}
		hear("READY=1")
		servertest.Eventually(t, "the log says what was read again", func() bool { // it comes through a pipe of its own
			return strings.Contains(log.String(), "SIGHUP: read saved settings and emoji again")
		})
		healthy()
	}

	check := exec.Command(program, "healthcheck", "--listen", at)
	check.Env = []string{"PATH=" + os.Getenv("PATH"), "SVC_BASE_URL=http://svc.example"}
	if out, err := check.CombinedOutput(); err != nil || string(out) != `{"status":"ok"}`+"\n" {
		t.Errorf("healthcheck: %v %s", err, out)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	hear("STOPPING=1")
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ends with %v\n%s", err, log.String())
		}
	case <-time.After(patience):
		t.Error("it does not end")
	}
	check = exec.Command(program, "healthcheck", "--listen", at)
	check.Env = []string{"PATH=" + os.Getenv("PATH"), "SVC_BASE_URL=http://svc.example"}
	if out, err := check.CombinedOutput(); err == nil || check.ProcessState.ExitCode() != exitFailed {
		t.Errorf("healthcheck of nothing: %v %s", err, out)
	}
}
