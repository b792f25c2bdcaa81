package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
)

const (
	configSet   action.Kind = "config.set"
	configUnset action.Kind = "config.unset"
)

func configSetCommand(a *app) *cobra.Command {
	var asText, asWire bool
	cmd := &cobra.Command{
		Use:   "set GROUP KEY [SUBKEY...] VALUE",
		Short: "Save a setting: svcctl config set svc instance limit 3000",
		Long: `Save a setting: svcctl config set svc instance limit 3000

The VALUE is read by the type that the setting's description gives, else like the
value that is there: integers, true and false, text, atoms with or without their
colon, lists as items joined by commas. Anything else is written as in files of
settings: [a, b], !tuple [60000, 5], !map {":max_options": 20}. --string takes it
as text whatever it looks like, --json as the API has it. A dash reads it from
standard input, which keeps secrets out of the arguments.`,
		Args:              needArgs(3, "a group, a key and a value"),
		ValidArgsFunction: a.completeConfig,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asText && asWire {
				return usagef("--string and --json exclude each other")
			}
			text := args[len(args)-1]
			if text == "-" {
				var err error
				if text, err = a.readSecret(); err != nil {
					return err
				}
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			e, err := conn.configEdit(cmd.Context(), args[:len(args)-1])
			if err != nil {
				return err
			}
			var v settings.Value
			switch {
			case asText:
				v = settings.Textual(text)
			case asWire:
				if v, err = settings.ParseJSON([]byte(text)); err != nil {
					return usagef("%v", err)
				}
			default:
				if v, err = typedValue(text, conn.typeAt(cmd.Context(), e.path), e.current); err != nil {
					return err
				}
			}
			return a.putSetting(cmd.Context(), conn, e, v)
		},
	}
	cmd.Flags().BoolVar(&asText, "string", false, "take the value as text")
	cmd.Flags().BoolVar(&asWire, "json", false, "take the value as JSON in the API's form")
	return cmd
}

// configEdit is one place in the settings, with what is there.
type configEdit struct {
	path    []string // group, key, subkeys
	whole   settings.Value
	current *settings.Value // at the path, nil for nothing
	saved   []settings.Setting
}

// configEdit reads what the change of one place needs to know.
func (c *connection) configEdit(ctx context.Context, args []string) (*configEdit, error) {
	effective, _, err := c.readConfig(ctx, false, false)
	if err != nil {
		return nil, err
	}
	saved, _, err := c.readConfig(ctx, true, false)
	if err != nil {
		return nil, err
	}
	e := &configEdit{saved: saved}
	for _, arg := range args {
		e.path = append(e.path, settings.AtomName(arg))
	}
	if found := settings.Find(effective, e.path[0], e.path[1]); found != nil {
		e.whole = *found.Value
		// Keys of maps may be plain text; then that is what the path has.
		v := e.whole
		for i := 2; i < len(e.path); i++ {
			next, ok := v.Get(e.path[i])
			if !ok {
				if next, ok = v.Get(args[i]); ok {
					e.path[i] = args[i]
				}
			}
			if !ok {
				return e, nil
			}
			v = next
		}
		e.current = &v
	}
	return e, nil
}

// putSetting saves a value at a place, unless it is there already.
func (a *app) putSetting(ctx context.Context, conn *connection, e *configEdit, v settings.Value) error {
	name := settings.Name(e.path[0], e.path[1], e.path[2:]...)
	if e.current != nil && e.current.Equal(v) {
		return a.showResults([]action.Result{unchangedSetting(name)})
	}
	posted := settings.Put(e.path[0], e.path[1], e.whole, e.path[2:], v)
	changes, err := settings.Plan(e.saved, []settings.Setting{{Group: e.path[0], Key: e.path[1], Value: &posted}}, false)
	if err != nil {
		return usagef("%v", err)
	}
	if len(changes) == 0 {
		return a.showResults([]action.Result{unchangedSetting(name)})
	}
	return a.changeSettings(ctx, conn, configChanges{
		changes: changes, saved: e.saved, names: []string{name},
		level: action.L0, what: "set " + spell(name), token: e.path[len(e.path)-1],
	})
}

