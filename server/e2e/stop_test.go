package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// halfRequest is a request that the server has begun to answer, and of which
// the body's last byte is still to come.
type halfRequest struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	last string
}

func (p *process) beginRequest(t *testing.T, method, path, token, body string) *halfRequest {
	t.Helper()
	conn, err := net.Dial("unix", p.socket)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", method, path, token, len(body))
	must(t, err)
	r := bufio.NewReader(conn)
	for range 2 { // 100 Continue, and an empty line
		_, err := r.ReadString('\n')
		must(t, err)
	}
	_, err = io.WriteString(conn, body[:len(body)-1])
	must(t, err)
	return &halfRequest{t, conn, r, body[len(body)-1:]}
}

// end sends the rest and returns the answer.
func (h *halfRequest) end() (int, string) {
	h.t.Helper()
	_, err := io.WriteString(h.conn, h.last)
	must(h.t, err)
	resp, err := http.ReadResponse(h.r, nil)
	must(h.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(h.t, err)
	return resp.StatusCode, string(raw)
}

// stopping waits until svcd says that it stops.
func (p *process) stopping(t *testing.T) {
	t.Helper()
	hc := p.http()
	defer hc.CloseIdleConnections()
	eventually(t, 5*time.Second, "/readyz tells that the server stops", func() bool {
		resp, err := hc.Get(base + "/readyz")
		must(t, err)
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp.StatusCode == http.StatusServiceUnavailable && string(raw) == `{"status":"draining"}`
	})
}

// TestStopLetsRequestsEnd tells svcd to stop while requests are under way.
func TestStopLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			p := newProcess(t, shortDir(t), postgresOnly(dsn)).start()
			nickname := "alice" + strings.ToLower(signal.String()[:3])
			p.user(nickname)
			token := p.logIn(nickname)
			post := p.beginRequest(t, http.MethodPost, "/api/v1/statuses", token, `{"status":"begun before the end"}`)
			p.signal(signal)
			p.stopping(t)
			_, err := p.client(token).Timelines.Home(api.TimelineQuery{}).Page(t.Context())
			if client.Status(err) != http.StatusServiceUnavailable {
				t.Errorf("%s: a new request: %v", signal, err)
			}
			status, body := post.end()
			if status != http.StatusOK || !strings.Contains(body, "begun before the end") {
				t.Errorf("%s: %d %s", signal, status, body)
			}
			if code := p.wait(10 * time.Second); code != 0 {
				t.Errorf("%s: exit code %d", signal, code)
			}
			p.start()
			me, err := p.client(token).Accounts.Verify(t.Context())
			must(t, err)
			posts, err := p.client(token).Accounts.Statuses(me.ID, api.AccountStatusQuery{}).Page(t.Context())
			if err != nil || len(posts.Items) != 1 {
				t.Errorf("%s: %d posts are there, %v", signal, len(posts.Items), err)
			}
			p.signal(signal)
			if code := p.wait(10 * time.Second); code != 0 {
				t.Errorf("%s with nothing to do: exit code %d", signal, code)
			}
		}
	})
}

// TestASecondSignalStopsAtOnce does not wait for a request under way.
func TestASecondSignalStopsAtOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, shortDir(t), "")
	p.user("alice")
	p.start()
	token := p.logIn("alice")
	p.beginRequest(t, http.MethodPost, "/api/v1/statuses", token, `{"status":"never ends"}`)
	p.signal(syscall.SIGTERM)
	p.stopping(t)
	p.signal(syscall.SIGTERM)
	if code := p.wait(2 * time.Second); code != 1 {
		t.Errorf("exit code %d", code)
	}
	p.start()
	me, err := p.client(token).Accounts.Verify(t.Context())
	must(t, err)
	if me.StatusesCount != 0 {
		t.Errorf("%d posts of half a request", me.StatusesCount)
	}
}

// TestTheAddressIsNotTakenTwice keeps a second svcd from taking over the socket
// of one that serves.
func TestTheAddressIsNotTakenTwice(t *testing.T) {
	t.Parallel()
	p := newProcess(t, shortDir(t), "").start()
	other := newProcess(t, shortDir(t), "")
	other.socket = p.socket
	other.launch()
	if code := other.wait(10 * time.Second); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if said := other.stderr.String(); !strings.Contains(said, "another process serves there") {
		t.Errorf("it says %s", said)
	}
	if resp, err := p.http().Get(base + "/readyz"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the first one does not serve any more: %v", err)
	}
}
