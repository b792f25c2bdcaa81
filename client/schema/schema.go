// Package schema makes JSON Schemas (2020-12) of Go types as encoding/json renders them.
//
// A pointer may be null, or with omitempty absent; everything else is there and is not
// null. What types do not say is in a tag of a field, schema:"…", with these words between
// commas:
//
//	filled     the text is not empty
//	url        it is an absolute address of the web
//	date       it is a day, 2006-01-02
//	enum=a b   it is one of these words
//	type=a b   it has one of these types of JSON
//	nullable   it may be null
//	notnull    the pointer is never null
//	required   it is there, omitempty or not
//	optional   it may be absent
//	or=Name    it may be of this struct as well
//	or-empty   it may be {} as well
//	named      it may be a word with the service's name, which has another under SVC_NAME
//	terms      likewise of all atoms and modules in it: a value of settings
//
// Of a list, the first four and the last two are about its items.
package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Object is a schema.
type Object = map[string]any

// Set collects the schemas of named structs, which refer to each other by name.
type Set struct {
	// Ref comes before a name in a reference.
	Ref string
	// Defs are the schemas by name.
	Defs map[string]Object
	// Form is for what is sent: only fields with binding:"required" must be there, and
	// none is null.
	Form bool
	// Exact times are as the server renders them, to the millisecond.
	Exact bool
	// Other has the names of types that are taken by another Set.
	Other *Set
	// Rules are what types need beyond their fields, by name.
	Rules map[string]Rule

	names map[reflect.Type]string
}

