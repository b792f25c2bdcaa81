package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/settings"
)

func configUnsetCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "unset GROUP KEY [SUBKEY...] | NAME... | -",
		Short: "Forget what is saved, so that the built-in value acts again",
		Long: `Forget what is saved, so that the built-in value acts again: of a whole KEY, or
of the SUBKEYS of it. Names like config/:svc/:instance/:limit, as -o name prints
them, may be of several keys; a dash reads them from standard input.`,
		Args:              needArgs(1, "a setting"),
		ValidArgsFunction: a.completeConfig,
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := a.unsettings(args)
			if err != nil || len(wanted) == 0 {
				return err
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			saved, err := conn.compareConfig(cmd.Context(), true)
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
				return a.showResults(c.results(nil))
			}
			c.what, c.token = "unset "+countOf(len(c.changes), "config"), strconv.Itoa(len(c.changes))
			if len(c.changes) == 1 {
				name := c.changes[0].Name()
				c.what, c.token = "unset "+spell(name), name[strings.LastIndexByte(name, '/')+1:]
			}
			return a.changeSettings(cmd.Context(), conn, c)
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
func (a *app) unsettings(args []string) ([]settings.Setting, error) {
	if args[0] != "-" && !strings.Contains(args[0], "/") {
		if len(args) < 2 {
			return nil, usagef("a group alone cannot be unset; name a key")
		}
		s := settings.Setting{Group: settings.AtomName(args[0]), Key: settings.AtomName(args[1]), Delete: true}
		for _, sub := range args[2:] {
			if sub = settings.AtomName(sub); !slices.Contains(s.Subkeys, sub) {
				s.Subkeys = append(s.Subkeys, sub)
			}
		}
		return []settings.Setting{s}, nil
	}
	names, err := a.settingNames(args)
	if err != nil {
		return nil, err
	}
	var wanted []settings.Setting
	seen := map[string]bool{}
	for _, name := range names {
		path, err := settings.ParseName(name)
		if err != nil {
			return nil, usagef("%v", err)
		}
		if len(path) > 3 {
			return nil, usagef("%s: only keys and their first-level subkeys can be unset", quote(name))
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
func (a *app) settingNames(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		if arg != "-" {
			names = append(names, arg)
			continue
		}
		data, err := io.ReadAll(io.LimitReader(a.in, maxInput))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "{") {
				var object struct{ Target, Group, Key string }
				if err := json.Unmarshal([]byte(line), &object); err != nil {
					return nil, usagef("line %d: %v", n+1, err)
				}
				if line = object.Target; line == "" {
					line = settings.Name(object.Group, object.Key)
				}
			}
			if line != "" {
				names = append(names, line)
			}
		}
	}
	return names, nil
}
