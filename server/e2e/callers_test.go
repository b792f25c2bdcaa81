package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/rules/auth"
	"svc/server/servertest"
)

// call sends a request with a JSON body and returns status and body.
func call(t *testing.T, s *servertest.Server, method, path, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(raw)
}

// TestTokensThatCountForNothing sends every guarded route an expired token, a
// revoked one, an invented one, and those of inactive users.
func TestTokensThatCountForNothing(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		token := func(nickname string) string { return s.Token(nickname, servertest.AdminScopes) }
		gone := map[string]string{
			"expired": token("late"), "revoked": token("former"), "deactivated": token("closed"),
			"never given": auth.Secret(), "none": "", "binary": "\x80\xff\xfe", "long": strings.Repeat("a", 10_000),
		}
		must(t, dbtest.Exec(t, s.DB, "UPDATE tokens SET expires_at = ? WHERE account_id = ?", db.At(time.Now().Add(-time.Second)), s.User("late").ID))
		must(t, s.Auth.Revoke(ctx, gone["revoked"]))
		if _, err := s.Admin("root").Admin.Users.Deactivate(ctx, "closed"); err != nil {
			t.Fatal(err)
		}
		rows := newWatch(t, s)
		for _, r := range s.Routes() {
			want, body := 0, ""
			switch r.Access {
			case server.User, server.Token, server.App:
				want, body = http.StatusUnauthorized, `{"error":"The access token is invalid"}`
			case server.Admin:
				want, body = http.StatusForbidden, `{"error":"Invalid credentials."}`
			default:
				continue
			}
			path := strings.NewReplacer(":id", "1", ":nickname_or_id", "ann", ":nickname", "ann", ":instance", "a.example", ":note_id", "1").Replace(r.Path)
			for what, token := range gone {
				if status, got := call(t, s, r.Method, path, token, ""); status != want || got != body {
					t.Errorf("%s %s with a token that is %s: %d %.100s", r.Method, r.Path, what, status, got)
				}
			}
		}
		if diff := rows.changed(); diff != "" {
			t.Errorf("tokens that count for nothing changed %s", diff)
		}
	})
}

// TestForeignThingsAreOutOfReach tries objects of others.
func TestForeignThingsAreOutOfReach(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, eve := s.Client("ann"), s.Token("eve", servertest.AllScopes)
		must(t, err1(s.Client("bob").Accounts.Follow(ctx, s.User("ann").ID, api.Follow{})))
		open, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "for all"})
		must(t, err)
		direct, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "for @bob", Visibility: "direct"})
		must(t, err)
		private, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "for followers", Visibility: "private"})
		must(t, err)
		told, err := ann.Notifications.List(api.NotificationQuery{}).Page(ctx)
		must(t, err)
		tokens, err := s.Auth.Tokens(ctx, s.User("ann"))
		must(t, err)
		report, err := ann.Reports.Create(ctx, api.NewReport{AccountID: s.User("bob").ID})
		must(t, err)
		const missing = `{"error":"Record not found"}`
		rows := newWatch(t, s)
		for _, try := range []struct {
			request string
			status  int
			body    string
		}{
			{"DELETE /api/v1/statuses/" + open.ID, 404, missing},
			{"GET /api/v1/statuses/" + direct.ID, 404, missing},
			{"GET /api/v1/statuses/" + private.ID, 404, missing},
			{"GET /api/v1/statuses/" + private.ID + "/context", 404, missing},
			{"GET /api/v1/statuses/" + private.ID + "/favourited_by", 404, missing},
			{"GET /api/v1/statuses/" + private.ID + "/reblogged_by", 404, missing},
			{"POST /api/v1/statuses/" + private.ID + "/favourite", 404, missing},
			{"POST /api/v1/statuses/" + direct.ID + "/favourite", 404, missing},
			{"POST /api/v1/statuses/" + private.ID + "/reblog", 404, missing},
			{"POST /api/v1/statuses/" + direct.ID + "/reblog", 404, missing},
			{"GET /api/v1/statuses?ids[]=" + direct.ID + "&ids[]=" + private.ID, 200, "[]"},
			{`POST /api/v1/statuses {"status":"x","in_reply_to_id":"` + private.ID + `"}`, 404, missing},
			{"GET /api/v1/notifications/" + told.Items[0].ID, 403, `{"error":"Cannot get notification"}`},
			{"POST /api/v1/notifications/" + told.Items[0].ID + "/dismiss", 403, `{"error":"Cannot dismiss notification"}`},
			{"DELETE /api/v1/notifications/destroy_multiple?ids[]=" + told.Items[0].ID, 200, "{}"},
			{"DELETE /api/oauth_tokens/" + strconv.FormatInt(tokens[0].ID, 10), 404, missing},
			{"GET /api/svc/admin/reports/" + report.ID, 403, `{"error":"User is not an admin."}`},
			{`PATCH /api/svc/admin/reports {"reports":[{"id":"` + report.ID + `","state":"closed"}]}`, 403, `{"error":"User is not an admin."}`},
		} {
			method, rest, _ := strings.Cut(try.request, " ")
			path, body, _ := strings.Cut(rest, " ")
			if status, got := call(t, s, method, path, eve, body); status != try.status || got != try.body {
				t.Errorf("%s: %d %s, want %d %s", try.request, status, got, try.status, try.body)
			}
		}
		if diff := rows.changed(); diff != "" {
			t.Errorf("changed %s", diff)
		}
	})
}

