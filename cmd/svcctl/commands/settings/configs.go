package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var configShape = output.Shape[api.ConfigSetting]{
	Plural: "settings",
	Name:   func(s api.ConfigSetting) string { return settings.Name(s.Group, s.Key) },
	Raw:    func(s api.ConfigSetting) json.RawMessage { return s.Raw },
}

// configEntry is one line of a table: a setting, or one of its subkeys.
type configEntry struct {
	group, key, sub string
	value           settings.Value
	saved           bool
}

var entryShape = output.Shape[configEntry]{
	Plural: "settings",
	Name:   func(e configEntry) string { return e.name() },
	Raw:    func(e configEntry) json.RawMessage { return output.JSON(e.value) },
	Columns: []output.Column[configEntry]{
		output.Text("GROUP", func(e configEntry) string { return e.group }),
		output.Text("KEY", func(e configEntry) string { return e.key }),
		output.Text("SUBKEY", func(e configEntry) string { return e.sub }),
		output.Text("DB", func(e configEntry) string {
			if e.saved {
				return "*"
			}
			return ""
		}),
		output.Text("VALUE", func(e configEntry) string { return e.value.Short() }),
	},
}

func (e configEntry) name() string {
	if e.sub == "" {
		return settings.Name(e.group, e.key)
	}
	return settings.Name(e.group, e.key, e.sub)
}

func configCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("config", "Work on runtime settings",
		configGetCommand(a), configDescribeCommand(a), configSetCommand(a), configUnsetCommand(a),
		configListCommand(a, "add", "Add items to a list"), configListCommand(a, "remove", "Remove items from a list"),
		configEditCommand(a), configDiffCommand(a), configPlanCommand(a), configApplyCommand(a), configExportCommand(a),
		configHistoryCommand(a), configRollbackCommand(a)),
		"config get svc instance",
		"config describe svc instance limit",
		"config set svc instance registrations_open false",
		"config unset svc instance limit",
		"config add svc mrf_simple reject bad.example",
		"config remove svc mrf_simple reject bad.example",
		"config edit svc instance",
		"config export -o yaml",
		"config diff settings.yaml --db-only",
		"config plan settings.yaml",
		"config apply settings.yaml",
		"config history svc instance",
		"config rollback 17",
	)
}

// readConfig reads the settings in force, or those that are saved, with their
// secrets or masked.
func readConfig(ctx context.Context, conn *cli.Connection, saved, secrets bool) ([]settings.Setting, *api.ConfigSettings, error) {
	all, answer, err := action.ReadSettings(ctx, conn.Client, saved, secrets)
	return all, answer, Off(err)
}

// compareConfig reads settings to compare them.
func compareConfig(ctx context.Context, conn *cli.Connection, saved bool) ([]settings.Setting, error) {
	all, err := action.CompareSettings(ctx, conn.Client, saved)
	return all, Off(err)
}

// Off explains a database without settings.
func Off(err error) error {
	if errors.Is(err, client.ErrConfigDisabled) {
		return &cli.About{What: "config", Err: err}
	}
	return err
}

