package settings

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
)

func configSetCommand(a *cli.App) *cobra.Command {
	var asText, asWire, anew bool
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
		Args:              cli.NeedArgs(3, "a group, a key and a value"),
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asText && asWire {
				return cli.Usagef("--string and --json exclude each other")
			}
			text := args[len(args)-1]
			if text == "-" {
				var err error
				if text, err = a.ReadSecret(); err != nil {
					return err
				}
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			e, err := readEdit(cmd.Context(), conn, args[:len(args)-1])
			if err != nil {
				return err
			}
			if !anew {
				if err := mustKnow(cmd.Context(), conn, e); err != nil {
					return err
				}
			}
			if e.current != nil && !asText && !asWire {
				if _, below := e.current.Get(settings.AtomName(text)); below {
					return cli.Usagef("the value of %s %s is missing", strings.Join(e.path, " "), settings.AtomName(text))
				}
			}
			var v settings.Value
			switch {
			case asText:
				v = settings.Textual(text)
			case asWire:
				if v, err = settings.ParseJSON([]byte(text)); err != nil {
					return cli.Usagef("%v", err)
				}
			default:
				if v, err = settings.ReadTyped(text, typingAt(cmd.Context(), conn, e.path), e.current); err != nil {
					return mistyped(e.path, err)
				}
			}
			return putSetting(cmd.Context(), a, conn, e, v)
		},
	}
	cmd.Flags().BoolVar(&asText, "string", false, "take the value as text")
	cmd.Flags().BoolVar(&asWire, "json", false, "take the value as JSON in the API's form")
	cmd.Flags().BoolVar(&anew, "new", false, "save also settings that the server does not know")
	return cmd
}

// configEdit is one place in the settings, with its value.
type configEdit struct {
	path    []string // group, key, subkeys
	whole   settings.Value
	current *settings.Value // at the path, nil for nothing
	saved   []settings.Setting
}

// readEdit reads a place and its type before a change.
func readEdit(ctx context.Context, conn *cli.Connection, args []string) (*configEdit, error) {
	effective, err := compareConfig(ctx, conn, false)
	if err != nil {
		return nil, err
	}
	saved, err := compareConfig(ctx, conn, true)
	if err != nil {
		return nil, err
	}
	e := &configEdit{saved: saved}
	for _, arg := range args {
		e.path = append(e.path, settings.AtomName(arg))
	}
	if found := settings.Find(effective, e.path[0], e.path[1]); found != nil {
		e.whole = *found.Value
		// Keys of maps may be plain text; then the path has that text.
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
func putSetting(ctx context.Context, a *cli.App, conn *cli.Connection, e *configEdit, v settings.Value) error {
	name := settings.Name(e.path[0], e.path[1], e.path[2:]...)
	if e.current != nil && e.current.Equal(v) {
		return a.ShowResults([]action.Result{unchangedSetting(name)})
	}
	posted := settings.Put(e.path[0], e.path[1], e.whole, e.path[2:], v)
	changes, err := settings.Plan(e.saved, []settings.Setting{{Group: e.path[0], Key: e.path[1], Value: &posted}}, false)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if len(changes) == 0 {
		return a.ShowResults([]action.Result{unchangedSetting(name)})
	}
	return changeSettings(ctx, a, conn, configChanges{
		changes: changes, saved: e.saved, names: []string{name},
		level: action.L0, what: "set " + cli.Spell(name), token: e.path[len(e.path)-1],
	})
}

func unchangedSetting(name string) action.Result {
	return action.Result{Action: action.Action{Kind: configSet, Target: name}, Outcome: action.Unchanged}
}

func configListCommand(a *cli.App, verb, short string) *cobra.Command {
	var anew bool
	cmd := &cobra.Command{
		Use:               verb + " GROUP KEY [SUBKEY...] ITEM... | -",
		Short:             short + ": svcctl config " + verb + " svc mrf_simple reject bad.example",
		Args:              cli.NeedArgs(3, "a group, a key and an item"),
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args[:len(args)-1], "-") {
				return cli.Usagef("- reads all items from standard input, and stands alone as the last argument")
			}
			if args[len(args)-1] == "-" {
				if err := a.MayAdminister(true); err != nil {
					return err
				}
				args = args[: len(args)-1 : len(args)-1]
				before := len(args)
				err := a.EachLine("item", "-", func(n int, line []byte) error {
					args = append(args, string(line))
					return a.CheckRead(n, len(line))
				})
				if err == nil && len(args) == before {
					err = cli.Refused("standard input has no item", "give one a line, or the items as arguments")
				}
				if err != nil {
					return err
				}
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			// A value that is no list can be entered; the rest are items.
			depth := 2
			e, err := readEdit(cmd.Context(), conn, args[:depth])
			if err != nil {
				return err
			}
			for depth < len(args)-1 && !isPlainList(e.current) {
				depth++
				if e, err = e.enter(args[depth-1]); err != nil {
					return err
				}
			}
			if !anew {
				if err := mustKnow(cmd.Context(), conn, e); err != nil {
					return err
				}
			}
			list, err := itemsOf(e.current)
			if err != nil {
				return cli.Usagef("%s: %v", strings.Join(e.path, " "), err)
			}
			typing := typingAt(cmd.Context(), conn, e.path)
			for _, text := range args[depth:] {
				item, err := typing.Item(text, list)
				if err != nil {
					return mistyped(e.path, err)
				}
				is := func(have settings.Value) bool { return have.Equal(item) }
				switch {
				case verb == "remove":
					list = slices.DeleteFunc(list, is)
				case !slices.ContainsFunc(list, is):
					list = append(list, item)
				}
			}
			return putSetting(cmd.Context(), a, conn, e, settings.ListOf(list...))
		},
	}
	cmd.Flags().BoolVar(&anew, "new", false, "save also settings that the server does not know")
	return cmd
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
			return nil, cli.Usagef("%s is no list", strings.Join(e.path, " "))
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
