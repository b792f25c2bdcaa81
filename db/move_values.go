package db

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A value on its way is nil, a string, an int64, a bool, a float64 or bytes; times of the
// job queue are microseconds in an int64, JSON is its text.

// reading is the expression by which a column is read. The driver of SQLite would turn
// columns into other types by their declaration, which expressions have none of.
func (c movedColumn) reading(dialect Dialect) string {
	name := quoted(c.name)
	if dialect == SQLite {
		switch c.kind {
		case intValue, boolValue, bitsValue:
			return "+" + name
		case realValue:
			return "CAST(" + name + " AS REAL)"
		case bytesValue:
			return "CAST(" + name + " AS BLOB)"
		case jsonValue, listValue, jsonsValue: // text, or the binary form of later releases of River
			return "json(" + name + ")"
		default:
			return "CAST(" + name + " AS TEXT)"
		}
	}
	switch c.kind {
	case intValue:
		return "CAST(" + name + " AS bigint)"
	case bitsValue:
		return "CAST(CAST(" + name + " AS integer) AS bigint)"
	case jsonValue, enumValue:
		return "CAST(" + name + " AS text)"
	case listValue, jsonsValue:
		return "CAST(to_jsonb(" + name + ") AS text)"
	case timeValue:
		return "CAST(EXTRACT(EPOCH FROM " + name + ") * 1000000 AS bigint)"
	default:
		return name
	}
}

// timeForms are the forms of times that the job queue, SQLite and its driver write.
var timeForms = []string{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00"}

// queueTime is the form in which River writes times into SQLite.
const queueTime = "2006-01-02 15:04:05.999"

// take turns what the driver returned for a column into a value on its way.
func (c movedColumn) take(raw any) (any, error) {
	if raw == nil {
		return nil, nil
	}
	switch v := raw.(type) {
	case int64:
		switch c.kind {
		case intValue, bitsValue:
			return v, nil
		case boolValue:
			return v != 0, nil
		case timeValue:
			return v, nil
		case realValue:
			return float64(v), nil
		}
	case bool:
		if c.kind == boolValue {
			return v, nil
		}
	case float64:
		if c.kind == realValue {
			return v, nil
		}
	case []byte:
		if c.kind == bytesValue {
			return v, nil
		}
		return c.take(string(v))
	case string:
		switch c.kind {
		case timeValue:
			written, _, _ := strings.Cut(v, " m=") // Go's monotonic clock
			for _, form := range timeForms {
				if t, err := time.Parse(form, written); err == nil {
					return t.UnixMicro(), nil
				}
			}
			return nil, fmt.Errorf("column %s holds %q, which is no time", c.name, v)
		case textValue, enumValue, jsonValue, listValue, jsonsValue:
			return v, nil
		}
	}
	return nil, fmt.Errorf("column %s holds a value of type %T", c.name, raw)
}

// storable returns v as PostgreSQL can store it, and whether it is another one: texts there
// have no zero bytes and are valid UTF-8. U+FFFD stands for what is not.
func (c movedColumn) storable(v any) (any, bool, error) {
	text, ok := v.(string)
	if !ok {
		return v, false, nil
	}
	switch c.kind {
	case jsonValue, listValue, jsonsValue:
		if utf8.ValidString(text) && !strings.Contains(text, `\u`) && !strings.ContainsRune(text, 0) {
			return v, false, nil
		}
		parsed, err := parseJSON(text)
		if err != nil {
			return nil, false, fmt.Errorf("column %s: %w", c.name, err)
		}
		kept := withoutZeros(parsed)
		out, err := writeJSON(kept)
		return out, err == nil && !jsonEqual(parsed, kept), err
	}
	clean := storableText(text)
	return clean, clean != text, nil
}

func storableText(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// parseJSON keeps numbers as they are written.
func parseJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one value in JSON")
	}
	return v, nil
}

func writeJSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func jsonEqual(a, b any) bool {
	x, errX := writeJSON(a)
	y, errY := writeJSON(b)
	return errX == nil && errY == nil && x == y
}

// withoutZeros is a JSON value with storable texts only.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case string:
		return storableText(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutZeros(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[storableText(k)] = withoutZeros(v[k])
		}
		return out
	}
	return v
}

// canonicalNumbers writes the numbers of a JSON value in one form: databases write 100 for
// 1e2.
func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		if f == float64(int64(f)) && f > -1e15 && f < 1e15 {
			return int64(f)
		}
		return f
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = canonicalNumbers(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = canonicalNumbers(v[k])
		}
		return out
	}
	return v
}

