package config

import (
	"slices"
	"strings"

	"svc/client/settings/term"
)

// Mask replaces a secret in answers and files. Sent back, it keeps the saved
// secret.
const Mask = "********"

// Redact returns the value of a setting with its secrets masked.
func Redact(group, key string, value term.Term) term.Term {
	return redact(group, key, value, nil)
}

// RedactFrom is Redact for the sender of a value: secrets that are unchanged
// from sent are visible to them.
func RedactFrom(group, key string, value, sent term.Term) term.Term {
	return redact(group, key, value, &sent)
}

func redact(group, key string, value term.Term, sent *term.Term) term.Term {
	out, _ := secretsOf(group, key).walk(value, sent, nil, func(t term.Term, sent *term.Term) (term.Term, bool) {
		if sent != nil && sent.Equal(t) {
			return t, true
		}
		if text, ok := t.Text(); t.IsNil() || ok && text == "" {
			return t, true
		}
		if on, ok := t.Boolean(); ok && !on {
			return t, true
		}
		return term.String(Mask), true
	})
	return out
}

// Unmask returns a submitted value with each Mask replaced by the saved secret.
// A secret that was not saved is left out; ok is false if nothing is left of
// the value.
func Unmask(group, key string, submitted, saved term.Term) (value term.Term, ok bool) {
	return secretsOf(group, key).walk(submitted, &saved, nil, func(t term.Term, kept *term.Term) (term.Term, bool) {
		if text, ok := t.Text(); !ok || text != Mask {
			return t, true
		}
		if kept == nil || kept.IsNil() {
			return t, false
		}
		return *kept, true
	})
}

// HasSecrets reports whether a setting has parts that are shown only on
// request.
func HasSecrets(group, key string) bool {
	s := secretsOf(group, key)
	return s.anyNamed || len(s.paths) > 0
}

// secrets are the paths of secrets within one setting.
type secrets struct {
	paths    []string // their words, without colons, joined by spaces
	anyNamed bool     // also every setting with "secret" in its name
	key      string   // of the setting, without its colon
	known    []known  // the settings that svc knows under it
}

// known is a setting that svc knows. What is below it is known too, unless it accepts
// anything.
type known struct {
	path []string
	any  bool
}

// tellingWords are parts of the names of secrets among settings that svc does not
// know: nobody has said of those which they are.
var tellingWords = []string{"passw", "passphrase", "secret", "token", "key", "auth", "cookie", "credential", "webhook", "private"}

func tells(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(tellingWords, func(word string) bool { return strings.Contains(name, word) })
}

// unknown returns the names on a path that are of no known setting.
func (s secrets) unknown(path []string) []string {
	switch {
	case len(s.known) > 0:
	case len(path) == 0:
		return []string{s.key}
	default:
		return path
	}
	from := 0
	for _, k := range s.known {
		n := 0
		for n < len(path) && n < len(k.path) && path[n] == k.path[n] {
			n++
		}
		switch {
		case n == len(k.path) && k.any:
			return path[n:]
		case n == len(path), n == len(k.path):
			return nil
		}
		from = max(from, n)
	}
	return path[from:]
}

func secretsOf(group, key string) secrets {
	s := secrets{anyNamed: group == ":ueberauth", key: strings.TrimPrefix(key, ":")}
	for _, row := range registry() {
		if row.Group != group || row.Key != key {
			continue
		}
		path := plain(row.Path)
		s.known = append(s.known, known{path, row.Kind == Any})
		if row.Secret {
			s.paths = append(s.paths, strings.Join(path, " "))
		}
	}
	if group == ":web_push_encryption" {
		s.paths = append(s.paths, "private_key", "gcm_api_key")
	}
	return s
}

// at reports whether the value t at path is a secret. Maps have texts for keys as
// well as atoms, which mean the same. Among settings that svc does not know, only
// texts are.
func (s secrets) at(path []string, t term.Term) bool {
	if s.anyNamed && len(path) > 0 && strings.Contains(strings.ToLower(path[len(path)-1]), "secret") {
		return true
	}
	if slices.Contains(s.paths, strings.Join(path, " ")) {
		return true
	}
	text, isText := t.Text()
	if !isText {
		return false
	}
	unknown := s.unknown(path)
	return slices.ContainsFunc(unknown, tells) || (len(unknown) > 0 || s.accepts(path)) && (text == Mask || term.HasPassword(text))
}

// header is the name of a header with a secret, of a pair of texts where anything may
// stand: a name and what is sent under it.
func (s secrets) header(items []term.Term, path []string) (name string, ok bool) {
	if len(items) != 2 || len(s.known) > 0 && len(s.unknown(path)) == 0 && !s.accepts(path) {
		return "", false
	}
	name, ok = items[0].Text()
	_, isText := items[1].Text()
	return name, ok && isText && tells(name)
}

// accepts reports whether a known setting at path accepts anything.
func (s secrets) accepts(path []string) bool {
	return slices.ContainsFunc(s.known, func(k known) bool { return k.any && slices.Equal(k.path, path) })
}

// walk returns t with each secret replaced by the result of fn, or left out. fn
// gets the secret and beside, the term at the same place of another value; nil
// for none. Lists and tuples are compared item by item.
func (s secrets) walk(t term.Term, beside *term.Term, path []string, fn func(t term.Term, beside *term.Term) (term.Term, bool)) (term.Term, bool) {
	if s.at(path, t) {
		return fn(t, beside)
	}
	if items, ok := t.Tuple(); ok {
		if name, ok := s.header(items, path); ok {
			var inner *term.Term
			if other := tupleOf(beside); len(other) == 2 {
				if its, ok := other[0].Text(); ok && strings.EqualFold(its, name) {
					inner = &other[1]
				}
			}
			value, ok := fn(items[1], inner)
			return term.TupleOf(items[0], value), ok
		}
		return term.TupleOf(s.walkItems(items, tupleOf(beside), path, fn)...), true
	}
	pairs, ok := t.Pairs()
	if !ok {
		if items, ok := t.Items(); ok {
			return term.ListOf(s.walkItems(items, itemsOf(beside), path, fn)...), true
		}
		return t, true
	}
	if len(pairs) == 0 {
		return t, true
	}
	kept := pairs[:0]
	for _, p := range pairs {
		var inner *term.Term
		if beside != nil {
			if value, ok := beside.Get(p.Key.Wire()); ok {
				inner = &value
			}
		}
		if value, ok := s.walk(p.Value, inner, append(slices.Clone(path), p.Key.PlainName()), fn); ok {
			kept = append(kept, term.Pair{Key: p.Key, Value: value})
		}
	}
	if t.Kind() == term.KindMap {
		return term.MapOf(kept...), true
	}
	return term.Keyword(kept...), true
}

func (s secrets) walkItems(items, beside []term.Term, path []string, fn func(t term.Term, beside *term.Term) (term.Term, bool)) []term.Term {
	kept := items[:0]
	for i, item := range items {
		var inner *term.Term
		if len(beside) == len(items) {
			inner = &beside[i]
		}
		if value, ok := s.walk(item, inner, path, fn); ok {
			kept = append(kept, value)
		}
	}
	return kept
}

func tupleOf(t *term.Term) []term.Term {
	if t == nil {
		return nil
	}
	items, _ := t.Tuple()
	return items
}

func itemsOf(t *term.Term) []term.Term {
	if t == nil {
		return nil
	}
	items, _ := t.Items()
	return items
}
