package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
	"svc/tui"
)

// fate is what happens to a reported post and its author, and what a report shows of
// it. In scripts {author} is the name of the author, {n} the case.
type fate struct {
	what, by string
	remote   bool
	then     string // the script; its words are "other words of {n}"

	deleted string // svc.deleted.by, "" if the post stands
	edited  bool   // it stands otherwise, and svc.reported has what was reported
	changed bool   // the account shows something else now
}

const sayDelete = `{"peer": "{author}", "activity": {"type": "Delete", "object": "{uri}"}, "to": "bob"}`

func fates() []fate {
	admin := func(method, path, body string) string {
		return fmt.Sprintf(`{"as": "root1", "call": "%s /api/svc/admin/%s", "json": %s, "expect": [{"at": "status", "matches": "20."}]}`, method, path, body)
	}
	person := func(method, path, body string) string {
		return fmt.Sprintf(`{"as": "{author}", "call": "%s %s", "json": %s, "expect": [{"at": "status", "is": 200}]}`, method, path, body)
	}
	nicknames := `{"nicknames": ["{acct}"]}`
	password := `{"password": "` + servertest.Password + `"}`
	update := `{"peer": "{author}", "activity": {"type": "Update", "object": {"id": "{uri}", "type": "Note", "attributedTo": "{author.id}", "to": ["https://www.w3.org/ns/activitystreams#Public"], "content": "<p>other words of {n}</p>", "updated": "2037-01-01T00:00:00Z"}}, "to": "bob"}`
	return []fate{
		{what: "deleted", by: "author", then: person("DELETE", "/api/v1/statuses/{post}", "{}"), deleted: "author"},
		{what: "deleted", by: "moderator", then: admin("DELETE", "statuses/{post}", "{}"), deleted: "moderator"},
		{what: "deleted", by: "moderator", remote: true, then: admin("DELETE", "statuses/{post}", "{}"), deleted: "moderator"},
		{what: "deleted", by: "remote server", remote: true, then: sayDelete, deleted: "server"},

		{what: "edited", by: "author", then: person("PUT", "/api/v1/media/{file}", `{"description": "other words of {n}"}`), edited: true},
		{what: "edited", by: "moderator", then: admin("PUT", "statuses/{post}", `{"sensitive": true, "visibility": "private"}`)},
		{what: "edited", by: "remote server", remote: true, then: update, edited: true},
		{what: "profile edited", by: "author", then: person("PATCH", "/api/v1/accounts/update_credentials", `{"note": "other words of {n}", "display_name": "Other"}`), changed: true},
		{what: "edited and deleted", by: "remote server", remote: true, then: update + "," + sayDelete, deleted: "server"},

		{what: "account deleted", by: "author", then: person("POST", "/api/svc/delete_account", password), deleted: "account", changed: true},
		{what: "account deleted", by: "moderator", then: admin("DELETE", "users", nicknames), deleted: "account", changed: true},
		{what: "account deleted", by: "moderator", remote: true, then: admin("DELETE", "users", nicknames), deleted: "account", changed: true},
		{what: "account deleted", by: "remote server", remote: true, then: `{"peer": "{author}", "activity": {"type": "Delete", "object": "{author.id}"}, "to": "bob"}`, deleted: "account", changed: true},

		{what: "account deactivated", by: "author", then: person("POST", "/api/svc/disable_account", password)},
		{what: "account deactivated", by: "moderator", then: admin("PATCH", "users/deactivate", nicknames)},
		{what: "account deactivated", by: "moderator", remote: true, then: admin("PATCH", "users/deactivate", nicknames)},

		{what: "host blocked", by: "reporter", remote: true, then: `{"as": "bob", "call": "POST /api/v1/domain_blocks", "json": {"domain": "{host}"}, "expect": [{"at": "status", "is": 200}]}`},
		{what: "host blocked", by: "moderator", remote: true, then: admin("POST", "config",
			`{"configs": [{"group": ":svc", "key": ":mrf", "value": [{"tuple": [":policies", ["Svc.Web.ActivityPub.MRF.SimplePolicy"]]}]}, {"group": ":svc", "key": ":mrf_simple", "value": [{"tuple": [":reject", ["{host}"]]}]}]}`)},
	}
}

// TestReportEvidence holds what moderators see of a report to what was reported: after
// each fate of the post and its author, flat, grouped and in the command, and that nobody
// else sees any of it.
func TestReportEvidence(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		for i, f := range fates() {
			name := f.what + " by the " + f.by
			if f.remote {
				name += ", on another server"
			}
			if !t.Run(name, func(t *testing.T) { suffer(t, s, f, i) }) {
				return
			}
		}
	}, func(c *config.Settings) { c.Instance.ModeratorPrivileges = []string{"statuses", "users_read", "log"} })
}