func unchangedSetting(name string) action.Result {
	return action.Result{Action: action.Action{Kind: configSet, Target: name}, Outcome: action.Unchanged}
}

// configChanges are changes on their way to the server.
type configChanges struct {
	changes []settings.Change
	saved   []settings.Setting // as read when the changes were made up
	names   []string           // what results call the changes, when not by themselves
	same    []string           // what was asked for and is so already
	level   action.Confirmation
	what    string
	token   string
}

// changeSettings asks, looks whether somebody else changed the same meanwhile,
// and posts the changes, all or none.
func (a *app) changeSettings(ctx context.Context, conn *connection, c configChanges) error {
	if err := conn.mayWrite(a, "config set"); err != nil {
		return err
	}
	if err := a.checkCount(len(c.changes)); err != nil {
		return err
	}
	level := c.level
	if len(c.changes) > action.ManyTargets {
		level = action.L2
	}
	if conn.Protected && level < action.L2 {
		level++
	}
	body := postBody(c.changes)
	if a.g.dryRun {
		return a.showRequest(http.MethodPost, configPath, body)
	}
	if err := a.confirm(ctx, level, c.what, c.token); err != nil {
		return err
	}
	err := conn.unchangedMeanwhile(ctx, c)
	if err == nil {
		err = a.postConfig(ctx, conn, body, c.changes)
	}
	results := c.results(err)
	var conflict *action.Conflict
	if errors.As(err, &conflict) {
		p, printErr := a.printer()
		if printErr != nil {
			return printErr
		}
		if p.format != "table" && p.format != "wide" {
			if showErr := a.showResults(results); showErr != nil && exitOf(showErr) != exitPartial && exitOf(showErr) != exitConflict {
				return showErr
			}
		}
		return &about{what: spell(conflict.Target), err: err, hint: "look at it with svcctl config get, then do it again"}
	}
	return a.showResults(results)
}

// results are one for each change, or for each name that stands for them.
func (c configChanges) results(err error) []action.Result {
	names := c.names
	if names == nil {
		for _, change := range c.changes {
			names = append(names, change.Name())
		}
	}
	var results []action.Result
	for i, name := range names {
		kind := configSet
		if i < len(c.changes) && c.changes[i].New == nil {
			kind = configUnset
		}
		results = append(results, resultOf(kind, name, err))
	}
	for _, name := range c.same {
		kind := configUnset
		results = append(results, action.Result{Action: action.Action{Kind: kind, Target: name}, Outcome: action.Unchanged})
	}
	return results
}

func postBody(changes []settings.Change) api.ConfigChanges {
	var body api.ConfigChanges
	for _, s := range settings.Request(changes) {
		change := api.ConfigChange{Group: s.Group, Key: s.Key, Delete: s.Delete}
		if s.Value != nil {
			change.Value = asJSON(s.Value)
		}
		if s.Subkeys != nil {
			change.Subkeys = s.Subkeys
		}
		body.Configs = append(body.Configs, change)
	}
	return body
}

// postConfig sends the changes. A lost answer is made up for by reading.
func (a *app) postConfig(ctx context.Context, conn *connection, body api.ConfigChanges, changes []settings.Change) error {
	answer, err := conn.Admin.Config.ChangeRedacted(ctx, body.Configs...)
	if err != nil {
		if exitOf(err) == exitNetwork && conn.landed(ctx, changes) {
			return nil
		}
		return configOff(err)
	}
	if answer.NeedReboot && !a.g.quiet {
		fmt.Fprintln(a.errOut, needsRestart)
	}
	return nil
}

// landed tells whether changes whose answer was lost are there.
func (c *connection) landed(ctx context.Context, changes []settings.Change) bool {
	saved, _, err := c.readConfig(ctx, true, false)
	if err != nil {
		return false
	}
	left, err := settings.Plan(saved, settings.Request(changes), false)
	return err == nil && len(left) == 0
}

