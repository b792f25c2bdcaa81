package term_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func TestPathsLeadThroughListsAndMaps(t *testing.T) {
	value := read(t, `[{"tuple":[":a",{":b":[{"tuple":[":c",1]}],"d":2}]},{"tuple":[":a",3]},{"tuple":[":n",null]},{"tuple":["Svc.Upload",4]}]`)
	for _, tt := range []struct {
		path []string
		want string
	}{
		{[]string{":a", ":b", ":c"}, "1"},
		{[]string{":a", "b", ":c"}, "1"}, // a map's atom, asked for as text
		{[]string{":a", ":d"}, "2"},      // and the other way round
		{[]string{":a", "d"}, "2"},
		{[]string{":n"}, "null"},
		{[]string{"Svc.Upload"}, "4"},
		{[]string{":x"}, ""},
		{[]string{"a"}, ""}, // keyword lists have atoms
		{[]string{":n", ":x"}, ""},
		{nil, string(value.JSON())},
	} {
		got, ok := value.Get(tt.path...)
		if ok != (tt.want != "") || ok && string(got.JSON()) != tt.want {
			t.Errorf("%v: %s, %v", tt.path, got, ok)
		}
	}
	if diff := cmp.Diff([]string{":a", ":a", ":n", "Svc.Upload"}, value.Keys()); diff != "" {
		t.Error(diff)
	}
	if keys := integer(5).Keys(); len(keys) != 0 {
		t.Errorf("a plain value has keys %v", keys)
	}
}

func TestUpdateReplacesWhatIsThere(t *testing.T) {
	value := read(t, `[{"tuple":[":a",{":b":"secret","c":1}]},{"tuple":[":d",1]}]`)
	hide := func(term.Term) term.Term { return text("*") }
	got := value.Update(hide, ":a", ":b").Update(hide, ":d").Update(hide, ":x", ":y")
	if diff := cmp.Diff(`[{"tuple":[":a",{"c":1,":b":"*"}]},{"tuple":[":d","*"]}]`, string(got.JSON())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`[{"tuple":[":a",{"c":1,":b":"secret"}]},{"tuple":[":d",1]}]`, string(value.JSON())); diff != "" {
		t.Errorf("the old one changed: %s", diff)
	}
}

func TestReadersTakeTheirOwnKind(t *testing.T) {
	for sent, want := range map[string]string{`"a"`: "a", `":smile: hi"`: ":smile: hi", `"Svc.Upload"`: "Svc.Upload"} {
		if got, ok := read(t, sent).Text(); !ok || got != want {
			t.Errorf("%s as text: %q, %v", sent, got, ok)
		}
	}
	for _, sent := range []string{`1`, `1.5`, `true`, `null`, `[]`, `{}`, `{"tuple":[]}`} {
		if got, ok := read(t, sent).Text(); ok {
			t.Errorf("%s as text: %q", sent, got)
		}
	}
	if n, ok := read(t, `-12`).Int(); n != -12 || !ok {
		t.Errorf("integer %d, %v", n, ok)
	}
	for _, sent := range []string{`12345678901234567890123`, `1.0`, `"1"`, `null`} {
		if n, ok := read(t, sent).Int(); ok {
			t.Errorf("%s as integer: %d", sent, n)
		}
	}
	if f, ok := read(t, `3`).Number(); f != 3 || !ok {
		t.Errorf("number %v, %v", f, ok)
	}
	if b, ok := read(t, `":true"`).Boolean(); !b || !ok {
		t.Errorf("boolean %v, %v", b, ok)
	}
	if _, ok := text("true").Boolean(); ok {
		t.Error("a text is taken for a boolean")
	}
	if name, ok := atom("always").AtomName(); name != "always" || !ok {
		t.Errorf("atom %q, %v", name, ok)
	}
	if _, ok := text("a").AtomName(); ok {
		t.Error("a text is taken for an atom")
	}
	if _, ok := tuple().Items(); ok {
		t.Error("a tuple is taken for a list")
	}
	if items, ok := tuple(integer(1)).Tuple(); len(items) != 1 || !ok {
		t.Error("a tuple has no items")
	}
	if _, ok := term.Strings("a").Pairs(); ok {
		t.Error("a plain list is taken for pairs")
	}
}

func TestPlainProjection(t *testing.T) {
	value := read(t, `{":a":":b","c":{"tuple":[1,2.5,null,true]},"Svc.X":["Svc.Y","~r/z/i"],"n":12345678901234567890123,"k":[{"tuple":[":x","y"]}]}`)
	want := map[string]any{
		"a": "b", "c": []any{1, 2.5, nil, true}, "Svc.X": []any{"Svc.Y", "~r/z/i"}, "n": json.Number("12345678901234567890123"),
		"k": []any{[]any{"x", "y"}},
	}
	if diff := cmp.Diff(want, value.Plain()); diff != "" {
		t.Error(diff)
	}
}
