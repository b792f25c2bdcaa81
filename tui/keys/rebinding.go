package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
)

// Read checks the keys of a configuration file: a key or a list of keys by
// the name of a command. A key is written as help shows it: r, space, ctrl-o, F2,
// or gg for one that is pressed twice. A command with an empty list has no key.
func Read(raw map[string]any) (map[string][]string, error) {
	keys := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		var words []any
		switch v := raw[name].(type) {
		case []any:
			words = v
		default:
			words = []any{v}
		}
		keys[name] = []string{}
		for _, word := range words {
			text, ok := word.(string)
			if n, isNumber := word.(int); isNumber { // keys: {reports: 1}
				text, ok = fmt.Sprint(n), true
			}
			if !ok {
				return nil, fmt.Errorf("keys: %s: give a key or a list of keys, with quotation marks", safe.Line(name))
			}
			key, known := keyCalled(text)
			if !known {
				return nil, fmt.Errorf("keys: %s: there is no key %+q", safe.Line(name), text)
			}
			keys[name] = append(keys[name], key)
		}
	}
	if _, err := New(keys); err != nil {
		return nil, err
	}
	return keys, nil
}

// keyCalled is the key that bubbletea calls by the name that help shows.
func keyCalled(name string) (key string, known bool) {
	switch runes := []rune(name); {
	case name == "space" || name == " ":
		return " ", true
	case len(runes) == 1:
		return name, unicode.IsPrint(runes[0])
	case doubled(name):
		return name, unicode.IsPrint(runes[0]) && runes[0] != ' '
	}
	key = strings.ReplaceAll(strings.ToLower(name), "ctrl-", "ctrl+")
	key = strings.ReplaceAll(key, "alt-", "alt+")
	plain := strings.TrimPrefix(key, "alt+")
	if plain != key && utf8.RuneCountInString(plain) == 1 {
		return "alt+" + name[len("alt+"):], plain != " "
	}
	return key, namedKeys[plain]
}

// namedKeys are the keys that have more than a character for a name. The codes of
// ctrl-m and ctrl-i are those of enter and tab.
var namedKeys = func() map[string]bool {
	names := map[string]bool{}
	for code := tea.KeyType(-200); code < 128; code++ {
		if name := (tea.Key{Type: code}).String(); len(name) > 1 && code != tea.KeyRunes {
			names[name] = true
		}
	}
	delete(names, "ctrl+@")
	return names
}()
