package config

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/client/settings/term"
)

// A Description is a form for settings: for a group and key, for a group of
// keys with whole values, or, inside of one, for a setting or a container. It
// does not depend on the settings.
type Description struct {
	Group         string // of an entry
	Key           string // empty in an entry of whole keys
	Label         string
	Type          Type
	Description   string
	Suggestions   []string // values as they are written
	Tab           string   // "mrf", or empty
	RelatedPolicy string   // the module that an entry's settings belong to
	Subgroup      string   // the module that alone has the setting
	Secret        bool
	Children      []Description
}

// A Type is a word such as integer, or several: the item types of a container,
// or alternatives.
type Type struct {
	Name string // empty for several
	Of   []Type
}

func simple(name string) Type { return Type{Name: name} }

func several(types ...Type) Type { return Type{Of: types} }

func listOf(name string) Type { return several(simple("list"), simple(name)) }

// Descriptions describes every setting of Registry but boot settings: first
// :mrf and its policies, then the others in the registry's order. allowed
// reports whether the form of a group and key, in wire form, may be shown; for
// whole keys it gets an empty key.
func Descriptions(allowed func(group, key string) bool) []Description {
	var first, others []Description
	for _, entry := range entries(Registry()) {
		switch {
		case !allowed(entry.Group, entry.Key):
		case entry.Key == ":mrf":
			first = slices.Insert(first, 0, entry)
		case entry.Tab != "":
			first = append(first, entry)
		default:
			others = append(others, entry)
		}
	}
	return append(first, others...)
}

// entries groups rows by group and key.
func entries(rows []Setting) []Description {
	var out []Description
	for i, s := range rows {
		if BootOnly(s.Group, s.Key) {
			continue
		}
		same := func(r Setting) bool { return r.Group == s.Group && r.Key == s.Key }
		if slices.ContainsFunc(rows[:i], same) {
			continue
		}
		switch fields, ok := s.named(); {
		case ok:
			out = append(out, entry(s, fields))
		case len(s.Path) > 0:
			out = append(out, entry(s, fieldsOf(about(rows, s.Group, s.Key), 0)))
		default:
			out = wholeKey(out, s)
		}
	}
	return out
}

func entry(s Setting, fields []Description) Description {
	d := Description{
		Group: s.Group, Key: s.Key, Label: label(s.Key), Type: simple("group"),
		Description: keyText(s.Group, s.Key), Children: fields,
	}
	if s.Group != ":svc" {
		return d
	}
	if given, ok := keyLabels[s.Key]; ok {
		d.Label = given
	}
	if policy := policies[s.Key]; policy != "" || s.Key == ":mrf" {
		d.Tab, d.RelatedPolicy = "mrf", policy
	}
	return d
}

// wholeKey adds a key with a whole value to the entry of its group. Each of the
// service's own keys has an entry of its own, since they have nothing in
// common.
func wholeKey(out []Description, s Setting) []Description {
	field := describe(s)
	field.Key, field.Label = s.Key, label(s.Key)
	if s.Group != ":svc" {
		i := slices.IndexFunc(out, func(d Description) bool { return d.Group == s.Group && d.Key == "" })
		if i >= 0 {
			out[i].Children = append(out[i].Children, field)
			return out
		}
	}
	d := Description{
		Group: s.Group, Label: label(s.Group), Type: simple("group"),
		Description: keyText(s.Group, ""), Children: []Description{field},
	}
	if s.Group == ":svc" {
		d.Label, d.Description = field.Label, field.Description
		if given, ok := keyLabels[s.Key]; ok {
			d.Label = given
		}
	}
	return append(out, d)
}

// named returns the fields of a setting that holds named objects.
func (s Setting) named() ([]Description, bool) {
	objects, ok := s.Default.(map[string]any)
	if s.Kind != Maps || len(s.Path) > 0 || !ok {
		return nil, false
	}
	var fields []Description
	for _, name := range sortedKeys(objects) {
		fields = append(fields, Description{Key: ":" + name, Label: label(":" + name), Type: simple("map"), Description: s.Description})
	}
	return fields, len(fields) > 0
}

// fieldsOf describes rows with the same first depth words of their paths.
func fieldsOf(rows []Setting, depth int) []Description {
	var out []Description
	for i, s := range rows {
		word := s.Path[depth]
		same := func(r Setting) bool { return r.Path[depth] == word }
		if slices.ContainsFunc(rows[:i], same) {
			continue
		}
		var field Description
		if len(s.Path) == depth+1 {
			field = describe(s)
		} else {
			var inner []Setting
			for _, r := range rows[i:] {
				if same(r) {
					inner = append(inner, r)
				}
			}
			container := "keyword"
			if len(s.Path) == depth+2 && s.Map {
				container = "map"
			}
			field = Description{Type: simple(container), Description: s.containerText(depth + 1), Children: fieldsOf(inner, depth+1)}
		}
		field.Key, field.Label = word, label(word)
		out = append(out, field)
	}
	return out
}

// describe returns the description of a row without its name.
func describe(s Setting) Description {
	d := Description{Type: s.typ(), Description: s.Description, Suggestions: s.suggestions(), Secret: s.Secret}
	if given, ok := types[s.Name()]; ok {
		d.Type = given
	}
	if given, ok := choices[s.Name()]; ok && len(s.OneOf) == 0 {
		d.Suggestions = given
	}
	if s.Group == ":svc" && s.Key == "Svc.Emails.Mailer" && len(s.Path) == 1 {
		d.Subgroup = mailers[s.Path[0]]
	}
	return d
}

