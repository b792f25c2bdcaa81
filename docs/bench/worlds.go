//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	idleFor   = 6 * time.Second  // from when on memory counts as idle
	starts    = 5                // how often a start is timed
	upWithin  = 60 * time.Second // a start that takes longer has failed
	doneAfter = time.Hour        // the most that making data may take
	posters   = 16               // users that post: one for each worker
)

// A world is one database with data of one size, and the svcd on it.
type world struct {
	Program     string          `json:"program"` // "now" or "before"
	Database    string          `json:"database"`
	Size        size            `json:"size"`
	MadeIn      time.Duration   `json:"made_in_ns"`
	DiskBytes   int64           `json:"disk_bytes"`
	Start       time.Duration   `json:"start_ns"` // median
	Starts      []time.Duration `json:"starts_ns"`
	Idle        memories        `json:"idle"`
	AfterReads  memories        `json:"after_reads"`
	AfterWrites memories        `json:"after_writes"`

	svcd  string // the program
	peers bool   // other servers are on this machine
	dir   string
	place string    // the folder in dir that is in use: what was made, or a copy
	pg    *postgres // nil on SQLite
	dsn   string
	facts facts

	server  *exec.Cmd
	address string
	app     app
	tokens  map[string]string   // of the measured user, "reader", and of others by nickname
	writers []string            // the posters' tokens
	known   map[string][]string // what is asked for, by the names in the paths of endpoints
}

// facts are about the data, stored with it.
type facts struct {
	Size     size          `json:"size"`
	BaseURL  string        `json:"base_url"`
	User     string        `json:"user"`
	Password string        `json:"password"`
	Others   string        `json:"others_password"` // of the users that svcd demo does not make
	MadeIn   time.Duration `json:"made_in_ns"`
}

// memories is memory of svcd and, apart from it, of its PostgreSQL.
type memories struct {
	Server   usage   `json:"svcd"`
	Peak     float64 `json:"svcd_peak_mib"`
	Database usage   `json:"database"`
}

func (w *world) String() string {
	return strings.TrimSuffix(w.Program+" "+w.Database+" "+w.Size.Name, " ")
}

func (w *world) memory() memories {
	pid := w.server.Process.Pid
	m := memories{Server: memoryOf(pid), Peak: peak(pid)}
	if w.pg != nil {
		m.Database = memoryOf(w.pg.process.Process.Pid)
	}
	return m
}

// roots are the processes with counted time: svcd, and its PostgreSQL.
func (w *world) roots() []int {
	if w.pg != nil {
		return []int{w.pg.process.Process.Pid, w.server.Process.Pid}
	}
	return []int{w.server.Process.Pid}
}

func (w *world) made() string     { return filepath.Join(w.dir, "made") }
func (w *world) measured() string { return filepath.Join(w.dir, "measured") }
func (w *world) data() string     { return filepath.Join(w.place, "data") }

// prepare makes the data, or finds it made: in w or in like, the world of another
// program. It is measured on a copy: measuring posts, and another time the
// first pages would be other ones.
func (w *world) prepare(ctx context.Context, like *world) error {
	raw, err := os.ReadFile(filepath.Join(w.made(), "facts.json"))
	if err != nil || json.Unmarshal(raw, &w.facts) != nil || w.facts.Size != w.Size {
		taken, err := w.take(ctx, like)
		if err == nil && !taken {
			err = w.populate(ctx)
		}
		if err != nil {
			return err
		}
	}
	w.MadeIn = w.facts.MadeIn
	if err := copyFolder(ctx, w.made(), w.measured()); err != nil {
		return err
	}
	if err := w.open(ctx, w.measured()); err != nil {
		return err
	}
	if w.pg != nil {
		return w.pg.exec(ctx, "SELECT pg_database_size(current_database())", &w.DiskBytes)
	}
	w.DiskBytes = diskUse(w.data())
	return nil
}

