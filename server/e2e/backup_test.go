package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// timesKilled is how often each process that a test kills at random moments is killed:
// SVC_TEST_KILLS, or so often.
func timesKilled(t *testing.T, usual int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("SVC_TEST_KILLS")); err == nil {
		return n
	}
	return usual
}

// moments are random, and the same for the same SVC_TEST_SEED, as far as processes are.
func moments(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("SVC_TEST_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("SVC_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestBackupsUnderLoadAreWhole has 20 writers post while backups are made, which are
// killed at random moments, as the server is. What looks like a backup is whole, and the
// last one has, restored elsewhere, all that was acknowledged before it began. Log-ins,
// pushes and deliveries that wait go on there.
func TestBackupsUnderLoadAreWhole(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	rounds := timesKilled(t, 1)
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p, host := proxied(t, postgresOnly(dsn), "127.0.0.1")
		for _, name := range []string{"alice", "bob"} {
			p.user(name)
		}
		must(t, os.MkdirAll(filepath.Join(p.dir, "static", "frontends"), 0o700))
		must(t, os.WriteFile(filepath.Join(p.dir, "static", "frontends", "page.html"), []byte("a page"), 0o600))
		p.start()
		b := &backups{t: t, p: p, at: "http://" + host, dir: filepath.Join(t.TempDir(), "b"), token: p.logIn("alice"), posts: map[string]string{}, moment: moments(t)}
		far := b.follow()
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for i := range 20 {
			writers.Go(func() { b.write(ctx, i) })
		}
		b.grow(40)
		took := b.make()
		killed := 0
		for range rounds {
			killed += b.killBackup(took)
		}
		for range rounds {
			b.killServer()
		}
		b.grow(20)
		identity := b.identity(p) // keys are made when they are first asked for
		mark := b.acknowledged()
		b.make()
		stop()
		writers.Wait()
		p.run("check")
		p.kill()

		to := ""
		if p.dsn != "" {
			to = servertest.Another(t, dsn)
		}
		q := newProcess(t, shortDir(t), to)
		q.env, q.socket = p.env, p.socket
		tries := b.restore(q, max(4, rounds))
		p.run("backup", "verify", b.dir)
		q.run("check")
		far.comeBack(q)
		q.start()
		if again := b.identity(q); again != identity {
			t.Errorf("keys and log-ins differ:\n%s\n%s", identity, again)
		}
		b.has(q, mark)
		if page, err := os.ReadFile(filepath.Join(q.dir, "static", "frontends", "page.html")); err != nil || string(page) != "a page" {
			t.Errorf("the data folder has %q, %v", page, err)
		}
		post, err := q.client(b.token).Statuses.Post(t.Context(), api.NewStatus{Status: "it goes on"})
		if err != nil || mark[post.ID] != "" {
			t.Errorf("a new post has the id of another: %v", err)
		}
		far.hearsAll(q)
		q.run("check")
		t.Logf("%d posts before the mark; of %d backups %d were killed, where one took %s; the server was killed %d times; the restoration took %d tries",
			len(mark), rounds, killed, took, rounds, tries)
	})
}

// backups are copies of a process that is written to.
type backups struct {
	t      *testing.T
	p      *process
	at     string // its public address
	dir    string
	token  string
	moment *rand.Rand

	mu    sync.Mutex
	posts map[string]string // id to the path of its file, or "-"
}

// write posts until ctx ends, every third time with a file.
func (b *backups) write(ctx context.Context, worker int) {
	c := b.p.client(b.token)
	for n := 0; ctx.Err() == nil; n++ {
		text, path := fmt.Sprintf("post %d of %d", n, worker), "-"
		form := api.NewStatus{Status: text}
		if n%3 == 0 {
			up, err := c.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader("the file of " + text)}, api.MediaForm{})
			if err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			form.MediaIDs, path = []string{up.ID}, strings.TrimPrefix(up.URL, b.at)
		}
		s, err := c.Statuses.Post(ctx, form)
		if err != nil { // the server is away
			time.Sleep(5 * time.Millisecond)
			continue
		}
		b.mu.Lock()
		b.posts[s.ID] = path
		b.mu.Unlock()
	}
}

func (b *backups) acknowledged() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]string, len(b.posts))
	for id, path := range b.posts {
		out[id] = path
	}
	return out
}

// grow waits for n more posts.
func (b *backups) grow(n int) {
	b.t.Helper()
	from := len(b.acknowledged())
	eventually(b.t, time.Minute, "posts are taken", func() bool { return len(b.acknowledged()) >= from+n })
}

// make makes a backup, and returns how long that took.
func (b *backups) make() time.Duration {
	b.t.Helper()
	began := time.Now()
	b.p.run("backup", b.dir)
	return time.Since(began)
}

