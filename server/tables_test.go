package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// tables is a running service with an admin, root, for the cases of the rows in
// testdata/api_tables.txt. Each case has users of its own.
type tables struct {
	*servertest.Server
	t *testing.T
	n int
}

// tableRow is a line of testdata/api_tables.txt.
type tableRow struct {
	id, name string
	routes   []string // METHOD path
}

func readTables(t *testing.T) []tableRow {
	t.Helper()
	raw, err := os.ReadFile("testdata/api_tables.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []tableRow
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 4 || cells[2] == "" || cells[3] == "" {
			t.Fatalf("%s: want id | routes | case | what it says", line)
		}
		row := tableRow{id: cells[0], name: cells[2]}
		for _, r := range strings.Split(cells[1], ",") {
			method, path, found := strings.Cut(strings.TrimSpace(r), " ")
			if !found {
				continue
			}
			if !strings.HasPrefix(path, "/api/v1/") && !strings.HasPrefix(path, "/oauth/") {
				path = "/api/svc/admin" + path
			}
			row.routes = append(row.routes, method+" "+path)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestEveryRowOfTheTablesHasACase: every case also has a row, every row of an
// endpoint a route, and every admin route a row.
func TestEveryRowOfTheTablesHasACase(t *testing.T) {
	s := servertest.Start(t)
	var routes []string
	for _, r := range s.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	ids, used, named := map[string]bool{}, map[string]bool{}, []string{}
	for _, row := range readTables(t) {
		if ids[row.id] || used[row.name] {
			t.Errorf("%s: a second row of this id or case", row.id)
		}
		ids[row.id] = true
		for _, r := range row.routes {
			if !slices.Contains(routes, r) {
				t.Errorf("%s: %s has no route", row.id, r)
			}
		}
		named = append(named, row.routes...)
		used[row.name] = true
		if tableCases[row.name] == nil {
			t.Errorf("%s has no case %s", row.id, row.name)
		}
	}
	for name := range tableCases {
		if !used[name] {
			t.Errorf("case %s has no row", name)
		}
	}
	for _, r := range s.Routes() {
		if name := r.Method + " " + r.Path; r.Access == server.Admin && slices.Contains(named, name) == servertest.Examples[name].Added {
			t.Errorf("%s has no row, or is an addition with one", name)
		}
	}
}

// TestTheTablesAreTrue runs the case of every row of the tables.
func TestTheTablesAreTrue(t *testing.T) {
	dbtest.Alone(t)
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.On(t, dsn, servertest.WithMail, func(c *config.Settings) {
			c.Instance.RegistrationsOpen, c.Instance.InvitesEnabled = false, true
			c.MediaProxy.Enabled = true
		})
		s.AdminUser("root")
		for i, row := range readTables(t) {
			if do := tableCases[row.name]; do != nil {
				t.Run(row.id+"_"+row.name, func(t *testing.T) { do(&tables{Server: s, t: t, n: i}) })
			}
		}
	})
}

// nick is a nickname that no other case has.
func (w *tables) nick(name string) string { return fmt.Sprintf("%s%d", name, w.n) }

// user makes a user of this case.
func (w *tables) user(name string) *db.Account {
	w.t.Helper()
	a := w.User(w.nick(name))
	return a
}

func (w *tables) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// sql changes rows in a way that no request does.
func (w *tables) sql(query string, args ...any) {
	w.t.Helper()
	w.must(dbtest.Exec(w.t, w.DB, query, args...))
}

// row is an account as it is stored now, nil for none.
func (w *tables) row(nickname string) *db.Account {
	w.t.Helper()
	a, err := w.DB.AccountByNickname(w.t.Context(), nickname)
	if err != nil {
		return nil
	}
	return a
}

// answer is the answer to a request.
type answer struct {
	t      *testing.T
	what   string
	status int
	text   string
	body   any
}

// as sends a request with a token, under the admin API unless its path says
// /api or /oauth itself. A body that begins with a brace is JSON, any other a
// form.
func (w *tables) as(token, method, path, body string) *answer {
	w.t.Helper()
	if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/oauth/") {
		path = "/api/svc/admin" + path
	}
	kind := ""
	switch {
	case strings.HasPrefix(body, "{"):
		kind = "application/json"
	case body != "":
		kind = "application/x-www-form-urlencoded"
	}
	return w.send(token, method, path, kind, strings.NewReader(body))
}

func (w *tables) send(token, method, path, kind string, body io.Reader) *answer {
	w.t.Helper()
	// The end of a case sends requests too, after its context has ended.
	req, err := http.NewRequestWithContext(context.WithoutCancel(w.t.Context()), method, w.URL+path, body)
	w.must(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	a := &answer{t: w.t, what: method + " " + path, status: resp.StatusCode, text: string(raw)}
	_ = json.Unmarshal(raw, &a.body)
	return a
}

// admin sends a request as root.
func (w *tables) admin(method, path, body string) *answer {
	w.t.Helper()
	return w.as(w.Token("root", servertest.AdminScopes), method, path, body)
}

// person sends a request as a user of this case, under /api/v1.
func (w *tables) person(name, method, path, body string) *answer {
	w.t.Helper()
	return w.as(w.Token(w.nick(name), servertest.AllScopes), method, path, body)
}

// ok checks for status 200.
func (a *answer) ok() *answer { a.t.Helper(); return a.code(http.StatusOK) }

func (a *answer) code(status int) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("%s: %d %.300s, want %d", a.what, a.status, a.text, status)
	}
	return a
}

