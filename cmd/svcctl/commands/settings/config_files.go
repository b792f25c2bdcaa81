package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/login"
	"svc/client/safe"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// difference is a change as it is shown, secrets masked.
type difference struct {
	settings.Change
}

// op is + for a new value, - for one that goes, ~ for one that changes.
func (d difference) op() string {
	switch {
	case d.Old == nil:
		return "+"
	case d.New == nil:
		return "-"
	}
	return "~"
}

func short(v *settings.Value) string {
	if v == nil {
		return ""
	}
	return v.Short()
}

func differences(changes []settings.Change) []difference {
	shown := make([]difference, len(changes))
	for i, c := range changes {
		shown[i] = difference{c.Hidden()}
	}
	return shown
}

func (d difference) json(names [2]string) json.RawMessage {
	row := map[string]any{"name": d.Name(), "op": d.op(), "reboot": d.Reboot(), names[0]: d.Old, names[1]: d.New}
	return output.JSON(row)
}

// differenceShape shows differences; names are those of the two sides.
func differenceShape(old, wanted string) output.Shape[difference] {
	return output.Shape[difference]{
		Plural: "differences",
		Name:   func(d difference) string { return d.Name() },
		Raw:    func(d difference) json.RawMessage { return d.json([2]string{old, wanted}) },
		Columns: []output.Column[difference]{
			output.Text("OP", func(d difference) string { return d.op() }),
			output.Text("NAME", func(d difference) string { return d.Name() }),
			output.Text("REBOOT", func(d difference) string {
				if d.Reboot() {
					return "yes"
				}
				return ""
			}),
			output.Text(strings.ToUpper(old), func(d difference) string { return short(d.Old) }),
			output.Text(strings.ToUpper(wanted), func(d difference) string { return short(d.New) }),
		},
	}
}

// readSettings reads a file of settings, - for standard input.
func readSettings(a *cli.App, file string, writes bool) ([]settings.Setting, error) {
	if err := a.MayAdminister(writes); err != nil {
		return nil, err
	}
	data, err := a.ReadInput("file", file)
	if err != nil {
		return nil, err
	}
	if err := a.Keep(settings.Weight(data)); err != nil {
		return nil, err
	}
	wanted, err := settings.Read(data)
	if err != nil {
		return nil, cli.Usagef("%s: %v", file, err)
	}
	return wanted, nil
}

func configDiffCommand(a *cli.App) *cobra.Command {
	var dbOnly bool
	cmd := &cobra.Command{
		Use:   "diff FILE",
		Short: "Compare settings with a file; exit 9 when they differ",
		Long: `Compare settings with a file; exit 9 when they differ. The settings in force are
compared with those that the file names. With --db-only the saved ones are, and
what is saved and not in the file is a difference too. Masks match any secret; a
token without admin:write sees only masks.`,
		Args: cli.ExactArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := readSettings(a, args[0], false)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			have, err := compareConfig(cmd.Context(), conn, dbOnly)
			if err != nil {
				return err
			}
			changes := settings.Drift(have, wanted)
			if dbOnly {
				if changes, err = settings.Plan(have, wanted, true); err != nil {
					return cli.Usagef("%v", err)
				}
			}
			if err := cli.PrintItems(a, differenceShape("now", "file"), differences(changes), false); err != nil {
				return err
			}
			if len(changes) > 0 {
				return cli.ErrCondition
			}
			a.SayNone("differences")
			return nil
		},
	}
	cmd.Flags().BoolVar(&dbOnly, "db-only", false, "compare with the settings saved in the database, both ways")
	return cmd
}

// planFlags are those of plan and apply.
type planFlags struct{ prune, anew, applies bool }

// planChanges are the changes that make the saved settings those of a file.
func planChanges(ctx context.Context, a *cli.App, file string, f planFlags) (*cli.Connection, configChanges, error) {
	wanted, err := readSettings(a, file, f.applies)
	if err != nil {
		return nil, configChanges{}, err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return nil, configChanges{}, err
	}
	saved, err := compareConfig(ctx, conn, true)
	if err != nil {
		return nil, configChanges{}, err
	}
	if err := mustFit(ctx, conn, file, wanted, f.anew); err != nil {
		return nil, configChanges{}, err
	}
	changes, err := settings.Plan(saved, wanted, f.prune)
	if err != nil {
		return nil, configChanges{}, cli.Usagef("%v", err)
	}
	return conn, configChanges{changes: changes, saved: saved}, nil
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.anew, "new", false, "save also settings that the server does not know")
	cmd.Flags().BoolVar(&f.prune, "prune", false, "unset saved settings that are not in the file")
}

