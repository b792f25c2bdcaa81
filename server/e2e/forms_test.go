package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// flatten writes a JSON value as the fields of a form.
func flatten(into url.Values, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if name != "" {
				key = name + "[" + key + "]"
			}
			flatten(into, key, item)
		}
	case []any:
		for i, item := range v {
			if _, nested := item.(map[string]any); nested {
				flatten(into, fmt.Sprintf("%s[%d]", name, i), item)
			} else {
				flatten(into, name+"[]", item)
			}
		}
	default:
		into.Add(name, fmt.Sprint(v))
	}
}

// emptied are the texts that mean nothing when they are empty: those of a
// vocabulary, dates, and ids.
var emptied = map[string]bool{
	"visibility": true, "content_type": true, "language": true, "in_reply_to_id": true, "scheduled_at": true, "expires_at": true, "focus": true,
	"media_id": true, "website": true, "scopes": true, "locale": true, "reason": true, "token": true, "default_scope": true, "actor_type": true,
}

// TestAnEmptyFieldOfAFormIsAsIfItWereNotThere leaves each parameter of each
// route out, and sends it empty.
func TestAnEmptyFieldOfAFormIsAsIfItWereNotThere(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, func(c *config.Settings) { c.Instance.Healthcheck = true })
	b := newBad(t, s)
	for _, r := range s.Routes() {
		in := servertest.Examples[r.Method+" "+r.Path]
		switch {
		case r.Takes == nil || strings.HasPrefix(in.Body, "--x"), r.Method == http.MethodGet:
			continue
		case r.Path == "/api/v1/accounts", r.Path == "/api/v1/statuses/:id/mute":
			continue // not twice
		case strings.HasPrefix(r.Path, "/oauth/"), strings.HasSuffix(r.Path, "/revoke_invite"):
			continue // all of these are secrets
		}
		var sample map[string]any
		must(t, json.Unmarshal([]byte(b.ids.Replace(in.Body)), &sample))
		for _, p := range paramsOf(r.Takes) {
			if p.kind == "truth" || p.kind == "any" || p.kind == "text" && (len(p.path) > 1 || !emptied[p.path[0]]) {
				continue
			}
			form := url.Values{}
			flatten(form, "", sample)
			name := p.path[0]
			for _, more := range p.path[1:] {
				name += "[" + more + "]"
			}
			for key := range form {
				if key == name || strings.HasPrefix(key, name+"[") {
					form.Del(key)
				}
			}
			without, _ := b.send(r, form)
			form.Set(name, "")
			if with, body := b.send(r, form); with != without {
				t.Errorf("%s %s: %s: %d %.200s, %d without it", r.Method, r.Path, form.Encode(), with, body, without)
			}
		}
	}
}

// send sends a form and returns the answer.
func (b *bad) send(r server.Route, form url.Values) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), r.Method, b.s.URL+b.target(r), strings.NewReader(form.Encode()))
	must(b.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token := b.tokens[r.Access]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return resp.StatusCode, string(raw)
}
