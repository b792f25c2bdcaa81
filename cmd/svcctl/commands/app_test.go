package commands

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/cmd/svcctl/cli"
	"svc/docs/manual"
)

var update = flag.Bool("update", false, "rewrite golden files")

var fixedNow = time.Date(2026, 1, 31, 12, 4, 0, 0, time.UTC)

// program is one run of the program in this process.
type program struct {
	*cli.App
	stdout, stderr bytes.Buffer
	env            map[string]string
}

func newCLI(t *testing.T, url, stdin string) *program {
	t.Helper()
	dir := t.TempDir()
	c := &program{env: map[string]string{
		"HOME": dir, "SVCCTL_CONFIG": filepath.Join(dir, "config.yaml"),
		"XDG_CACHE_HOME": filepath.Join(dir, "cache"), "SVCCTL_URL": url, "SVCCTL_TOKEN": "the-secret-token",
	}}
	c.App = &cli.App{World: cli.World{
		In: strings.NewReader(stdin), Out: &c.stdout, ErrOut: &c.stderr,
		Getenv: func(name string) string { return c.env[name] },
		Now:    func() time.Time { return fixedNow },

		OpenBrowser:  func(string) error { return errors.New("no browser") },
		ReadPassword: func() (string, error) { return "", errors.New("no terminal") },
	}}
	return c
}

// fake is the outside: a server that answers as a test says and notes the
// requests.
type fake struct {
	mu       sync.Mutex
	requests []string
	answer   func(w http.ResponseWriter, r *http.Request)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	f.answer(w, r)
}

