package term

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Text is a text; where atoms or modules are sent because a text looks like one,
// as they were written.
func (t Term) Text() (string, bool) {
	switch t.kind {
	case KindString, KindAtom, KindModule:
		return t.Wire(), true
	}
	return "", false
}

// AtomName is the name of an atom, without colon.
func (t Term) AtomName() (string, bool) { return t.text, t.kind == KindAtom }

// Int is an integer, if it fits.
func (t Term) Int() (int64, bool) {
	if t.kind != KindInt {
		return 0, false
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	return n, err == nil
}

// Number is an integer or float, rounded to the nearest float.
func (t Term) Number() (float64, bool) {
	if t.kind != KindInt && t.kind != KindFloat {
		return 0, false
	}
	return t.float(), true
}

// Boolean is true or false.
func (t Term) Boolean() (value, ok bool) { return t.text != "", t.kind == KindBool }

// Items are those of a list.
func (t Term) Items() ([]Term, bool) {
	if t.kind != KindList {
		return nil, false
	}
	return slices.Clone(t.items), true
}

// Tuple are the items of a tuple.
func (t Term) Tuple() ([]Term, bool) {
	if t.kind != KindTuple {
		return nil, false
	}
	return slices.Clone(t.items), true
}

// Pairs are the entries of a map or keyword list.
func (t Term) Pairs() ([]Pair, bool) {
	var pairs []Pair
	switch {
	case t.kind == KindMap:
		for i := 0; i < len(t.items); i += 2 {
			pairs = append(pairs, Pair{t.items[i], t.items[i+1]})
		}
	case t.IsKeyword():
		for _, item := range t.items {
			pairs = append(pairs, Pair{item.items[0], item.items[1]})
		}
	default:
		return nil, false
	}
	return pairs, true
}

// Keys are the first-level keys of a keyword list or map in wire form, in its
// order; of anything else none.
func (t Term) Keys() []string {
	pairs, _ := t.Pairs()
	keys := make([]string, len(pairs))
	for i, p := range pairs {
		keys[i] = p.Key.Wire()
	}
	return keys
}

// Get looks path up, through keyword lists and maps. Its words are in wire form;
// in maps an atom stands for the text of the same name too, and the text for the
// atom. Of equal keys the first counts. A null that is there is found.
func (t Term) Get(path ...string) (Term, bool) {
	for _, word := range path {
		i := t.find(word)
		if i < 0 {
			return Term{}, false
		}
		t = t.valueAt(i)
	}
	return t, true
}

// find gives the place of a key among the pairs, or -1.
func (t Term) find(word string) int {
	pairs, ok := t.Pairs()
	if !ok {
		return -1
	}
	key := bare(word)
	same := func(key Term) func(Pair) bool {
		return func(p Pair) bool { return p.Key.Equal(key) }
	}
	i := slices.IndexFunc(pairs, same(key))
	if i >= 0 || t.kind != KindMap {
		return i
	}
	switch key.kind {
	case KindAtom:
		return slices.IndexFunc(pairs, same(String(key.text)))
	case KindString:
		return slices.IndexFunc(pairs, same(Atom(key.text)))
	}
	return -1
}

func (t Term) valueAt(i int) Term {
	if t.kind == KindMap {
		return t.items[2*i+1]
	}
	return t.items[i].items[1]
}

// Update is t with the value at path replaced by change's result. Without a
// value there, it is t.
func (t Term) Update(change func(Term) Term, path ...string) Term {
	if len(path) == 0 {
		return change(t)
	}
	i := t.find(path[0])
	if i < 0 {
		return t
	}
	value := t.valueAt(i).Update(change, path[1:]...)
	items := slices.Clone(t.items)
	if t.kind == KindMap {
		items[2*i+1] = value
	} else {
		items[i] = TupleOf(items[i].items[0], value)
	}
	return Term{kind: t.kind, items: items}
}

// Plain is t as other endpoints show it, in Go's own types: atoms and keys
// without colon, tuples as lists; integers as int, or json.Number if they do not
// fit.
func (t Term) Plain() any {
	switch t.kind {
	case KindNil:
		return nil
	case KindBool:
		return t.text != ""
	case KindInt:
		if n, ok := t.Int(); ok {
			return int(n)
		}
		return json.Number(t.text)
	case KindFloat:
		return t.float()
	case KindList, KindTuple:
		out := make([]any, len(t.items))
		for i, item := range t.items {
			out[i] = item.Plain()
		}
		return out
	case KindMap:
		out := make(map[string]any, len(t.items)/2)
		for i := 0; i < len(t.items); i += 2 {
			out[t.items[i].PlainName()] = t.items[i+1].Plain()
		}
		return out
	}
	return t.PlainName()
}

// PlainName is t as one text without an atom's colon.
func (t Term) PlainName() string {
	switch t.kind {
	case KindAtom, KindBool, KindNil:
		return t.Wire()[1:]
	}
	return t.Wire()
}