func configPlanCommand(a *cli.App) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what applying a file would change, and whether that needs a restart",
		Args:  cli.ExactArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, c, err := planChanges(cmd.Context(), a, args[0], f)
			if err != nil {
				return err
			}
			if err := cli.PrintItems(a, differenceShape("now", "new"), differences(c.changes), false); err != nil {
				return err
			}
			if !a.Flags.Quiet {
				fmt.Fprintln(a.ErrOut, c.summary())
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

func (c configChanges) summary() string {
	if len(c.changes) == 0 {
		return "nothing to change"
	}
	text := cli.CountOf(len(c.changes), "change")
	if slices.ContainsFunc(c.changes, settings.Change.Reboot) {
		text += "; a restart will be needed"
	}
	return text
}

func configApplyCommand(a *cli.App) *cobra.Command {
	f := planFlags{applies: true}
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Save the settings of a file, all or none; unchanged ones are not sent",
		Args:  cli.ExactArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, c, err := planChanges(cmd.Context(), a, args[0], f)
			if err != nil {
				return err
			}
			if len(c.changes) == 0 {
				if !a.Flags.Quiet {
					fmt.Fprintln(a.ErrOut, c.summary())
				}
				return a.ShowResults(nil)
			}
			return applyPlan(cmd.Context(), a, conn, c)
		},
	}
	f.add(cmd)
	return cmd
}

// applyPlan shows the changes to a person before asking.
func applyPlan(ctx context.Context, a *cli.App, conn *cli.Connection, c configChanges) error {
	c.level = action.L0
	if len(c.changes) > 1 {
		c.level = action.L1
	}
	if slices.ContainsFunc(c.changes, func(change settings.Change) bool { return change.New == nil }) {
		c.level = action.L2
	}
	c.what, c.token = "make "+cli.CountOf(len(c.changes), "change"), strconv.Itoa(len(c.changes))
	if a.Interactive() && !a.Flags.Quiet && !a.Flags.DryRun {
		sketch(a, c.changes)
	}
	return changeSettings(ctx, a, conn, c)
}

// sketch prints changes on standard error, a line or two each.
func sketch(a *cli.App, changes []settings.Change) {
	for _, d := range differences(changes) {
		reboot := ""
		if d.Reboot() {
			reboot = "  (needs a restart)"
		}
		fmt.Fprintf(a.ErrOut, "%s %s%s\n", d.op(), safe.Line(d.Name()), reboot)
		if d.Old != nil {
			fmt.Fprintf(a.ErrOut, "    - %s\n", safe.Line(d.Old.Short()))
		}
		if d.New != nil {
			fmt.Fprintf(a.ErrOut, "    + %s\n", safe.Line(d.New.Short()))
		}
	}
}