func (f *fake) writes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var writes []string
	for _, r := range f.requests {
		if !strings.HasPrefix(r, "GET ") {
			writes = append(writes, r)
		}
	}
	return writes
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) (*fake, string) {
	t.Helper()
	f := &fake{answer: answer}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func always(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// reports answers as GET /reports and /reports/:id do, from one golden body.
func reportsBody(t *testing.T) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "reports.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestExitCodes(t *testing.T) {
	report := `{"id":"9xA7","state":"closed","account":{},"actor":{},"statuses":[],"notes":[]}`
	slow := make(chan struct{})
	t.Cleanup(func() { close(slow) })
	hang := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-slow:
		case <-r.Context().Done():
		}
	}
	signalled := func(s syscall.Signal) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				t.Error(err)
			}
			hang(w, r)
		}
	}
	partial := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/b") {
			always(404, `{"error":"Not found"}`)(w, r)
			return
		}
		always(200, strings.Replace(report, "closed", "resolved", 1))(w, r)
	}
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		args   string
		prompt string // the answer of a person at a terminal
		code   int
		stderr string // a part of the message
	}{
		{"done", always(200, `{"reports":[],"total":0}`), "report list", "", 0, ""},
		{"already so", always(200, strings.Replace(report, "closed", "resolved", 1)), "report resolve 9xA7", "", 0, ""},
		{"other failure", always(418, `{"error":"teapot"}`), "report list", "", 1, "teapot (418)"},
		{"unknown command", always(200, ``), "report frobnicate", "", 2, "there is no command"},
		{"unknown flag", always(200, ``), "report list --frobnicate", "", 2, "unknown flag"},
		{"wrong kind of target", always(200, ``), "report get user/kim", "", 2, "a report is wanted"},
		{"unconfirmed", always(200, ``), "status delete a", "", 2, "needs a confirmation; nothing was sent"},
		{"over the limit", always(200, ``), "status delete a b --yes --max 1", "", 2, "2 targets exceed --max 1; nothing was sent"},
		{"not as expected", always(200, ``), "status delete a b --yes --expect 1", "", 2, "nothing was sent"},
		{"no token", always(403, `{"error":"Invalid credentials."}`), "report list", "", 3, "Invalid credentials (403)"},
		{"unauthorised", always(401, `{"error":"The access token is invalid"}`), "report list", "", 3, "(401)"},
		{"not an admin", always(403, `{"error":"User is not an admin."}`), "report list", "", 3, "User is not an admin (403)"},
		{"not found", always(404, `{"error":"Not found"}`), "user get kim@old.example", "", 4, "error: user kim@old.example: not found (404)\nhint:  svcctl user list kim --filter external"},
		{"conflict", always(200, report), "report resolve 9xA7", "", 5, "error: report 9xA7: closed meanwhile\nhint:  svcctl report resolve 9xA7 --force"},
		{"some failed", partial, "report resolve a b --yes", "", 6, "error: 1 of 2 reports failed; 1 already so\n  report/b: not found (404)"},
		{"server error", always(500, `{"errors":{"detail":"Internal server error"}}`), "report list", "", 7, "Internal server error (500)"},
		{"no connection", nil, "report list", "", 8, "no answer"},
		{"timeout", hang, "user toggle kim --yes --timeout 20ms --deadline 60ms", "", 8, ""},
		{"deadline", hang, "report list --deadline 50ms", "", 8, "error: report list: the deadline passed"},
		{"condition", always(200, `{"reports":[`+report+`],"total":1}`), "report list --fail-nonempty -q", "", 9, ""},
		{"declined", always(200, ``), "status delete a", "n\n", 10, "declined; nothing was sent"},
		{"enter is no yes", always(200, ``), "status delete a", "\n", 10, "declined"},
		{"wrong name typed", always(200, ``), "status delete a --max 5", "\n", 10, "declined"},
		{"configuration off", always(400, `{"error":"To use this endpoint you need to enable configuration from database."}`), "api GET config", "", 11, "enable configuration from database"},
		{"validation", always(400, `{"error":"Missing field: content.","errors":[{"title":"Invalid value","source":{"pointer":"/content"},"message":"Missing field: content."}]}`), "report note add 9xA7 text", "", 12, "Missing field: content"},
		{"interrupt", signalled(syscall.SIGINT), "report list", "", 130, "interrupted"},
		{"termination", signalled(syscall.SIGTERM), "report list", "", 143, "interrupted"},
	}
	var codes []string // of these runs, and of TestAClosedPipeIsSilent
	for _, tt := range tests {
		codes = append(codes, strconv.Itoa(tt.code))
	}
	codes = append(codes, strconv.Itoa(cli.ExitPipe))
	slices.Sort(codes)
	var listed []string
	for _, cell := range manual.FirstColumn(svcctlPage(t), "Exit codes") {
		listed = append(listed, strings.Split(cell, ", ")...)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Compact(codes), listed); diff != "" {
		t.Errorf("runs have (-), the manual lists (+):\n%s", diff)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := "http://127.0.0.1:1"
			var f *fake
			if tt.answer != nil {
				f, url = serve(t, tt.answer)
			}
			c := newCLI(t, url, tt.prompt)
			c.TTYIn, c.TTYErr = tt.prompt != "", tt.prompt != ""
			code := Run(c.App, strings.Fields(tt.args))
			if code != tt.code || !strings.Contains(c.stderr.String(), tt.stderr) {
				t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", code, tt.code, &c.stdout, &c.stderr)
			}
			// Interruption needs no advice, and a condition that holds is no error.
			silent := code == cli.ExitInterrupted || code == cli.ExitTerminated || code == cli.ExitCondition
			if advised := strings.Contains(c.stderr.String(), "\nhint:  "); advised == silent && code != 0 {
				t.Errorf("no hint, or one too many:\n%s", &c.stderr)
			}
			noun := strings.Fields(tt.args)[0]
			if code != 0 && code != cli.ExitDeclined && !silent && !strings.Contains(c.stderr.String(), noun) && !strings.Contains(c.stderr.String(), " targets ") {
				t.Errorf("nothing names a %s:\n%s", noun, &c.stderr)
			}
			if f != nil && (code == cli.ExitUsage || code == cli.ExitDeclined) && len(f.writes()) > 0 {
				t.Errorf("sent %q", f.writes())
			}
			if strings.Contains(c.stderr.String()+c.stdout.String(), "the-secret-token") {
				t.Errorf("the token shows: %s", &c.stderr)
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestAClosedPipeIsSilent(t *testing.T) {
	_, url := serve(t, always(200, `{"reports":[],"total":0}`))
	c := newCLI(t, url, "")
	c.Out = brokenPipe{}
	if code := Run(c.App, []string{"report", "list", "-o", "json"}); code != cli.ExitPipe || c.stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, &c.stderr)
	}
}

func TestErrorsForMachinesAreOneObject(t *testing.T) {
	_, url := serve(t, always(404, `{"error":"Not found"}`))
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"user", "get", "kim\u202e", "-o", "json"}); code != cli.ExitUsage {
		t.Errorf("exit %d", code)
	}
	c = newCLI(t, url, "")
	Run(c.App, []string{"user", "get", "kim@old.example", "-o", "json"})
	want := `{"code":"not_found","exit":4,"message":"user kim@old.example: not found (404)",` +
		`"hint":"svcctl user list kim --filter external","http":404}` + "\n"
	if diff := cmp.Diff(want, c.stderr.String()); diff != "" || c.stdout.Len() > 0 {
		t.Errorf("stdout %q, stderr (-want +got):\n%s", &c.stdout, diff)
	}
}

