package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

// ShapeError refuses parameters of the wrong shape: a 400 that lists each of
// them.
type ShapeError struct{ Values []ShapeValue }

// ShapeValue is one parameter of the wrong shape. Pointer is "/name".
type ShapeValue struct{ Pointer, Message string }

// Error joins the messages.
func (e *ShapeError) Error() string {
	parts := make([]string, len(e.Values))
	for i, v := range e.Values {
		parts[i] = v.Message
	}
	return strings.Join(parts, " ")
}

func (e *ShapeError) body() any {
	values := make([]gin.H, len(e.Values))
	for i, v := range e.Values {
		values[i] = gin.H{"title": "Invalid value", "source": gin.H{"pointer": v.Pointer}, "message": strings.TrimSuffix(v.Message, ".")}
	}
	return gin.H{"error": e.Error(), "errors": values}
}

// BadParam refuses one parameter: message as in "Invalid value for enum."
func BadParam(name, message string) *ShapeError {
	return &ShapeError{Values: []ShapeValue{{Pointer: "/" + name, Message: message}}}
}

// Missing refuses a request without a required parameter.
func Missing(name string) *ShapeError { return BadParam(name, "Missing field: "+name+".") }

// Bind reads the body, as JSON, form or multipart, into the struct that in points
// to, by its json names, and then checks the admin scope of the route. For apps
// of people the query has what the body lacks. Unknown names are ignored, and
// null is absent. In a form an empty value is absent too,
// unless the field is a text or boolean. The query of a strict request must be
// empty. A field's tag binding adds rules:
//
//	required     it must be there
//	filled       empty text in a form is absent
//	exact        of a boolean: true, false, or either as a word; empty is absent
//	oneof=a b c  of a text: one of these; empty is absent
func Bind(c *gin.Context, in any) error { return thenScope(c, Read(c, in)) }

// BindQuery reads the query string likewise, into all of these structs. Empty
// strings count as absent. A strict request has no other names, but those of
// pages.
func BindQuery(c *gin.Context, into ...any) error { return thenScope(c, ReadQuery(c, into...)) }

// BindAny reads path parameters, body and query likewise, merged in that
// precedence. A strict request has no other names in its query. Endpoints of
// the admin API with arbitrary names are never strict.
func BindAny(c *gin.Context, in any) error { return thenScope(c, readAny(c, in)) }

func thenScope(c *gin.Context, err error) error {
	if err != nil {
		return err
	}
	return Scope(c)
}

// Read is Bind for handlers with more to check before the scope.
func Read(c *gin.Context, in any) error {
	t, err := body(c)
	if err != nil {
		return err
	}
	d := newDecoder(c)
	if c.Request.URL.RawQuery != "" && (d.family == ClientAPI || d.family == OAuthAPI || strict(c)) {
		q, err := query(c)
		if err != nil {
			return err
		}
		if strict(c) {
			d.unexpected(q)
		} else {
			t = with(t, q)
		}
	}
	d.object(t, reflect.ValueOf(in).Elem(), "")
	c.Set(formsKey, []any{in})
	return d.err()
}

// with returns the values of a body, and those of a query that it lacks. Empty
// ones of a query are absent, as elsewhere.
func with(body, query tree) tree {
	out := maps.Clone(body)
	for name, v := range query {
		if _, ok := out[name]; ok || v == "" {
			continue
		}
		if one, ok := v.(string); ok {
			v = repeated{one} // a list of one, if a list is wanted
		}
		out[name] = v
	}
	return out
}

// ReadQuery is BindQuery for handlers with more to check before the scope.
func ReadQuery(c *gin.Context, into ...any) error {
	t, err := query(c)
	if err != nil {
		return err
	}
	d := &decoder{fromQuery: true, family: familyOf(c)}
	for _, in := range into {
		d.object(t, reflect.ValueOf(in).Elem(), "")
	}
	c.Set(formsKey, into)
	if strict(c) {
		d.unexpected(t, into...)
	}
	return d.err()
}

