package adminapi

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"svc/db"
	"svc/server/api/web"
)

// params reads the parameters of the lenient endpoints: an invalid value counts
// as absent, but a value that no database can store makes the whole request
// bad.
type params struct{ bad bool }

// text reads a string or number; "" when absent.
func (p *params) text(v any) string {
	switch v := v.(type) {
	case string:
		if !web.IsText(v) {
			p.bad = true
			return ""
		}
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// list reads a list of strings; a plain string is not one.
func (p *params) list(v any) []string {
	items, _ := v.([]any)
	out := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok && s != "" {
			out = append(out, p.text(s))
		}
	}
	return out
}

// names reads a list of strings alone, false for anything else.
func (p *params) names(v any) ([]string, bool) {
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := p.list(v)
	return out, len(out) == len(items)
}

// named reads a text that must not be absent or blank.
func (p *params) named(v any) string {
	s := p.text(v)
	if s == "" {
		p.bad = true
	}
	return s
}

// isTrue returns true for true and "true" alone.
func (p *params) isTrue(v any) bool { return v == true || v == "true" }

// leadingInteger reads a number, or the digits at the beginning of a string.
func (p *params) leadingInteger(v any, absent int) int {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return absent
	}
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return absent
	}
	return int(min(max(n, math.MinInt32), math.MaxInt32))
}

// page reads a page from 1 and its size; below 1 counts as 1.
func (p *params) page(number, size any, usual int) db.NumberedPage {
	return db.NumberedPage{Number: max(p.leadingInteger(number, 1), 1), Size: max(p.leadingInteger(size, usual), 1)}
}

// shape collects faults of parameters that the binder cannot check.
type shape struct{ wrong []web.ShapeValue }

// bind adds the faults that binding found. It returns an error of another kind.
func (s *shape) bind(err error) error {
	var found *web.ShapeError
	if errors.As(err, &found) {
		s.wrong = append(s.wrong, found.Values...)
		return nil
	}
	return err
}

func (s *shape) err() error {
	if len(s.wrong) == 0 {
		return nil
	}
	return &web.ShapeError{Values: s.wrong}
}

// numbered is a page with a bound number and size; nil is absent, below 1
// counts as 1.
func numbered(number, size *int64, usual int64) db.NumberedPage {
	p := db.NumberedPage{Number: 1, Size: int(usual)}
	if number != nil {
		p.Number = int(min(max(*number, 1), math.MaxInt32))
	}
	if size != nil {
		p.Size = int(min(max(*size, 1), math.MaxInt32))
	}
	return p
}
