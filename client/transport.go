package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
)

func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}

// guarded asks guard before each request. It sits below redirects, so that
// none of them gets around it.
type guarded struct {
	guard func(*http.Request) error
	next  http.RoundTripper
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.guard(r); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return g.next.RoundTrip(r)
}

// CloseIdleConnections hands the call on, which http.Client looks for.
func (g guarded) CloseIdleConnections() {
	if closer, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// RefusedError says that a request was not sent because it would have changed
// something. Path includes the query; secrets in Body are masked.
type RefusedError struct {
	Method string
	Path   string
	Body   []byte
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s: not sent, since only reading is allowed", e.Method, e.Path)
}

// ReadOnly is a guard that lets only requests pass that change nothing.
func ReadOnly(r *http.Request) error {
	if !changes(r) {
		return nil
	}
	shown, err := newPreview(r)
	refused := &RefusedError{Method: shown.Method, Path: shown.Path, Body: shown.Body}
	if err != nil {
		return errors.Join(refused, err)
	}
	return refused
}

// hasEffect reports whether a GET of p changes something. Servers forgive
// doubled and trailing slashes and case may be folded on the way, so p is
// brought to one form first.
func hasEffect(p string) bool {
	parts := strings.Split(strings.ToLower(strings.TrimPrefix(path.Clean("/"+p), "/")), "/")
	last := parts[len(parts)-1]
	within := func(name string, up int) bool {
		i := len(parts) - 1 - up
		return i >= 0 && parts[i] == name
	}
	switch {
	case last == "restart":
		return true
	case last == "password_reset" && within("users", 2):
		return true
	case within("confirm_email", 2):
		return true
	case within("mfa", 1) && last == "backup_codes", within("mfa", 2) && within("setup", 1):
		return true
	}
	return false
}

// checkRedirect follows reads anywhere, but takes the token along only within
// the server. A write is followed only where it stays the same write on the
// same server: a redirect must not turn it into a read, nor carry a password
// elsewhere.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("redirected 10 times")
	}
	if req.URL.Scheme == "http" && !c.options.insecureHTTP && !loopback(req.URL.Hostname()) {
		return fmt.Errorf("redirected to plain http on %s", req.URL.Host)
	}
	first := via[0].Method
	away := !c.sameOrigin(req.URL)
	if first != http.MethodGet && first != http.MethodHead && (away || req.Method != first) {
		return http.ErrUseLastResponse
	}
	for _, hop := range via {
		away = away || !c.sameOrigin(hop.URL)
	}
	if away {
		req.Header.Del("Authorization")
		req.Header.Del("Cookie")
	}
	return nil
}

func (c *Client) sameOrigin(u *url.URL) bool {
	return strings.EqualFold(u.Scheme, c.base.Scheme) && strings.EqualFold(hostPort(u), hostPort(c.base))
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return u.Hostname() + ":" + port
}

// readBody reads an answer to its end, up to maxBody.
func readBody(r io.Reader) ([]byte, error) {
	var buf bytes.Buffer
	n, err := buf.ReadFrom(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, err
	}
	if n > maxBody {
		return nil, errTooLarge
	}
	return buf.Bytes(), nil
}
