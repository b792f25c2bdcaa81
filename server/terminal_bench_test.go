package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"svc/db/dbtest"
	"svc/server/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main{M: m}.Run()) }

// BenchmarkTerminal runs svcctl tui on a terminal of 120x40, beside a server with so
// many accounts and open reports as the last number of -rows says, and types. It
// reports what --trace measured, and memory and processor time by /proc.
//
//	go test ./server -run - -bench Terminal -benchtime 1x -rows 100000 -timeout 1h
func BenchmarkTerminal(b *testing.B) {
	sizes := strings.Split(*adminRows, ",")
	n, err := strconv.Atoi(sizes[len(sizes)-1])
	if err != nil {
		b.Fatal(err)
	}
	folder := *adminKeep
	if folder == "" {
		folder = b.TempDir()
	}
	dsn := "sqlite:" + filepath.Join(folder, fmt.Sprintf("terminal%d.db", n))
	if err := dbtest.Exec(b, dbtest.Open(b, dsn), "DELETE FROM meta WHERE key = 'base_url'"); err != nil {
		b.Fatal(err)
	}
	s := servertest.On(b, dsn)
	s.AdminUser("root")
	if _, err := s.DB.AccountByNickname(b.Context(), "admin00"); err != nil {
		seedAdmin(b, s.DB, n, n)
		if err := dbtest.Exec(b, s.DB, "UPDATE reports SET state = 'open'"); err != nil {
			b.Fatal(err)
		}
	}
	indexAdmin(b, s.DB)
	program := filepath.Join(servertest.Programs(b), "svcctl")
	token := s.Token("root", servertest.AdminScopes)
	b.ResetTimer()
	for range b.N {
		measureTerminal(b, program, s.URL, token, n)
	}
}

// traced is a line of the trace.
type traced struct {
	Event, What string
	Ms          float64
	Work        float64 `json:"work_ms"`
	Same        bool
}

// bench is svcctl tui on a terminal.
type bench struct {
	b        *testing.B
	trace    string
	terminal *os.File
	pid      int
	offset   int64 // of the trace that is not read yet
	read     []traced
}

// lines are those of the trace so far. Only new ones are read, so that the reading
// does not take the processor from the program.
func (p *bench) lines() []traced {
	p.b.Helper()
	file, err := os.Open(p.trace)
	if err != nil {
		p.b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(file, p.offset, 1<<30))
	if err != nil {
		p.b.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	p.offset += int64(len(text))
	for one := range bytes.Lines(text) {
		var l traced
		if err := json.Unmarshal(one, &l); err != nil {
			p.b.Fatalf("%q: %v", one, err)
		}
		p.read = append(p.read, l)
	}
	return p.read
}

// times are those of lines of an event, of which what begins with a text, from a line
// on.
func (p *bench) times(from int, event, what string) (all []float64) {
	for _, l := range p.lines()[from:] {
		if l.Event == event && strings.HasPrefix(l.What, what) {
			all = append(all, l.Ms)
		}
	}
	return all
}

// until waits for so many lines of an event.
func (p *bench) until(from int, event, what string, n int, within time.Duration) {
	p.b.Helper()
	for end := time.Now().Add(within); len(p.times(from, event, what)) < n; time.Sleep(4 * time.Millisecond) {
		if time.Now().After(end) {
			p.b.Fatalf("%d of %d lines of %s %q after %s", len(p.times(from, event, what)), n, event, what, within)
		}
	}
}

// types presses a key, and waits for its frame.
func (p *bench) types(key, event, what string) {
	p.b.Helper()
	from := len(p.lines())
	if _, err := io.WriteString(p.terminal, key); err != nil {
		p.b.Fatal(err)
	}
	p.until(from, event, what, 1, 10*time.Second)
}

// status is a number of kB in /proc.
func (p *bench) status(name string) float64 {
	p.b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		p.b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		p.b.Fatal(err)
	}
	return kB / 1024
}

