package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// field is one line of the descriptions of settings: a field of a form, with its
// place.
type field struct {
	api.ConfigField
	entry *api.ConfigDescription
	path  []string // below its key
}

var fieldShape = output.Shape[field]{
	Plural: "descriptions",
	Name: func(f field) string {
		return settings.Name(f.entry.Group, f.key(), f.sub()...)
	},
	Raw: func(f field) json.RawMessage { return output.JSON(f.ConfigField) },
	Columns: []output.Column[field]{
		output.Text("GROUP", func(f field) string { return f.entry.Group }),
		output.Text("KEY", func(f field) string { return f.key() }),
		output.Text("SUBKEY", func(f field) string { return strings.Join(f.sub(), " ") }),
		output.Text("TYPE", func(f field) string { return typeWords(f.Type) }),
		output.Wide(output.Text("LABEL", func(f field) string { return f.Label })),
		output.Wide(output.Text("SECRET", func(f field) string {
			if f.Secret {
				return "secret"
			}
			return ""
		})),
		output.Wide(output.Text("SUGGESTIONS", func(f field) string {
			if len(f.Suggestions) == 0 {
				return ""
			}
			return string(output.JSON(f.Suggestions))
		})),
		output.Text("DESCRIPTION", func(f field) string { return f.Description }),
	},
}

// key is the setting's key, which in an entry of whole keys is the field's own.
func (f field) key() string {
	if f.entry.Key == "" {
		return f.path[0]
	}
	return f.entry.Key
}

func (f field) sub() []string {
	if f.entry.Key == "" {
		return f.path[1:]
	}
	return f.path
}

func typeWords(t api.ConfigType) string {
	if t.Of == nil {
		return t.Name
	}
	words := make([]string, len(t.Of))
	for i, inner := range t.Of {
		words[i] = typeWords(inner)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// fieldsIn walks the fields of descriptions, those that hold others first.
func fieldsIn(all []api.ConfigDescription) []field {
	var fields []field
	var walk func(entry *api.ConfigDescription, path []string, children []api.ConfigField)
	walk = func(entry *api.ConfigDescription, path []string, children []api.ConfigField) {
		for _, child := range children {
			below := append(path[:len(path):len(path)], child.Key)
			fields = append(fields, field{ConfigField: child, entry: entry, path: below})
			walk(entry, below, child.Children)
		}
	}
	for i := range all {
		walk(&all[i], nil, all[i].Children)
	}
	return fields
}

func configDescribeCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "describe [GROUP [KEY [SUBKEY]]]",
		Short:             "Tell what settings there are, their types and what they do",
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			all, err := conn.Admin.Config.Descriptions(cmd.Context())
			if err != nil {
				return err
			}
			path := make([]string, len(args))
			for i, arg := range args {
				path[i] = settings.AtomName(arg)
			}
			var found []field
			for _, f := range fieldsIn(all) {
				if startsWith(append([]string{f.entry.Group, f.key()}, f.sub()...), path) {
					found = append(found, f)
				}
			}
			if len(found) == 0 && len(path) > 0 {
				return &cli.About{What: "setting " + strings.Join(path, " "), Err: cli.ErrNotFound, Hint: "svcctl config describe"}
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := fieldShape.ShowFields(p); done || err != nil {
				return err
			}
			if p.Format() == "json" || p.Format() == "jsonl" || p.Format() == "yaml" {
				return showEntries(a, all, found, len(path))
			}
			return cli.PrintItems(a, fieldShape, found, false)
		},
	}
}

func startsWith(path, start []string) bool {
	if len(path) < len(start) {
		return false
	}
	for i, name := range start {
		if path[i] != name {
			return false
		}
	}
	return true
}

// showEntries prints the server's objects: whole entries, or with a subkey the
// fields.
func showEntries(a *cli.App, all []api.ConfigDescription, found []field, depth int) error {
	if depth > 2 {
		return cli.PrintItems(a, fieldShape, found, len(found) == 1)
	}
	var entries []api.ConfigDescription
	for i := range all {
		for _, f := range found {
			if f.entry == &all[i] {
				entries = append(entries, all[i])
				break
			}
		}
	}
	return cli.PrintItems(a, output.Shape[api.ConfigDescription]{
		Plural: "descriptions",
		Name:   func(d api.ConfigDescription) string { return settings.Name(d.Group, d.Key) },
		Raw:    func(d api.ConfigDescription) json.RawMessage { return d.Raw },
	}, entries, depth == 2)
}

// typing is the type of a setting's value, as its description gives it.
type typing struct {
	api.ConfigType
	suggestions []string
}

// typingAt is the typing of the value at a path, nil when nothing describes it.
func typingAt(ctx context.Context, conn *cli.Connection, path []string) *typing {
	all, err := conn.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil // then the value there is tells, or else the text
	}
	for _, f := range fieldsIn(all) {
		have := append([]string{f.entry.Group, f.key()}, f.sub()...)
		if len(have) == len(path) && startsWith(have, path) {
			return &typing{f.Type, f.Suggestions}
		}
	}
	return nil
}

// mustKnow refuses to save a setting that nothing reads: a place that has no value and no
// description, nor lies in one that has, is a slip.
func mustKnow(ctx context.Context, conn *cli.Connection, e *configEdit) error {
	if e.current != nil {
		return nil
	}
	all, err := conn.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil //nolint:nilerr // without descriptions nothing is a slip
	}
	group := false
	for _, f := range fieldsIn(all) {
		have := append([]string{f.entry.Group, f.key()}, f.sub()...)
		if startsWith(have, e.path) || startsWith(e.path, have) {
			return nil
		}
		group = group || f.entry.Group == e.path[0]
	}
	hint := "see svcctl config describe, or add --new to save it all the same"
	if !group && e.path[0] != ":svc" {
		hint = "a group comes first, mostly svc: svcctl config set svc " + strings.TrimPrefix(e.path[0], ":") + " ...; --new saves it all the same"
	}
	return &cli.UsageError{Message: "there is no setting " + strings.Join(e.path, " "), Hint: hint}
}

