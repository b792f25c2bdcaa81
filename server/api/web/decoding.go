package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/server/platform/fault"
)

// A request's parameters are decoded into one tree, from JSON and forms alike:
// strings, numbers (json.Number), bools, nil, []any and map[string]any. A form has
// strings only.

const (
	treeKey  = "svc.body"
	queryKey = "svc.query"
	formsKey = "svc.forms" // the structs that were bound, for tests
)

// The bounds of a tree.
const (
	maxValues = 10_000 // in JSON: objects, lists, and their items
	maxParams = 2000   // in a form or query
	maxDepth  = 8      // of a parameter's name
)

type tree = map[string]any

// grown is the tree of a body, or the error of reading it.
type grown struct {
	tree tree
	err  error
}

// Tree is what the body had, for the tests that hold requests against the API's description.
func (g grown) Tree() map[string]any { return g.tree }

// body reads the request's body once. No body, and no Content-Type with a body
// that is not JSON, is an empty tree.
func body(c *gin.Context) (tree, error) {
	if b, ok := c.Value(treeKey).(grown); ok {
		return b.tree, b.err
	}
	in := intakeOf(c.Request)
	if in == nil {
		return tree{}, nil
	}
	kind, _ := mediaType(c.Request)
	switch {
	case kind == multipartType:
		err := Files(c, func(string, string, io.Reader) error { return nil })
		b, _ := c.Value(treeKey).(grown)
		return b.tree, err
	case kind != formType && !isJSON(kind):
		return nil, &ShapeError{Values: []ShapeValue{{Pointer: "/", Message: "Invalid value for header: content-type."}}}
	}
	raw, err := in.whole()
	if err != nil {
		return nil, unreadable(err) // a limit may still grow
	}
	var b grown
	if kind == formType {
		b.tree, b.err = readForm(string(raw))
	} else {
		b.tree, b.err = readJSON(raw)
	}
	in.ahead = nil
	renamed(c, b.tree)
	c.Set(treeKey, b)
	return b.tree, b.err
}

// unreadable is the refusal of a body that broke off, or err where it has its
// own words already.
func unreadable(err error) error {
	if errors.As(err, new(*fault.Error)) || errors.As(err, new(*http.MaxBytesError)) || errors.As(err, new(*Answer)) {
		return err
	}
	return fault.Malformed("The request body cannot be read")
}

func readForm(raw string) (tree, error) {
	values, err := parse(raw)
	if errors.Is(err, errManyParams) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Malformed("The form cannot be read")
	}
	return grow(values, objects(raw))
}

func readJSON(raw []byte) (tree, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return tree{}, nil
	}
	if count(raw) > maxValues {
		return nil, fault.Malformedf("The request body has more than %d values", maxValues)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	// The decoder would accept broken UTF-8 and replace it by U+FFFD.
	if !utf8.Valid(raw) || dec.Decode(&v) != nil {
		return nil, fault.Malformed("The request body is not valid JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.Malformed("The request body is not valid JSON")
	}
	t, ok := v.(map[string]any)
	if !ok {
		return nil, fault.Malformed("The request body must be a JSON object")
	}
	return t, nil
}

// count counts the values of a JSON text before any is built: a value costs a
// hundred times as much to build as to send. For a text that is no JSON, any
// number will do.
func count(raw []byte) int {
	n, text, empty := 1, false, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case b == '"':
			text, empty = !text, false
		case text:
			if b == '\\' {
				i++
			}
		case b == ',':
			n++
		case b == '[' || b == '{':
			n++
			empty = true
		case b == ']' || b == '}':
			if empty {
				n--
			}
			empty = false
		case b > ' ':
			empty = false
		}
	}
	return n
}

// query is the query string as a tree.
func query(c *gin.Context) (tree, error) {
	q := params(c)
	if q.err != nil {
		return nil, fault.Malformed("The query cannot be read")
	}
	t, err := grow(q.values, objects(c.Request.URL.RawQuery))
	renamed(c, t)
	return t, err
}

// parsed is the readable part of a query string. It is never changed.
type parsed struct {
	values url.Values
	err    error
}

// params reads the query string once.
func params(c *gin.Context) parsed {
	if c.Request.URL.RawQuery == "" {
		return parsed{}
	}
	if q, ok := c.Value(queryKey).(parsed); ok {
		return q
	}
	var q parsed
	q.values, q.err = parse(c.Request.URL.RawQuery)
	c.Set(queryKey, q)
	return q
}

