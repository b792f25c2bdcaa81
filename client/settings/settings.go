// Package settings is the instance's configuration as the tools see it: the
// values of settings in their wire form, a short form of the same in YAML for
// files that people keep, and what posting a file would change. It speaks to no
// server; the command line and the terminal UI do that, and both post what this
// package says, so that a form and a command send the same bytes.
package settings

import (
	"errors"
	"fmt"
	"strings"

	"svc/client/settings/term"
)

// Mask stands in place of a secret, in answers and in files. Posting it keeps
// what is stored.
const Mask = "********"

// Setting is one setting, or what to change of it, in the form that files and
// requests have. With Delete it goes, or those first-level Subkeys of it.
type Setting struct {
	Group   string   `json:"group"`
	Key     string   `json:"key"`
	Value   *Value   `json:"value,omitempty"`
	Delete  bool     `json:"delete,omitempty"`
	Subkeys []string `json:"subkeys,omitempty"`
}

// Find returns the setting of that name, nil when there is none.
func Find(all []Setting, group, key string) *Setting {
	for i := range all {
		if all[i].Group == group && all[i].Key == key {
			return &all[i]
		}
	}
	return nil
}

// Listed reads a value of the list of settings. Accounts by host, which are a map,
// are listed as pairs, since forms for admins show no map in place of a value.
func Listed(group, key string, raw []byte) (Value, error) {
	v, err := ParseJSON(raw)
	if err != nil || group != ":svc" || key != ":mrf_user_allowlist" || v.kind != List {
		return v, err
	}
	m := Value{kind: Map}
	for _, pair := range v.items {
		if pair.kind != Tuple || len(pair.items) != 2 || pair.items[0].kind != Text {
			return v, nil
		}
		m.keys, m.items = append(m.keys, pair.items[0].text), append(m.items, pair.items[1])
	}
	return m, nil
}

// IsAtom reports whether text on the wire is an atom or a module.
func IsAtom(text string) bool { return len(text) > 1 && text[0] == ':' || term.IsModule(text) }

// AtomName is a group, key or subkey as a person types it: svc and :svc are the
// same, and modules are themselves.
func AtomName(typed string) string {
	typed = strings.TrimSpace(typed)
	if typed == "" || IsAtom(typed) {
		return typed
	}
	return ":" + typed
}

// Name is the typed name of a setting or of something in it:
// config/:svc/:instance/:limit. Parts are escaped where they hold a slash.
func Name(group, key string, path ...string) string {
	parts := append([]string{"config", group, key}, path...)
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "%", "%25"), "/", "%2F")
	}
	return strings.Join(parts, "/")
}

// ParseName reads a name back, as group, key and path.
func ParseName(name string) ([]string, error) {
	parts := strings.Split(strings.TrimSpace(name), "/")
	if len(parts) < 3 || parts[0] != "config" {
		return nil, fmt.Errorf("%q is not the name of a setting, like config/:svc/:instance/:limit", name)
	}
	for i, part := range parts[1:] {
		part = AtomName(strings.ReplaceAll(strings.ReplaceAll(part, "%2F", "/"), "%25", "%"))
		if part == "" {
			return nil, fmt.Errorf("%q is not the name of a setting, like config/:svc/:instance/:limit", name)
		}
		parts[i+1] = part
	}
	return parts[1:], nil
}

// errNoWhole refuses a change that no request can express.
var errNoWhole = errors.New("a value is missing")