// canonical is a value in the form that both databases have in common.
func (c movedColumn) canonical(v any) (any, error) {
	switch c.kind {
	case timeValue:
		if micros, ok := v.(int64); ok {
			return time.UnixMicro(micros).Truncate(time.Millisecond).UnixMilli(), nil
		}
	case jsonValue, listValue, jsonsValue:
		if text, ok := v.(string); ok {
			parsed, err := parseJSON(text)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			return writeJSON(canonicalNumbers(parsed))
		}
	}
	return v, nil
}

// rowSum is a checksum of a row. Those of a table are added, so that the order of its rows
// does not matter.
func (t *movedTable) rowSum(row []any) (uint64, error) {
	h := sha256.New()
	var b [9]byte
	put := func(kind byte, n uint64) {
		b[0] = kind
		binary.BigEndian.PutUint64(b[1:], n)
		_, _ = h.Write(b[:])
	}
	for i, c := range t.columns {
		v, err := c.canonical(row[i])
		if err != nil {
			return 0, err
		}
		switch v := v.(type) {
		case nil:
			put('n', 0)
		case int64:
			put('i', uint64(v))
		case bool:
			put('b', map[bool]uint64{true: 1}[v])
		case float64:
			put('i', 0)
			_, _ = io.WriteString(h, strconv.FormatFloat(v, 'g', -1, 64))
		case string:
			put('s', uint64(len(v)))
			_, _ = io.WriteString(h, v)
		case []byte:
			put('x', uint64(len(v)))
			_, _ = h.Write(v)
		default:
			return 0, fmt.Errorf("column %s: a value of type %T", c.name, v)
		}
	}
	return binary.BigEndian.Uint64(h.Sum(nil)), nil
}

// written is a value as an argument of an insert into SQLite.
func (c movedColumn) written(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case int64:
		if c.kind == timeValue {
			return time.UnixMicro(v).UTC().Truncate(time.Millisecond).Format(queueTime)
		}
	case string:
		if c.kind == jsonValue && c.name == "args" {
			return []byte(v) // as River writes it
		}
	case []byte:
		if len(v) == 0 {
			return []byte{}
		}
	}
	return v
}

// copied appends a value in the text form of COPY. Source: PostgreSQL, COPY, "Text Format".
func (c movedColumn) copied(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, `\N`...), nil
	case bool:
		return append(b, map[bool]byte{true: 't', false: 'f'}[v]), nil
	case int64:
		switch c.kind {
		case bitsValue:
			return fmt.Appendf(b, "%08b", uint8(v)), nil //nolint:gosec // eight states
		case timeValue:
			return time.UnixMicro(v).UTC().AppendFormat(b, "2006-01-02 15:04:05.999999+00"), nil
		}
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64), nil
	case []byte:
		return hex.AppendEncode(append(b, `\\x`...), v), nil
	case string:
		if c.kind == listValue || c.kind == jsonsValue {
			text, err := arrayLiteral(v)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			return appendEscaped(b, text), nil
		}
		return appendEscaped(b, v), nil
	}
	return nil, fmt.Errorf("column %s: a value of type %T", c.name, v)
}

// arrayLiteral is a JSON array as an array of PostgreSQL. Elements that are no texts are
// JSON themselves.
func arrayLiteral(text string) (string, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(text), &elements); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, raw := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			s = string(raw)
		}
		b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`)
	}
	b.WriteByte('}')
	return b.String(), nil
}

func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		switch s[i] {
		case '\\':
			b = append(b, `\\`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, s[i])
		}
	}
	return b
}

// placeOf writes the key of a row, for the next chunk to go on after it.
func placeOf(key []any) ([]string, error) {
	out := make([]string, len(key))
	for i, v := range key {
		switch v := v.(type) {
		case int64:
			out[i] = "i" + strconv.FormatInt(v, 10)
		case bool:
			out[i] = "b" + strconv.FormatBool(v)
		case string: // which may be no valid UTF-8
			out[i] = "s" + base64.StdEncoding.EncodeToString([]byte(v))
		default:
			return nil, fmt.Errorf("a key of type %T", v)
		}
	}
	return out, nil
}

// placeArgs are the arguments of a comparison with a key.
func placeArgs(place []string, dialect Dialect) ([]any, error) {
	out := make([]any, len(place))
	for i, p := range place {
		kind, text := p[:1], p[1:]
		var err error
		switch kind {
		case "i":
			out[i], err = strconv.ParseInt(text, 10, 64)
		case "b":
			out[i] = text == "true"
			if dialect == SQLite {
				out[i] = slices.Index([]string{"false", "true"}, text)
			}
		default:
			var raw []byte
			raw, err = base64.StdEncoding.DecodeString(text)
			out[i] = string(raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