// moment is how the server renders a time.
const moment = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`

// Of is the schema of a type; for a named struct, a reference.
func (s *Set) Of(t reflect.Type) Object {
	if t.Kind() == reflect.Pointer {
		inner := s.Of(t.Elem())
		if s.Form {
			return inner
		}
		return orNull(inner)
	}
	name, out := TypeOf(t), Object{}
	if name != "" {
		out["type"] = name
	}
	switch {
	case IsTime(t):
		out["format"] = "date-time"
		if s.Exact {
			out["pattern"] = moment
		}
	case name == "array":
		out["items"] = s.Of(t.Elem())
	case name == "object" && t.Kind() == reflect.Map:
		out["additionalProperties"] = s.Of(t.Elem())
	case name == "object":
		return s.named(t)
	case t.Kind() == reflect.Struct && s.Rules[t.Name()].Is != nil:
		return s.named(t)
	case t.Kind() == reflect.Struct && t.NumField() == 0:
		out["type"] = "object"
	}
	return out
}

// named is a reference to the schema of a struct, or that of one without a name.
func (s *Set) named(t reflect.Type) Object {
	if t.Name() == "" {
		return s.object(t)
	}
	name, known := s.names[t]
	if !known {
		name = t.Name()
		if s.Other != nil && s.Other.Defs[name] != nil {
			name += "Form"
		}
		if s.Defs == nil {
			s.Defs = map[string]Object{}
		}
		if s.names == nil {
			s.names = map[reflect.Type]string{}
		}
		s.names[t] = name // it may hold itself
		s.Defs[name] = nil
		s.Defs[name] = s.ruled(t)
	}
	return Object{"$ref": s.Ref + name}
}

// ruled is the schema of a struct with its rule.
func (s *Set) ruled(t reflect.Type) Object {
	rule := s.Rules[t.Name()]
	if rule.Is != nil {
		return rule.Is
	}
	out := s.object(t)
	if rule.Also != nil {
		out["allOf"] = []any{rule.Also}
	}
	if rule.Or != nil {
		out = Object{"anyOf": []any{out, rule.Or}}
	}
	return out
}

func (s *Set) object(t reflect.Type) Object {
	properties := Object{}
	required := []string{}
	for _, f := range Fields(t) {
		words := tagOf(f)
		kind := f.Type
		if kind.Kind() == reflect.Pointer && (f.Optional || words.has("notnull")) {
			kind = kind.Elem()
		}
		properties[f.Name] = s.tagged(kind, words)
		must := !f.Optional
		if s.Form {
			must = f.Tag.Get("binding") == "required"
		}
		if (must || words.has("required") && !s.Form) && !words.has("optional") {
			required = append(required, f.Name)
		}
	}
	slices.Sort(required)
	out := Object{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = slices.Compact(required)
	}
	return out
}

// Field is the schema of a field by itself, as of a parameter.
func (s *Set) Field(f Field) Object { return s.tagged(f.Type, tagOf(f)) }

// tagged is the schema of a field with its tag.
func (s *Set) tagged(kind reflect.Type, words tag) Object {
	out := s.Of(kind)
	target := out
	if items, ok := out["items"].(Object); ok {
		target = items
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "filled":
			target["minLength"] = 1
		case "url":
			target["format"], target["pattern"] = "uri", "^https?://"
		case "date":
			target["format"] = "date"
		case "enum":
			var all []any
			for _, one := range strings.Fields(value) {
				all = append(all, one)
			}
			if many, isMany := target["type"].([]string); isMany && slices.Contains(many, "null") {
				all = append(all, nil)
			}
			target["enum"] = all
		case "type":
			target["type"] = strings.Fields(value)
		case "nullable":
			out = orNull(out)
		case "or":
			out = Object{"anyOf": []any{out, Object{"$ref": s.Ref + value}}}
		case "copy": // or as a report keeps it, which is told by what deleted it
			if items, list := out["items"]; list {
				out["items"] = anyOf(items, deleted)
			} else {
				out = anyOf(out, deleted)
			}
		case "or-empty":
			out = Object{"anyOf": []any{out, Object{"type": "object", "maxProperties": 0}}}
		}
	}
	return out
}

type tag []string

func tagOf(f Field) tag {
	text := f.Tag.Get("schema")
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func (t tag) has(word string) bool { return slices.Contains(t, word) }

func orNull(of Object) Object {
	switch name := of["type"].(type) {
	case string:
		of["type"] = []string{name, "null"}
		if all, ok := of["enum"].([]any); ok {
			of["enum"] = append(all, nil)
		}
		return of
	case []string:
		return of
	}
	if len(of) == 0 {
		return of
	}
	return Object{"anyOf": []any{of, Object{"type": "null"}}}
}

// Field is a field of a struct as JSON has it.
type Field struct {
	Name     string
	Type     reflect.Type
	Optional bool
	Tag      reflect.StructTag
}

// Fields are the fields of a struct and of those embedded in it. Of two with one name the
// later one counts.
func Fields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			kind, absent := f.Type, false
			for kind.Kind() == reflect.Pointer {
				kind, absent = kind.Elem(), true
			}
			if kind.Kind() == reflect.Struct && !IsTime(kind) {
				for _, inner := range Fields(kind) {
					inner.Optional = inner.Optional || absent
					fields = append(fields, inner)
				}
			}
		case name != "":
			fields = append(fields, Field{name, f.Type, strings.Contains(options, "omit"), f.Tag})
		}
	}
	return fields
}

// IsTime tells whether a type is a point in time: a string in JSON.
func IsTime(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Time]() {
		return true
	}
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == reflect.TypeFor[time.Time]()
}

// TypeOf is the type of JSON Schema for a type, "" where it may be any.
func TypeOf(t reflect.Type) string {
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[json.RawMessage](), kind == reflect.Interface:
		return ""
	case IsTime(t), kind == reflect.String:
		return "string"
	case kind == reflect.Bool:
		return "boolean"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return "integer"
	case kind == reflect.Float32, kind == reflect.Float64:
		return "number"
	case kind == reflect.Slice, kind == reflect.Array:
		return "array"
	case kind == reflect.Map:
		return "object"
	case kind == reflect.Struct && len(Fields(t)) > 0:
		return "object"
	}
	return "" // it encodes itself in its own way
}
