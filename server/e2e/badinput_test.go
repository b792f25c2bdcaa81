package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// wrong are JSON values that a strict parameter of this kind must not take.
var wrong = map[string][]string{
	"text":    {`{}`, `[]`, `7`, `1.5`, `true`, `"a\u0000b"`, "\"\xff\xfe\"", "\"a\xc3\""},
	"truth":   {`{}`, `[]`},
	"number":  {`{}`, `[]`, `"x"`, `"1x"`, `1.5`, `1e3`, `1e400`, `99999999999999999999`, `-99999999999999999999`, `true`},
	"texts":   {`7`, `"x"`, `true`, `{"a":"b"}`, `[null]`, `[{}]`, `[[]]`, `["\u0000"]`, "[\"\xff\"]"},
	"objects": {`7`, `"x"`, `[7]`, `["x"]`, `[[]]`, `[null]`},
	"object":  {`7`, `"x"`, `[]`, `true`},
	"any":     {"\"\xff\""},
}

// strange are values that a parameter may take or not, but must survive.
func strange() []string {
	return []string{
		`null`, `""`, `"   "`, `"\u0001\u0007\u001b[31m\u009b\u202e\ufeff"`, `"\ud800"`, `"../../etc/passwd"`, `"%00"`, `"' OR 1=1 --"`, `"🙈"`,
		`-1`, `0`, `9223372036854775807`, `-9223372036854775808`, `"9223372036854775807"`,
	}
}

// huge are such values too, for one parameter of each kind.
func huge() []string {
	return []string{
		`"` + strings.Repeat("é", 40_000) + `"`,
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		`[` + strings.Repeat(`"x",`, 20_000) + `"x"]`,
	}
}

// unreadable are bodies that are none, by content type.
var unreadable = sync.OnceValue(func() map[string][]string {
	big := strings.Repeat("a", 15<<20) // more than a profile with its pictures
	return map[string][]string{
		"application/json": {
			`{`, `{"a":}`, `[]`, `"x"`, `null`, `7`, `{}{}`, "\x00", "\xff\xfe{\x00}\x00", `{"a":"` + "\xff" + `"}`, `{"` + "\xff" + `":1}`,
			strings.Repeat(`{"a":`, 100_000), strings.Repeat("[", 200_000), `{"a":"` + big + `"}`,
			`{"a":[` + strings.Repeat("0,", 10_000) + `0]}`, `{` + strings.Repeat(`"a":{"b":[]},`, 5_000) + `"c":1}`, `{"a":[` + strings.Repeat("{},", 5<<20) + `{}]}`,
		},
		"application/x-www-form-urlencoded": {
			"%zz=1", "a=%", "a=1;b=%", "a[b][c][d][e][f][g][h][i][j]=1", strings.Repeat("a[]=1&", 5000), "status=" + big,
		},
		"multipart/form-data":              {"x"},
		"multipart/form-data; boundary=y":  {strings.Repeat("--y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n", 2001) + "--y--\r\n"},
		"multipart/form-data; boundary=x":  {"--x\r\nContent-Disposition: form-data; name=\"status\"\r\n\r\nx", "--x\r\nContent-Disposition: form-data; name=\"status\"\r\n\r\n" + big},
		"text/plain":                       {"status=x"},
		"application/xml":                  {"<status>x</status>"},
		"application/json; charset=utf-16": {"\xff\xfe{\x00}\x00"},
	}
})

// oddIDs are path segments that name nothing.
var oddIDs = []string{
	"0", "-1", "9nosuchid", "99999999999999999999999", "9223372036854775807", "%00", "a%00b", "%ff%fe", "%C3", "%2e%2e%2f%2e%2e", "..%2F..%2Fetc%2Fpasswd", "%2F", "%25",
	"'%20OR%201=1--", "%F0%9F%99%88", "%E2%80%AE", "*", ":id", "null", "undefined", "[object%20Object]", "%20", "%0d%0aX-Evil:%201", strings.Repeat("a", 8000),
}

// bad is a service with something in it, a caller for each kind of route, and
// an eye on its rows.
type bad struct {
	t      *testing.T
	s      *servertest.Server
	tokens map[server.Access]string
	ids    *strings.Replacer
	path   map[string]string
	rows   *watch

	flooded map[string]bool // parts of the API that got long bodies
}

