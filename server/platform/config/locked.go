package config

import (
	"reflect"
	"slices"
	"strings"

	"svc/client/settings/term"
)

// Unlocked names the locked settings that act when they are saved in the
// database, in the form of lockName. Locked settings name programs that the
// service runs and folders that it uses: they give control of the machine, for
// which being an admin must not suffice.
type Unlocked []string

// lockName returns group, key and path in wire form:
// ":svc/:instance/:static_dir".
func (s Setting) lockName() string {
	return strings.Join(append([]string{s.Group, s.Key}, s.Path...), "/")
}

// LockedNames returns the names of all locked settings, in a fixed order.
func LockedNames() []string {
	var out []string
	for _, s := range registry() {
		if s.Locked {
			out = append(out, s.lockName())
		}
	}
	slices.Sort(out)
	return out
}

// locks returns the locked settings under a group and key.
func (u Unlocked) locks(group, key string) []Setting {
	return slices.DeleteFunc(about(registry(), group, key), func(s Setting) bool {
		return !s.Locked || slices.Contains(u, s.lockName())
	})
}

// Acting returns saved without locked settings, and the names of those removed.
func (u Unlocked) Acting(saved []Saved) (acting []Saved, locked []string) {
	for _, one := range saved {
		for _, s := range u.locks(one.Group, one.Key) {
			if rest, found := without(one.Value, s.Path[0]); found {
				one.Value, locked = rest, append(locked, s.lockName())
			}
		}
		acting = append(acting, one)
	}
	return acting, locked
}

// without returns a map or keyword list without the entries of one name.
func without(value term.Term, name string) (rest term.Term, found bool) {
	pairs, ok := value.Pairs()
	if !ok {
		return value, false
	}
	kept := slices.DeleteFunc(slices.Clone(pairs), func(p term.Pair) bool {
		return p.Key.PlainName() == strings.TrimPrefix(name, ":")
	})
	switch {
	case len(kept) == len(pairs):
		return value, false
	case value.Kind() == term.KindMap:
		return term.MapOf(kept...), true
	}
	return term.Keyword(kept...), true
}

// Refuses returns the locked settings that saving value would change: beneath
// is the setting without saved values, before its saved value.
func (u Unlocked) Refuses(group, key string, beneath *Settings, before, value term.Term) []error {
	var wrong []error
	for _, s := range u.locks(group, key) {
		wish, found, err := s.read(value)
		if !found || err != nil || alike(wish, s.Value(beneath)) {
			continue
		}
		if was, found, err := s.read(before); found && err == nil && alike(wish, was) {
			continue
		}
		wrong = append(wrong, &lockedError{s})
	}
	return wrong
}

func alike(a, b any) bool {
	one, ok1 := a.(term.Term)
	other, ok2 := b.(term.Term)
	if ok1 && ok2 {
		return one.Equal(other)
	}
	return reflect.DeepEqual(a, b)
}

type lockedError struct{ setting Setting }

func (e *lockedError) Error() string {
	return e.setting.wireName() + " names a program or a folder, so an admin alone cannot change it: " +
		"whoever starts the service unlocks it with SVC_CONFIG_UNLOCK=" + e.setting.lockName()
}

// setUnlocked parses names of locked settings, with or without colons.
func setUnlocked(c *Config, value string) bool {
	c.Unlocked = nil
	for _, word := range words(value) {
		parts := strings.Split(word, "/")
		for i, part := range parts {
			name, ok := WireName(part)
			if !ok {
				return false
			}
			parts[i] = name
		}
		name := strings.Join(parts, "/")
		if !slices.Contains(LockedNames(), name) {
			return false
		}
		c.Unlocked = append(c.Unlocked, name)
	}
	return true
}

// words splits at blanks or commas.
func words(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}
