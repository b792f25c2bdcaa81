// Package outgoing makes all calls to other servers: linked pages, remote
// files, and other instances. Their addresses come from strangers, so it
// refuses non-public ones, after resolving the name and again for every
// redirect, and bounds time and size.
//
// Signatures and the meaning of answers are left to callers. It imports none of
// our packages.
package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrRefused is a forbidden call: to an address that is not public, by a scheme
// other than http and https, or after too many redirects.
var ErrRefused = errors.New("refused to call")

// ErrTooLarge is a body longer than its reader accepts.
var ErrTooLarge = errors.New("the answer is too large")

// The bounds of every call.
const (
	totalTimeout = 20 * time.Second
	maxRedirects = 3
	maxHeader    = 64 << 10 // bytes
	maxPause     = 1 << 20  // seconds of Retry-After
	maxPerHost   = 16       // connections
	// So many idle connections are kept for each possible concurrent call: the next
	// status goes to the same servers.
	keepEach = 4
	maxKept  = 1024
)

// Options are the options of New. The functions are called at each request.
type Options struct {
	// Agent returns the User-Agent header; "" or a nil function sends none.
	Agent func() string
	// Proxy returns the proxy of all calls: a URL of scheme http, socks5 or socks4
	// with host and port; nil is none.
	Proxy func() *url.URL
	// Bounds returns the bounds of calls; a nil function means the defaults.
	Bounds func() Bounds
	// Insecure allows every address: for tests among servers on one machine.
	Insecure bool
}

// Client calls other servers. It is safe for many goroutines.
type Client struct {
	http  http.Client
	guard *guard
}

// New returns a Client whose calls end within 20 seconds, body included.
func New(o Options) *Client {
	if o.Agent == nil {
		o.Agent = func() string { return "" }
	}
	if o.Proxy == nil {
		o.Proxy = func() *url.URL { return nil }
	}
	if o.Bounds == nil {
		o.Bounds = usual
	}
	g := &guard{agent: o.Agent, proxy: o.Proxy, bounds: o.Bounds, insecure: o.Insecure}
	g.next.Store(g.transport())
	return (&Client{guard: g, http: http.Client{CheckRedirect: redirect, Timeout: totalTimeout}}).For(Default)
}

// transport makes a set of connections.
func (g *guard) transport() *http.Transport {
	b := g.bounds()
	return &http.Transport{
		Proxy:                  func(*http.Request) (*url.URL, error) { return g.httpProxy(), nil },
		DialContext:            g.dial,
		TLSHandshakeTimeout:    b.Connect,
		MaxResponseHeaderBytes: maxHeader,
		MaxConnsPerHost:        maxPerHost,
		MaxIdleConns:           min(keepEach*b.Most, maxKept),
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        b.Idle,
		ForceAttemptHTTP2:      true,
	}
}

// Renew makes further calls use new connections with the current settings.
// Running calls end on their old ones.
func (c *Client) Renew() {
	c.guard.next.Swap(c.guard.transport()).CloseIdleConnections()
}

// Within returns a Client that shares c's connections and whose calls end
// within total, body included.
func (c *Client) Within(total time.Duration) *Client {
	in := *c
	in.http.Timeout = total
	return &in
}

// Once returns a Client that shares c's connections and follows no redirect,
// for requests signed for one address.
func (c *Client) Once() *Client {
	in := *c
	in.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &in
}

// Insecure allows every address, for tests among servers on one machine.
func (c *Client) Insecure() bool { return c.guard.insecure }

// Do sends req. The caller closes the answer's body and bounds its reading.
// Credentials and signatures do not follow redirects.
func (c *Client) Do(req *http.Request) (*http.Response, error) { return c.http.Do(req) }

// Refuses returns the error of a call to this address that needs no look-up of its
// name, nil for none.
func (c *Client) Refuses(u *url.URL) error { return c.guard.judge(u) }

// RetryAfter is the pause that an answer asks for, in seconds or until a date; 0
// is none.
func RetryAfter(resp *http.Response, now time.Time) time.Duration {
	text := resp.Header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return max(time.Duration(min(n, maxPause))*time.Second, 0)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// Get fetches address with the media types of accept.
func (c *Client) Get(ctx context.Context, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	return c.Do(req)
}

// Read returns the content of r, up to limit bytes. A longer one returns the
// first limit bytes and ErrTooLarge. Compressed bodies count uncompressed.
func Read(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return body[:limit], fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return body, nil
}

// redirect bounds redirects, and keeps them from sending data for one server to
// another, or from giving up encryption.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d redirects", ErrRefused, maxRedirects)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("%w: a redirect from https to %s", ErrRefused, req.URL.Scheme)
	}
	for _, name := range []string{"Authorization", "Cookie", "Signature", "Signature-Input", "Digest", "Content-Digest", "Referer"} {
		req.Header.Del(name)
	}
	return nil
}

// guard checks every request, redirects included, and every connection.
type guard struct {
	bounds   func() Bounds
	all      gate
	pools    [purposes]gate
	next     atomic.Pointer[http.Transport]
	agent    func() string
	proxy    func() *url.URL
	insecure bool
}

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.judge(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	// An empty header keeps net/http from adding its own.
	out := req.Clone(req.Context())
	out.Header.Set("User-Agent", g.agent())
	return g.next.Load().RoundTrip(out)
}

// CloseIdleConnections lets http.Client close them.
func (g *guard) CloseIdleConnections() { g.next.Load().CloseIdleConnections() }

// judge checks an address before its name is resolved. Behind a proxy, which
// resolves names itself, this is the only check.
func (g *guard) judge(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%w: scheme %q", ErrRefused, u.Scheme)
	}
	if u.User != nil {
		return fmt.Errorf("%w: an address with a user", ErrRefused)
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if host == "" {
		return fmt.Errorf("%w: no host", ErrRefused)
	}
	if g.insecure {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if !Public(ip) {
			return fmt.Errorf("%w: %s is not a public address", ErrRefused, ip)
		}
		return nil
	}
	// Names of this machine or network. Numeric names are addresses in a notation
	// that some resolvers accept.
	labels := strings.Split(strings.ToLower(host), ".")
	last := labels[len(labels)-1]
	if len(labels) == 1 || last == "localhost" || last == "local" || last == "internal" || last == "" || last[0] >= '0' && last[0] <= '9' {
		return fmt.Errorf("%w: %q is not a public name", ErrRefused, host)
	}
	return nil
}

// httpProxy returns the proxy that net/http uses itself.
func (g *guard) httpProxy() *url.URL {
	if p := g.proxy(); p != nil && p.Scheme != "socks4" {
		return p
	}
	return nil
}

// dial connects to a server with a public address, or to the admin's proxy.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: g.bounds().Connect, KeepAlive: 30 * time.Second}
	p := g.proxy()
	switch {
	case p != nil && p.Scheme == "socks4":
		return dialSocks4(ctx, &d, p.Host, address)
	case p != nil && p.Host == address, g.insecure:
	default:
		d.Control = control
	}
	return d.DialContext(ctx, network, address)
}

// control checks the very address of the connection, so that a name cannot
// resolve differently for the check.
func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrRefused, address)
	}
	if !Public(to.Addr()) {
		return fmt.Errorf("%w: %s is not a public address", ErrRefused, to.Addr())
	}
	return nil
}
