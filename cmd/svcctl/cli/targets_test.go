package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/action"
)

func TestTargetsFromStandardInput(t *testing.T) {
	tests := []struct {
		noun, in string
		want     []Target
	}{
		{"report", "", nil},
		{"report", "9xA\n\n report/9xB \r\nid:9xC", []Target{
			{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}},
			{Target: action.Target{Noun: "report", Name: "9xB", ByID: true}},
			{Target: action.Target{Noun: "report", Name: "9xC", ByID: true}},
		}},
		{"report", "9xA\nreport/9xA\n", []Target{{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}}}},
		{"report", `{"id":"9xA","state":"open","actor":{}}` + "\n" + `{"target":"report/9xB","action":"report.close","result":"changed","error":null}`, []Target{
			{Target: action.Target{Noun: "report", Name: "9xA", ByID: true}, before: map[string]string{"state": "open"}},
			{Target: action.Target{Noun: "report", Name: "9xB", ByID: true}},
		}},
		{"user", `{"id":7,"nickname":"kim","deactivated":false}` + "\n\"ana\"\n@tess@there.example", []Target{
			{Target: action.Target{Noun: "user", Name: "kim"}, before: map[string]string{"deactivated": "false"}},
			{Target: action.Target{Noun: "user", Name: "ana"}},
			{Target: action.Target{Noun: "user", Name: "tess@there.example"}},
		}},
		{"status", `{"id":"9xS","visibility":"public","sensitive":true}`, []Target{
			{Target: action.Target{Noun: "status", Name: "9xS", ByID: true}, before: map[string]string{"visibility": "public", "sensitive": "true"}},
		}},
	}
	for _, tt := range tests {
		a := &App{World: World{In: strings.NewReader(tt.in)}}
		got, err := a.Targets(tt.noun, []string{"-"})
		if err != nil {
			t.Errorf("%s %q: %v", tt.noun, tt.in, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Target{})); diff != "" {
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
		a := &App{World: World{In: strings.NewReader(tt.in)}}
		_, err := a.Targets(tt.noun, []string{"-"})
		if err == nil || err.Error() != tt.want || ExitOf(err) != ExitUsage {
			t.Errorf("%s %q: %v, want %s", tt.noun, tt.in, err, tt.want)
		}
	}
	for _, args := range [][]string{nil, {"-", "-"}} {
		a := &App{World: World{In: strings.NewReader("")}}
		if _, err := a.Targets("report", args); ExitOf(err) != ExitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 4, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"2026-01-31T10:00:00+02:00": "2026-01-31T08:00:00Z",
		"2026-01-31T10:00:00":       "2026-01-31T10:00:00Z",
		"2026-01-31":                "2026-01-31T00:00:00Z",
		"36h":                       "2026-01-30T00:04:00Z",
		"7d":                        "2026-01-24T12:04:00Z",
		"90m":                       "2026-01-31T10:34:00Z",
	} {
		got, err := ParseTime(in, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("ParseTime(%q) = %s, %v, want %s", in, got.Format(time.RFC3339), err, want)
		}
	}
	for _, bad := range []string{"", "soon", "-5h", "-1d", "1e300d", "31.01.2026", "d"} {
		if got, err := ParseTime(bad, now); err == nil {
			t.Errorf("ParseTime(%q) = %s, want a refusal", bad, got)
		}
	}
}

// ids is n lines.
