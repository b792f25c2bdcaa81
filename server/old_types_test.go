package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// types are the JSON types that a value has in some answers, with those of the values in
// it. A list has one item, which stands for all.
type types struct {
	names  map[string]bool
	fields map[string]*types
	item   *types
}

func newTypes() *types { return &types{names: map[string]bool{}, fields: map[string]*types{}} }

// add adds the types of v.
func (t *types) add(v any) {
	switch v := v.(type) {
	case nil:
		t.names["null"] = true
	case string:
		t.names["string"] = true
	case bool:
		t.names["boolean"] = true
	case float64:
		t.names["number"] = true
	case []any:
		t.names["array"] = true
		for _, one := range v {
			if t.item == nil {
				t.item = newTypes()
			}
			t.item.add(one)
		}
	case map[string]any:
		t.names["object"] = true
		for name, inner := range v {
			if t.fields[name] == nil {
				t.fields[name] = newTypes()
			}
			t.fields[name].add(inner)
		}
	}
}

// hold tells what of now is less than it was, or another type.
func (t *types) hold(now *types, path string, wrong func(path, mistake string)) {
	if !maps.Equal(t.names, map[string]bool{"null": true}) {
		for name := range now.names {
			if !t.names[name] {
				wrong(path, "is "+name+", and was "+strings.Join(slices.Sorted(maps.Keys(t.names)), " or "))
			}
		}
	}
	for name, inner := range t.fields {
		if now.fields[name] == nil {
			wrong(path+"."+name, "is gone")
			continue
		}
		inner.hold(now.fields[name], path+"."+name, wrong)
	}
	if t.item != nil {
		if now.item == nil {
			wrong(path+"[]", "is gone")
			return
		}
		t.item.hold(now.item, path+"[]", wrong)
	}
}

// writeTypes writes the types of answers, one a line. Objects with much in them have a
// line and a number of their own, @1, before their first use.
func writeTypes(answers map[string]*types) string {
	var out strings.Builder
	numbers := map[string]string{}
	var write func(*types) string
	write = func(t *types) string {
		text := strings.Join(slices.Sorted(maps.Keys(t.names)), "+")
		if t.item != nil {
			text += "[" + write(t.item) + "]"
		}
		if len(t.fields) == 0 {
			return text
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(t.fields)) {
			fields = append(fields, name+"="+write(t.fields[name]))
		}
		text += "{" + strings.Join(fields, " ") + "}"
		if len(text) < 100 {
			return text
		}
		if numbers[text] == "" {
			numbers[text] = fmt.Sprintf("@%d", len(numbers)+1)
			fmt.Fprintf(&out, "%s|%s\n", numbers[text], text)
		}
		return numbers[text]
	}
	for _, route := range slices.Sorted(maps.Keys(answers)) {
		text := write(answers[route])
		fmt.Fprintf(&out, "%s|%s\n", route, text)
	}
	return out.String()
}

// readTypes reads what writeTypes wrote.
func readTypes(t *testing.T, text string) map[string]*types {
	t.Helper()
	numbered, out := map[string]*types{}, map[string]*types{}
	for line := range strings.Lines(text) {
		name, rest, found := strings.Cut(strings.TrimSpace(line), "|")
		if !found {
			t.Fatalf("no line of types: %s", line)
		}
		into := out
		if strings.HasPrefix(name, "@") {
			into = numbered
		}
		into[name], rest = readOne(rest, numbered)
		if rest != "" {
			t.Fatalf("%s: what is %q", name, rest)
		}
	}
	return out
}

func readOne(text string, numbered map[string]*types) (*types, string) {
	end := strings.IndexAny(text+" ", " {}[]")
	word, rest := text[:end], text[end:]
	if strings.HasPrefix(word, "@") {
		return numbered[word], rest
	}
	t := newTypes()
	for name := range strings.SplitSeq(word, "+") {
		t.names[name] = true
	}
	if strings.HasPrefix(rest, "[") {
		t.item, rest = readOne(rest[1:], numbered)
		rest = strings.TrimPrefix(rest, "]")
	}
	for strings.HasPrefix(rest, "{") || len(t.fields) > 0 && strings.HasPrefix(rest, " ") {
		name, after, _ := strings.Cut(rest[1:], "=")
		t.fields[name], rest = readOne(after, numbered)
		if strings.HasPrefix(rest, "}") {
			return t, rest[1:]
		}
	}
	return t, rest
}
