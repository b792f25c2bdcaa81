package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/server/fault"
)

// A request's parameters are read into one tree, whatever they travelled as:
// strings, float64-free numbers (json.Number), bools, nil, []any and
// map[string]any. What was sent as a form has strings only.

const (
	treeKey  = "svc.body"
	queryKey = "svc.query"
	// maxParams and maxDepth bound what a form can make us build.
	maxParams = 2000
	maxDepth  = 8
)

type tree = map[string]any

// grown is a body that was read, or why it could not be.
type grown struct {
	tree tree
	err  error
}

// body reads the request's body once. No body, and no Content-Type with a body
// that is not JSON, is an empty tree.
func body(c *gin.Context) (tree, error) {
	if b, ok := c.Value(treeKey).(grown); ok {
		return b.tree, b.err
	}
	var b grown
	b.tree, b.err = readBody(c)
	c.Set(treeKey, b)
	return b.tree, b.err
}

func readBody(c *gin.Context) (tree, error) {
	r := c.Request
	if r.Body == nil || r.ContentLength == 0 {
		return tree{}, nil
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/x-www-form-urlencoded":
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, unreadable(err)
		}
		values, err := url.ParseQuery(string(raw))
		if err != nil {
			return nil, fault.Malformed("The form cannot be read")
		}
		return grow(values)
	case kind == "multipart/form-data":
		if err := r.ParseMultipartForm(bodyLimit); err != nil {
			return nil, unreadable(err)
		}
		return grow(r.MultipartForm.Value)
	case kind == "" || kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return readJSON(r.Body)
	}
	return nil, &ShapeError{Values: []ShapeValue{{Pointer: "/", Message: "Invalid value for header: content-type."}}}
}

func unreadable(err error) error {
	if e := new(fault.Error); errors.As(err, &e) {
		return err
	}
	if strings.Contains(err.Error(), "request body too large") {
		return err
	}
	return fault.Malformed("The request body cannot be read")
}

func readJSON(r io.Reader) (tree, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, unreadable(err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return tree{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	// The decoder would take broken UTF-8 and put U+FFFD for it.
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

// query is the query string as a tree.
func query(c *gin.Context) (tree, error) {
	q := params(c)
	if q.err != nil {
		return nil, fault.Malformed("The query cannot be read")
	}
	return grow(q.values)
}

// parsed is a query string, as much of it as can be read. Nobody changes it.
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
	q.values, q.err = url.ParseQuery(c.Request.URL.RawQuery)
	c.Set(queryKey, q)
	return q
}

// grow builds a tree of "a", "a[]", "a[b]", "a[0][b]". A name given twice takes
// the last value.
func grow(values url.Values) (tree, error) {
	n := 0
	for _, vs := range values {
		n += len(vs)
	}
	if n > maxParams {
		return nil, fault.Malformed("There are too many parameters")
	}
	root := tree{}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path, err := segments(name)
		if err != nil {
			return nil, err
		}
		for _, v := range values[name] {
			put(root, path, v)
		}
	}
	return settle(root).(tree), nil
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

func put(node tree, path []string, value string) {
	for i, key := range path {
		last := i == len(path)-1
		if key == "" && i > 0 {
			list, _ := node[items].([]any)
			if last {
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
		if last {
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