func configExportCommand(a *cli.App) *cobra.Command {
	var withSecrets, all bool
	cmd := &cobra.Command{
		Use:               "export [GROUP [KEY]]",
		Short:             "Print saved settings as a file that apply takes: yaml, or json as the API has it",
		ValidArgsFunction: completeConfig(a),
		Args:              cli.AtMost(2, "a group and a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if !slices.Contains([]string{"table", "yaml", "json"}, p.Format()) {
				return cli.Usagef("-o %s: yaml and json are accepted here", p.Format())
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			found, _, err := readConfig(cmd.Context(), conn, !all, withSecrets)
			if err != nil {
				return err
			}
			found = slices.DeleteFunc(found, func(s settings.Setting) bool {
				return len(args) > 0 && s.Group != settings.AtomName(args[0]) || len(args) > 1 && s.Key != settings.AtomName(args[1])
			})
			if p.Format() == "json" {
				p.One = true
				p.Begin(nil)
				if err := p.Add(output.Record{JSON: output.JSON(map[string]any{"configs": append([]settings.Setting{}, found...)})}); err != nil {
					return err
				}
				err = p.End(output.Listing{Total: len(found), Complete: true})
			} else if !a.Flags.Quiet {
				err = writeYAML(a, found)
			}
			masked := slices.ContainsFunc(found, func(s settings.Setting) bool { return settings.HasMask(*s.Value) })
			if err == nil && masked && !a.Flags.Quiet {
				fmt.Fprintln(a.ErrOut, "secrets are masked; applying keeps those that are saved; --with-secrets writes them out")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&withSecrets, "with-secrets", false, "write secrets out instead of masking them")
	cmd.Flags().BoolVar(&all, "all", false, "all settings as they act, not only saved ones")
	return cmd
}

func writeYAML(a *cli.App, all []settings.Setting) error {
	doc, err := settings.Write(all)
	if err != nil {
		return err
	}
	_, err = a.Out.Write(output.EscapeYAML(doc))
	return err
}

func configEditCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "edit [GROUP [KEY]]",
		Short: "Edit settings in $EDITOR: the saved ones, or all of one group or key",
		Long: `Edit settings in $VISUAL or $EDITOR: the saved ones, or all of one group or key.

What differs afterwards is shown, asked about and saved. A line that is taken out
forgets what is saved of it. Secrets are masked; a mask that stays keeps them.`,
		ValidArgsFunction: completeConfig(a),
		Args:              cli.AtMost(2, "a group and a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if err := conn.MayWrite(a, "config edit"); err != nil {
				return err
			}
			before, _, err := readConfig(cmd.Context(), conn, len(args) == 0, false)
			if err != nil {
				return err
			}
			before = slices.DeleteFunc(before, func(s settings.Setting) bool {
				return len(args) > 0 && s.Group != settings.AtomName(args[0]) || len(args) > 1 && s.Key != settings.AtomName(args[1])
			})
			saved, err := compareConfig(cmd.Context(), conn, true)
			if err != nil {
				return err
			}
			after, err := edited(cmd.Context(), a, conn, before)
			if err != nil {
				return err
			}
			if err := mustFit(cmd.Context(), conn, "the file", after, false); err != nil {
				return err
			}
			changes, err := settings.Plan(before, after, true)
			if err != nil {
				return cli.Usagef("%v", err)
			}
			c := configChanges{saved: saved}
			for _, change := range changes {
				if change.New == nil && action.SavedAt(saved, change) == nil {
					continue // a built-in value cannot be taken away
				}
				c.changes = append(c.changes, change)
			}
			if len(c.changes) == 0 {
				if !a.Flags.Quiet {
					fmt.Fprintln(a.ErrOut, c.summary())
				}
				return nil
			}
			if !a.Interactive() && !a.Flags.Quiet {
				sketch(a, c.changes)
			}
			return applyPlan(cmd.Context(), a, conn, c)
		},
	}
}

// edited lets a person edit settings in a private file. Text that cannot be
// read afterwards stays in the file.
func edited(ctx context.Context, a *cli.App, conn *cli.Connection, before []settings.Setting) ([]settings.Setting, error) {
	dir := login.PathsFrom(a.Getenv).State
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a place for the file: %w", err)
	}
	f, err := os.CreateTemp(dir, "config-*.yaml")
	if err != nil {
		return nil, fmt.Errorf("make the file: %w", err)
	}
	doc, err := settings.Write(before)
	if err != nil {
		return nil, err
	}
	head := "# Settings of " + conn.Origin.Host + ". Saving this file and leaving the editor goes on.\n"
	if _, err := io.Copy(f, io.MultiReader(strings.NewReader(head), bytes.NewReader(output.EscapeYAML(doc)))); err != nil {
		return nil, fmt.Errorf("write the file: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("write the file: %w", err)
	}
	if err := runEditor(ctx, a, f.Name()); err != nil {
		if now, readErr := os.ReadFile(f.Name()); readErr == nil && strings.HasSuffix(string(now), string(output.EscapeYAML(doc))) {
			os.Remove(f.Name()) // nothing of anybody's work is in it
		}
		return nil, err
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, fmt.Errorf("read the file again: %w", err)
	}
	after, err := settings.Read(data)
	if err != nil {
		return nil, &cli.UsageError{Message: fmt.Sprintf("%s: %v; nothing was sent", f.Name(), err), Hint: "mend the file, then svcctl config apply " + f.Name()}
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("remove the file: %w", err)
	}
	return after, nil
}

func runEditor(ctx context.Context, a *cli.App, file string) error {
	editor := a.Getenv("VISUAL")
	if editor == "" {
		editor = a.Getenv("EDITOR")
	}
	switch {
	case editor != "":
	case !a.TTYIn:
		return &cli.UsageError{Message: "there is neither a terminal nor an $EDITOR", Hint: "svcctl config set, or config apply FILE"}
	default:
		editor = "vi"
	}
	words := strings.Fields(editor)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.ErrOut, a.ErrOut
	if a.TTYOut {
		cmd.Stdout = a.Out // editors draw on a terminal
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; nothing was sent", editor, err)
	}
	return nil
}
