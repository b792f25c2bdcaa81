//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"
)

// An endpoint is something that is measured.
type endpoint struct {
	name   string
	list   bool   // held to the same cost at both sizes
	path   string // with what w.known has by the name in braces, each in turn
	by     string // whose token
	writes bool   // posts by all posters
}

var endpoints = []endpoint{
	{"home", true, "/api/v1/timelines/home?limit=20", "reader", false},
	{"home, deep", true, "/api/v1/timelines/home?limit=20&max_id={home}", "reader", false},
	{"public", true, "/api/v1/timelines/public?limit=20", "reader", false},
	{"public, deep", true, "/api/v1/timelines/public?limit=20&max_id={public}", "reader", false},
	{"home of one who follows 20", true, "/api/v1/timelines/home?limit=20", "few", false},
	{"home of one who follows all", true, "/api/v1/timelines/home?limit=20", "many", false},
	// Beside the one above: what filters cost.
	{"home with 20 filters", true, "/api/v1/timelines/home?limit=20", "filtering", false},
	{"hashtag", true, "/api/v1/timelines/tag/photography?limit=20", "reader", false},
	{"list", true, "/api/v1/timelines/list/{list}?limit=20", "reader", false},
	{"account's statuses", true, "/api/v1/accounts/{account}/statuses?limit=20", "reader", false},
	{"notifications", true, "/api/v1/notifications?limit=15", "reader", false},
	{"search", true, "/api/v2/search?type=statuses&limit=20&q={word}", "reader", false},
	{"one status", false, "/api/v1/statuses/{status}", "reader", false},
	{"thread", false, "/api/v1/statuses/{status}/context", "reader", false},
	// This needs no token and is cached: it shows the least cost of an answer
	// on this machine.
	{"instance", false, "/api/v1/instance", "nobody", false},
	{"verify_credentials", false, "/api/v1/accounts/verify_credentials", "reader", false},
	{"report list", true, "/api/svc/admin/reports?state=open", "reader", false},
	{"user list", true, "/api/svc/admin/users", "reader", false},
	{"user's history", true, "/api/svc/admin/users/{reported}/history", "reader", false},
	{"reports about a user", true, "/api/svc/admin/reports?page_size=2&account_id={reported id}", "reader", false},
	{"known server", true, "/api/svc/admin/instances/{host}", "reader", false},
	{"reports about a server", true, "/api/svc/admin/reports?page_size=2&domain={host}", "reader", false},
	posting,
}

var posting = endpoint{name: "POST status", path: "/api/v1/statuses", writes: true}

type request struct{ method, path, token, body string }

// requests returns the requests of the endpoint for w.
func (e endpoint) requests(w *world) (all []request) {
	if e.writes {
		for _, token := range w.writers {
			all = append(all, request{http.MethodPost, e.path, token,
				`{"status":"A measured status, number ` + string(serial) + `, about rivers, lanterns and the winter market","visibility":"public"}`})
		}
		return all
	}
	before, rest, some := strings.Cut(e.path, "{")
	name, after, _ := strings.Cut(rest, "}")
	each := []string{""}
	if name == "word" {
		each = []string{"lantern", "winter", "market", "bread", "river"}
	} else if some {
		each = w.known[name]
	}
	for _, s := range each {
		all = append(all, request{http.MethodGet, before + s + after, w.tokens[e.by], ""})
	}
	return all
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
	l := &load{address: w.address, workers: workers, warmUp: warmUp, lasts: time.Duration(seconds * float64(time.Second))}
	for _, r := range e.requests(w) {
		l.requests = append(l.requests, r.bytes(w.address))
	}
	if len(l.requests) == 0 {
		return c, errors.New("there is nothing to ask for in this data")
	}
	if err := ctx.Err(); err != nil {
		return c, err
	}
	roots := w.roots()
	settle(20*time.Second, roots...)
	used, mine, all := cpu(roots...), cpu(os.Getpid()), busy("/proc")
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
	used, mine, all = cpu(roots...)-used, cpu(os.Getpid())-mine, busy("/proc")-all
	c.Rate = float64(t.Requests) / t.Took.Seconds()
	c.P50, c.P99, c.Bytes = t.P50, t.P99, float64(t.Bytes)/float64(t.Requests)
	c.CPU = 1000 * used.Seconds() / float64(t.All)
	c.Sustained = float64(t.All) / (ran + c.After).Seconds()
	c.Other = foreign(all, used+mine, total, runtime.NumCPU())
	return c, nil
}
