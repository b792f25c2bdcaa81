package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/safe"
)

// helpWidth is how wide help is, whatever the terminal.
const helpWidth = 80

// neat makes the help of root and all below it fit, and end with related commands.
func neat(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		show(cmd, args)
		cmd.SetOut(out)
		for line := range strings.Lines(text.String()) {
			for _, part := range foldHelp(strings.TrimRight(line, "\n")) {
				fmt.Fprintln(out, part)
			}
		}
		if also := seeAlso(cmd); len(also) > 0 {
			fmt.Fprintf(out, "\nSee also:\n  %s\n", strings.Join(safe.Wrap(strings.Join(also, "; "), helpWidth-2), "\n  "))
		}
	})
}

// foldHelp wraps a line of help under its last column. Lines to be typed stay whole.
func foldHelp(line string) []string {
	body := strings.TrimLeft(line, " \t")
	indent := len(line) - len(body)
	typed := indent > 0 && strings.HasPrefix(body, "svcctl ")
	if len(line) <= helpWidth || typed && !strings.HasSuffix(line, " [flags]") {
		return []string{line}
	}
	if typed {
		indent += len("svcctl ")
	} else if gap := strings.LastIndex(body, "  "); gap > 0 {
		indent += gap + 2
	}
	rest := safe.Wrap(line[indent:], helpWidth-indent)
	for i := range rest {
		if i == 0 {
			rest[i] = line[:indent] + rest[i]
			continue
		}
		rest[i] = strings.Repeat(" ", indent) + rest[i]
	}
	return rest
}

// related are the commands that belong to one without a noun.
var related = map[string][]string{
	"account": {"user get"}, "api": {"schema"}, "completion": {"man", "alias"}, "digest": {"report list", "log list", "stats"},
	"doctor": {"auth status", "context list"}, "journal": {"undo"}, "man": {"completion", "schema"}, "schema": {"api"},
	"stats": {"digest", "status list"}, "tui": {"report list", "journal"}, "undo": {"journal"}, "version": {"doctor"},
}

// seeAlso names the commands that people want beside cmd: the other verbs of its noun.
func seeAlso(cmd *cobra.Command) []string {
	if cmd.HasAvailableSubCommands() || !cmd.HasParent() {
		return nil
	}
	var names []string
	if parent := cmd.Parent(); parent.HasParent() {
		for _, sibling := range parent.Commands() {
			if sibling != cmd && sibling.IsAvailableCommand() {
				names = append(names, sibling.CommandPath())
			}
		}
		if len(names) == 0 {
			names = append(names, parent.Parent().CommandPath()+" --help")
		}
	}
	for _, name := range related[cmd.Name()] {
		if path := "svcctl " + name; !slices.Contains(names, path) && !cmd.Parent().HasParent() {
			names = append(names, path)
		}
	}
	return names
}
