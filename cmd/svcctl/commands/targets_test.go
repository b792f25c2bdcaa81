package commands

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/cmd/svcctl/cli"
)

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
		{101, "--yes", cli.ExitUsage},              // more than --max allows without a terminal
		{21, "--yes", cli.ExitUsage},               // over 20 need a number too
		{20, "", cli.ExitUsage},                    // several need --yes
		{101, "--yes --max 100", cli.ExitUsage},    // one too many
		{101, "--yes --expect 100", cli.ExitUsage}, // another number than expected
		{101, "--dry-run", cli.ExitDone},           // looking is free
		{0, "--yes", cli.ExitDone},                 // nothing to do
	}
	for _, tt := range tests {
		c := newCLI(t, url, ids(tt.n))
		if code := Run(c.App, append([]string{"report", "close", "-"}, strings.Fields(tt.args)...)); code != tt.code {
			t.Errorf("%d targets, %s: exit %d, want %d: %s", tt.n, tt.args, code, tt.code, &c.stderr)
		}
	}
	if writes := f.writes(); len(writes) != 0 {
		t.Errorf("sent %q", writes)
	}
	for _, args := range []string{"--yes --max 101", "--yes --expect 101 --max 101"} {
		before := len(f.writes())
		c := newCLI(t, url, ids(101))
		if code := Run(c.App, append([]string{"report", "close", "-", "-q"}, strings.Fields(args)...)); code != 0 || c.stdout.Len()+c.stderr.Len() > 0 {
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
		{"report resolve " + strings.ReplaceAll(strings.TrimSpace(ids(21)), "\n", " "), "y\n", "resolve 21 reports? type 21 to go on: ", cli.ExitDeclined},
	}
	for _, tt := range tests {
		c := newCLI(t, url, tt.prompt)
		c.TTYIn, c.TTYErr = true, true
		code := Run(c.App, strings.Fields(tt.args))
		if tt.code != 0 && code != tt.code || tt.code == 0 && (code == cli.ExitUsage || code == cli.ExitDeclined) {
			t.Errorf("%s: exit %d, want %d: %s", tt.args, code, tt.code, &c.stderr)
		}
		if !strings.HasPrefix(c.stderr.String(), tt.question) {
			t.Errorf("%s: asked %q, want %q", tt.args, &c.stderr, tt.question)
		}
	}
}
