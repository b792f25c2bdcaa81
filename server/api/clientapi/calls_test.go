package clientapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/server/servertest"
)

// answer is the answer of an endpoint.
type answer struct {
	status int
	header http.Header
	body   string
}

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// call sends a request like foreign clients, with a body of any type.
func call(t *testing.T, s *servertest.Server, token, method, path, kind, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(raw)}
}

// decoded reads an answer's body.
func decoded[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return v
}
