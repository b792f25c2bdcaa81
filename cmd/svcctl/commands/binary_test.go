package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"svc/db/dbtest"
	"svc/server/servertest"
)

// binary returns the path of the program, as people get it.
func binary(t testing.TB) string {
	t.Helper()
	return filepath.Join(servertest.Programs(t), "svcctl")
}

func built(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SVCCTL_NO_KEYRING=1"}
	return cmd
}

// onPTY runs a command on a terminal that never answers, and returns its output
// and the time it took.
func onPTY(t *testing.T, cmd *exec.Cmd) (string, time.Duration) {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	start := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	out, err := io.ReadAll(terminal)
	if err != nil && !errors.Is(err, syscall.EIO) { // how a pty says that the other side closed
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return string(out), time.Since(start)
}

// Asking the terminal would take five seconds on one that does not answer. How
// quick the program is otherwise is for benchmarks: a busy machine delays it.
func TestVersionIsSilentOnASilentTerminalAndDoesNotWaitForIt(t *testing.T) {
	out, took := onPTY(t, built(t, "version"))
	if !strings.HasPrefix(out, "svcctl ") || strings.Count(out, "\n") != 1 || strings.Contains(out, "\x1b") {
		t.Errorf("wrote %q", out)
	}
	if took > 4*time.Second {
		t.Errorf("took %s: it waits for the terminal", took)
	}
}

func TestNoColourOnATerminalWithNoColour(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&fake{answer: always(200, reportsBody(t))})
	t.Cleanup(server.Close)
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb", ""} {
		cmd := built(t, "report", "list")
		cmd.Env = append(cmd.Env, "SVCCTL_URL="+server.URL, "SVCCTL_TOKEN=x")
		if env == "TERM=dumb" {
			cmd.Args = append(cmd.Args, "--color", "never")
		} else {
			cmd.Env = append(cmd.Env, env)
		}
		out, _ := onPTY(t, cmd)
		if coloured := strings.Contains(out, "\x1b["); coloured != (env == "") {
			t.Errorf("%q: wrote %q", env, out)
		}
		if !strings.Contains(out, "spam1@bad.example") {
			t.Errorf("%q: wrote %q", env, out)
		}
	}
}

func TestCompletionAnswersInTimeOrNotAtAll(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(release) })
	cmd := built(t, "__complete", "report", "resolve", "")
	cmd.Env = append(cmd.Env, "SVCCTL_URL="+silent.URL, "SVCCTL_TOKEN=x")
	start := time.Now()
	out, err := cmd.Output()
	if err != nil || string(out) != ":4\n" {
		t.Errorf("%v: %q, want no words", err, out)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("took %s: it waits for the server", took)
	}
}

// rows serves n reports by pages.
func rows(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			page = 1
		}
		size, err := strconv.Atoi(r.URL.Query().Get("page_size"))
		if err != nil {
			size = 50
		}
		var b bytes.Buffer
		b.WriteString(`{"reports":[`)
		for i := (page - 1) * size; i < min(page*size, n); i++ {
			if i > (page-1)*size {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":"9xA1q%013d","state":"open","content":"%s","created_at":"2026-01-31T12:00:00.000Z",`+
				`"account":{"id":"9a1","acct":"spam1"},"actor":{"id":"9a2","acct":"ana"},"statuses":[],"notes":[]}`, n-i, strings.Repeat("x", 100))
		}
		fmt.Fprintf(&b, `],"total":%d}`, n)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(b.Bytes()) // a client that went away is the subject of one test
	}
}

func TestJSONLStreamsAHundredThousandRowsInLittleMemory(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	const n = 100_000
	server := httptest.NewServer(rows(n))
	t.Cleanup(server.Close)
	cmd := built(t, "report", "list", "--all", "--page-size", "500", "-o", "jsonl")
	cmd.Env = append(cmd.Env, "SVCCTL_URL="+server.URL, "SVCCTL_TOKEN=x")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, peak := 0, 0
	chunk := make([]byte, 64<<10)
	for {
		read, err := out.Read(chunk)
		lines += bytes.Count(chunk[:read], []byte("\n"))
		peak = max(peak, highWater(cmd.Process.Pid))
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if lines != n {
		t.Errorf("%d lines, want %d", lines, n)
	}
	if peak < 1<<10 || peak >= 64<<10 {
		t.Errorf("%d KiB resident at most, want under 64 MiB", peak)
	}
}

var residentPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// highWater is the most memory a process has held, in KiB; 0 when it has ended.
// The system's figure for ended children counts their parent's too.
func highWater(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	found := residentPeak.FindSubmatch(status)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return 0
	}
	return n
}

func TestAClosedPipeEndsTheProgramAsShellsExpect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(rows(10_000))
	t.Cleanup(server.Close)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", binary(t)+` report list --all -o name | head -1 >/dev/null; echo "${PIPESTATUS[0]}"`)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "SVCCTL_NO_KEYRING=1", "SVCCTL_URL=" + server.URL, "SVCCTL_TOKEN=x"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "141\n" || stderr.Len() > 0 {
		t.Errorf("exit %q, %v, stderr %q", out, err, &stderr)
	}
}
