package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/client/settings/term"
)

// Kind is the type of a Value.
type Kind int

const (
	Null Kind = iota
	Bool
	Number // of any size, as it is written
	Text   // text, also of atoms, modules and patterns, which are text on the wire
	List
	Tuple
	Map
)

// Value is a term as it is written on the wire, member by member, so that a part
// of it can be shown and replaced: the meaning of a term depends on where it
// stands. The spelling of numbers and texts and the order of a map's members are
// kept. The zero Value is null.
type Value struct {
	kind  Kind
	text  string // of Number and Text
	yes   bool   // of Bool
	items []Value
	keys  []string // of Map, one for each item
}

// Textual is text, or the atom, module or regular expression that it stands for.
func Textual(s string) Value { return Value{kind: Text, text: s} }

// Boolean is true or false.
func Boolean(b bool) Value { return Value{kind: Bool, yes: b} }

// Numeric is a number, as JSON writes it.
func Numeric(literal string) Value { return Value{kind: Number, text: literal} }

// ListOf is a list.
func ListOf(items ...Value) Value { return Value{kind: List, items: items} }

// TupleOf is a tuple.
func TupleOf(items ...Value) Value { return Value{kind: Tuple, items: items} }

// Pair is an entry of a keyword list.
func Pair(key string, v Value) Value { return TupleOf(Textual(key), v) }

// Kind is the type of the value.
func (v Value) Kind() Kind { return v.kind }

// Items are those of a list or tuple, or a map's values.
func (v Value) Items() []Value { return v.items }

// Text is the text or the number of a scalar, "" of anything else.
func (v Value) Text() string { return v.text }

// ParseJSON reads a value in wire form. An object with a member tuple is a
// tuple, and its other members are ignored. Values are bounded as in a file.
func ParseJSON(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	left := maxValues
	v, err := parse(d, &left, 0)
	if err != nil {
		return Value{}, fmt.Errorf("read a setting's value: %w", err)
	}
	if d.More() {
		return Value{}, errors.New("read a setting's value: there is more than one")
	}
	return v, nil
}

// maxWireDepth bounds how deep JSON nests: a tuple has two levels there.
const maxWireDepth = 4 * maxDepth

// UnmarshalJSON reads the wire form.
func (v *Value) UnmarshalJSON(data []byte) (err error) {
	*v, err = ParseJSON(data)
	return err
}

// parse reads the next value, of which left may come.
func parse(d *json.Decoder, left *int, depth int) (Value, error) {
	token, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	switch *left--; {
	case *left < 0:
		return Value{}, errTooMany
	case depth > maxWireDepth:
		return Value{}, fmt.Errorf("values nest deeper than %d", maxWireDepth)
	}
	switch t := token.(type) {
	case string:
		return Textual(t), nil
	case bool:
		return Boolean(t), nil
	case json.Number:
		return Numeric(t.String()), nil
	case json.Delim:
		v := Value{kind: List}
		if t == '{' {
			v.kind = Map
		}
		for d.More() {
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return Value{}, err
				}
				v.keys = append(v.keys, fmt.Sprint(key))
			}
			item, err := parse(d, left, depth+1)
			if err != nil {
				return Value{}, err
			}
			v.items = append(v.items, item)
		}
		if _, err := d.Token(); err != nil {
			return Value{}, err
		}
		if i := slices.Index(v.keys, "tuple"); i >= 0 {
			if v.items[i].kind != List {
				return Value{}, errors.New("a tuple is written as an array")
			}
			return Value{kind: Tuple, items: v.items[i].items}, nil
		}
		return v, nil
	}
	return Value{}, nil
}

// MarshalJSON writes the wire form.
func (v Value) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := v.write(&b)
	return b.Bytes(), err
}

func (v Value) write(b *bytes.Buffer) error {
	switch v.kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(v.yes))
	case Number:
		b.WriteString(v.text)
	case Text:
		return writeText(b, v.text)
	case List, Tuple:
		if v.kind == Tuple {
			b.WriteString(`{"tuple":`)
		}
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.write(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		if v.kind == Tuple {
			b.WriteByte('}')
		}
	case Map:
		b.WriteByte('{')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeText(b, v.keys[i]); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := item.write(b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	}
	return nil
}

func writeText(b *bytes.Buffer, s string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}

// IsKeyword reports whether v is a list of pairs that begin with an atom, or
// the empty list: the lists that the server merges instead of replacing.
func (v Value) IsKeyword() bool {
	if v.kind != List {
		return false
	}
	for _, item := range v.items {
		if item.kind != Tuple || len(item.items) != 2 || !item.items[0].isAtom() {
			return false
		}
	}
	return true
}

func (v Value) isAtom() bool {
	return v.kind == Null || v.kind == Bool || v.kind == Text && IsAtom(v.text)
}

// Get finds an entry of a keyword list, the first with its name, or of a map,
// with or without a colon in its keys.
func (v Value) Get(key string) (Value, bool) {
	switch {
	case v.kind == Map:
		for i, have := range v.keys {
			if have == key || have == strings.TrimPrefix(key, ":") {
				return v.items[i], true
			}
		}
	case v.IsKeyword():
		for _, item := range v.items {
			if item.items[0].kind == Text && item.items[0].text == key {
				return item.items[1], true
			}
		}
	}
	return Value{}, false
}

// At follows a path of keys into the value.
func (v Value) At(path ...string) (Value, bool) {
	for _, key := range path {
		var ok bool
		if v, ok = v.Get(key); !ok {
			return Value{}, false
		}
	}
	return v, true
}

// Keys are the names of the entries of a keyword list or map, in their order.
func (v Value) Keys() []string {
	if v.kind == Map {
		return v.keys
	}
	var keys []string
	if v.IsKeyword() {
		for _, item := range v.items {
			if item.items[0].kind == Text {
				keys = append(keys, item.items[0].text)
			}
		}
	}
	return keys
}

// Equal reports whether the server takes both for the same. The order of keyword
// lists, which merging changes, does not count. Values that the server refuses
// are compared as they are written.
func (v Value) Equal(w Value) bool {
	a, err1 := v.term()
	b, err2 := w.term()
	if err1 != nil || err2 != nil {
		one, err1 := v.MarshalJSON()
		other, err2 := w.MarshalJSON()
		return err1 == nil && err2 == nil && bytes.Equal(one, other)
	}
	return a.Same(b)
}

// term is the value as the server reads it.
func (v Value) term() (term.Term, error) {
	if v.kind == Text {
		return term.FromText(v.text)
	}
	raw, err := v.MarshalJSON()
	if err != nil {
		return term.Term{}, err
	}
	return term.FromJSON(raw)
}

// distinct reports whether a keyword list has every name once, and all of them
// as text.
func distinct(v Value) bool {
	keys := slices.Sorted(slices.Values(v.Keys()))
	return len(slices.Compact(keys)) == len(v.items)
}
