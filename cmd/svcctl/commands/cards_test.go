package commands

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// oneObject answers with an object of each noun, the second report of
// testdata/reports.json hostile.
func oneObject(t *testing.T) string {
	t.Helper()
	var list struct{ Reports []json.RawMessage }
	if err := json.Unmarshal([]byte(reportsBody(t)), &list); err != nil {
		t.Fatal(err)
	}
	_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/svc/admin/reports/one":
			always(200, string(list.Reports[0]))(w, r)
		case "/api/svc/admin/reports/evil":
			always(200, string(list.Reports[1]))(w, r)
		case "/api/svc/admin/statuses/9xPq1":
			always(200, `{"id":"9xPq1","content":"<p>Win big</p><p>today</p>","spoiler_text":"money","visibility":"public","sensitive":true,
				"created_at":"2026-01-31T11:58:02.000Z","replies_count":2,"reblogs_count":1,"favourites_count":0,"url":"https://a.example/9xPq1",
				"media_attachments":[{"type":"image","description":"coins","svc":{"mime_type":"image/png"}}],
				"account":{"id":"9a1","acct":"spam1","nickname":"spam1","local":true,"statuses_count":212,"tags":["x"]}}`)(w, r)
		case "/api/svc/admin/users/kim":
			always(200, `{"id":7,"account_id":"9a7","nickname":"kim","display_name":"Kim","local":true,"actor_type":"Person","email":"kim@a.example",
				"roles":{"admin":false,"moderator":true},"tags":["mrf_tag:sandbox","x"],"url":"https://a.example/kim",
				"approval_pending":true,"registration_reason":"I bake.\nA lot."}`)(w, r)
		default:
			always(404, `{"error":"Not found"}`)(w, r)
		}
	})
	return url
}

func TestASingleObjectIsACard(t *testing.T) {
	url := oneObject(t)
	for line, want := range map[string]string{
		"report get one": `report    9xA1q0000000000001
state     open
created   2026-01-31T12:00:00Z
reported  spam1@bad.example, remote, 212 posts, 0 followers, since 2026-01-30, id:9a1
reporter  ana, local, 212 posts, 0 followers, since 2026-01-30, id:9a2
message   crypto, same link in every reply
posts     1
notes     1

post 1 of 1: status/9xPq1, public, 2026-01-31T11:58:02Z, 0 replies, 0 reblogs, 0 favourites
  Win big

note 3 by tess, 2026-01-30T20:11:00Z
  same wave as yesterday
`,
		"status get 9xPq1": `status      9xPq1
author      spam1, local, 212 posts, 0 followers, tags x, id:9a1
created     2026-01-31T11:58:02Z
visibility  public
flags       sensitive,media:1
replies     2
reblogs     1
favourites  0
page        https://a.example/9xPq1

text
  [CW "money"] Win big

  today
  [image/png: coins]
`,
		"user get kim": `user     kim
number   7
account  9a7
name     Kim
state    pending
roles    moderator
server   local
type     Person
email    kim@a.example
tags     mrf_tag:sandbox, x
page     https://a.example/kim
reason   I bake.
         A lot.
`,
	} {
		c := newCLI(t, url, "")
		code := Run(c.App, strings.Fields(line))
		if diff := cmp.Diff(want, c.stdout.String()); code != 0 || diff != "" {
			t.Errorf("svcctl %s: exit %d, %s (-want +got):\n%s", line, code, &c.stderr, diff)
		}
		// A row is still to be had, and several objects are rows.
		for _, args := range []string{" -o wide", " --no-headers", " --fields id", " " + strings.Fields(line)[2] + "x"} {
			c := newCLI(t, url, "")
			Run(c.App, strings.Fields(line+args))
			lines := strings.Split(strings.TrimSpace(c.stdout.String()), "\n")
			if len(lines) > 2 || strings.HasPrefix(lines[0], strings.Fields(line)[0]) {
				t.Errorf("svcctl %s%s is no row:\n%s", line, args, &c.stdout)
			}
		}
	}
}

func TestACardFitsATerminalAndIsInert(t *testing.T) {
	url := oneObject(t)
	for _, line := range []string{"report get evil", "report get one", "status get 9xPq1", "user get kim"} {
		c := newCLI(t, url, "")
		c.TTYOut, c.Width = true, 40
		if code := Run(c.App, strings.Fields(line)); code != 0 {
			t.Fatalf("svcctl %s: exit %d, %s", line, code, &c.stderr)
		}
		inert(t, line, c.stdout.Bytes())
		outputtest.Fits(t, line, c.stdout.String(), 40)
	}
	c := newCLI(t, url, "")
	c.TTYOut, c.Width = true, 80
	Run(c.App, []string{"report", "get", "one"})
	if !strings.Contains(c.stdout.String(), "2026-01-31T12:00:00Z (4m)") {
		t.Errorf("no age on a terminal:\n%s", &c.stdout)
	}
}
