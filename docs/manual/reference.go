package manual

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Generated begins the part of a page that a test writes. What is above it is written by
// people.
const Generated = "<!-- A test compares what follows with the programs, and writes it with -update. -->\n"

// Reference lists shared, and then every command below root that does something, with its
// flags. A command that has all flags of shared has the line says in their place.
func Reference(root *cobra.Command, shared []*pflag.Flag, says string) string {
	var b strings.Builder
	var visit func(cmd *cobra.Command, depth int)
	visit = func(cmd *cobra.Command, depth int) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		if cmd.Runnable() || depth == 1 {
			fmt.Fprintf(&b, "\n%s %s\n\n", strings.Repeat("#", min(depth, 2)+1), cmd.CommandPath())
			if cmd.Runnable() && len(strings.Fields(cmd.Use)) > 1 {
				fmt.Fprintf(&b, "    %s\n\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
			}
			fmt.Fprintf(&b, "%s.\n", cmd.Short)
			if cmd.Runnable() {
				b.WriteString(flagsOf(cmd, shared, says))
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub, depth+1)
		}
	}
	for _, f := range shared {
		b.WriteString(flagLine(f) + "\n")
	}
	for _, cmd := range root.Commands() {
		visit(cmd, 1)
	}
	return b.String()
}

func flagsOf(cmd *cobra.Command, shared []*pflag.Flag, says string) string {
	cmd.InitDefaultHelpFlag()
	has := map[string]bool{}
	for _, f := range shared {
		if own := cmd.Flags().Lookup(f.Name); own != nil && own.Usage == f.Usage && own.DefValue == f.DefValue {
			has[f.Name] = true
		}
	}
	all := len(shared) > 0 && len(has) == len(shared)
	var out []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && (!all || !has[f.Name]) {
			out = append(out, flagLine(f))
		}
	})
	if all && says != "" {
		out = append(out, says)
	}
	if len(out) == 0 {
		return ""
	}
	return "\n" + strings.Join(out, "\n") + "\n"
}

// flagLine is the line of a list for one flag.
func flagLine(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + strings.ToUpper(value)
	}
	line := "- `" + name + "`: " + strings.ReplaceAll(usage, "<", `\<`)
	switch f.DefValue {
	case "", "false", "0", "-1", "0s", "[]":
	default:
		line += " (default: " + f.DefValue + ")"
	}
	return line
}

// Keep reports whether the generated part of a page is this text, and makes it so if that
// is wanted.
func Keep(path, generated string, write bool) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, old, found := strings.Cut(string(page), Generated)
	switch {
	case !found:
		return fmt.Errorf("%s has no line %q", path, strings.TrimSpace(Generated))
	case write:
		return os.WriteFile(path, []byte(head+Generated+generated), 0o644)
	case old == generated:
		return nil
	}
	have := map[string]bool{}
	for line := range strings.Lines(old) {
		have[line] = true
	}
	for line := range strings.Lines(generated) {
		if !have[line] {
			return fmt.Errorf("%s is another, run with -update: it has no line %q", path, line)
		}
	}
	return fmt.Errorf("%s is another, run with -update", path)
}

// FirstColumn returns the first cells of the table below a heading, without its head and
// without marks of code.
func FirstColumn(page, heading string) (cells []string) {
	_, text, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		cell, isRow := strings.CutPrefix(line, "| ")
		if cell, _, _ = strings.Cut(cell, " |"); isRow {
			cells = append(cells, strings.Trim(cell, "`"))
		}
	}
	if len(cells) > 0 {
		cells = cells[1:]
	}
	return cells
}
