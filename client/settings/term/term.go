// Package term is the language of the values of runtime settings. It extends
// JSON by atoms, modules, tuples, integers of any size and patterns. Terms have
// three forms: the wire form of clients (FromJSON, JSON), a storage form
// without loss (Encode, Decode), and a plain form for other endpoints (Plain).
//
// Server and tools share it. It imports none of their packages and does no I/O.
// It knows only those settings that are merged in their own way or need a
// restart.
package term

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a term.
type Kind int

// The kinds. A keyword list is a KindList; see Term.IsKeyword.
const (
	KindNil Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindAtom
	KindModule
	KindRegex
	KindOpaque // text that stands for something only other servers can run
	KindList
	KindTuple
	KindMap
)

// A Term is a value, never changed once made. The zero Term is Nil.
type Term struct {
	kind  Kind
	text  string // canonical text, except of containers; "true" of Bool(true)
	mods  string // of a regex, in the order given
	items []Term // of a list or tuple; of a map key, value, key, value...
}

// A Pair is an entry of a map or keyword list.
type Pair struct {
	Key, Value Term
}

// Nil is the value null.
func Nil() Term { return Term{} }

// Bool is true or false.
func Bool(b bool) Term {
	if b {
		return Term{kind: KindBool, text: "true"}
	}
	return Term{kind: KindBool}
}

// Integer is a whole number. Larger ones come from FromJSON only.
func Integer(n int64) Term { return Term{kind: KindInt, text: strconv.FormatInt(n, 10)} }

// Float is a number that is kept apart from the integers. It must be finite.
func Float(f float64) Term {
	if f == 0 {
		f = 0 // of the two zeros only one, so that equal terms have equal bytes
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return Term{kind: KindFloat, text: text}
}

// String is a text.
func String(s string) Term { return Term{kind: KindString, text: s} }

// Atom is the atom of that name, which has no colon. The names true, false and
// nil give the values of these names.
func Atom(name string) Term {
	switch name {
	case "true", "false":
		return Bool(name == "true")
	case "nil":
		return Nil()
	}
	return Term{kind: KindAtom, text: name}
}

// Module is the name of a part of the server, with dots: Svc.Upload.
func Module(name string) Term { return Term{kind: KindModule, text: name} }

// Regex is a pattern with its modifiers, in the order given. Nothing is
// checked; see Regexp.
func Regex(source, modifiers string) Term {
	return Term{kind: KindRegex, text: source, mods: modifiers}
}

// Opaque is text that other servers would run as source. Here it is kept.
func Opaque(s string) Term { return Term{kind: KindOpaque, text: s} }

// ListOf is a list of these items.
func ListOf(items ...Term) Term { return Term{kind: KindList, items: slices.Clone(items)} }

// Strings is a list of texts.
func Strings(texts ...string) Term {
	items := make([]Term, len(texts))
	for i, s := range texts {
		items[i] = String(s)
	}
	return Term{kind: KindList, items: items}
}

// TupleOf is a tuple of these items.
func TupleOf(items ...Term) Term { return Term{kind: KindTuple, items: slices.Clone(items)} }

// Entry is a pair with a key in wire form: ":limit", "Svc.Upload".
func Entry(key string, value Term) Pair { return Pair{Key: bare(key), Value: value} }

// Keyword is a list of pairs, in this order. Their keys should be atoms.
func Keyword(pairs ...Pair) Term {
	items := make([]Term, len(pairs))
	for i, p := range pairs {
		items[i] = TupleOf(p.Key, p.Value)
	}
	return Term{kind: KindList, items: items}
}

// MapOf is a map of these pairs, in an order of its own. Of equal keys the last
// counts.
func MapOf(pairs ...Pair) Term {
	byKey := make(map[string]Pair, len(pairs))
	for _, p := range pairs {
		byKey[p.Key.Encode()] = p
	}
	order := make([]string, 0, len(byKey))
	for encoded := range byKey {
		order = append(order, encoded)
	}
	slices.Sort(order)
	items := make([]Term, 0, 2*len(order))
	for _, encoded := range order {
		items = append(items, byKey[encoded].Key, byKey[encoded].Value)
	}
	return Term{kind: KindMap, items: items}
}

// Kind is the type of t.
func (t Term) Kind() Kind { return t.kind }

// IsNil reports whether t is null.
func (t Term) IsNil() bool { return t.kind == KindNil }

// Equal reports whether t and other are the same value. An integer never equals
// a float, nor a text an atom; the order of lists counts, that of maps does not.
func (t Term) Equal(other Term) bool {
	return t.kind == other.kind && t.text == other.text && t.mods == other.mods &&
		slices.EqualFunc(t.items, other.items, Term.Equal)
}

// Same is Equal, but for the order of keyword lists at any level, which merging
// changes.
func (t Term) Same(other Term) bool { return t.sorted().Equal(other.sorted()) }

// sorted is t with its keyword lists in an order of their own. Of equal keys the
// first stays first.
func (t Term) sorted() Term {
	if len(t.items) == 0 {
		return t
	}
	items := make([]Term, len(t.items))
	for i, item := range t.items {
		items[i] = item.sorted()
	}
	if t.IsKeyword() {
		slices.SortStableFunc(items, func(a, b Term) int { return cmp.Compare(a.items[0].Encode(), b.items[0].Encode()) })
	}
	t.items = items
	return t
}

// isKey reports whether t can be the first of a keyword list's pair. Modules,
// true, false and null count as atoms.
func (t Term) isKey() bool {
	return t.kind == KindAtom || t.kind == KindModule || t.kind == KindBool || t.kind == KindNil
}

// IsKeyword reports whether t is a keyword list: a list of pairs that begin with
// an atom each. The empty list is one, a map never.
func (t Term) IsKeyword() bool {
	if t.kind != KindList {
		return false
	}
	for _, item := range t.items {
		if item.kind != KindTuple || len(item.items) != 2 || !item.items[0].isKey() {
			return false
		}
	}
	return true
}

// Wire is t as one text, in wire form: ":limit", "Svc.Upload", "~r/a/i". It is
// how names and keys are written; a container gives its JSON.
func (t Term) Wire() string {
	switch t.kind {
	case KindNil:
		return ":nil"
	case KindBool:
		return ":" + strconv.FormatBool(t.text != "")
	case KindAtom:
		return ":" + t.text
	case KindRegex:
		return "~r/" + strings.ReplaceAll(t.text, "/", `\/`) + "/" + t.mods
	case KindList, KindTuple, KindMap:
		return string(t.JSON())
	default:
		return t.text
	}
}

// String is t's wire form, for messages to people.
func (t Term) String() string { return string(t.JSON()) }

// float is the number that a KindFloat's text stands for.
func (t Term) float() float64 {
	f, err := strconv.ParseFloat(t.text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}