// take copies what was made for like, where both programs have the same schema.
func (w *world) take(ctx context.Context, like *world) (bool, error) {
	if like == nil {
		return false, nil
	}
	if err := copyFolder(ctx, like.made(), w.made()); err != nil {
		return false, err
	}
	if err := w.open(ctx, w.made()); err != nil {
		return false, err
	}
	status, err := w.command(ctx, "migrate", "--status").Output()
	w.facts = like.facts
	return err == nil && strings.Contains(string(status), "up to date"), w.closeDatabase()
}

func copyFolder(ctx context.Context, from, to string) error {
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(filepath.Dir(to), 0o711)); err != nil {
		return err
	}
	// It keeps owners: PostgreSQL's files are its own user's.
	if out, err := exec.CommandContext(ctx, "cp", "-a", from, to).CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("cp: %w: %s", err, out), os.RemoveAll(to))
	}
	return nil
}

// open starts the database in a folder, which is empty where it is not there.
func (w *world) open(ctx context.Context, place string) (err error) {
	w.place = place
	// PostgreSQL's own user must reach its folder.
	if err := errors.Join(os.MkdirAll(w.dir, 0o711), os.MkdirAll(place, 0o711), os.MkdirAll(w.data(), 0o700)); err != nil {
		return err
	}
	w.dsn = "sqlite:" + filepath.Join(w.data(), "svc.db")
	if w.Database == "postgres" {
		if w.pg, err = startPostgres(ctx, filepath.Join(place, "cluster")); err == nil {
			w.dsn = w.pg.dsn
		}
	}
	return err
}

func (w *world) closeDatabase() error {
	pg := w.pg
	if w.pg = nil; pg == nil {
		return nil
	}
	return pg.stop()
}

// command prepares a command on the world's data.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.svcd, append(args, "--data-dir", w.data())...)
	cmd.Dir = w.dir
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "SVC_DATABASE="+w.dsn, "SVC_LOG=warn", "SVC_DRAIN=0")
	if w.peers {
		cmd.Env = append(cmd.Env, "SVC_FEDERATION_INSECURE=true")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// user creates a user.
func (w *world) user(ctx context.Context, nick string) error {
	cmd := w.command(ctx, "user", "create", nick, "--email", nick+"@example.org", "--password", w.facts.Others, "--base-url", w.facts.BaseURL)
	cmd.Stderr = nil
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("svcd user create: %w: %s", err, out)
	}
	return nil
}

func poster(i int) string { return fmt.Sprintf("poster%02d", i) }

// said matches the output of svcd demo: a name and a value on each line.
var said = regexp.MustCompile(`(?i)^\s*(url|user|password)\b\W*\s(\S+)\s*$`)

// populate makes the data with svcd demo, adds the posters, and makes them and
// the measured user follow each other, so that a post has somebody to reach.
func (w *world) populate(ctx context.Context) error {
	note("making %d statuses and %d reports on %s", w.Size.Statuses, w.Size.Reports, w.Database)
	if err := os.RemoveAll(w.made()); err != nil {
		return err
	}
	if err := w.open(ctx, w.made()); err != nil {
		return err
	}
	if err := w.demo(ctx); err != nil {
		return fmt.Errorf("svcd demo: %w", err)
	}
	for i := range posters {
		if err := w.user(ctx, poster(i)); err != nil {
			return err
		}
	}
	err := errors.Join(w.serve(ctx, ""), w.befriend(ctx), w.stop())
	if err == nil && w.pg != nil {
		// This does at once the work that autovacuum does within minutes of such a
		// load: it analyses tables and marks their pages as visible.
		err = w.pg.exec(ctx, "VACUUM (ANALYZE)")
	}
	if err := errors.Join(err, w.closeDatabase()); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(w.facts, "", " ")
	return errors.Join(err, os.WriteFile(filepath.Join(w.made(), "facts.json"), raw, 0o600))
}

