package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// Browsers get a page; programs, and requests to an API, get JSON. Neither
// shows internal errors.
func TestProblemsArePagesForBrowsersOnly(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(Front(slog.New(slog.DiscardHandler), time.Now, NewRemote(nil, nil, slog.New(slog.DiscardHandler)), config.AccessOn), Problems(func(c *gin.Context, status int, words string) error {
		c.String(status, "page: "+words)
		return nil
	}), Recover)
	for path, h := range map[string]Handler{
		"/secret": func(*gin.Context) error { return errors.New("the password is 123") },
		"/panic":  func(*gin.Context) error { panic("the password is 123") },
		"/often":  func(*gin.Context) error { return fault.RateLimited("Throttled") },
		"/away": func(*gin.Context) error {
			return fmt.Errorf("%w: %w", fault.Unavailable("Come back."), errors.New("the password is 123"))
		},
		"/not": func(*gin.Context) error { return fault.Forbidden("Not you.") },
	} {
		engine.GET(path, Handle(ClientAPI, h))
		engine.GET("/api"+path, Handle(ClientAPI, h))
		engine.GET("/page"+path, Handle(Pages, h))
		engine.POST("/oauth"+path, Handle(OAuthAPI, h))
	}
	engine.NoRoute(NotFound)
	const internal = `{"error":"Something went wrong"}`
	for _, tt := range []struct{ method, path, accept, want string }{
		{"GET", "/secret", "text/html,*/*;q=0.8", "500 page: "},
		{"GET", "/panic", "text/html", "500 page: "},
		{"GET", "/often", "text/html", "429 page: Throttled"},
		{"GET", "/not", "text/html", "403 page: Not you."},
		{"GET", "/secret", "*/*", "500 " + internal},
		{"GET", "/away", "*/*", `503 {"error":"Come back."}`},
		{"GET", "/away", "text/html", "503 page: "},
		{"GET", "/api/secret", "text/html", "500 " + internal},
		{"GET", "/api/often", "text/html", `429 {"error":"Throttled"}`},
		{"GET", "/page/often", "*/*", "429 page: Throttled"},
		{"GET", "/page/panic", "", "500 page: "},
		{"POST", "/oauth/often", "text/html", `429 {"error":"Throttled"}`},
		{"GET", "/nothing", "text/html", "404 page: Not implemented"},
		{"POST", "/nothing", "", `404 {"errors":{"detail":"Page not found"}}`},
	} {
		r := httptest.NewRequest(tt.method, tt.path, http.NoBody)
		r.Header.Set("Accept", tt.accept)
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, r)
		if got := fmt.Sprintf("%d %s", w.Code, w.Body); got != tt.want {
			t.Errorf("%s %s as %q: %s, want %s", tt.method, tt.path, tt.accept, got, tt.want)
		}
		if again := w.Header().Get("Retry-After"); (again != "") != (w.Code == http.StatusServiceUnavailable) {
			t.Errorf("%s %s: %d, Retry-After %q", tt.method, tt.path, w.Code, again)
		}
	}
}
