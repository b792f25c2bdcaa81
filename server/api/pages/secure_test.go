package pages

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

func TestCookiesBelongToTheHostAloneOverHTTPS(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"https://svc.example":   "__Host-svc_key=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
		"http://127.0.0.1:8080": "svc_key=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax",
	} {
		p, err := New(Parts{Auth: auth.New(auth.Parts{DB: dbtest.New(t), Settings: live, Now: time.Now}), Settings: live, Site: config.NewSite(base, false)})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(w)
		p.setCookie(c, sessionCookie, "x", 60)
		if got := w.Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestScopesAreExplained(t *testing.T) {
	for scope, want := range map[string]string{
		"read:statuses": "See posts", "write:statuses": "Publish and delete posts", "write:blocks": "Change whom you block",
		"admin:write:reports": "Change reports", "admin:read:accounts": "See everybody's account", "write:reports": "Report other people",
		"read:search": "Search on your behalf", "fly": "", "read:fly": "", "admin:read:fly": "", "admin:fly": "", "": "",
	} {
		if got := wordsOf(scope); got != want {
			t.Errorf("%s: %q, want %q", scope, got, want)
		}
	}
	for _, scope := range []string{"read", "write", "follow", "push", "admin", "admin:read", "admin:write"} {
		if wordsOf(scope) == "" {
			t.Errorf("%s is not explained", scope)
		}
	}
}
