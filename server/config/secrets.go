package config

import (
	"slices"
	"strings"

	"svc/server/config/term"
)

// Mask stands for a secret in answers and files. Sent back, it keeps what was
// saved.
const Mask = "********"

// Redact is the value of a setting with Mask in place of its secrets.
func Redact(group, key string, value term.Term) term.Term {
	out, _ := secretsOf(group, key).walk(value, nil, func(t term.Term, _ []string) (term.Term, bool) {
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
	return secretsOf(group, key).walk(submitted, nil, func(t term.Term, path []string) (term.Term, bool) {
		if text, ok := t.Text(); !ok || text != Mask {
			return t, true
		}
		kept, found := saved.Get(path...)
		return kept, found && !kept.IsNil()
	})
}

// HasSecrets tells whether some of a setting is shown to nobody who does not
// ask for it.
func HasSecrets(group, key string) bool {
	s := secretsOf(group, key)
	return s.anyNamed || len(s.paths) > 0
}

// secrets are the paths within one setting at which a secret stands.
type secrets struct {
	paths    []string // their words joined by spaces
	anyNamed bool     // also whatever has "secret" in its name
}

func secretsOf(group, key string) secrets {
	s := secrets{anyNamed: group == ":ueberauth"}
	for _, row := range registry() {
		if row.Secret && row.Group == group && row.Key == key {
			s.paths = append(s.paths, strings.Join(row.Path, " "))
		}
	}
	if group == ":web_push_encryption" {
		s.paths = append(s.paths, ":private_key", ":gcm_api_key")
	}
	return s
}

func (s secrets) at(path []string) bool {
	if s.anyNamed && len(path) > 0 && strings.Contains(strings.ToLower(path[len(path)-1]), "secret") {
		return true
	}
	return slices.Contains(s.paths, strings.Join(path, " "))
}

// walk is t with each secret replaced by what fn makes of it, or left out.
func (s secrets) walk(t term.Term, path []string, fn func(t term.Term, path []string) (term.Term, bool)) (term.Term, bool) {
	if s.at(path) {
		return fn(t, path)
	}
	pairs, ok := t.Pairs()
	if !ok || len(pairs) == 0 {
		return t, true
	}
	kept := pairs[:0]
	for _, p := range pairs {
		value, ok := s.walk(p.Value, append(slices.Clone(path), p.Key.Wire()), fn)
		if ok {
			kept = append(kept, term.Pair{Key: p.Key, Value: value})
		}
	}
	if t.Kind() == term.KindMap {
		return term.MapOf(kept...), true
	}
	return term.Keyword(kept...), true
}
