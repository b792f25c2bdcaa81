package adminapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "write golden files")

// world is a running service with an admin, root, people ann and bob, and eve
// on another server.
type world struct {
	*servertest.Server
	t                   *testing.T
	root, ann, bob, eve *db.Account
	made                string // the id of the last object that an example created
}

func each(t *testing.T, fn func(t *testing.T, w *world), edit ...func(*config.Settings)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := &world{Server: s, t: t}
		w.root, w.ann, w.bob = s.AdminUser("root"), s.User("ann"), s.User("bob")
		w.eve = db.NewAccount("https://one.example", "eve")
		w.eve.Local, w.eve.Domain, w.eve.Nickname, w.eve.NickKey = false, "one.example", "eve@one.example", "eve@one.example"
		w.eve.DisplayName = `<b>Eve</b> & <i>co</i>`
		w.must(s.DB.CreateAccount(t.Context(), w.eve))
		fn(t, w)
	}, edit...)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) post(by *db.Account, in social.NewStatus) *db.Status {
	w.t.Helper()
	s, err := w.Social.PostStatus(w.t.Context(), by, in)
	w.must(err)
	return s
}

func (w *world) report(by string, on *db.Account, comment string, statuses ...*db.Status) string {
	w.t.Helper()
	form := api.NewReport{AccountID: on.ID, Comment: comment}
	for _, s := range statuses {
		form.StatusIDs = append(form.StatusIDs, s.ID)
	}
	r, err := w.Client(by).Reports.Create(w.t.Context(), form)
	w.must(err)
	return r.ID
}

// call sends a request, under /api/svc/admin unless path says /api itself. A
// body that begins with a brace is JSON, any other a form.
func (w *world) call(token, method, path, body string) (int, http.Header, string) {
	w.t.Helper()
	if !strings.HasPrefix(path, "/api/") {
		path = "/api/svc/admin" + path
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+path, strings.NewReader(body))
	w.must(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	switch {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		req.Header.Set("Content-Type", "application/json")
	case body != "":
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, resp.Header, string(raw)
}

// admin sends a request as root.
func (w *world) admin(method, path, body string) (int, string) {
	w.t.Helper()
	status, _, text := w.call(w.Token("root", servertest.AdminScopes), method, path, body)
	return status, text
}

func (w *world) want(method, path, body string, status int, answer string) {
	w.t.Helper()
	got, text := w.admin(method, path, body)
	if got != status || text != answer {
		w.t.Errorf("%s %s %s: %d %.300s\nwant %d %s", method, path, body, got, text, status, answer)
	}
}

// log returns the messages of the moderation log, newest first.
func (w *world) log() []string {
	w.t.Helper()
	entries, err := w.Admin("root").Admin.Log.List(api.LogQuery{}).Page(w.t.Context())
	w.must(err)
	var out []string
	for _, e := range entries.Items {
		out = append(out, e.Message)
	}
	return out
}

func (w *world) wantLog(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.log()); diff != "" {
		w.t.Errorf("log (-want +got):\n%s", diff)
	}
}

var (
	flakes = regexp.MustCompile(`\b[0-9A-Za-z]{18}\b`)
	uuids  = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	times  = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	dates  = regexp.MustCompile(`"20\d\d-\d\d-\d\d"`)
	unix   = regexp.MustCompile(`"time":\d{10}\b`)
)

// script records calls and their answers, with names for the parts that differ
// from run to run.
type script struct {
	w     *world
	out   strings.Builder
	names map[string]string
	forms map[string]string // of accounts, by their JSON
}

func (s *script) name(kind string) func(string) string {
	return func(text string) string {
		if kind == "id" {
			if at, ok := db.FlakeTime(text); !ok || at.Year() < 2025 || at.Year() > 2100 {
				return text
			}
		}
		if s.names[text] == "" {
			s.names[text] = fmt.Sprintf("%s-%d", kind, len(s.names)+1)
		}
		return s.names[text]
	}
}

func (s *script) tidy(text string) string {
	text = strings.ReplaceAll(text, s.w.Base(), "https://svc.example")
	text = strings.ReplaceAll(text, strings.TrimPrefix(s.w.Base(), "http://"), "svc.example")
	text = uuids.ReplaceAllStringFunc(text, s.name("uuid"))
	text = flakes.ReplaceAllStringFunc(text, s.name("id"))
	text = times.ReplaceAllString(text, "TIME")
	text = dates.ReplaceAllString(text, `"DATE"`)
	return unix.ReplaceAllString(text, `"time":"UNIX"`)
}

func (s *script) call(method, path, body string) {
	s.w.t.Helper()
	status, text := s.w.admin(method, path, body)
	text = s.tidy(text)
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		text = encode(s.w.t, s.fold(v))
	}
	fmt.Fprintf(&s.out, "%s\n%d %s\n\n", s.tidy(strings.TrimSpace(method+" "+path+" "+body)), status, text)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// fold keeps the first occurrence of each account or status, and replaces later
// ones by a name.
func (s *script) fold(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = s.fold(v[i])
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = s.fold(v[k])
		}
		name := v["acct"]
		switch {
		case v["visibility"] != nil && v["uri"] != nil:
			name = v["uri"]
		case v["source"] == nil:
			return v
		}
		form := encode(s.w.t, v)
		if name := s.forms[form]; name != "" {
			return name
		}
		s.forms[form] = fmt.Sprintf("(%v, form %d)", name, len(s.forms)+1)
		v["(form)"] = s.forms[form]
	}
	return v
}

