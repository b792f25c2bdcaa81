package dbtest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between a program and PostgreSQL. It can cut the connections, or
// stall them while they stay open.
type Proxy struct {
	t       testing.TB
	to      string
	address string

	mu    sync.Mutex
	l     net.Listener
	conns map[net.Conn]bool
	flow  chan struct{} // closed while bytes pass
}

// NewProxy returns a proxy to the server of dsn until the test ends, and dsn
// through it.
func NewProxy(t testing.TB, dsn string) (*Proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	x := &Proxy{t: t, to: u.Host, address: "127.0.0.1:0", conns: map[net.Conn]bool{}, flow: make(chan struct{})}
	close(x.flow)
	x.Open()
	t.Cleanup(func() {
		x.Flow()
		x.Cut()
	})
	u.Host = x.address
	return x, u.String()
}

// Open accepts connections.
func (x *Proxy) Open() {
	x.t.Helper()
	l, err := net.Listen("tcp", x.address)
	if err != nil {
		x.t.Fatal(err)
	}
	x.mu.Lock()
	x.l, x.address = l, l.Addr().String()
	x.mu.Unlock()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", x.to)
			if err != nil {
				_ = in.Close()
				continue
			}
			x.mu.Lock()
			x.conns[in], x.conns[out] = true, true
			x.mu.Unlock()
			go x.pipe(in, out)
			go x.pipe(out, in)
		}
	}()
}

// Cut closes all connections and accepts no new ones.
func (x *Proxy) Cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.l.Close()
	for c := range x.conns {
		_ = c.Close()
	}
	clear(x.conns)
}

// Stall passes no bytes on until Flow. Connections stay open, and new ones are
// accepted.
func (x *Proxy) Stall() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.flow = make(chan struct{})
}

// Flow ends Stall.
func (x *Proxy) Flow() {
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.flow:
	default:
		close(x.flow)
	}
}

func (x *Proxy) pipe(from, to net.Conn) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		x.mu.Lock()
		flow := x.flow
		x.mu.Unlock()
		<-flow
		if err == nil {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			_ = from.Close()
			_ = to.Close()
			return
		}
	}
}
