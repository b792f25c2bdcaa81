package term

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Encode is t in storage form: tagged JSON, from which Decode makes t again.
// Equal terms give equal bytes.
func (t Term) Encode() string {
	var out bytes.Buffer
	t.store(&out)
	return out.String()
}

func (t Term) store(out *bytes.Buffer) {
	tagged := func(tag string, texts ...string) {
		out.WriteString(`{"` + tag + `":`)
		for i, text := range texts {
			if i > 0 {
				out.WriteByte(',')
			}
			quote(out, text)
		}
		out.WriteByte('}')
	}
	switch t.kind {
	case KindString:
		quote(out, t.text)
	case KindFloat:
		tagged("f", t.text)
	case KindAtom:
		tagged("a", t.text)
	case KindModule:
		tagged("m", t.text)
	case KindOpaque:
		tagged("o", t.text)
	case KindRegex:
		out.WriteString(`{"r":`)
		writeItems(out, []Term{String(t.text), String(t.mods)}, Term.store)
		out.WriteByte('}')
	case KindList:
		writeItems(out, t.items, Term.store)
	case KindTuple:
		out.WriteString(`{"t":`)
		writeItems(out, t.items, Term.store)
		out.WriteByte('}')
	case KindMap:
		out.WriteString(`{"d":[`)
		for i := 0; i < len(t.items); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			writeItems(out, t.items[i:i+2], Term.store)
		}
		out.WriteString("]}")
	default:
		t.write(out)
	}
}

// storedDepth leaves room for the tuples that FromJSON makes of single texts.
const storedDepth = MaxDepth + 4

// Decode reads the storage form.
func Decode(stored string) (Term, error) {
	value, err := parse([]byte(stored))
	if err != nil {
		return Term{}, fmt.Errorf("read a stored value: %w", err)
	}
	t, err := fromStorage(value, storedDepth)
	if err != nil {
		return Term{}, fmt.Errorf("read a stored value: %w", err)
	}
	return t, nil
}

func fromStorage(value any, depth int) (Term, error) {
	switch v := value.(type) {
	case nil:
		return Nil(), nil
	case bool:
		return Bool(v), nil
	case string:
		return String(v), nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return Term{}, fmt.Errorf("the number %.80s has no tag", v)
		}
		return number(v.String())
	case []any:
		items, err := storedItems(v, depth)
		return Term{kind: KindList, items: items}, err
	case map[string]any:
		if len(v) != 1 {
			return Term{}, fmt.Errorf("an object has %d tags", len(v))
		}
		for tag, inner := range v {
			return fromTag(tag, inner, depth)
		}
	}
	return Term{}, fmt.Errorf("%.80v is no value", value)
}

func storedItems(values []any, depth int) ([]Term, error) {
	if depth == 0 {
		return nil, errors.New("it is nested too deep")
	}
	items := make([]Term, len(values))
	for i, value := range values {
		var err error
		if items[i], err = fromStorage(value, depth-1); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func fromTag(tag string, value any, depth int) (Term, error) {
	switch v := value.(type) {
	case string:
		switch tag {
		case "a":
			return Atom(v), nil
		case "m":
			return Module(v), nil
		case "o":
			return Opaque(v), nil
		case "f":
			f, err := strconv.ParseFloat(v, 64)
			if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
				return Term{}, fmt.Errorf("%.80q is no number", v)
			}
			return Float(f), nil
		}
	case []any:
		items, err := storedItems(v, depth)
		if err != nil {
			return Term{}, err
		}
		switch tag {
		case "t":
			return Term{kind: KindTuple, items: items}, nil
		case "r":
			if len(items) == 2 && items[0].kind == KindString && items[1].kind == KindString {
				return Regex(items[0].text, items[1].text), nil
			}
		case "d":
			pairs := make([]Pair, len(items))
			for i, item := range items {
				if item.kind != KindList || len(item.items) != 2 {
					return Term{}, errors.New("a map has something else than pairs")
				}
				pairs[i] = Pair{item.items[0], item.items[1]}
			}
			return MapOf(pairs...), nil
		}
	}
	return Term{}, fmt.Errorf("the tag %.80q stands for nothing here", tag)
}