func readAny(c *gin.Context, in any) error {
	t, err := query(c)
	if err != nil {
		return err
	}
	b, err := body(c)
	if err != nil {
		return err
	}
	d := newDecoder(c)
	if strict(c) && d.family != AdminAPI {
		d.unexpected(t, in)
	}
	for k, v := range b {
		t[k] = v
	}
	for _, p := range c.Params {
		t[p.Key] = p.Value
	}
	d.object(t, reflect.ValueOf(in).Elem(), "")
	c.Set(formsKey, []any{in})
	return d.err()
}

// isForm reports whether all values of the body are strings, as in a query.
func isForm(c *gin.Context) bool {
	if intakeOf(c.Request) == nil {
		return true
	}
	kind, _ := mediaType(c.Request)
	return !isJSON(kind)
}

func newDecoder(c *gin.Context) *decoder { return &decoder{fromForm: isForm(c), family: familyOf(c)} }

func familyOf(c *gin.Context) Family {
	family, _ := c.Value(familyKey).(Family)
	return family
}

type decoder struct {
	family    Family
	fromQuery bool         // empty strings are absent
	fromForm  bool         // they are where they say nothing
	wrong     []ShapeValue // the first refusals
	unfit     []ShapeValue // refusals by the tags exact and oneof, which come last
	refused   int
}

// maxWrong bounds the refusals in an answer: each is longer than the parameter
// that causes it.
const maxWrong = 100

func (d *decoder) err() error {
	if wrong := slices.Concat(d.wrong, d.unfit); len(wrong) > 0 {
		return &ShapeError{Values: wrong}
	}
	return nil
}

func (d *decoder) refuse(path, message string) {
	if d.refused++; d.refused > maxWrong {
		return
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	d.wrong = append(d.wrong, ShapeValue{Pointer: path, Message: strings.ReplaceAll(message, "$", name)})
}

func (d *decoder) object(t tree, into reflect.Value, path string) {
	kind := into.Type()
	for i := range kind.NumField() {
		f := kind.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			d.object(t, into.Field(i), path)
			continue
		}
		name := nameOf(f)
		if name == "" {
			continue
		}
		v, ok := t[name]
		if !listed(f.Type) {
			v = last(v)
		}
		rule := f.Tag.Get("binding")
		if ok && (d.fromQuery && v == "" || d.fromForm && (blank(v, f.Type) || v == "" && rule == "filled") || rule == "exact" && v == "") {
			ok = false
		}
		if !ok || v == nil {
			if rule == "required" {
				d.refuse(path+"/"+name, "Missing field: $.")
			}
			continue
		}
		if rule == "exact" && v != true && v != false && v != "true" && v != "false" {
			d.unfit = append(d.unfit, ShapeValue{path + "/" + name, name + " - Invalid boolean. Got: " + KindOf(v) + "."})
			continue
		}
		d.value(v, into.Field(i), path+"/"+name)
		if words, ok := strings.CutPrefix(rule, "oneof="); ok {
			if text, _ := v.(string); text != "" && !slices.Contains(strings.Fields(words), text) {
				d.unfit = append(d.unfit, ShapeValue{path + "/" + name, text + " - Invalid value for enum."})
			}
		}
	}
}

// blank reports whether a value of a form counts as absent: clients send every
// field that a person left empty. Empty texts and lists count; an empty boolean
// is false. An object is blank if all its values are.
func blank(v any, kind reflect.Type) bool {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.String, reflect.Bool, reflect.Interface:
		return false
	case reflect.Struct:
		return empty(v)
	}
	return v == ""
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !empty(item) })
	case tree:
		for _, item := range v {
			if !empty(item) {
				return false
			}
		}
		return true
	}
	return false
}

// nameOf is the parameter that a field is for, "" for none.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name, _, _ = strings.Cut(f.Tag.Get("form"), ",")
		name = strings.TrimSuffix(name, "[]")
	}
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

var (
	rawType       = reflect.TypeFor[json.RawMessage]()
	unmarshalType = reflect.TypeFor[json.Unmarshaler]()
)

