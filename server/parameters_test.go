package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	cmpdiff "github.com/google/go-cmp/cmp"

	"svc/server"
	"svc/server/servertest"
)

// parameterTable is what shows that each parameter of the client API acts. Under a route
// (with > and another body than that of servertest.Examples, @ and where else to look at
// the effect) each line is a parameter and a value with which the answer differs: JSON in
// a body, a query in a GET. Words with $ are those of the world below.
const parameterTable = "testdata/parameters.txt"

// paging are the parameters of pages. Those of a list are tried without a line.
var paging = []string{"max_id", "since_id", "min_id", "limit"}

// seenElsewhere are files of tests that see what the parameters of a route do, where that
// takes more than one request.
var seenElsewhere = map[string]string{
	"GET /.well-known/webfinger":                    "api/clientapi/wellknown_test.go",
	"GET /oauth/authorize":                          "api/pages/pages_test.go",
	"GET /api/v1/search":                            "api/clientapi/search_test.go",
	"GET /api/v2/search":                            "api/clientapi/search_test.go",
	"GET /api/v1/followed_tags":                     "followed_tags_test.go",
	"GET /api/oembed":                               "api/clientapi/oembed_test.go",
	"GET /api/svc/emoji/packs":                      "api/clientapi/emojis_test.go",
	"GET /api/svc/emoji/pack":                       "api/clientapi/emojis_test.go",
	"GET /api/svc/emoji/packs/archive":              "api/clientapi/emojis_test.go",
	"DELETE /api/svc/emoji/packs/files":             "api/adminapi/emojis_changes_test.go",
	"PATCH /api/svc/emoji/packs/files":              "api/adminapi/emojis_changes_test.go",
	"POST /api/svc/emoji/packs/files":               "api/adminapi/emojis_changes_test.go",
	"POST /api/svc/emoji/pack":                      "api/adminapi/emoji_packs_test.go",
	"PATCH /api/svc/emoji/pack":                     "api/adminapi/emoji_packs_test.go",
	"DELETE /api/svc/emoji/pack":                    "api/adminapi/emoji_packs_test.go",
	"GET /api/svc/emoji/packs/remote":               "api/adminapi/emoji_packs_test.go",
	"POST /api/svc/emoji/packs/download":            "api/adminapi/emoji_packs_test.go",
	"POST /api/svc/emoji/packs/download_zip":        "api/adminapi/emoji_packs_test.go",
	"POST /oauth/token":                             "api/clientapi/oauth_test.go",
	"POST /oauth/revoke":                            "api/clientapi/oauth_test.go",
	"POST /oauth/mfa/challenge":                     "api/clientapi/security_test.go",
	"POST /api/v1/accounts":                         "api/clientapi/registration_test.go",
	"POST /api/v1/svc/accounts/confirmation_resend": "api/clientapi/registration_test.go",
	"POST /auth/password":                           "api/clientapi/registration_test.go",
	"POST /api/svc/change_password":                 "api/clientapi/security_test.go",
	"POST /api/svc/change_email":                    "api/clientapi/security_test.go",
	"POST /api/svc/delete_account":                  "api/clientapi/security_test.go",
	"POST /api/svc/disable_account":                 "api/clientapi/security_test.go",
	"POST /api/svc/accounts/mfa/confirm/:method":    "api/clientapi/security_test.go",
	"DELETE /api/svc/accounts/mfa":                  "api/clientapi/security_test.go",
	"DELETE /api/svc/accounts/mfa/:method":          "api/clientapi/security_test.go",
	"PUT /api/svc/aliases":                          "e2e/federation_moves_test.go",
	"DELETE /api/svc/aliases":                       "e2e/federation_moves_test.go",
	"POST /api/svc/move_account":                    "e2e/federation_moves_test.go",
	"DELETE /api/svc/move_account":                  "e2e/federation_moves_test.go",
}

// paramRow is a route of the table.
type paramRow struct {
	body, look string
	values     map[string]string
}

