package commands

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// word is an argument as a shell takes it: in single quotes or without spaces.
var word = regexp.MustCompile(`'[^']*'|\S+`)

// TestEveryCommandHasAnExample parses each example with its command: flags and
// arguments must be accepted.
func TestEveryCommandHasAnExample(t *testing.T) {
	var walk func(*cobra.Command)
	var examples []string
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			examples = append(examples, strings.TrimPrefix(strings.TrimSpace(line), "svcctl "))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.HasSubCommands() && cmd.Example == "" {
			t.Errorf("%s has none", cmd.CommandPath())
		}
	}
	walk(newRoot(newCLI(t, "", "").App))
	for i, line := range examples {
		if slices.Contains(examples[:i], line) {
			t.Errorf("svcctl %s is shown twice", line)
		}
		args := word.FindAllString(line, -1)
		for j, arg := range args {
			args[j] = strings.Trim(arg, "'")
		}
		cmd, rest, err := newRoot(newCLI(t, "", "").App).Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err == nil {
			err = cmd.ValidateRequiredFlags()
		}
		if err != nil {
			t.Errorf("svcctl %s: %v", line, err)
		}
	}
}

// TestHelpEndsWithTheGlobalFlagsInAFewLines reads the help of every command.
func TestHelpEndsWithTheGlobalFlagsInAFewLines(t *testing.T) {
	root := newRoot(newCLI(t, "", "").App)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.HasParent() {
			return
		}
		_, globals, found := strings.Cut(cmd.UsageString(), "\nGlobal Flags:\n")
		globals, _, _ = strings.Cut(globals, "\n\n")
		if lines := strings.Count(strings.TrimSpace(globals), "\n") + 1; !found || lines > 8 {
			t.Errorf("%s: %d lines, want a few:\n%s", cmd.CommandPath(), lines, globals)
		}
		outputtest.Fits(t, cmd.CommandPath(), globals, 80)
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(globals, "--"+f.Name) {
				t.Errorf("%s: --%s is not named", cmd.CommandPath(), f.Name)
			}
		})
	}
	walk(root)
}
