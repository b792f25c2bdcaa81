package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
	"svc/server/rules/settings"
	"svc/server/servertest"
)

// headersOf are the headers of an answer that begin with prefix.
func headersOf(t *testing.T, s *servertest.Server, method, prefix string) map[string]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1/instance", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	out := map[string]string{}
	for name, values := range resp.Header {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out[rest] = strings.Join(values, "|")
		}
	}
	return out
}

func set(t *testing.T, s *servertest.Server, group, key string, value any) {
	t.Helper()
	if _, err := s.Admin("root").Admin.Config.Set(t.Context(), group, key, value); err != nil {
		t.Fatal(err)
	}
}

func TestSettingsSayWhatPagesOfOtherSitesMayDo(t *testing.T) {
	s := servertest.Start(t)
	usual := map[string]string{
		"Origin": "*", "Credentials": "true", "Methods": "POST, PUT, DELETE, GET, PATCH, OPTIONS",
		"Headers": "Authorization, Content-Type, Idempotency-Key",
	}
	if diff := cmp.Diff(usual, headersOf(t, s, http.MethodOptions, "Access-Control-Allow-")); diff != "" {
		t.Error(diff)
	}
	set(t, s, ":cors_plug", ":max_age", 600)
	set(t, s, ":cors_plug", ":methods", []string{"GET"})
	set(t, s, ":cors_plug", ":headers", []string{"Authorization"})
	set(t, s, ":cors_plug", ":expose", []string{"Link"})
	set(t, s, ":cors_plug", ":credentials", false)
	want := map[string]string{
		"Allow-Origin": "*", "Allow-Methods": "GET", "Allow-Headers": "Authorization", "Max-Age": "600", "Expose-Headers": "Link",
	}
	if diff := cmp.Diff(want, headersOf(t, s, http.MethodOptions, "Access-Control-")); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsSayWhetherCertificatesMustBeListed(t *testing.T) {
	s := servertest.Start(t)
	if got := headersOf(t, s, http.MethodGet, "Expect-"); len(got) > 0 {
		t.Errorf("without HTTPS: %v", got)
	}
	set(t, s, ":svc", ":http_security", client.Keyword(":sts", true, ":ct_max_age", 60))
	if diff := cmp.Diff(map[string]string{"Ct": "enforce, max-age=60"}, headersOf(t, s, http.MethodGet, "Expect-")); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsSayWhoIsCountedAsOneCaller(t *testing.T) {
	s := servertest.Start(t)
	set(t, s, ":svc", ":rate_limit", client.Keyword(":search", client.Tuple(60000, 1)))
	search := func(header, from string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v2/search?q=x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if from != "" {
			req.Header.Set(header, from)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	ask := func(want int, header, from string) {
		t.Helper()
		if got := search(header, from); got != want {
			t.Errorf("%s %q: %d, want %d", header, from, got, want)
		}
	}
	ask(200, "X-Forwarded-For", "198.51.100.1")
	ask(429, "X-Forwarded-For", "198.51.100.1")
	ask(200, "X-Forwarded-For", "198.51.100.2")
	ask(200, "Cf-Connecting-Ip", "198.51.100.1") // not told by a header that counts
	set(t, s, ":svc", "Svc.Web.Plugs.RemoteIp", client.Keyword(":headers", []string{"cf-connecting-ip"}))
	ask(429, "Cf-Connecting-Ip", "198.51.100.1")
	ask(200, "X-Forwarded-For", "198.51.100.1")
	// Networks without callers are skipped.
	ask(429, "Cf-Connecting-Ip", "198.51.100.1, 10.1.2.3")
	set(t, s, ":svc", "Svc.Web.Plugs.RemoteIp", client.Keyword(":reserved", []string{}))
	ask(200, "Cf-Connecting-Ip", "198.51.100.1, 10.1.2.3")
	ask(429, "Cf-Connecting-Ip", "198.51.100.1, 10.1.2.3")
	// Headers do not count: the address is that of the connection.
	set(t, s, ":svc", "Svc.Web.Plugs.RemoteIp", client.Keyword(":enabled", false))
	ask(200, "Cf-Connecting-Ip", "198.51.100.7")
	ask(429, "Cf-Connecting-Ip", "198.51.100.8")
}

// sheet is a log that a test reads while it grows.
type sheet struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sheet) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

// take returns the lines logged since the last call.
func (s *sheet) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.buf.Reset()
	return s.buf.String()
}

func TestSettingsSayHowMuchIsLogged(t *testing.T) {
	dsn := dbtest.Ready(t)
	cfg := config.Defaults()
	cfg.BaseURL, cfg.Database, cfg.DataDir = "http://svc.example", dsn, t.TempDir()
	cfg.FromDatabase = true
	log := &sheet{}
	srv, err := server.New(t.Context(), cfg, dbtest.Open(t, dsn), server.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	logged := func() bool {
		log.take()
		srv.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/instance", nil))
		return strings.Contains(log.take(), "msg=request")
	}
	say := func(level string) {
		t.Helper()
		value := client.Keyword(":level", level)
		if _, err := srv.Saved.Update(t.Context(), &db.Account{IsAdmin: true}, []settings.Change{{Group: ":logger", Key: ":console", Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	if !logged() {
		t.Error("at info no request is logged")
	}
	say(":warn")
	if logged() {
		t.Error("at warn a request is logged")
	}
	say(":debug")
	if !logged() {
		t.Error("at debug no request is logged")
	}
}

func TestSettingsSayWhoSeesNumbersAboutTheService(t *testing.T) {
	s := servertest.Start(t)
	get := func(path, user, password, from string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if user != "" {
			req.SetBasicAuth(user, password)
		}
		req.Header.Set("X-Forwarded-For", from)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	want := func(status int, path, user, password, from string) {
		t.Helper()
		got, body := get(path, user, password, from)
		if got != status || (got == 200) != strings.Contains(body, "svc_http_requests_total{") {
			t.Errorf("%s as %q from %s: %d", path, user, from, got)
		}
	}
	const usual, anywhere, here = "/api/svc/app_metrics", "203.0.113.9", "198.51.100.7"
	want(404, usual, "", "", anywhere)
	exporter := func(pairs ...any) {
		t.Helper()
		set(t, s, ":prometheus", "Svc.Web.Endpoint.MetricsExporter", client.Keyword(pairs...))
	}
	exporter(":enabled", true)
	want(200, usual, "", "", anywhere)
	if _, body := get(usual, "", "", anywhere); !strings.Contains(body, `svc_http_requests_total{method="POST",route="/api/svc/admin/config",status="200"} 1`) {
		t.Errorf("the change was not counted: %s", body)
	}
	exporter(":path", "/numbers", ":ip_whitelist", []string{"198.51.100.0/24"})
	want(404, usual, "", "", here)
	want(403, "/numbers", "", "", anywhere)
	want(200, "/numbers", "", "", here)
	exporter(":auth", client.Tuple(":basic", "prom", "s3cret"))
	want(401, "/numbers", "", "", here)
	want(401, "/numbers", "prom", "guess", here)
	want(200, "/numbers", "prom", "s3cret", here)
	exporter(":enabled", false)
	want(404, "/numbers", "prom", "s3cret", here)
}

func TestSettingsBoundCallsToOtherServers(t *testing.T) {
	s := servertest.Start(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(other.Close)
	call := func(c *outgoing.Client, path string) (end func(), err error) {
		resp, err := c.Get(t.Context(), other.URL+path, "")
		if err != nil {
			return nil, err
		}
		return func() { _ = resp.Body.Close() }, nil
	}
	try := func(c *outgoing.Client) error {
		end, err := call(c, "/")
		if err == nil {
			end()
		}
		return err
	}
	set(t, s, ":svc", ":pools", client.Keyword(":default", client.Keyword(":size", 1, ":max_waiting", 0)))
	end, err := call(s.Outgoing, "/endless")
	if err != nil {
		t.Fatal(err)
	}
	if err := try(s.Outgoing); !errors.Is(err, outgoing.ErrBusy) {
		t.Errorf("a second call: %v", err)
	}
	if err := try(s.Outgoing.For(outgoing.Media)); err != nil {
		t.Errorf("a call for files: %v", err)
	}
	set(t, s, ":svc", ":pools", client.Keyword(":default", client.Keyword(":size", 2)))
	if err := try(s.Outgoing); err != nil {
		t.Errorf("with room for two: %v", err)
	}
	end()
	set(t, s, ":svc", ":pools", client.Keyword(":federation", client.Keyword(":size", 1, ":max_waiting", 0)))
	federation := s.Outgoing.For(outgoing.Federation)
	if end, err = call(federation, "/endless"); err != nil {
		t.Fatal(err)
	}
	if err := try(federation); !errors.Is(err, outgoing.ErrBusy) {
		t.Errorf("a second call for federation: %v", err)
	}
	end()
	set(t, s, ":svc", ":pools", client.Keyword(":default", client.Keyword(":recv_timeout", 20)))
	resp, err := s.Outgoing.Get(t.Context(), other.URL+"/endless", "")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if !errors.Is(err, outgoing.ErrSlow) {
		t.Errorf("a server that says nothing: %v", err)
	}
	set(t, s, ":svc", ":connections_pool", client.Keyword(":max_connections", 1))
	end, err = call(s.Outgoing.For(outgoing.Media), "/endless")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Outgoing.Get(ctx, other.URL+"/", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more than all: %v", err)
	}
	end()
	if err := try(s.Outgoing); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// atOnce posts links to two pages on a service with n jobs for pages, and
// returns the largest number of concurrent fetches.
func atOnce(t *testing.T, n int) int {
	t.Helper()
	var mu sync.Mutex
	under, most, all := 0, 0, 0
	both, done := make(chan struct{}), make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		under++
		if most = max(most, under); most == 2 {
			close(both)
		}
		mu.Unlock()
		wait := 300 * time.Millisecond // for one that must not come
		if n > 1 {
			wait = 20 * time.Second
		}
		select {
		case <-both:
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		mu.Lock()
		defer mu.Unlock()
		under--
		if all++; all == 2 {
			close(done)
		}
	}))
	t.Cleanup(other.Close)
	dsn := dbtest.Ready(t)
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := settings.Open(t.Context(), dbtest.Open(t, dsn), live, settings.Options{FromDatabase: true})
	if err != nil {
		t.Fatal(err)
	}
	value := client.Keyword(":queues", client.Keyword(":remote_fetcher", n))
	if _, err := saved.Update(t.Context(), &db.Account{IsAdmin: true}, []settings.Change{{Group: ":svc", Key: "Oban", Value: value}}); err != nil {
		t.Fatal(err)
	}
	s := servertest.On(t, dsn)
	ann := s.Client("ann")
	for _, page := range []string{"/a", "/b"} {
		if _, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: "look " + other.URL + page}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("the pages are not asked for")
	}
	mu.Lock()
	defer mu.Unlock()
	return most
}

func TestSettingsSayHowManyJobsRunAtOnce(t *testing.T) {
	for _, n := range []int{1, 2} {
		if got := atOnce(t, n); got != n {
			t.Errorf("with %d jobs at once, %d ran", n, got)
		}
	}
}
