package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"svc/client/settings/term"
)

// A Setting is one row of the registry. Group, Key and Path are its name on
// the wire, in wire form; Path is empty where the key holds the value whole.
type Setting struct {
	Group   string
	Key     string
	Path    []string
	Kind    Kind
	Default any // of the Go type of Kind
	// Min and Max bound an Integer, Seconds or Millis, in its wire unit.
	Min, Max int64
	OneOf    []string // what a String or Word may be; any where empty
	// Null is what null stands for. Where it is nil, null counts as absent.
	Null any
	// Unset is for what is not listed while nobody has chosen it.
	Unset bool
	// Map is for what stands in a map: a value that is replaced whole, in place
	// of a keyword list, whose pairs are merged.
	Map         bool
	Secret      bool // shown only to who asks for it
	Locked      bool // acts only from the operator's file, or where Unlocked names it
	Reboot      bool // clients are told that it needs a restart
	Description string

	field func(*Settings) any // where a snapshot keeps it: a pointer
	// check refuses values, of the Go type of Kind, that Kind would take; takes
	// says what it does not refuse.
	check func(value any) bool
	takes string
}

// row is a setting of the group :svc; path is the words after its key.
func row(key, path string, kind Kind, value any, field func(*Settings) any, description string) Setting {
	return Setting{
		Group: ":svc", Key: key, Path: strings.Fields(path), Kind: kind, Default: value, Max: maxInt,
		Description: description, field: field,
	}
}

// Changes of a row, for the tables.

func (s Setting) in(group string) Setting           { s.Group = group; return s }
func (s Setting) inMap() Setting                    { s.Map = true; return s }
func (s Setting) secret() Setting                   { s.Secret = true; return s }
func (s Setting) locked() Setting                   { s.Locked = true; return s }
func (s Setting) unset() Setting                    { s.Unset = true; return s }
func (s Setting) null(value any) Setting            { s.Null = value; return s }
func (s Setting) oneOf(words ...string) Setting     { s.OneOf = words; return s }
func (s Setting) filled() Setting                   { s.check, s.takes = isFilled, "a text that is not empty"; return s }
func (s Setting) between(least, most int64) Setting { s.Min, s.Max = least, most; return s }

func isFilled(value any) bool { return value != "" }

// Name is the setting's name for people: instance.limit, or with another group
// than the service's own cors_plug.max_age.
func (s Setting) Name() string { return strings.Join(plain(s.place()), ".") }

// place is the words that lead to the setting in a file.
func (s Setting) place() []string {
	words := append([]string{s.Key}, s.Path...)
	if s.Group != ":svc" {
		words = append([]string{s.Group}, words...)
	}
	return words
}

func plain(path []string) []string {
	out := make([]string, len(path))
	for i, word := range path {
		out[i] = strings.TrimPrefix(word, ":")
	}
	return out
}

// Inert tells that the setting is kept for clients, and nothing reads it.
func (s Setting) Inert() bool { return s.field == nil }

// Value is what snapshot has for s, of the type that s.Kind names.
func (s Setting) Value(snapshot *Settings) any {
	if s.Inert() {
		return s.Default
	}
	return reflect.ValueOf(s.field(snapshot)).Elem().Interface()
}

// store keeps value, which has the Go type of s.Kind.
func (s Setting) store(snapshot *Settings, value any) {
	reflect.ValueOf(s.field(snapshot)).Elem().Set(reflect.ValueOf(value))
}

// Registry lists every runtime setting, in a fixed order: those that are
// honoured, then the inert ones. Defaults are shared: nobody may change them.
func Registry() []Setting { return slices.Clone(registry()) }

// registry is made once: each change of settings looks at it many times.
var registry = sync.OnceValue(newRegistry)

// newRegistry makes rows whose defaults are nobody else's.
func newRegistry() []Setting {
	rows := slices.Concat(
		instanceSettings(), searchSettings(), securitySettings(), accountSettings(), mailSettings(), mailingSettings(), directorySettings(), accessSettings(),
		emojiSettings(), webSettings(), postingSettings(), outgoingSettings(), federationSettings(), policySettings(), mediaSettings(), serviceSettings(), queueSettings(), inertSettings(),
	)
	for i := range rows {
		r := &rows[i]
		r.Reboot = term.NeedsReboot(r.Group, r.Key, r.Path[:min(1, len(r.Path))]...)
	}
	return rows
}

// Honoured lists the settings that something reads.
func Honoured() []Setting { return slices.DeleteFunc(Registry(), Setting.Inert) }

// Validate reports every setting that is out of bounds, as Problems.
func (s *Settings) Validate() error {
	var problems Problems
	for _, setting := range Honoured() {
		if value := setting.Value(s); !setting.within(value) {
			problems.add(setting.Name(), fmt.Sprint(value), setting.Secret, setting.accepted())
		}
	}
	if s.Unconfirmable() {
		problems.add("instance.account_activation_required", "true", false, "false, or a relay that mail is sent through (SVC_SMTP_HOST)")
	}
	if s.Directory.Twice() {
		problems.add("ldap.tls", "true", false, "false while ldap.ssl is true")
	}
	return problems.err()
}

// Unconfirmable tells that accounts must be confirmed by mail while there is no
// mail: nobody ever could.
func (s *Settings) Unconfirmable() bool {
	return s.Instance.AccountActivationRequired && !s.Mailer.On()
}

// read finds what value, that of s.Key, says about s. Found is false where it
// says nothing, or null and null is absent.
func (s Setting) read(value term.Term) (decoded any, found bool, err error) {
	for i, word := range s.Path {
		if value.IsNil() {
			return nil, false, nil
		}
		if _, ok := value.Pairs(); !ok {
			shorter := s
			shorter.Path = s.Path[:i]
			return nil, true, &unread{shorter.wireName(), "settings by name"}
		}
		if value, found = value.Get(word); !found {
			return nil, false, nil
		}
	}
	if value.IsNil() {
		return s.Null, s.Null != nil, nil
	}
	if s.Inert() {
		return value, true, nil
	}
	decoded, ok := s.decode(value)
	if !ok || !s.within(decoded) {
		return nil, true, &unread{s.wireName(), s.accepted()}
	}
	return decoded, true, nil
}

// wireName is the setting's name as on the wire: ":instance :limit".
func (s Setting) wireName() string {
	return strings.Join(s.place(), " ")
}

// unread is a value that a setting does not take. It does not repeat the value,
// which may be a secret.
type unread struct{ name, accepted string }

func (u *unread) Error() string { return u.name + " takes " + u.accepted }
