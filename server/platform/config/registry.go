package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"svc/client/settings/term"
)

// A Setting is one row of the registry. Group, Key and Path are its name on the
// wire; Path is empty if the key holds the value whole.
type Setting struct {
	Group   string
	Key     string
	Path    []string
	Kind    Kind
	Default any // of the Go type of Kind
	// Min and Max bound an Integer, Seconds or Millis, in its wire unit.
	Min, Max int64
	OneOf    []string // the values of a String or Word; any if empty
	// Null is the meaning of null. If it is nil, null counts as absent.
	Null any
	// Unset keeps the setting out of lists until it is set.
	Unset bool
	// Map makes the value a map, which is replaced whole, in place of a keyword
	// list, whose pairs are merged.
	Map         bool
	Secret      bool // shown only on request
	Locked      bool // acts only from the operator's file, or if Unlocked names it
	Reboot      bool // needs a restart
	Description string

	field func(*Settings) any // a pointer into the snapshot
	hosts bool                // the value names hosts
	// check refuses further values, of the Go type of Kind; takes describes the
	// accepted ones.
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

// Name returns the setting's name for people: instance.limit, or with another
// group cors_plug.max_age.
func (s Setting) Name() string { return strings.Join(plain(s.place()), ".") }

// place returns the words that lead to the setting in a file.
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

// Inert reports whether nothing reads the setting, which is kept for clients.
func (s Setting) Inert() bool { return s.field == nil }

// Value returns the value of s in snapshot, of the type that s.Kind names.
func (s Setting) Value(snapshot *Settings) any {
	if s.Inert() {
		return s.Default
	}
	return reflect.ValueOf(s.field(snapshot)).Elem().Interface()
}

// store stores value, which has the Go type of s.Kind.
func (s Setting) store(snapshot *Settings, value any) {
	reflect.ValueOf(s.field(snapshot)).Elem().Set(reflect.ValueOf(value))
}

// Registry returns every runtime setting, in a fixed order: those in use, then
// the inert ones. Defaults are shared and must not be changed.
func Registry() []Setting { return slices.Clone(registry()) }

// registry is built once: each change of settings reads it many times.
var registry = sync.OnceValue(newRegistry)

// newRegistry builds rows with defaults of their own.
func newRegistry() []Setting {
	rows := slices.Concat(
		instanceSettings(), searchSettings(), securitySettings(), accountSettings(), mailSettings(), mailingSettings(), directorySettings(), accessSettings(),
		emojiSettings(), webSettings(), postingSettings(), outgoingSettings(), federationSettings(), policySettings(), mediaSettings(), serviceSettings(), pushSettings(), queueSettings(), inertSettings(),
	)
	for i := range rows {
		r := &rows[i]
		r.Reboot = term.NeedsReboot(r.Group, r.Key, r.Path[:min(1, len(r.Path))]...)
	}
	return rows
}

// Honoured returns the settings that something reads.
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

// Unconfirmable reports whether accounts must be confirmed by mail while mail
// is off, so that none could be.
func (s *Settings) Unconfirmable() bool {
	return s.Instance.AccountActivationRequired && !s.Mailer.On()
}

// read returns the value of s in the term of s.Key. found is false if it is
// absent, or null without a meaning.
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

// wireName returns the setting's name on the wire: ":instance :limit".
func (s Setting) wireName() string {
	return strings.Join(s.place(), " ")
}

// unread is a value that a setting does not accept. It does not quote the
// value, which may be a secret.
type unread struct{ name, accepted string }

func (u *unread) Error() string { return u.name + " takes " + u.accepted }