// unchangedMeanwhile reads the saved settings again, just before they are
// written, and compares what is about to change with what was seen.
func (c *connection) unchangedMeanwhile(ctx context.Context, seen configChanges) error {
	now, _, err := c.readConfig(ctx, true, false)
	if err != nil {
		return err
	}
	for _, change := range seen.changes {
		was, is := savedAt(seen.saved, change), savedAt(now, change)
		if (was == nil) != (is == nil) || was != nil && !was.Equal(*is) {
			return &action.Conflict{Target: change.Name(), Now: "changed"}
		}
	}
	return nil
}

func savedAt(saved []settings.Setting, c settings.Change) *settings.Value {
	found := settings.Find(saved, c.Group, c.Key)
	if found == nil {
		return nil
	}
	if c.Sub == "" {
		return found.Value
	}
	if v, ok := found.Value.Get(c.Sub); ok {
		return &v
	}
	return nil
}

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
			saved, _, err := conn.readConfig(cmd.Context(), true, false)
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

func configListCommand(a *app, verb, short string) *cobra.Command {
	return &cobra.Command{
		Use:               verb + " GROUP KEY [SUBKEY...] ITEM...",
		Short:             short + ": svcctl config " + verb + " svc mrf_simple reject bad.example",
		Args:              needArgs(3, "a group, a key and an item"),
		ValidArgsFunction: a.completeConfig,
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			// What is no list can be entered; the rest are items.
			depth := 2
			e, err := conn.configEdit(cmd.Context(), args[:depth])
			if err != nil {
				return err
			}
			for depth < len(args)-1 && !isPlainList(e.current) {
				depth++
				if e, err = e.enter(args[depth-1]); err != nil {
					return err
				}
			}
			list, err := itemsOf(e.current)
			if err != nil {
				return usagef("%s: %v", strings.Join(e.path, " "), err)
			}
			for _, text := range args[depth:] {
				item, err := itemLike(text, list)
				if err != nil {
					return err
				}
				is := func(have settings.Value) bool { return have.Equal(item) }
				switch {
				case verb == "remove":
					list = slices.DeleteFunc(list, is)
				case !slices.ContainsFunc(list, is):
					list = append(list, item)
				}
			}
			return a.putSetting(cmd.Context(), conn, e, settings.ListOf(list...))
		},
	}
}

// isPlainList tells lists of items from keyword lists, which are entered. An
// empty one may be either, and is a list once the path into it has begun.
func isPlainList(v *settings.Value) bool {
	return v != nil && v.Kind() == settings.List && (!v.IsKeyword() || len(v.Items()) == 0)
}

// enter goes one step down.
func (e *configEdit) enter(arg string) (*configEdit, error) {
	name := settings.AtomName(arg)
	next := *e
	next.current = nil
	if e.current != nil {
		v, ok := e.current.Get(name)
		if !ok {
			if v, ok = e.current.Get(arg); ok {
				name = arg
			}
		}
		switch {
		case ok:
			next.current = &v
		case e.current.Kind() < settings.List || e.current.Kind() == settings.Tuple:
			return nil, usagef("%s is no list", strings.Join(e.path, " "))
		}
	}
	next.path = append(slices.Clone(e.path), name)
	return &next, nil
}

// itemsOf are the items of a list; one atom or module where a list may stand
// counts as one.
func itemsOf(v *settings.Value) ([]settings.Value, error) {
	switch {
	case v == nil || v.Kind() == settings.Null:
		return nil, nil
	case isPlainList(v):
		return slices.Clone(v.Items()), nil
	case v.Kind() == settings.Text && settings.IsAtom(v.Text()):
		return []settings.Value{*v}, nil
	}
	return nil, errors.New("it is no list")
}

// itemLike reads an item like those that are there.
func itemLike(text string, list []settings.Value) (settings.Value, error) {
	switch {
	case compound(text):
		return parseCompound(text, nil)
	case len(list) > 0 && list[0].Kind() == settings.Number:
		if !numeral.MatchString(text) {
			return settings.Value{}, usagef("%s is no number, as the other items are", quote(text))
		}
		return settings.Numeric(text), nil
	case len(list) > 0 && strings.HasPrefix(list[0].Text(), ":"):
		return settings.Textual(settings.AtomName(text)), nil
	}
	return settings.Textual(text), nil
}
