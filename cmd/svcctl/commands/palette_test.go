package commands

import (
	"context"
	"slices"
	"strings"
	"testing"

	"svc/client/safe"
)

// TestThePaletteRunsCommandsOnTheSameConnection runs lines as the terminal UI does.
func TestThePaletteRunsCommandsOnTheSameConnection(t *testing.T) {
	f, url := serve(t, always(200, reportsBody(t)))
	c := newCLI(t, url, "")
	newRoot(c.App) // which sets the flags
	if _, err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.env["SVCCTL_TOKEN"], c.env["SVCCTL_URL"] = "", "" // what was read is kept
	run := paletteCommand(c.App)
	said := func(line string) (string, error) {
		t.Helper()
		return run(t.Context(), strings.Fields(line), 80)
	}
	out, err := said("report list --state open")
	if err != nil || !strings.Contains(out, "9xA1q0000000000001") || strings.Contains(out, "\x1b") {
		t.Errorf("%v in\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if n := safe.Width(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("a line takes %d cells: %s", n, line)
		}
	}
	if out, err = said("report list --count"); err != nil || out != "3\n" {
		t.Errorf("count: %v, %q", err, out)
	}
	if out, _ = said("doctor -o tsv --no-headers"); !strings.Contains(out, "ok\tterminal\tstandard output is none") {
		t.Errorf("doctor judges a terminal that it does not have:\n%s", out)
	}
	// What needs a person is refused without --yes, and nothing is sent.
	if out, err = said("status delete a"); err == nil || !strings.Contains(out, "needs a confirmation; nothing was sent") {
		t.Errorf("unconfirmed: %v, %q", err, out)
	}
	if out, err = said("user tag add kim --tag x --read-only"); err == nil {
		t.Errorf("read-only: %q", out)
	}
	for _, line := range []string{
		"tui", "completion bash", "auth login", "auth logout", "context use x", "config edit", "man /tmp", "report list --watch", "report list --url=https://a.example",
		"--context x report list",
	} {
		if out, err := said(line); err == nil || !strings.Contains(err.Error(), "in here") && !strings.Contains(err.Error(), "does not go with") {
			t.Errorf("%s: %v, %q", line, err, out)
		}
	}
	if len(f.writes()) > 0 {
		t.Errorf("sent %q", f.writes())
	}
	if out, err = said("frobnicate"); err == nil || !strings.Contains(out, "there is no command") {
		t.Errorf("unknown: %v, %q", err, out)
	}
	if c.stdout.Len()+c.stderr.Len() > 0 {
		t.Errorf("written over the screen: %q %q", &c.stdout, &c.stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, []string{"report", "list"}, 80); err == nil {
		t.Error("it ran after it was cancelled")
	}
}

func TestThePaletteCompletesCommands(t *testing.T) {
	_, url := serve(t, always(200, reportsBody(t)))
	words := paletteWords(newCLI(t, url, "").App)
	for line, want := range map[string]string{
		"rep": "report", "report li": "list", "report list --state ": "resolved", "report list --st": "--state",
	} {
		if got := words(line); !slices.Contains(got, want) {
			t.Errorf("%q offers %q", line, got)
		}
	}
	for _, never := range []string{"tui", "completion", "auth"} {
		if got := words(""); slices.Contains(got, never) || len(got) < 20 {
			t.Errorf("%s is offered among %q", never, got)
		}
	}
}