// list returns how many backups there are, all of which must be whole.
func (b *backups) list() int {
	b.t.Helper()
	out, err := b.p.command("backup", "verify", b.dir, "-o", "json").Output()
	var v struct {
		Backups []struct{ ID string }
		Faults  int
	}
	if err != nil || json.Unmarshal(out, &v) != nil || v.Faults > 0 {
		b.t.Fatalf("what looks like backups is not whole: %v\n%s", err, out)
	}
	return len(v.Backups)
}

// killBackup kills a backup at some moment, and returns 1 unless it was done by then.
func (b *backups) killBackup(took time.Duration) int {
	b.t.Helper()
	before := b.list()
	cmd := b.p.command("backup", b.dir)
	must(b.t, cmd.Start())
	time.Sleep(time.Duration(b.moment.Int64N(int64(took) + 1)))
	_ = cmd.Process.Kill()
	done := cmd.Wait() == nil
	switch after := b.list(); {
	case done && after != before+1:
		b.t.Errorf("a finished backup makes %d of %d", after, before)
	case after > before+1:
		b.t.Errorf("a killed backup makes %d of %d", after, before)
	}
	if done {
		return 0
	}
	return 1
}

// killServer kills the server while a backup is made, which needs no server.
func (b *backups) killServer() {
	b.t.Helper()
	before := b.list()
	var said bytes.Buffer
	cmd := b.p.command("backup", b.dir)
	cmd.Stdout, cmd.Stderr = &said, &said
	must(b.t, cmd.Start())
	time.Sleep(time.Duration(b.moment.IntN(200)) * time.Millisecond)
	b.p.kill()
	if err := cmd.Wait(); err != nil {
		b.t.Errorf("a backup fails without a server: %v\n%s", err, said.String())
	}
	b.p.start()
	if after := b.list(); after != before+1 {
		b.t.Errorf("a finished backup makes %d of %d", after, before)
	}
}

// restore restores the newest backup into q, killing that so often unless it is done
// before, and returns how many tries that took. The service does not start on a half.
func (b *backups) restore(q *process, most int) int {
	b.t.Helper()
	for try := 1; ; try++ {
		cmd := q.command("restore", b.dir)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		must(b.t, cmd.Start())
		if try <= most {
			time.Sleep(time.Duration(b.moment.IntN(300)) * time.Millisecond)
			_ = cmd.Process.Kill()
		}
		err := cmd.Wait()
		if err == nil {
			return try
		}
		if try > most {
			b.t.Fatalf("restore: %v\n%s", err, said.String())
		}
		if _, err := os.Stat(filepath.Join(q.dir, "restoring.json")); err != nil {
			continue // it had not begun, or had ended
		}
		out, err := q.command("serve").CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "was interrupted") {
			b.t.Errorf("the service starts on a half: %v\n%s", err, out)
		}
	}
}

// identity is what other servers, apps and devices know of an instance.
func (b *backups) identity(p *process) string {
	b.t.Helper()
	hc := p.http()
	defer hc.CloseIdleConnections()
	get := func(path, accept string) string {
		req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, base+path, nil)
		must(b.t, err)
		req.Header.Set("Accept", accept)
		resp, err := hc.Do(req)
		must(b.t, err)
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		must(b.t, err)
		return string(raw)
	}
	var actor struct{ PublicKey json.RawMessage }
	must(b.t, json.Unmarshal([]byte(get("/users/alice", "application/activity+json")), &actor))
	var instance struct {
		Configuration struct{ VAPID json.RawMessage }
	}
	must(b.t, json.Unmarshal([]byte(get("/api/v2/instance", "application/json")), &instance))
	me, err := p.client(b.token).Accounts.Verify(b.t.Context())
	must(b.t, err)
	if len(actor.PublicKey) == 0 || len(instance.Configuration.VAPID) == 0 {
		b.t.Error("there are no keys to compare")
	}
	return fmt.Sprintf("%s %s %s", me.ID, actor.PublicKey, instance.Configuration.VAPID)
}

// has wants all posts with their files.
func (b *backups) has(q *process, posts map[string]string) {
	b.t.Helper()
	c := q.client(b.token)
	hc := q.http()
	defer hc.CloseIdleConnections()
	lost, files := 0, 0
	for id, path := range posts {
		s, err := c.Statuses.Get(b.t.Context(), id)
		if err != nil {
			lost++
			continue
		}
		if path == "-" {
			continue
		}
		files++
		resp, err := hc.Get(base + path)
		must(b.t, err)
		raw, err := io.ReadAll(resp.Body)
		must(b.t, errors.Join(err, resp.Body.Close()))
		if !strings.Contains(s.Content, strings.TrimPrefix(string(raw), "the file of ")) || resp.StatusCode != http.StatusOK {
			b.t.Errorf("the file of %s is %d %q", id, resp.StatusCode, raw)
		}
	}
	if lost > 0 || files == 0 {
		b.t.Errorf("%d of %d acknowledged posts are lost, %d have files", lost, len(posts), files)
	}
}
