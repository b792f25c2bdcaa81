package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// away wants err to be the answer while the database cannot be had or written.
func away(t *testing.T, what string, err error) {
	t.Helper()
	var e *client.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %v, want a refusal", what, err)
		return
	}
	want := `{"error":"Temporarily unavailable"}`
	if strings.HasPrefix(e.Path, "/api/svc/admin/") {
		want = `{"errors":{"detail":"Temporarily unavailable"}}`
	}
	if kind := e.Header.Get("Content-Type"); e.Status != http.StatusServiceUnavailable || string(e.Body) != want ||
		kind != "application/json; charset=utf-8" || e.Header.Get("Retry-After") == "" {
		t.Errorf("%s: %d %s %s, %q", what, e.Status, kind, e.Body, e.Header.Get("Retry-After"))
	}
}

// TestAFullDiskRefusesWritesAndLosesNothing fills the disk under a server.
func TestAFullDiskRefusesWritesAndLosesNothing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	ctx := t.Context()
	p := newProcess(t, dir, "")
	p.user("alice")
	p.user("root", "--admin")
	p.start()
	token := p.logIn("alice")
	c, root := p.client(token), p.client(p.logIn("root"))
	me, err := c.Accounts.Verify(ctx)
	must(t, err)
	report, err := c.Reports.Create(ctx, api.NewReport{AccountID: mustGet(t, c, "root").ID, Comment: "before"})
	must(t, err)

	acked := map[string]string{}
	post := func(text string) error {
		s, err := c.Statuses.Post(ctx, api.NewStatus{Status: text}, client.IdempotencyKey(text[:min(len(text), 12)]))
		if err == nil {
			acked[text] = s.ID
		}
		return err
	}
	must(t, post("before"))
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	// The database's log may have room for a few more.
	long := strings.Repeat(" and so on", 400)
	refused := ""
	for i := 0; refused == ""; i++ {
		text := fmt.Sprintf("post %d%s", i, long)
		if err := post(text); err != nil {
			away(t, "post on a full disk", err)
			refused = text
		}
		if i > 5000 {
			t.Fatal("the disk is never full")
		}
	}
	fill(t, filler)
	away(t, "a report on a full disk", err1(c.Reports.Create(ctx, api.NewReport{AccountID: mustGet(t, c, "root").ID, Comment: long[:900]})))
	away(t, "the admin's change on a full disk", root.Admin.Reports.Update(ctx, api.ReportUpdate{ID: report.ID, State: api.ReportClosed}))
	upload := func() error {
		_, err := c.Media.Upload(ctx, client.File{Name: "x", Content: strings.NewReader(strings.Repeat("a long file ", 50_000))}, api.MediaForm{})
		return err
	}
	var noRoom *client.Error
	if err := upload(); !errors.As(err, &noRoom) || noRoom.Status != http.StatusInsufficientStorage || noRoom.Message != "There is no room left to store the file" {
		t.Errorf("a file on a full disk: %v", err)
	}
	p.health(http.StatusServiceUnavailable, `{"failing":"da`) // the database's writes, or the data folder
	if resp, err := p.http().Get(base + "/readyz"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("what can be read is not served: %v", err)
	}
	unfinished, err := os.ReadDir(filepath.Join(p.dir, "uploads", "incoming"))
	if err != nil || len(unfinished) != 0 {
		t.Errorf("of a file that had no room, %d are left, %v", len(unfinished), err)
	}
	home, err := c.Timelines.Home(api.TimelineQuery{PageQuery: api.PageQuery{Limit: 1}}).Page(ctx)
	if err != nil || len(home.Items) != 1 {
		t.Errorf("nothing can be read: %v", err)
	}

	must(t, os.Remove(filler))
	p.health(http.StatusOK, `{"status":"ok"}`)
	must(t, upload())
	must(t, post(refused)) // the key of a refused request is not used up
	must(t, root.Admin.Reports.Update(ctx, api.ReportUpdate{ID: report.ID, State: api.ReportClosed}))
	p.kill()
	p.start()
	posts := map[string]int{}
	for s, err := range c.Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(ctx) {
		must(t, err)
		posts[s.Content]++
	}
	once(t, "posts", acked, posts)
	entries, err := root.Admin.Log.List(api.LogQuery{}).Page(ctx)
	if err != nil || len(entries.Items) != 1 || !strings.HasSuffix(entries.Items[0].Message, "with 'closed' state") {
		t.Errorf("the log has %v, %v", entries.Items, err)
	}
	p.run("check") // every counter
}

