package mail_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-smtp"

	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/platform/mail/mailtest"
)

// program writes an executable that keeps its arguments and input, and ends with
// code. It returns its path, and readers of both.
func program(t *testing.T, code string) (path string, args, input func() string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "sendmail")
	script := "#!/bin/sh\nfor a; do echo \"$a\"; done > '" + dir + "/args'\ncat > '" + dir + "/input'\nexit " + code + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	read := func(name string) func() string {
		return func() string {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
	}
	return path, read("args"), read("input")
}

var greeting = jobs.SendMail{To: "ann@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "ann"}}

func TestSendmailTakesMailAsItDoes(t *testing.T) {
	for _, c := range []struct {
		name, args string
		qmail      bool
		want       string
	}{
		{"sendmail", "", false, "-oi -f admin@example.org -- ann@example.net"},
		{"with arguments", "-N  never", false, "-N never -oi -f admin@example.org -- ann@example.net"},
		{"qmail", "", true, "-f admin@example.org -- ann@example.net"},
	} {
		path, args, input := program(t, "0")
		s := service(t, func(s *config.Settings) {
			s.Mailer.Enabled, s.Mailer.Adapter, s.Mailer.CmdPath, s.Mailer.CmdArgs, s.Mailer.Qmail = true, config.Sendmail, path, c.args, c.qmail
			s.Instance.NotifyEmail = "admin@example.org"
		})
		if err := s.Send(t.Context(), "job.1", greeting); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.Join(strings.Fields(args()), " "); got != c.want {
			t.Errorf("%s: arguments %s, want %s", c.name, got, c.want)
		}
		if text := input(); strings.Contains(text, "\r") || !strings.Contains(text, "\nSubject: Your account is awaiting approval\n") || !strings.Contains(text, "\nTo: <ann@example.net>\n") {
			t.Errorf("%s: input\n%s", c.name, text)
		}
	}
}

func TestSendmailTellsWhetherTryingAgainHelps(t *testing.T) {
	for code, final := range map[string]bool{"67": true, "65": true, "75": false, "1": false} {
		path, _, _ := program(t, code)
		s := service(t, func(s *config.Settings) { s.Mailer.Enabled, s.Mailer.CmdPath = true, path })
		var refused *mail.Refused
		if err := s.Send(t.Context(), "job.1", greeting); err == nil || errors.As(err, &refused) != final || strings.Contains(err.Error(), "ann@") {
			t.Errorf("%s: %v", code, err)
		}
	}
	s := service(t, func(s *config.Settings) { s.Mailer.Enabled, s.Mailer.CmdPath = true, "/nowhere/sendmail" })
	if err := s.Send(t.Context(), "job.1", greeting); err == nil || !strings.Contains(err.Error(), "/nowhere/sendmail") {
		t.Errorf("no program: %v", err)
	}
}

func TestARelayThatFailsIsTriedAgainAsOftenAsSet(t *testing.T) {
	for retries, want := range map[int]int64{0: 1, 2: 3} {
		box := mailtest.Start(t)
		var tries atomic.Int64
		box.Refuse(func(string) error {
			tries.Add(1)
			return &smtp.SMTPError{Code: 451, Message: "later"}
		})
		s := service(t, box.Use, func(s *config.Settings) { s.Mailer.Retries = retries })
		if err := s.Send(t.Context(), "job.1", greeting); err == nil || tries.Load() != want {
			t.Errorf("%d retries: tried %d times, want %d; %v", retries, tries.Load(), want, err)
		}
	}
	box := mailtest.Start(t)
	var tries atomic.Int64
	box.Refuse(func(string) error {
		tries.Add(1)
		return &smtp.SMTPError{Code: 550, Message: "never"}
	})
	s := service(t, box.Use, func(s *config.Settings) { s.Mailer.Retries = 2 })
	if err := s.Send(t.Context(), "job.1", greeting); err == nil || tries.Load() != 1 {
		t.Errorf("refused for good: tried %d times; %v", tries.Load(), err)
	}
}
