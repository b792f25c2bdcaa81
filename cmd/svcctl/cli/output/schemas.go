package output

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"svc/client/schema"
)

// Field is one field of the objects of a shape, as Fields accepts it. Type is a
// type of JSON Schema, "a or null" for those that may be null, "" for any.
type Field struct {
	Name string `json:"field"`
	Type string `json:"type"`
}

// Fields are the fields of the objects, and of the objects in them one deep, in
// bytewise order.
func (s Shape[T]) Fields() []Field { return fieldsOf(reflect.TypeFor[T]()) }

// Schema is the JSON Schema of one object as -o jsonl prints it. A newer server
// may send fields that it does not name.
func (s Shape[T]) Schema() json.RawMessage {
	set := schema.Set{Ref: "#/$defs/"}
	kind := reflect.TypeFor[T]()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	root := set.Of(kind)
	doc := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema"}
	for key, value := range root {
		doc[key] = value
	}
	if len(set.Defs) > 0 {
		doc["$defs"] = set.Defs
	}
	return JSON(doc)
}

// fieldsOf lists the fields that objects of a type have on the wire, two deep, in
// bytewise order.
func fieldsOf(t reflect.Type) []Field {
	var fields []Field
	addFields(&fields, "", t, 2)
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(fields, func(a, b Field) bool { return a.Name == b.Name })
}

func addFields(fields *[]Field, prefix string, t reflect.Type, depth int) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || schema.IsTime(t) {
		return
	}
	for _, f := range schema.Fields(t) {
		kind, null := f.Type, ""
		for kind.Kind() == reflect.Pointer {
			kind, null = kind.Elem(), " or null"
		}
		word := schema.TypeOf(kind)
		if word != "" {
			word += null
		}
		*fields = append(*fields, Field{prefix + f.Name, word})
		if depth > 1 {
			addFields(fields, prefix+f.Name+".", kind, depth-1)
		}
	}
}

// knows tells whether objects of a type may have a field at a path. Below maps,
// and values of any type, everything may be.
func knows(t reflect.Type, path fieldPath) bool {
	for _, name := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch word := schema.TypeOf(t); {
		case word == "", t.Kind() == reflect.Map:
			return true
		case word != "object":
			return false
		}
		fields := schema.Fields(t)
		i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name })
		if i < 0 {
			return false
		}
		t = fields[i].Type
	}
	return true
}