func readParameters(t *testing.T) map[string]*paramRow {
	t.Helper()
	raw, err := os.ReadFile(parameterTable)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*paramRow{}
	var at *paramRow
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			at = &paramRow{body: servertest.Examples[line].Body, values: map[string]string{}}
			out[line] = at
		case name == ">":
			at.body = rest
		case name == "@":
			at.look = rest
		default:
			at.values[name] = rest
		}
	}
	return out
}

// parametersOf are the names in a form, with dots between those of nested ones.
func parametersOf(form reflect.Type, before string) (names []string) {
	for i := range form.NumField() {
		f := form.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous:
			names = append(names, parametersOf(inner, before)...)
		case inner.Kind() == reflect.Struct:
			names = append(names, parametersOf(inner, before+name+".")...)
		default:
			names = append(names, before+name)
		}
	}
	return names
}

var (
	codes = regexp.MustCompile("`([^`]+)`")
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// ignoredParameters are those that docs/clients.md says do nothing, by route. A name of a
// nested one is written as in a form: source[quote_policy].
func ignoredParameters(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "| route | ignored |")
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		method := ""
		for _, route := range codes.FindAllStringSubmatch(cells[1], -1) {
			path := route[1]
			if m, rest, found := strings.Cut(path, " "); found {
				method, path = m, rest
			}
			for _, name := range codes.FindAllStringSubmatch(cells[2], -1) {
				out[method+" "+path] = append(out[method+" "+path], name[1])
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("docs/clients.md has no table of ignored parameters")
	}
	return out
}

// TestEveryParameterActs sends each parameter of the client API, and sees another answer
// than without it; twice the same request is answered alike. What does nothing is in the
// table of docs/clients.md, and does nothing.
func TestEveryParameterActs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newParamWorld(t, s)
		rows, ignored := readParameters(t), ignoredParameters(t)
		takes := map[string]any{}
		for _, r := range s.Routes() {
			if r.Takes != nil && r.Access != server.Stream { // the tests of streaming see those
				takes[r.Method+" "+r.Path] = r.Takes
			}
		}
		routes := slices.SortedFunc(maps.Keys(takes), func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.Index(b, "GET "), strings.Index(a, "GET ")), cmp.Compare(a, b)) // reads first
		})
		for _, route := range routes {
			form := takes[route]
			if strings.Contains(route, "/admin/") {
				continue
			}
			row, left := rows[route], map[string]bool{}
			if row != nil {
				for name := range row.values {
					left[name] = true
				}
			} else {
				row = &paramRow{body: servertest.Examples[route].Body}
			}
			names := parametersOf(reflect.TypeOf(form), "")
			for name := range left {
				if !slices.Contains(names, name) {
					names = append(names, name) // one with another name for it
				}
			}
			for _, name := range names {
				value, has := row.values[name]
				switch {
				case slices.Contains(ignored[route], inBrackets(name)):
					if has && !strings.HasPrefix(value, "body ") {
						t.Errorf("%s: docs/clients.md says that %s does nothing", route, name)
					}
				case strings.HasPrefix(value, "in "):
					w.stands(route, name, value[3:])
				case has:
					w.acts(route, row, name, value)
				case seenElsewhere[route] != "":
					w.stands(route, name, seenElsewhere[route])
				case slices.Contains(paging, name) && strings.HasPrefix(route, "GET "):
					w.pages(route, name)
				default:
					t.Errorf("%s: no test sees what %s does, and docs/clients.md does not say that it is ignored", route, name)
				}
			}
		}
		for route := range rows {
			if takes[route] == nil {
				t.Errorf("%s has parameters in %s alone", route, parameterTable)
			}
		}
		for route, names := range ignored {
			if strings.HasPrefix(route, "GET /oauth") {
				continue // a page
			}
			row := rows[route]
			if row == nil {
				row = &paramRow{body: servertest.Examples[route].Body}
			}
			for _, name := range names {
				w.idle(route, row, name)
			}
		}
	})
}

