package commands

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"svc/docs/manual"
)

// TestEveryCommandInTheDocumentsIsThere parses each call of svcctl in README.md and in the
// pages of docs: its commands and flags exist, and it has as many arguments as the command
// takes.
func TestEveryCommandInTheDocumentsIsThere(t *testing.T) {
	t.Parallel()
	pages, err := manual.All(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	calls := manual.Commands(pages, "svcctl")
	if len(calls) < 150 {
		t.Errorf("only %d calls", len(calls))
	}
	for _, call := range calls {
		root := newRoot(newCLI(t, "", "").App)
		cmd, rest, err := root.Find(call.Args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if errors.Is(err, pflag.ErrHelp) || call.Quoted && err != nil && strings.HasPrefix(err.Error(), "flag needs an argument") {
			continue
		}
		whole := len(rest) > 0 && !slices.ContainsFunc(rest, func(word string) bool { return strings.Contains(word, "…") })
		if err == nil && whole && cmd.Args != nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: %s: %v", call.Page, call.Text, err)
		}
	}
}

// TestThePageHasEveryCommandAndFlag compares docs/svcctl-commands.md with the commands.
func TestThePageHasEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	root := newRoot(newCLI(t, "", "").App)
	var shared []*pflag.Flag
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { shared = append(shared, f) })
	got := manual.Reference(root, shared, "")
	if err := manual.Keep(filepath.Join("..", "..", "..", "docs", "svcctl-commands.md"), got, *update); err != nil {
		t.Error(err)
	}
}
