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
	Program     string            `json:"program"` // "now" or "before"
	Database    string            `json:"database"`
	Size        size              `json:"size"`
	MadeIn      time.Duration     `json:"made_in_ns"`
	DiskBytes   int64             `json:"disk_bytes"`
	Start       time.Duration     `json:"start_ns"` // median
	Starts      []time.Duration   `json:"starts_ns"`
	Idle        memories          `json:"idle"`
	AfterReads  memories          `json:"after_reads"`
	AfterWrites memories          `json:"after_writes"`
	Answers     map[string]answer `json:"answers"`

	peers bool // other servers are on this machine
	dir   string
	data  string // the folder that svcd is given
	bins  *programs
	pg    *postgres // nil on SQLite
	dsn   string
	made  made

	server  *exec.Cmd
	address string
	base    string
	app     app
	reader  string // the measured user's token
	few     string // the token of a user who follows 20 others
	many    string // the token of a user who follows everybody, up to 2,000
	// filtering is the token of a user who follows the same and has 20 filters.
	filtering string
	list      string   // a list of the measured user's, of 20 accounts
	writers   []string // the posters' tokens
	// These are used in lists: places in the home and public timelines, and
	// statuses.
	homePlaces, publicPlaces, statuses []string
	accounts                           []string // local ones that post
	// Whom the newest reports are about, by nickname and by id, and their servers.
	reported, reportedIDs, hosts []string
}

// app is the OAuth app that everybody signs in with.
type app struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// made holds the facts about the data, stored with it.
type made struct {
	Size     size          `json:"size"`
	BaseURL  string        `json:"base_url"`
	User     string        `json:"user"`
	Password string        `json:"password"`
	Posters  string        `json:"posters_password"`
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
	if roots := w.pg.roots(); len(roots) > 0 {
		m.Database = memoryOf(roots...)
	}
	return m
}

// roots are the processes with counted time: svcd, and PostgreSQL if it runs on
// this machine.
func (w *world) roots() []int { return append(w.pg.roots(), w.server.Process.Pid) }

// prepare makes the data, or finds it made.
func (w *world) prepare(ctx context.Context, dsn string) error {
	if err := os.MkdirAll(w.dir, 0o711); err != nil {
		return err
	}
	w.data = filepath.Join(w.dir, "data")
	w.dsn = "sqlite:" + filepath.Join(w.data, "svc.db")
	kept := false
	if raw, err := os.ReadFile(w.memo()); err == nil {
		kept = json.Unmarshal(raw, &w.made) == nil && w.made.Size == w.Size
	}
	if !kept {
		if err := errors.Join(os.RemoveAll(w.data), os.RemoveAll(w.memo())); err != nil {
			return err
		}
	}
	if w.Database == "postgres" {
		var err error
		if w.pg, err = openPostgres(ctx, w.dir, dsn, "svc_bench_"+w.Program+"_"+w.Size.Name, !kept); err != nil {
			return err
		}
		w.dsn = w.pg.dsn
	}
	if !kept {
		if err := w.populate(ctx); err != nil {
			return err
		}
	}
	w.MadeIn = w.made.MadeIn
	return w.copy(ctx)
}

// copy has the world measured on a copy: measuring posts, and another time the
// first pages would be other ones.
func (w *world) copy(ctx context.Context) error {
	if w.pg != nil {
		var err error
		w.dsn, w.DiskBytes, err = w.pg.copy(ctx)
		return err
	}
	from := w.data
	w.data = filepath.Join(w.dir, "measured")
	if err := os.RemoveAll(w.data); err != nil {
		return err
	}
	if err := os.CopyFS(w.data, os.DirFS(from)); err != nil {
		return err
	}
	w.dsn, w.DiskBytes = "sqlite:"+filepath.Join(w.data, "svc.db"), diskUse(w.data)
	return nil
}

func (w *world) memo() string { return filepath.Join(w.dir, "made.json") }

