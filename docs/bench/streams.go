//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// The size of a measurement of streams.
const (
	listeners  = 1000                  // of the rate of posts
	silent     = 10                    // sockets that are never read
	toldOf     = 300                   // posts whose event is waited for
	toldEvery  = 20 * time.Millisecond // so that they are told of at rest
	toAll      = 5                     // posts to all sockets
	readersFor = 5 * time.Second       // reads of timelines, for their times
	posted     = 3000                  // posts while some sockets are not read
	beside     = 100                   // sockets that are read meanwhile
	eventEvery = time.Second           // while timelines are read
	arrives    = 30 * time.Second      // the most that an event may take
	opened     = 64                    // sockets that are opened at once
)

// A streaming is the cost of open streams on one database.
type streaming struct {
	Program  string `json:"program"` // "now" or "before"
	Database string `json:"database"`
	Sockets  int    `json:"sockets"`

	// From the answer to a post to its event, on another connection and, on
	// PostgreSQL, at another process.
	Here, There []time.Duration

	KiB        float64         `json:"kib_per_socket"`
	ToAll      []time.Duration `json:"to_all_ns"`          // from the answer to a post to the last socket
	ToAllCPU   []float64       `json:"to_all_cpu_s"`       // svcd's and the database's
	None       []time.Duration `json:"p99_none_ns"`        // of a timeline, without sockets
	Idle       []time.Duration `json:"p99_idle_ns"`        // with sockets that wait
	Told       []time.Duration `json:"p99_told_ns"`        // with an event to all of them each second
	Alone      []float64       `json:"posts_alone"`        // posts a second
	Heard      []float64       `json:"posts_heard"`        // with listeners of home timelines, of whom each post reaches a sixteenth
	HeardByAll []float64       `json:"posts_heard_by_all"` // with listeners of whom each post reaches all
	Notified   []float64       `json:"posts_notified"`     // if each write notified
	Silent     int             `json:"silent"`
	CutOff     int             `json:"cut_off"` // sockets that are not read, and those of them that were cut off
	Missed     int64           `json:"missed"`  // events that others did not get meanwhile
}

// measureStreams measures streams on every database, with this program and, in turns,
// with the one that is to be compared.
func measureStreams(ctx context.Context, o options, bins *programs, work string) (all []*streaming, err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, err
	}
	if most := int(limit.Max) - 500; o.streams > most {
		return nil, fmt.Errorf("-streams %d: a process may have %d files open here (ulimit -Hn)", o.streams, limit.Max)
	}
	for _, database := range o.databases {
		var worlds []*world
		for _, p := range bins.beside(o.before) {
			w := &world{Database: database, Program: p.name, dir: filepath.Join(work, "streams-"+database+"-"+p.name), bins: p}
			worlds = append(worlds, w)
			defer func() { err = errors.Join(err, w.close(false)) }()
		}
		measured, err := streamsOf(ctx, o, worlds)
		if err != nil {
			return all, fmt.Errorf("streams on %s: %w", database, err)
		}
		all = append(all, measured...)
	}
	return all, nil
}