// TestWhatActsEachTimeIsSentOnce has a server that is busy for every write, and for the
// two reads that change something.
func TestWhatActsEachTimeIsSentOnce(t *testing.T) {
	for line, want := range map[string]string{
		"user toggle kim --yes":                                 "PATCH /api/svc/admin/users/kim/toggle_activation",
		"server restart --yes --max 1":                          "GET /api/svc/admin/restart",
		"user password-reset kim":                               "GET /api/svc/admin/users/kim/password_reset",
		"report note add 9xA7 text":                             "POST /api/svc/admin/reports/9xA7/notes",
		"message send kim --text Hello --yes":                   "POST /api/v1/statuses",
		"invite create --max-use 5":                             "POST /api/svc/admin/users/invite_token",
		"user create joe --email joe@example.org --generate":    "POST /api/svc/admin/users",
		"user deactivate kim --yes --timeout 10s --deadline 9s": "PATCH /api/svc/admin/users/deactivate",
	} {
		var mu sync.Mutex
		var sent []string
		_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked := r.Method + " " + r.URL.Path
			if asked == want {
				mu.Lock()
				sent = append(sent, asked)
				mu.Unlock()
				w.Header().Set("Retry-After", "0")
				always(503, ``)(w, r)
				return
			}
			switch {
			case strings.HasSuffix(r.URL.Path, "/users/joe"):
				always(404, `{"error":"Not found"}`)(w, r)
			case strings.HasSuffix(r.URL.Path, "/users/kim"):
				always(200, `{"id":7,"nickname":"kim","account_id":"9a7","acct":"kim","deactivated":false}`)(w, r)
			case strings.HasSuffix(r.URL.Path, "/reports/9xA7"):
				always(200, `{"id":"9xA7","state":"open","account":{},"actor":{},"statuses":[],"notes":[]}`)(w, r)
			default:
				always(200, `{"id":"9a7","acct":"kim","username":"kim"}`)(w, r)
			}
		})
		c := newCLI(t, url, "")
		code := Run(c.App, strings.Fields(line))
		// A wished state may be stated again, an act may not.
		if again := strings.HasPrefix(line, "user deactivate"); again != (len(sent) > 1) || len(sent) == 0 || code != cli.ExitServer {
			t.Errorf("%s: exit %d after %q: %s", line, code, sent, &c.stderr)
		}
	}
}

func TestAPlainReadIsTriedAgainAndAToggleIsNot(t *testing.T) {
	busy := 0
	f, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/reports") && busy == 0 {
			busy++
			always(503, ``)(w, r)
			return
		}
		switch {
		case r.Method != http.MethodGet:
			always(503, ``)(w, r)
		case strings.HasSuffix(r.URL.Path, "/users/kim"):
			always(200, `{"id":7,"nickname":"kim","deactivated":true}`)(w, r)
		default:
			always(200, `{"reports":[],"total":0}`)(w, r)
		}
	})
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "list"}); code != 0 || busy != 1 {
		t.Errorf("exit %d after %d refusals: %s", code, busy, &c.stderr)
	}
	c = newCLI(t, url, "")
	if code := Run(c.App, []string{"user", "toggle", "kim"}); code != cli.ExitServer {
		t.Errorf("toggle: exit %d: %s", code, &c.stderr)
	}
	if diff := cmp.Diff([]string{"PATCH /api/svc/admin/users/kim/toggle_activation"}, f.writes()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestTheTokenStaysAtItsHost(t *testing.T) {
	var seen []string
	_, elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		always(200, `{"reports":[],"total":0}`)(w, r)
	})
	var here string
	_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		here = r.Header.Get("Authorization")
		http.Redirect(w, r, elsewhere+"/x", http.StatusFound)
	})
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "list", "--debug"}); code != 0 {
		t.Errorf("exit %d: %s", code, &c.stderr)
	}
	if here != "Bearer the-secret-token" {
		t.Errorf("its own host got %q", here)
	}
	if diff := cmp.Diff([]string{""}, seen); diff != "" {
		t.Errorf("another host got (-want +got):\n%s", diff)
	}
	if strings.Contains(c.stderr.String(), "the-secret-token") || !strings.Contains(c.stderr.String(), "> GET "+url+"/api/svc/admin/reports") {
		t.Errorf("debug shows:\n%s", &c.stderr)
	}
	c = newCLI(t, url, "")
	if code := Run(c.App, []string{"api", "GET", elsewhere + "/api/v1/instance"}); code == 0 {
		t.Error("an address on another host was called")
	}
	c = newCLI(t, url, "")
	if code := Run(c.App, strings.Fields("api POST reports/9xA7/notes -f content=x --dry-run --debug")); code != 0 || c.stdout.Len() == 0 {
		t.Errorf("exit %d: %s", code, &c.stderr)
	}
	if strings.Contains(c.stdout.String()+c.stderr.String(), "the-secret-token") {
		t.Errorf("a dry run shows:\n%s%s", &c.stdout, &c.stderr)
	}
}

