//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is one database on a PostgreSQL server: one of our own, or one that
// was there.
type postgres struct {
	dsn     string
	cluster string // its folder, "" when the server is not ours
	process *exec.Cmd
	root    int // the server's first process, 0 when it is on another machine

	admin string // the address by which the database was made
	name  string
}

// postgresPrograms is the folder of the newest PostgreSQL installed here, "" for
// none.
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// openPostgres opens the database name: on the server at dsn, or on one of its
// own with PostgreSQL's own settings, in dir. anew empties it.
func openPostgres(ctx context.Context, dir, dsn, name string, anew bool) (*postgres, error) {
	p := &postgres{admin: dsn, name: name}
	if dsn == "" {
		p.cluster = filepath.Join(dir, "cluster")
		if err := p.start(ctx, anew); err != nil {
			return nil, errors.Join(err, p.close(true))
		}
	}
	u, err := url.Parse(p.admin)
	if err != nil {
		return nil, errors.Join(errors.New("the postgres:// address cannot be read"), p.close(true))
	}
	u.Path = "/" + name
	p.dsn = u.String()
	if err := p.create(ctx, anew); err != nil {
		return nil, errors.Join(err, p.close(true))
	}
	return p, nil
}

// start runs a server in p.cluster, made where it is not there.
func (p *postgres) start(ctx context.Context, anew bool) error {
	bin := postgresPrograms()
	if anew {
		if err := os.RemoveAll(p.cluster); err != nil {
			return err
		}
	}
	owner, err := unprivileged()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(p.cluster, "PG_VERSION")); err != nil {
		if err := os.MkdirAll(p.cluster, 0o700); err != nil {
			return err
		}
		if owner != nil {
			if err := os.Chown(p.cluster, int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", p.cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync")
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: owner}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("initdb: %w: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	p.process = exec.Command(filepath.Join(bin, "postgres"), "-D", p.cluster, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
	p.process.Dir, p.process.SysProcAttr = "/", &syscall.SysProcAttr{Credential: owner}
	log, err := os.Create(p.cluster + ".log")
	if err != nil {
		return err
	}
	p.process.Stderr = log
	err = p.process.Start()
	if err := errors.Join(err, log.Close()); err != nil {
		return err
	}
	p.root = p.process.Process.Pid
	p.admin = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres", port)
	return nil
}

// unprivileged returns the user for PostgreSQL, which refuses to run as root;
// nil is the present user.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody; name a server with -postgres")
}

// create makes the database, once the server answers.
func (p *postgres) create(ctx context.Context, anew bool) error {
	for end := time.Now().Add(upWithin); ; {
		err := p.exec(ctx, p.admin, "SELECT 1")
		if err == nil {
			break
		}
		if p.process == nil || time.Now().After(end) {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	c, err := pgx.Connect(ctx, p.admin)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	if p.root == 0 {
		var backend int
		if err := c.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
			return err
		}
		p.root = parentOf(backend, "postgres")
	}
	if anew {
		if _, err := c.Exec(ctx, "DROP DATABASE IF EXISTS "+p.name); err != nil {
			return err
		}
	}
	var there bool
	if err := c.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", p.name).Scan(&there); err != nil || there {
		return err
	}
	_, err = c.Exec(ctx, "CREATE DATABASE "+p.name)
	return err
}

// exec runs a statement on a connection of its own.
func (p *postgres) exec(ctx context.Context, dsn, sql string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	_, err = c.Exec(ctx, sql)
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// tidy does at once the work that autovacuum does within minutes of such a
// load: it analyses tables and marks their pages as visible.
func (p *postgres) tidy(ctx context.Context) error {
	if p == nil {
		return nil
	}
	return p.exec(ctx, p.dsn, "VACUUM (ANALYZE)")
}

// copy makes a copy of the database and returns its address and size.
func (p *postgres) copy(ctx context.Context) (dsn string, size int64, err error) {
	measured := p.name + "_measured"
	if err := p.exec(ctx, p.admin, "DROP DATABASE IF EXISTS "+measured); err != nil {
		return "", 0, err
	}
	create := "CREATE DATABASE " + measured + " TEMPLATE " + p.name
	// Where it has to be asked for, since PostgreSQL 15, a copy of files is many
	// times as quick.
	if err := p.exec(ctx, p.admin, create+" STRATEGY FILE_COPY"); err != nil {
		if err := p.exec(ctx, p.admin, create); err != nil {
			return "", 0, err
		}
	}
	u, err := url.Parse(p.dsn)
	if err != nil {
		return "", 0, err
	}
	u.Path = "/" + measured
	c, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return "", 0, err
	}
	err = c.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size)
	return u.String(), size, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// parentOf is the parent of the process pid of this machine, when it is called
// name; 0 when there is no such process.
func parentOf(pid int, name string) int {
	comm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil || strings.TrimSpace(string(comm)) != name {
		return 0
	}
	f, err := stat(pid)
	if err != nil {
		return 0
	}
	parent, _ := strconv.Atoi(f[1])
	return parent
}

// roots is the server's first process, none without a server on this machine.
func (p *postgres) roots() []int {
	if p == nil || p.root == 0 {
		return nil
	}
	return []int{p.root}
}

// close drops the copy and ends a server of our own; of another's, without keep,
// it drops the database too.
func (p *postgres) close(keep bool) error {
	if p == nil {
		return nil
	}
	var err error
	if p.dsn != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err = p.exec(ctx, p.admin, "DROP DATABASE IF EXISTS "+p.name+"_measured")
		if !keep && p.process == nil {
			err = errors.Join(err, p.exec(ctx, p.admin, "DROP DATABASE IF EXISTS "+p.name))
		}
	}
	if p.process == nil || p.process.Process == nil {
		return err
	}
	// SIGINT is a fast shutdown: it ends all connections.
	if e := p.process.Process.Signal(syscall.SIGINT); e != nil && !errors.Is(e, os.ErrProcessDone) {
		return errors.Join(err, e)
	}
	return errors.Join(err, p.process.Wait())
}
