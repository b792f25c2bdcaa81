package commands

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// newer has answers of a newer server with unknown fields, and strangers' texts
// that attack terminals.
var newer = map[string]string{
	"/api/svc/admin/users/invites": `{"invites":[{"id":1,"token":"t","x_new":{"b":1,"a":[2]}}]}`,
	"/api/svc/admin/oauth_app":     `{"apps":[{"id":3,"name":"EVIL","x_new":{"b":1,"a":[2]}}],"count":1,"page_size":50}`,
	"/api/svc/admin/users/kim":     `{"id":7,"account_id":"9x","nickname":"kim"}`,
	"/api/svc/admin/users/9x/chats": `[{"id":"c","sender":{},"receiver":{"acct":"EVIL"},` +
		`"last_message":{"content":"EVIL"},"x_new":{"b":1,"a":[2]}}]`,
	"/api/svc/admin/chats/c":              `{"id":"c","sender":{},"receiver":{},"x_new":{"b":1,"a":[2]}}`,
	"/api/svc/admin/chats/c/messages":     `[{"id":"m","content":"EVIL","x_new":{"b":1,"a":[2]}}]`,
	"/api/svc/admin/users/9x/credentials": `{"name":"EVIL","x_new":{"b":1,"a":[2]}}`,
	"/api/svc/admin/config":               `{"configs":[{"group":":svc","key":":k","value":"EVIL","x_new":{"b":1,"a":[2]}}],"need_reboot":false}`,
	"/api/svc/admin/config/descriptions": `[{"group":":svc","key":":k","label":"K","type":"group",` +
		`"children":[{"key":":a","label":"A","type":"string","description":"EVIL"}],"x_new":{"b":1,"a":[2]}}]`,
	"/api/svc/admin/emoji":              `{"emojis":[{"shortcode":"EVIL","pack":"EVIL","file":"EVIL","url":"EVIL","x_new":{"b":1,"a":[2]}}],"count":1,"page_size":50}`,
	"/api/svc/admin/media_proxy_caches": `{"urls":["https://evil.example/EVIL"],"count":1,"page_size":50}`,
}

var newerLines = []string{
	"invite list", "app list", "chat list kim", "chat get c -o jsonl", "chat messages c", "user credentials get kim",
	"config get", "config get svc k", "config describe", "config describe svc k", "emoji list",
}

func newerServer(t *testing.T, evil string) string {
	t.Helper()
	_, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := newer[r.URL.Path]
		if !ok {
			http.Error(w, `{"error":"Not found"}`, http.StatusNotFound)
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(body, "EVIL", evil))
	})
	return address
}

func TestFieldsOfNewerServersAreNotLost(t *testing.T) {
	address := newerServer(t, "x")
	for _, line := range newerLines {
		c := newCLI(t, address, "")
		code := Run(c.App, append(strings.Fields(line), "--jq", `[.. | objects | select(has("x_new")) | .x_new] | first`))
		if diff := cmp.Diff(`{"a":[2],"b":1}`+"\n", c.stdout.String()); code != 0 || diff != "" {
			t.Errorf("svcctl %s: exit %d, %s (-want +got):\n%s", line, code, &c.stderr, diff)
		}
	}
}

// TestTextOfStrangersIsInertInEveryNoun prints text that attacks terminals and
// spreadsheets in every format.
func TestTextOfStrangersIsInertInEveryNoun(t *testing.T) {
	const evil = `a\u001b]52;c;eA==\u0007b\u009b2Jc\u202ed`
	address := newerServer(t, evil)
	for _, line := range append([]string{"media list", "config export"}, newerLines...) {
		for _, format := range output.Formats() {
			if line == "config export" && format != "yaml" && format != "json" {
				continue
			}
			c := newCLI(t, address, "")
			if code := Run(c.App, append(strings.Fields(line), "-o", format)); code != 0 {
				t.Errorf("svcctl %s -o %s: exit %d, %s", line, format, code, &c.stderr)
			}
			if strings.ContainsAny(c.stdout.String()+c.stderr.String(), "\x1b\u009b\u202e\a") {
				t.Errorf("svcctl %s -o %s is not inert: %q, %q", line, format, &c.stdout, &c.stderr)
			}
		}
	}
}

// TestWhatMustNotHappenTwiceIsSentOnce has a server that is too busy for any
// write: a change that is new each time is not tried again, and a wished state is.
func TestWhatMustNotHappenTwiceIsSentOnce(t *testing.T) {
	tests := []struct {
		line, request string
		again         bool
	}{
		{"server restart --yes --max 1", "GET /api/svc/admin/restart", false},
		{"user password-reset kim", "GET /api/svc/admin/users/kim/password_reset", false},
		{"user toggle kim --yes", "PATCH /api/svc/admin/users/kim/toggle_activation", false},
		{"user create joe --email joe@example.org --generate", "POST /api/svc/admin/users", false},
		{"user resend-confirmation kim --yes", "PATCH /api/svc/admin/users/resend_confirmation_email", false},
		{"user backup kim", "POST /api/svc/admin/backups", false},
		{"invite create", "POST /api/svc/admin/users/invite_token", false},
		{"invite email a@example.org", "POST /api/svc/admin/users/email_invite", false},
		{"app create --name a --redirect-uri https://a.example/ --scope read", "POST /api/svc/admin/oauth_app", false},
		{"config set svc new 3 --new", "POST /api/svc/admin/config", false},
		{"user tag add kim --tag x", "PUT /api/svc/admin/users/tag", true},
		{"user role add moderator kim", "POST /api/svc/admin/users/permission_group/moderator", true},
		{"emoji reload", "POST /api/svc/admin/reload_emoji", true},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			f, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, ok := newer[r.URL.Path]
				if ok && r.Method == http.MethodGet {
					fmt.Fprint(w, body)
					return
				}
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			c := newCLI(t, address, "")
			if code := Run(c.App, strings.Fields(tt.line)); code != cli.ExitServer {
				t.Errorf("exit %d, want %d: %s", code, cli.ExitServer, &c.stderr)
			}
			sent := 0
			for _, request := range f.requests {
				if request == tt.request {
					sent++
				}
			}
			if sent == 0 || (sent > 1) != tt.again {
				t.Errorf("sent %d times of %q", sent, f.requests)
			}
		})
	}
}
