package commands

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/cmd/svcctl/cli"
)

// unfit are the commands that the terminal UI does not run: they need a terminal of
// their own, or change the login that it works with.
var unfit = []string{"tui", "completion", "auth", "context", "config edit", "man"}

// paletteCommand runs commands for the terminal UI, with its connection, without
// standard input, and with their output as text.
func paletteCommand(a *cli.App) func(ctx context.Context, args []string, width int) (string, error) {
	return func(ctx context.Context, args []string, width int) (string, error) {
		var out bytes.Buffer
		child := a.Within(&out, width)
		root := newRoot(child)
		if i := commandAt(root, args); i < len(args) {
			if text, ok := loadAliases(a)[args[i]]; ok && !builtIn(root, args[i]) {
				words, err := expandAlias(root, args[i], text, args[i+1:])
				if err != nil {
					return "", err
				}
				args = slices.Concat(args[:i], words)
			}
		}
		if err := fitting(root, args); err != nil {
			return "", err
		}
		if code := child.ExecuteContext(ctx, root, args); code != cli.ExitDone {
			if ctx.Err() != nil {
				return out.String(), ctx.Err()
			}
			return out.String(), errors.New("exit " + strconv.Itoa(code))
		}
		return out.String(), nil
	}
}

// fitting refuses commands and flags that do not go with the terminal UI.
func fitting(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil //nolint:nilerr // the command says it itself
	}
	path := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
	for _, name := range unfit {
		if path == name || strings.HasPrefix(path, name+" ") {
			return cli.Usagef("%s does not run in here; leave the terminal UI for it", path)
		}
	}
	for _, flag := range append(slices.Clone(args[:len(args)-len(rest)]), rest...) {
		name, _, _ := strings.Cut(flag, "=")
		switch name {
		case "--":
			return nil
		case "--watch", "--context", "--url":
			return cli.Usagef("%s does not go with the terminal UI", action.Quote(name))
		}
	}
	return nil
}

// paletteWords offers the words that may stand in place of the last one of a line.
func paletteWords(a *cli.App) func(line string) []string {
	return func(line string) []string {
		args := append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Fields(line)...)
		if line == "" || strings.HasSuffix(line, " ") {
			args = append(args, "")
		}
		var out bytes.Buffer
		child := a.Within(&out, 0)
		root := newRoot(child)
		list(child, root, loadAliases(a))
		if child.ExecuteContext(context.Background(), root, args) != cli.ExitDone {
			return nil
		}
		var words []string
		for word := range strings.Lines(out.String()) {
			word = strings.TrimSuffix(word, "\n")
			if strings.HasPrefix(word, ":") && len(word) < 4 || strings.HasPrefix(word, "Completion ended") || word == "" {
				continue // what shells are told
			}
			if !slices.Contains(unfit, word) {
				words = append(words, word)
			}
		}
		return words
	}
}
