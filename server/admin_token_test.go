package server_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

const adminToken = "an operator's secret"

func withAdminToken(c *config.Settings) { c.Auth.AdminToken = adminToken }

// keyed calls the admin API with this admin token.
func keyed(t *testing.T, s *servertest.Server, method, path, body, token, from string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "--x") {
		req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	}
	if token != "" {
		req.Header.Set("X-Admin-Token", token)
	}
	if from != "" {
		req.Header.Set("X-Forwarded-For", from)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestTheAdminTokenOpensEveryAdminRoute(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		for _, r := range s.Routes() {
			if r.Access != server.Admin {
				continue
			}
			path := r.Path
			for _, part := range strings.Split(r.Path, "/") {
				if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
					path = strings.Replace(path, part, "999999", 1)
				}
			}
			if code, body := keyed(t, s, r.Method, path, servertest.Examples[r.Method+" "+r.Path].OfNothing(), adminToken, ""); code == 403 || code == 401 || code >= 500 && body != `"nowhere"` {
				t.Errorf("%s %s: %d %.200s", r.Method, r.Path, code, body)
			}
		}
		if code, body := keyed(t, s, "GET", "/api/svc/admin/need_reboot?admin_token="+strings.ReplaceAll(adminToken, " ", "+"), "", "", ""); code != 200 {
			t.Errorf("as a parameter: %d %s", code, body)
		}
		if code, body := keyed(t, s, "PUT", "/api/svc/admin/users/tag", `{"nicknames":[],"tags":[],"admin_token":"`+adminToken+`"}`, "", ""); code != 204 {
			t.Errorf("in the body: %d %s", code, body)
		}
	}, withAdminToken)
}

func TestWhoShowsTheAdminTokenActsUnderAFixedName(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		status, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "spam"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Reports.Create(ctx, api.NewReport{AccountID: s.User("bob").ID, Comment: "spams"}); err != nil {
			t.Fatal(err)
		}
		reports, err := s.Admin("root").Admin.Reports.List(api.ReportQuery{}).Page(ctx)
		if err != nil || len(reports.Items) != 1 {
			t.Fatal(reports, err)
		}
		report := reports.Items[0].ID
		for _, deed := range []struct {
			method, path, body string
			want               string
		}{
			{"PATCH", "/users/deactivate", `{"nicknames":["bob"]}`, "@admin.token deactivated users: @bob"},
			{"PATCH", "/users/activate", `{"nicknames":["bob"]}`, "@admin.token activated users: @bob"},
			{"DELETE", "/statuses/" + status.ID, "", "@admin.token deleted status #" + status.ID},
			{"POST", "/reports/" + report + "/notes", `{"content":"seen"}`, "@admin.token added note 'seen' to report #" + report + " on user @bob"},
			{"PATCH", "/reports", `{"reports":[{"id":"` + report + `","state":"resolved"}]}`, "@admin.token updated report #" + report + " (on user @bob) with 'resolved' state"},
			{"DELETE", "/users", `{"nicknames":["bob"]}`, "@admin.token deleted users: @bob"},
		} {
			code, body := keyed(t, s, deed.method, "/api/svc/admin"+deed.path, deed.body, adminToken, "")
			if code < 200 || code > 299 {
				t.Errorf("%s %s: %d %s", deed.method, deed.path, code, body)
				continue
			}
			entries, err := s.Admin("root").Admin.Log.List(api.LogQuery{}).Page(ctx)
			if err != nil || len(entries.Items) == 0 || entries.Items[0].Message != deed.want {
				t.Errorf("%s %s: %+v %v, want %s", deed.method, deed.path, entries.Items, err, deed.want)
			}
		}
		if code, body := keyed(t, s, "GET", "/api/svc/admin/reports/"+report, "", adminToken, ""); code != 200 || !strings.Contains(body, `"content":"seen"`) {
			t.Errorf("the report with his note: %d %s", code, body)
		}
		if _, err := s.DB.AccountByNickname(ctx, "admin.token"); err == nil {
			t.Error("he has an account")
		}
	}, withAdminToken)
}

func TestGuessingTheAdminTokenIsThrottled(t *testing.T) {
	s := servertest.Start(t, withAdminToken, func(c *config.Settings) { c.RateLimits = config.DefaultSettings().RateLimits })
	for i := range 15 {
		if code, body := keyed(t, s, "GET", "/api/svc/admin/need_reboot", "", "wrong", "203.0.113.9"); code != 403 || body != `{"error":"Invalid credentials."}` {
			t.Errorf("guess %d: %d %s", i, code, body)
		}
	}
	for _, token := range []string{"wrong", adminToken} {
		if code, body := keyed(t, s, "GET", "/api/svc/admin/need_reboot", "", token, "203.0.113.9"); code != 429 || body != `{"error":"Throttled"}` {
			t.Errorf("after too many guesses, %q: %d %s", token, code, body)
		}
	}
	for i := range 20 {
		if code, body := keyed(t, s, "GET", "/api/svc/admin/need_reboot", "", adminToken, "203.0.113.10"); code != 200 {
			t.Errorf("the right one from elsewhere, %d: %d %s", i, code, body)
		}
	}
}

func TestWithoutAnAdminTokenNoneIsRight(t *testing.T) {
	s := servertest.Start(t)
	for _, token := range []string{"", "x"} {
		if code, body := keyed(t, s, "GET", "/api/svc/admin/users", "", token, ""); code != 403 || body != `{"error":"Invalid credentials."}` {
			t.Errorf("%q: %d %s", token, code, body)
		}
	}
	// A signed-in user is judged by their own token.
	s = servertest.Start(t, withAdminToken)
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/svc/admin/users?admin_token=an+operator%27s+secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Errorf("a user with the token: %d", resp.StatusCode)
	}
}
