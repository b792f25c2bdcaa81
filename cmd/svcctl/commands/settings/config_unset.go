package settings

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
)

func configUnsetCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "unset GROUP KEY [SUBKEY...] | NAME... | -",
		Short: "Forget saved values, so that the built-in ones act again",
		Long: `Forget saved values, so that the built-in ones act again: of a whole KEY, or
of the SUBKEYS of it. Names like config/:svc/:instance/:limit, as -o name prints
them, may be of several keys; a dash reads them from standard input.`,
		Args:              cli.NeedArgs(1, "a setting"),
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := unsettings(a, args)
			if err != nil || len(wanted) == 0 {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			saved, err := compareConfig(cmd.Context(), conn, true)
			if err != nil {
				return err
			}
			c := configChanges{saved: saved, level: action.L2}
			for _, w := range wanted {
				found, err := settings.Plan(saved, []settings.Setting{w}, false)
				if err != nil {
					return err
				}
				c.changes = append(c.changes, found...)
				for _, name := range namesOf(w) {
					if !slices.ContainsFunc(found, func(f settings.Change) bool { return f.Name() == name }) {
						c.same = append(c.same, name)
					}
				}
			}
			if len(c.changes) == 0 {
				return a.ShowResults(c.results(nil))
			}
			c.what, c.token = "unset "+cli.CountOf(len(c.changes), "config"), strconv.Itoa(len(c.changes))
			if len(c.changes) == 1 {
				name := c.changes[0].Name()
				c.what, c.token = "unset "+cli.Spell(name), name[strings.LastIndexByte(name, '/')+1:]
			}
			return changeSettings(cmd.Context(), a, conn, c)
		},
	}
}

func namesOf(s settings.Setting) []string {
	if len(s.Subkeys) == 0 {
		return []string{settings.Name(s.Group, s.Key)}
	}
	names := make([]string, len(s.Subkeys))
	for i, sub := range s.Subkeys {
		names[i] = settings.Name(s.Group, s.Key, sub)
	}
	return names
}

// unsettings reads which settings are to go, each once.
func unsettings(a *cli.App, args []string) ([]settings.Setting, error) {
	if args[0] != "-" && !strings.Contains(args[0], "/") {
		if len(args) < 2 {
			return nil, cli.Usagef("a group alone cannot be unset; name a key")
		}
		s := settings.Setting{Group: settings.AtomName(args[0]), Key: settings.AtomName(args[1]), Delete: true}
		for _, sub := range args[2:] {
			if sub = settings.AtomName(sub); !slices.Contains(s.Subkeys, sub) {
				s.Subkeys = append(s.Subkeys, sub)
			}
		}
		return []settings.Setting{s}, nil
	}
	names, err := settingNames(a, args)
	if err != nil {
		return nil, err
	}
	var wanted []settings.Setting
	seen := map[string]bool{}
	for _, name := range names {
		path, err := settings.ParseName(name)
		if err != nil {
			return nil, cli.Usagef("%v", err)
		}
		if len(path) > 3 {
			return nil, cli.Usagef("%s: only keys and their first-level subkeys can be unset", action.Quote(name))
		}
		if s := (settings.Setting{Group: path[0], Key: path[1], Delete: true, Subkeys: path[2:]}); !seen[namesOf(s)[0]] {
			seen[namesOf(s)[0]] = true
			wanted = append(wanted, s)
		}
	}
	return wanted, nil
}

// settingNames are typed names, with those of standard input in place of a
// dash: as lines, or as results print them.
func settingNames(a *cli.App, args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		if arg != "-" {
			names = append(names, arg)
			continue
		}
		if err := a.MayChange(action.ConfigRestore); err != nil {
			return nil, err
		}
		if err := a.EachLine("names", arg, func(n int, line []byte) error {
			name := string(line)
			if line[0] == '{' {
				var object struct{ Target, Group, Key string }
				if err := json.Unmarshal(line, &object); err != nil {
					return cli.Usagef("line %d: %v", n, err)
				}
				if name = object.Target; name == "" {
					name = settings.Name(object.Group, object.Key)
				}
			}
			names = append(names, name)
			return a.CheckRead(len(names), len(name))
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}
