package commands

import (
	"strings"
	"testing"
	"time"

	"svc/db/dbtest"
)

// TestCallsAreCheckedByTheServersDescription: svcctl api refuses names and paths that the
// server does not describe, and names the nearest; --no-check sends them.
func TestCallsAreCheckedByTheServersDescription(t *testing.T) {
	s, vars := adminWorld(t)
	for _, test := range []struct {
		line string
		code int
		want string
	}{
		{"api GET reports -f state=open -f page_size=1", 0, ""},
		{"api GET reports -f stat=open", 2, "did you mean state?"},
		{"api GET reports?stat=open", 2, "GET /api/svc/admin/reports has no parameter stat"},
		{"api GET reports -f stat=open --no-check", 0, ""},
		{"api PUT users/tag -f nicknames[]=kim -f tag[]=x --dry-run", 2, "did you mean tags?"},
		{"api PUT users/tag -f nicknames[]=kim -f tags[]=x --dry-run", 0, ""},
		{"api PATCH users/tag -f nicknames[]=kim", 2, "it is for DELETE, PUT"},
		{"api GET reprots", 2, "did you mean /api/svc/admin/reports?"},
		{"api GET users/nobody", 4, ""},
		{"api GET /api/v1/timelines/tag/cats -f any[]=dogs -f limit=1", 0, ""},
		{"api GET /healthz -f x=1", 0, ""},
	} {
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
		code := Run(c.App, strings.Fields(test.line))
		if code != test.code || !strings.Contains(c.stderr.String(), test.want) {
			t.Errorf("svcctl %s: exit %d, want %d and %q\n%s", test.line, code, test.code, test.want, &c.stderr)
		}
	}
}

// TestPathsAreCompletedFromTheServersDescription: after a method, the paths that have it.
// Under the race detector reading the description takes longer than a completion may.
func TestPathsAreCompletedFromTheServersDescription(t *testing.T) {
	dbtest.Alone(t)
	s, vars := adminWorld(t)
	for typed, want := range map[string]string{
		"api p":                         "PATCH",
		"api GET grouped":               "grouped_reports",
		"api DELETE /api/v1/push":       "/api/v1/push/subscription",
		"api GET /api/v1/timelines/tag": "/api/v1/timelines/tag/",
	} {
		said := ""
		for begin := time.Now(); time.Since(begin) < 2*time.Minute; { // on a slow machine the budget of a completion may be over
			c := newCLI(t, s.URL, "")
			c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
			if code := Run(c.App, append([]string{"__complete"}, strings.Fields(typed)...)); code != 0 {
				t.Errorf("svcctl %s: exit %d", typed, code)
			}
			if said = c.stdout.String(); strings.Contains(said, want) {
				break
			}
		}
		if !strings.Contains(said, want) {
			t.Errorf("svcctl %s lacks %s:\n%s", typed, want, said)
		}
	}
}