var (
	integer = regexp.MustCompile(`^-?[0-9]+$`)
	numeral = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// typedValue reads text as a value of the type, where there is one, or like the
// value that is there.
func typedValue(text string, t *typing, current *settings.Value) (settings.Value, error) {
	if t == nil {
		return likeValue(text, current)
	}
	if v, ok := t.read(text, t.ConfigType); ok {
		return v, nil
	}
	words := typeWords(t.ConfigType)
	switch {
	case compound(text):
		return parseCompound(text, current)
	case len(t.Of) > 0:
		return settings.Value{}, cli.Usagef("%s fits none of %s", action.Quote(text), words)
	case words == "integer" || words == "boolean" || words == "float" || words == "module" || words == "atom":
		return settings.Value{}, cli.Usagef("%s is no %s", action.Quote(text), words)
	}
	return likeValue(text, current)
}

// likeValue reads text as a value of the present value's type.
func likeValue(text string, current *settings.Value) (settings.Value, error) {
	if compound(text) || current == nil {
		return parseCompound(text, current)
	}
	var plain typing
	switch current.Kind() {
	case settings.Bool:
		if v, ok := plain.read(text, api.ConfigType{Name: "boolean"}); ok {
			return v, nil
		}
		return settings.Value{}, cli.Usagef("%s is neither true nor false, as the value there is", action.Quote(text))
	case settings.Number:
		if numeral.MatchString(text) {
			return settings.Numeric(text), nil
		}
		return settings.Value{}, cli.Usagef("%s is no number, as the value there is", action.Quote(text))
	case settings.Text:
		if strings.HasPrefix(current.Text(), ":") {
			return settings.Textual(settings.AtomName(text)), nil
		}
		return settings.Textual(text), nil
	case settings.List:
		v, _ := plain.list(text, api.ConfigType{Name: "string"})
		return v, nil
	}
	return parseCompound(text, current)
}

func compound(text string) bool {
	return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "!")
}

func parseCompound(text string, current *settings.Value) (settings.Value, error) {
	v, err := settings.Parse(text)
	if err != nil {
		return v, cli.Usagef("%s: %v", action.Quote(text), err)
	}
	if current != nil && current.Kind() == settings.Map {
		v = settings.AsMap(v)
	}
	return v, nil
}

// read reads text as a value of one simple type, or of the first of several that
// fits.
func (t *typing) read(text string, want api.ConfigType) (settings.Value, bool) {
	switch want.Name {
	case "integer":
		return settings.Numeric(text), integer.MatchString(text)
	case "float":
		return settings.Numeric(text), numeral.MatchString(text)
	case "boolean":
		return settings.Boolean(text == "true"), text == "true" || text == "false"
	case "atom":
		return settings.Textual(settings.AtomName(text)), text != "" && !compound(text) && !strings.Contains(text, " ")
	case "module":
		name := t.module(text)
		return settings.Textual(name), name != ""
	case "string", "image", "regex":
		return settings.Textual(text), true
	case "list":
		return t.list(text, api.ConfigType{Name: "string"})
	case "":
	default:
		return settings.Value{}, false
	}
	if len(want.Of) == 0 {
		return settings.Value{}, false
	}
	if want.Of[0].Name == "list" {
		inner := api.ConfigType{Name: "string"}
		if len(want.Of) > 1 {
			inner = want.Of[1]
		}
		return t.list(text, inner)
	}
	// Text fits every string, so that comes last.
	for _, last := range []bool{false, true} {
		for _, inner := range want.Of {
			if (inner.Name == "string") != last {
				continue
			}
			if v, ok := t.read(text, inner); ok {
				return v, true
			}
		}
	}
	return settings.Value{}, false
}

// module is the full name of a module, of which the last part will do where one
// of the suggestions ends so; "" where it names none.
func (t *typing) module(text string) string {
	if settings.IsAtom(text) {
		return text
	}
	found := ""
	for _, name := range t.suggestions {
		if !strings.HasSuffix(name, "."+text) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// list reads items joined by commas.
func (t *typing) list(text string, inner api.ConfigType) (settings.Value, bool) {
	if compound(text) {
		return settings.Value{}, false
	}
	var items []settings.Value
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		v, ok := t.read(item, inner)
		if !ok {
			return v, false
		}
		items = append(items, v)
	}
	return settings.ListOf(items...), true
}

// item reads one item of a list by the list's typing, or like the items there.
func (t *typing) item(text string, list []settings.Value) (settings.Value, error) {
	if compound(text) {
		return parseCompound(text, nil)
	}
	if t != nil {
		for _, want := range append([]api.ConfigType{t.ConfigType}, t.Of...) {
			if len(want.Of) < 2 || want.Of[0].Name != "list" {
				continue
			}
			if v, ok := t.read(text, want.Of[1]); ok {
				return v, nil
			}
			return settings.Value{}, cli.Usagef("%s is no %s", action.Quote(text), typeWords(want.Of[1]))
		}
	}
	if len(list) == 0 {
		return settings.Textual(text), nil
	}
	return likeValue(text, &list[0])
}
