package output

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
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
	d := definitions{}
	kind := reflect.TypeFor[T]()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	root := d.of(kind)
	doc := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema"}
	for key, value := range root {
		doc[key] = value
	}
	if len(d) > 0 {
		doc["$defs"] = d
	}
	return JSON(doc)
}

// definitions are the schemas of named structs, by name: those of the API hold
// each other.
type definitions map[string]map[string]any

func (d definitions) of(t reflect.Type) map[string]any {
	if t.Kind() == reflect.Pointer {
		inner := d.of(t.Elem())
		if name, ok := inner["type"].(string); ok {
			inner["type"] = []string{name, "null"}
			return inner
		}
		if len(inner) == 0 {
			return inner
		}
		return map[string]any{"anyOf": []any{inner, map[string]any{"type": "null"}}}
	}
	name := jsonType(t)
	schema := map[string]any{}
	if name != "" {
		schema["type"] = name
	}
	switch {
	case isTime(t):
		schema["format"] = "date-time"
	case name == "array":
		schema["items"] = d.of(t.Elem())
	case name == "object" && t.Kind() == reflect.Map:
		schema["additionalProperties"] = d.of(t.Elem())
	case name == "object":
		title := t.Name()
		if title == "" {
			return d.object(t)
		}
		if _, known := d[title]; !known {
			d[title] = nil // it may hold itself
			d[title] = d.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + title}
	}
	return schema
}

func (d definitions) object(t reflect.Type) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range wireFields(t) {
		properties[f.name] = d.of(f.kind)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// wireField is a field of a struct as JSON has it.
type wireField struct {
	name     string
	kind     reflect.Type
	optional bool
}

// wireFields are the fields of a struct and of those embedded in it.
func wireFields(t reflect.Type) []wireField {
	var fields []wireField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			kind := f.Type
			for kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			if kind.Kind() == reflect.Struct && !isTime(kind) {
				fields = append(fields, wireFields(kind)...)
			}
		case name != "":
			fields = append(fields, wireField{name, f.Type, strings.Contains(options, "omit")})
		}
	}
	return fields
}

// isTime tells whether a type is a point in time: a string in JSON.
func isTime(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Time]() {
		return true
	}
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == reflect.TypeFor[time.Time]()
}

// jsonType is the type of JSON Schema for a type, "" where it may be any.
func jsonType(t reflect.Type) string {
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[json.RawMessage](), kind == reflect.Interface:
		return ""
	case isTime(t), kind == reflect.String:
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
	case kind == reflect.Struct && len(wireFields(t)) > 0:
		return "object"
	}
	return "" // it encodes itself in its own way
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
	if t.Kind() != reflect.Struct || isTime(t) {
		return
	}
	for _, f := range wireFields(t) {
		kind, null := f.kind, ""
		for kind.Kind() == reflect.Pointer {
			kind, null = kind.Elem(), " or null"
		}
		word := jsonType(kind)
		if word != "" {
			word += null
		}
		*fields = append(*fields, Field{prefix + f.name, word})
		if depth > 1 {
			addFields(fields, prefix+f.name+".", kind, depth-1)
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
		switch word := jsonType(t); {
		case word == "", t.Kind() == reflect.Map:
			return true
		case word != "object":
			return false
		}
		fields := wireFields(t)
		i := slices.IndexFunc(fields, func(f wireField) bool { return f.name == name })
		if i < 0 {
			return false
		}
		t = fields[i].kind
	}
	return true
}
