package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/settings"
)

// field is one line of what describes settings: a field of a form, with where
// it stands.
type field struct {
	api.ConfigField
	entry *api.ConfigDescription
	path  []string // below its key
}

var fieldShape = shape[field]{
	plural: "descriptions",
	name: func(f field) string {
		return settings.Name(f.entry.Group, f.key(), f.sub()...)
	},
	raw: func(f field) json.RawMessage { return asJSON(f.ConfigField) },
	columns: []column[field]{
		{title: "GROUP", cell: func(_ *printer, f field) string { return f.entry.Group }},
		{title: "KEY", cell: func(_ *printer, f field) string { return f.key() }},
		{title: "SUBKEY", cell: func(_ *printer, f field) string { return strings.Join(f.sub(), " ") }},
		{title: "TYPE", cell: func(_ *printer, f field) string { return typeWords(f.Type) }},
		{title: "LABEL", wide: true, cell: func(_ *printer, f field) string { return f.Label }},
		{title: "SECRET", wide: true, cell: func(_ *printer, f field) string {
			if f.Secret {
				return "secret"
			}
			return ""
		}},
		{title: "SUGGESTIONS", wide: true, cell: func(_ *printer, f field) string {
			if len(f.Suggestions) == 0 {
				return ""
			}
			return string(asJSON(f.Suggestions))
		}},
		{title: "DESCRIPTION", cell: func(_ *printer, f field) string { return f.Description }},
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

func configDescribeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "describe [GROUP [KEY [SUBKEY]]]",
		Short:             "Tell what settings there are, their types and what they do",
		ValidArgsFunction: a.completeConfig,
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.connect(cmd.Context())
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
				return &about{what: "setting " + strings.Join(path, " "), err: errNotFound, hint: "svcctl config describe"}
			}
			p, err := a.printer()
			if err != nil {
				return err
			}
			if done, err := showFields(a, p, fieldShape); done || err != nil {
				return err
			}
			if p.format == "json" || p.format == "jsonl" || p.format == "yaml" {
				return a.showEntries(all, found, len(path))
			}
			return printItems(a, fieldShape, found, false)
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
func (a *app) showEntries(all []api.ConfigDescription, found []field, depth int) error {
	if depth > 2 {
		return printItems(a, fieldShape, found, len(found) == 1)
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
	return printItems(a, shape[api.ConfigDescription]{
		plural: "descriptions",
		name:   func(d api.ConfigDescription) string { return settings.Name(d.Group, d.Key) },
		raw:    func(d api.ConfigDescription) json.RawMessage { return asJSON(d) },
	}, entries, depth == 2)
}

// typeAt is the type that a setting's description gives what stands at a path,
// nil when there is none.
func (c *connection) typeAt(ctx context.Context, path []string) *api.ConfigType {
	all, err := c.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil // then the value there is tells, or else the text
	}
	for _, f := range fieldsIn(all) {
		have := append([]string{f.entry.Group, f.key()}, f.sub()...)
		if len(have) == len(path) && startsWith(have, path) {
			return &f.Type
		}
	}
	return nil
}

var (
	integer = regexp.MustCompile(`^-?[0-9]+$`)
	numeral = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// typedValue reads text as a value of the type, where there is one, or like the
// value that is there.
func typedValue(text string, t *api.ConfigType, current *settings.Value) (settings.Value, error) {
	if t != nil {
		if v, ok := ofType(text, *t); ok {
			return v, nil
		}
		if compound(text) {
			return parseCompound(text, current)
		}
		if t.Name != "" && t.Of == nil && (t.Name == "integer" || t.Name == "boolean" || t.Name == "float") {
			return settings.Value{}, usagef("%s is no %s", quote(text), t.Name)
		}
		if len(t.Of) > 0 {
			return settings.Value{}, usagef("%s fits none of %s", quote(text), typeWords(*t))
		}
	}
	if compound(text) {
		return parseCompound(text, current)
	}
	if current == nil {
		return parseCompound(text, nil)
	}
	switch current.Kind() {
	case settings.Bool:
		if v, ok := ofType(text, api.ConfigType{Name: "boolean"}); ok {
			return v, nil
		}
		return settings.Value{}, usagef("%s is neither true nor false, as the value there is", quote(text))
	case settings.Number:
		if numeral.MatchString(text) {
			return settings.Numeric(text), nil
		}
		return settings.Value{}, usagef("%s is no number, as the value there is", quote(text))
	case settings.Text:
		if strings.HasPrefix(current.Text(), ":") {
			return settings.Textual(settings.AtomName(text)), nil
		}
		return settings.Textual(text), nil
	case settings.List:
		return splitList(text, "string"), nil
	}
	return parseCompound(text, current)
}

func compound(text string) bool {
	return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "!")
}

func parseCompound(text string, current *settings.Value) (settings.Value, error) {
	v, err := settings.Parse(text)
	if err != nil {
		return v, usagef("%s: %v", quote(text), err)
	}
	if current != nil && current.Kind() == settings.Map {
		v = settings.AsMap(v)
	}
	return v, nil
}

// ofType reads text as a value of one simple type, or of the first of several
// that fits.
func ofType(text string, t api.ConfigType) (settings.Value, bool) {
	switch t.Name {
	case "integer":
		return settings.Numeric(text), integer.MatchString(text)
	case "float":
		return settings.Numeric(text), numeral.MatchString(text)
	case "boolean":
		return settings.Boolean(text == "true"), text == "true" || text == "false"
	case "atom":
		return settings.Textual(settings.AtomName(text)), text != "" && !compound(text) && !strings.Contains(text, " ")
	case "module":
		return settings.Textual(text), settings.IsAtom(text)
	case "string", "image", "regex":
		return settings.Textual(text), true
	case "list":
		return splitList(text, ""), !compound(text)
	case "":
	default:
		return settings.Value{}, false
	}
	if len(t.Of) == 0 {
		return settings.Value{}, false
	}
	if t.Of[0].Name == "list" {
		inner := ""
		if len(t.Of) > 1 {
			inner = t.Of[1].Name
		}
		return splitList(text, inner), !compound(text)
	}
	// Text fits every string, so that comes last.
	for _, last := range []bool{false, true} {
		for _, inner := range t.Of {
			if (inner.Name == "string") != last {
				continue
			}
			if v, ok := ofType(text, inner); ok {
				return v, true
			}
		}
	}
	return settings.Value{}, false
}

// splitList reads items joined by commas.
func splitList(text, inner string) settings.Value {
	var items []settings.Value
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		switch {
		case item == "":
		case inner == "atom":
			items = append(items, settings.Textual(settings.AtomName(item)))
		case inner == "integer" && integer.MatchString(item):
			items = append(items, settings.Numeric(item))
		default:
			items = append(items, settings.Textual(item))
		}
	}
	return settings.ListOf(items...)
}
