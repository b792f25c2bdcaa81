package settings

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/api"
	"svc/client/suggest"
)

// Refusal is one value of a file that cannot be saved as it is meant: nothing reads
// it, or it has not the type of its description.
type Refusal struct {
	Name    string // the typed name of the place
	Reason  string
	Unknown bool // nothing reads it
}

func (r Refusal) String() string { return r.Name + ": " + r.Reason }

// Check compares the values of a file with the descriptions of settings and with
// those in force. What is in force with the same type passes, and so do masks: the
// server judges the rest.
func Check(all []api.ConfigDescription, effective, wanted []Setting) []Refusal {
	c := checker{fields: Fields(all)}
	for _, w := range wanted {
		if w.Delete {
			continue // what is not there need not be taken away
		}
		var have *Value
		if found := Find(effective, w.Group, w.Key); found != nil {
			have = found.Value
		}
		c.check([]string{w.Group, w.Key}, have, *w.Value)
	}
	return c.refused
}

type checker struct {
	fields  []Field
	refused []Refusal
}

func (c *checker) refuse(path []string, format string, args ...any) {
	c.refused = append(c.refused, Refusal{Name: Name(path[0], path[1], path[2:]...), Reason: fmt.Sprintf(format, args...)})
}

func (c *checker) check(path []string, have *Value, v Value) {
	var field *Field
	// Whether what the place lies in is described as a whole, and whether its parts are.
	above, below := false, false
	for i, f := range c.fields {
		at := f.Path()
		switch {
		case len(at) == len(path) && startsWith(at, path):
			field = &c.fields[i]
		case startsWith(path, at) && len(f.Children) == 0:
			above = true
		case startsWith(at, path):
			below = true
		}
	}
	parts := v.IsKeyword() && len(v.items) > 0 || v.kind == Map
	switch {
	case below && parts:
		c.parts(path, have, v)
	case field != nil:
		if alike := have != nil && have.kind == v.kind && v.kind != Text; !alike && !fits(v, field.Type) {
			c.refuse(path, "%s is no %s", quote(v.Short()), TypeWords(field.Type))
		}
	case below:
		if have == nil || have.kind != v.kind {
			c.refuse(path, "%s is no group of settings", quote(v.Short()))
		}
	case above, have != nil:
	default:
		c.unknown(path)
	}
}

func (c *checker) parts(path []string, have *Value, v Value) {
	for _, key := range v.Keys() {
		inner, _ := v.Get(key)
		var there *Value
		if have != nil {
			if old, ok := have.Get(key); ok {
				there = &old
			}
		}
		c.check(append(path[:len(path):len(path)], key), there, inner)
	}
}

// unknown refuses a place that nothing reads, and names the places beside it that
// may be meant.
func (c *checker) unknown(path []string) {
	var names []string
	last := len(path) - 1
	for _, f := range c.fields {
		if at := f.Path(); len(at) > last && startsWith(at, path[:last]) && !slices.Contains(names, at[last]) {
			names = append(names, at[last])
		}
	}
	reason := "there is no such setting"
	if near := suggest.Words(path[last], names); len(near) > 0 {
		reason += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	c.refused = append(c.refused, Refusal{Name: Name(path[0], path[1], path[2:]...), Reason: reason, Unknown: true})
}

// startsWith compares paths. Keys of maps are written with or without their colon.
func startsWith(path, start []string) bool {
	return len(path) >= len(start) && slices.EqualFunc(path[:len(start)], start, func(a, b string) bool {
		return strings.TrimPrefix(a, ":") == strings.TrimPrefix(b, ":")
	})
}

// fits tells whether a value may be of a type. Types that it does not know fit all.
func fits(v Value, want api.ConfigType) bool {
	if v.kind == Null || v.kind == Text && v.text == Mask {
		return true
	}
	switch want.Name {
	case "integer":
		return v.kind == Number && integer.MatchString(v.text)
	case "float":
		return v.kind == Number
	case "boolean":
		return v.kind == Bool
	case "atom", "module":
		return v.kind == Text && IsAtom(v.text)
	case "string", "image":
		return v.kind == Text
	case "list":
		return v.kind == List
	case "":
	default:
		return true
	}
	switch {
	case len(want.Of) == 0:
		return true
	case want.Of[0].Name == "list" && len(want.Of) > 1 && v.kind == List:
		return !slices.ContainsFunc(v.items, func(item Value) bool { return !fits(item, want.Of[1]) })
	}
	return slices.ContainsFunc(want.Of, func(inner api.ConfigType) bool { return fits(v, inner) })
}