// is checks the status and the whole body.
func (a *answer) is(status int, text string) *answer {
	a.t.Helper()
	if a.status != status || a.text != text {
		a.t.Errorf("%s: %d %.300s, want %d %s", a.what, a.status, a.text, status, text)
	}
	return a
}

// at returns the value at a path through the JSON, such as users.0.nickname;
// nil for none.
func (a *answer) at(path string) any {
	v := a.body
	if path == "" {
		return v
	}
	for _, step := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// has checks the values at paths: pairs of a path and a value. A kind of
// reflect stands for any value of that kind.
func (a *answer) has(pairs ...any) *answer {
	a.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path, want := pairs[i].(string), pairs[i+1]
		got := a.at(path)
		same := false
		switch want := want.(type) {
		case reflect.Kind:
			same = got != nil && reflect.TypeOf(got).Kind() == want
		case int:
			same = got == float64(want)
		case int64:
			same = got == float64(want)
		default:
			same = reflect.DeepEqual(got, want)
		}
		if !same {
			a.t.Errorf("%s: %s is %v, want %v: %.400s", a.what, path, got, want, a.text)
		}
	}
	return a
}

// keys checks that an object has these keys, and others perhaps.
func (a *answer) keys(path string, keys ...string) *answer {
	a.t.Helper()
	object, _ := a.at(path).(map[string]any)
	for _, k := range keys {
		if _, ok := object[k]; !ok {
			a.t.Errorf("%s: %s has no %s, but %v", a.what, path, k, slices.Sorted(maps.Keys(object)))
		}
	}
	return a
}

// count checks the number of items of a list.
func (a *answer) count(path string, n int) *answer {
	a.t.Helper()
	list, ok := a.at(path).([]any)
	if !ok || len(list) != n {
		a.t.Errorf("%s: %s has %d items, want %d: %.300s", a.what, path, len(list), n, a.text)
	}
	return a
}

// each returns the values of a field of a list's items.
func (a *answer) each(path, field string) []string {
	out := []string{}
	list, _ := a.at(path).([]any)
	for i := range list {
		p := strconv.Itoa(i)
		if path != "" {
			p = path + "." + p
		}
		if field != "" {
			p += "." + field
		}
		out = append(out, fmt.Sprint(a.at(p)))
	}
	return out
}

// lists checks the values of a field of a list's items.
func (a *answer) lists(path, field string, want ...string) *answer {
	a.t.Helper()
	if got := a.each(path, field); !slices.Equal(got, want) {
		a.t.Errorf("%s: %s of %s are %v, want %v", a.what, field, path, got, want)
	}
	return a
}

// id is the value at id.
func (a *answer) id() string {
	a.t.Helper()
	id, ok := a.at("id").(string)
	if !ok {
		a.t.Fatalf("%s: no id: %d %.300s", a.what, a.status, a.text)
	}
	return id
}

// post posts as a user of this case and returns the id.
func (w *tables) post(name, form string) string {
	w.t.Helper()
	return w.person(name, "POST", "/api/v1/statuses", form).ok().id()
}

// report files a report by one user of this case on another.
func (w *tables) report(by, on string, statuses ...string) string {
	w.t.Helper()
	form := "account_id=" + w.user(on).ID + "&comment=rude"
	for _, id := range statuses {
		form += "&status_ids[]=" + id
	}
	return w.person(by, "POST", "/api/v1/reports", form).ok().id()
}

// message is the newest entry of the log.
func (w *tables) message() string {
	w.t.Helper()
	text, _ := w.admin("GET", "/moderation_log?page_size=1", "").ok().at("0.message").(string)
	return text
}

// logged checks the newest entry of the log.
func (w *tables) logged(want string) {
	w.t.Helper()
	if got := w.message(); got != want {
		w.t.Errorf("the log says %q, want %q", got, want)
	}
}

const (
	notFoundText = `{"error":"Not found"}`
	badText      = `"Invalid parameters"`
	noAdmin      = `{"error":"User is not an admin."}`
	nobodyText   = `{"error":"Invalid credentials."}`
)

// tableCases are the cases, by their names in the rows.
var tableCases = func() map[string]func(*tables) {
	all := map[string]func(*tables){}
	for _, some := range []map[string]func(*tables){userCases, statusCases, adminCases, clientCases, errorCases, stateCases, relayCases} {
		maps.Copy(all, some)
	}
	return all
}()

// apart is another service on the same database, with other boot settings.
func (w *tables) apart(edit func(*config.Config)) http.Handler {
	w.t.Helper()
	cfg := config.Defaults()
	cfg.BaseURL, cfg.Database, cfg.DataDir = w.Base(), w.DSN, w.t.TempDir()
	cfg.Settings = *w.Settings.Load()
	edit(&cfg)
	s, err := server.New(context.WithoutCancel(w.t.Context()), cfg, dbtest.Open(w.t, w.DSN), server.Options{Log: slog.New(slog.DiscardHandler)})
	w.must(err)
	return s.Handler()
}
