package outgoing

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyAddressesForEverybodyArePublic(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false,
		"127.0.0.1": false, "127.255.0.1": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false,
		"198.19.255.255": false, "198.51.100.7": false, "203.0.113.9": false, "224.0.0.1": false, "239.255.255.255": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:a9fe:a9fe": false,
		"::127.0.0.1": false, "64:ff9b::7f00:1": false, "100::1": false, "fc00::1": false, "fd00:ec2::254": false,
		"fe80::1": false, "fe80::1%eth0": false, "ff02::1": false, "2001::1": false, "2001:db8::1": false,
		"2002:7f00:1::1": false, "3fff::1": false, "2606:4700::1%eth0": false,
		"1.1.1.1": true, "8.8.8.8": true, "100.63.255.255": true, "100.128.0.1": true, "172.32.0.1": true,
		"192.0.1.1": true, "198.20.0.1": true, "223.255.255.255": true, "::ffff:8.8.8.8": true,
		"2606:4700:4700::1111": true, "2a00:1450::1": true, "2001:4860:4860::8888": true,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %v", text, got)
		}
	}
}

func TestForbiddenAddressesAreRefusedBeforeResolving(t *testing.T) {
	c := New(Options{})
	for _, address := range []string{
		"http://127.0.0.1/", "http://localhost/", "http://LOCALHOST:8080/", "http://a.localhost./", "http://printer.local/",
		"http://metadata.google.internal/", "http://intranet/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://169.254.169.254/latest/meta-data", "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://127.1/", "http://0/",
		"ftp://svc.example/", "file:///etc/passwd", "gopher://svc.example/", "http://user:pw@svc.example/", "http:///path",
	} {
		resp, err := c.Get(t.Context(), address, "")
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A name may resolve to anything: the address connected to decides.
func TestANameThatLeadsHomeIsRefusedAsItIsConnectedTo(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	g := &guard{bounds: usual, proxy: func() *url.URL { return nil }}
	conn, err := g.dial(t.Context(), "tcp", srv.Listener.Addr().String())
	if err == nil {
		_ = conn.Close()
	}
	if !errors.Is(err, ErrRefused) {
		t.Fatalf("dialled loopback: %v", err)
	}
	g.insecure = true
	if conn, err = g.dial(t.Context(), "tcp", srv.Listener.Addr().String()); err != nil {
		t.Fatalf("insecure: %v", err)
	}
	_ = conn.Close()
}

// insecure is a Client for test servers on this machine.
func insecure(agent string) *Client {
	return New(Options{Insecure: true, Agent: func() string { return agent }})
}

func TestRedirectsAreFewAndCarryNoCredentials(t *testing.T) {
	var last http.Header
	mux := http.NewServeMux()
	hop := func(from, to string) {
		mux.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	hop("/4", "/3")
	hop("/3", "/2")
	hop("/2", "/1")
	hop("/1", "/end")
	hop("/ftp", "ftp://svc.example/")
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		last = r.Header.Clone()
		_, _ = io.WriteString(w, "end")
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	call := func(path string) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer secret")
		req.Header.Set("Signature", "secret")
		req.Header.Set("Accept", "text/plain")
		resp, err := insecure("test 1").Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := Read(resp.Body, 100)
		return string(body), err
	}
	if got, err := call("/3"); err != nil || got != "end" {
		t.Fatalf("three redirects: %q, %v", got, err)
	}
	want := http.Header{"Accept": {"text/plain"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"test 1"}}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("headers after redirects: %s", diff)
	}
	for _, path := range []string{"/4", "/ftp"} {
		if _, err := call(path); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got, err := call("/end"); err != nil || got != "end" || last.Get("Authorization") == "" {
		t.Errorf("without a redirect: %q, %v, %v", got, err, last)
	}
}

func TestARedirectDoesNotGiveUpEncryption(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	srv := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer srv.Close()
	c := insecure("")
	c.guard.next.Load().TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig
	resp, err := c.Get(t.Context(), srv.URL, "")
	if err == nil {
		_ = resp.Body.Close()
	}
	if !errors.Is(err, ErrRefused) {
		t.Fatal(err)
	}
}

func TestReadTakesNoMoreThanItsLimitOfAnUnpackedBody(t *testing.T) {
	for _, c := range []struct {
		body  string
		limit int64
		want  string
		err   error
	}{{"", 3, "", nil}, {"abc", 3, "abc", nil}, {"abcd", 3, "abc", ErrTooLarge}} {
		got, err := Read(strings.NewReader(c.body), c.limit)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q up to %d: %q, %v", c.body, c.limit, got, err)
		}
	}
}

func TestACallEndsInTimeHoweverSlowTheBody(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	resp, err := insecure("").Within(50*time.Millisecond).Get(t.Context(), srv.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := Read(resp.Body, 10); err == nil || !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "Timeout") {
		t.Fatalf("read an endless body: %v", err)
	}
}

func TestNoAgentIsNamedWhereNoneIsSet(t *testing.T) {
	got := make(chan []string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header["User-Agent"] }))
	defer srv.Close()
	resp, err := insecure("").Get(t.Context(), srv.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if agent := <-got; len(agent) > 0 {
		t.Errorf("agent %q", agent)
	}
}

// A proxy stands on this machine or network more often than not, and is called
// all the same; the server behind it is still judged by its name.
func TestCallsGoThroughTheProxyOfTheSettings(t *testing.T) {
	for _, scheme := range []string{"http", "socks4"} {
		asked := make(chan string, 2)
		proxy := &url.URL{Scheme: scheme, Host: listen(t, scheme, asked)}
		c := New(Options{Proxy: func() *url.URL { return proxy }})
		resp, err := c.Get(t.Context(), "http://svc.example/page", "")
		if err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
		body, err := Read(resp.Body, 100)
		_ = resp.Body.Close()
		if err != nil || string(body) != "through" {
			t.Errorf("%s: %q, %v", scheme, body, err)
		}
		if to := <-asked; to != "svc.example" && to != "svc.example:80" {
			t.Errorf("%s was asked for %q", scheme, to)
		}
		if _, err := c.Get(t.Context(), "http://127.0.0.1:1/", ""); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: loopback behind the proxy: %v", scheme, err)
		}
	}
}

// listen is a proxy that sends every address it is asked for, and answers itself.
func listen(t *testing.T, scheme string, asked chan<- string) string {
	t.Helper()
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nthrough"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		in := bufio.NewReader(conn)
		if scheme == "socks4" {
			var head [9]byte
			if _, err := io.ReadFull(in, head[:]); err != nil || head != [9]byte{4, 1, 0, 80, 0, 0, 0, 1, 0} {
				return
			}
			host, err := in.ReadString(0)
			if err != nil {
				return
			}
			asked <- strings.TrimSuffix(host, "\x00")
			_, _ = conn.Write([]byte{0, 90, 0, 0, 0, 0, 0, 0})
		}
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if scheme == "http" {
			asked <- req.Host
		}
		_, _ = io.WriteString(conn, answer)
	}()
	return l.Addr().String()
}
