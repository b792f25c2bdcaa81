package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// TestARequestIsALineOfTheLog requests a page with a token and without, and a
// file, and reads the line of each.
func TestARequestIsALineOfTheLog(t *testing.T) {
	file := strings.Repeat("x", 100_000)
	for access, tt := range map[string]struct{ has, not []string }{
		config.AccessOn:      {has: []string{"level=INFO", "msg=request"}, not: []string{"address="}},
		config.AccessAddress: {has: []string{"address=127.0.0.1"}},
		config.AccessOff:     {not: []string{"msg=request"}},
	} {
		t.Run(access, func(t *testing.T) {
			var lines bytes.Buffer
			engine := gin.New()
			engine.Use(Front(slog.New(slog.NewTextHandler(&lines, nil)), time.Now, NewRemote(nil, nil, slog.New(slog.DiscardHandler)), access))
			engine.GET("/nobody", Handle(ClientAPI, func(c *gin.Context) error { return OK(c, "hello") }))
			engine.GET("/ann", Handle(ClientAPI, func(c *gin.Context) error {
				c.Set(callerKey, &auth.Identity{Account: &db.Account{ID: "9ann"}})
				return OK(c, "hello")
			}))
			engine.GET("/file", Handle(ClientAPI, func(c *gin.Context) error {
				return SendFile(c, strings.NewReader(file), Sent{Type: "text/plain", ETag: "1"})
			}))
			for path, own := range map[string][]string{
				"/nobody": {"bytes=7"},
				"/ann":    {"bytes=7", "account_id=9ann"},
				"/file":   {"bytes=100000"},
			} {
				lines.Reset()
				func() {
					// Closed before the log is read: then the request has ended.
					s := httptest.NewServer(engine)
					defer s.Close()
					req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
					if err != nil {
						t.Fatal(err)
					}
					resp, err := http.DefaultClient.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}()
				if access != config.AccessOff {
					for _, want := range append(own, tt.has...) {
						if !strings.Contains(lines.String(), want) {
							t.Errorf("the line of %s lacks %s: %s", path, want, lines.String())
						}
					}
				}
				not := tt.not
				if path != "/ann" {
					not = append([]string{"account_id="}, not...)
				}
				for _, not := range not {
					if strings.Contains(lines.String(), not) {
						t.Errorf("the line of %s has %s: %s", path, not, lines.String())
					}
				}
			}
		})
	}
}

// TestProbesAreNotInTheLog: they come every few seconds, and say the same.
func TestProbesAreNotInTheLog(t *testing.T) {
	var lines bytes.Buffer
	engine := gin.New()
	engine.Use(Front(slog.New(slog.NewTextHandler(&lines, nil)), time.Now, NewRemote(nil, nil, slog.New(slog.DiscardHandler)), config.AccessOn))
	for _, path := range []string{"/healthz", "/health", "/readyz", "/page"} {
		engine.GET(path, func(c *gin.Context) { c.Status(http.StatusOK) })
		engine.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	}
	if got := lines.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "route=/page") {
		t.Errorf("the log has %s", got)
	}
}
