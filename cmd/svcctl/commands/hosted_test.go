package commands

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/cmd/svcctl/cli"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// hosted is a run for somebody at another machine, with all that leaves it.
type hosted struct {
	*cli.Hosted
	out, errOut bytes.Buffer

	mu     sync.Mutex
	sent   strings.Builder // addresses and bodies of requests
	answer http.RoundTripper
}

func (h *hosted) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent.WriteString(r.Method + " " + r.URL.String() + "\n")
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		h.sent.Write(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return h.answer.RoundTrip(r)
}

// absent answers that there is nothing.
type absent struct{}

func (absent) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 404, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"error":"Not found"}`)),
	}, nil
}

func newHosted(t *testing.T, answer http.RoundTripper, url, token, stdin string) *hosted {
	t.Helper()
	h := &hosted{answer: answer}
	h.Hosted = &cli.Hosted{
		In: strings.NewReader(stdin), Out: &h.out, ErrOut: &h.errOut, URL: url, Token: token, Transport: h, State: t.TempDir(),
		Env: func(string) string { return "" }, Now: func() time.Time { return fixedNow },
	}
	return h
}

func (h *hosted) run(args ...string) int { return RunHosted(context.Background(), h.Hosted, args) }

// TestAHostedRunLeavesNothingInMemory runs commands with an input of which the process
// may keep nothing: a server runs as many as people ask for.
func TestAHostedRunLeavesNothingInMemory(t *testing.T) {
	for _, line := range []string{"report resolve - --yes", "user list", "config plan -", "nothing", "message send ann --template x", "report act - --playbook x"} {
		var kept weak.Pointer[strings.Reader]
		func() {
			h := newHosted(t, absent{}, "http://svc.example", "t", "x\n")
			input := strings.NewReader("x\n")
			h.In, kept = input, weak.Make(input)
			_ = h.run(strings.Fields(line)...)
		}()
		for range 3 {
			runtime.GC()
		}
		if kept.Value() != nil {
			t.Errorf("%s: its input is still in memory", line)
		}
	}
}

// canary is a file with a secret, in a folder that is the working one too.
func canary(t *testing.T) (path string, unchanged func()) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "canary")
	if err := os.WriteFile(path, []byte(`{"canary":"sings","configs":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return path, func() {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
}

// TestWhatNeedsTheMachineIsRefusedFromElsewhere lists the commands and flags that
// take files, programs, variables or addresses of the machine.
func TestWhatNeedsTheMachineIsRefusedFromElsewhere(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("root", servertest.AdminScopes)
	s.User("kim")
	path, unchanged := canary(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "svcctl-evil"), []byte("#!/bin/sh\ntouch "+filepath.Join(bin, "ran")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PATH": bin + ":" + os.Getenv("PATH"), "EDITOR": filepath.Join(bin, "svcctl-evil"), "VISUAL": filepath.Join(bin, "svcctl-evil"),
		"SVCCTL_URL": "http://other.example", "SVCCTL_OUTPUT": "nonsense", "SVCCTL_CONFIG": path, "SVCCTL_TOKEN": "other", "SVCCTL_READ_ONLY": "1",
	} {
		t.Setenv(name, value)
	}
	const files = "files are not read over SSH"
	for line, says := range map[string]string{
		"tui": "there is no command", "tui --plain": "unknown flag", "auth login": "there is no command", "auth logout": "there is no command",
		"auth status": "there is no command", "auth token": "there is no command", "context list": "there is no command", "context use x": "there is no command", "alias list": "there is no command",
		"alias set a b": "there is no command", "doctor": "there is no command", "completion bash": "there is no command", "man " + path: "there is no command",
		"config edit": "there is no command", "config edit svc instance": "there is no command", "evil": "there is no command", "__complete report ": "there is no command", "__completeNoDesc report ": "there is no command",
		"-q __complete report ":                  "there is no command",
		"--url http://other.example report list": "unknown flag", "report list --url http://other.example": "unknown flag", "report list --context x": "unknown flag",
		"report list --insecure-http": "unknown flag", "report list --jq input_filename": "unknown flag", "report list --template {{.}}": "unknown flag",
		"doc put instance-panel " + path: files, "config plan " + path: files, "config apply " + path + " --yes": files, "config diff " + path: files,
		"user create -f " + path: files, "user create --file=" + path: files, "api POST config --input " + path: files, "api POST config --input=" + path: files,
		"user credentials set kim avatar=@" + path: files, "user credentials set kim banner=@" + path: files, "user credentials set kim background=@" + path: files,
		"ssh-key add " + path: files,
	} {
		h := newHosted(t, http.DefaultTransport, s.URL, token, "")
		code := h.run(strings.Fields(line)...)
		if code != cli.ExitUsage || !strings.Contains(h.errOut.String(), says) {
			t.Errorf("%s: exit %d, %s, want %s", line, code, h.errOut.String(), says)
		}
		if strings.Contains(h.out.String()+h.errOut.String()+h.sent.String(), "sings") || strings.Contains(h.sent.String(), "other.example") {
			t.Errorf("%s reached for this machine: %s", line, h.sent.String())
		}
	}
	unchanged()
	if entries, err := os.ReadDir(bin); err != nil || len(entries) != 1 {
		t.Errorf("a program ran: %v, %v", entries, err)
	}
}

// TestNoArgumentOfAHostedRunNamesAFile gives the path of a file to every flag and
// every argument of every command.
func TestNoArgumentOfAHostedRunNamesAFile(t *testing.T) {
	dbtest.Alone(t)
	path, unchanged := canary(t)
	runs := 0
	try := func(args ...string) {
		h := newHosted(t, absent{}, "https://social.example", "token", "")
		h.run(args...)
		runs++
		if text := h.out.String() + h.errOut.String() + h.sent.String(); strings.Contains(text, "sings") {
			t.Errorf("%q read a file: %s", args, text)
		}
		if _, err := os.Stat(filepath.Join(h.State, "none")); err == nil {
			t.Errorf("%q wrote a configuration", args)
		}
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		name := strings.Fields(cmd.CommandPath())[1:]
		for _, file := range []string{path, "@" + path, "file://" + path, "name=" + path, "name=@" + path} {
			for n := 1; n <= 3; n++ {
				try(append(slices.Clone(name), slices.Repeat([]string{file}, n)...)...)
			}
		}
		cmd.InheritedFlags().VisitAll(func(*pflag.Flag) {}) // joins those of the parents
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || f.Name == "watch" {
				return
			}
			for _, file := range []string{path, "@" + path} {
				try(append(slices.Clone(name), "--"+f.Name+"="+file)...)
				try(append(slices.Clone(name), "kim", "--"+f.Name+"="+file)...)
			}
		})
	}
	h := newHosted(t, absent{}, "https://social.example", "token", "")
	walk(newRoot(h.App()))
	if runs < 1000 {
		t.Errorf("only %d runs", runs)
	}
	unchanged()
}

