package settings

import (
	"fmt"
	"slices"

	"svc/client/settings/term"
)

// Change is one difference: of a whole setting, or of its subkey Sub. Old is
// the present value and New the requested one; nil is none.
type Change struct {
	Group, Key, Sub string
	Old, New        *Value
}

// Name is the typed name of the setting.
func (c Change) Name() string {
	if c.Sub == "" {
		return Name(c.Group, c.Key)
	}
	return Name(c.Group, c.Key, c.Sub)
}

// Reboot reports whether the change works only after a restart.
func (c Change) Reboot() bool {
	subkeys := []string{c.Sub}
	for _, v := range []*Value{c.Old, c.New} {
		if c.Sub == "" && v != nil {
			subkeys = append(subkeys, v.Keys()...)
		}
	}
	return term.NeedsReboot(c.Group, c.Key, subkeys...)
}

// Whole reports whether the value is replaced on saving, never merged.
func (c Change) Whole() bool {
	return term.ReplacedKey(c.Group, c.Key) || c.Sub != "" && term.ReplacedSubkey(c.Group, c.Key, c.Sub)
}

// MaskedError is a mask in a file where the server has no secret to keep.
type MaskedError struct{ Name string }

func (e *MaskedError) Error() string {
	return fmt.Sprintf("%s is masked in the file, and nothing is saved for it", e.Name)
}

// Plan lists the changes that make the saved settings as wanted, in the order
// of the file. With prune, it also removes saved settings that are not wanted.
func Plan(saved, wanted []Setting, prune bool) ([]Change, error) {
	var changes []Change
	for _, w := range wanted {
		have := Find(saved, w.Group, w.Key)
		switch {
		case w.Delete:
			changes = append(changes, unset(have, w)...)
		default:
			set := differences(have, w)
			for _, c := range set {
				if err := unmasked(c); err != nil {
					return nil, err
				}
			}
			changes = append(changes, set...)
		}
	}
	if prune {
		changes = append(changes, surplus(saved, wanted)...)
	}
	return changes, nil
}

func unset(have *Setting, w Setting) []Change {
	if have == nil {
		return nil
	}
	if len(w.Subkeys) == 0 {
		return []Change{{Group: w.Group, Key: w.Key, Old: have.Value}}
	}
	var changes []Change
	for _, sub := range w.Subkeys {
		if old, ok := have.Value.Get(sub); ok {
			changes = append(changes, Change{Group: w.Group, Key: w.Key, Sub: sub, Old: &old})
		}
	}
	return changes
}

// differences are the changes that saving w makes: subkeys where it is merged, else all.
func differences(have *Setting, w Setting) []Change {
	byParts := w.Value.IsKeyword() && len(w.Value.items) > 0 && distinct(*w.Value) && !term.ReplacedKey(w.Group, w.Key) &&
		(have == nil || have.Value.IsKeyword())
	if !byParts {
		c := Change{Group: w.Group, Key: w.Key, New: w.Value}
		if have != nil {
			c.Old = have.Value
		}
		if c.Old != nil && keeps(w.Group, w.Key, *c.Old, *c.New) {
			return nil
		}
		return []Change{c}
	}
	var changes []Change
	for _, sub := range w.Value.Keys() {
		wish, _ := w.Value.Get(sub)
		c := Change{Group: w.Group, Key: w.Key, Sub: sub, New: &wish}
		if have != nil {
			if old, ok := have.Value.Get(sub); ok {
				c.Old = &old
			}
		}
		if c.Old == nil || !keeps(w.Group, w.Key, ListOf(Pair(sub, *c.Old)), ListOf(Pair(sub, wish))) {
			changes = append(changes, c)
		}
	}
	return changes
}

// keeps reports whether the server would keep its value have when wish is saved.
// A masked secret equals the secret.
func keeps(group, key string, have, wish Value) bool {
	wish = reveal(wish, have)
	old, err1 := have.term()
	posted, err2 := wish.term()
	if err1 != nil || err2 != nil {
		return wish.Equal(have)
	}
	return term.SaveFor(group, key, old, posted).Same(old)
}

// reveal replaces masks by saved values. A saved value that is itself masked to
// the reader counts as its mask.
func reveal(v, saved Value) Value {
	if v.kind == Text && (v.text == Mask || saved.kind == Text && saved.text == Mask) {
		return saved
	}
	out := v
	out.items = slices.Clone(v.items)
	switch {
	case v.kind == Map || v.IsKeyword():
		for i := range v.items {
			key, item := "", v.items[i]
			if v.kind == Map {
				key = v.keys[i]
			} else {
				key, item = item.items[0].text, item.items[1]
			}
			have, ok := saved.Get(key)
			if !ok {
				continue
			}
			if item = reveal(item, have); v.kind == Map {
				out.items[i] = item
			} else {
				out.items[i] = TupleOf(v.items[i].items[0], item)
			}
		}
	case v.kind == saved.kind && len(v.items) == len(saved.items):
		for i := range v.items {
			out.items[i] = reveal(v.items[i], saved.items[i])
		}
	}
	return out
}