func configGetCommand(a *cli.App) *cobra.Command {
	var dbOnly, withSecrets, failNonempty bool
	cmd := &cobra.Command{
		Use:   "get [GROUP [KEY [SUBKEY...]]]",
		Short: "Show settings as they act; GROUP and KEY may lack their colon",
		Long: `Show settings as they act; GROUP and KEY may lack their colon.

Tables have a line for each subkey, with a star where it is saved in the
database. json and yaml are the server's own objects. With a SUBKEY, and more of
them for what is nested, only that value is printed.`,
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			all, answer, err := readConfig(cmd.Context(), conn, dbOnly, withSecrets)
			if err != nil {
				return err
			}
			path := make([]string, len(args))
			for i, arg := range args {
				path[i] = settings.AtomName(arg)
			}
			if len(path) > 2 {
				return showValue(a, all, path, args)
			}
			if err := showSettings(a, all, answer.Configs, path, dbOnly, failNonempty); err != nil {
				return err
			}
			if answer.NeedReboot && a.TTYErr && !a.Flags.Quiet {
				fmt.Fprintln(a.ErrOut, needsRestart)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dbOnly, "db-only", false, "only settings saved in the database")
	cmd.Flags().BoolVar(&withSecrets, "with-secrets", false, "show secrets instead of masking them")
	cmd.Flags().BoolVar(&failNonempty, "fail-nonempty", false, "exit 9 when anything matches")
	return cmd
}

const needsRestart = "a restart is needed: svcctl server restart"

// showValue prints the value at a path of one setting.
func showValue(a *cli.App, all []settings.Setting, path, args []string) error {
	found := settings.Find(all, path[0], path[1])
	var v settings.Value
	ok := found != nil
	if ok {
		v, ok = at(*found.Value, path[2:], args[2:])
	}
	if !ok {
		return &cli.About{What: "setting " + strings.Join(path, " "), Err: cli.ErrNotFound, Hint: "svcctl config get " + strings.Join(path[:2], " ")}
	}
	value := output.Shape[settings.Value]{
		Plural:  "values",
		Name:    func(settings.Value) string { return settings.Name(path[0], path[1], path[2:]...) },
		Raw:     output.JSON[settings.Value],
		Columns: []output.Column[settings.Value]{output.Text("VALUE", func(v settings.Value) string { return v.Short() })},
	}
	a.Flags.NoHeaders = true
	return cli.PrintItems(a, value, []settings.Value{v}, true)
}

// at follows a path. A part that is not found with a colon is tried as typed,
// since maps have both kinds of keys.
func at(v settings.Value, path, typed []string) (settings.Value, bool) {
	for i, key := range path {
		next, ok := v.Get(key)
		if !ok {
			next, ok = v.Get(typed[i])
		}
		if !ok {
			return v, false
		}
		v = next
	}
	return v, true
}

// showSettings prints settings as objects, or in tables by their subkeys.
func showSettings(a *cli.App, all []settings.Setting, configs []api.ConfigSetting, path []string, dbOnly, failNonempty bool) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if done, err := configShape.ShowFields(p); done || err != nil {
		return err
	}
	var objects []api.ConfigSetting
	var entries []configEntry
	for i, s := range configs {
		if len(path) > 0 && s.Group != path[0] || len(path) > 1 && s.Key != path[1] {
			continue
		}
		objects = append(objects, s)
		entries = append(entries, entriesOf(all[i], s.DB, dbOnly)...)
	}
	if len(objects) == 0 && len(path) > 0 {
		if dbOnly && wellNamed(path) {
			a.SayNone("settings")
			return cli.PrintItems(a, configShape, nil, false)
		}
		return nearSetting(all, path)
	}
	switch p.Format() {
	case "json", "jsonl", "yaml":
		err = cli.PrintItems(a, configShape, objects, len(path) == 2)
	default:
		if p.Narrowed() {
			err = cli.PrintItems(a, configShape, objects, false)
			break
		}
		err = cli.PrintItems(a, entryShape, entries, false)
	}
	switch {
	case err != nil:
		return err
	case len(objects) == 0:
		a.SayNone("settings")
	case failNonempty:
		return cli.ErrCondition
	}
	return nil
}

// wellNamed reports whether all names can be settings: with --db-only most
// settings have no saved value, which is no mistake.
func wellNamed(path []string) bool {
	return !slices.ContainsFunc(path, func(name string) bool { return !settings.IsAtom(name) })
}

func entriesOf(s settings.Setting, db []string, dbOnly bool) []configEntry {
	keys := s.Value.Keys()
	if !s.Value.IsKeyword() || len(keys) == 0 {
		return []configEntry{{group: s.Group, key: s.Key, value: *s.Value, saved: dbOnly || db != nil}}
	}
	entries := make([]configEntry, len(keys))
	for i, key := range keys {
		v, _ := s.Value.Get(key)
		entries[i] = configEntry{
			group: s.Group, key: s.Key, sub: key, value: v, saved: dbOnly || slices.Contains(db, key),
		}
	}
	return entries
}

// completeConfig offers groups, keys, then subkeys.
func completeConfig(a *cli.App) cli.Completer {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 2 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for i, arg := range args {
			args[i] = settings.AtomName(arg)
		}
		found := a.Offer("config "+strings.Join(args, " "), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			answer, err := c.Admin.Config.List(ctx, api.ConfigQuery{})
			if err != nil {
				return nil, err
			}
			var words []string
			for _, s := range answer.Configs {
				switch {
				case len(args) == 0:
					words = append(words, s.Group)
				case s.Group != args[0]:
				case len(args) == 1:
					words = append(words, s.Key)
				case s.Key == args[1]:
					v, err := settings.Listed(s.Group, s.Key, s.Value)
					if err != nil {
						return nil, err
					}
					words = append(words, v.Keys()...)
				}
			}
			slices.Sort(words)
			var offers []cobra.Completion
			for _, word := range slices.Compact(words) {
				offers = append(offers, cli.Described(word, ""))
			}
			return offers, nil
		})
		if !strings.HasPrefix(typed, ":") && len(cli.StartingWith(found, typed)) == 0 {
			typed = settings.AtomName(typed)
		}
		return cli.StartingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// nearSetting is the error for a group or key that the server does not have, with the
// nearest ones that it does.
func nearSetting(all []settings.Setting, path []string) error {
	var known []string
	for _, s := range all {
		switch {
		case len(path) > 1 && s.Group == path[0]:
			known = append(known, s.Group+" "+s.Key)
		case !slices.Contains(known, s.Group):
			known = append(known, s.Group)
		}
	}
	return names.Nobody("setting", strings.Join(path, " "), known, "svcctl config get")
}