func suffer(t *testing.T, s *servertest.Server, f fate, i int) {
	n := strconv.Itoa(i)
	c := &caseRun{t: t, s: s, values: map[string]string{"base": s.Base(), "n": n, "author": "person" + n}, actors: map[string]*peer.Actor{}}
	mod := s.User("mod")
	mod.IsModerator = true
	if err := s.DB.UpdateAccount(t.Context(), mod, "is_moderator"); err != nil {
		t.Fatal(err)
	}
	// Values are filled in once, so that those within others come first.
	script := func(text string) { c.do("[" + c.fill(c.fill(text)) + "]") }
	if f.remote {
		at := peer.Start(t, "127.0.1."+n).Actor("person" + n)
		at.Edit(func(d peer.Doc) { d["summary"], d["name"] = "<p>bio of "+n+"</p>", "Name"+n })
		at.Peer.Serve("/pic.png", peer.Page{Type: "image/png", Body: pictureOf(100 + i)})
		c.actors["person"+n], c.actors["author"] = at, at
		c.values["acct"], c.values["host"] = at.Handle(), at.Peer.Host()
		script(`{"peer": "{author}", "note": {"content": "<p>first words of {n}</p>", "attachment": [{"type": "Document", "mediaType": "image/png", "url": "` + at.Peer.URL("/pic.png") + `", "name": "picture of {n}"}]}, "to": "bob", "save": {"uri": "id"}},
			{"as": "bob", "call": "GET /api/v2/search", "query": {"q": "{uri}"}, "wait": 8, "save": {"post": "body.statuses.0.id", "person": "body.statuses.0.account.id"}}`)
	} else {
		c.values["acct"], c.values["person"] = "person"+n, s.User("person"+n).ID
		c.values["file"] = c.upload("person"+n, pictureOf(100+i))
		script(`{"as": "{author}", "call": "PATCH /api/v1/accounts/update_credentials", "json": {"note": "bio of {n}", "display_name": "Name{n}"}},
			{"as": "{author}", "call": "POST /api/v1/statuses", "json": {"status": "first words of {n}", "media_ids": ["{file}"]}, "save": {"post": "body.id", "uri": "body.uri"}},
			{"as": "{author}", "call": "PUT /api/v1/media/{file}", "json": {"description": "picture of {n}"}}`)
	}
	script(`{"as": "bob", "call": "POST /api/v1/reports", "json": {"account_id": "{person}", "status_ids": ["{post}"], "comment": "look at {n}"}, "save": {"report": "body.id"}, "expect": [{"at": "status", "is": 200}]}`)
	if f.remote {
		// The file is fetched before its server can take it away.
		servertest.Eventually(t, "the file is kept", func() bool {
			kept, err := s.DB.FetchedFiles(t.Context(), []string{c.values["report"]})
			return err == nil && len(kept) == 1
		})
	}
	script(f.then)
	if f.remote && f.deleted != "" {
		c.actors["person"+n].Peer.Gone("/pic.png")
	}

	// What the report shows, at each place where it stands.
	status := func(at string) string {
		want := fmt.Sprintf(`{"at": "%[1]s.svc.reported", "is": null}, {"at": "%[1]s.svc.deleted", "is": null}, {"at": "%[1]s.content", "has": "first words of {n}"}`, at)
		switch {
		case f.deleted != "":
			want = fmt.Sprintf(`{"at": "%[1]s.svc.deleted.by", "is": "%[2]s"}, {"at": "%[1]s.content", "has": "first words of {n}"}, {"at": "%[1]s.svc.deleted.at", "has": "Z"}`, at, f.deleted)
		case f.edited:
			want = fmt.Sprintf(`{"at": "%[1]s", "has": "other words of {n}"}, {"at": "%[1]s.svc.reported.content", "has": "first words of {n}"}, {"at": "%[1]s.svc.reported", "hasnt": "other words"}, {"at": "%[1]s.svc.deleted", "is": null}`, at)
		}
		if f.deleted == "moderator" {
			want += fmt.Sprintf(`, {"at": "%s.svc.deleted.nickname", "is": "root1"}`, at)
		}
		return want + fmt.Sprintf(`, {"at": "%s", "has": "picture of {n}"}`, at)
	}
	account := func(at string) string {
		if !f.changed {
			return fmt.Sprintf(`{"at": "%s.svc.reported_account", "is": null}`, at)
		}
		return fmt.Sprintf(`{"at": "%[1]s.svc.reported_account.note", "has": "bio of {n}"}, {"at": "%[1]s.svc.reported_account.display_name", "is": "Name{n}"}, {"at": "%[1]s.account.note", "hasnt": "bio of {n}"}`, at)
	}
	group := `{"at": "body.reports.0.reports.0.id", "is": "{report}"}, {"at": "body.reports.0.status.deleted", "is": ` + strconv.FormatBool(f.deleted != "") + `}`
	script(`{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "wait": 10, "expect": [{"at": "body.statuses", "count": 1}, ` + status("body.statuses.0") + `, ` + account("body") + `]},
		{"as": "root1", "call": "GET /api/svc/admin/reports?page_size=1", "expect": [` + status("body.reports.0.statuses.0") + `, ` + account("body.reports.0") + `]},
		{"as": "root1", "call": "GET /api/svc/admin/grouped_reports?page_size=1", "expect": [` + group + `, ` + status("body.reports.0.status") + `, ` + status("body.reports.0.reports.0.statuses.0") + `, ` + account("body.reports.0.reports.0") + `]}`)

	words := []string{"first words of " + n, "picture of " + n, "look at " + n}
	switch {
	case f.deleted == "moderator":
		words = append(words, "deleted by the moderator root1")
	case f.deleted == "account":
		words = append(words, "deleted with the account")
	case f.deleted != "":
		words = append(words, "deleted by the "+f.deleted)
	case f.edited:
		words = append(words, "other words of "+n, "as it was when it was reported")
	}
	if f.changed {
		words = append(words, "bio of "+n, "Name"+n)
	}
	command := `{"svcctl": ["report", "get", "{report}"], "expect": [{"at": "exit", "is": 0}`
	for _, word := range words {
		command += `, {"at": "out", "has": "` + word + `"}`
	}
	script(command + `]}`)

	// On the screen and in lines the newest report is in front.
	shown := []string{"first words of " + n, "picture of " + n, "look at " + n}
	switch {
	case f.deleted == "moderator":
		shown = append(shown, "deleted: moderator root1")
	case f.deleted != "":
		shown = append(shown, "deleted: "+f.deleted)
	case f.edited:
		shown = append(shown, "other words of "+n, "hen it was reported")
	}
	if f.changed {
		shown = append(shown, "bio of "+n, "Name"+n)
	}
	for door, text := range map[string]string{"the terminal UI": c.screen(shown), "plain mode": c.plain()} {
		for _, word := range shown {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not show %q:\n%s", door, word, text)
			}
		}
	}

	// Nobody else sees any of it.
	for _, who := range []string{"bob", "mod", "nobody"} {
		for _, path := range []string{"reports/{report}", "reports", "grouped_reports"} {
			script(`{"as": "` + who + `", "call": "GET /api/svc/admin/` + path + `", "expect": [{"at": "status", "is": 403}, {"at": "body", "hasnt": "words of"}, {"at": "body", "hasnt": "bio of"}]}`)
		}
	}
	if f.deleted == "" {
		return
	}
	script(`{"as": "bob", "call": "GET /api/v1/statuses/{post}", "expect": [{"at": "status", "is": 404}]},
		{"as": "nobody", "call": "GET /api/v1/statuses/{post}", "expect": [{"at": "status", "is": 404}]},
		{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "save": {"kept": "body.statuses.0.media_attachments.0.url"}}`)
	signed, _, _ := strings.Cut(c.values["kept"], "?")
	strangers := http.StatusNotFound
	if f.by == "author" && f.deleted == "author" {
		strangers = http.StatusOK // the author may post the file again, within a day
	}
	for address, want := range map[string]int{c.values["kept"]: 200, signed: strangers, signed + "?report=x": strangers} {
		resp, err := http.Get(strings.Replace(address, s.Base(), s.URL, 1))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || want == 200 && (len(body) == 0 || resp.Header.Get("Content-Type") != "image/png") {
			t.Errorf("%s answers %d with %d bytes of %s, want %d", address, resp.StatusCode, len(body), resp.Header.Get("Content-Type"), want)
		}
	}
}

