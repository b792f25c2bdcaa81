package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db/dbtest"
)

// heavy is a request that costs its sender little and would cost the server much.
type heavy struct {
	name, target, kind string
	body               []byte
	slow               bool
	refused            atomic.Int64
}

// heavies are the worst requests that need no token: those that come as fast as
// they can, and those of which the last byte is held back.
func heavies() (fast, slow []*heavy) {
	const most = 14 << 20
	repeat := func(head, s, tail string, n int) []byte {
		return []byte(head + strings.Repeat(s, n/len(s)) + tail)
	}
	values, deep := repeat(`{"status":"x","media_ids":[`, "1,", "1]}", most), repeat(`{"a":`, "[", "", most)
	activity := repeat(`{"id":"https://127.0.0.1:9/a","type":"Create","actor":"https://127.0.0.1:9/u","object":[`, "{},", "{}]}", 1<<20-200)
	parts := repeat("", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", "--b--\r\n", most)
	file := append([]byte("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.png\"\r\n\r\n\x89PNG\r\n\x1a\n"), make([]byte, most)...)
	const js, form, multi, document = "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "application/activity+json"
	fast = []*heavy{
		{name: "many values", target: "/api/v1/statuses", kind: js, body: values},
		{name: "many values for a token", target: "/oauth/token", kind: js, body: values},
		{name: "many values of an account", target: "/api/v1/accounts", kind: js, body: values},
		{name: "many values for an admin", target: "/api/svc/admin/users", kind: js, body: values},
		{name: "deep lists", target: "/api/v1/statuses", kind: js, body: deep},
		{name: "many names", target: "/oauth/token", kind: form, body: repeat("", "a[]=&", "", most)},
		{name: "long form", target: "/api/v1/apps", kind: form, body: repeat("client_name=", "x", "", most)},
		{name: "many parts", target: "/api/v1/media", kind: multi, body: parts},
		{name: "many parts for a token", target: "/oauth/token", kind: multi, body: parts},
		{name: "file", target: "/api/v2/media", kind: multi, body: file},
		{name: "activity", target: "/inbox", kind: document, body: activity},
	}
	slow = []*heavy{
		{name: "slow values", target: "/api/v1/statuses", kind: js, body: values[:60<<10], slow: true},
		{name: "slow activity", target: "/inbox", kind: document, body: activity, slow: true},
		{name: "slow file", target: "/api/v1/media", kind: multi, body: file[:1<<20], slow: true},
	}
	return fast, slow
}

// send sends h over a connection of its own, and returns the status of the
// answer, 0 without one.
func (h *heavy) send(p *process, done <-chan struct{}) int {
	conn, err := p.dial(p.t.Context(), "", "")
	if err != nil {
		return 0
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	body, held := h.body, 0
	if h.slow {
		body, held = body[:len(body)-1], 1
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"Signature: keyId=\"https://127.0.0.1:9/u#k\",headers=\"date\",signature=\"eA==\"\r\n\r\n", h.target, h.kind, len(body)+held)
	if _, err = io.WriteString(conn, head); err == nil {
		_, _ = io.Copy(struct{ io.Writer }{conn}, bytes.NewReader(body)) // the server may refuse before its end
	}
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-done:
			_ = conn.SetDeadline(time.Now())
		case <-answered:
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// visit reads a page again and again for a time, and returns how long requests took:
// half of them at most p50, and 99 of 100 at most p99.
func (p *process) visit(t *testing.T, page, token string, long time.Duration) (p50, p99 time.Duration) {
	hc := p.http()
	defer hc.CloseIdleConnections()
	var took []time.Duration
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		req, err := http.NewRequest(http.MethodGet, base+page, nil)
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		began := time.Now()
		resp, err := hc.Do(req)
		if err != nil {
			t.Errorf("a visitor under attack: %v", err)
			break
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		took = append(took, time.Since(began))
		if resp.StatusCode != http.StatusOK {
			t.Errorf("a visitor under attack: %d", resp.StatusCode)
			break
		}
	}
	if len(took) == 0 {
		t.Error("no visitor was answered")
		return 0, 0
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

const publicTimeline = "/api/v1/timelines/public"

// wasServed logs the figures of an attack, and fails for those above the bounds, of memory
// most MiB. Times count where somebody asked for a measurement alone: other tests run
// beside this one.
func (p *process) wasServed(t *testing.T, most, before int, idle50, idle99, p50, p99 time.Duration) {
	t.Helper()
	held := p.peak()
	t.Logf("visitors: idle p50 %s p99 %s, under attack p50 %s p99 %s; memory at most %d MiB, before %d", idle50, idle99, p50, p99, held, before)
	if held >= most {
		t.Errorf("svcd held %d MiB", held)
	}
	if os.Getenv("SVC_TEST_ATTACK") != "" && p99 > 5*idle99 {
		t.Errorf("visitors waited %.1f times as long as without the attack", float64(p99)/float64(idle99))
	}
}

var residentPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is how much memory svcd has held at most, in MiB.
func (p *process) peak() int {
	p.t.Helper()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	m := residentPeak.FindSubmatch(status)
	if m == nil {
		p.t.Skip("the system does not tell what a process holds")
	}
	kib, _ := strconv.Atoi(string(m[1]))
	return kib >> 10
}

// TestFiftyStrangersTakeLittleMemory has 50 connections send the worst possible
// bodies, without a token, for SVC_TEST_ATTACK (default 4s), while somebody
// reads. It logs the figures of docs/internals/attacks.md.
func TestFiftyStrangersTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	long, err := time.ParseDuration(cmp.Or(os.Getenv("SVC_TEST_ATTACK"), "4s"))
	must(t, err)
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.user("alice")
		p.start()
		token := p.logIn("alice")
		idle50, idle99 := p.visit(t, publicTimeline, token, min(long/4, 10*time.Second))
		before := p.peak()

		fast, slow := heavies()
		done := make(chan struct{})
		var attackers sync.WaitGroup
		for i := range 50 {
			of := fast
			if i%5 == 0 {
				of = slow
			}
			attackers.Go(func() {
				for n := i; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					h := of[n%len(of)]
					switch status := h.send(p, done); {
					case status >= 500 || status >= 200 && status < 300:
						t.Errorf("%s: %d", h.name, status)
					case status != 0:
						h.refused.Add(1)
					}
				}
			})
		}
		p50, p99 := p.visit(t, publicTimeline, token, long)
		close(done)
		attackers.Wait()
		for _, h := range slices.Concat(fast, slow) {
			t.Logf("%-25s refused %d times", h.name, h.refused.Load())
		}
		p.wasServed(t, 400, before, idle50, idle99, p50, p99)
	})
}