func newBad(t *testing.T, s *servertest.Server) *bad {
	ctx := context.Background()
	s.User("ann")
	bob := s.User("bob")
	s.AdminUser("root")
	ann := s.Client("ann")
	post, err := s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "a post @ann"})
	must(t, err)
	report, err := ann.Reports.Create(ctx, api.NewReport{AccountID: bob.ID, StatusIDs: []string{post.ID}})
	must(t, err)
	must(t, s.Admin("root").Admin.Reports.AddNote(ctx, report.ID, "a note"))
	list, err := ann.Lists.Create(ctx, api.NewList{Title: "a list"})
	must(t, err)
	must(t, ann.Lists.Add(ctx, list.ID, bob.ID))
	phrase := "a phrase"
	_, err = ann.Filters.Create(ctx, api.NewFilter{Phrase: &phrase, Context: []string{"home"}})
	must(t, err)
	must(t, ann.DomainBlocks.Block(ctx, "far.example"))
	chat, err := ann.Chats.Open(ctx, bob.ID)
	must(t, err)
	message, err := ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "a message"})
	must(t, err)
	file, err := ann.Media.Upload(ctx, client.File{Name: "x.txt", Content: strings.NewReader("a file")}, api.MediaForm{})
	must(t, err)
	b := &bad{
		t: t, s: s, ids: strings.NewReplacer("$bob", bob.ID, "$post", post.ID, "$report", report.ID, "$chat", chat.ID, "$message", message.ID, "$media", file.ID),
		path: map[string]string{
			":nickname_or_id": "bob", ":nickname": "nobody", ":instance": "nowhere.example", ":note_id": "1", ":user_id": "$bob", ":token": "x", ":message_id": "$message", ":name": "avi.png", ":version": "2.0.json",
			":permission_group": "moderator", ":host": "nowhere.example", ":document_name": "instance-panel",
			":emoji": "%F0%9F%90%88", ":tag": "x", ":signature": "x", ":url": "aHR0cDovLw", ":filename": "x.png", "*path": "x",
			":method": "totp", ":quote": "00000000-0000-4000-8000-000000000001", ":uuid": "00000000-0000-4000-8000-000000000000",
		},
		tokens: map[server.Access]string{}, flooded: map[string]bool{},
	}
	token := s.Token("ann", servertest.AllScopes)
	b.tokens[server.Optional], b.tokens[server.User], b.tokens[server.Token], b.tokens[server.App] = token, token, token, s.AppToken()
	b.tokens[server.Admin] = s.Token("root", servertest.AdminScopes)
	for _, path := range []string{"/relay", "/internal/fetch"} {
		s.Get(ctx, path, "") // the service's own actors are made when they are first asked for
	}
	b.rows = newWatch(t, s)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// target is a route's path with something in each of its places.
func (b *bad) target(r server.Route) string {
	parts := strings.Split(r.Path, "/")
	for i, part := range parts {
		switch {
		case part == ":id" && strings.Contains(r.Path, "/statuses/"):
			parts[i] = "$post"
		case part == ":id" && strings.Contains(r.Path, "/media/"):
			parts[i] = "$media"
		case part == ":id" && strings.Contains(r.Path, "/reports/"):
			parts[i] = "$report"
		case part == ":id" && strings.Contains(r.Path, "/chats/:id"):
			parts[i] = "$chat"
		case part == ":id" && (strings.Contains(r.Path, "/accounts/") || strings.Contains(r.Path, "/by-account-id/") || strings.Contains(r.Path, "/follow_requests/")):
			parts[i] = "$bob"
		case part == ":id" && r.Method == http.MethodDelete && strings.Contains(r.Path, "/oauth_app/"):
			parts[i] = "999999" // not one that the test signs in with
		case part == ":id":
			parts[i] = "1"
		case b.path[part] != "":
			parts[i] = b.path[part]
		case strings.HasPrefix(part, ":"):
			b.t.Fatalf("%s: nothing is known of %s", r.Path, part)
		}
	}
	return b.ids.Replace(strings.Join(parts, "/"))
}