func hasMask(v Value) bool {
	return v.kind == Text && v.text == Mask || slices.ContainsFunc(v.items, hasMask)
}

// unmasked refuses a mask that would replace nothing.
func unmasked(c Change) error {
	if !hasMask(*c.New) {
		return nil
	}
	if c.Old == nil || hasMask(reveal(*c.New, *c.Old)) && !hasMask(*c.Old) {
		return &MaskedError{c.Name()}
	}
	return nil
}

// surplus is the saved settings that are missing among the wanted ones.
func surplus(saved, wanted []Setting) []Change {
	var changes []Change
	for _, s := range saved {
		var named []string
		found, whole := false, false
		for _, w := range wanted {
			if w.Group != s.Group || w.Key != s.Key {
				continue
			}
			found = true
			if w.Delete {
				named = append(named, w.Subkeys...)
				whole = whole || len(w.Subkeys) == 0
				continue
			}
			named = append(named, w.Value.Keys()...)
			whole = whole || !w.Value.IsKeyword()
		}
		switch {
		case !found:
			changes = append(changes, Change{Group: s.Group, Key: s.Key, Old: s.Value})
		case !whole && s.Value.IsKeyword():
			for _, sub := range s.Value.Keys() {
				if !slices.Contains(named, sub) {
					old, _ := s.Value.Get(sub)
					changes = append(changes, Change{Group: s.Group, Key: s.Key, Sub: sub, Old: &old})
				}
			}
		}
	}
	return changes
}

// Drift lists the differences between the settings in force, as Old, and the
// file, as New. Settings that the file does not name or removes do not count.
func Drift(effective, wanted []Setting) []Change {
	var changes []Change
	for _, w := range wanted {
		if w.Delete {
			continue
		}
		have := Find(effective, w.Group, w.Key)
		if have == nil {
			changes = append(changes, Change{Group: w.Group, Key: w.Key, New: w.Value})
			continue
		}
		changes = append(changes, differences(have, w)...)
	}
	return changes
}

// Request is the items of a request's body that makes the changes: for each
// setting at most one with values and one with removals.
func Request(changes []Change) []Setting {
	var out []Setting
	for _, c := range changes {
		gone := c.New == nil
		at := slices.IndexFunc(out, func(s Setting) bool {
			return s.Group == c.Group && s.Key == c.Key && s.Delete == gone && c.Sub != "" && (gone || s.Value.IsKeyword())
		})
		switch {
		case gone && c.Sub == "":
			out = append(out, Setting{Group: c.Group, Key: c.Key, Delete: true})
		case gone && at < 0:
			out = append(out, Setting{Group: c.Group, Key: c.Key, Delete: true, Subkeys: []string{c.Sub}})
		case gone:
			out[at].Subkeys = append(out[at].Subkeys, c.Sub)
		case c.Sub == "":
			out = append(out, Setting{Group: c.Group, Key: c.Key, Value: c.New})
		case at < 0:
			v := ListOf(Pair(c.Sub, *c.New))
			out = append(out, Setting{Group: c.Group, Key: c.Key, Value: &v})
		default:
			v := ListOf(append(slices.Clone(out[at].Value.items), Pair(c.Sub, *c.New))...)
			out[at].Value = &v
		}
	}
	return out
}

// Put is the setting to post so that its entry at path becomes v, given the
// setting in force. Keyword lists merge, so only the path to the entry is sent;
// maps, and values that are replaced whole, are sent whole.
func Put(group, key string, current Value, path []string, v Value) Value {
	return put(current, path, v, term.ReplacedKey(group, key), func(sub string) bool { return term.ReplacedSubkey(group, key, sub) })
}

func put(current Value, path []string, v Value, whole bool, full func(string) bool) Value {
	if len(path) == 0 {
		return v
	}
	name := path[0]
	inner, have := current.Get(name)
	inner = put(inner, path[1:], v, whole || full(name), func(string) bool { return false })
	if current.kind == Map {
		out := Value{kind: Map, keys: slices.Clone(current.keys), items: slices.Clone(current.items)}
		for i, key := range out.keys {
			if key == name || !slices.Contains(out.keys, name) && ":"+key == name {
				out.items[i] = inner
				return out
			}
		}
		out.keys, out.items = append(out.keys, name), append(out.items, inner)
		return out
	}
	if !whole || !current.IsKeyword() {
		return ListOf(Pair(name, inner))
	}
	out := Value{kind: List}
	for _, pair := range current.items {
		if pair.items[0].text == name {
			pair = Pair(name, inner)
		}
		out.items = append(out.items, pair)
	}
	if !have {
		out.items = append(out.items, Pair(name, inner))
	}
	return out
}