// cpu is the processor time that the program took.
func (p *bench) cpu() time.Duration {
	p.b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		p.b.Skip(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			p.b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func measureTerminal(b *testing.B, program, url, token string, n int) {
	home := b.TempDir()
	p := &bench{b: b, trace: filepath.Join(home, "trace")}
	cmd := exec.CommandContext(b.Context(), program, "tui", "--trace", p.trace)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "TERM=xterm-256color",
		"COLORFGBG=15;0", "SVCCTL_NO_KEYRING=1", "SVCCTL_URL="+url, "SVCCTL_TOKEN="+token)
	var err error
	if p.terminal, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = p.terminal.Close()
	}()
	p.pid = cmd.Process.Pid
	go func() {
		chunk := make([]byte, 64<<10)
		for {
			n, err := p.terminal.Read(chunk)
			if err != nil {
				return
			}
			if bytes.Contains(chunk[:n], []byte("\x1b[c")) { // as every terminal answers
				_, _ = io.WriteString(p.terminal, "\x1b[?62c")
			}
		}
	}()
	for range 400 {
		if _, err := os.Stat(p.trace); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.until(0, "data", "reports 20", 1, time.Minute)
	b.ReportMetric(slices.Max(p.times(0, "paint", "")), "first-frame-ms")
	b.ReportMetric(p.times(0, "data", "reports 1")[0], "first-reports-ms")

	// A filter reads all reports.
	keys := func(text string) {
		for _, key := range text {
			p.types(string(key), "key", "")
			time.Sleep(30 * time.Millisecond)
		}
	}
	start := time.Now()
	keys("/@h")
	p.until(0, "load", "reportsLoaded", n/100, 10*time.Minute)
	b.ReportMetric(time.Since(start).Seconds(), "load-all-s")
	for range 5 {
		for _, key := range []string{"o", "s", "t", "4", "2", "\x7f", "\x7f", "\x7f", "\x7f", "\x7f"} {
			p.types(key, "view", "")
		}
	}
	filter := p.times(0, "view", "")
	b.ReportMetric(percentile(filter[len(filter)-50:], 99), "filter-p99-ms")
	p.types("\x1b", "key", "esc")
	from := len(p.lines())
	for range 20 {
		keys("jjjjjjjjjjjjjjj\x04\x15GggJ ru")
	}
	frames := p.times(from, "key", "")
	b.ReportMetric(percentile(frames, 50), "key-p50-ms")
	b.ReportMetric(percentile(frames, 99), "key-p99-ms")
	b.ReportMetric(float64(len(frames)), "keys")
	var work []float64
	slowest := map[string]float64{}
	for _, l := range p.lines()[from:] {
		if l.Event == "key" {
			work = append(work, l.Work)
			slowest[l.What] = max(slowest[l.What], l.Ms)
		}
	}
	b.Logf("the slowest of each key, ms: %v", slowest)
	b.ReportMetric(percentile(work, 99), "key-work-p99-ms")
	from = len(p.lines())
	for i := range 20 {
		size := &pty.Winsize{Rows: 40, Cols: 120}
		if i%2 == 0 {
			size = &pty.Winsize{Rows: 15, Cols: 60}
		}
		if err := pty.Setsize(p.terminal, size); err != nil {
			b.Fatal(err)
		}
		p.until(from, "resize", "", i+1, 10*time.Second)
	}
	b.ReportMetric(percentile(p.times(from, "resize", ""), 99), "resize-p99-ms")

	p.types("2", "data", "users 1")
	from = len(p.lines())
	for range 10 {
		keys("jjjjjjjjjj\x04kk")
	}
	b.ReportMetric(percentile(p.times(from, "key", ""), 99), "users-key-p99-ms")

	// At rest; the garbage of the walk is collected meanwhile.
	time.Sleep(5 * time.Second)
	const rest = 20 * time.Second
	before := p.cpu()
	time.Sleep(rest)
	b.ReportMetric(100*(p.cpu()-before).Seconds()/rest.Seconds(), "idle-cpu-%")
	b.ReportMetric(p.status("VmRSS"), "rss-MiB")
	b.ReportMetric(p.status("VmHWM"), "rss-most-MiB")
}

// percentile is the value below which p of a hundred are.
func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
