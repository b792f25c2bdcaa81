package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"svc/docs/manual"
)

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
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, lookupEnv: func(string) (string, bool) { return "", false }}
		cmd, rest, err := a.rootCommand().Find(call.Args)
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
