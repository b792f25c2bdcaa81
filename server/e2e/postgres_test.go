package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cluster is a PostgreSQL server of one test, which may be stopped.
type cluster struct {
	t    *testing.T
	dsn  string
	root int // the process that the others are children of
}

// newCluster starts a PostgreSQL server with an empty database.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		t.Skip("no PostgreSQL is installed here")
	}
	bin, dir := found[len(found)-1], shortDir(t)
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 { // it refuses to run as root
		u, err := user.Lookup("postgres")
		must(t, err)
		uid, err := strconv.Atoi(u.Uid)
		must(t, err)
		gid, err := strconv.Atoi(u.Gid)
		must(t, err)
		must(t, os.Chown(dir, uid, gid))
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "svc", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, attr
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	must(t, l.Close())
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-p", port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off")
	cmd.Dir, cmd.SysProcAttr = dir, attr
	must(t, cmd.Start())
	c := &cluster{t: t, dsn: "postgres://svc@127.0.0.1:" + port + "/postgres?sslmode=disable", root: cmd.Process.Pid}
	t.Cleanup(func() {
		c.signal(syscall.SIGCONT)
		_ = syscall.Kill(c.root, syscall.SIGQUIT)
		_ = cmd.Wait()
	})
	eventually(t, 30*time.Second, "PostgreSQL answers", func() bool {
		pool, err := sql.Open("pgx", c.dsn)
		must(t, err)
		defer func() { _ = pool.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return pool.PingContext(ctx) == nil
	})
	return c
}

// hang stops the server with all its sessions; connections stay.
func (c *cluster) hang() { c.signal(syscall.SIGSTOP) }

// goOn ends hang.
func (c *cluster) goOn() { c.signal(syscall.SIGCONT) }

// signal sends s to the first process and to its children, those first that
// make no others.
func (c *cluster) signal(s syscall.Signal) {
	_ = syscall.Kill(c.root, s)
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", c.root, c.root))
	for _, child := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, s)
		}
	}
}
