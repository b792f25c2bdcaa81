package backup

import (
	"sync"

	"svc/server/platform/guard"
)

// Sizes of chunks of a stream that may grow anywhere. Where it is cut depends on its
// bytes, so that a row more moves one cut, and not all that follow.
const (
	least   = 64 << 10
	most    = 1 << 20
	cutMask = uint64(1<<18-1) << 46 // one byte of 256 KiB, on average, ends a chunk
	// pages is the size of chunks of a file that changes in place.
	pages = 256 << 10
)

// gear has a number for each byte. It must never change: the same bytes would be cut
// elsewhere, and stored again.
var gear = func() (out [256]uint64) {
	x := uint64(0x9e3779b97f4a7c15)
	for i := range out {
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		out[i] = z ^ z>>31
	}
	return out
}()

// chunker cuts what is written to it.
type chunker struct {
	fixed int // the size of chunks; 0 cuts by contents
	emit  func(content []byte) error
	buf   []byte
	sum   uint64
}

func (c *chunker) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		take, full := c.cut(p)
		c.buf = append(c.buf, p[:take]...)
		p = p[take:]
		if full {
			if err := c.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// cut returns how many bytes of p belong to the present chunk, and whether it ends there.
func (c *chunker) cut(p []byte) (take int, full bool) {
	if c.fixed > 0 {
		take = min(len(p), c.fixed-len(c.buf))
		return take, len(c.buf)+take == c.fixed
	}
	for i, b := range p {
		c.sum = c.sum<<1 + gear[b]
		if at := len(c.buf) + i + 1; at >= least && c.sum&cutMask == 0 || at == most {
			return i + 1, true
		}
	}
	return len(p), false
}

// flush ends the last chunk.
func (c *chunker) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	content := c.buf
	c.buf, c.sum = nil, 0
	return c.emit(content)
}

// crew does work at several places at once, since most of it waits for the disk.
type crew struct {
	places chan struct{}
	all    sync.WaitGroup
	mu     sync.Mutex
	err    error
}

func newCrew() *crew { return &crew{places: make(chan struct{}, 8)} }

// do begins work once a place is free. It returns the error of earlier work.
func (c *crew) do(work func() error) error {
	c.places <- struct{}{}
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		<-c.places
		return err
	}
	c.all.Go(func() {
		defer func() { <-c.places }()
		if err := guard.Run(work); err != nil {
			c.mu.Lock()
			if c.err == nil {
				c.err = err
			}
			c.mu.Unlock()
		}
	})
	return nil
}

// wait returns once all is done.
func (c *crew) wait() error {
	c.all.Wait()
	return c.err
}
