package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"svc/cmd/svcctl/cli"
	"svc/server/servertest"
)

// TestTheTerminalUIOpensOnTheQueueAndLeavesQuietly runs the program as it is, under a
// trace.
func TestTheTerminalUIOpensOnTheQueueAndLeavesQuietly(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	s := servertest.Start(t)
	fill(t, s)
	cmd := built(t, "tui", "--trace", trace)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "SVCCTL_URL="+s.URL, "SVCCTL_TOKEN="+s.Token("mika", servertest.AdminScopes))
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var screen bytes.Buffer
	chunk := make([]byte, 32<<10)
	watchdog := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer watchdog.Stop()
	asked := false
	for {
		n, err := terminal.Read(chunk)
		screen.Write(chunk[:n])
		if !asked && strings.Contains(screen.String(), "spam1") {
			asked = true
			// What it polled for may have been first.
			servertest.Eventually(t, "the list is read", func() bool {
				text, err := os.ReadFile(trace)
				return err == nil && bytes.Contains(text, []byte(`"what":"reports 1"`))
			})
			if _, err := terminal.WriteString("q"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || !asked {
		t.Errorf("%v, reports shown: %t\n%q", err, asked, screen.String())
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"event":"paint",`, `{"event":"load","what":"reportsLoaded",`, `{"event":"data","what":"reports 1",`, `{"event":"resize","what":"80x24",`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in the trace\n%s", want, text)
		}
	}
}

func TestTheTerminalUINeedsATerminal(t *testing.T) {
	c := newCLI(t, "http://127.0.0.1:1", "")
	if code := Run(c.App, []string{"tui"}); code != cli.ExitUsage || !strings.Contains(c.stderr.String(), "needs a terminal") {
		t.Errorf("exit %d: %s", code, &c.stderr)
	}
	for _, args := range []string{"tui --theme pink", "tui --dry-run", "tui --debug", "tui --trace /nowhere/at/all", "tui --plain --trace t"} {
		c := newCLI(t, "http://127.0.0.1:1", "")
		c.TTYIn, c.TTYOut, c.TTYErr = true, true, true
		if code := Run(c.App, strings.Fields(args)); code != cli.ExitUsage {
			t.Errorf("%s: exit %d: %s", args, code, &c.stderr)
		}
	}
}

// TestAWrongConfigurationStartsNothing has nobody at the server's address: the
// file is checked before.
func TestAWrongConfigurationStartsNothing(t *testing.T) {
	for content, want := range map[string]string{
		"keys:\n  resolve: hyperx\n":                              `keys: resolve: there is no key "hyperx"`,
		"keys:\n  fly: f\n":                                       `keys: there is no command "fly"`,
		"keys:\n  resolve: c\n":                                   `keys: "c" means both`,
		"contexts:\n  a: {url: https://a.example, color: pink}\n": `context a: color "pink": blue, cyan`,
		"contexts:\n  a: {url: https://a.example, theme: pink}\n": `context a: theme "pink": dark, light`,
		"filters:\n  mine: 'foo:bar'\n":                           "filters: mine: there is no filter foo:",
		"filters:\n  mine: 'state:nope'\n":                        "filters: mine: state: is one of",
	} {
		c := newCLI(t, "http://127.0.0.1:1", "")
		path := c.Getenv("SVCCTL_CONFIG")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		code := Run(c.App, []string{"tui", "--plain"})
		got := c.stderr.String()
		if message, hint, _ := strings.Cut(got, "\n"); code != cli.ExitUsage || !strings.Contains(message, path+": "+want) || !strings.HasPrefix(hint, "hint:  mend the file") || strings.Count(hint, "\n") > 1 {
			t.Errorf("%q: exit %d: %s", content, code, got)
		}
	}
}
