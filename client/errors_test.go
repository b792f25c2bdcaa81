package client

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/client/api"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRefusalsAreReadInEveryForm(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   Error
	}{
		"plain":       {404, `{"error":"Record not found"}`, Error{Message: "Record not found"}},
		"identifier":  {403, `{"error":"Your account is currently disabled","identifier":"account_is_disabled"}`, Error{Message: "Your account is currently disabled", Identifier: "account_is_disabled"}},
		"OAuth":       {400, `{"error":"invalid_grant","error_description":"The code is used up."}`, Error{Message: "The code is used up.", Identifier: "invalid_grant"}},
		"validation":  {400, `{"error":"Missing field: a.","errors":[{"title":"Invalid value","source":{"pointer":"/a"},"message":"Missing field: a"}]}`, Error{Message: "Missing field: a.", Fields: map[string]string{"a": "Missing field: a"}}},
		"fields":      {400, `{"errors":{"email":"has invalid format","name":"is invalid"}}`, Error{Message: "email: has invalid format; name: is invalid", Fields: map[string]string{"email": "has invalid format", "name": "is invalid"}}},
		"keyed":       {400, `{"name":"can't be blank"}`, Error{Message: "name: can't be blank", Fields: map[string]string{"name": "can't be blank"}}},
		"detail":      {404, `{"errors":{"detail":"Page not found"}}`, Error{Message: "Page not found"}},
		"inner JSON":  {400, `{"error":"{\"email\":[\"has already been taken\"]}"}`, Error{Message: "email: has already been taken", Fields: map[string]string{"email": "has already been taken"}}},
		"text":        {400, `"Invalid parameters"`, Error{Message: "Invalid parameters"}},
		"items":       {400, `[{"id":"9x","error":"not_found"},{"id":"9y","error":"Unsupported state"}]`, Error{Message: "9x: not_found; 9y: Unsupported state", Items: []api.ItemError{{ID: "9x", Error: "not_found"}, {ID: "9y", Error: "Unsupported state"}}}},
		"error list":  {400, `[{"error":"mail is off"}]`, Error{Message: "mail is off"}},
		"empty":       {502, ``, Error{Message: "Bad Gateway"}},
		"HTML":        {503, `<html>`, Error{Message: "Service Unavailable"}},
		"broken":      {500, `{"error":`, Error{Message: "Internal Server Error"}},
		"wrong types": {400, `{"error":7,"errors":null}`, Error{Message: "7"}},
		"number":      {400, `7`, Error{Message: "Bad Request"}},
		"bad text":    {400, `"`, Error{Message: "Bad Request"}},
		"bad list":    {400, `[1]`, Error{Message: "Bad Request"}},
	} {
		got := newError(&Response{Status: test.status, Body: []byte(test.body), Header: http.Header{"X-Request-Id": {"r"}}}, "GET", "/p")
		test.want.Status, test.want.RequestID, test.want.Method, test.want.Path = test.status, "r", "GET", "/p"
		if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreFields(Error{}, "Body", "Header")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if string(got.Body) != test.body {
			t.Errorf("%s: the body is lost", name)
		}
	}
	err := &Error{Status: 404, Message: "Not found", Method: "GET", Path: "/api/svc/admin/reports/9x"}
	if got, want := err.Error(), "GET /api/svc/admin/reports/9x: Not found (404)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuestionsAboutErrors(t *testing.T) {
	is := func(kind error) func(error) bool { return func(err error) bool { return errors.Is(err, kind) } }
	questions := map[string]func(error) bool{
		"not found": is(ErrNotFound), "forbidden": is(ErrForbidden), "rejected": is(ErrTokenRejected), "conflict": is(ErrConflict),
		"invalid": is(ErrInvalid), "throttled": is(ErrThrottled), "server": is(ErrServer), "config": is(ErrConfigDisabled),
		"network": is(ErrNetwork), "may have happened": MayHaveHappened,
	}
	wrap := func(status int, message string) error {
		return fmt.Errorf("while resolving: %w", &Error{Status: status, Message: message})
	}
	for name, test := range map[string]struct {
		err  error
		want []string
	}{
		"none":    {nil, nil},
		"foreign": {fmt.Errorf("no"), nil},
		"400":     {wrap(400, ""), []string{"invalid"}},
		"config":  {wrap(400, "To use this endpoint you need to enable configuration from database."), []string{"config", "invalid"}},
		"401":     {wrap(401, ""), []string{"forbidden", "rejected"}},
		"403":     {wrap(403, "User is not an admin."), []string{"forbidden"}},
		"403 bad": {wrap(403, "Invalid credentials."), []string{"forbidden", "rejected"}},
		"404":     {wrap(404, ""), []string{"not found"}},
		"409":     {wrap(409, ""), []string{"conflict"}},
		"422":     {wrap(422, ""), []string{"invalid"}},
		"429":     {wrap(429, ""), []string{"throttled"}},
		"500":     {wrap(500, ""), []string{"server"}},
		"504":     {wrap(504, ""), []string{"may have happened", "server"}},
		"lost":    {fmt.Errorf("x: %w", &TransportError{Sent: true}), []string{"may have happened", "network"}},
		"unsent":  {fmt.Errorf("x: %w", &TransportError{}), []string{"network"}},
	} {
		var got []string
		for question, ask := range questions {
			if ask(test.err) {
				got = append(got, question)
			}
		}
		if diff := cmp.Diff(test.want, got, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRefusedItemsOfAPatchAreTyped(t *testing.T) {
	p := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		answer(w, 400, `[{"id":"9x","error":"not_found"}]`)
	})
	c, _ := dial(t, p.URL)
	err := c.Admin.Reports.Update(t.Context(), api.ReportUpdate{ID: "9x", State: "closed"}, api.ReportUpdate{ID: "9y", State: "closed"})
	if diff := cmp.Diff([]api.ItemError{{ID: "9x", Error: "not_found"}}, ItemErrors(err)); diff != "" {
		t.Error(diff)
	}
	if ItemErrors(fmt.Errorf("no")) != nil {
		t.Error("another error has items")
	}
}

func TestRetryAfterIsSecondsOrADateOrTheEndOfTheLimit(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, test := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"none":     {http.Header{}, 0},
		"seconds":  {http.Header{"Retry-After": {"12"}}, 12 * time.Second},
		"negative": {http.Header{"Retry-After": {"-12"}}, 0},
		"date":     {http.Header{"Retry-After": {"Fri, 02 Jan 2026 03:05:05 GMT"}}, time.Minute},
		"past":     {http.Header{"Retry-After": {"Fri, 02 Jan 2026 03:00:00 GMT"}}, 0},
		"nonsense": {http.Header{"Retry-After": {"soon"}}, 0},
		"limit":    {http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"2026-01-02T03:04:35.000Z"}}, 30 * time.Second},
		"in limit": {http.Header{"X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"2026-01-02T03:04:35.000Z"}}, 0},
		"bad end":  {http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"x"}}, 0},
	} {
		if got := retryAfter(test.header, now); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{`{"error":"{\"a\":[1]}"}`, `[{"id":"1","error":"e"}]`, `"x"`, `{"errors":{"detail":"x"}}`, `{"a":{}}`} {
		f.Add([]byte(seed), 400)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		e := newError(&Response{Status: status, Body: body, Header: http.Header{}}, "GET", "/")
		if e.Message == "" && http.StatusText(status) != "" {
			t.Errorf("no message for %q", body)
		}
	})
}
