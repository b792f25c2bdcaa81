package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// databaseless are the routes that answer the requests of ask without the
// database: files, forms, fixed documents, and incomplete requests.
var databaseless = strings.Fields(`
/images/:name /instance/thumbnail.jpeg /instance/panel.html /svc/admin /svc/admin/*path /static/*path /emoji/*path
/favicon.png /favicon.ico /robots.txt /web/manifest.json /pages/style.css /@:nickname /ostatus_subscribe /tags/:tag
/inbox /users/:nickname/inbox /relay/inbox /internal/fetch/inbox
/api/v1/apps /oauth/token /oauth/revoke /.well-known/oauth-authorization-server /api/v1/instance/extended_description /api/v1/instance/privacy_policy
/api/v1/instance/terms_of_service /api/v1/instance/domain_blocks /api/v1/instance/languages /oauth/mfa /auth/sign_out
/api/svc/captcha /api/v1/svc/accounts/confirmation_resend /registration /registration/:token /auth/confirmation /auth/password
/api/v1/accounts /api/v1/accounts/search /api/oembed /api/svc/frontend_configurations /.well-known/host-meta /.well-known/webfinger
/api/v1/custom_emojis /api/svc/emoji /api/svc/emoji/packs /api/svc/emoji/packs/archive /api/svc/emoji/pack
/api/v1/trends /api/v1/trends/tags /api/v1/trends/statuses /api/v1/trends/links /.well-known/host-meta.json /.well-known/change-password /api/v1/identity_proofs /api/v1/accounts/:id/identity_proofs /api/v1/endorsements /api/v1/suggestions /.well-known/nodeinfo /nodeinfo/:version /api/v1/statuses /api/v1/polls/:id
/media/:name /proxy/:signature/:url/:filename /proxy/preview/:signature/:url/:filename /api/v1/search /api/v2/search
/api/v1/streaming/health /api/v1/tags/:name /socket/websocket /api/openapi.json`)

// TestEveryRouteSaysThatTheDatabaseIsAway takes PostgreSQL away and walks the
// table of routes: routes that need the database answer 503 in the form of
// their family, with Retry-After.
func TestEveryRouteSaysThatTheDatabaseIsAway(t *testing.T) {
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	way, through := dbtest.NewProxy(t, dsn)
	s := servertest.On(t, through, func(c *config.Settings) { c.Instance.Healthcheck = true })
	user, admin, app := s.Token("ann", servertest.AllScopes), s.Token("root", servertest.AdminScopes), s.AppToken()
	// By then the server has begun to serve.
	if resp, err := http.Get(s.URL + "/healthz"); err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", resp, err)
	}
	way.Cut()
	defer way.Open()
	for _, r := range s.Routes() {
		token, want := "", `{"error":"Temporarily unavailable"}`
		switch r.Access {
		case server.User, server.Stream:
			token = user
		case server.Admin:
			token, want = admin, `{"errors":{"detail":"Temporarily unavailable"}}`
		case server.App, server.Token:
			token = app
		case server.Page, server.OAuth:
			want = `{"errors":{"detail":"Temporarily unavailable"}}`
		}
		header, status, body := askWithHeader(t, s, r, token)
		if slices.Contains(databaseless, r.Path) && status < 500 {
			continue
		}
		switch { // probes have words of their own
		case r.Path == "/healthz", r.Path == "/readyz":
			want = `{"failing":"database","status":"failing"}`
		case r.Path == "/health":
			want = `{"status":"DOWN"}`
		case r.Path == "/api/svc/healthcheck":
			want = `"healthy":false`
		case header.Get("Retry-After") == "":
			t.Errorf("%s %s: no Retry-After", r.Method, r.Path)
		}
		if strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			want = "Please try again in a moment."
		}
		if status != http.StatusServiceUnavailable || !strings.Contains(body, want) {
			t.Errorf("%s %s: %d %.200s, want 503 %s", r.Method, r.Path, status, body, want)
		}
	}
}
