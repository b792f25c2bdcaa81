// Package activitypub reads and writes the documents of the protocol, and
// checks ids and their origins. Documents are read as JSON with the terms that
// the fediverse uses, not as linked data.
//
// It makes no calls and stores nothing; callers decide on rights.
package activitypub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"svc/server/platform/hosts"
)

// Public is the address of everybody. Shape: ActivityPub 5.6.
const Public = "https://www.w3.org/ns/activitystreams#Public"

// The media types of documents.
const (
	ContentType = "application/activity+json"
	// Accept is the header of requests for documents.
	Accept = `application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"`
)

// The bounds of read documents.
const (
	MaxBody  = 1 << 20 // bytes
	MaxDepth = 32
	maxItems = 10000 // values in one document
)

// ErrMalformed is a document that is invalid or forbidden.
var ErrMalformed = errors.New("malformed document")

// Object is a document or a part of one, with its original keys.
type Object map[string]any

// Decode reads a document: one JSON object. A repeated key, too deep nesting,
// too many values, or keys that give linked data a second reading are
// ErrMalformed. Numbers are json.Number.
func Decode(body []byte) (Object, error) {
	if len(body) > MaxBody {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrMalformed, MaxBody)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	r := reader{dec: dec}
	v, err := r.value(0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something after its end", ErrMalformed)
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: not an object", ErrMalformed)
	}
	return o, nil
}

type reader struct {
	dec   *json.Decoder
	items int
}

func (r *reader) value(depth int) (any, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	if r.items++; r.items > maxItems {
		return nil, fmt.Errorf("more than %d values", maxItems)
	}
	delim, ok := t.(json.Delim)
	if !ok {
		if text, ok := t.(string); ok { // databases cannot store NUL
			return strings.ReplaceAll(text, "\x00", ""), nil
		}
		return t, nil
	}
	if depth++; depth > MaxDepth {
		return nil, fmt.Errorf("deeper than %d", MaxDepth)
	}
	if delim == '[' {
		list := []any{}
		for r.dec.More() {
			v, err := r.value(depth)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := r.dec.Token()
		return list, err
	}
	out := map[string]any{}
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, errors.New("a key that is no text")
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("key %q twice", key)
		}
		if key == "@graph" || key == "@included" || key == "@reverse" {
			return nil, fmt.Errorf("key %q", key)
		}
		if out[key], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err = r.dec.Token()
	return out, err
}

// Text returns the text under a key, "" for none.
func (o Object) Text(key string) string {
	s, _ := o[key].(string)
	return s
}

// Is reports whether the object is of one of these types.
func (o Object) Is(types ...string) bool {
	for _, t := range o.Texts("type") {
		if slices.Contains(types, t) {
			return true
		}
	}
	return false
}

// Type returns the object's type, the first of several.
func (o Object) Type() string {
	if all := o.Texts("type"); len(all) > 0 {
		return all[0]
	}
	return ""
}

// ID returns the object's id.
func (o Object) ID() string { return hosts.URI(o.Text("id")) }

// List returns the values under a key as a list; null is absent.
func (o Object) List(key string) []any {
	switch v := o[key].(type) {
	case nil:
		return nil
	case []any:
		return v
	case []string: // of documents written here
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = one
		}
		return out
	case []Object:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = map[string]any(one)
		}
		return out
	case Object:
		return []any{map[string]any(v)}
	default:
		return []any{v}
	}
}

// Texts returns the texts under a key, one or a list.
func (o Object) Texts(key string) []string {
	var out []string
	for _, v := range o.List(key) {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Objects returns the objects under a key, one or a list.
func (o Object) Objects(key string) []Object {
	var out []Object
	for _, v := range o.List(key) {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Object returns the object under a key, the first of a list; nil for none.
func (o Object) Object(key string) Object {
	if all := o.Objects(key); len(all) > 0 {
		return all[0]
	}
	return nil
}

// IDOf returns the id under a key, as a text or within an object; the first of
// a list.
func (o Object) IDOf(key string) string {
	if all := o.IDs(key); len(all) > 0 {
		return all[0]
	}
	return ""
}

// IDs returns the ids under a key: texts, and those of objects.
func (o Object) IDs(key string) []string {
	var out []string
	for _, v := range o.List(key) {
		switch v := v.(type) {
		case string:
			out = append(out, hosts.URI(v))
		case map[string]any:
			if id := Object(v).ID(); id != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// Bool returns the boolean under a key, which some servers send as a word; known
// reports whether there is one.
func (o Object) Bool(key string) (value, known bool) {
	switch v := o[key].(type) {
	case bool:
		return v, true
	case string:
		value = strings.EqualFold(v, "true")
		return value, value || strings.EqualFold(v, "false")
	}
	return false, false
}

// Int returns the whole number under a key, 0 for none.
func (o Object) Int(key string) int64 {
	n, ok := o[key].(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return i
}

// Time returns the time under a key (RFC 3339), zero for none.
func (o Object) Time(key string) time.Time {
	t, err := time.Parse(time.RFC3339, o.Text(key))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// URL returns the address under a key: a text, a Link's href, or the first of a
// list, with these media types first.
func (o Object) URL(key string, prefer ...string) string {
	first := ""
	for _, v := range o.List(key) {
		switch v := v.(type) {
		case string:
			if first == "" {
				first = v
			}
		case map[string]any:
			link := Object(v)
			href := link.Text("href")
			if href == "" {
				href = link.Text("url")
			}
			if href != "" && (slices.Contains(prefer, link.Text("mediaType"))) {
				return href
			}
			if first == "" {
				first = href
			}
		}
	}
	return first
}

// Addresses returns the ids under to, cc and the like: Public in its one stored
// form, each once, without invalid ids.
func (o Object) Addresses(key string) []string {
	var out []string
	for _, id := range o.IDs(key) {
		if id == "as:Public" || id == "Public" {
			id = Public
		}
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Encode writes a document without escaping HTML.
func Encode(o Object) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// IsDocument reports whether a media type is that of documents: activity+json,
// or ld+json with the profile of ActivityStreams.
func IsDocument(contentType string) bool {
	kind, params, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case ContentType:
		return true
	case "application/ld+json":
		for p := range strings.SplitSeq(params, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
			if strings.EqualFold(strings.TrimSpace(name), "profile") {
				return slices.Contains(strings.Fields(strings.Trim(strings.TrimSpace(value), `"`)), "https://www.w3.org/ns/activitystreams")
			}
		}
	}
	return false
}
