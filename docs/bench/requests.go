//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// An endpoint is something that is measured.
type endpoint struct {
	name   string
	writes bool
	list   bool // held to the same cost at both sizes
	// requests returns the requests of the endpoint for w.
	requests func(w *world) []request
}

type request struct{ method, path, token, body string }

var endpoints = []endpoint{
	{name: "home", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/home?limit=20")
	}},
	{name: "home, deep", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/home?limit=20&max_id=", w.homePlaces...)
	}},
	{name: "public", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/public?limit=20")
	}},
	{name: "public, deep", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/public?limit=20&max_id=", w.publicPlaces...)
	}},
	{name: "home of one who follows 20", list: true, requests: func(w *world) []request {
		return as(w.few, w.reads("/api/v1/timelines/home?limit=20"))
	}},
	{name: "home of one who follows all", list: true, requests: func(w *world) []request {
		return as(w.many, w.reads("/api/v1/timelines/home?limit=20"))
	}},
	// Beside the one above: what filters cost.
	{name: "home with 20 filters", list: true, requests: func(w *world) []request {
		return as(w.filtering, w.reads("/api/v1/timelines/home?limit=20"))
	}},
	{name: "hashtag", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/tag/photography?limit=20")
	}},
	{name: "list", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/timelines/list/" + w.list + "?limit=20")
	}},
	{name: "account's statuses", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/accounts/", suffixed(w.accounts, "/statuses?limit=20")...)
	}},
	{name: "notifications", list: true, requests: func(w *world) []request {
		return w.reads("/api/v1/notifications?limit=15")
	}},
	{name: "search", list: true, requests: func(w *world) []request {
		return w.reads("/api/v2/search?type=statuses&limit=20&q=", "lantern", "winter", "market", "bread", "river")
	}},
	{name: "one status", requests: func(w *world) []request {
		return w.reads("/api/v1/statuses/", w.statuses...)
	}},
	{name: "thread", requests: func(w *world) []request {
		return w.reads("/api/v1/statuses/", suffixed(w.statuses, "/context")...)
	}},
	// This needs no token and is cached: it shows the least cost of an answer
	// on this machine.
	{name: "instance", requests: func(w *world) []request {
		return as("", w.reads("/api/v1/instance"))
	}},
	{name: "verify_credentials", requests: func(w *world) []request {
		return w.reads("/api/v1/accounts/verify_credentials")
	}},
	{name: "report list", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/reports?state=open")
	}},
	{name: "user list", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/users")
	}},
	{name: "user's history", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/users/", suffixed(w.reported, "/history")...)
	}},
	{name: "reports about a user", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/reports?page_size=2&account_id=", w.reportedIDs...)
	}},
	{name: "known server", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/instances/", w.hosts...)
	}},
	{name: "reports about a server", list: true, requests: func(w *world) []request {
		return w.reads("/api/svc/admin/reports?page_size=2&domain=", w.hosts...)
	}},
	{name: "POST status", writes: true, requests: func(w *world) []request {
		var out []request
		for _, token := range w.writers {
			out = append(out, request{http.MethodPost, "/api/v1/statuses", token,
				`{"status":"A measured status, number ` + string(serial) + `, about rivers, lanterns and the winter market","visibility":"public"}`})
		}
		return out
	}},
}

// reads asks for a path, or for it with each of the ends.
func (w *world) reads(path string, ends ...string) []request {
	if ends == nil {
		ends = []string{""}
	}
	out := make([]request, len(ends))
	for i, end := range ends {
		out[i] = request{http.MethodGet, path + end, w.reader, ""}
	}
	return out
}

// as has somebody else ask.
func as(token string, requests []request) []request {
	for i := range requests {
		requests[i].token = token
	}
	return requests
}

func suffixed(all []string, end string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s + end
	}
	return out
}

// bytes is the request as it is sent.
func (r request) bytes(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.path, host)
	if r.token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", r.token)
	}
	if r.body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(r.body))
	}
	b.WriteString("\r\n" + r.body)
	return b.Bytes()
}

