package streaming

import (
	"bufio"
	"net"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// mostHeld bounds the bytes that are held back to be sent together.
const mostHeld = 64 << 10

// cork is a connection that may hold back what is written, so that many small
// messages are sent by one call of the system. It is made by corking.
type cork struct {
	net.Conn

	mu      sync.Mutex
	holding bool
	held    *[]byte // of holders, while something is held
}

// corking is a response whose connection, once it is hijacked, is a cork.
type corking struct {
	gin.ResponseWriter
	cork *cork
}

// Hijack implements http.Hijacker.
func (w corking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := w.ResponseWriter.Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.cork.Conn = conn
	in := buffers.Reader
	if in.Buffered() == 0 {
		in = bufio.NewReaderSize(conn, buffered)
	}
	return w.cork, bufio.NewReadWriter(in, bufio.NewWriterSize(w.cork, buffered)), nil
}

// buffered is the size of the buffers that an idle socket keeps: what clients send is
// short, and what they are sent is held by the cork.
const buffered = 512

// holders are buffers for what is held, which most sockets need only now and then.
var holders = sync.Pool{New: func() any { return new([]byte) }}

func (c *cork) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holding {
		return c.Conn.Write(b)
	}
	if c.held == nil {
		c.held = holders.Get().(*[]byte)
	}
	*c.held = append(*c.held, b...)
	if len(*c.held) < mostHeld {
		return len(b), nil
	}
	return len(b), c.flush()
}

// hold holds back what is written from now on.
func (c *cork) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// release sends what was held back.
func (c *cork) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holding {
		return nil
	}
	c.holding = false
	return c.flush()
}

func (c *cork) flush() error {
	if c.held == nil {
		return nil
	}
	defer func() {
		*c.held = (*c.held)[:0]
		holders.Put(c.held)
		c.held = nil
	}()
	if err := c.SetWriteDeadline(time.Now().Add(writing)); err != nil {
		return err
	}
	if _, err := c.Conn.Write(*c.held); err != nil {
		return err
	}
	return c.SetWriteDeadline(time.Time{})
}
