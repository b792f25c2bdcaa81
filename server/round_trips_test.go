package server_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
)

// TestWritesTakeFewRoundTrips pins how often a request waits for PostgreSQL, from its
// token to its answer, with BEGIN and COMMIT.
func TestWritesTakeFewRoundTrips(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann, bob := s.Token("ann", servertest.AllScopes), s.Token("bob", servertest.AllScopes)
		post := func(ctx context.Context, token, path, body string) (id string) {
			req := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			var made struct{ ID string }
			_ = json.Unmarshal(w.Body.Bytes(), &made) // a refusal has none
			return made.ID
		}
		post(t.Context(), bob, "/api/v1/accounts/"+s.User("ann").ID+"/follow", "{}")
		root := post(t.Context(), bob, "/api/v1/statuses", `{"status": "root"}`)
		status, account := "/api/v1/statuses/"+root, "/api/v1/accounts/"+s.User("bob").ID
		for _, rule := range []struct {
			name, path, body string
			undo             string // carried out before, beside a first time in vain
			want             int64
		}{
			{"a post", "/api/v1/statuses", `{"status": "x"}`, "", 5},
			{"a reply with a mention", "/api/v1/statuses", `{"status": "@bob x", "in_reply_to_id": "` + root + `"}`, "", 10},
			{"a favourite", status + "/favourite", "{}", status + "/unfavourite", 6},
			{"the end of a favourite", status + "/unfavourite", "{}", status + "/favourite", 6},
			{"a reblog", status + "/reblog", "{}", status + "/unreblog", 11},
			{"the end of a reblog", status + "/unreblog", "{}", status + "/reblog", 10},
			{"a follow", account + "/follow", "{}", account + "/unfollow", 11},
			{"the end of a follow", account + "/unfollow", "{}", account + "/follow", 6},
		} {
			// The fewest of several: connections prepare statements, and caches end.
			fewest := int64(math.MaxInt64)
			for range 8 {
				if rule.undo != "" {
					post(t.Context(), ann, rule.undo, "{}")
				}
				ctx, n := db.CountRoundTrips(t.Context())
				if post(ctx, ann, rule.path, rule.body) == "" {
					t.Fatalf("%s was refused", rule.name)
				}
				fewest = min(fewest, n.Load())
			}
			if s.DB.Dialect() == db.SQLite { // it is in the process
				rule.want = 0
			}
			if fewest != rule.want {
				t.Errorf("%s: %d round trips, want %d", rule.name, fewest, rule.want)
			}
		}
	})
}
