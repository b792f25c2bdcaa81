package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/server/servertest"
)

// TestNoRouteWaitsLongForABody holds back the last byte of a body on every route,
// as a stranger and as a user. Each answers and hangs up in time.
func TestNoRouteWaitsLongForABody(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	b := newBad(t, s)
	token := s.Token("root", servertest.AllScopes+" "+servertest.AdminScopes)
	var all sync.WaitGroup
	for _, r := range s.Routes() {
		if r.Method == http.MethodGet || r.Method == http.MethodDelete {
			continue // those read none
		}
		for _, as := range []string{"", token} {
			kind, body := "application/json", `{"a":1`
			if strings.HasSuffix(r.Path, "inbox") {
				kind = "application/activity+json"
			}
			target := b.target(r)
			all.Go(func() {
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				_ = conn.SetDeadline(time.Now().Add(time.Minute))
				_, _ = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
					r.Method, target, as, kind, len(body)+1, body)
				in := bufio.NewReader(conn)
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Errorf("%s %s: %v", r.Method, r.Path, err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if _, err := in.ReadByte(); err != io.EOF {
					t.Errorf("%s %s: %d, and the connection stays: %v", r.Method, r.Path, resp.StatusCode, err)
				}
			})
		}
	}
	all.Wait()
}
