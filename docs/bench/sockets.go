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
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	arrives = 30 * time.Second // the most that an event may take
	opened  = 64               // sockets that are opened at once
)

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
	opening, ctx := errgroup.WithContext(ctx)
	opening.SetLimit(opened)
	for i := range n {
		opening.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			conn, r, err := openSocket(address, queries[i%len(queries)])
			if err == nil {
				c.conns[i] = conn
				c.wg.Go(func() { c.read(conn, r) })
			}
			return err
		})
	}
	if err := opening.Wait(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// publicly is the query of the local public stream.
const publicly = "stream=public:local"

func openSocket(address, query string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.DialTimeout("tcp", address, answerWithin)
	if err != nil {
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	_, err1 := fmt.Fprintf(conn, "GET /api/v1/streaming?%s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", query, address)
	r := bufio.NewReaderSize(conn, 4<<10)
	resp, err2 := http.ReadResponse(r, nil)
	if err2 == nil {
		err2 = resp.Body.Close() // it has none
	}
	if err := errors.Join(err1, err2); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, nil, errors.Join(errors.New("a socket is refused"), err, conn.Close())
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
		case framePing: // masked with zeros
			_, _ = conn.Write(append([]byte{0x80 | framePong, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...))
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