// A cell is one measurement of one endpoint.
type cell struct {
	Program  string        `json:"program"`
	Endpoint string        `json:"endpoint"`
	Database string        `json:"database"`
	Size     string        `json:"size"`
	Workers  int           `json:"workers"`
	Rate     float64       `json:"per_s"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Bytes    float64       `json:"bytes_per_answer"`
	CPU      float64       `json:"cpu_s_per_1000"` // of svcd and its database, with the work after the answers
	// After is how long the server worked on after its last answer, and
	// Sustained the rate with that time.
	After     time.Duration `json:"after_ns"`
	Sustained float64       `json:"sustained_per_s"`
	// Other is the share of the machine that went to anything but the server,
	// its database and this program; -1 where the machine does not tell.
	Other float64 `json:"other_cpu_share"`
}

const warmUp = 500 * time.Millisecond

// load measures an endpoint for some seconds.
func (w *world) load(ctx context.Context, e endpoint, workers int, seconds float64) (cell, error) {
	c := cell{Program: w.Program, Endpoint: e.name, Database: w.Database, Size: w.Size.Name, Workers: workers}
	if err := ctx.Err(); err != nil {
		return c, err
	}
	l := &load{address: w.address, workers: workers, warmUp: warmUp, lasts: time.Duration(seconds * float64(time.Second))}
	for _, r := range e.requests(w) {
		l.requests = append(l.requests, r.bytes(w.address))
	}
	if len(l.requests) == 0 {
		return c, errors.New("there is nothing to ask for in this data")
	}
	roots := w.roots()
	settle(20*time.Second, roots...)
	used, mine, all := cpu(roots...), cpu(os.Getpid()), busy()
	start := time.Now()
	t, err := l.run()
	if err != nil {
		return c, err
	}
	ran := time.Since(start)
	if e.writes {
		c.After = settle(2*time.Minute, roots...)
	}
	total := time.Since(start)
	used, mine, all = cpu(roots...)-used, cpu(os.Getpid())-mine, busy()-all
	c.Rate = float64(t.Requests) / t.Took.Seconds()
	c.P50, c.P99, c.Bytes = t.P50, t.P99, float64(t.Bytes)/float64(t.Requests)
	c.CPU = 1000 * used.Seconds() / float64(t.All)
	c.Sustained = float64(t.All) / (ran + c.After).Seconds()
	c.Other = foreign(all, used+mine, total, runtime.NumCPU())
	return c, nil
}

// An answer is the result of one request of an endpoint. Compared worlds must
// return equal ones.
type answer struct {
	Items int `json:"items"` // of a list
	Bytes int `json:"bytes"`
}

// learn signs all users in, and finds the objects that the endpoints request.
func (w *world) learn(ctx context.Context) error {
	if err := w.signIn(ctx); err != nil {
		return err
	}
	var err error
	if w.homePlaces, _, err = w.walk(ctx, "/api/v1/timelines/home"); err != nil {
		return err
	}
	if w.publicPlaces, w.statuses, err = w.walk(ctx, "/api/v1/timelines/public"); err != nil {
		return err
	}
	if err := w.gather(ctx); err != nil {
		return err
	}
	if err := w.learnReported(ctx); err != nil {
		return err
	}
	w.Answers = map[string]answer{}
	for _, e := range endpoints {
		if e.writes {
			continue
		}
		all := e.requests(w)
		if len(all) == 0 {
			return fmt.Errorf("%s: there is nothing to ask for in this data", e.name)
		}
		var raw json.RawMessage
		if err := w.call(ctx, http.MethodGet, all[0].path, w.reader, nil, &raw); err != nil {
			return err
		}
		w.Answers[e.name] = answer{Items: items(raw), Bytes: len(raw)}
	}
	return nil
}

// learnReported finds whom the newest reports are about, and their servers.
func (w *world) learnReported(ctx context.Context) error {
	var page struct {
		Reports []struct {
			Account struct {
				ID   string `json:"id"`
				Acct string `json:"acct"`
			} `json:"account"`
		} `json:"reports"`
	}
	if err := w.call(ctx, http.MethodGet, "/api/svc/admin/reports?page_size=100", w.reader, nil, &page); err != nil {
		return err
	}
	w.reported, w.reportedIDs, w.hosts = nil, nil, nil
	for _, r := range page.Reports {
		if slices.Contains(w.reportedIDs, r.Account.ID) {
			continue
		}
		w.reported = append(w.reported, r.Account.Acct)
		w.reportedIDs = append(w.reportedIDs, r.Account.ID)
		if _, host, remote := strings.Cut(r.Account.Acct, "@"); remote && !slices.Contains(w.hosts, host) {
			w.hosts = append(w.hosts, host)
		}
	}
	return nil
}

// items counts a list: an array, or the array in an object.
func items(raw []byte) int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return len(list)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields["id"] != nil {
		return 1
	}
	for _, v := range fields {
		if json.Unmarshal(v, &list) == nil {
			return len(list)
		}
	}
	return 1
}

// walked is the most places of a timeline that are asked for.
const walked = 300

// walk reads pages of a timeline. It returns places from all parts of it, and
// the ids of some statuses.
func (w *world) walk(ctx context.Context, path string) (places, ids []string, err error) {
	for end := ""; len(places) < walked; {
		var page []struct {
			ID string `json:"id"`
		}
		if err := w.call(ctx, http.MethodGet, path+"?limit=40&max_id="+end, w.reader, nil, &page); err != nil {
			return nil, nil, err
		}
		if len(page) < 40 {
			break
		}
		end = page[len(page)-1].ID
		places = append(places, end)
		ids = append(ids, page[0].ID, page[len(page)/2].ID)
	}
	if len(places) > 1 {
		places = places[:len(places)-1] // below the last there may be less than a page
	}
	return places, ids, nil
}

// scopes are enough for all that is measured.
const scopes = "read write follow admin:read"

// signIn gets tokens for the measured user and for the posters.
func (w *world) signIn(ctx context.Context) error {
	err := w.call(ctx, http.MethodPost, "/api/v1/apps", "", url.Values{
		"client_name": {"svc bench"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {scopes}}, &w.app)
	if err != nil {
		return err
	}
	if w.reader, err = w.token(ctx, w.made.User, w.made.Password, scopes); err != nil {
		return err
	}
	w.writers = nil
	for i := range posters {
		t, err := w.token(ctx, fmt.Sprintf("poster%02d", i), w.made.Posters, "read write follow")
		if err != nil {
			return err
		}
		w.writers = append(w.writers, t)
	}
	return nil
}

// token signs somebody in.
func (w *world) token(ctx context.Context, user, password, scopes string) (string, error) {
	var t struct {
		Token string `json:"access_token"`
	}
	err := w.call(ctx, http.MethodPost, "/oauth/token", "", url.Values{
		"grant_type": {"password"}, "client_id": {w.app.ID}, "client_secret": {w.app.Secret},
		"username": {user}, "password": {password}, "scope": {scopes}}, &t)
	return t.Token, err
}

// call does one request that is not measured.
func (w *world) call(ctx context.Context, method, path, token string, form url.Values, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader([]byte(form.Encode())))
	if err != nil {
		return err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %.200s", method, path, resp.Status, raw)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}
