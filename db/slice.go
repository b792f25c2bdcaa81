package db

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Slice is a list stored as JSON in a text column; nil is the empty list.
type Slice[T any] []T

// Value writes the JSON array.
func (s Slice[T]) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]T(s))
	return string(b), err
}

// text is the JSON array of a list of texts, which always can be written. SQL that
// reads lists needs it of an empty list too: nil as such would be JSON's null.
func (s Slice[T]) text() string {
	v, err := s.Value()
	if err != nil {
		panic(err)
	}
	return v.(string)
}

// Scan reads the JSON array.
func (s *Slice[T]) Scan(src any) error {
	var text string
	switch v := src.(type) {
	case nil:
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("a list column held %T", src)
	}
	if text == "" || text == "[]" {
		*s = nil
		return nil
	}
	return json.Unmarshal([]byte(text), (*[]T)(s))
}

// GormDataType names the column's kind to the mapper.
func (Slice[T]) GormDataType() string { return "text" }

// Document is a JSON object stored in a text column.
type Document map[string]any

// Value writes the JSON object.
func (o Document) Value() (driver.Value, error) {
	if len(o) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]any(o))
	return string(b), err
}

// Scan reads the JSON object.
func (o *Document) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), (*map[string]any)(o))
	case []byte:
		return json.Unmarshal(v, (*map[string]any)(o))
	}
	return fmt.Errorf("an object column held %T", src)
}

// GormDataType names the column's kind to the mapper.
func (Document) GormDataType() string { return "text" }

// ObjectText is a JSON object in a text column, as its bytes are written.
type ObjectText string

// Scan reads the object and refuses any other JSON.
func (o *ObjectText) Scan(src any) error {
	var text string
	switch v := src.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("an object column held %T", src)
	}
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return errors.New("an object column held no JSON object")
	}
	*o = ObjectText(text)
	return nil
}