// TestOnlyOneFunctionOpensFilesThatPeopleName lists all functions here that use the
// machine. Each is left out of hosted runs, or asks whether it is in one.
func TestOnlyOneFunctionOpensFilesThatPeopleName(t *testing.T) {
	known := map[string]string{
		"Open": "it refuses hosted runs", "offerNow": "completion, which hosted runs refuse", "RunPlugin": "hosted runs have no plugins",
		"openBrowser": "hosted runs have none", "System": "not of hosted runs", "edited": "config edit, which hosted runs lack", "runEditor": "likewise",
		"executable": "of plugins, which hosted runs lack", "manCommand": "hosted runs lack it", "createTrace": "of tui, which hosted runs lack", "config": "of doctor, which hosted runs lack", "unreachable": "it names a type of error",
		"Execute": "it waits for signals; hosted runs do not call it",
	}
	machine := map[string]bool{"os": true, "exec": true, "signal": true, "net": true, "keyring": true}
	harmless := map[string]bool{"os.File": true, "os.ErrNotExist": true, "os.Interrupt": true, "os.Signal": true, "net.IP": true, "net.ParseIP": true}
	used := map[string]bool{}
	for _, folder := range []string{".", "instance", "moderation", "names", "settings", cliFolder} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(fn, func(n ast.Node) bool {
					use, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if pkg, ok := use.X.(*ast.Ident); ok && pkg.Obj == nil && machine[pkg.Name] && !harmless[pkg.Name+"."+use.Sel.Name] {
						used[fn.Name.Name] = true
						if known[fn.Name.Name] == "" {
							t.Errorf("%s: %s uses %s.%s: say here why no stranger's argument reaches it", name, fn.Name.Name, pkg.Name, use.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("%s does not use the machine any more", name)
		}
	}
}

// cliFolder is where package cli is.
const cliFolder = "../cli"

func TestAHostedRunWorksByStandardInput(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("root", servertest.AdminScopes)
	h := newHosted(t, http.DefaultTransport, s.URL, token, `{"nickname":"fred","email":"fred@example.org"}`)
	if code := h.run("user", "create", "-f", "-", "--generate", "--yes"); code != 0 {
		t.Errorf("exit %d: %s", code, h.errOut.String())
	}
	h = newHosted(t, http.DefaultTransport, s.URL, token, "")
	if code := h.run("user", "get", "fred"); code != 0 || !strings.HasPrefix(strings.TrimSpace(h.out.String()), "{") || !strings.Contains(h.out.String(), `"fred@example.org"`) {
		t.Errorf("exit %d: %s, %s", code, h.out.String(), h.errOut.String())
	}
	// What needs a confirmation is not asked about, and undo knows the changes.
	state := h.State
	if code := h.run("user", "deactivate", "fred"); code != cli.ExitUsage {
		t.Errorf("exit %d: %s", code, h.errOut.String())
	}
	for _, line := range []string{"user tag add fred --tag x", "undo"} {
		h = newHosted(t, http.DefaultTransport, s.URL, token, "")
		h.State = state
		if code := h.run(strings.Fields(line)...); code != 0 {
			t.Errorf("%s: exit %d: %s", line, code, h.errOut.String())
		}
	}
	h = newHosted(t, http.DefaultTransport, s.URL, token, strings.Repeat("x", 17<<20))
	if code := h.run("doc", "put", "instance-panel", "-"); code != cli.ExitUsage || !strings.Contains(h.errOut.String(), "larger than 16 MiB") {
		t.Errorf("exit %d: %.200s", code, h.errOut.String())
	}
}