func err1[T any](_ T, err error) error { return err }

// TestNicknamesAndAddressesAreTakenInAnyCase registers names that differ in
// case only: one after another, and all at once.
func TestNicknamesAndAddressesAreTakenInAnyCase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.User("alice")
		app := s.With(s.AppToken())
		agreed := api.Bool(true)
		form := func(nickname, email string) api.NewAccount {
			return api.NewAccount{Username: nickname, Email: email, Password: "a good password", Agreement: &agreed}
		}
		rows := newWatch(t, s)
		for _, try := range []struct{ nickname, email, words string }{
			{"ALICE", "new@example.org", "nickname: has already been taken"},
			{"alicE", "new@example.org", "nickname: has already been taken"},
			{"newcomer", "Alice@Example.ORG", "email: has already been taken"},
			{"Alice", "ALICE@EXAMPLE.ORG", "email: has already been taken; nickname: has already been taken"},
			{"12345", "new@example.org", "nickname: has invalid format"},
			{"a\u0131ice", "new@example.org", "nickname: has invalid format"},
			{"Admin@svc", "new@example.org", "nickname: has invalid format"},
			{"OAuth", "new@example.org", "nickname: Invalid nickname"},
		} {
			_, err := app.Accounts.Register(ctx, form(try.nickname, try.email))
			if e := refusal(err); e == nil || e.Status != http.StatusBadRequest || e.Message != try.words {
				t.Errorf("%s, %s: %v, want %s", try.nickname, try.email, err, try.words)
			}
		}
		if diff := rows.changed(); diff != "" {
			t.Errorf("changed %s", diff)
		}

		names := []string{"racer", "Racer", "RACER", "raceR", "rAcer", "raCer", "racER", "RacER"}
		var wg sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for i, name := range names {
			wg.Go(func() {
				_, err := app.Accounts.Register(context.Background(), form(name, fmt.Sprintf("racer%d@example.org", i)))
				mu.Lock()
				defer mu.Unlock()
				if e := refusal(err); err == nil {
					made++
				} else if e == nil || e.Status != http.StatusBadRequest || e.Message != "nickname: has already been taken" {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
		found, err := s.Admin("root").Admin.Users.List(api.UserQuery{Query: "racer"}).Page(ctx)
		if err != nil || made != 1 || found.Total != 1 {
			t.Errorf("%d registrations of one nickname were taken, and %d users are there: %v", made, found.Total, err)
		}
	})
}

func refusal(err error) *client.Error {
	if e, ok := err.(*client.Error); ok {
		return e
	}
	return nil
}

// TestKeysThatAreTooMuch holds the header that makes writes repeatable to its
// bounds, and its replay to one user and path.
func TestKeysThatAreTooMuch(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		send := func(nickname, path, key string, form url.Values) (int, string, http.Header) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(form.Encode()))
			must(t, err)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Authorization", "Bearer "+s.Token(nickname, servertest.AllScopes))
			req.Header.Set("Idempotency-Key", key)
			resp, err := http.DefaultTransport.RoundTrip(req)
			must(t, err)
			defer func() { _ = resp.Body.Close() }()
			raw, err := io.ReadAll(resp.Body)
			must(t, err)
			return resp.StatusCode, string(raw), resp.Header
		}
		post := url.Values{"status": {"once"}}
		if status, body, _ := send("ann", "/api/v1/statuses", strings.Repeat("k", 5000), post); status != http.StatusBadRequest || !strings.Contains(body, `"error"`) {
			t.Errorf("a long key: %d %s", status, body)
		}
		status, first, _ := send("ann", "/api/v1/statuses", "ключ\t\xff", post)
		_, again, headers := send("ann", "/api/v1/statuses", "ключ\t\xff", url.Values{"status": {"twice"}})
		if status != http.StatusOK || again != first || headers.Get("Idempotent-Replayed") != "true" || headers.Get("X-Original-Request-Id") == "" {
			t.Errorf("%d, then %v %s", status, headers, again)
		}
		if _, other, _ := send("bob", "/api/v1/statuses", "ключ\t\xff", post); other == first {
			t.Error("bob was shown ann's answer")
		}
		if status, body, headers := send("ann", "/api/v1/statuses", "empty", url.Values{}); status != http.StatusUnprocessableEntity || headers.Get("Idempotent-Replayed") != "" {
			t.Errorf("%d %s", status, body)
		}
	})
}