func (d *decoder) value(v any, into reflect.Value, path string) {
	if !listed(into.Type()) {
		v = last(v)
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		d.value(v, into.Elem(), path)
		return
	}
	// Lenient booleans and integers of the wire are read by the rules below.
	if into.Type() == rawType || (into.Kind() == reflect.Struct || into.Kind() == reflect.String) && into.Addr().Type().Implements(unmarshalType) {
		raw, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(raw, into.Addr().Interface())
		}
		if err != nil {
			d.refuse(path, "$ - Invalid format.")
		}
		return
	}
	switch into.Kind() {
	case reflect.String:
		s, ok := v.(string)
		if !ok {
			d.refuse(path, "$ - Invalid string. Got: "+KindOf(v)+".")
			return
		}
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			d.refuse(path, "$ - Invalid string. Got: binary.")
			return
		}
		into.SetString(s)
	case reflect.Bool:
		b, ok := notFalse(v)
		if !ok {
			d.refuse(path, "$ - Invalid boolean. Got: "+KindOf(v)+".")
			return
		}
		into.SetBool(b)
	case reflect.Int, reflect.Int64, reflect.Int32:
		n, err := wholeInteger(v)
		if err != nil || into.OverflowInt(n) {
			d.refuse(path, "$ - Invalid integer. Got: "+KindOf(v)+".")
			return
		}
		into.SetInt(n)
	case reflect.Slice:
		d.list(v, into, path)
	case reflect.Struct, reflect.Map:
		t, ok := v.(tree)
		if !ok {
			d.refuse(path, "$ - Invalid object. Got: "+KindOf(v)+".")
			return
		}
		if into.Kind() == reflect.Struct {
			d.object(t, into, path)
			return
		}
		out := reflect.MakeMap(into.Type())
		for k, item := range t {
			cell := reflect.New(into.Type().Elem()).Elem()
			d.value(item, cell, path+"/"+k)
			out.SetMapIndex(reflect.ValueOf(k), cell)
		}
		into.Set(out)
	case reflect.Interface:
		if v != nil {
			into.Set(reflect.ValueOf(v))
		}
	default:
		d.refuse(path, "$ - Invalid value.")
	}
}

// listed reports whether values of a type are read as lists.
func listed(kind reflect.Type) bool {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return kind.Kind() == reflect.Slice && kind != rawType
}

func (d *decoder) list(v any, into reflect.Value, path string) {
	list, ok := v.([]any)
	switch one := v.(type) {
	case repeated:
		ok = true
		for _, item := range one {
			list = append(list, item)
		}
	case string: // a list of one, by a name without brackets
		if ok = d.fromForm || d.fromQuery; ok {
			list = []any{one}
		}
	}
	if !ok {
		if t, isMap := v.(tree); isMap {
			list, ok = indexed(t)
		}
	}
	if !ok {
		d.refuse(path, "$ - Invalid array. Got: "+KindOf(v)+".")
		return
	}
	if (d.fromForm || d.fromQuery) && len(list) == 1 && list[0] == "" {
		list = nil // how a form says that a list is empty
	}
	out := reflect.MakeSlice(into.Type(), 0, len(list))
	for i, item := range list {
		cell := reflect.New(into.Type().Elem()).Elem()
		if item == nil && cell.Kind() != reflect.Interface {
			d.refuse(path, "$ - null value where "+strings.ToLower(cell.Kind().String())+" expected.")
			continue
		}
		if n, isNumber := item.(json.Number); isNumber && cell.Kind() == reflect.String && d.family == ClientAPI {
			item = n.String() // an id that an app holds as a number
		}
		before := d.refused
		d.value(item, cell, path+"/"+strconv.Itoa(i))
		if d.refused == before {
			out = reflect.Append(out, cell)
		}
	}
	into.Set(out)
}

// notFalse reads a boolean of a client: a few words are false, anything else is
// true.
func notFalse(v any) (bool, bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		switch v {
		case "false", "0", "f", "F", "False", "FALSE", "off", "OFF", "":
			return false, true
		}
		return true, true
	case json.Number:
		return v.String() != "0", true
	}
	return false, false
}

// wholeInteger reads a number, or a string with a number and nothing else.
func wholeInteger(v any) (int64, error) {
	switch v := v.(type) {
	case json.Number:
		return v.Int64()
	case string:
		return strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	}
	return 0, errors.New("not a number")
}

// KindOf names the JSON type of a value as it was read.
func KindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	case tree:
		return "object"
	}
	return fmt.Sprintf("%T", v)
}
