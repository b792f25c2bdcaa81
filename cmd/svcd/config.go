package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/settings"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Read and change saved settings in the database, without the service",
		Long: "Read and change the settings that are saved in the database, whether the service runs or not. A\n" +
			"running service applies changes within a second. Groups and keys may be written without their\n" +
			"colon: svc instance.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("config: say what to do: export, import, describe, dump, groups, delete, reset or example")
		},
	}
	cmd.AddCommand(a.configExportCommand(), a.configImportCommand(), a.configDescribeCommand(), a.configDumpCommand(),
		a.configGroupsCommand(), a.configExampleCommand(), a.configDeleteCommand(), a.configResetCommand())
	return cmd
}

// withSettings opens the saved settings for do.
func (a *app) withSettings(cmd *cobra.Command, mayMake bool, do func(ctx context.Context, saved *settings.Store) error) error {
	return a.withDatabase(cmd, mayMake, func(ctx context.Context, cfg config.Config, d *db.DB) error {
		if !cfg.FromDatabase {
			return errors.New("settings are not kept in the database: SVC_CONFIG_FROM_DATABASE is false")
		}
		live, err := config.NewLive(cfg.Settings)
		if err != nil {
			return err
		}
		saved, err := settings.Open(ctx, d, live, settings.Options{FromDatabase: true, Whitelist: cfg.Whitelist, Unlocked: cfg.Unlocked})
		if err != nil {
			return err
		}
		return do(ctx, saved)
	})
}

// named is the arguments as a name: of a group, a key of it, or nothing.
func named(args []string) (config.Named, error) {
	var out config.Named
	for i, arg := range args {
		name, ok := config.WireName(arg)
		if !ok {
			return out, usagef("%q is the name of no setting", arg)
		}
		if i == 0 {
			out.Group = name
		} else {
			out.Key = name
		}
	}
	return out, nil
}

// sorted is the saved settings, by group and key: databases sort in ways of
// their own.
func sorted(ctx context.Context, saved *settings.Store) ([]config.Saved, error) {
	rows, err := saved.Saved(ctx)
	slices.SortFunc(rows, func(a, b config.Saved) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key))
	})
	return rows, err
}

// within keeps those settings that the arguments name.
func within(rows []config.Saved, of config.Named) []config.Saved {
	return slices.DeleteFunc(rows, func(s config.Saved) bool {
		return of.Group != "" && s.Group != of.Group || of.Key != "" && s.Key != of.Key
	})
}

func (a *app) configExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print a settings file with every setting, its default and what it accepts, all commented out",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, config.Example())
			return err
		},
	}
}

func (a *app) configDumpCommand() *cobra.Command {
	var secrets bool
	cmd := &cobra.Command{
		Use:   "dump [GROUP [KEY]]",
		Short: "Print saved settings, one a line",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := named(args)
			if err != nil {
				return err
			}
			return a.withSettings(cmd, false, func(ctx context.Context, saved *settings.Store) error {
				rows, err := sorted(ctx, saved)
				if err != nil {
					return err
				}
				for _, s := range within(rows, of) {
					if !secrets {
						s.Value = config.Redact(s.Group, s.Key, s.Value)
					}
					if _, err := fmt.Fprintf(a.stdout, "%s %s %s\n", s.Group, s.Key, s.Value.JSON()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&secrets, "with-secrets", false, "print passwords and keys as they are")
	return cmd
}

func (a *app) configGroupsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "Print the groups that have saved settings",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSettings(cmd, false, func(ctx context.Context, saved *settings.Store) error {
				rows, err := sorted(ctx, saved)
				if err != nil {
					return err
				}
				rows = slices.CompactFunc(rows, func(a, b config.Saved) bool { return a.Group == b.Group })
				for _, s := range rows {
					if _, err := fmt.Fprintln(a.stdout, s.Group); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}

func (a *app) configDeleteCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "delete GROUP [KEY]",
		Short: "Delete saved settings: a key, or all of a group",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := named(args)
			if err != nil {
				return err
			}
			return a.deleteSettings(cmd, of, force)
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

func (a *app) configResetCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Delete all saved settings",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.deleteSettings(cmd, config.Named{}, force)
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

// deleteSettings deletes the named settings after a confirmation.
func (a *app) deleteSettings(cmd *cobra.Command, of config.Named, force bool) error {
	return a.withSettings(cmd, false, func(ctx context.Context, saved *settings.Store) error {
		rows, err := sorted(ctx, saved)
		if err != nil {
			return err
		}
		rows = within(rows, of)
		if len(rows) == 0 {
			_, err := fmt.Fprintln(a.stderr, "Nothing is saved there.")
			return err
		}
		changes := make([]settings.Change, len(rows))
		for i, s := range rows {
			changes[i] = settings.Change{Group: s.Group, Key: s.Key, Delete: true}
			if !force {
				if _, err := fmt.Fprintf(a.stderr, "%s %s\n", s.Group, s.Key); err != nil {
					return err
				}
			}
		}
		if !force {
			if err := a.agreed(fmt.Sprintf("Delete %s?", count(len(rows)))); err != nil {
				return err
			}
		}
		if _, err := saved.Update(ctx, operator(), changes); err != nil {
			return inLines(err, nil)
		}
		left, err := saved.Saved(ctx)
		if err != nil {
			return err
		}
		if left = within(left, of); len(left) > 0 {
			return fmt.Errorf("%s not among those that may be changed here: see SVC_CONFIG_WHITELIST", areCount(len(left)))
		}
		_, err = fmt.Fprintf(a.stderr, "Deleted %s.\n", count(len(rows)))
		return err
	})
}

func count(n int) string {
	if n == 1 {
		return "1 saved setting"
	}
	return fmt.Sprintf("%d saved settings", n)
}

func areCount(n int) string {
	if n == 1 {
		return count(n) + " is"
	}
	return count(n) + " are"
}

// agreed asks on stderr, and fails unless the answer is yes.
func (a *app) agreed(question string) error {
	if _, err := fmt.Fprintf(a.stderr, "%s [y/N] ", question); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(a.stdin, 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was changed; --force does not ask")
}

func (a *app) configDescribeCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "describe [GROUP [KEY]]",
		Short: "Print all settings, with their defaults",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			of, err := named(args)
			if err != nil {
				return err
			}
			if output != "table" && output != "json" {
				return usagef("--output: %q is not accepted; give table or json", output)
			}
			var rows []config.Setting
			for _, s := range config.Registry() {
				if (of.Group == "" || s.Group == of.Group) && (of.Key == "" || s.Key == of.Key) && !config.BootOnly(s.Group, s.Key) {
					rows = append(rows, s)
				}
			}
			if len(rows) == 0 {
				return errors.New("there is no such setting")
			}
			slices.SortStableFunc(rows, func(a, b config.Setting) int {
				return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key))
			})
			if output == "json" {
				return printJSON(a.stdout, described(rows))
			}
			return printSettings(a.stdout, rows)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	return cmd
}

func printSettings(w io.Writer, rows []config.Setting) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(t, "SETTING\tDEFAULT\tMEANING"); err != nil {
		return err
	}
	for _, s := range described(rows) {
		standard := string(s.Default)
		if len(standard) > 40 {
			standard = strings.ToValidUTF8(standard[:40], "") + "…"
		}
		name := strings.Join(append([]string{s.Group, s.Key}, s.Path...), " ")
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\n", name, standard, s.Description); err != nil {
			return err
		}
	}
	return t.Flush()
}
