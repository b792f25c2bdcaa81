//go:build linux

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// A load sends requests as fast as they are answered: each worker its next when
// the last answer is read in full. It writes HTTP by itself on open
// connections, so that it takes as little as it can of the processor that it
// shares with the server.
type load struct {
	address  string
	requests [][]byte // taken in turn by all workers; 12 times # becomes a number
	workers  int
	warmUp   time.Duration
	lasts    time.Duration
}

// A tally is the result of a load after its warm-up. All its answers were good:
// a bad answer ends the load.
type tally struct {
	Requests int           // in the measured time
	All      int64         // with those of the warm-up
	Bytes    int64         // of bodies, in the measured time
	Took     time.Duration // the measured time
	P50, P99 time.Duration
}

// serial stands for a number in a request that never comes again in its load.
var serial = []byte("############")

// run sends the load.
func (l *load) run() (t tally, err error) {
	var (
		next    atomic.Int64
		failed  atomic.Bool
		workers errgroup.Group
		mu      sync.Mutex // of t and took
		took    []time.Duration
	)
	warm := time.Now().Add(l.warmUp)
	end := warm.Add(l.lasts)
	for range l.workers {
		workers.Go(func() error {
			c := &conn{address: l.address}
			defer c.close()
			var (
				buf  []byte
				mine []time.Duration
				read int64
				last time.Time
			)
			for begin := time.Now(); begin.Before(end) && !failed.Load(); begin = time.Now() {
				n := next.Add(1)
				buf = append(buf[:0], l.requests[int(n)%len(l.requests)]...)
				if at := bytes.Index(buf, serial); at >= 0 {
					copy(buf[at:], fmt.Sprintf("%0*d", len(serial), n))
				}
				sent := time.Now()
				status, size, err := c.do(buf)
				if err == nil && (status < 200 || status > 299) {
					err = fmt.Errorf("answered %d", status)
				}
				if err != nil {
					failed.Store(true)
					line, _, _ := strings.Cut(string(buf), "\r\n")
					return fmt.Errorf("%s: %w", line, err)
				}
				if last = time.Now(); !begin.Before(warm) {
					mine, read = append(mine, last.Sub(sent)), read+size
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			t.Bytes, t.Took = t.Bytes+read, max(t.Took, last.Sub(warm))
			return nil
		})
	}
	err = workers.Wait()
	if t.All = next.Load(); err != nil || len(took) == 0 {
		return t, cmp.Or(err, errors.New("no request was answered in the measured time"))
	}
	slices.Sort(took)
	t.Requests, t.P50, t.P99 = len(took), quantile(took, 50), quantile(took, 99)
	return t, nil
}

// median of an even number of values is the lower of the middle two.
func median[T time.Duration | float64 | int](values []T) T {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}

// quantile is the smallest of sorted values that percent of them do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

// conn is one connection that stays open.
type conn struct {
	address string
	c       net.Conn
	r       *bufio.Reader
}

func (c *conn) close() {
	if c.c != nil {
		_ = c.c.Close()
		c.c = nil
	}
}

// answerWithin is the most that an answer may take.
const answerWithin = 30 * time.Second

// do sends a request and reads the whole answer: its status, and the size of
// its body.
func (c *conn) do(req []byte) (status int, size int64, err error) {
	if c.c == nil {
		if c.c, err = net.DialTimeout("tcp", c.address, answerWithin); err != nil {
			return 0, 0, err
		}
		c.r = bufio.NewReaderSize(c.c, 64<<10)
	}
	if err := c.c.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		return 0, 0, err
	}
	if _, err := c.c.Write(req); err != nil {
		return 0, 0, err
	}
	status, size, keep, err := readAnswer(c.r)
	if err != nil || !keep {
		c.close()
	}
	return status, size, err
}

// readAnswer reads an HTTP/1.1 answer to anything but HEAD.
func readAnswer(r *bufio.Reader) (status int, size int64, keep bool, err error) {
	line := readLine(r, &err)
	if err == nil && (!bytes.HasPrefix(line, []byte("HTTP/1.1 ")) || len(line) < 12) {
		err = fmt.Errorf("answer begins with %q", line)
	}
	if err != nil {
		return 0, 0, false, err
	}
	status = int(number(line[9:12], 10, &err))
	length, chunked, keep := int64(0), false, true
	for {
		if line = readLine(r, &err); err != nil {
			return status, 0, false, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			length = number(value, 10, &err)
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("Connection")):
			keep = !bytes.EqualFold(value, []byte("close"))
		}
	}
	if !chunked {
		_, err = r.Discard(int(length))
		return status, length, keep, err
	}
	for n := int64(-1); n != 0 && err == nil; size += n {
		if n = number(readLine(r, &err), 16, &err); err == nil {
			_, err = r.Discard(int(n) + 2)
		}
	}
	return status, size, keep, err
}

// readLine reads a line without its end, unless err is set. It is good until the
// next read.
func readLine(r *bufio.Reader, err *error) (line []byte) {
	if *err == nil {
		line, *err = r.ReadSlice('\n')
	}
	return bytes.TrimRight(line, "\r\n")
}

// number reads a number, unless err is set.
func number(text []byte, base int, err *error) (n int64) {
	if *err == nil {
		n, *err = strconv.ParseInt(string(text), base, 64)
	}
	return n
}