// ask sends a request over a connection, and judges the answer.
func (b *bad) ask(r server.Route, target, contentType, body string, refuse bool) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), r.Method, b.s.URL, nil)
	must(b.t, err)
	req.URL.Opaque = strings.TrimPrefix(b.s.URL, "http:") + target // sent as it is
	if body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	b.judge(r, req, target, contentType, body, refuse, http.DefaultTransport.RoundTrip)
}

// tell is ask without a connection, which takes half of the time: for values, of
// which the connection knows nothing.
func (b *bad) tell(r server.Route, target, contentType, body string, refuse bool) {
	b.t.Helper()
	if r.Access == server.Stream { // it ends with its connection
		b.ask(r, target, contentType, body, refuse)
		return
	}
	req := httptest.NewRequestWithContext(b.t.Context(), r.Method, b.s.URL+target, strings.NewReader(body))
	b.judge(r, req, target, contentType, body, refuse, func(req *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		b.s.Handler().ServeHTTP(w, req)
		return w.Result(), nil
	})
}

// judge holds a refusal to the documented shapes, and to have changed nothing.
// Nothing may be the server's fault.
func (b *bad) judge(r server.Route, req *http.Request, target, contentType, body string, refuse bool, send func(*http.Request) (*http.Response, error)) {
	b.t.Helper()
	name := fmt.Sprintf("%s %.150s %s %.80q", r.Method, target, contentType, body)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if token := b.tokens[r.Access]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := send(req)
	if err != nil {
		b.t.Errorf("%s: %v", name, err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	taken := resp.StatusCode < 400
	if taken && r.Access == server.Stream {
		return // the stream has no end; its effects are checked after the other requests of its route
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Errorf("%s: %v", name, err)
		return
	}
	switch {
	case taken && refuse:
		b.t.Errorf("%s was taken: %d %.200s", name, resp.StatusCode, raw)
	case taken || notRelayed(r, resp, raw):
	case resp.StatusCode >= 500:
		b.t.Errorf("%s: %d %.200s", name, resp.StatusCode, raw)
	default:
		if problem := documented(r, resp, raw); problem != "" {
			b.t.Errorf("%s: %d %.200s: %s", name, resp.StatusCode, raw, problem)
		}
	}
	switch {
	case reads(r): // which unchanged sees at its end
	case taken:
		b.rows.accept()
	default:
		b.unchanged(name)
	}
}

// reads tells whether all requests of a route leave the rows as they are.
func reads(r server.Route) bool { return r.Method == http.MethodGet && !makesSecrets[r.Path] }

// unchanged checks that the requests since the last check changed nothing.
func (b *bad) unchanged(name string) {
	b.t.Helper()
	if diff := b.rows.changed(); diff != "" {
		b.t.Errorf("%s changed %s", name, diff)
	}
}

// makesSecrets are the reads that change something, as they are specified.
var makesSecrets = map[string]bool{"/api/svc/accounts/mfa/setup/:method": true, "/api/svc/accounts/mfa/backup_codes": true,
	"/api/svc/admin/users/:nickname_or_id/password_reset": true}

// notRelayed reports whether a relay could not be followed or left, which is
// specified to be answered with 500 and its address.
func notRelayed(r server.Route, resp *http.Response, raw []byte) bool {
	var address string
	return strings.HasSuffix(r.Path, "/admin/relay") && resp.StatusCode == http.StatusInternalServerError && json.Unmarshal(raw, &address) == nil
}

// documented returns the difference of a refusal to the specification, "" for
// none.
func documented(r server.Route, resp *http.Response, raw []byte) string {
	kind := resp.Header.Get("Content-Type")
	if r.Access == server.Page {
		if !strings.HasPrefix(kind, "text/html; charset=utf-8") || !bytes.Contains(raw, []byte("<h1>")) {
			return "that is no page"
		}
		return ""
	}
	if resp.Header.Get("X-Request-Id") == "" {
		return "no request id"
	}
	if kind != "application/json; charset=utf-8" {
		return "the content type is " + kind
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err.Error()
	}
	switch v := v.(type) {
	case string:
		if r.Access == server.Admin && v == "Invalid parameters" && resp.StatusCode == http.StatusBadRequest {
			return ""
		}
	case []any:
		for _, item := range v {
			item, _ := item.(map[string]any)
			if words, _ := item["error"].(string); words != "" && len(item) == 1 && strings.HasSuffix(r.Path, "/email_invite") {
				continue // why no invite is mailed
			}
			if resp.StatusCode == http.StatusConflict && item["type"] == "error" && item["code"] == 409.0 {
				continue // the refusal of one user
			}
			if strings.HasSuffix(r.Path, "/email_invite") && len(item) == 1 && item["error"] != "" {
				continue
			}
			if _, ok := item["id"].(string); !ok || item["error"] != "not_found" && item["error"] != "Unsupported state" && item["error"] != "state_changed" {
				return "that is no list of items' errors"
			}
		}
		if r.Access == server.Admin && len(v) > 0 {
			return ""
		}
	case map[string]any:
		if strings.Contains(r.Path, "/oauth_app") && resp.StatusCode == http.StatusBadRequest && len(v) > 0 && v["error"] == nil {
			return "" // messages by field
		}
		return documentedObject(v)
	}
	return "that is no refusal of this API"
}

func documentedObject(v map[string]any) string {
	words, _ := v["error"].(string)
	if words == "" || strings.ContainsAny(words, "\x00\ufffd") {
		return "no error is named"
	}
	for key, item := range v {
		switch key {
		case "error", "identifier", "error_description":
		case "errors":
			list, _ := item.([]any)
			for _, e := range list {
				e, _ := e.(map[string]any)
				source, _ := e["source"].(map[string]any)
				if e["title"] != "Invalid value" || e["message"] == "" || source["pointer"] == "" {
					return "an entry of errors is not as documented"
				}
			}
			if len(list) == 0 {
				return "errors has nothing in it"
			}
		default:
			return "unexpected " + key
		}
	}
	return ""
}

// TestBadInputIsRefusedAndChangesNothing goes through the table of routes with
// all that no honest client would send.
func TestBadInputIsRefusedAndChangesNothing(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		b := newBad(t, s)
		for _, r := range s.Routes() {
			if strings.Contains(r.Path, "sign_out") || strings.HasSuffix(r.Path, "/identity_proofs") || strings.Contains(r.Path, "/trends/") {
				continue // they take nothing, and have one answer for everybody
			}
			b.badPaths(r)
			name := r.Method + " " + r.Path
			if r.Method == http.MethodGet {
				b.badQueries(r, r.Takes)
				b.unchanged(name)
				continue
			}
			in, ok := servertest.Examples[name]
			if r.Access == server.Page || r.Access == server.Federation {
				in, ok = servertest.Example{}, true
			}
			if !ok {
				t.Errorf("%s: nothing is known of its parameters", name)
			}
			if r.Access != server.Page && r.Access != server.Federation && (r.Takes == nil || strings.HasPrefix(in.Body, "--x")) {
				continue // it reads no body, or files
			}
			if s.DB.Dialect() == db.SQLite { // invalid bodies never reach the database
				b.badBodies(r)
			}
			b.badParams(r, in)
		}
	}, func(c *config.Settings) { c.Instance.Healthcheck = true })
}

