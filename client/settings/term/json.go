package term

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// The bounds of FromJSON.
const (
	MaxDepth = 64      // levels of lists, tuples and maps
	MaxSize  = 1 << 20 // bytes of all texts and numbers, and nodeSize for each value
	nodeSize = 8
	// longest is more than the text of the largest value, so that an accepted
	// value is accepted again.
	longest = 12 * MaxSize
)

var (
	errTooDeep  = fmt.Errorf("a value has at most %d levels", MaxDepth)
	errTooLarge = fmt.Errorf("a value has at most %d bytes", MaxSize)
)

// FromJSON reads a value in wire form. Of members that are given twice the last
// counts. The error is a sentence for the client.
func FromJSON(raw json.RawMessage) (Term, error) {
	if len(raw) > longest {
		return Term{}, errTooLarge
	}
	value, err := parse(raw)
	if err != nil {
		return Term{}, errors.New("the value is not JSON")
	}
	t, err := fromWire(value, MaxDepth)
	if err != nil {
		return Term{}, err
	}
	if t.size() > MaxSize {
		return Term{}, errTooLarge
	}
	return t, nil
}

func (t Term) size() int {
	size := nodeSize + len(t.text) + len(t.mods)
	for _, item := range t.items {
		size += item.size()
	}
	return size
}

// parse reads one JSON value, keeping numbers as they were written.
func parse(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

// fromWire converts a value of at most depth levels.
func fromWire(value any, depth int) (Term, error) {
	switch v := value.(type) {
	case nil:
		return Nil(), nil
	case bool:
		return Bool(v), nil
	case json.Number:
		return number(v.String())
	case string:
		return FromText(v)
	case []any:
		items, err := convert(v, depth)
		return Term{kind: KindList, items: items}, err
	case map[string]any:
		if items, ok := v["tuple"]; ok {
			return tuple(items, depth)
		}
		return object(v, depth)
	}
	return Term{}, fmt.Errorf("%.80v is no value", value)
}

func convert(values []any, depth int) ([]Term, error) {
	if depth == 0 {
		return nil, errTooDeep
	}
	items := make([]Term, len(values))
	for i, value := range values {
		var err error
		if items[i], err = fromWire(value, depth-1); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// number keeps integers apart from numbers with a fraction or exponent.
func number(text string) (Term, error) {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			text = "0"
		}
		return Term{kind: KindInt, text: text}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Term{}, fmt.Errorf("the number %.80s is too large", text)
	}
	return Float(f), nil
}

func object(members map[string]any, depth int) (Term, error) {
	if depth == 0 {
		return Term{}, errTooDeep
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := make(map[string]bool, len(names))
	pairs := make([]Pair, len(names))
	for i, name := range names {
		key, err := FromText(name)
		if err != nil {
			return Term{}, err
		}
		switch wire := key.Wire(); {
		case wire == "tuple": // with space around it, or it were a tuple
			return Term{}, errors.New("a map cannot have the key tuple")
		case seen[wire]:
			return Term{}, fmt.Errorf("a map has the key %.80s twice", wire)
		default:
			seen[wire] = true
		}
		value, err := fromWire(members[name], depth-1)
		if err != nil {
			return Term{}, err
		}
		pairs[i] = Pair{key, value}
	}
	return MapOf(pairs...), nil
}

// tuple converts the items of a tuple, three shapes of which have a meaning of
// their own; see special.
func tuple(value any, depth int) (Term, error) {
	values, ok := value.([]any)
	if !ok {
		return Term{}, errors.New("a tuple is given as an array of its items")
	}
	if depth == 0 {
		return Term{}, errTooDeep
	}
	if len(values) == 2 {
		if name, ok := values[0].(string); ok {
			key := bare(strings.TrimSpace(name))
			second, ok, err := special(key, values[1], depth-1)
			if err != nil {
				return Term{}, err
			}
			if ok {
				return TupleOf(key, second), nil
			}
		}
	}
	items, err := convert(values, depth)
	return Term{kind: KindTuple, items: items}, err
}

// special converts the second of a pair if its key gives it a meaning: the
// arguments of a command, an outgoing proxy, and a reference to code, which is
// kept as text and never run.
func special(key Term, value any, depth int) (Term, bool, error) {
	switch key.Wire() {
	case ":args":
		if values, ok := value.([]any); ok {
			t, err := arguments(values, depth)
			return t, true, err
		}
	case ":proxy_url":
		if object, ok := value.(map[string]any); ok {
			if parts, ok := object["tuple"].([]any); ok && len(parts) == 3 {
				t, err := proxy(parts, depth)
				return t, true, err
			}
		}
	case ":partial_chain":
		if text, ok := value.(string); ok {
			return Opaque(strings.TrimSpace(text)), true, nil
		}
	}
	return Term{}, false, nil
}

func arguments(values []any, depth int) (Term, error) {
	if depth == 0 {
		return Term{}, errTooDeep
	}
	items := make([]Term, len(values))
	for i, value := range values {
		var err error
		if text, ok := value.(string); ok && strings.ContainsAny(text, "{}") {
			items[i], err = parseLiteral(strings.TrimSpace(text))
		} else {
			items[i], err = fromWire(value, depth-1)
		}
		if err != nil {
			return Term{}, err
		}
	}
	return Term{kind: KindList, items: items}, nil
}

// proxy reads type, host and port. An address is kept as a tuple of its parts, a
// host as a list of its characters' code points, and localhost as an atom.
func proxy(parts []any, depth int) (Term, error) {
	kind, ok1 := parts[0].(string)
	host, ok2 := parts[1].(string)
	if !ok1 || !ok2 {
		return Term{}, errors.New("a proxy is given as its type, host and port")
	}
	if depth < 2 {
		return Term{}, errTooDeep
	}
	first, err := fromText(kind)
	if err != nil {
		return Term{}, err
	}
	port, err := fromWire(parts[2], depth-1)
	if err != nil {
		return Term{}, err
	}
	return TupleOf(first, hostTerm(host), port), nil
}

func hostTerm(host string) Term {
	if host == "localhost" {
		return Atom(host)
	}
	var items []Term
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		if addr.Is4() {
			for _, b := range addr.As4() {
				items = append(items, Integer(int64(b)))
			}
		} else {
			bytes := addr.As16()
			for i := 0; i < 16; i += 2 {
				items = append(items, Integer(int64(bytes[i])<<8|int64(bytes[i+1])))
			}
		}
		return Term{kind: KindTuple, items: items}
	}
	for _, r := range host {
		items = append(items, Integer(int64(r)))
	}
	return Term{kind: KindList, items: items}
}
