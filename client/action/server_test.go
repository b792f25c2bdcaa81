package action

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc/client"
)

// peer is a fake admin API: it has the objects of a test, records the writes,
// and misbehaves on demand.
type peer struct {
	t  *testing.T
	mu sync.Mutex

	reports  map[string]string // state by id
	notes    map[string][]note
	users    map[string]bool              // deactivated by nickname
	statuses map[string]map[string]string // sensitive and visibility by id
	log      []string                     // action, actor, time, message; newest first
	self     string

	writes []string // METHOD path body
	reads  int
	// before sees each request first; true means it has answered.
	before func(w http.ResponseWriter, r *http.Request, body string) bool
	// cut drops the connection after this many writes have taken effect.
	cut bool
}

type note struct {
	ID      int64  `json:"id"`
	Content string `json:"content"`
}

func newPeer(t *testing.T) *peer {
	return &peer{
		t: t, self: "mika",
		reports: map[string]string{}, notes: map[string][]note{}, users: map[string]bool{},
		statuses: map[string]map[string]string{},
	}
}

func (p *peer) client(opts ...client.Option) *client.Client {
	p.t.Helper()
	server := httptest.NewServer(p)
	p.t.Cleanup(server.Close)
	c, err := client.New(server.URL, append([]client.Option{client.WithToken("t"), client.WithRetries(0)}, opts...)...)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("read body: %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	body := string(data)
	if r.Method == http.MethodGet {
		p.reads++
	} else {
		p.writes = append(p.writes, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(r.URL.Path, adminPath)+" "+body))
	}
	if p.before != nil && p.before(w, r, body) {
		return
	}
	status, answer := p.answer(r, data)
	if p.cut && r.Method != http.MethodGet {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			p.t.Errorf("write answer: %v", err)
		}
	}
}

var nothing = map[string]string{"error": "Not found"}

func (p *peer) answer(r *http.Request, body []byte) (int, any) {
	if r.URL.Path == "/api/v1/accounts/verify_credentials" {
		return 200, map[string]any{"acct": p.self}
	}
	path := strings.Split(strings.TrimPrefix(r.URL.Path, adminPath+"/"), "/")
	switch {
	case path[0] == "moderation_log":
		return 200, p.findLog(r.URL.Query().Get("search"))
	case path[0] == "reports" && r.Method == http.MethodPatch:
		return p.patchReports(body)
	case path[0] == "reports" && len(path) > 2:
		return p.changeNotes(r.Method, path, body)
	case path[0] == "reports":
		state, ok := p.reports[path[1]]
		if !ok {
			return 404, nothing
		}
		return 200, map[string]any{"id": path[1], "state": state, "notes": p.notes[path[1]]}
	case path[0] == "users":
		return p.answerUsers(r, path, body)
	}
	state, ok := p.statuses[path[1]]
	if !ok {
		return 404, nothing
	}
	switch r.Method {
	case http.MethodDelete:
		delete(p.statuses, path[1])
		return 200, map[string]any{}
	case http.MethodPut:
		var update map[string]any
		if err := json.Unmarshal(body, &update); err != nil {
			p.t.Errorf("PUT body: %v", err)
		}
		for key, value := range update {
			state[key] = fmt.Sprint(value)
		}
	}
	sensitive, err := strconv.ParseBool(state["sensitive"])
	if err != nil {
		p.t.Errorf("sensitive: %v", err)
	}
	return 200, map[string]any{"id": path[1], "sensitive": sensitive, "visibility": state["visibility"]}
}

func (p *peer) patchReports(body []byte) (int, any) {
	var patch struct {
		Reports []struct{ ID, State, Was string }
	}
	if err := json.Unmarshal(body, &patch); err != nil {
		p.t.Errorf("PATCH body: %v", err)
	}
	var bad []map[string]string
	for _, item := range patch.Reports {
		if _, ok := p.reports[item.ID]; !ok {
			bad = append(bad, map[string]string{"id": item.ID, "error": "not_found"})
			continue
		}
		if now := p.reports[item.ID]; item.Was != "" && now != item.Was {
			bad = append(bad, map[string]string{"id": item.ID, "error": "state_changed"})
			continue
		}
		p.reports[item.ID] = item.State
	}
	if bad != nil {
		return 400, bad
	}
	return 204, nil
}

func (p *peer) changeNotes(method string, path []string, body []byte) (int, any) {
	notes := p.notes[path[1]]
	if method == http.MethodPost {
		var n note
		if err := json.Unmarshal(body, &n); err != nil {
			p.t.Errorf("note body: %v", err)
		}
		n.ID = int64(len(notes) + 1)
		p.notes[path[1]] = append(notes, n)
		return 204, nil
	}
	p.notes[path[1]] = slices.DeleteFunc(notes, func(n note) bool { return strconv.FormatInt(n.ID, 10) == path[3] })
	return 204, nil
}

func (p *peer) answerUsers(r *http.Request, path []string, body []byte) (int, any) {
	show := func(nickname string) map[string]any {
		return map[string]any{"id": len(nickname), "nickname": nickname, "deactivated": p.users[nickname]}
	}
	if r.Method == http.MethodPatch {
		var in struct{ Nicknames []string }
		if err := json.Unmarshal(body, &in); err != nil {
			p.t.Errorf("PATCH body: %v", err)
		}
		for _, nickname := range in.Nicknames {
			if _, ok := p.users[nickname]; !ok {
				return 404, nothing
			}
		}
		users := []any{}
		for _, nickname := range in.Nicknames {
			p.users[nickname] = path[1] == "deactivate"
			users = append(users, show(nickname))
		}
		return 200, map[string]any{"users": users}
	}
	if len(path) == 1 {
		found := []any{}
		for nickname := range p.users {
			if strings.Contains(nickname, r.URL.Query().Get("query")) {
				found = append(found, show(nickname))
			}
		}
		return 200, map[string]any{"users": found, "count": len(found), "page_size": 100}
	}
	if path[1] == "invites" {
		return 200, map[string]any{"invites": []any{}}
	}
	for nickname := range p.users { // the server tries a serial number first
		if strconv.Itoa(len(nickname)) == path[1] {
			return 200, show(nickname)
		}
	}
	if _, ok := p.users[path[1]]; !ok {
		return 404, nothing
	}
	return 200, show(path[1])
}

// logged is a line "action actor time message".
func (p *peer) findLog(search string) []any {
	found := []any{}
	for i, line := range p.log {
		part := strings.SplitN(line, " ", 4)
		at, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil {
			p.t.Errorf("log line %q: %v", line, err)
		}
		if strings.Contains(part[3], search) {
			found = append(found, map[string]any{
				"id": i, "time": at, "message": part[3],
				"data": map[string]any{"action": part[0], "actor": map[string]any{"nickname": part[1]}, "message": part[3]},
			})
		}
	}
	return found
}
