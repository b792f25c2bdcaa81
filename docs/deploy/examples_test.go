package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/docs/manual"
	"svc/server/servertest/proxies"
)

// block is the part of a page in a language that begins with these words.
func block(t *testing.T, page, language, begins string) string {
	t.Helper()
	for _, b := range (manual.Page{Text: read(t, "../"+page)}).Blocks() {
		if b.Language == language && strings.HasPrefix(strings.TrimSpace(b.Text), begins) {
			return b.Text
		}
	}
	t.Fatalf("docs/%s has no block for %s that begins with %q", page, language, begins)
	return ""
}

// TestTheChangesToFilesForProxiesWork makes the changes of docs/upgrading.md and
// docs/streaming.md to the files, and has each proxy find the one of two processes that
// is ready.
func TestTheChangesToFilesForProxiesWork(t *testing.T) {
	instead := func(text, pattern, by string) string {
		t.Helper()
		found := regexp.MustCompile(pattern)
		if len(found.FindAllString(text, -1)) != 1 {
			t.Fatalf("%q is not in the file once", pattern)
		}
		return found.ReplaceAllLiteralString(text, by)
	}
	nginx := instead(read(t, "proxies/nginx.conf"), `(?ms)^upstream svc \{.*?^\}\n`, block(t, "upgrading.md", "nginx", "upstream svc {"))
	nginx = instead(nginx, `(?m)^\t\tproxy_pass http://svc;\n`, "\t\tproxy_pass http://svc;\n"+block(t, "upgrading.md", "nginx", "proxy_next_upstream"))
	streams := instead(read(t, "proxies/nginx.conf"), `\tlocation / \{\n\t\tproxy_pass`, block(t, "streaming.md", "nginx", "location /api/v1/streaming")+"\tlocation / {\n\t\tproxy_pass")
	for _, c := range []struct{ name, program, text string }{
		{"nginx", "nginx", nginx},
		{"haproxy", "haproxy", read(t, "proxies/haproxy.cfg") + block(t, "upgrading.md", "haproxy", "server other")},
		{"caddy", "caddy", instead(read(t, "proxies/Caddyfile"), `(?ms)^\treverse_proxy .*?^\t\}\n`, block(t, "upgrading.md", "caddy", "reverse_proxy"))},
		{"streams of nginx", "nginx", streams},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := missing(t, c.program)
			stopping := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
			defer stopping.Close()
			ready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Host != proxies.Name && r.URL.Path != "/readyz" || r.URL.Path == "/api/v1/streaming" && r.Header.Get("X-Forwarded-For") != "127.0.0.1" {
					w.WriteHeader(http.StatusTeapot)
				}
			}))
			defer ready.Close()
			back, other := strings.TrimPrefix(stopping.URL, "http://"), strings.TrimPrefix(ready.URL, "http://")
			if c.text == streams {
				back = other
			}
			site := proxies.Site{Dir: t.TempDir(), Front: free(t), Plain: free(t), Back: back}
			args, err := site.Prepare(c.program, strings.ReplaceAll(c.text, "127.0.0.1:8081", other))
			must(t, err)
			var said bytes.Buffer
			cmd := exec.Command(program, args...)
			cmd.Env = append(os.Environ(), "HOME="+site.Dir, "XDG_DATA_HOME="+site.Dir, "XDG_CONFIG_HOME="+site.Dir)
			cmd.Stdout, cmd.Stderr = &said, &said
			must(t, cmd.Start())
			defer func() {
				_ = cmd.Process.Signal(os.Interrupt)
				_ = cmd.Wait()
				if t.Failed() {
					t.Logf("%s said\n%s\nof\n%s", program, &said, c.text)
				}
			}()
			transport := &http.Transport{
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it is our own certificate
				DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, site.Front)
				},
			}
			defer transport.CloseIdleConnections()
			get := func(path string) int {
				resp, err := (&http.Client{Transport: transport, Timeout: 30 * time.Second}).Get("https://" + proxies.Name + path)
				if err != nil {
					return 0
				}
				must(t, resp.Body.Close())
				return resp.StatusCode
			}
			end := time.Now().Add(30 * time.Second)
			for get("/readyz") != http.StatusOK && time.Now().Before(end) {
				time.Sleep(20 * time.Millisecond)
			}
			for range 10 {
				if status := get("/api/v1/streaming"); status != http.StatusOK {
					t.Fatalf("the answer is %d", status)
				}
			}
		})
	}
}
