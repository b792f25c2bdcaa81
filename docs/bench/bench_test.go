//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata")

func TestALoadCountsAnswersAndWhatTheyWeigh(t *testing.T) {
	var (
		asked  atomic.Int64
		bodies = make(chan string, 100_000)
	)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var in struct{ Status string }
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			bodies <- in.Status
		}
		_, _ = fmt.Fprint(w, strings.Repeat("x", 10_000)) // more than net/http sends in one piece
	}))
	defer srv.Close()
	address := srv.Listener.Addr().String()
	l := &load{address: address, workers: 4, lasts: 100 * time.Millisecond, requests: [][]byte{
		request{http.MethodGet, "/a", "token", ""}.bytes(address),
		request{http.MethodPost, "/b", "token", `{"status":"` + string(serial) + `"}`}.bytes(address),
	}}
	got, err := l.run()
	if err != nil {
		t.Fatal(err)
	}
	if got.All != asked.Load() || int64(got.Requests) != got.All || got.Bytes != 10_000*got.All {
		t.Errorf("%+v, and the server was asked %d times", got, asked.Load())
	}
	if got.P50 <= 0 || got.P99 < got.P50 || got.Took > time.Second {
		t.Errorf("times %+v", got)
	}
	close(bodies)
	seen := map[string]bool{}
	for body := range bodies {
		if seen[body] || len(body) != len(serial) {
			t.Fatalf("%q was posted twice, or is no number", body)
		}
		seen[body] = true
	}
}

func TestALoadFailsOnTheFirstBadAnswer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer srv.Close()
	address := srv.Listener.Addr().String()
	l := &load{address: address, workers: 2, lasts: time.Minute, requests: [][]byte{request{http.MethodGet, "/a", "t", ""}.bytes(address)}}
	if _, err := l.run(); err == nil || err.Error() != "GET /a HTTP/1.1: answered 503" {
		t.Errorf("%v", err)
	}
}

func TestAnswersAreReadToTheirEnd(t *testing.T) {
	const next = "HTTP/1.1 204 No Content\r\n\r\n"
	for _, tt := range []struct {
		raw    string
		status int
		size   int64
		keep   bool
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, 5, true},
		{"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", 404, 0, true},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n", 200, 15, true},
		{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 200, 1, false},
		{next, 204, 0, true},
	} {
		r := bufio.NewReader(strings.NewReader(tt.raw + next))
		status, size, keep, err := readAnswer(r)
		if err != nil || status != tt.status || size != tt.size || keep != tt.keep {
			t.Errorf("%q: %d, %d, %v, %v", tt.raw, status, size, keep, err)
		}
		if status, _, _, err := readAnswer(r); err != nil || status != 204 {
			t.Errorf("%q: the answer after it is %d, %v", tt.raw, status, err)
		}
	}
	for _, raw := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "SSH-2.0\r\n"} {
		if _, _, _, err := readAnswer(bufio.NewReader(strings.NewReader(raw))); err == nil {
			t.Errorf("%q was taken for an answer", raw)
		}
	}
}

func TestQuantilesAreNearestRank(t *testing.T) {
	values := make([]time.Duration, 100)
	for i := range values {
		values[i] = time.Duration(i + 1)
	}
	for _, tt := range []struct{ n, percent, want int }{{100, 50, 50}, {100, 99, 99}, {3, 50, 2}, {3, 99, 3}, {1, 50, 1}} {
		if got := quantile(values[:tt.n], tt.percent); got != time.Duration(tt.want) {
			t.Errorf("%d%% of %d is %d, want %d", tt.percent, tt.n, got, tt.want)
		}
	}
}

func TestProcessorTimeOfThisProcessIsSeen(t *testing.T) {
	me := os.Getpid()
	before := cpu(me)
	for end := time.Now().Add(5 * time.Second); cpu(me)-before < 5*tick; {
		if time.Now().After(end) {
			t.Fatal("five seconds of work were not seen")
		}
	}
	if u := memoryOf(me); u.RSS < 1 || u.PSS <= 0 || u.PSS > u.RSS || peak(me) < u.RSS/2 {
		t.Errorf("memory %+v, at most %g", u, peak(me))
	}
}

