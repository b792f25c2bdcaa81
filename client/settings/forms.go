package settings

import (
	"fmt"
	"regexp"
	"strings"

	"svc/client/api"
)

// Field is one line of the descriptions of settings: a field of a form, with its
// place.
type Field struct {
	api.ConfigField
	Entry *api.ConfigDescription
	Below []string // the path in its entry
}

// Key is the setting's key, which in an entry of whole keys is the field's own.
func (f Field) Key() string {
	if f.Entry.Key == "" {
		return f.Below[0]
	}
	return f.Entry.Key
}

// Sub is the path below the key.
func (f Field) Sub() []string {
	if f.Entry.Key == "" {
		return f.Below[1:]
	}
	return f.Below
}

// Path is group, key and subkeys.
func (f Field) Path() []string { return append([]string{f.Entry.Group, f.Key()}, f.Sub()...) }

// Typing is the type of the field's value.
func (f Field) Typing() *Typing { return &Typing{f.Type, f.Suggestions} }

// TypeWords is a type as people read it.
func TypeWords(t api.ConfigType) string {
	if t.Of == nil {
		return t.Name
	}
	words := make([]string, len(t.Of))
	for i, inner := range t.Of {
		words[i] = TypeWords(inner)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// Fields walks the fields of descriptions, those that hold others first.
func Fields(all []api.ConfigDescription) []Field {
	var fields []Field
	var walk func(entry *api.ConfigDescription, path []string, children []api.ConfigField)
	walk = func(entry *api.ConfigDescription, path []string, children []api.ConfigField) {
		for _, child := range children {
			below := append(path[:len(path):len(path)], child.Key)
			fields = append(fields, Field{ConfigField: child, Entry: entry, Below: below})
			walk(entry, below, child.Children)
		}
	}
	for i := range all {
		walk(&all[i], nil, all[i].Children)
	}
	return fields
}

// Typing is the type of a setting's value, as its description gives it.
type Typing struct {
	api.ConfigType
	Suggestions []string
}

// TypeError is text that is no value of a setting's type.
type TypeError struct{ Message string }

func (e *TypeError) Error() string { return e.Message }

func wrong(format string, args ...any) error { return &TypeError{fmt.Sprintf(format, args...)} }

// quote shows typed text in printable ASCII, cut short.
func quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "..."
	}
	return fmt.Sprintf("%+q", s)
}

var (
	integer = regexp.MustCompile(`^-?[0-9]+$`)
	numeral = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// ReadTyped reads text as a value of the type, where there is one, or like the
// value that is there.
func ReadTyped(text string, t *Typing, current *Value) (Value, error) {
	if t == nil {
		return likeValue(text, current)
	}
	if v, ok := t.read(text, t.ConfigType); ok {
		return v, nil
	}
	words := TypeWords(t.ConfigType)
	switch {
	case compound(text):
		return parseCompound(text, current)
	case len(t.Of) > 0:
		return Value{}, wrong("%s fits none of %s", quote(text), words)
	case words == "integer" || words == "boolean" || words == "float" || words == "module" || words == "atom":
		return Value{}, wrong("%s is no %s", quote(text), words)
	}
	return likeValue(text, current)
}

// likeValue reads text as a value of the present value's type.
func likeValue(text string, current *Value) (Value, error) {
	if compound(text) || current == nil {
		return parseCompound(text, current)
	}
	var plain Typing
	switch current.Kind() {
	case Bool:
		if v, ok := plain.read(text, api.ConfigType{Name: "boolean"}); ok {
			return v, nil
		}
		return Value{}, wrong("%s is neither true nor false, as the value there is", quote(text))
	case Number:
		if numeral.MatchString(text) {
			return Numeric(text), nil
		}
		return Value{}, wrong("%s is no number, as the value there is", quote(text))
	case Text:
		if strings.HasPrefix(current.Text(), ":") {
			return Textual(AtomName(text)), nil
		}
		return Textual(text), nil
	case List:
		v, _ := plain.list(text, api.ConfigType{Name: "string"})
		return v, nil
	}
	return parseCompound(text, current)
}

func compound(text string) bool {
	return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "!")
}

func parseCompound(text string, current *Value) (Value, error) {
	v, err := Parse(text)
	if err != nil {
		return v, wrong("%s: %v", quote(text), err)
	}
	if current != nil && current.Kind() == Map {
		v = AsMap(v)
	}
	return v, nil
}

// read reads text as a value of one simple type, or of the first of several that
// fits.
func (t *Typing) read(text string, want api.ConfigType) (Value, bool) {
	switch want.Name {
	case "integer":
		return Numeric(text), integer.MatchString(text)
	case "float":
		return Numeric(text), numeral.MatchString(text)
	case "boolean":
		return Boolean(text == "true"), text == "true" || text == "false"
	case "atom":
		return Textual(AtomName(text)), text != "" && !compound(text) && !strings.Contains(text, " ")
	case "module":
		name := t.module(text)
		return Textual(name), name != ""
	case "string", "image", "regex":
		return Textual(text), true
	case "list":
		return t.list(text, api.ConfigType{Name: "string"})
	case "":
	default:
		return Value{}, false
	}
	if len(want.Of) == 0 {
		return Value{}, false
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
	return Value{}, false
}

// module is the full name of a module, of which the last part will do where one
// of the suggestions ends so; "" where it names none.
func (t *Typing) module(text string) string {
	if IsAtom(text) {
		return text
	}
	found := ""
	for _, name := range t.Suggestions {
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
func (t *Typing) list(text string, inner api.ConfigType) (Value, bool) {
	if compound(text) {
		return Value{}, false
	}
	var items []Value
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
	return ListOf(items...), true
}

// Item reads one item of a list by the list's typing, or like the items there.
func (t *Typing) Item(text string, list []Value) (Value, error) {
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
			return Value{}, wrong("%s is no %s", quote(text), TypeWords(want.Of[1]))
		}
	}
	if len(list) == 0 {
		return Textual(text), nil
	}
	return likeValue(text, &list[0])
}
