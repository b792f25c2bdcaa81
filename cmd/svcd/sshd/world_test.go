package sshd_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client/api"
	"svc/cmd/svcd/sshd"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/servertest"
	"svc/tui/noprobe"
)

func TestMain(m *testing.M) {
	noprobe.Restore()
	m.Run()
}

// world is a service with SSH.
type world struct {
	*servertest.Server
	t    *testing.T
	addr string
	stop func() error // ends SSH, and waits for it
}

func start(t *testing.T, edit ...func(*sshd.Limits)) *world {
	t.Helper()
	return serve(t, servertest.Start(t), edit...)
}

func serve(t *testing.T, s *servertest.Server, edit ...func(*sshd.Limits)) *world {
	t.Helper()
	limits := sshd.Usual
	limits.Check = 20 * time.Millisecond
	for _, e := range edit {
		e(&limits)
	}
	cfg := config.Defaults()
	cfg.DataDir = s.DataDir
	server, err := sshd.New(t.Context(), sshd.Parts{Service: s.Server, Config: cfg, Limits: limits, Log: slog.New(slog.NewTextHandler(s.Log, nil)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	stop := sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(20 * time.Second):
			return errors.New("it does not stop")
		}
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return &world{Server: s, t: t, addr: l.Addr().String(), stop: stop}
}

// must fails on an error.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// signer draws a key.
func signer(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// key adds a key of an account, with the scopes of a login.
func (w *world) key(account *db.Account) (ssh.Signer, *db.SSHKey) {
	w.t.Helper()
	s := signer(w.t)
	row, err := w.Auth.AddSSHKey(w.t.Context(), account.ID, auth.NewSSHKey{
		Text: string(ssh.MarshalAuthorizedKey(s.PublicKey())), Scopes: auth.SplitScopes(auth.SSHScopes),
	})
	w.must(err)
	return s, row
}

// knock connects as some name with a key.
func (w *world) knock(key ssh.Signer) (*ssh.Client, error) {
	w.t.Helper()
	c, err := ssh.Dial("tcp", w.addr, &ssh.ClientConfig{
		User: "whoever", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second,
	})
	if err == nil {
		w.t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func (w *world) connect(key ssh.Signer) *ssh.Client {
	w.t.Helper()
	c, err := w.knock(key)
	w.must(err)
	return c
}

// seat is a session with its output.
type seat struct {
	*ssh.Session
	t    *testing.T
	keys io.WriteCloser

	mu       sync.Mutex
	out, err strings.Builder
}

type collector struct {
	s  *seat
	to *strings.Builder
}

func (c collector) Write(p []byte) (int, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.to.Write(p)
}

func (w *world) session(c *ssh.Client) *seat {
	w.t.Helper()
	session, err := c.NewSession()
	w.must(err)
	s := &seat{Session: session, t: w.t}
	s.keys, err = session.StdinPipe()
	w.must(err)
	session.Stdout, session.Stderr = collector{s, &s.out}, collector{s, &s.err}
	return s
}

// tui opens the TUI on a terminal.
func (w *world) tui(c *ssh.Client, columns, rows int) *seat {
	w.t.Helper()
	s := w.session(c)
	w.must(s.Setenv("NO_COLOR", "1"))
	w.must(s.RequestPty("xterm", rows, columns, ssh.TerminalModes{}))
	w.must(s.Shell())
	return s
}

func (s *seat) written() (out, err string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String(), s.err.String()
}

// waits until text was written.
func (s *seat) waits(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		out, err := s.written()
		if strings.Contains(out, text) || strings.Contains(err, text) {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%q was not written in %q, %q", text, out, err)
		}
	}
}

func (s *seat) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// sendAndQuit sends what is staged, and leaves.
func (s *seat) sendAndQuit() {
	s.t.Helper()
	s.types("q")
	s.waits("send and quit")
	over := make(chan struct{})
	defer close(over)
	go func() {
		for { // a key that comes with the question is not its answer
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
				_, _ = io.WriteString(s.keys, "s")
			}
		}
	}()
	if code := s.ends(); code != 0 {
		s.t.Errorf("exit %d", code)
	}
}

// ends waits for the end, and returns the exit code.
func (s *seat) ends() int {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.Wait() }()
	select {
	case err := <-done:
		var exit *ssh.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return exit.ExitStatus()
		}
		s.t.Fatalf("the session ended with %v", err)
	case <-time.After(30 * time.Second):
		out, err := s.written()
		s.t.Fatalf("the session does not end: %q, %q", out, err)
	}
	return -1
}

var ownSequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\]11;\\?\x1b\\\\")

// clean fails if a terminal would act on anything but what the TUI itself draws with.
func (s *seat) clean() {
	s.t.Helper()
	out, errOut := s.written()
	rest := strings.NewReplacer("\r", "", "\n", "").Replace(ownSequence.ReplaceAllString(out, "")) + strings.ReplaceAll(errOut, "\n", "")
	for _, r := range rest {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			s.t.Errorf("%U reached the client in %q", r, rest)
			return
		}
	}
}

// file reports target, by ann, and returns the id.
func (w *world) file(target *db.Account, text string) string {
	w.t.Helper()
	_, err := w.Client("ann").Reports.Create(w.t.Context(), api.NewReport{AccountID: target.ID, Comment: text})
	w.must(err)
	page, err := w.Admin("root").Admin.Reports.List(api.ReportQuery{State: "open"}).Page(w.t.Context())
	w.must(err)
	return page.Items[0].ID
}