// stands fails unless a parameter stands in a file of tests, as it is or as a field, or in
// the words that come after the file's name.
func (w *paramWorld) stands(route, name, file string) {
	w.t.Helper()
	file, words, _ := strings.Cut(file, " ")
	bare := func(text string) string { return strings.ToLower(strings.ReplaceAll(text, "_", "")) }
	text := bare(string(must(os.ReadFile(filepath.FromSlash(file)))(w.t)))
	if last := bare(cmp.Or(words, name[strings.LastIndexByte(name, '.')+1:])); !strings.Contains(text, last) {
		w.t.Errorf("%s: %s does not stand in %s", route, name, file)
	}
}

// inBrackets writes a.b as a[b].
func inBrackets(name string) string {
	first, rest, nested := strings.Cut(name, ".")
	if !nested {
		return name
	}
	return first + "[" + strings.ReplaceAll(rest, ".", "][") + "]"
}

// acts fails unless the answer with a parameter differs from that without.
func (w *paramWorld) acts(route string, row *paramRow, name, value string) {
	w.t.Helper()
	before, again := w.end(route, row, name, ""), w.end(route, row, name, "")
	for tries := 0; before != again && tries < 10; tries++ { // jobs change the world meanwhile
		time.Sleep(200 * time.Millisecond)
		before, again = again, w.end(route, row, name, "")
	}
	if before != again {
		w.t.Errorf("%s: twice without %s (-first +second):\n%s", route, name, cmpdiff.Diff(before, again))
	}
	if after := w.end(route, row, name, value); after == before {
		w.t.Errorf("%s: %s %s does nothing: %.300s", route, name, value, after)
	} else if !strings.HasPrefix(after, "2") && !strings.HasSuffix(value, " refused") {
		w.t.Errorf("%s: %s %s is refused: %.300s", route, name, value, after)
	}
}

// idle fails if the answer with a parameter differs from that without.
func (w *paramWorld) idle(route string, row *paramRow, name string) {
	w.t.Helper()
	value := `"true"`
	if strings.HasPrefix(route, "GET ") {
		value = name + "=true"
	}
	dotted := strings.ReplaceAll(strings.ReplaceAll(name, "[", "."), "]", "")
	before := w.end(route, row, dotted, "")
	if strings.HasPrefix(route, "DELETE ") && w.end(route, row, dotted, "") != before {
		return // what is gone cannot be deleted again
	}
	after := w.end(route, row, dotted, value)
	for tries := 0; after != before && tries < 10; tries++ {
		time.Sleep(200 * time.Millisecond)
		before, after = w.end(route, row, dotted, ""), w.end(route, row, dotted, value)
	}
	if after != before {
		w.t.Errorf("%s: %s is said to do nothing (-without +with):\n%s", route, name, cmpdiff.Diff(before, after))
	}
}

// pages fails unless a parameter of pages leaves something out of a list.
func (w *paramWorld) pages(route, name string) {
	w.t.Helper()
	path := w.path(route)
	all := w.ask(http.MethodGet, path, "")
	if name == "limit" {
		if one := w.ask(http.MethodGet, path+"?limit=1", ""); one == all {
			w.t.Errorf("%s: limit does nothing: %.200s", route, one)
		}
		return
	}
	key := w.key(path)
	if got := w.ask(http.MethodGet, path+"?"+name+"="+key, ""); got == all || !strings.HasPrefix(got, "200") {
		w.t.Errorf("%s: %s=%s does nothing: %.200s", route, name, key, got)
	}
}

