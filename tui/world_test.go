package tui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

type object = map[string]any

// world is a fake server: it answers as the specification says, from
// testdata/world.json, and records the requests.
type world struct {
	*httptest.Server

	mu       sync.Mutex
	Me       object         `json:"me"`
	Reports  []object       `json:"reports"` // newest first
	Users    []object       `json:"users"`
	Log      []object       `json:"log"` // oldest first
	Statuses []object       `json:"statuses"`
	Answers  map[string]any `json:"answers"` // to GETs, by path
	requests []string       // method and path of requests, with bodies of writes
	fail     func(*http.Request) (status int, body string)
}

func newWorld(t testing.TB) *world {
	t.Helper()
	data, err := os.ReadFile("testdata/world.json")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	if err := json.Unmarshal(data, w); err != nil {
		t.Fatal(err)
	}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// writes are the requests that changed something.
func (w *world) writes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	for _, r := range w.requests {
		if !strings.HasPrefix(r, "GET ") {
			found = append(found, r)
		}
	}
	return found
}

// change is how somebody else changes the world.
func (w *world) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var body object
	if r.Method != http.MethodGet {
		_ = json.NewDecoder(r.Body).Decode(&body)
	}
	asked := r.Method + " " + r.URL.Path
	if body != nil {
		text, _ := json.Marshal(body)
		asked += " " + string(text)
	}
	w.requests = append(w.requests, asked)
	if w.fail != nil {
		if status, text := w.fail(r); status != 0 {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(status)
			fmt.Fprint(rw, text)
			return
		}
	}
	status, answer := w.answer(r, body)
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(rw).Encode(answer)
	}
}

func (w *world) answer(r *http.Request, body object) (int, any) {
	path, admin := strings.CutPrefix(r.URL.Path, "/api/svc/admin/")
	if !admin {
		if r.URL.Path == "/api/v1/accounts/verify_credentials" {
			return 200, w.Me
		}
		return 404, object{"error": "Not implemented"}
	}
	parts := strings.Split(path, "/")
	if answer, ok := w.Answers[path]; ok && r.Method == http.MethodGet {
		return 200, answer
	}
	switch {
	case path == "reports" && r.Method == http.MethodGet:
		state := r.URL.Query().Get("state")
		var found []object
		for _, report := range w.Reports {
			if state == "" || report["state"] == state {
				found = append(found, report)
			}
		}
		return 200, object{"reports": pageOf(r, found), "total": len(found)}
	case path == "reports" && r.Method == http.MethodPatch:
		return w.patchReports(body)
	case parts[0] == "reports" && len(parts) == 3 && r.Method == http.MethodPost:
		report := find(w.Reports, "id", parts[1])
		notes := report["notes"].([]any)
		report["notes"] = append(notes, object{"id": 100 + len(notes), "content": body["content"], "user": w.Me, "created_at": "2026-01-31T12:04:00.000Z"})
		return 204, nil
	case parts[0] == "reports" && len(parts) == 4 && r.Method == http.MethodDelete:
		report := find(w.Reports, "id", parts[1])
		report["notes"] = slices.DeleteFunc(report["notes"].([]any), func(n any) bool { return fmt.Sprint(n.(object)["id"]) == parts[3] })
		return 204, nil
	case parts[0] == "reports" && len(parts) == 2:
		return one(w.Reports, "id", parts[1])
	case path == "users" && r.Method == http.MethodGet:
		return w.listUsers(r)
	case path == "users/deactivate" || path == "users/activate":
		return w.activation(body, parts[1] == "deactivate")
	case parts[0] == "users" && len(parts) == 2:
		return one(w.Users, "nickname", parts[1])
	case parts[0] == "users" && parts[2] == "statuses":
		found := []object{}
		for _, s := range w.Statuses {
			if s["account"].(object)["nickname"] == parts[1] {
				found = append(found, s)
			}
		}
		return 200, pageOf(r, found)
	case path == "moderation_log":
		var found []object
		for i := len(w.Log) - 1; i >= 0; i-- {
			if strings.Contains(strings.ToLower(w.Log[i]["message"].(string)), strings.ToLower(r.URL.Query().Get("search"))) {
				found = append(found, w.Log[i])
			}
		}
		return 200, pageOf(r, found)
	case parts[0] == "statuses":
		return w.status(r.Method, parts[1], body)
	}
	return 404, object{"error": "Not implemented"}
}

