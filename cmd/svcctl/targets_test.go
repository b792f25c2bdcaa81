package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/action"
)

func TestTargetsFromStandardInput(t *testing.T) {
	tests := []struct {
		noun, in string
		want     []target
	}{
		{"report", "", nil},
		{"report", "9xA\n\n report/9xB \r\nid:9xC", []target{
			{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}},
			{Target: action.Target{Noun: "report", Name: "9xB", ByID: true}},
			{Target: action.Target{Noun: "report", Name: "9xC", ByID: true}},
		}},
		{"report", "9xA\nreport/9xA\n", []target{{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}}}},
		{"report", `{"id":"9xA","state":"open","actor":{}}` + "\n" + `{"target":"report/9xB","action":"report.close","result":"changed","error":null}`, []target{
			{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}, before: map[string]string{"state": "open"}},
			{Target: action.Target{Noun: "report", Name: "9xB", ByID: true}},
		}},
		{"user", `{"id":7,"nickname":"kim","deactivated":false}` + "\n\"ana\"\n@tess@there.example", []target{
			{Target: action.Target{Noun: "user", Name: "kim"}, before: map[string]string{"deactivated": "false"}},
			{Target: action.Target{Noun: "user", Name: "ana"}},
			{Target: action.Target{Noun: "user", Name: "tess@there.example"}},
		}},
		{"status", `{"id":"9xS","visibility":"public","sensitive":true}`, []target{
			{Target: action.Target{Noun: "status", Name: "9xS", ByID: true}, before: map[string]string{"visibility": "public", "sensitive": "true"}},
		}},
	}
	for _, tt := range tests {
		a := &app{in: strings.NewReader(tt.in)}
		got, err := a.targets(tt.noun, []string{"-"})
		if err != nil {
			t.Errorf("%s %q: %v", tt.noun, tt.in, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(target{})); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.noun, tt.in, diff)
		}
	}
}

func TestTheWrongPipeDoesNoHarm(t *testing.T) {
	for _, tt := range []struct{ noun, in, want string }{
		{"report", "user/kim\n", `line 1: "user/kim" is a user; a report is wanted`},
		{"report", "9xA\n" + `{"id":"9xS","visibility":"public"}`, "line 2: the object is not a report"},
		{"user", `{"id":"9xA","state":"open"}`, "line 1: the object is not a user"},
		{"status", `{"id":7,"nickname":"kim"}`, "line 1: the object is not a status"},
		{"user", `{"target":"report/9xA"}`, `line 1: "report/9xA" is a report; a user is wanted`},
		{"user", `{"nickname":`, "line 1: not a JSON object: unexpected end of JSON input"},
	} {
		a := &app{in: strings.NewReader(tt.in)}
		_, err := a.targets(tt.noun, []string{"-"})
		if err == nil || err.Error() != tt.want || exitOf(err) != exitUsage {
			t.Errorf("%s %q: %v, want %s", tt.noun, tt.in, err, tt.want)
		}
	}
	for _, args := range [][]string{nil, {"-", "-"}} {
		a := &app{in: strings.NewReader("")}
		if _, err := a.targets("report", args); exitOf(err) != exitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-31T10:00:00+02:00": "2026-01-31T08:00:00Z",
		"2026-01-31T10:00:00":       "2026-01-31T10:00:00Z",
		"2026-01-31":                "2026-01-31T00:00:00Z",
		"36h":                       "2026-01-30T00:04:00Z",
		"7d":                        "2026-01-24T12:04:00Z",
		"90m":                       "2026-01-31T10:34:00Z",
	} {
		got, err := parseTime(in, fixedNow)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("parseTime(%q) = %s, %v, want %s", in, got.Format(time.RFC3339), err, want)
		}
	}
	for _, bad := range []string{"", "soon", "-5h", "-1d", "1e300d", "31.01.2026", "d"} {
		if got, err := parseTime(bad, fixedNow); err == nil {
			t.Errorf("parseTime(%q) = %s, want a refusal", bad, got)
		}
	}
}

// ids is n lines.
func ids(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "r%03d\n", i)
	}
	return b.String()
}

func TestManyTargetsNeedMoreThanYes(t *testing.T) {
	f, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		always(200, `{"id":"`+id+`","state":"open"}`)(w, r)
	})
	tests := []struct {
		n    int
		args string
		code int
	}{
		{101, "--yes", exitUsage},              // more than --max allows without a terminal
		{21, "--yes", exitUsage},               // over 20 need a number too
		{20, "", exitUsage},                    // several need --yes
		{101, "--yes --max 100", exitUsage},    // one too many
		{101, "--yes --expect 100", exitUsage}, // another number than expected
		{101, "--dry-run", exitDone},           // looking is free
		{0, "--yes", exitDone},                 // nothing to do
	}
	for _, tt := range tests {
		c := newCLI(t, url, ids(tt.n))
		if code := run(c.app, append([]string{"report", "close", "-"}, strings.Fields(tt.args)...)); code != tt.code {
			t.Errorf("%d targets, %s: exit %d, want %d: %s", tt.n, tt.args, code, tt.code, &c.stderr)
		}
	}
	if writes := f.writes(); len(writes) != 0 {
		t.Errorf("sent %q", writes)
	}
	for _, args := range []string{"--yes --max 101", "--yes --expect 101 --max 101"} {
		before := len(f.writes())
		c := newCLI(t, url, ids(101))
		if code := run(c.app, append([]string{"report", "close", "-", "-q"}, strings.Fields(args)...)); code != 0 || c.stdout.Len()+c.stderr.Len() > 0 {
			t.Errorf("%s: exit %d: %s%s", args, code, &c.stdout, &c.stderr)
		}
		if n := len(f.writes()) - before; n != 2 {
			t.Errorf("%s: %d requests, want 2 batches", args, n)
		}
	}
}

func TestTwoOfEveryConfirmationLevel(t *testing.T) {
	_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		always(200, `{"id":"a","state":"open","visibility":"public"}`)(w, r)
	})
	tests := []struct {
		args, prompt, question string
		code                   int
	}{
		{"report resolve a", "", "", 0},
		{"status delete a", "y\n", "delete status a? [y/N] ", 0},
		{"report resolve a b c", "yes\n", "resolve 3 reports? [y/N] ", 0},
		{"report resolve " + strings.ReplaceAll(strings.TrimSpace(ids(21)), "\n", " "), "21\n", "resolve 21 reports? type 21 to go on: ", 0},
		{"report resolve " + strings.ReplaceAll(strings.TrimSpace(ids(21)), "\n", " "), "y\n", "resolve 21 reports? type 21 to go on: ", exitDeclined},
	}
	for _, tt := range tests {
		c := newCLI(t, url, tt.prompt)
		c.ttyIn, c.ttyErr = true, true
		code := run(c.app, strings.Fields(tt.args))
		if tt.code != 0 && code != tt.code || tt.code == 0 && (code == exitUsage || code == exitDeclined) {
			t.Errorf("%s: exit %d, want %d: %s", tt.args, code, tt.code, &c.stderr)
		}
		if !strings.HasPrefix(c.stderr.String(), tt.question) {
			t.Errorf("%s: asked %q, want %q", tt.args, &c.stderr, tt.question)
		}
	}
}