// Accepted describes the values that s accepts.
func (s Setting) Accepted() string {
	if s.Inert() {
		return "anything"
	}
	return s.accepted()
}

// DefaultTerm returns the built-in value of s; ok is false for none.
func (s Setting) DefaultTerm() (value term.Term, ok bool) { return s.encode(s.Default) }

// label makes a name readable: :user_name_length is "User name length". Module
// names stay, and texts are quoted.
func label(name string) string {
	word, atom := strings.CutPrefix(name, ":")
	switch {
	case atom:
		word = strings.ReplaceAll(strings.TrimSuffix(word, "_id"), "_", " ")
		first, size := utf8.DecodeRuneInString(word)
		return string(unicode.ToUpper(first)) + word[size:]
	case term.IsModule(name):
		return name
	}
	return `"` + name + `"`
}

// typ returns the type of the form.
func (s Setting) typ() Type {
	switch s.Kind {
	case Integer, Seconds, Millis:
		return simple("integer")
	case IntegerOrFalse:
		return several(simple("integer"), simple("boolean"))
	case Boolean:
		return simple("boolean")
	case Strings:
		return listOf("string")
	case Word:
		return wordType(append(s.OneOf[:len(s.OneOf):len(s.OneOf)], textOf(s.Default)))
	case Words:
		return s.wordsType()
	case RateKind:
		return several(simple("tuple"), listOf("tuple"))
	case RestrictKind:
		return several(simple("atom"), simple("boolean"))
	case ProxyKind, MailboxKind:
		return several(simple("string"), simple("tuple"))
	case Groups:
		return several(simple("keyword"), listOf("string"))
	case Maps:
		return several(simple("keyword"), simple("map"))
	case MapList:
		return listOf("map")
	case Patterns:
		return listOf("string")
	case Replacements, HostReasons:
		return listOf("tuple")
	case Subchains, Allowlist:
		return simple("map")
	case Any:
		value, _ := s.Default.(term.Term)
		return typeOf(value)
	}
	return simple("string")
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

// wordType returns the type of one of words.
func wordType(words []string) Type {
	var boolean, atom, module, text bool
	for _, word := range words {
		switch {
		case word == "":
		case word == "true" || word == "false":
			boolean = true
		case word[0] == ':':
			atom = true
		case term.IsModule(word):
			module = true
		default:
			text = true
		}
	}
	switch {
	case atom && boolean:
		return several(simple("atom"), simple("boolean"))
	case text && boolean:
		return several(simple("string"), simple("boolean"))
	case boolean:
		return simple("boolean")
	case text && atom:
		return several(simple("string"), simple("atom"))
	case module:
		return simple("module")
	case atom:
		return simple("atom")
	}
	return simple("string")
}

func (s Setting) wordsType() Type {
	given, _ := s.Default.([]string)
	item := wordType(append(given[:len(given):len(given)], s.OneOf...))
	if item.Name == "" {
		item = simple("string")
	}
	return several(simple("list"), item)
}

// typeOf returns the type of an unused setting's value.
func typeOf(value term.Term) Type {
	switch value.Kind() {
	case term.KindInt:
		return simple("integer")
	case term.KindBool:
		return simple("boolean")
	case term.KindAtom:
		return simple("atom")
	case term.KindModule:
		return simple("module")
	case term.KindTuple:
		return simple("tuple")
	case term.KindMap:
		return simple("map")
	case term.KindList:
		items, _ := value.Items()
		if len(items) == 0 {
			return listOf("string")
		}
		if value.IsKeyword() {
			return simple("keyword")
		}
		if item := typeOf(items[0]); slices.Contains(listable, item.Name) {
			return listOf(item.Name)
		}
		return listOf("string")
	}
	return simple("string")
}

var listable = []string{"string", "module", "atom", "tuple", "map"}

// suggestions returns the possible values, or the default.
func (s Setting) suggestions() []string {
	if s.Secret {
		return nil
	}
	var out []string
	if len(s.OneOf) > 0 {
		for _, word := range s.OneOf {
			out = append(out, suggestion(wordTerm(word)))
		}
		return out
	}
	value, listed := s.encode(s.Default)
	switch {
	case s.Kind == RestrictKind:
		return []string{":if_instance_is_private", "true", "false"}
	case s.Kind == Maps || !listed || value.IsNil() || value.Equal(term.String("")) || value.Kind() == term.KindBool || value.Equal(term.MapOf()):
		return nil
	}
	if items, ok := value.Items(); ok {
		for _, item := range items {
			out = append(out, suggestion(item))
		}
		return out
	}
	return []string{suggestion(value)}
}

// suggestion returns a value as text: names of atoms with their colon; true,
// false and null by name; tuples, lists and maps in JSON.
func suggestion(t term.Term) string {
	switch t.Kind() {
	case term.KindBool, term.KindNil:
		return t.PlainName()
	case term.KindAtom, term.KindModule, term.KindRegex, term.KindString, term.KindOpaque:
		return t.Wire()
	}
	return t.String()
}
