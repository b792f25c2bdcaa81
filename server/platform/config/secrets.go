package config

import (
	"slices"
	"strings"

	"svc/client/settings/term"
)

// Mask stands for a secret in answers and files. Sent back, it keeps what was
// saved.
const Mask = "********"

// Redact is the value of a setting with Mask in place of its secrets.
func Redact(group, key string, value term.Term) term.Term {
	return redact(group, key, value, nil)
}

// RedactFrom is Redact for the sender of a value: secrets that stand in it alike
// are theirs to see.
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

// Unmask is a submitted value with what was saved in place of each Mask that
// stands for a secret. A secret that was not saved is left out; ok is false
// when nothing at all is left of the value.
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

// HasSecrets reports whether some of a setting is shown to nobody who does not
// ask for it.
func HasSecrets(group, key string) bool {
	s := secretsOf(group, key)
	return s.anyNamed || len(s.paths) > 0
}

// secrets are the paths within one setting at which a secret stands.
type secrets struct {
	paths    []string // their words, without colons, joined by spaces
	anyNamed bool     // also whatever has "secret" in its name
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

// at reports whether a secret stands at path. Maps have texts for keys as well as
// atoms, which mean the same.
func (s secrets) at(path []string) bool {
	if s.anyNamed && len(path) > 0 && strings.Contains(strings.ToLower(path[len(path)-1]), "secret") {
		return true
	}
	return slices.Contains(s.paths, strings.Join(path, " "))
}

// walk is t with each secret replaced by what fn makes of it and of beside, the
// term at the same place of another value, or left out; beside is nil where that
// has none. Lists and tuples are compared item by item.
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
