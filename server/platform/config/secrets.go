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
}

func secretsOf(group, key string) secrets {
	s := secrets{anyNamed: group == ":ueberauth"}
	for _, row := range registry() {
		if row.Secret && row.Group == group && row.Key == key {
			s.paths = append(s.paths, strings.Join(plain(row.Path), " "))
		}
	}
	if group == ":web_push_encryption" {
		s.paths = append(s.paths, "private_key", "gcm_api_key")
	}
	return s
}

// at reports whether the value at path is a secret. Maps have texts for keys as
// well as atoms, which mean the same.
func (s secrets) at(path []string) bool {
	if s.anyNamed && len(path) > 0 && strings.Contains(strings.ToLower(path[len(path)-1]), "secret") {
		return true
	}
	return slices.Contains(s.paths, strings.Join(path, " "))
}

// walk returns t with each secret replaced by the result of fn, or left out. fn
// gets the secret and beside, the term at the same place of another value; nil
// for none. Lists and tuples are compared item by item.
func (s secrets) walk(t term.Term, beside *term.Term, path []string, fn func(t term.Term, beside *term.Term) (term.Term, bool)) (term.Term, bool) {
	if s.at(path) {
		return fn(t, beside)
	}
	if items, ok := t.Tuple(); ok {
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
