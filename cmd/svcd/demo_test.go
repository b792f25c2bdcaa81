package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest"
)

func TestADemoIsAWholeService(t *testing.T) {
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		s := start(t, map[string]string{"SVC_DATABASE": dsn}, "demo", "--headless", "--data-dir", t.TempDir())
		url := s.find(t, &s.stdout, `(?m)^url +(\S+)$`)
		user, password := s.find(t, &s.stdout, `(?m)^user +(\S+)$`), s.find(t, &s.stdout, `(?m)^password +(\S+)$`)
		token := s.find(t, &s.stdout, `(?m)^token +(\S+)$`)
		ctx := t.Context()
		admin, err := client.New(url, client.WithToken(token))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, state := range []string{"open", "resolved", "closed"} {
			page, err := admin.Admin.Reports.List(api.ReportQuery{State: state, PageSize: 50}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got[state] = page.Total
			if len(page.Items) != page.Total {
				t.Errorf("%d of %d reports are %s", len(page.Items), page.Total, state)
			}
		}
		got["handled"] = got["resolved"] + got["closed"]
		delete(got, "resolved")
		delete(got, "closed")
		if diff := cmp.Diff(map[string]int{"open": 41, "handled": 7}, got); diff != "" {
			t.Error(diff)
		}

		// Everybody has the printed password.
		anonymous, err := client.New(url)
		if err != nil {
			t.Fatal(err)
		}
		app, err := anonymous.Apps.Create(ctx, api.NewApp{ClientName: "test", RedirectURIs: client.OutOfBand, Scopes: "read"})
		if err != nil {
			t.Fatal(err)
		}
		for _, nick := range []string{user, "mei"} {
			issued, err := anonymous.OAuth.Password(ctx, app, nick, password, "read")
			if err != nil {
				t.Fatalf("%s: %v", nick, err)
			}
			person, err := client.New(url, client.WithToken(issued.AccessToken))
			if err != nil {
				t.Fatal(err)
			}
			home, err := person.Timelines.Home(api.TimelineQuery{}).Page(ctx)
			if err != nil || len(home.Items) == 0 {
				t.Errorf("home of %s: %d statuses, error %v", nick, len(home.Items), err)
			}
		}
		s.end(t)
	})
}

func TestLongWorkIsSeen(t *testing.T) {
	var out servertest.Log
	p := &progress{app: &app{stderr: &out}, start: time.Now()}
	p.told(1, 1000)
	if got := out.String(); got != "" {
		t.Errorf("it told at once: %q", got)
	}
	p.start = time.Now().Add(-2 * time.Second)
	p.told(430, 1000)
	p.told(431, 1000)
	p.end()
	p = &progress{app: &app{stderr: &out, terminal: true}, start: p.start}
	p.told(500, 1000)
	p.end()
	want := "making sample data: 43% of about 1000 steps\n\rmaking sample data: 50% of about 1000 steps\r\x1b[K"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheDemoOpensOnTheQueueAndLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(filepath.Join(servertest.Programs(t), "svcd"), "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "TERM=xterm-256color")
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = screen.Close() }()
	shown := &servertest.Log{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(shown, screen) // ends when the program does
	}()
	s := &started{}
	s.find(t, shown, `(REPORTS open 41)`)
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 1 {
		t.Errorf("%d folders, error %v", len(left), err)
	}
	if _, err := io.WriteString(screen, ":demo\r"); err != nil {
		t.Fatal(err)
	}
	password := s.find(t, shown, `password +(\S+)`)
	if _, err := io.WriteString(screen, "qq"); err != nil {
		t.Fatal(err)
	}
	<-read
	if _, left, ok := strings.Cut(shown.String(), "This demo was at"); !ok || !strings.Contains(left, password) ||
		!regexp.MustCompile(`url +http://127\.0\.0\.1:\d+\s`).MatchString(left) || !strings.Contains(left, "moderators  amara") {
		t.Errorf("on leaving it says %q", left)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, shown.String())
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%d folders stay, error %v", len(left), err)
	}
	if strings.Contains(shown.String(), `"msg"`) {
		t.Errorf("the log shows: %q", shown.String())
	}
}