func (b *bad) badPaths(r server.Route) {
	parts := strings.Split(b.target(r), "/")
	for i, part := range strings.Split(r.Path, "/") {
		if !strings.HasPrefix(part, ":") {
			continue
		}
		for _, id := range oddIDs {
			odd := slices.Clone(parts)
			odd[i] = id
			// The body is a valid sample, so that only the path is wrong.
			body := b.ids.Replace(servertest.Examples[r.Method+" "+r.Path].Body)
			kind := servertest.Examples[r.Method+" "+r.Path].ContentType()
			named := r.Path == "/api/v1/notifications/:id" || r.Path == "/api/v1/notifications/:id/dismiss" || r.Path == "/api/oauth_tokens/:id"
			// An invisible status has no reactions, and one of the odd names is
			// an emoji. Any text may be a hashtag. With open registration an
			// invitation does not matter, and a dead link is answered like one
			// that works.
			anything := strings.Contains(r.Path, "/reactions") || part == ":tag" || strings.HasPrefix(r.Path, "/api/v1/tags/") ||
				r.Path == "/registration/:token" || r.Path == "/api/svc/password_reset/:token"
			b.ask(r, strings.Join(odd, "/"), kind, body, !anything && (!named || id != "1"))
		}
	}
}

// long bodies are cut off before their handler runs. They are sent to one route
// of each kind of caller in each part of the API.
const long = 1 << 20

