package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/proxies"
)

// publicBase is the base URL in the files for proxies.
const publicBase = "https://social.example"

// silence is how long streams carry no post: longer than what a proxy with its own
// settings bears, were there no comments and pings in between.
const silence = 65 * time.Second

// TestTheFilesForProxiesWork runs each proxy with the file in docs/deploy/proxies, of
// which only ports and paths are changed.
func TestTheFilesForProxiesWork(t *testing.T) {
	t.Parallel()
	for name, file := range proxies.Files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil {
				without(t, name, err)
			}
			text, err := os.ReadFile(filepath.Join("../../docs/deploy/proxies", file))
			must(t, err)
			s := newSite(t)
			s.run(program, good(s.Prepare(name, string(text)))(t)...)
			s.check()
		})
	}
}

// site is svcd with a proxy before it.
type site struct {
	proxies.Site
	t   *testing.T
	log *tail
}

func newSite(t *testing.T) *site {
	s := &site{t: t, Site: proxies.Site{Dir: shortDir(t), Front: free(t), Plain: free(t), Back: free(t)}, log: &tail{}}
	p := newProcess(t, shortDir(t), "")
	p.env = append(p.env, "SVC_BASE_URL="+publicBase, "SVC_TRUSTED_PROXIES=127.0.0.1", "SVC_ACCESS_LOG=address", "SVC_LOG=info")
	p.user("alice")
	cmd := p.command("serve", "--listen", s.Back)
	cmd.Stderr = s.log
	s.start(cmd)
	eventually(t, 30*time.Second, "svcd serves", func() bool { return s.open(s.Back) })
	return s
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	return l.Addr().String()
}

func (s *site) open(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// start starts a program that is ended with the test.
func (s *site) start(cmd *exec.Cmd) {
	s.t.Helper()
	must(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
}

// run starts the proxy.
func (s *site) run(program string, args ...string) {
	s.t.Helper()
	var said tail
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = append(os.Environ(), "HOME="+s.Dir, "XDG_DATA_HOME="+s.Dir, "XDG_CONFIG_HOME="+s.Dir)
	s.start(cmd)
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("last words of %s:\n%s", program, said.String())
		}
	})
	eventually(s.t, 30*time.Second, program+" serves", func() bool { return s.open(s.Front) })
}

// visitor is the address that requests come from, and forged is one that they claim to
// come from.
const (
	visitor = "127.0.0.2"
	forged  = "203.0.113.9"
)

// http is a client of somebody who is not on the machine of the proxy.
func (s *site) http() *http.Client {
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(visitor)}}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it is our own certificate
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return from.DialContext(ctx, network, s.Front)
		},
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: claims{transport}}
}

// claims adds what a client may write to hide its address.
type claims struct{ next http.RoundTripper }

func (c claims) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", forged)
	return c.next.RoundTrip(r)
}

func (s *site) check() {
	t, ctx := s.t, s.t.Context()
	hc := s.http()
	eventually(t, 30*time.Second, "the proxy finds svcd", func() bool {
		resp, err := hc.Get(publicBase + "/readyz")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	app := postForm(t, hc, publicBase+"/api/v1/apps", url.Values{"client_name": {"x"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {"read write"}})
	token := postForm(t, hc, publicBase+"/oauth/token", url.Values{
		"grant_type": {"password"}, "client_id": {app["client_id"].(string)}, "client_secret": {app["client_secret"].(string)},
		"username": {"alice"}, "password": {password}, "scope": {"read write"},
	})["access_token"].(string)
	c, err := client.New(publicBase, client.WithToken(token), client.WithRetries(0), client.WithHTTPClient(hc))
	must(t, err)

	events := s.listen(ctx, token)
	conn, _, err := websocket.Dial(ctx, "wss://social.example/api/v1/streaming?stream=user", &websocket.DialOptions{
		HTTPClient: hc, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	must(t, err)
	defer func() { _ = conn.CloseNow() }()
	messages := make(chan string, 64)
	go func() {
		defer close(messages)
		for {
			_, text, err := conn.Read(ctx)
			if err != nil {
				return
			}
			messages <- string(text)
		}
	}()
	post := func(text string, media ...string) {
		t.Helper()
		_, err := c.Statuses.Post(ctx, api.NewStatus{Status: text, MediaIDs: media})
		must(t, err)
		for name, stream := range map[string]<-chan string{"Server-Sent Events": events, "the WebSocket": messages} {
			hears(t, name, stream, text)
		}
	}
	post("a first post")

	large := servertest.Picture5MB(t)
	file, err := c.Media.Upload(ctx, client.File{Name: "noise.png", Content: bytes.NewReader(large)}, api.MediaForm{})
	must(t, err)
	post("a post with a large picture", file.ID)
	var refused *client.Error
	_, err = c.Media.Upload(ctx, client.File{Name: "x.bin", Content: bytes.NewReader(make([]byte, 30<<20))}, api.MediaForm{})
	// Refused by the proxy, by svcd, or by an end of the connection while it is sent.
	if err == nil || errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError {
		t.Errorf("30 MB: %v", err)
	}

	select {
	case <-time.After(silence):
	case <-ctx.Done():
	}
	post("a post after a silence")

	log := s.log.String()
	if !strings.Contains(log, visitor) || strings.Contains(log, forged) {
		t.Errorf("the access log has not the address %s of the visitor alone:\n%s", visitor, log)
	}
}

// hears waits for a text in a stream.
func hears(t *testing.T, name string, stream <-chan string, text string) {
	t.Helper()
	for end := time.After(30 * time.Second); ; {
		select {
		case said, open := <-stream:
			if !open {
				t.Fatalf("%s ended before %q", name, text)
			}
			if strings.Contains(said, text) {
				return
			}
		case <-end:
			t.Fatalf("%s: %q is not heard", name, text)
		}
	}
}

// listen opens a stream of Server-Sent Events. It ends where its connection does.
func (s *site) listen(ctx context.Context, token string) <-chan string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, publicBase+"/api/v1/streaming/user", nil)
	must(s.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := s.http().Do(req)
	must(s.t, err)
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("the stream is answered with %s", resp.Status)
	}
	heard := make(chan string, 64)
	go func() {
		defer close(heard)
		defer func() { _ = resp.Body.Close() }()
		part := make([]byte, 64<<10)
		for {
			n, err := resp.Body.Read(part)
			if n > 0 {
				heard <- string(part[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return heard
}
