package term

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
)

// JSON is t in wire form. Reading it again gives t, if t came from FromJSON.
func (t Term) JSON() json.RawMessage {
	var out bytes.Buffer
	t.write(&out)
	return out.Bytes()
}

// MarshalJSON is JSON.
func (t Term) MarshalJSON() ([]byte, error) { return t.JSON(), nil }

// UnmarshalJSON is FromJSON.
func (t *Term) UnmarshalJSON(raw []byte) error {
	value, err := FromJSON(raw)
	if err != nil {
		return err
	}
	*t = value
	return nil
}

func (t Term) write(out *bytes.Buffer) {
	switch t.kind {
	case KindNil:
		out.WriteString("null")
	case KindBool:
		out.WriteString(t.Wire()[1:])
	case KindInt, KindFloat:
		out.WriteString(t.text)
	case KindList:
		writeItems(out, t.items, Term.write)
	case KindTuple:
		out.WriteString(`{"tuple":`)
		writeItems(out, shown(t.items), Term.write)
		out.WriteByte('}')
	case KindMap:
		out.WriteByte('{')
		for i := 0; i < len(t.items); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			quote(out, t.items[i].Wire())
			out.WriteByte(':')
			t.items[i+1].write(out)
		}
		out.WriteByte('}')
	default:
		quote(out, t.Wire())
	}
}

func writeItems(out *bytes.Buffer, items []Term, write func(Term, *bytes.Buffer)) {
	out.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			out.WriteByte(',')
		}
		write(item, out)
	}
	out.WriteByte(']')
}

// quote writes s as JSON without escapes that only web pages need.
func quote(out *bytes.Buffer, s string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can always be written
	}
	out.Truncate(out.Len() - 1) // the newline of Encode
}

// shown are the items of a tuple as they are written: the inverse of special.
func shown(items []Term) []Term {
	if len(items) != 2 || items[0].kind != KindAtom {
		return items
	}
	key, value := items[0], items[1]
	switch {
	case key.text == "args" && value.kind == KindList:
		args := make([]Term, len(value.items))
		for i, item := range value.items {
			args[i] = item
			if literal, ok := item.literal(); ok {
				args[i] = String(literal)
			}
		}
		return []Term{key, {kind: KindList, items: args}}
	case key.text == "proxy_url" && value.kind == KindTuple && len(value.items) == 3:
		if host, ok := hostText(value.items[1]); ok {
			return []Term{key, TupleOf(value.items[0], String(host), value.items[2])}
		}
	}
	return items
}

// hostText is the inverse of hostTerm.
func hostText(t Term) (string, bool) {
	if t.kind == KindAtom && t.text == "localhost" {
		return t.text, true
	}
	limit := int64(0x10ffff)
	switch {
	case t.kind == KindTuple && len(t.items) == 4:
		limit = 0xff
	case t.kind == KindTuple && len(t.items) == 8:
		limit = 0xffff
	case t.kind != KindList:
		return "", false
	}
	parts := make([]int64, len(t.items))
	for i, item := range t.items {
		n, ok := item.Int()
		if !ok || n < 0 || n > limit {
			return "", false
		}
		parts[i] = n
	}
	switch limit {
	case 0xff:
		return netip.AddrFrom4([4]byte{byte(parts[0]), byte(parts[1]), byte(parts[2]), byte(parts[3])}).String(), true
	case 0xffff:
		var raw [16]byte
		for i, n := range parts {
			raw[2*i], raw[2*i+1] = byte(n>>8), byte(n)
		}
		return netip.AddrFrom16(raw).String(), true
	}
	var text strings.Builder
	for _, n := range parts {
		text.WriteRune(rune(n))
	}
	return text.String(), true
}
