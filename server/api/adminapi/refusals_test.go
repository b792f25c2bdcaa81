package adminapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/server/platform/config"
	"svc/server/rules/social"
	"svc/server/servertest"
)

const (
	notFound = `{"error":"Not found"}`
	badly    = `"Invalid parameters"`
)

// invalid is the answer to parameters of the wrong shape.
func invalid(field, message string) string {
	return fmt.Sprintf(`{"error":%q,"errors":[{"message":%q,"source":{"pointer":"/%s"},"title":"Invalid value"}]}`,
		message, strings.TrimSuffix(message, "."), field)
}

func TestWhatIsNotThereIsNotFoundAndNotLogged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id := w.report("ann", w.bob, "rude")
		status := w.post(w.bob, social.NewStatus{Text: "one"})
		boost, err := w.Social.Reblog(t.Context(), w.ann, status.ID, "")
		w.must(err)
		for _, call := range []struct{ method, path, body string }{
			{"GET", "/users/nobody", ""},
			{"GET", "/users/nobody@one.example", ""},
			{"GET", "/users/99999", ""},
			{"GET", "/users/a%00b", ""},
			{"GET", "/users/a%FFb", ""},
			{"GET", "/users/nobody/statuses", ""},
			{"GET", "/instances/nowhere.example/statuses", ""},
			{"GET", "/instances/%00/statuses", ""},
			{"PATCH", "/users/nobody/toggle_activation", ""},
			{"PATCH", "/users/deactivate", `{"nicknames":["bob","nobody"]}`},
			{"PATCH", "/users/activate", `{"nicknames":["nobody"]}`},
			{"GET", "/statuses/nothing", ""},
			{"GET", "/statuses/%00", ""},
			{"PUT", "/statuses/nothing", `{"sensitive":true}`},
			{"PUT", "/statuses/nothing", `{"visibility":"direct"}`},
			{"PUT", "/statuses/" + boost.ID, `{"sensitive":true}`},
			{"DELETE", "/statuses/nothing", ""},
			{"DELETE", "/statuses/" + boost.ID, ""},
			{"GET", "/reports/nothing", ""},
			{"GET", "/reports/%FF", ""},
			{"POST", "/reports/nothing/notes", `{"content":"x"}`},
			{"DELETE", "/reports/" + id + "/notes/1", ""},
			{"DELETE", "/reports/" + id + "/notes/one", ""},
			{"DELETE", "/reports/nothing/notes/1", ""},
		} {
			w.want(call.method, call.path, call.body, http.StatusNotFound, notFound)
		}
		w.wantLog()
		w.wantActive(true)
	})
}

func (w *world) wantActive(bob bool) {
	w.t.Helper()
	a, err := w.DB.AccountByNickname(w.t.Context(), "bob")
	w.must(err)
	if a.Deactivated == bob {
		w.t.Errorf("bob is deactivated: %v", a.Deactivated)
	}
}

func TestParametersOfTheWrongShapeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id := w.report("ann", w.bob, "rude")
		s := w.post(w.bob, social.NewStatus{Text: "one"})
		for _, c := range []struct{ method, path, body, answer string }{
			{"GET", "/reports?state=lost", "", invalid("state", "lost - Invalid value for enum.")},
			{"GET", "/reports?page=two", "", invalid("page", "page - Invalid integer. Got: string.")},
			{"GET", "/reports?page_size=1.5", "", invalid("page_size", "page_size - Invalid integer. Got: string.")},
			{"GET", "/reports?limit=many", "", invalid("limit", "limit - Invalid integer. Got: string.")},
			{"GET", "/reports?state[]=open", "", invalid("state", "state - Invalid string. Got: array.")},
			{"GET", "/grouped_reports?page=x", "", invalid("page", "page - Invalid integer. Got: string.")},
			{"GET", "/statuses?godmode=yes", "", invalid("godmode", "godmode - Invalid boolean. Got: string.")},
			{"GET", "/statuses?local_only=1", "", invalid("local_only", "local_only - Invalid boolean. Got: string.")},
			{"GET", "/statuses?with_reblogs[]=true", "", invalid("with_reblogs", "with_reblogs - Invalid boolean. Got: array.")},
			{"GET", "/statuses?page_size=x", "", invalid("page_size", "page_size - Invalid integer. Got: string.")},
			{"PUT", "/statuses/" + s.ID, `{"sensitive":"maybe"}`, invalid("sensitive", "sensitive - Invalid boolean. Got: string.")},
			{"PUT", "/statuses/" + s.ID, `{"sensitive":1}`, invalid("sensitive", "sensitive - Invalid boolean. Got: integer.")},
			{"PUT", "/statuses/" + s.ID, `{"visibility":["public"]}`, invalid("visibility", "visibility - Invalid string. Got: array.")},
			{"PATCH", "/reports", ``, invalid("reports", "Missing field: reports.")},
			{"PATCH", "/reports", `{"reports":null}`, invalid("reports", "Missing field: reports.")},
			{"PATCH", "/reports", `{"reports":"x"}`, invalid("reports", "reports - Invalid array. Got: string.")},
			{"PATCH", "/reports", `{"reports":[{"id":1,"state":"open"}]}`, invalid("reports/0/id", "id - Invalid string. Got: integer.")},
			{"POST", "/reports/" + id + "/notes", ``, badly},
			{"POST", "/reports/" + id + "/notes", `{"content":null}`, badly},
			{"POST", "/reports/" + id + "/notes", `{"content":" \n "}`, badly},
			{"POST", "/reports/" + id + "/notes", `{"content":5}`, invalid("content", "content - Invalid string. Got: integer.")},
			{"PATCH", "/users/deactivate", ``, badly},
			{"PATCH", "/users/deactivate", `{"nicknames":"bob"}`, badly},
			{"PATCH", "/users/activate", `{"nicknames":["bob",5]}`, badly},
			{"PATCH", "/users/activate", `{"nicknames":["bo\u0000b"]}`, badly},
			{"GET", "/users?query=a%00b", "", invalid("query", "query - Invalid string. Got: binary.")},
			{"GET", "/users?name=%FF", "", invalid("name", "name - Invalid string. Got: binary.")},
			{"GET", "/users", `{"query":"a\u0000b"}`, badly},
			{"GET", "/users", `{"tags":["a\u0000b"]}`, badly},
			{"GET", "/moderation_log?search=%00", "", invalid("search", "search - Invalid string. Got: binary.")},
			{"GET", "/moderation_log?start_date=yesterday", "", badly},
			{"GET", "/moderation_log?end_date=2026-13-01T00:00:00", "", badly},
			{"GET", "/moderation_log?start_date=0000-01-01T00:00:00", "", badly},
			{"PUT", "/statuses/" + s.ID, `{"sensitive":true,"visibility":"direct"}`, `{"error":"Unsupported visibility"}`},
			{"PUT", "/statuses/" + s.ID, `{"visibility":""}`, `{"error":"Unsupported visibility"}`},
			{"PATCH", "/reports", `{"reports":[{"state":"open"},{"id":"` + id + `"},{"id":"x","state":"no"}]}`,
				`[{"id":"","error":"not_found"},{"id":"` + id + `","error":"Unsupported state"},{"id":"x","error":"not_found"}]`},
		} {
			w.want(c.method, c.path, c.body, http.StatusBadRequest, c.answer)
		}
		w.wantLog()
		w.wantActive(true)
		got, err := w.DB.StatusByID(t.Context(), s.ID)
		if err != nil || got.Sensitive || got.Visibility != "public" {
			t.Errorf("status %+v, %v", got, err)
		}
	})
}