// key is that of the first item of a list, which its Link header names, or its id.
func (w *paramWorld) key(path string) string {
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.s.URL+path+"?limit=1", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if m := regexp.MustCompile(`max_id=([^&>]+)`).FindStringSubmatch(resp.Header.Get("Link")); m != nil {
		return m[1]
	}
	var rows []struct {
		ID string `json:"id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&rows); err != nil || len(rows) == 0 {
		w.t.Errorf("%s: %v %v", path, rows, err)
		return ""
	}
	return rows[0].ID
}

// end is how a request with a parameter ends, "" for without it: the answer and what is
// read afterwards, without what every request makes anew.
func (w *paramWorld) end(route string, row *paramRow, name, value string) string {
	w.t.Helper()
	method, _, _ := strings.Cut(route, " ")
	path, value := w.path(route), strings.TrimSuffix(w.named(value), " refused")
	full, body := w.named(row.values[name]), ""
	if base, _, found := strings.Cut(full, "?"); found && strings.HasPrefix(full, "/") {
		if path = base; value != "" {
			path = full
		}
	} else if method == http.MethodGet {
		query := []string{}
		for part := range strings.SplitSeq(w.named(row.body), "&") {
			if had, _, _ := strings.Cut(part, "="); part != "" && strings.TrimSuffix(had, "[]") != name {
				query = append(query, part)
			}
		}
		if value != "" {
			query = append(query, value)
		}
		path += "?" + strings.Join(query, "&")
	} else {
		form, whole := map[string]any{}, w.named(row.body)
		if strings.HasPrefix(full, "body ") {
			whole = strings.TrimSuffix(full[5:], " refused")
		}
		if whole != "" {
			if err := json.Unmarshal([]byte(whole), &form); err != nil {
				w.t.Fatalf("%s: %v: %s", route, err, whole)
			}
		}
		var v any
		switch {
		case value != "" && strings.HasPrefix(full, "body "):
			v = valueAt(form, strings.Split(name, "."))
		case value != "":
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				w.t.Fatalf("%s: %s: %v: %s", route, name, err, value)
			}
		}
		put(form, strings.Split(name, "."), v, value == "")
		raw, err := json.Marshal(form)
		if err != nil {
			w.t.Fatal(err)
		}
		body = string(raw)
	}
	out := w.ask(method, path, body)
	if row.look != "" {
		out += "\n" + w.ask(http.MethodGet, w.named(row.look), "")
	}
	return out
}

// valueAt is a value in a form, in the first of a list of objects.
func valueAt(v any, path []string) any {
	for _, name := range path {
		if all, ok := v.([]any); ok {
			v = all[0]
		}
		v = v.(map[string]any)[name]
	}
	return v
}

// put sets or removes a value. The fields of a list of objects are those of its first.
func put(form map[string]any, path []string, v any, remove bool) {
	if len(path) > 2 && path[0] == "data" && path[1] == "alerts" {
		path = []string{"data", "alerts", strings.Join(path[2:], ".")}
	}
	switch inner := form[path[0]].(type) {
	case map[string]any:
		if len(path) > 1 {
			put(inner, path[1:], v, remove)
			return
		}
	case []any:
		if len(path) > 1 {
			put(inner[0].(map[string]any), path[1:], v, remove)
			return
		}
	case nil:
		if len(path) > 1 && remove {
			return
		}
		if len(path) > 1 {
			made := map[string]any{}
			put(made, path[1:], v, remove)
			v = made
		}
	}
	if remove {
		delete(form, path[0])
		return
	}
	form[path[0]] = v
}

// ask returns status and answer, without what differs between two equal requests.
func (w *paramWorld) ask(method, path, body string) string {
	w.t.Helper()
	status, text := query(w.t, w.s, w.token, method, path, body)
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		raw, err := json.Marshal(settled(v, method == http.MethodGet))
		if err != nil {
			w.t.Fatal(err)
		}
		text = string(raw)
	}
	return fmt.Sprint(status, " ", text)
}

// settled is v without what every request makes anew; a read has no such thing but times.
func settled(v any, read bool) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = settled(v[i], read)
		}
	case map[string]any:
		for _, name := range []string{"id", "uri", "url", "account", "conversation_id", "version", "client_id", "client_secret", "token", "preview_url", "text_url"} {
			if _, nested := v["username"]; !read && !nested {
				delete(v, name)
			}
		}
		for name, inner := range v {
			if text, ok := inner.(string); ok && times.MatchString(text) && name != "scheduled_at" {
				v[name] = "a time"
				continue
			}
			v[name] = settled(inner, read)
		}
	}
	return v
}