func TestAPartlyRefusedListExitsSixWithTheTruth(t *testing.T) {
	states := map[string]string{"a": "open", "b": "open"}
	_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		switch state, ok := states[id]; {
		case r.Method == http.MethodPatch:
			states["a"] = "resolved"
			delete(states, "b")
			always(400, `[{"id":"b","error":"not_found"}]`)(w, r)
		case ok:
			always(200, `{"id":"`+id+`","state":"`+state+`"}`)(w, r)
		default:
			always(404, `{"error":"Not found"}`)(w, r)
		}
	})
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "resolve", "a", "b", "--yes", "-o", "jsonl"}); code != cli.ExitPartial {
		t.Errorf("exit %d: %s", code, &c.stderr)
	}
	want := `{"target":"report/a","action":"report.resolve","result":"changed","error":null}
{"target":"report/b","action":"report.resolve","result":"failed","error":"not found (404)"}
`
	if diff := cmp.Diff(want, c.stdout.String()); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// One cause that concerns all targets is the code of the command; several
// causes are 6, whichever comes first.
func TestSeveralTargetsExitWithTheirCommonCause(t *testing.T) {
	answers := map[string]int{"x": 403, "y": 403, "gone": 404, "lost": 404, "down": 500, "off": 500, "fine": 200}
	for targets, want := range map[string]int{
		"x y": cli.ExitAuth, "x fine": cli.ExitAuth, "gone lost": cli.ExitPartial, "down off": cli.ExitServer, "down fine": cli.ExitPartial,
		"x gone": cli.ExitPartial, "gone x": cli.ExitPartial, "x down": cli.ExitPartial, "down x": cli.ExitPartial, "gone down": cli.ExitPartial, "down gone x": cli.ExitPartial,
	} {
		ids := strings.Fields(targets)
		// No request is sent after a 403, so each answer waits until all
		// requests have come.
		var asked sync.WaitGroup
		asked.Add(len(ids))
		var seen sync.Map
		_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			if id == "moderation_log" { // who made it so already
				always(200, `{"items":[],"total":0}`)(w, r)
				return
			}
			if _, again := seen.LoadOrStore(id, true); !again {
				asked.Done()
			}
			asked.Wait()
			always(answers[id], `{"id":"`+id+`","state":"resolved","error":"no"}`)(w, r)
		})
		c := newCLI(t, url, "")
		if code := Run(c.App, append([]string{"report", "resolve", "--yes"}, ids...)); code != want {
			t.Errorf("%s: exit %d, want %d: %s", targets, code, want, &c.stderr)
		}
	}
}

func TestProgressForMachines(t *testing.T) {
	_, url := serve(t, always(200, `{"id":"a","state":"resolved"}`))
	c := newCLI(t, url, "")
	if code := Run(c.App, []string{"report", "resolve", "a", "b", "--yes", "--progress", "jsonl", "-o", "name"}); code != 0 {
		t.Errorf("exit %d: %s", code, &c.stderr)
	}
	if diff := cmp.Diff(`{"done":2,"total":2}`+"\n", c.stderr.String()); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
}

func TestTheDryRunNamesWhatCannotBeChanged(t *testing.T) {
	f, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/b") {
			always(404, `{"error":"Not found"}`)(w, r)
			return
		}
		always(200, `{"id":"a","state":"open"}`)(w, r)
	})
	c := newCLI(t, url, "")
	code := Run(c.App, []string{"report", "resolve", "a", "b", "--dry-run", "-o", "jsonl"})
	wantOut := `{"method":"PATCH","path":"/api/svc/admin/reports","body":{"reports":[{"id":"a","state":"resolved","was":"open"}]}}` + "\n"
	if code != cli.ExitPartial || c.stdout.String() != wantOut || !strings.Contains(c.stderr.String(), "1 of 2 reports cannot be changed") {
		t.Errorf("exit %d\nstdout %s\nstderr %s", code, &c.stdout, &c.stderr)
	}
	if len(f.writes()) > 0 {
		t.Errorf("sent %q", f.writes())
	}
}