// TestChecksComeInOrder: the caller, then the shape, then the scope, then the
// object.
func TestChecksComeInOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, narrow := w.Token("root", servertest.AdminScopes), w.Token("root", "read write")
		for _, c := range []struct {
			name, token, method, path, body string
			status                          int
			answer                          string
		}{
			{"nobody, wrong shape", "", "GET", "/reports?page=x", "", 403, `{"error":"Invalid credentials."}`},
			{"unknown token", "x", "GET", "/reports?page=x", "", 403, `{"error":"Invalid credentials."}`},
			{"no admin, wrong shape", w.Token("ann", servertest.AdminScopes), "GET", "/reports?page=x", "", 403, `{"error":"User is not an admin."}`},
			{"wrong shape, no scope", narrow, "GET", "/reports?page=x", "", 400, invalid("page", "page - Invalid integer. Got: string.")},
			{"wrong shape of a body, no scope", narrow, "PATCH", "/reports", "", 400, invalid("reports", "Missing field: reports.")},
			{"no content, no scope", narrow, "POST", "/reports/nothing/notes", "", 400, badly},
			{"no scope, nothing there", narrow, "GET", "/reports/nothing", "", 403, `{"error":"Insufficient permissions: admin:read:reports."}`},
			{"no scope, no nicknames", narrow, "PATCH", "/users/activate", "", 403, `{"error":"Insufficient permissions: admin:write:accounts."}`},
			{"no scope, bad visibility", narrow, "PUT", "/statuses/nothing", `{"visibility":"direct"}`, 403, `{"error":"Insufficient permissions: admin:write:statuses."}`},
			{"nothing there", admin, "GET", "/reports/nothing", "", 404, notFound},
			{"broken JSON, no scope", narrow, "PATCH", "/users/activate", `{"nicknames":`, 400, `{"error":"The request body is not valid JSON"}`},
		} {
			status, _, text := w.call(c.token, c.method, c.path, c.body)
			if status != c.status || text != c.answer {
				t.Errorf("%s: %d %s, want %d %s", c.name, status, text, c.status, c.answer)
			}
		}
	})
}

func TestPlainScopesSufficeWhenAdminScopesAreNotEnforced(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			scopes, path string
			status       int
			answer       string
		}{
			{"read:reports", "/reports", 200, `{"reports":[],"total":0,"counts":{"open":0,"closed":0,"resolved":0}}`},
			{"read", "/moderation_log", 200, `[]`},
			{"admin:read", "/moderation_log", 200, `[]`},
			{"write", "/reports", 403, `{"error":"Insufficient permissions: admin:read:reports | read:reports."}`},
			{"read:reports", "/moderation_log", 403, `{"error":"Insufficient permissions: admin:read | read."}`},
		} {
			status, _, text := w.call(w.Token("root", c.scopes), "GET", c.path, "")
			if status != c.status || text != c.answer {
				t.Errorf("%s with %s: %d %s, want %d %s", c.path, c.scopes, status, text, c.status, c.answer)
			}
		}
	}, func(s *config.Settings) { s.Auth.EnforceOAuthAdminScopeUsage = false })
}

func TestAReporterIsToldWhatIsWrong(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		token := w.Token("ann", "write:reports")
		for _, c := range []struct {
			body   string
			status int
			answer string
		}{
			{`{}`, 400, invalid("account_id", "Missing field: account_id.")},
			{`{"account_id":""}`, 400, invalid("account_id", "Missing field: account_id.")},
			{`{"account_id":"nobody"}`, 400, `{"error":"Account not found"}`},
			{`{"account_id":"` + w.ann.ID + `"}`, 400, `{"error":"You cannot report yourself"}`},
			{`{"account_id":"` + w.bob.ID + `","comment":"` + strings.Repeat("x", 1001) + `"}`, 400, `{"error":"Comment must be up to 1000 characters"}`},
			{`{"account_id":"` + w.bob.ID + `","status_ids":"x"}`, 400, invalid("status_ids", "status_ids - Invalid array. Got: string.")},
			{`{"account_id":"a\u0000b"}`, 400, invalid("account_id", "account_id - Invalid string. Got: binary.")},
		} {
			status, _, text := w.call(token, "POST", "/api/v1/reports", c.body)
			if status != c.status || text != c.answer {
				t.Errorf("%.60s: %d %s, want %d %s", c.body, status, text, c.status, c.answer)
			}
		}
		if status, text := w.admin("GET", "/reports", ""); status != 200 || text != `{"reports":[],"total":0,"counts":{"open":0,"closed":0,"resolved":0}}` {
			t.Errorf("reports: %d %s", status, text)
		}
		for _, body := range []string{
			`{"account_id":"` + w.bob.ID + `","forward":true}`,
			"account_id=" + w.bob.ID + "&comment=a+form&forward=False&status_ids[]=nothing",
		} {
			status, _, text := w.call(token, "POST", "/api/v1/reports", body)
			if status != 200 || !strings.Contains(text, `","action_taken":false,"action_taken_at":null,"category":"other",`) {
				t.Errorf("%s: %d %s", body, status, text)
			}
		}
	})
}