func (w *world) patchReports(body object) (int, any) {
	failed := []object{}
	for _, item := range body["reports"].([]any) {
		id, state := item.(object)["id"].(string), item.(object)["state"].(string)
		report := find(w.Reports, "id", id)
		if report == nil {
			failed = append(failed, object{"id": id, "error": "not_found"})
			continue
		}
		report["state"] = state
		w.log(w.Me["nickname"].(string), id, state)
	}
	if len(failed) > 0 {
		return 400, failed
	}
	return 204, nil
}

// log writes that actor gave a report a state.
func (w *world) log(actor, id, state string) {
	message := fmt.Sprintf("@%s updated report #%s (on user @ana) with '%s' state", actor, id, state)
	w.Log = append(w.Log, object{
		"id": len(w.Log) + 1, "time": 1769861100, "message": message,
		"data": object{
			"actor": object{"id": 2, "account_id": "x", "nickname": actor, "type": "user"}, "action": "report_update", "message": message,
			"subject": object{"type": "report", "id": id, "state": state},
		},
	})
}

func (w *world) listUsers(r *http.Request) (int, any) {
	found := []object{}
	query := r.URL.Query()
	for _, u := range w.Users {
		fits := strings.Contains(u["nickname"].(string), query.Get("query"))
		for _, f := range strings.Split(query.Get("filters"), ",") {
			roles := u["roles"].(object)
			switch f {
			case "local":
				fits = fits && u["local"] == true
			case "deactivated":
				fits = fits && u["deactivated"] == true
			case "need_approval":
				fits = fits && u["approval_pending"] == true
			case "is_admin":
				fits = fits && roles["admin"] == true
			case "is_moderator":
				fits = fits && roles["moderator"] == true
			}
		}
		if fits {
			found = append(found, u)
		}
	}
	slices.SortFunc(found, func(a, b object) int { return strings.Compare(a["nickname"].(string), b["nickname"].(string)) })
	return 200, object{"users": pageOf(r, found), "count": len(found), "page_size": 50}
}

func (w *world) activation(body object, off bool) (int, any) {
	var changed []object
	for _, nick := range body["nicknames"].([]any) {
		user := find(w.Users, "nickname", nick.(string))
		if user == nil {
			return 404, object{"error": "Not found"}
		}
		user["deactivated"] = off
		for _, report := range w.Reports {
			if about := report["account"].(object); about["nickname"] == nick {
				about["deactivated"] = off
			}
		}
		changed = append(changed, user)
	}
	return 200, object{"users": changed}
}

func (w *world) status(method, id string, body object) (int, any) {
	status := find(w.Statuses, "id", id)
	if status == nil {
		return 404, object{"error": "Not found"}
	}
	switch method {
	case http.MethodDelete:
		for _, report := range w.Reports {
			report["statuses"] = slices.DeleteFunc(report["statuses"].([]any), func(s any) bool { return s.(object)["id"] == id })
		}
		w.Statuses = slices.DeleteFunc(w.Statuses, func(s object) bool { return s["id"] == id })
		return 200, object{}
	case http.MethodPut:
		for key, value := range body {
			status[key] = value
			for _, report := range w.Reports {
				for _, s := range report["statuses"].([]any) {
					if s.(object)["id"] == id {
						s.(object)[key] = value
					}
				}
			}
		}
	}
	return 200, status
}

func pageOf(r *http.Request, found []object) []object {
	size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if size == 0 {
		size = 50
	}
	from := min(len(found), (max(number, 1)-1)*size)
	return append([]object{}, found[from:min(len(found), from+size)]...)
}

func find(objects []object, key, value string) object {
	for _, o := range objects {
		if o[key] == value {
			return o
		}
	}
	return nil
}

func one(objects []object, key, value string) (int, any) {
	if found := find(objects, key, value); found != nil {
		return 200, found
	}
	return 404, object{"error": "Not found"}
}