func (b *bad) badBodies(r server.Route) {
	part := fmt.Sprint(r.Access, strings.Split(r.Path, "/")[:min(4, strings.Count(r.Path, "/"))])
	floods := !b.flooded[part]
	b.flooded[part] = true
	for kind, bodies := range unreadable() {
		for _, body := range bodies {
			if len(body) > long && !floods {
				continue
			}
			b.ask(r, b.target(r), kind, body, true)
		}
	}
}

func (b *bad) badParams(r server.Route, in servertest.Example) {
	seen := map[string]bool{}
	for _, p := range paramsOf(r.Takes) {
		values := strange()
		if !seen[p.kind] {
			seen[p.kind] = true
			values = append(values, huge()...)
		}
		for _, v := range wrong[p.kind] {
			// A text, since "" is never, or a number of seconds.
			if v == "7" && p.path[len(p.path)-1] == "expires_in" && strings.HasPrefix(r.Path, "/api/v2/filters") {
				continue
			}
			b.tell(r, b.target(r), "application/json", b.ids.Replace(with(in.Body, p.path, v)), in.Strict)
		}
		for _, v := range values {
			b.tell(r, b.target(r), "application/json", b.ids.Replace(with(in.Body, p.path, v)), false)
		}
		name := p.path[0]
		for _, more := range p.path[1:] {
			name += "[" + more + "]"
		}
		for _, v := range []string{"%00", "%ff%fe", "%C3", "a%00b"} {
			b.tell(r, b.target(r), "application/x-www-form-urlencoded", name+"="+v, p.kind == "text")
		}
		b.tell(r, b.target(r), "application/x-www-form-urlencoded", name+"=1&"+name+"[]=2&"+name+"[x]=3&"+name+"[0]=4&"+name+"[[=5", false)
	}
}

// with is sample with the value v, which may be no JSON, at path.
func with(sample string, path []string, v string) string {
	var whole map[string]any
	if err := json.Unmarshal([]byte(sample), &whole); err != nil {
		panic(err)
	}
	const mark = "\x01here\x01"
	at := whole
	for _, name := range path[:len(path)-1] {
		next := map[string]any{}
		at[name], at = next, next
	}
	at[path[len(path)-1]] = mark
	raw, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	quoted, err := json.Marshal(mark)
	if err != nil {
		panic(err)
	}
	return strings.Replace(string(raw), string(quoted), v, 1)
}

func (b *bad) badQueries(r server.Route, params any) {
	names := []string{"nonsense", "access_token"}
	for _, p := range paramsOf(params) {
		names = append(names, p.path[0])
	}
	for _, name := range names {
		for _, v := range []string{
			"", "%00", "a%00b", "%ff%fe", "%C3", "%20", "x", "-1", "0", "1.5", "99999999999999999999", "-9223372036854775808", "9223372036854775807",
			"%27%20OR%201=1--", "%25", "_%25%5C", "%E2%80%AE%F0%9F%99%88", "..%2F", "%zz", strings.Repeat("a", 20_000),
		} {
			if name == "access_token" && r.Access != server.Public && r.Access != server.Optional && v != "" {
				continue // that is another test
			}
			b.tell(r, b.target(r)+"?"+name+"="+v, "", "", false)
			b.tell(r, b.target(r)+"?"+name+"[]="+v+"&"+name+"[x]="+v, "", "", false)
		}
	}
	b.tell(r, b.target(r)+"?"+strings.Repeat("a[]=1&", 5000), "", "", false)
	b.tell(r, b.target(r)+"?a[b][c][d][e][f][g][h][i][j]=1&[]=&[[=1&]=2&=3&%ff=1&%00=1", "", "", false)
	b.tell(r, b.target(r)+"?"+url.Values{"limit": {"-5", "1000000"}, "max_id": {"x", "\x00"}}.Encode(), "", "", false)
}
