package output

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Column is one column of a kind of object: its cell may hold text of strangers,
// unchanged.
type Column[T any] struct {
	Head
	Cell func(p *Printer, item T) string
}

// Text is a column of text.
func Text[T any](title string, cell func(T) string) Column[T] {
	return Column[T]{Head: Head{Title: title}, Cell: func(_ *Printer, item T) string { return cell(item) }}
}

// Bool is a column of true and false.
func Bool[T any](title string, cell func(T) bool) Column[T] {
	return Text(title, func(item T) string { return strconv.FormatBool(cell(item)) })
}

// Int is a column of numbers.
func Int[T any, N int | int64](title string, cell func(T) N) Column[T] {
	return Text(title, func(item T) string { return strconv.FormatInt(int64(cell(item)), 10) })
}

// Time is a column of times, empty where a time is zero.
func Time[T any](title string, cell func(T) time.Time) Column[T] {
	return Column[T]{Head: Head{Title: title}, Cell: func(p *Printer, item T) string { return p.When(cell(item)) }}
}

// Wide is a column for -o wide, csv and tsv alone.
func Wide[T any](c Column[T]) Column[T] {
	c.Wide = true
	return c
}

// Minor is a column that is left out first where a terminal is narrow.
func Minor[T any](c Column[T]) Column[T] {
	c.Minor = true
	return c
}

// Whole is a column to be copied, which is of use only as a whole.
func Whole[T any](c Column[T]) Column[T] {
	c.Whole = true
	return c
}

// Shape is how one kind of object is shown.
type Shape[T any] struct {
	Plural  string                  // the noun for several
	Name    func(T) string          // typed name, like report/9xA
	Raw     func(T) json.RawMessage // the object as the server sent it
	Columns []Column[T]             // of tables, csv and tsv
	Card    func(*Card, T)          // a single object in place of a table's row; nil for the row
	// Same reports whether two objects as the server sent them differ in nothing that is
	// news; nil compares all of them.
	Same func(a, b json.RawMessage) bool
}

// ShowFields answers --fields '?' by writing the fields that objects of this
// shape have, and tells whether it did.
func (s Shape[T]) ShowFields(p *Printer) (bool, error) {
	if p.opts.Fields != "?" {
		return false, nil
	}
	for _, f := range s.Fields() {
		if _, err := fmt.Fprintln(p.out, f.Name); err != nil {
			return true, err
		}
	}
	return true, nil
}

// Begin announces objects of this shape.
func (s Shape[T]) Begin(p *Printer) {
	heads := make([]Head, len(s.Columns))
	for i, c := range s.Columns {
		heads[i] = c.Head
	}
	if p.kind = reflect.TypeFor[T](); p.kind.Kind() == reflect.Pointer {
		p.kind = p.kind.Elem()
	}
	p.Begin(heads)
}

// Add prints one of the objects that Begin announced.
func (s Shape[T]) Add(p *Printer, item T) error {
	return p.Add(s.record(p, item))
}

// Print prints all there is from Begin to End. A single object that was asked
// for by its name is printed as itself, not as a list: that is one.
func (s Shape[T]) Print(p *Printer, items []T, one bool) error {
	if done, err := s.ShowFields(p); done || err != nil {
		return err
	}
	p.One = one
	s.Begin(p)
	for _, item := range items {
		if err := s.Add(p, item); err != nil {
			return err
		}
	}
	return p.End(Listing{Total: len(items), Complete: true})
}

func (s Shape[T]) record(p *Printer, item T) Record {
	r := Record{Name: s.Name(item), JSON: s.Raw(item)}
	switch p.Format() {
	case "json", "jsonl", "yaml", "name":
		return r
	}
	if s.Card != nil && p.carded() {
		card := &Card{p: p}
		s.Card(card, item)
		r.Card = card.String()
	}
	r.Cells = make([]string, len(s.Columns))
	for i, c := range s.Columns {
		r.Cells[i] = c.Cell(p, item)
	}
	return r
}

// JSON is an object as it is shown where its own bytes were not kept.
func JSON[T any](v T) json.RawMessage {
	doc, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // shapes of the API always encode
	}
	return doc
}
