package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
)

// TestWatchedListsPrintWhatChanges watches the open reports, with a stream that
// alone can wake the command, and by polls of a server that has none.
func TestWatchedListsPrintWhatChanges(t *testing.T) {
	for name, every := range map[string]string{"stream": "1h", "polls": "10ms"} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t)
			url := s.URL
			if name == "polls" {
				older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/api/v1/streaming") {
						http.NotFound(w, r)
						return
					}
					s.Handler().ServeHTTP(w, r)
				}))
				t.Cleanup(older.Close)
				url = older.URL
			}
			file := func() string {
				t.Helper()
				r, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: s.User("bob").ID})
				if err != nil {
					t.Fatal(err)
				}
				return r.ID
			}
			first, second := file(), file()
			c := newCLI(t, url, "")
			c.env["SVCCTL_TOKEN"] = s.Token("root", servertest.AdminScopes)
			out, in := io.Pipe()
			c.Out = in
			ended := errors.New("ended by the test")
			ctx, stop := context.WithCancelCause(t.Context())
			result := make(chan error, 1)
			root := newRoot(c.App)
			root.SetArgs([]string{"report", "list", "--state", "open", "--limit", "2", "--watch=" + every, "-o", "json"})
			go func() { result <- root.ExecuteContext(ctx) }()
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<20)
			expect := func(what, id string) {
				t.Helper()
				if !lines.Scan() {
					t.Fatal(lines.Err(), <-result)
				}
				var e api.ModerationEvent
				var report api.AdminReport
				if err := errors.Join(json.Unmarshal(lines.Bytes(), &e), json.Unmarshal(e.Object, &report)); err != nil || e.Event != what || e.ID != id || report.ID != id {
					t.Errorf("%s, %v; want %s %s", lines.Bytes(), err, what, id)
				}
			}
			expect("added", first)
			expect("added", second)
			third := file() // which the first makes room for, and is no news of it
			expect("added", third)
			tess := s.Admin("tess").Admin
			if err := tess.Reports.AddNote(t.Context(), second, "looking"); err != nil {
				t.Fatal(err)
			}
			expect("changed", second)
			if err := tess.Reports.Update(t.Context(), api.ReportUpdate{ID: third, State: api.ReportResolved}); err != nil {
				t.Fatal(err)
			}
			expect("gone", third)
			expect("added", first)
			stop(ended)
			go func() { _, _ = io.Copy(io.Discard, out) }()
			if err := <-result; !errors.Is(err, ended) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestAWatchedListPausesBetweenLooks changes a report many times at once: the list is
// read at most once in each pause, and has the last change in the end.
func TestAWatchedListPausesBetweenLooks(t *testing.T) {
	s := servertest.Start(t)
	var looks atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/svc/admin/reports" {
			looks.Add(1)
		}
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	filed, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: s.User("bob").ID})
	if err != nil {
		t.Fatal(err)
	}
	c := newCLI(t, counting.URL, "")
	c.env["SVCCTL_TOKEN"] = s.Token("root", servertest.AdminScopes)
	c.WatchPause = 300 * time.Millisecond
	out, in := io.Pipe()
	c.Out = in
	ctx, stop := context.WithCancel(t.Context())
	root, result := newRoot(c.App), make(chan error, 1)
	root.SetArgs([]string{"report", "list", "--watch=1h", "-o", "json"})
	begun := time.Now()
	go func() { result <- root.ExecuteContext(ctx) }()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	const notes = 40
	for seen := -1; seen < notes; {
		if !lines.Scan() {
			t.Fatal(lines.Err(), <-result)
		}
		var e api.ModerationEvent
		var report api.AdminReport
		if err := errors.Join(json.Unmarshal(lines.Bytes(), &e), json.Unmarshal(e.Object, &report)); err != nil {
			t.Fatal(err)
		}
		if seen < 0 {
			for range notes {
				if err := s.Admin("tess").Admin.Reports.AddNote(t.Context(), filed.ID, "looking"); err != nil {
					t.Fatal(err)
				}
			}
		}
		seen = len(report.Notes)
	}
	if most := 1 + int64(time.Since(begun)/c.WatchPause); looks.Load() > most {
		t.Errorf("%d looks in %s", looks.Load(), time.Since(begun))
	}
	stop()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	<-result
}

// TestWatchGoesWithFewFlags tries flags that need an end.
func TestWatchGoesWithFewFlags(t *testing.T) {
	for _, flags := range []string{"--watch --count", "--watch --sort id", "--watch --fail-nonempty", "--watch -o yaml", "--watch=0s", "--watch -o csv", "--watch --envelope"} {
		c := newCLI(t, "http://127.0.0.1:1", "")
		if code := c.Execute(newRoot(c.App), append([]string{"report", "list"}, strings.Fields(flags)...)); code != 2 {
			t.Errorf("%s: exit %d, %s", flags, code, c.stderr.String())
		}
	}
}

// TestListsWithoutEventsAreWatchedByLooking: no event tells of relays, hosts, queues and counts,
// so that these are read again after the time of the flag, also where there is a stream.
func TestListsWithoutEventsAreWatchedByLooking(t *testing.T) {
	s := servertest.Start(t)
	relay := "https://one.example/inbox"
	follow := func() error {
		_, err := s.Admin("root").Admin.Relays.Follow(t.Context(), relay)
		return err
	}
	for _, c := range []struct {
		command, name string
		change        func() error
	}{
		{"relay list", relay, follow},
		{"federation hosts", "two.example", func() error { return s.DB.AddInstance(t.Context(), "two.example") }},
		{"jobs queues", "discarded\":1", func() error { s.FailedJob(); return nil }},
		{"stats", "public\":1", func() error {
			_, err := s.Client("ann").Statuses.Post(t.Context(), api.NewStatus{Status: "hello"})
			return err
		}},
	} {
		t.Run(c.command, func(t *testing.T) {
			p := newCLI(t, s.URL, "")
			p.env["SVCCTL_TOKEN"] = s.Token("root", servertest.AdminScopes)
			out, in := io.Pipe()
			p.Out = in
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			root := newRoot(p.App)
			root.SetArgs(append(strings.Fields(c.command), "--watch=10ms", "-o", "json"))
			go func() { in.CloseWithError(root.ExecuteContext(ctx)) }()
			time.Sleep(300 * time.Millisecond) // the first look is over
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if strings.Contains(strings.ReplaceAll(lines.Text(), " ", ""), c.name) {
					return
				}
			}
			t.Errorf("%s is not printed: %v", c.name, lines.Err())
		})
	}
}
