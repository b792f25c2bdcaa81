package commands

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/cmd/svcctl/cli"
)

// eachLeaf visits the commands that do something.
func eachLeaf(cmd *cobra.Command, visit func(*cobra.Command)) {
	if !cmd.HasAvailableSubCommands() && cmd.HasParent() {
		visit(cmd)
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			eachLeaf(sub, visit)
		}
	}
}

// TestOneFlagHasOneMeaning: what the manual's table says of the shared flags is what the
// commands have, and older spellings work but are not shown.
func TestOneFlagHasOneMeaning(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(svcctlPage(t), "\n## Flags that are the same everywhere\n")
	if !found {
		t.Fatal("the manual has no table of flags")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	described := map[string][]string{} // commands, by flag
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			described[row[1]] = append(described[row[1]], "svcctl "+name[1])
		}
	}
	have, hidden := map[string][]string{}, map[string]string{}
	eachLeaf(newRoot(cli.System()), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				hidden[cmd.CommandPath()+" --"+f.Name] = f.Usage
				return
			}
			if _, shared := described[f.Name]; shared {
				have[f.Name] = append(have[f.Name], cmd.CommandPath())
			}
			if slices.Contains([]string{"instance", "domain", "reported", "message-text", "before", "after"}, f.Name) {
				t.Errorf("%s --%s has another name elsewhere", cmd.CommandPath(), f.Name)
			}
		})
	})
	if len(described) < 7 {
		t.Errorf("the table has %d flags", len(described))
	}
	for flag, commands := range described {
		slices.Sort(commands)
		slices.Sort(have[flag])
		if !slices.Equal(commands, have[flag]) {
			t.Errorf("--%s: the manual has %q, the commands %q", flag, commands, have[flag])
		}
	}
	for older, flag := range map[string]string{
		"svcctl stats --instance": "host", "svcctl status list --instance": "host", "svcctl report list --domain": "host", "svcctl report list --reported": "account",
	} {
		if usage := hidden[older]; usage != "the older name of --"+flag {
			t.Errorf("%s: %q", older, usage)
		}
	}
}

// TestHelpFitsAndNamesItsNeighbours: no line is wider than 80 columns, and each command
// has an example and a pointer to others.
func TestHelpFitsAndNamesItsNeighbours(t *testing.T) {
	t.Parallel()
	check := func(cmd *cobra.Command, leaf bool) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.InitDefaultHelpFlag()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s --help has a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		if leaf && !strings.Contains(out.String(), "\nSee also:\n  svcctl ") {
			t.Errorf("%s --help names no other command", cmd.CommandPath())
		}
	}
	root := newRoot(cli.System())
	check(root, false)
	for _, noun := range root.Commands() {
		if noun.HasAvailableSubCommands() {
			check(noun, false)
		}
	}
	eachLeaf(root, func(cmd *cobra.Command) { check(cmd, true) })
}
