package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// values writes a query struct by its form names; zero values are left out.
func values(query any) url.Values {
	out := url.Values{}
	addValues(out, reflect.ValueOf(query))
	return out
}

func addValues(out url.Values, v reflect.Value) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if field.Anonymous {
			addValues(out, value)
			continue
		}
		name := field.Tag.Get("form")
		if value.IsZero() || name == "" || name == "-" {
			continue
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.Kind() == reflect.Slice {
			for j := range value.Len() {
				out.Add(name, text(value.Index(j)))
			}
			continue
		}
		out.Set(name, text(value))
	}
}

func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	}
	return v.String()
}

// merge returns base with the values of over in place of its own.
func merge(base, over url.Values) url.Values {
	out := maps.Clone(base)
	if out == nil {
		out = url.Values{}
	}
	maps.Copy(out, over)
	return out
}

// flatten writes a JSON object of scalars and arrays of scalars as a query:
// a=1&b[]=2&b[]=3.
func flatten(data []byte) (url.Values, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		return nil, fmt.Errorf("a DELETE's parameters in a query: %w", err)
	}
	out := url.Values{}
	for name, value := range object {
		list, isList := value.([]any)
		if isList {
			name += "[]"
		} else {
			list = []any{value}
		}
		for _, item := range list {
			switch item := item.(type) {
			case nil:
			case string:
				out.Add(name, item)
			case json.Number, bool:
				out.Add(name, fmt.Sprint(item))
			default:
				return nil, fmt.Errorf("parameter %s of a DELETE is nested, which a query cannot say", name)
			}
		}
	}
	return out, nil
}

// Next returns the query of the following page of a list, from the Link
// header, or nil on the last page. Only the query counts: the server may know
// itself by another name than we do.
func (r *Response) Next() url.Values { return r.link("next") }

// Prev is Next for the page before.
func (r *Response) Prev() url.Values { return r.link("prev") }

func (r *Response) link(rel string) url.Values {
	for _, header := range r.Header.Values("Link") {
		if target := linkTarget(header, rel); target != "" {
			if u, err := url.Parse(target); err == nil {
				return u.Query()
			}
		}
	}
	return nil
}

// linkTarget finds the address with the relation rel in a Link header. Shape:
// RFC 8288, section 3.
func linkTarget(header, rel string) string {
	for {
		_, rest, found := strings.Cut(header, "<")
		if !found {
			return ""
		}
		target, rest, found := strings.Cut(rest, ">")
		if !found {
			return ""
		}
		params := rest
		if i := strings.IndexByte(rest, '<'); i >= 0 {
			params = rest[:i]
		}
		header = rest[len(params):]
		for param := range strings.SplitSeq(params, ";") {
			name, value, _ := strings.Cut(strings.Trim(param, " \t,"), "=")
			if !strings.EqualFold(strings.TrimSpace(name), "rel") {
				continue
			}
			for word := range strings.FieldsSeq(strings.Trim(strings.TrimSpace(value), `"`)) {
				if strings.EqualFold(word, rel) {
					return target
				}
			}
		}
	}
}
