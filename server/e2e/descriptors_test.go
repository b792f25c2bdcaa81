package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// line is a connection of its own to a server, which stays open.
type line struct {
	conn net.Conn
	r    *bufio.Reader
}

// openLine connects and asks once, so that the server has taken the connection;
// nil where it does not.
func (p *process) openLine(t *testing.T) *line {
	t.Helper()
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		return nil
	}
	l := &line{conn, bufio.NewReader(conn)}
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err = l.ask(http.MethodGet, "/robots.txt", "", "", nil); err != nil {
		_ = conn.Close()
		return nil
	}
	t.Cleanup(func() { _ = conn.Close() })
	return l
}

// ask sends a request over the line and returns the answer.
func (l *line) ask(method, path, token, kind string, body []byte) (*http.Response, error) {
	header := ""
	if token != "" {
		header = "Authorization: Bearer " + token + "\r\n"
	}
	if kind != "" {
		header += fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", kind, len(body))
	}
	if _, err := fmt.Fprintf(l.conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n%s", method, path, header, body); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(l.r, nil)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, err
}

// TestFewDescriptorsAre503: strangers use up the server's descriptors for
// connections. Requests on open connections are answered, with 503 if a
// descriptor is missing. Nothing is lost, and nothing counts as not found.
func TestFewDescriptorsAre503(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.descriptors = 64
		must(t, os.MkdirAll(filepath.Join(p.dir, "static", "emoji"), 0o700))
		must(t, os.WriteFile(filepath.Join(p.dir, "static", "emoji", "x.png"), []byte("\x89PNG\r\n\x1a\n"), 0o600))
		p.user("alice")
		p.start()
		token := p.logIn("alice")
		up, err := p.client(token).Media.Upload(t.Context(), client.File{Name: "x.txt", Content: strings.NewReader("a file")}, api.MediaForm{})
		must(t, err)
		file := strings.TrimPrefix(up.URL, base)

		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", "y.txt")
		must(t, err)
		_, err = part.Write([]byte("another file"))
		must(t, err)
		must(t, w.Close())

		mine := p.openLine(t)
		var others []*line
		for l := p.openLine(t); l != nil; l = p.openLine(t) {
			others = append(others, l)
		}
		if len(others) < 10 || len(others) >= p.descriptors {
			t.Fatalf("%d lines are open", len(others))
		}
		seen := map[int]int{}
		ask := func(method, path, kind string, body []byte) {
			t.Helper()
			must(t, mine.conn.SetDeadline(time.Now().Add(30*time.Second)))
			resp, err := mine.ask(method, path, token, kind, body)
			must(t, err)
			seen[resp.StatusCode]++
			switch {
			case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
			case resp.StatusCode == http.StatusOK:
			default:
				raw, _ := io.ReadAll(resp.Body)
				t.Errorf("%s %s: %d, Retry-After %q, %.200s", method, path, resp.StatusCode, resp.Header.Get("Retry-After"), raw)
			}
		}
		for range 3 {
			ask(http.MethodGet, file, "", nil)
			ask(http.MethodGet, "/emoji/x.png", "", nil)
			ask(http.MethodPost, "/api/v1/media", w.FormDataContentType(), form.Bytes())
			ask(http.MethodPost, "/api/v1/statuses", "application/json", []byte(`{"status":"with few descriptors"}`))
			ask(http.MethodGet, "/api/v1/timelines/home", "", nil)
			ask(http.MethodGet, "/instance/panel.html", "", nil)
		}
		// Several at once want more connections to the database than there are.
		var wait sync.WaitGroup
		for _, l := range others[:8] {
			wait.Go(func() {
				for range 10 {
					_ = l.conn.SetDeadline(time.Now().Add(30 * time.Second))
					resp, err := l.ask(http.MethodGet, "/api/v1/timelines/home", token, "", nil)
					if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
						t.Errorf("one of several: %v, %v", resp, err)
						return
					}
				}
			})
		}
		wait.Wait()
		if seen[http.StatusServiceUnavailable] == 0 {
			t.Error("no descriptor was missing")
		}
		for _, l := range others {
			must(t, l.conn.Close())
		}
		for _, path := range []string{file, "/emoji/x.png", "/api/v1/timelines/home"} {
			eventually(t, 20*time.Second, path+" is there again", func() bool {
				resp, err := mine.ask(http.MethodGet, path, token, "", nil)
				return err == nil && resp.StatusCode == http.StatusOK
			})
		}
	})
}