// check compares with the golden file, which is the same for both databases.
func (s *script) check(name string) {
	s.w.t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		s.w.must(os.WriteFile(path, []byte(s.out.String()), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	s.w.must(err)
	if diff := cmp.Diff(string(want), s.out.String()); diff != "" {
		s.w.t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestBodiesAreAsWritten records a case: a post is reported twice, its reports
// are read, noted and resolved, and the post is deleted.
func TestBodiesAreAsWritten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := &script{w: w, names: map[string]string{}, forms: map[string]string{}}
		s.call("GET", "/reports", "")
		s.call("GET", "/grouped_reports", "")
		s.call("GET", "/statuses", "")
		s.call("GET", "/moderation_log", "")

		first := w.post(w.bob, social.NewStatus{Text: "Buy <b>now</b> https://shop.example #cheap", SpoilerText: "an offer"})
		w.post(w.ann, social.NewStatus{Text: "@bob no", InReplyToID: first.ID, Visibility: db.Direct})
		foreign := socialtest.Post(t, w.Social, w.eve, db.Unlisted, activitypub.Post{ID: "https://one.example/notes/1", Content: "<p>hello</p>"})
		boost, err := w.Social.Reblog(t.Context(), w.ann, first.ID, "")
		w.must(err)
		one := w.report("ann", w.bob, "Rude & <loud>", first)
		w.report("root", w.bob, "", first)
		two := w.report("ann", w.eve, "What is this?", foreign)

		s.call("POST", "/reports/"+one+"/notes", `{"content":"<i>second</i> time"}`)
		s.call("GET", "/reports/"+one, "")
		s.call("GET", "/reports?page_size=1&page=2", "")
		s.call("GET", "/grouped_reports", "")
		s.call("PATCH", "/reports", `{"reports":[{"id":"`+one+`","state":"resolved"},{"id":"x","state":"open"},{"id":"`+two+`","state":"done"}]}`)
		s.call("GET", "/users", "")
		s.call("GET", "/users/eve@one.example", "")
		s.call("GET", "/statuses?godmode=true&with_reblogs=true", "")
		s.call("GET", "/users/ann/statuses", "")
		s.call("GET", "/instances/one.example/statuses", "")
		s.call("GET", "/statuses/"+boost.ID, "")
		s.call("PUT", "/statuses/"+first.ID, `{"sensitive":true,"visibility":"private"}`)
		s.call("PATCH", "/users/deactivate", `{"nicknames":["bob"]}`)
		s.call("GET", "/reports/"+one, "")
		s.call("PATCH", "/users/bob/toggle_activation", "")
		s.call("DELETE", "/statuses/"+first.ID, "")
		s.call("GET", "/reports/"+one, "")
		s.call("GET", "/grouped_reports?page_size=2&page=1", "")
		s.call("DELETE", "/reports/"+one+"/notes/1", "")
		s.call("GET", "/moderation_log", "")
		s.check("case.txt")
	})
}

func (w *world) decode(text string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		w.t.Fatalf("%v: %.300s", err, text)
	}
}