func (w *world) demo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, doneAfter)
	defer cancel()
	start := time.Now()
	cmd := w.command(ctx, "demo", "--headless", "--seed", "1",
		"--statuses", fmt.Sprint(w.Size.Statuses), "--reports", fmt.Sprint(w.Size.Reports))
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		return err
	}
	w.facts = facts{Size: w.Size, Others: rand.Text()}
	lines := bufio.NewScanner(out)
	for w.facts.BaseURL == "" || w.facts.User == "" || w.facts.Password == "" {
		if !lines.Scan() {
			return errors.Join(errors.New("it ended before it served"), lines.Err(), cmd.Wait())
		}
		if m := said.FindStringSubmatch(lines.Text()); m != nil {
			*map[string]*string{"url": &w.facts.BaseURL, "user": &w.facts.User, "password": &w.facts.Password}[strings.ToLower(m[1])] = m[2]
		}
	}
	w.facts.BaseURL = strings.TrimSuffix(w.facts.BaseURL, "/")
	w.facts.MadeIn = time.Since(start)
	err = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = io.Copy(io.Discard, out)
	return errors.Join(err, cmd.Wait())
}

func (w *world) befriend(ctx context.Context) error {
	if err := w.signIn(ctx); err != nil {
		return err
	}
	everybody := append([]string{w.tokens["reader"]}, w.writers...)
	ids := make([]string, len(everybody))
	for i, token := range everybody {
		var err error
		if ids[i], err = w.id(ctx, token); err != nil {
			return err
		}
	}
	for i, token := range everybody {
		for j, id := range ids {
			if i == j {
				continue
			}
			if err := w.follow(ctx, token, id); err != nil {
				return err
			}
		}
	}
	settle(time.Minute, w.roots()...)
	return nil
}

// blank creates and serves an empty world with these users.
func (w *world) blank(ctx context.Context, nicks ...string) error {
	if err := os.RemoveAll(w.measured()); err != nil {
		return err
	}
	if err := w.open(ctx, w.measured()); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	w.facts = facts{BaseURL: "http://" + address, Others: rand.Text()}
	for _, nick := range nicks {
		if err := w.user(ctx, nick); err != nil {
			return err
		}
	}
	if err := w.serve(ctx, address); err != nil {
		return err
	}
	return w.signInAs(ctx, nicks...)
}

// measureStart times how long svcd takes until it answers.
func (w *world) measureStart(ctx context.Context) error {
	for range starts {
		start := time.Now()
		if err := w.serve(ctx, ""); err != nil {
			return err
		}
		w.Starts = append(w.Starts, time.Since(start))
		if err := w.stop(); err != nil {
			return err
		}
	}
	w.Start = median(w.Starts)
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// serve starts svcd at an address, a free one if it is "", and waits until it says
// that it is well.
func (w *world) serve(ctx context.Context, address string) (err error) {
	if address == "" {
		if address, err = freeAddress(); err != nil {
			return err
		}
	}
	w.address = address
	w.server = w.command(ctx, "serve", "--listen", address, "--base-url", w.facts.BaseURL, "--log-level", "warn")
	if err := w.server.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(upWithin); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if resp, err := http.Get("http://" + address + "/healthz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return errors.Join(errors.New("svcd serve does not answer"), ctx.Err(), w.stop())
}

// stop ends svcd as an operator would.
func (w *world) stop() error {
	cmd := w.server
	if w.server = nil; cmd == nil || cmd.Process == nil {
		return nil
	}
	http.DefaultClient.CloseIdleConnections()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	// Ended by the context's end, it says so even when it ended well.
	if err := cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("svcd serve: %w", err)
	}
	return nil
}

// close ends all processes and removes the measured data.
func (w *world) close() error {
	return errors.Join(w.stop(), w.closeDatabase(), os.RemoveAll(w.measured()))
}

// diskUse adds up the sizes of the files below dir.
func diskUse(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
