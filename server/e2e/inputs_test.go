package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// param is one parameter and its expected type.
type param struct {
	path []string
	kind string // text, truth, number, texts, objects, object, any
}

func paramsOf(v any) []param {
	if v == nil {
		return nil
	}
	return fieldsOf(reflect.TypeOf(v), nil)
}

func fieldsOf(t reflect.Type, at []string) []param {
	var out []param
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, fieldsOf(f.Type, at)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		path := append(slices.Clone(at), name)
		switch {
		case kind == reflect.TypeFor[json.RawMessage](), kind.Kind() == reflect.Map:
			out = append(out, param{path, "any"})
		case kind.Kind() == reflect.String:
			out = append(out, param{path, "text"})
		case kind.Kind() == reflect.Bool:
			out = append(out, param{path, "truth"})
		case kind.Kind() == reflect.Int64, kind.Kind() == reflect.Int:
			out = append(out, param{path, "number"})
		case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.String:
			out = append(out, param{path, "texts"})
		case kind.Kind() == reflect.Slice:
			out = append(out, param{path, "objects"})
		case kind.Kind() == reflect.Struct:
			out = append(out, param{path, "object"})
			out = append(out, fieldsOf(kind, path)...)
		default:
			panic("no kind for " + name)
		}
	}
	return out
}