// TestAFullDiskAtTheStartIsWaitedFor starts svcd on a full disk: for the first time,
// with data, and after a crash.
func TestAFullDiskAtTheStartIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(p *process){
		"the first start": func(*process) {},
		"with data":       func(p *process) { p.user("alice") },
		"after a crash": func(p *process) {
			p.start()
			p.kill()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(t, smallDisk(t), "")
			before(p)
			filler := filepath.Join(p.dir, "filler")
			fill(t, filler)
			p.launch()
			p.health(http.StatusServiceUnavailable, `{"failing":"database writes"`)
			away(t, "the instance", err1(p.client("").Instance.Get(t.Context())))
			if said := p.stderr.String(); !strings.Contains(said, "the disk of the database or of the data folder is full") || !strings.Contains(said, p.dir) {
				t.Errorf("svcd says %q", said)
			}
			must(t, os.Remove(filler))
			p.waitReady()
			p.health(http.StatusOK, `{"status":"ok"}`)
			p.user("bob")
			p.logIn("bob")
			p.run("check")
		})
	}
}

// TestAFullDiskOfPostgreSQLAtTheStartIsWaitedFor has it report one.
func TestAFullDiskOfPostgreSQLAtTheStartIsWaitedFor(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	p := newProcess(t, shortDir(t), dsn)
	p.user("alice")
	d := dbtest.Open(t, dsn)
	must(t, dbtest.Exec(t, d, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON processes FOR EACH ROW EXECUTE FUNCTION full_disk()`))
	p.launch()
	p.health(http.StatusServiceUnavailable, `{"failing":"database writes"`)
	away(t, "the instance", err1(p.client("").Instance.Get(t.Context())))
	must(t, dbtest.Exec(t, d, "DROP FUNCTION full_disk() CASCADE"))
	p.waitReady()
	p.logIn("alice")
}

// TestAFullDiskAtTheStartCanBeLeft stops svcd while it waits for room.
func TestAFullDiskAtTheStartCanBeLeft(t *testing.T) {
	t.Parallel()
	p := newProcess(t, smallDisk(t), "")
	filler := filepath.Join(p.dir, "filler")
	fill(t, filler)
	p.launch()
	p.health(http.StatusServiceUnavailable, `{"failing":"database writes"`)
	p.signal(syscall.SIGTERM)
	if code := p.wait(10 * time.Second); code != 0 {
		t.Errorf("svcd ends with %d", code)
	}
}

// smallDisk is a folder with a disk of 8 MiB of its own.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := shortDir(t)
	if err := syscall.Mount("svc-e2e", dir, "tmpfs", 0, "size=8m,mode=0700"); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// health waits until /healthz answers so.
func (p *process) health(status int, body string) {
	p.t.Helper()
	eventually(p.t, 20*time.Second, "/healthz answers "+body, func() bool {
		resp, err := p.http().Get(base + "/healthz")
		if err != nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		return err == nil && resp.StatusCode == status && strings.HasPrefix(string(raw), body)
	})
}

func mustGet(t *testing.T, c *client.Client, nickname string) *api.Account {
	t.Helper()
	a, err := c.Accounts.Get(t.Context(), nickname)
	must(t, err)
	return a
}

// fill writes to path until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(t, err)
	defer func() { _ = f.Close() }()
	for _, size := range []int{1 << 16, 1 << 12, 1} {
		block := make([]byte, size)
		for {
			if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAReadOnlyFolderIsRefusedUntouched starts svcd, as a user without write
// access, on an empty folder and on one with a database.
func TestAReadOnlyFolderIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	for _, with := range []string{"nothing", "a database"} {
		p := newProcess(t, shortDir(t), "")
		if with == "a database" {
			p.user("alice")
		}
		sockets := shortDir(t)
		must(t, os.Chmod(sockets, 0o777))
		p.socket = filepath.Join(sockets, "s")
		must(t, filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
			mode := fs.FileMode(0o444)
			if err == nil && d.IsDir() {
				mode = 0o555
			}
			return errors.Join(err, os.Chmod(path, mode))
		}))
		t.Cleanup(func() { _ = os.Chmod(p.dir, 0o700) })
		before := listing(t, p.dir)
		for _, args := range [][]string{{"serve"}, {"user", "create", "eve", "--email", "eve@example.org", "--password", password}} {
			cmd := p.command(args...)
			cmd.Env = append(cmd.Env, "SVC_LISTEN=unix:"+p.socket)
			if os.Getuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			stop()
			cancel()
			if code := cmd.ProcessState.ExitCode(); err == nil || code != 1 {
				t.Errorf("%s on %s: exit code %d\n%s", args[0], with, code, out)
			}
			if lines := strings.Count(string(out), "\n"); lines != 1 || !strings.HasPrefix(string(out), "svcd: ") || !strings.Contains(string(out), p.dir) {
				t.Errorf("%s on %s says:\n%s", args[0], with, out)
			}
		}
		if diff := cmp.Diff(before, listing(t, p.dir)); diff != "" {
			t.Errorf("%s was changed: %s", with, diff)
		}
	}
}

// listing is the content of a folder: names, sizes and times of change.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			out[path] = fmt.Sprint(info.Size(), info.ModTime())
		}
		return err
	}))
	return out
}

// TestALostDatabaseIsMissedAndFoundAgain takes PostgreSQL away from a server
// under load: its sessions are ended from the other side, then it cannot be
// reached at all.
func TestALostDatabaseIsMissedAndFoundAgain(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	way, through := dbtest.NewProxy(t, dsn)
	p := newProcess(t, shortDir(t), through)
	p.env = append(p.env, "SVC_LOG=error")
	p.user("alice")
	p.user("bob")
	p.user("root", "--admin")
	p.start()
	ctx := t.Context()
	alice, bob, root := p.logIn("alice"), p.logIn("bob"), p.logIn("root")
	me, err := p.client(alice).Accounts.Verify(ctx)
	must(t, err)
	must(t, err1(p.client(bob).Accounts.Follow(ctx, me.ID, api.Follow{})))

	var (
		mu      sync.Mutex
		acked   = map[string]string{}
		refused int
		workers sync.WaitGroup
	)
	load, stop := context.WithCancel(ctx)
	defer stop()
	for worker := range 8 {
		c := p.client(alice)
		workers.Go(func() {
			for n := 0; load.Err() == nil; n++ {
				text := fmt.Sprintf("post %d of worker %d", n, worker)
				deadline := time.Now().Add(30 * time.Second)
				for {
					s, err := c.Statuses.Post(context.WithoutCancel(ctx), api.NewStatus{Status: text}, client.IdempotencyKey(text))
					mu.Lock()
					if err == nil {
						acked[text] = s.ID
					} else {
						refused++
					}
					mu.Unlock()
					if err == nil {
						break
					}
					away(t, text, err)
					if t.Failed() || time.Now().After(deadline) {
						t.Errorf("%s is not acknowledged: %v", text, err)
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acked)
	}
	more := func(n int) {
		t.Helper()
		from := count()
		eventually(t, 20*time.Second, "posts are taken", func() bool { return count() >= from+n || t.Failed() })
	}
	more(20)
	pool := openPostgres(t, dsn)
	for range 3 {
		_, err := pool.ExecContext(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		must(t, err)
		more(20)
	}
	for range 2 {
		way.Cut()
		health := p.http()
		eventually(t, 5*time.Second, "/healthz names the database", func() bool {
			resp, err := health.Get(base + "/healthz")
			must(t, err)
			defer func() { _ = resp.Body.Close() }()
			var said map[string]string
			must(t, json.NewDecoder(resp.Body).Decode(&said))
			return resp.StatusCode == http.StatusServiceUnavailable && said["status"] == "failing" && said["failing"] == "database"
		})
		away(t, "the public timeline", err1(p.client("").Timelines.Public(api.TimelineQuery{}).Page(ctx)))
		away(t, "reports", err1(p.client(root).Admin.Reports.List(api.ReportQuery{}).Page(ctx)))
		way.Open()
		more(20)
		eventually(t, 5*time.Second, "/healthz is content again", func() bool {
			resp, err := health.Get(base + "/healthz")
			must(t, err)
			_ = resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		})
	}
	stop()
	workers.Wait()
	if refused == 0 {
		t.Error("nobody felt that the database was away")
	}
	posts, home := map[string]int{}, map[string]int{}
	for s, err := range p.client(bob).Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(ctx) {
		must(t, err)
		posts[s.Content]++
	}
	for s, err := range p.client(bob).Timelines.Home(api.TimelineQuery{}).All(ctx) {
		must(t, err)
		home[s.Content]++
	}
	once(t, "posts", acked, posts)
	once(t, "posts on the follower's timeline", acked, home)
	if me, err = p.client(alice).Accounts.Verify(ctx); err != nil || me.StatusesCount != len(acked) {
		t.Errorf("%d posts are counted, %v; there are %d", me.StatusesCount, err, len(acked))
	}
	// The connection that hears of other processes is there again.
	p.run("user", "set", "alice", "--active=false")
	eventually(t, time.Second, "alice, deactivated by a command, is refused", func() bool {
		_, err := p.client(alice).Accounts.Verify(ctx)
		return client.Status(err) == http.StatusUnauthorized
	})
}

// TestADatabaseThatIsNotThereIsNamed starts svcd without its PostgreSQL: it
// says so, on one line and without the password.
func TestADatabaseThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	p := newProcess(t, shortDir(t), "postgres://svc:hunter2@"+l.Addr().String()+"/svc")
	p.launch()
	if code := p.wait(20 * time.Second); code != 1 {
		t.Errorf("exit code %d", code)
	}
	said := p.stderr.String()
	if !strings.HasPrefix(said, "svcd: open database: ") || strings.Count(said, "\n") != 1 || strings.Contains(said, "hunter2") {
		t.Errorf("it says %s", said)
	}
}
