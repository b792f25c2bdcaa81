package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"svc/docs"
)

// object is a part of the document.
type object = map[string]any

// operation is one of the document. Its schemas are compiled when they are first needed,
// once in a process.
type operation struct {
	doc  object
	at   string               // its place in the document
	from *jsonschema.Compiler // of all operations, under mu
	mu   *sync.Mutex
	done map[string]*jsonschema.Schema
	told []string // the names of its parameters
}

var params = regexp.MustCompile(`\{\w+\}|[:*]\w+`)

// operations are those of the document, by method and path; {} stands for a parameter.
var operations = sync.OnceValue(func() map[string]*operation {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.OpenAPI))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		panic(err)
	}
	mu, out := new(sync.Mutex), map[string]*operation{}
	for path, item := range doc.(object)["paths"].(object) {
		for method, op := range item.(object) {
			o := &operation{
				doc: op.(object), at: "openapi.json#/paths/" + pointer(path) + "/" + method, from: c, mu: mu, done: map[string]*jsonschema.Schema{},
			}
			o.told = toldBy(doc.(object), o.doc)
			out[strings.ToUpper(method)+" "+params.ReplaceAllString(path, "{}")] = o
		}
	}
	return out
})

func operationAt(method, path string) *operation {
	return operations()[method+" "+params.ReplaceAllString(path, "{}")]
}

// pointer escapes a name in a JSON pointer that is part of an address.
func pointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// compiled is the schema at a place of the operation, nil where there is none.
func (o *operation) compiled(place ...string) (*jsonschema.Schema, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.at
	var v any = o.doc
	for _, name := range place {
		inner, _ := v.(object)
		if ref, ok := inner["$ref"].(string); ok && name == "content" {
			at, v = "openapi.json"+ref, nil
			break
		}
		if v = inner[name]; v == nil {
			return nil, nil
		}
		at += "/" + pointer(name)
	}
	if v == nil { // a refusal
		at += "/content/application~1json/schema"
	}
	if s, ok := o.done[at]; ok {
		return s, nil
	}
	s, err := o.from.Compile(at)
	if err == nil {
		o.done[at] = s
	}
	return s, err
}

// answer returns what is wrong with an answer.
func (o *operation) answer(status int, raw []byte) []string {
	responses := o.doc["responses"].(object)
	code := strconv.Itoa(status)
	if responses[code] == nil && status/100 == 2 {
		return []string{"this status is not described"}
	}
	if responses[code] == nil {
		code = "default"
	}
	s, err := o.compiled("responses", code, "content", "application/json", "schema")
	if err != nil || s == nil {
		return []string{fmt.Sprintf("no schema: %v", err)}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []string{fmt.Sprintf("no JSON: %v: %.80s", err, raw)}
	}
	return mistakes(s, v)
}

// request returns what is wrong with the body of a request.
func (o *operation) request(sent object) []string {
	s, err := o.compiled("requestBody", "content", "application/json", "schema")
	if err != nil {
		return []string{err.Error()}
	}
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(mistakes(s, any(sent)), lenient.MatchString)
}

// lenient are differences that the server takes from apps: texts for booleans and integers,
// which the description says in words, and null for what is absent.
var lenient = regexp.MustCompile(`got (string|number), want (boolean|integer)|got null, want|got number, want string`)

var digits = regexp.MustCompile(`\d+`)

// mistakes are the places of v that do not fit, and why.
func mistakes(s *jsonschema.Schema, v any) (out []string) {
	err := s.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	for _, leaf := range leaves(invalid, nil) {
		at := digits.ReplaceAllString("/"+strings.Join(leaf.InstanceLocation, "/"), "0")
		text := fmt.Sprintf("%s: %v", at, leaf.Error())
		if _, why, found := strings.Cut(text, "\n"); found {
			text = at + ": " + strings.TrimSpace(why)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// leaves are the causes of a mistake that have no causes themselves.
func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, cause := range e.Causes {
		out = leaves(cause, out)
	}
	return out
}

// toldBy are the names of the parameters of an operation: in its path, query and body.
func toldBy(doc, op object) (names []string) {
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		names = append(names, strings.TrimSuffix(p.(object)["name"].(string), "[]"))
	}
	body, _ := op["requestBody"].(object)
	content, _ := body["content"].(object)
	for _, of := range content {
		names = append(names, properties(doc, of.(object)["schema"].(object))...)
	}
	return names
}

func properties(doc, s object) (names []string) {
	if ref, ok := s["$ref"].(string); ok {
		return properties(doc, doc["components"].(object)["schemas"].(object)[ref[strings.LastIndexByte(ref, '/')+1:]].(object))
	}
	all, _ := s["allOf"].([]any)
	for _, part := range all {
		names = append(names, properties(doc, part.(object))...)
	}
	of, _ := s["properties"].(object)
	for name := range of {
		names = append(names, name)
	}
	return names
}

// unknown are the names that a handler reads and that are not described.
func (o *operation) unknown(forms []any) (out []string) {
	for _, form := range forms {
		if reflect.TypeOf(form).Elem().Name() == "timelineQuery" {
			continue // the timelines share it, and each heeds a part
		}
		for _, name := range namesOf(reflect.TypeOf(form).Elem()) {
			// The secret of a page's own form is nothing for apps.
			if name != "_csrf_token" && !slices.Contains(o.told, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
