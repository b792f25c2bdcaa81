package e2e

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client/api"
	"svc/db/dbtest"
)

// order is a command over SSH with standard input that costs its sender little.
type order struct {
	name, line string
	input      []byte
	codes      sync.Map // exit code: *atomic.Int64
}

// orders are the worst of them: those that are refused at once, those that are just
// within the bounds of their kind, and those that have the API do much.
func orders() []*order {
	const most = 16 << 20
	repeat := func(head, s string, n int) []byte { return []byte(head + strings.Repeat(s, n/len(s))) }
	lines := func(format string, n int) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.Bytes()
	}
	var bomb strings.Builder
	bomb.WriteString(":svc:\n  :a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&bomb, "  :a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	return []*order{
		{name: "aliases", line: "config plan -", input: []byte(bomb.String())},
		{name: "list without end", line: "config diff -", input: repeat("[1", ",1", 8<<20)},
		{name: "as many values as a file may have", line: "config plan -", input: []byte(":svc:\n  :a: [1" + strings.Repeat(",1", 99_000) + "]\n")},
		{name: "as many nodes as are parsed", line: "config diff -", input: []byte(":svc:\n  :a: [1" + strings.Repeat(",1", 249_000) + "]\n")},
		{name: "pairs in lines", line: "config diff -", input: []byte(":svc:\n  :a:\n" + strings.Repeat("  - b: 1\n", 124_000))},
		{name: "users", line: "user create -f - --generate --dry-run --max 10000", input: lines(`{"nickname":"u%d","email":"u@example.org","x":[1,2,3]}`, most/60)},
		{name: "users with long lines", line: "user create -f - --generate --dry-run", input: bytes.Repeat(append(repeat(`{"nickname":"u","email":"u@example.org","x":[1`, ",1", 1<<20-100), "]}\n"...), 15)},
		{name: "reports to resolve", line: "report resolve - --dry-run --max 10000", input: lines("9zzz%d", most/16)},
		{name: "addresses to purge", line: "media purge - --dry-run --max 10000", input: lines("https://example.org/media/%d.png", most/40)},
		{name: "names to read", line: "user get -", input: lines("nobody%d", 1000)},
		{name: "document", line: "doc put instance-panel -", input: repeat("", "x", most)},
		{name: "line without end", line: "status delete - --yes", input: repeat("", "x", most)},
		{name: "users to list", line: "user list --limit 1000"},
	}
}

// sent runs the order in a session of c, and counts how it ended.
func (o *order) sent(c *ssh.Client) {
	s, err := c.NewSession()
	if err != nil { // the one before has not given its place back yet
		time.Sleep(5 * time.Millisecond)
		return
	}
	defer func() { _ = s.Close() }()
	s.Stdin = bytes.NewReader(o.input)
	code := 0
	if err := s.Run(o.line); err != nil {
		var exit *ssh.ExitError
		if code = -1; errors.As(err, &exit) {
			code = exit.ExitStatus()
		}
	}
	n, _ := o.codes.LoadOrStore(code, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// moderate adds a key of a user, and connects with it.
func (p *process) moderate(t *testing.T, addr, token string) *ssh.Client {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	must(t, err)
	_, err = p.client(token).SSHKeys.Add(t.Context(), api.NewSSHKey{Key: string(ssh.MarshalAuthorizedKey(signer.PublicKey()))})
	must(t, err)
	c, err := ssh.Dial("tcp", addr, &ssh.ClientConfig{
		User: "svc", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second,
	})
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestOthersAreServedWhileModeratorsDoTheirWorst: for SVC_TEST_ATTACK (default 4s), four
// accounts with eight sessions each, two admins and two moderators with all privileges,
// send over SSH what costs most, while somebody reads. It logs the figures of
// docs/internals/attacks.md.
func TestOthersAreServedWhileModeratorsDoTheirWorst(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	long, err := time.ParseDuration(cmp.Or(os.Getenv("SVC_TEST_ATTACK"), "4s"))
	must(t, err)
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		addr := l.Addr().String()
		must(t, l.Close())
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.env = []string{"SVC_SSH_LISTEN=" + addr, "SVC_MEMORY=256MiB"}
		p.user("alice")
		people := []string{"ann", "ben", "cat", "dan"}
		for i, name := range people {
			p.user(name, []string{"--admin", "--moderator"}[i%2])
		}
		p.start()
		alice := p.logIn("alice")
		for range 40 { // what they read
			_, err := p.client(alice).Statuses.Post(t.Context(), api.NewStatus{Status: strings.Repeat("tea ", 100)})
			must(t, err)
		}
		_, err = p.client(p.logIn("ann")).Admin.Config.Set(t.Context(), ":svc", ":instance", map[string]any{":moderator_privileges": api.Privileges()})
		must(t, err)
		idle50, idle99 := p.visit(t, "/api/v1/timelines/home", alice, min(long/4, 10*time.Second))
		before := p.peak()

		done := make(chan struct{})
		var attackers sync.WaitGroup
		worst := orders()
		for n, name := range people {
			c := p.moderate(t, addr, p.logIn(name))
			for i := range 8 {
				attackers.Go(func() {
					for at := 8*n + i; ; at++ {
						select {
						case <-done:
							return
						default:
							worst[at%len(worst)].sent(c)
						}
					}
				})
			}
			go func() {
				<-done
				_ = c.Close()
			}()
		}
		p50, p99 := p.visit(t, "/api/v1/timelines/home", alice, long)
		close(done)
		attackers.Wait()
		for _, o := range worst {
			said := ""
			o.codes.Range(func(code, n any) bool {
				said += fmt.Sprintf(" %d with exit %d", n.(*atomic.Int64).Load(), code)
				return true
			})
			t.Logf("%-35s%s", o.name, said)
		}
		p.wasServed(t, 320, before, idle50, idle99, p50, p99)
	})
}