func TestWorkOfOthersIsTold(t *testing.T) {
	proc := t.TempDir()
	if err := os.WriteFile(filepath.Join(proc, "stat"), []byte("cpu  100 20 30 4000 500 6 7 8 90 1\ncpu0 1 1 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := busy(proc); got != 171*tick {
		t.Errorf("busy for %v, want %v", got, 171*tick)
	}
	second := time.Second
	for _, tt := range []struct {
		all, ours time.Duration
		want      float64
	}{{3 * second, 2 * second, 0.25}, {second, 2 * second, 0}, {0, 2 * second, -1}} {
		if got := foreign(tt.all, tt.ours, 2*second, 2); got != tt.want {
			t.Errorf("%v of %v: %g, want %g", tt.ours, tt.all, got, tt.want)
		}
	}
}

func TestGoBenchmarksAreRead(t *testing.T) {
	got, err := parseBenchmarks("goos: linux\nBenchmarkFilterKeystroke/100000-2  \t 200\t  5500000 ns/op\t 12 B/op\nPASS\nBenchmarkKeyToFrame-2 1000 812.5 ns/op\n")
	want := []benchmark{{"filter keystroke/100000", 5500 * time.Microsecond}, {"key to frame", 812 * time.Nanosecond}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestWhatTheDemoSaysIsFound(t *testing.T) {
	for line, want := range map[string][]string{
		"URL:      http://127.0.0.1:4711":  {"URL", "http://127.0.0.1:4711"},
		"User      robin":                  {"User", "robin"},
		"password: Abc-123":                {"password", "Abc-123"},
		"Serving 100 reports at some URL.": nil,
	} {
		got := said.FindStringSubmatch(line)
		if got != nil {
			got = got[1:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, args := range []string{"-sizes huge", "-databases oracle", "-seconds 0", "-seconds 9999", "-runs 0", "-only nothing", "more", "-delivery -1"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	o, err := parse(strings.Fields("-sizes small -databases sqlite -runs 1"))
	if err != nil || cmp.Diff(o.sizes, allSizes[:1]) != "" || cmp.Diff(o.databases, []string{"sqlite"}) != "" || o.runs != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestTheReportIsATable(t *testing.T) {
	r := &report{
		Started: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Machine: "2 cores of something", Seconds: 2, Runs: 3,
		Version: "svcd v1", Terminal: []benchmark{{"key to frame", 5 * time.Millisecond}},
	}
	for i, s := range allSizes[:2] {
		factor := float64(i + 1)
		for _, program := range []string{"before", "now"} {
			r.Worlds = append(r.Worlds, &world{Program: program, Database: "postgres", Size: s, Start: 50 * time.Millisecond, MadeIn: time.Minute,
				Idle: memories{Server: usage{RSS: 30, PSS: 29}}, AfterReads: memories{Server: usage{RSS: 40}}, DiskBytes: 50 << 20,
				AfterWrites: memories{Server: usage{RSS: 45}, Peak: 50, Database: usage{PSS: 120}}})
			for _, e := range endpoints {
				for _, workers := range []int{1, 16} {
					for run := range 3 {
						c := cell{Program: program, Endpoint: e.name, Database: "postgres", Size: s.Name, Workers: workers, Rate: 1000 + float64(run), CPU: 0.3,
							P50: time.Millisecond, P99: 5 * time.Millisecond, Bytes: 40_000, Sustained: 900, After: time.Second, Other: 0.01}
						if e.name == "user list" && program == "now" {
							c.CPU *= factor
						}
						r.Cells = append(r.Cells, c)
					}
				}
			}
		}
	}
	var got strings.Builder
	if err := r.print(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.md")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}
