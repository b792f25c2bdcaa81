package term

import (
	"errors"
	"slices"
)

// Merge is old with new over it, where both are keyword lists: pairs of old
// alone, then those of new, merged again where both have a key and both values
// are keyword lists. Anything else, maps and plain lists too, is replaced whole.
func Merge(old, new Term) Term {
	if !old.IsKeyword() || !new.IsKeyword() {
		return new
	}
	var items []Term
	for _, pair := range old.items {
		if indexKey(new.items, pair.items[0]) < 0 {
			items = append(items, pair)
		}
	}
	for _, pair := range new.items {
		if i := indexKey(old.items, pair.items[0]); i >= 0 {
			pair = TupleOf(pair.items[0], Merge(old.items[i].items[1], pair.items[1]))
		}
		items = append(items, pair)
	}
	return Term{kind: KindList, items: items}
}

func indexKey(pairs []Term, key Term) int {
	return slices.IndexFunc(pairs, func(pair Term) bool { return pair.items[0].Equal(key) })
}

// MergeFor is Merge for the setting (group, key), named in wire form: the value
// in force when a row lies over the default. The subkeys that are replaced
// whole come first if both sides have them.
func MergeFor(group, key string, old, new Term) Term {
	subkey := replacedSubkey(group, key)
	if subkey == "" || !old.IsKeyword() || !new.IsKeyword() {
		return Merge(old, new)
	}
	name := bare(subkey)
	i := indexKey(new.items, name)
	if i < 0 || indexKey(old.items, name) < 0 {
		return Merge(old, new)
	}
	rest := Merge(drop(old, name), drop(new, name))
	return Term{kind: KindList, items: append([]Term{new.items[i]}, rest.items...)}
}

// SaveFor is the row of the setting (group, key) after submitted is saved over
// it.
func SaveFor(group, key string, row, submitted Term) Term {
	if ReplacedKey(group, key) {
		return submitted
	}
	return MergeFor(group, key, row, submitted)
}

// Without is a saved keyword list without these first-level pairs, which are
// named in wire form; names that it does not have do not matter. Nothing may be
// left. The error is a sentence for the client.
func (t Term) Without(subkeys []string) (Term, error) {
	if !t.IsKeyword() {
		return Term{}, errors.New("only settings that are lists of pairs have subkeys to delete")
	}
	for _, subkey := range subkeys {
		t = drop(t, bare(subkey))
	}
	return t, nil
}

func drop(t, key Term) Term {
	items := slices.DeleteFunc(slices.Clone(t.items), func(pair Term) bool { return pair.items[0].Equal(key) })
	return Term{kind: KindList, items: items}
}
