//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is a PostgreSQL server of one world's, with PostgreSQL's own settings.
type postgres struct {
	dsn     string
	process *exec.Cmd
}

// postgresPrograms is the folder of the newest PostgreSQL installed here, "" for
// none.
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// startPostgres runs a server on the files in cluster, made where they are not there.
func startPostgres(ctx context.Context, cluster string) (_ *postgres, err error) {
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(postgresPrograms(), name), append([]string{"-D", cluster}, args...)...)
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: owner}
		return cmd
	}
	if _, err := os.Stat(filepath.Join(cluster, "PG_VERSION")); err != nil {
		if err := os.MkdirAll(cluster, 0o700); err != nil {
			return nil, err
		}
		if owner != nil {
			if err := os.Chown(cluster, int(owner.Uid), int(owner.Gid)); err != nil {
				return nil, err
			}
		}
		if out, err := command("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("initdb: %w: %s", err, out)
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	p := &postgres{
		dsn:     "postgres://postgres@" + address + "/postgres",
		process: command("postgres", "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
	}
	log, err := os.Create(cluster + ".log")
	if err != nil {
		return nil, err
	}
	p.process.Stderr = log
	if err := errors.Join(p.process.Start(), log.Close()); err != nil {
		return nil, err
	}
	for end := time.Now().Add(upWithin); ; {
		if err = p.exec(ctx, "SELECT 1"); err == nil {
			return p, nil
		}
		if time.Now().After(end) || pause(ctx, 50*time.Millisecond) != nil {
			return nil, errors.Join(err, p.stop())
		}
	}
}

// unprivileged returns the user for PostgreSQL, which refuses to run as root;
// nil is the present user.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
			gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// exec runs a statement on a connection of its own, for the results given.
func (p *postgres) exec(ctx context.Context, sql string, results ...any) error {
	c, err := pgx.Connect(ctx, p.dsn)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	if results != nil {
		err = c.QueryRow(ctx, sql).Scan(results...)
	} else {
		_, err = c.Exec(ctx, sql)
	}
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// stop ends the server. SIGINT is a fast shutdown: it ends all connections.
func (p *postgres) stop() error {
	if err := p.process.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.process.Wait()
}