// svcd prepares a command on the world's data.
func (w *world) svcd(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.bins.svcd, append(args, "--data-dir", w.data)...)
	cmd.Dir = w.dir
	// The address may hold a password, which arguments would show.
	cmd.Env = append(os.Environ(), "SVC_DATABASE="+w.dsn, "SVC_LOG=warn", "SVC_DRAIN=0")
	if w.peers {
		cmd.Env = append(cmd.Env, "SVC_FEDERATION_INSECURE=true")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// said matches the output of svcd demo: a name and a value on each line.
var said = regexp.MustCompile(`(?i)^\s*(url|user|password)\b\W*\s(\S+)\s*$`)

// populate makes the data with svcd demo, adds the posters, and makes them and
// the measured user follow each other.
func (w *world) populate(ctx context.Context) error {
	note("making %d statuses and %d reports on %s", w.Size.Statuses, w.Size.Reports, w.Database)
	ctx, cancel := context.WithTimeout(ctx, doneAfter)
	defer cancel()
	start := time.Now()
	cmd := w.svcd(ctx, "demo", "--headless", "--seed", "1",
		"--statuses", fmt.Sprint(w.Size.Statuses), "--reports", fmt.Sprint(w.Size.Reports))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.made = made{Size: w.Size, Posters: rand.Text()}
	lines := bufio.NewScanner(out)
	for w.made.BaseURL == "" || w.made.User == "" || w.made.Password == "" {
		if !lines.Scan() {
			return errors.Join(errors.New("svcd demo ended before it served"), lines.Err(), cmd.Wait())
		}
		if m := said.FindStringSubmatch(lines.Text()); m != nil {
			switch strings.ToLower(m[1]) {
			case "url":
				w.made.BaseURL = strings.TrimSuffix(m[2], "/")
			case "user":
				w.made.User = m[2]
			case "password":
				w.made.Password = m[2]
			}
		}
	}
	w.made.MadeIn = time.Since(start)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("svcd demo: %w", err)
	}
	for i := range posters {
		nick := fmt.Sprintf("poster%02d", i)
		cmd := w.svcd(ctx, "user", "create", nick, "--email", nick+"@example.org", "--password", w.made.Posters, "--base-url", w.made.BaseURL)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("svcd user create: %w: %s", err, out)
		}
	}
	if err := w.befriend(ctx); err != nil {
		return err
	}
	if err := w.pg.tidy(ctx); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(w.made, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(w.memo(), raw, 0o600)
}

// befriend lets the posters follow each other and be followed by the measured
// user, so that a post has somebody to reach.
func (w *world) befriend(ctx context.Context) error {
	if err := w.serve(ctx); err != nil {
		return err
	}
	defer func() { _ = w.stop() }()
	if err := w.signIn(ctx); err != nil {
		return err
	}
	everybody := append([]string{w.reader}, w.writers...)
	ids := make([]string, len(everybody))
	for i, token := range everybody {
		var me struct{ ID string }
		if err := w.call(ctx, http.MethodGet, "/api/v1/accounts/verify_credentials", token, nil, &me); err != nil {
			return err
		}
		ids[i] = me.ID
	}
	for i, token := range everybody {
		for j, id := range ids {
			if i == j {
				continue
			}
			if err := w.call(ctx, http.MethodPost, "/api/v1/accounts/"+id+"/follow", token, nil, nil); err != nil {
				return err
			}
		}
	}
	settle(time.Minute, w.roots()...)
	return w.stop()
}

// measureStart times how long svcd takes until it answers.
func (w *world) measureStart(ctx context.Context) error {
	for range starts {
		start := time.Now()
		if err := w.serve(ctx); err != nil {
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

// serve starts svcd and waits until it says that it is well.
func (w *world) serve(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	return w.serveAt(ctx, address)
}

// serveAt is serve at an address.
func (w *world) serveAt(ctx context.Context, address string) error {
	w.address = address
	w.base = "http://" + w.address
	w.server = w.svcd(ctx, "serve", "--listen", w.address, "--base-url", w.made.BaseURL, "--log-level", "warn")
	w.server.Stderr = os.Stderr
	if err := w.server.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(upWithin); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", w.address)
		if err != nil {
			continue
		}
		_ = c.Close()
		resp, err := http.Get(w.base + "/healthz")
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.Join(errors.New("svcd serve does not answer"), ctx.Err(), w.stop())
}

// stop ends svcd as an operator would.
func (w *world) stop() error {
	if w.server == nil {
		return nil
	}
	cmd := w.server
	w.server = nil
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

// close ends all processes and removes the measured data; without keep,
// PostgreSQL's databases too.
func (w *world) close(keep bool) error {
	return errors.Join(w.stop(), os.RemoveAll(filepath.Join(w.dir, "measured")), w.pg.close(keep))
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
