package config

import (
	"slices"
	"strconv"
	"strings"

	"svc/client/settings/term"
)

// A Whitelist selects the settings that may be saved in the database; nil is
// all, an empty one none. An element without Key is its whole group.
type Whitelist []Named

// Named is a group, with a key or "", in wire form.
type Named struct{ Group, Key string }

// Allows reports whether the setting may be saved. An empty key is the whole
// group.
func (w Whitelist) Allows(group, key string) bool {
	return w == nil || slices.Contains(w, Named{Group: group}) || key != "" && slices.Contains(w, Named{group, key})
}

func setFromDatabase(c *Config, value string) bool {
	on, err := strconv.ParseBool(value)
	c.FromDatabase = on
	return err == nil
}

func setWhitelist(c *Config, value string) bool {
	c.Whitelist = Whitelist{}
	for _, word := range words(value) {
		group, key, keyed := strings.Cut(word, "/")
		var named Named
		var ok1, ok2 bool
		named.Group, ok1 = WireName(group)
		if keyed {
			named.Key, ok2 = WireName(key)
		}
		if !ok1 || keyed && !ok2 {
			return false
		}
		c.Whitelist = append(c.Whitelist, named)
	}
	return true
}

// WireName adds the colon that people leave out of atoms.
func WireName(name string) (string, bool) {
	t, err := term.Name(name)
	if err != nil {
		if t, err = term.Name(":" + name); err != nil {
			return "", false
		}
	}
	return t.Wire(), true
}
