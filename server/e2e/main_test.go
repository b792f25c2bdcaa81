package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svc/client"
	"svc/server/servertest"
)

// password is that of every user made here.
const password = "correct horse battery"

// TestMain runs more tests at once than there are processors, unless the command
// line says how many: most of them wait, for processes that start and for
// deadlines that pass.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	os.Exit(servertest.Main{M: m}.Run())
}

// svcd is the path of the server's program.
func svcd(t testing.TB) string {
	t.Helper()
	return filepath.Join(servertest.Programs(t), "svcd")
}

// shortDir is a folder with a path short enough for sockets in it.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// base is the public base URL of processes under test: they listen on sockets,
// so that no two tests want one port.
const base = "http://127.0.0.1"

// process is an svcd, which may be stopped and started again.
type process struct {
	t      testing.TB
	dir    string // data folder; the socket is in it
	dsn    string // "" is SQLite in the data folder
	env    []string
	socket string
	// descriptors bounds how many it may have open; 0 is no bound of ours.
	descriptors int

	mu      sync.Mutex
	cmd     *exec.Cmd
	stderr  *tail
	exited  chan struct{}
	exitErr error
}

// newProcess describes an svcd on dsn without starting it.
func newProcess(t testing.TB, dir, dsn string) *process {
	t.Helper()
	p := &process{t: t, dir: dir, dsn: dsn, socket: filepath.Join(dir, "s"), stderr: &tail{}}
	t.Cleanup(func() {
		if p.running() {
			p.kill()
		}
		if t.Failed() {
			t.Logf("last words of svcd:\n%s", p.stderr)
		}
	})
	return p
}

func (p *process) command(args ...string) *exec.Cmd {
	cmd := exec.Command(svcd(p.t), args...)
	if p.descriptors > 0 {
		cmd = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, p.descriptors), svcd(p.t)}, args...)...)
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SVC_DATA_DIR=" + p.dir, "SVC_BASE_URL=" + base, "SVC_LOG=warn", "SVC_DRAIN=0"}, p.env...)
	if p.dsn != "" {
		cmd.Env = append(cmd.Env, "SVC_DATABASE="+p.dsn)
	}
	return cmd
}

// run carries out another svcd command on the same data.
func (p *process) run(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("svcd %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// user makes a user from outside.
func (p *process) user(nickname string, flags ...string) {
	p.t.Helper()
	p.run(append([]string{"user", "create", nickname, "--email", nickname + "@example.org", "--password", password}, flags...)...)
}

// launch starts svcd without waiting for it.
func (p *process) launch() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = p.command("serve")
	p.cmd.Env = append(p.cmd.Env, "SVC_LISTEN=unix:"+p.socket)
	p.cmd.Stderr = p.stderr
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	exited := make(chan struct{})
	p.exited = exited
	go func(cmd *exec.Cmd) {
		err := cmd.Wait()
		p.mu.Lock()
		p.exitErr = err
		p.mu.Unlock()
		close(exited)
	}(p.cmd)
}

// start starts svcd and waits until it serves.
func (p *process) start() *process {
	p.t.Helper()
	p.launch()
	p.waitReady()
	return p
}

func (p *process) waitReady() {
	p.t.Helper()
	hc := p.http()
	defer hc.CloseIdleConnections()
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		select {
		case <-p.exited:
			p.t.Fatalf("svcd ended: %v\n%s", p.exitErr, p.stderr)
		default:
		}
		if resp, err := hc.Get(base + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.t.Fatalf("svcd is not ready\n%s", p.stderr)
}

func (p *process) running() bool {
	p.mu.Lock()
	exited := p.exited
	p.mu.Unlock()
	if exited == nil {
		return false
	}
	select {
	case <-exited:
		return false
	default:
		return true
	}
}

// kill ends svcd as a power cut would.
func (p *process) kill() {
	p.t.Helper()
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// signal sends s to svcd.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait returns the exit code once svcd has ended.
func (p *process) wait(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		p.t.Fatalf("svcd did not end within %s\n%s", within, p.stderr)
		return -1
	}
}

// http is a client with one connection of its own to the socket.
func (p *process) http() *http.Client {
	return &http.Client{Timeout: 35 * time.Second, Transport: &http.Transport{
		MaxConnsPerHost: 1,
		DialContext:     p.dial,
	}}
}

// dial connects to the socket, for any address.
func (p *process) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", p.socket)
}

// client is our own client on a connection of its own.
func (p *process) client(token string) *client.Client {
	p.t.Helper()
	opts := []client.Option{client.WithRetries(0), client.WithHTTPClient(p.http())}
	if token != "" {
		opts = append(opts, client.WithToken(token))
	}
	c, err := client.New(base, opts...)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

const allScopes = "read write follow push admin:read admin:write"

// logIn signs nickname in with their password, as an app of its own.
func (p *process) logIn(nickname string) string {
	p.t.Helper()
	hc := p.http()
	defer hc.CloseIdleConnections()
	app := postForm(p.t, hc, base+"/api/v1/apps", url.Values{
		"client_name": {"tests"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {allScopes},
	})
	token := postForm(p.t, hc, base+"/oauth/token", url.Values{
		"grant_type": {"password"}, "client_id": {app["client_id"].(string)}, "client_secret": {app["client_secret"].(string)},
		"username": {nickname}, "password": {password}, "scope": {allScopes},
	})
	return token["access_token"].(string)
}

// postForm posts form, and reads the object that must be answered.
func postForm(t testing.TB, hc *http.Client, target string, form url.Values) map[string]any {
	t.Helper()
	resp, err := hc.PostForm(target, form)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", target, resp.StatusCode, raw)
	}
	return out
}

// tail keeps the end of the bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const most = 16 << 10
	w.buf.Write(p)
	if w.buf.Len() > most {
		w.buf.Next(w.buf.Len() - most)
	}
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// eventually waits until ok, which is asked again and again.
func eventually(t testing.TB, within time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", within, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
