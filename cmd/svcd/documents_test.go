package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"svc/docs/manual"
	"svc/server/platform/config"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "rewrite the generated parts of pages")

func silent() *app {
	return &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, lookupEnv: func(string) (string, bool) { return "", false }}
}

// TestEveryCommandInTheDocumentsIsThere parses each call of svcd in README.md and in the
// pages of docs: its commands and flags exist, and it has as many arguments as the command
// takes.
func TestEveryCommandInTheDocumentsIsThere(t *testing.T) {
	pages, err := manual.All(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	calls := manual.Commands(pages, "svcd")
	if len(calls) < 20 {
		t.Errorf("only %d calls", len(calls))
	}
	for _, call := range calls {
		cmd, rest, err := silent().rootCommand().Find(call.Args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if errors.Is(err, pflag.ErrHelp) || call.Quoted && err != nil && strings.HasPrefix(err.Error(), "flag needs an argument") {
			continue
		}
		if err == nil && len(rest) > 0 && !strings.Contains(call.Text, "…") {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: %s: %v", call.Page, call.Text, err)
		}
	}
}

// TestThePageHasEveryCommandAndFlag compares docs/svcd.md with the commands.
func TestThePageHasEveryCommandAndFlag(t *testing.T) {
	settings := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.BindFlags(settings)
	var shared []*pflag.Flag
	settings.VisitAll(func(f *pflag.Flag) { shared = append(shared, f) })
	got := manual.Reference(silent().rootCommand(), shared, "- the flags of settings")
	if err := manual.Keep(filepath.Join("..", "..", "docs", "svcd.md"), got, *update); err != nil {
		t.Error(err)
	}
}

// TestEveryExitCodeOfThePage runs svcd for each code in docs/svcd.md, and knows no other.
func TestEveryExitCodeOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "svcd.md"))
	if err != nil {
		t.Fatal(err)
	}
	svcd := filepath.Join(servertest.Programs(t), "svcd")
	runs := []struct {
		code int
		args string
	}{
		{exitDone, "version"},
		{exitDone, "migrate"},
		{exitFailed, "healthcheck --listen 127.0.0.1:1"},
		{exitFailed, "backup verify nothing"},
		{exitFailed, "user set nobody --admin"},
		{exitUsage, "frobnicate"},
		{exitUsage, "version --frobnicate"},
		{exitUsage, "version extra"},
		{exitUsage, "user create bob"},
		{exitUsage, "migrate --log-level loud"},
		{exitUsage, "move"},
		{exitUsage, "move --to sqlite:x --undo"},
		{exitUsage, "move --to sqlite:x --to-file y"},
	}
	seen, dir := map[int]bool{}, t.TempDir()
	for _, r := range runs {
		seen[r.code] = true
		cmd := exec.Command(svcd, strings.Fields(r.args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SVC_DATA_DIR="+dir)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != r.code {
			t.Errorf("svcd %s: exit code %d, want %d: %s", r.args, got, r.code, out)
		}
	}
	want := map[int]bool{}
	for _, word := range manual.FirstColumn(string(page), "Exit codes") {
		code, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		want[code] = true
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the page has (-), the runs have (+):\n%s", diff)
	}
}
