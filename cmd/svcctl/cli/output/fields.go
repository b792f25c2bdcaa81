package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"svc/client/schema"
	"svc/client/suggest"
)

// fieldPath is a field of an object, and of the objects in it: account.acct.
type fieldPath []string

func (p fieldPath) String() string { return strings.Join(p, ".") }

func parseField(s string) (fieldPath, error) {
	path := fieldPath(strings.Split(strings.TrimSpace(s), "."))
	if slices.Contains(path, "") {
		return nil, usagef("field %q: names joined by dots are accepted, like account.acct", s)
	}
	return path, nil
}

func parseFields(s string) ([]fieldPath, error) {
	var paths []fieldPath
	for part := range strings.SplitSeq(s, ",") {
		path, err := parseField(part)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// find is the field's JSON, nil when the object has none.
func (p fieldPath) find(doc json.RawMessage) (json.RawMessage, error) {
	for _, name := range p {
		if doc = bytes.TrimSpace(doc); len(doc) == 0 || doc[0] != '{' {
			return nil, nil
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(doc, &object); err != nil {
			return nil, fmt.Errorf("read field %s: %w", p, err)
		}
		value, ok := object[name]
		if !ok {
			return nil, nil
		}
		doc = value
	}
	return doc, nil
}

// project reduces a record to some fields, under their dotted names.
func project(r Record, paths []fieldPath) (Record, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	cells := make([]string, len(paths))
	for i, path := range paths {
		value, err := path.find(r.JSON)
		if err != nil {
			return r, err
		}
		cells[i] = CellOf(value)
		if value == nil {
			value = json.RawMessage("null")
		}
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(path.String())
		if err != nil {
			return r, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return Record{Name: r.Name, JSON: b.Bytes(), Cells: cells}, nil
}

// CellOf is a JSON value as a cell shows it: strings as they are, null and
// nothing as nothing, the rest as JSON.
func CellOf(value json.RawMessage) string {
	var s string
	switch {
	case value == nil, string(value) == "null":
		return ""
	case value[0] == '"' && json.Unmarshal(value, &s) == nil:
		return s
	}
	return string(compact(value))
}

// missing refuses a path that no object of a type has, nor one of the records: a
// newer server may send fields that the type lacks. The type may be nil.
func (p fieldPath) missing(flag string, t reflect.Type, records []Record) error {
	if t != nil && schema.TypeOf(t) == "object" && knows(t, p) {
		return nil
	}
	var names []string
	for _, r := range records {
		if value, err := p.find(r.JSON); value != nil || err != nil {
			return err
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(r.JSON, &object) == nil {
			for name := range object {
				names = append(names, name)
			}
		}
	}
	if len(records) == 0 {
		return nil // none shows whether there is such a field
	}
	if t != nil {
		for _, f := range fieldsOf(t) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	near := suggest.Words(p.String(), slices.Compact(names))
	if len(near) == 0 {
		return usagef("%s: there is no field %q; --fields '?' lists them", flag, p.String())
	}
	return usagef("%s: there is no field %q; did you mean %s?", flag, p.String(), strings.Join(near, ", "))
}