// streamsOf measures the streams of some worlds, the rates of posts in turns.
func streamsOf(ctx context.Context, o options, worlds []*world) (all []*streaming, err error) {
	for _, w := range worlds {
		s, err := w.streams(ctx, o)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	for range o.runs {
		for i, w := range worlds {
			if err := w.compare(ctx, o, all[i]); err != nil {
				return nil, err
			}
		}
	}
	for i, w := range worlds {
		if err := errors.Join(w.crowd(ctx, all[i]), w.silence(ctx, all[i])); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// streams serves a world, and measures how late events are.
func (w *world) streams(ctx context.Context, o options) (s *streaming, err error) {
	s = &streaming{Program: w.Program, Database: w.Database, Sockets: o.streams, Silent: silent}
	var nicks []string
	for i := range posters {
		nicks = append(nicks, fmt.Sprintf("poster%02d", i))
	}
	tokens, err := w.blank(ctx, o.dsn, "svc_bench_streams_"+w.Program, nicks...)
	if err != nil {
		return nil, err
	}
	for _, nick := range nicks {
		w.writers = append(w.writers, tokens[nick])
	}
	w.reader = w.writers[0]
	if s.Here, err = w.tell(ctx, w.address); err != nil {
		return nil, err
	}
	note("%s: told within %s (p50), %s (p99)", w, quantile(s.Here, 50), quantile(s.Here, 99))
	if w.pg != nil {
		err = w.elsewhere(ctx, s)
	}
	return s, err
}

// elsewhere measures how late the event of a post is at another process.
func (w *world) elsewhere(ctx context.Context, s *streaming) (err error) {
	other := *w
	other.server = nil
	if err := other.serve(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.stop()) }()
	if s.There, err = w.tell(ctx, other.address); err == nil {
		note("%s: told at another process within %s (p50), %s (p99)", w, quantile(s.There, 50), quantile(s.There, 99))
	}
	return err
}

// tell measures how late events are at one socket, sorted. One that came before the
// answer to its post counts as zero.
func (w *world) tell(ctx context.Context, address string) ([]time.Duration, error) {
	crowd, err := openCrowd(ctx, address, 1, publicly)
	if err != nil {
		return nil, err
	}
	defer crowd.close()
	var late []time.Duration
	for n := range toldOf {
		if err := pause(ctx, toldEvery); err != nil {
			return nil, err
		}
		answered, err := w.post(ctx, n)
		if err != nil {
			return nil, err
		}
		last, err := crowd.wait(ctx, int64(n+1))
		if err != nil {
			return nil, err
		}
		late = append(late, max(0, last.Sub(answered)))
	}
	slices.Sort(late)
	return late, nil
}

// post posts once, and returns the moment of the answer.
func (w *world) post(ctx context.Context, n int) (time.Time, error) {
	err := w.call(ctx, http.MethodPost, "/api/v1/statuses", w.writers[n%len(w.writers)], url.Values{"status": {fmt.Sprint("An event, number ", n)}}, nil)
	return time.Now(), err
}

// compare measures the rate of posts with and without listeners and, on PostgreSQL,
// as it would be if each transaction that has an event notified.
func (w *world) compare(ctx context.Context, o options, s *streaming) error {
	var used []float64 // processor time of a post, in ms
	rate := func(into *[]float64) error {
		c, err := w.load(ctx, endpoints[len(endpoints)-1], posters, o.seconds)
		*into, used = append(*into, c.Rate), append(used, c.CPU)
		return err
	}
	if err := rate(&s.Alone); err != nil {
		return err
	}
	homes := []string{}
	for _, token := range w.writers {
		homes = append(homes, "stream=user&access_token="+token)
	}
	for _, c := range []struct {
		into    *[]float64
		queries []string
	}{{&s.Heard, homes}, {&s.HeardByAll, []string{publicly}}} {
		crowd, err := openCrowd(ctx, w.address, listeners, c.queries...)
		if err != nil {
			return err
		}
		err = rate(c.into)
		crowd.close()
		if err != nil {
			return err
		}
	}
	last := len(s.Alone) - 1
	note("%s: %.0f posts/s, %.0f with %d listeners, %.0f if all hear all; ms of processor time each: %.2f", w, s.Alone[last], s.Heard[last], listeners, s.HeardByAll[last], used)
	if w.pg == nil {
		return nil
	}
	if err := w.pg.exec(ctx, w.dsn, `CREATE OR REPLACE FUNCTION bench_notify() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_notify('bench', ''); RETURN NULL; END $$`); err != nil {
		return err
	}
	if err := w.pg.exec(ctx, w.dsn, `CREATE TRIGGER bench_notify AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION bench_notify()`); err != nil {
		return err
	}
	err := rate(&s.Notified)
	return errors.Join(err, w.pg.exec(ctx, w.dsn, `DROP TRIGGER bench_notify ON events`))
}

// crowd measures many open sockets.
func (w *world) crowd(ctx context.Context, s *streaming) error {
	var err error
	if s.None, err = w.times(ctx, nil); err != nil {
		return err
	}
	settle(20*time.Second, w.roots()...)
	before := memoryOf(w.server.Process.Pid).RSS
	crowd, err := openCrowd(ctx, w.address, s.Sockets, publicly)
	if err != nil {
		return err
	}
	defer crowd.close()
	if err := pause(ctx, idleFor); err != nil {
		return err
	}
	s.KiB = 1024 * (memoryOf(w.server.Process.Pid).RSS - before) / float64(s.Sockets)
	note("%s: %d sockets, %.1f KiB each", w, s.Sockets, s.KiB)
	if s.Idle, err = w.times(ctx, nil); err != nil {
		return err
	}
	for n := range toAll {
		used := cpu(w.roots()...)
		want := crowd.got.Load() + int64(s.Sockets)
		answered, err := w.post(ctx, n)
		if err != nil {
			return err
		}
		last, err := crowd.wait(ctx, want)
		if err != nil {
			return err
		}
		s.ToAll = append(s.ToAll, last.Sub(answered))
		settle(20*time.Second, w.roots()...)
		s.ToAllCPU = append(s.ToAllCPU, (cpu(w.roots()...) - used).Seconds())
	}
	note("%s: to all within %s", w, s.ToAll)
	s.Told, err = w.times(ctx, func(n int) error { _, err := w.post(ctx, n); return err })
	return err
}

// times reads a timeline again and again, and returns the sorted times of its
// answers. meanwhile, if given, is called every second.
func (w *world) times(ctx context.Context, meanwhile func(n int) error) (took []time.Duration, err error) {
	ctx, stop := context.WithTimeout(ctx, readersFor)
	defer stop()
	var telling sync.WaitGroup
	if meanwhile != nil {
		telling.Go(func() {
			for n := 0; pause(ctx, eventEvery) == nil; n++ {
				if failed := meanwhile(n); failed != nil && ctx.Err() == nil {
					err = failed
				}
			}
		})
	}
	c := &conn{address: w.address}
	defer c.close()
	raw := request{http.MethodGet, "/api/v1/timelines/home?limit=20", w.reader, ""}.bytes(w.address)
	for ctx.Err() == nil {
		begin := time.Now()
		status, _, failed := c.do(raw)
		if failed != nil || status != http.StatusOK {
			err = errors.Join(err, fmt.Errorf("home: %d, %w", status, failed))
			break
		}
		took = append(took, time.Since(begin))
		_ = pause(ctx, time.Millisecond)
	}
	telling.Wait()
	slices.Sort(took)
	return took, err
}

// silence posts while some sockets are not read, and others are.
func (w *world) silence(ctx context.Context, s *streaming) error {
	crowd, err := openCrowd(ctx, w.address, beside, publicly)
	if err != nil {
		return err
	}
	defer crowd.close()
	var mute []net.Conn
	for range silent {
		c, _, err := openSocket(w.address, publicly)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		mute = append(mute, c)
	}
	for n := range posted {
		if _, err := w.post(ctx, n); err != nil {
			return err
		}
	}
	_, err = crowd.wait(ctx, posted*beside)
	s.Missed = posted*beside - crowd.got.Load()
	for _, c := range mute { // one that was cut off ends behind what was sent before
		if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, c); !errors.Is(err, os.ErrDeadlineExceeded) {
			s.CutOff++
		}
	}
	note("%s: %d of %d silent sockets cut off; others missed %d events", w, s.CutOff, silent, s.Missed)
	return err
}

// crowd is sockets that listen to public statuses, and count what they get.
type crowd struct {
	conns []net.Conn
	got   atomic.Int64
	last  atomic.Int64 // when, in Unix nanoseconds
	wg    sync.WaitGroup
}

// openCrowd opens n sockets, by one of the queries each.
func openCrowd(ctx context.Context, address string, n int, queries ...string) (*crowd, error) {
	c := &crowd{conns: make([]net.Conn, n)}
	var (
		opening sync.WaitGroup
		next    atomic.Int64
		failed  atomic.Pointer[error]
	)
	for range min(n, opened) {
		opening.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				conn, r, err := openSocket(address, queries[i%len(queries)])
				if err != nil {
					failed.Store(&err)
					return
				}
				c.conns[i] = conn
				c.wg.Go(func() { c.read(conn, r) })
			}
		})
	}
	opening.Wait()
	if err := failed.Load(); err != nil {
		c.close()
		return nil, *err
	}
	return c, ctx.Err()
}