// screen is what the terminal UI writes until all words are there, without colours and
// movements of the cursor.
func (c *caseRun) screen(words []string) string {
	c.t.Helper()
	admin := c.s.With(c.token("root1"))
	in, keys := io.Pipe()
	var out screenText
	sizes := make(chan tui.Size, 1)
	sizes <- tui.Size{Width: 160, Height: 60}
	env := map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"}
	ended := make(chan error, 1)
	go func() {
		ended <- tui.Run(c.t.Context(), tui.Options{
			Client: admin, Context: "here", StateDir: c.t.TempDir(), In: in, Out: &out, ReadOnly: true,
			Remote: &tui.Remote{Getenv: func(name string) string { return env[name] }, Sizes: sizes},
		})
	}()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text := out.text(); !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			break
		}
	}
	_, _ = io.WriteString(keys, "q")
	if err := <-ended; err != nil {
		c.t.Error(err)
	}
	return out.text()
}

// screenText collects the output of a terminal program.
type screenText struct {
	mu  sync.Mutex
	out strings.Builder
}

func (s *screenText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

var escapes = regexp.MustCompile(`\x1b(\[[0-9;?]*[A-Za-z]|\][^\a]*\a)`)

func (s *screenText) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return escapes.ReplaceAllString(s.out.String(), "")
}

// plain is what plain mode tells at its start.
func (c *caseRun) plain() string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(servertest.Programs(c.t), "svcctl"), "tui", "--plain", "--read-only")
	cmd.Env = []string{"HOME=" + c.t.TempDir(), "PATH=" + os.Getenv("PATH"), "SVCCTL_NO_KEYRING=1", "SVCCTL_URL=" + c.s.URL, "SVCCTL_TOKEN=" + c.token("root1")}
	cmd.Stdin = strings.NewReader("quit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Errorf("svcctl tui --plain: %v", err)
	}
	return string(out)
}