var errManyParams = fault.Malformed("There are too many parameters")

// parse reads a form or query. A semicolon is a character like others: clients
// separate with ampersands, and do not escape it.
func parse(raw string) (url.Values, error) {
	if strings.Count(raw, "&") >= maxParams {
		return nil, errManyParams
	}
	return url.ParseQuery(strings.ReplaceAll(raw, ";", "%3B"))
}

// ofObject reports whether a name is that of a field of an object in a list, "a[][b]".
func ofObject(name string) bool { return strings.Contains(name, "[][") }

// objects are the names in a form or query that are of fields of objects in lists, in
// their order, each as often as it is there: a field that comes again begins the next
// object.
func objects(raw string) (order []string) {
	if !strings.Contains(raw, "[") && !strings.Contains(raw, "%5") {
		return nil
	}
	for pair := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && ofObject(name) {
			order = append(order, name)
		}
	}
	return order
}

// grow builds a tree of "a", "a[]", "a[b]", "a[0][b]", "a[][b]". Of a name given twice a
// list takes all values, and anything else the last. order has the names of fields of
// objects in lists, as often and in the order as they came.
func grow(values url.Values, order []string) (tree, error) {
	root := tree{}
	names := make([]string, 0, len(values))
	for name := range values {
		if !ofObject(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path, err := segments(name)
		if err != nil {
			return nil, err
		}
		if many := values[name]; len(many) > 1 && !slices.Contains(path[1:], "") {
			put(root, path, repeated(many))
			continue
		}
		for _, v := range values[name] {
			put(root, path, v)
		}
	}
	taken := map[string]int{}
	for _, name := range order {
		path, err := segments(name)
		if err != nil {
			return nil, err
		}
		put(root, path, values[name][taken[name]])
		taken[name]++
	}
	return settle(root).(tree), nil
}

// repeated are the values of a name that a form or query gives several times
// without brackets, as clients of some frameworks send lists.
type repeated []string

// last is the value for anything but a list.
func last(v any) any {
	if many, ok := v.(repeated); ok {
		return many[len(many)-1]
	}
	return v
}

// segments splits "a[b][]" into a, b and "".
func segments(name string) ([]string, error) {
	head, rest, nested := strings.Cut(name, "[")
	path := []string{head}
	if !nested {
		return path, nil
	}
	for part := range strings.SplitSeq(rest, "[") {
		key, ok := strings.CutSuffix(part, "]")
		if !ok {
			return []string{name}, nil // not a nesting after all
		}
		path = append(path, key)
	}
	if len(path) > maxDepth {
		return nil, fault.Malformed("A parameter is nested too deeply")
	}
	return path, nil
}

// items marks a node that grew from "[]": it becomes a list.
const items = "\x00items"

func put(node tree, path []string, value any) {
	for i, key := range path {
		end := i == len(path)-1
		if key == "" && i > 0 {
			list, _ := node[items].([]any)
			if end {
				node[items] = append(list, value)
				return
			}
			// a[][b]: a new item begins when the last one has b already.
			var item tree
			if len(list) > 0 {
				item, _ = list[len(list)-1].(tree)
			}
			if item == nil || has(item, path[i+1]) {
				item = tree{}
				node[items] = append(list, item)
			}
			node = item
			continue
		}
		if end {
			node[key] = value
			return
		}
		next, ok := node[key].(tree)
		if !ok {
			next = tree{}
			node[key] = next
		}
		node = next
	}
}

func has(t tree, key string) bool { _, ok := t[key]; return ok }

// settle turns nodes that are lists into lists: of "[]", or of an index map.
func settle(v any) any {
	t, ok := v.(tree)
	if !ok {
		return v
	}
	if list, ok := t[items].([]any); ok {
		for i := range list {
			list[i] = settle(list[i])
		}
		return list
	}
	for k := range t {
		t[k] = settle(t[k])
	}
	return t
}

// indexed returns the values of {"0": …, "1": …} in the order of the keys.
func indexed(t tree) ([]any, bool) {
	keys := make([]int, 0, len(t))
	for k := range t {
		i, err := strconv.Atoi(k)
		if err != nil {
			return nil, false
		}
		keys = append(keys, i)
	}
	slices.Sort(keys)
	out := make([]any, 0, len(keys))
	for _, k := range keys {
		out = append(out, t[strconv.Itoa(k)])
	}
	return out, true
}
