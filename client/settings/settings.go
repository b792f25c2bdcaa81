// Package settings reads and writes runtime settings as files, and plans their
// changes. A Value has a wire form in JSON and a short form in YAML.
//
//	wanted, err := settings.Read(file)
//	if err != nil {
//		return err
//	}
//	changes, err := settings.Plan(saved, wanted, false)
//	if err != nil {
//		return err
//	}
//	items := settings.Request(changes) // to be posted
//
// It does no I/O. The command line and the terminal UI post these items, so both
// send the same bytes.
package settings

import (
	"errors"
	"fmt"
	"strings"

	"svc/client/settings/term"
)

// Mask replaces a secret in answers and files. Posting it keeps the stored
// secret.
const Mask = "********"

// Setting is one setting, or a change of it, in the form of files and requests.
// Delete removes it, or only those first-level Subkeys.
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