// publicly is the query of the local public stream.
const publicly = "stream=public:local"

func openSocket(address, query string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.DialTimeout("tcp", address, answerWithin)
	if err != nil {
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	_, err = fmt.Fprintf(conn, "GET /api/v1/streaming?%s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", query, address)
	r := bufio.NewReaderSize(conn, 4<<10)
	for line := ""; err == nil && line != "\r\n"; {
		first := line == ""
		if line, err = r.ReadString('\n'); err == nil && first && !strings.Contains(line, " 101 ") {
			err = fmt.Errorf("a socket is answered %q", line)
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return conn, r, conn.SetDeadline(time.Time{})
}

// The kinds of frames, RFC 6455, section 5.2.
const (
	frameText = 1
	framePing = 9
	framePong = 10
)

// read counts texts and answers pings until the connection ends.
func (c *crowd) read(conn net.Conn, r *bufio.Reader) {
	for {
		kind, payload, err := readFrame(r)
		if err != nil {
			return
		}
		switch kind {
		case frameText:
			c.last.Store(time.Now().UnixNano())
			c.got.Add(1)
		case framePing:
			// Masked with zeros.
			out := append([]byte{0x80 | framePong, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
			if _, err := conn.Write(out); err != nil {
				return
			}
		}
	}
}

// readFrame reads a frame of a server. Only the payload of control frames is
// returned.
func readFrame(r *bufio.Reader) (kind byte, payload []byte, err error) {
	var head [8]byte
	if _, err = io.ReadFull(r, head[:2]); err != nil {
		return 0, nil, err
	}
	kind = head[0] & 0x0f
	n := uint64(head[1] & 0x7f)
	switch n {
	case 126:
		_, err = io.ReadFull(r, head[:2])
		n = uint64(binary.BigEndian.Uint16(head[:2]))
	case 127:
		_, err = io.ReadFull(r, head[:8])
		n = binary.BigEndian.Uint64(head[:8])
	}
	if err == nil && kind >= 8 {
		payload = make([]byte, n)
		_, err = io.ReadFull(r, payload)
	} else if err == nil {
		_, err = r.Discard(int(n))
	}
	return kind, payload, err
}

// wait waits for so many texts in all, and returns when the last came.
func (c *crowd) wait(ctx context.Context, want int64) (time.Time, error) {
	for end := time.Now().Add(arrives); c.got.Load() < want; {
		if time.Now().After(end) {
			return time.Time{}, fmt.Errorf("%d events of %d came within %s", c.got.Load(), want, arrives)
		}
		if err := pause(ctx, 200*time.Microsecond); err != nil {
			return time.Time{}, err
		}
	}
	return time.Unix(0, c.last.Load()), nil
}

func (c *crowd) close() {
	for _, conn := range c.conns {
		if conn != nil {
			_ = conn.Close()
		}
	}
	c.wg.Wait()
}

// streams writes the costs of streams.
func streams(b *strings.Builder, all []*streaming) {
	b.WriteString("\n### Streams\n\n| |")
	for _, s := range all {
		name := title(s.Database)
		if s.Program == "before" {
			name += ", before"
		}
		fmt.Fprintf(b, " %s |", name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(all)) + "\n")
	line := func(name string, of func(s *streaming) string) {
		fmt.Fprintf(b, "| %s |", name)
		for _, s := range all {
			fmt.Fprintf(b, " %s |", of(s))
		}
		b.WriteString("\n")
	}
	both := func(d []time.Duration) string {
		if len(d) == 0 {
			return ""
		}
		return millis(quantile(d, 50)) + ", " + millis(quantile(d, 99))
	}
	line("post to event, ms: p50, p99", func(s *streaming) string { return both(s.Here) })
	line("the same at another process", func(s *streaming) string { return both(s.There) })
	line("posts/s without listeners", func(s *streaming) string { return fmt.Sprintf("%.0f", median(s.Alone)) })
	line(fmt.Sprintf("posts/s with %s listeners, each post to a sixteenth", thousands(listeners)), func(s *streaming) string { return fmt.Sprintf("%.0f", median(s.Heard)) })
	line(fmt.Sprintf("the same, each post to all %s", thousands(listeners)), func(s *streaming) string { return fmt.Sprintf("%.0f", median(s.HeardByAll)) })
	line("posts/s if each write notified", func(s *streaming) string {
		if s.Notified == nil {
			return ""
		}
		return fmt.Sprintf("%.0f", median(s.Notified))
	})
	line("sockets", func(s *streaming) string { return thousands(s.Sockets) })
	line("KiB each", func(s *streaming) string { return fmt.Sprintf("%.1f", s.KiB) })
	line("an event to all of them, ms: median, most", func(s *streaming) string { return millis(median(s.ToAll)) + ", " + millis(slices.Max(s.ToAll)) })
	line("its processor time, s", func(s *streaming) string { return fmt.Sprintf("%.2f", median(s.ToAllCPU)) })
	line("a home timeline, ms, without sockets: p50, p99", func(s *streaming) string { return both(s.None) })
	line("with all sockets idle", func(s *streaming) string { return both(s.Idle) })
	line("with an event to all of them each second", func(s *streaming) string { return both(s.Told) })
	line("sockets that are not read; cut off", func(s *streaming) string { return fmt.Sprintf("%d; %d", s.Silent, s.CutOff) })
	line("events that others missed meanwhile", func(s *streaming) string { return fmt.Sprint(s.Missed) })
}
