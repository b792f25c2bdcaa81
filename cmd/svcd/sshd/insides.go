package sshd

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// inside is a way to the service's own API that no other process can take: HTTP
// over connections in memory. The service sees the address of the SSH client.
type inside struct {
	server   *http.Server
	accepted chan net.Conn
	over     chan struct{}
	once     sync.Once
}

func newInside(server *http.Server) *inside {
	i := &inside{server: server, accepted: make(chan net.Conn), over: make(chan struct{})}
	go func() { _ = server.Serve(i) }()
	return i
}

// Accept, Close and Addr make it a net.Listener.
func (i *inside) Accept() (net.Conn, error) {
	select {
	case c := <-i.accepted:
		return c, nil
	case <-i.over:
		return nil, net.ErrClosed
	}
}

// Close refuses further connections.
func (i *inside) Close() error {
	i.once.Do(func() { close(i.over) })
	return nil
}

// Addr is of no use here.
func (i *inside) Addr() net.Addr { return &net.UnixAddr{Net: "memory"} }

func (i *inside) close() { _ = i.server.Close() }

// seenFrom is the service's end of a connection.
type seenFrom struct {
	net.Conn
	from net.Addr
}

func (c seenFrom) RemoteAddr() net.Addr { return c.from }

// transport calls the service for a client at an address, whatever host a request
// names. Its connections end when ctx does.
func (i *inside) transport(ctx context.Context, from net.Addr) http.RoundTripper {
	dial := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		context.AfterFunc(ctx, func() { _ = ours.Close() })
		select {
		case i.accepted <- seenFrom{theirs, from}:
			return ours, nil
		case <-i.over:
		case <-ctx.Done():
		}
		_ = ours.Close()
		return nil, net.ErrClosed
	}
	return unencrypted{&http.Transport{DialContext: dial, MaxIdleConnsPerHost: 4, DisableCompression: true}}
}

// unencrypted sends requests as they would arrive behind a proxy.
type unencrypted struct{ next http.RoundTripper }

func (u unencrypted) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "http"
	return u.next.RoundTrip(r)
}
