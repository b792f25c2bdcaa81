//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
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
)

// A streaming is the cost of open streams on one database.
type streaming struct {
	world    *world
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

// measureStreams measures streams on every database, with each program; the
// rates of posts in turns.
func (b *bench) measureStreams(ctx context.Context) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if b.streams > int(limit.Max)-500 {
		return fmt.Errorf("-streams %d: a process may have %d files open here (ulimit -Hn)", b.streams, limit.Max)
	}
	for _, database := range b.databases {
		var all []*streaming
		for _, w := range b.beside("streams-", database, size{}) {
			s := &streaming{Program: w.Program, Database: database, Sockets: b.streams, Silent: silent, world: w}
			all = append(all, s)
		}
		b.report.Streams = append(b.report.Streams, all...)
		steps := []func(*streaming, context.Context) error{(*streaming).late}
		for range b.runs {
			steps = append(steps, func(s *streaming, ctx context.Context) error { return s.compare(ctx, b.seconds) })
		}
		for _, step := range append(steps, (*streaming).crowd, (*streaming).silence) {
			for _, s := range all {
				if err := step(s, ctx); err != nil {
					return fmt.Errorf("streams on %s: %w", s.world, err)
				}
			}
		}
	}
	return nil
}

// late serves a world, and measures how late events are: on another connection and,
// on PostgreSQL, at another process.
func (s *streaming) late(ctx context.Context) (err error) {
	w := s.world
	var nicks []string
	for i := range posters {
		nicks = append(nicks, poster(i))
	}
	if err := w.blank(ctx, nicks...); err != nil {
		return err
	}
	if s.Here, err = w.tell(ctx, w.address); err != nil {
		return err
	}
	note("%s: told within %s (p50), %s (p99)", w, quantile(s.Here, 50), quantile(s.Here, 99))
	if w.pg == nil {
		return nil
	}
	other := *w
	if err := other.serve(ctx, ""); err != nil {
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
		answered, err := w.say(ctx, n)
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

// say posts once, each poster in turn, and returns the moment of the answer.
func (w *world) say(ctx context.Context, n int) (time.Time, error) {
	return w.post(ctx, w.writers[n%len(w.writers)], fmt.Sprint("An event, number ", n))
}

// compare measures the rate of posts with and without listeners and, on PostgreSQL,
// as it would be if each transaction that has an event notified.
func (s *streaming) compare(ctx context.Context, seconds float64) error {
	w := s.world
	var used []float64 // processor time of a post, in ms
	rate := func(into *[]float64) error {
		c, err := w.load(ctx, posting, posters, seconds)
		*into, used = append(*into, c.Rate), append(used, c.CPU)
		return err
	}
	if err := rate(&s.Alone); err != nil {
		return err
	}
	var homes []string
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
	if err := w.pg.exec(ctx, `CREATE OR REPLACE FUNCTION bench_notify() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_notify('bench', ''); RETURN NULL; END $$`); err != nil {
		return err
	}
	if err := w.pg.exec(ctx, `CREATE TRIGGER bench_notify AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION bench_notify()`); err != nil {
		return err
	}
	return errors.Join(rate(&s.Notified), w.pg.exec(ctx, `DROP TRIGGER bench_notify ON events`))
}

// crowd measures many open sockets.
func (s *streaming) crowd(ctx context.Context) (err error) {
	w := s.world
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
		answered, err := w.say(ctx, n)
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
	s.Told, err = w.times(ctx, func(n int) error { _, err := w.say(ctx, n); return err })
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
	raw := request{http.MethodGet, "/api/v1/timelines/home?limit=20", w.writers[0], ""}.bytes(w.address)
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
func (s *streaming) silence(ctx context.Context) error {
	w := s.world
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
		if _, err := w.say(ctx, n); err != nil {
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
