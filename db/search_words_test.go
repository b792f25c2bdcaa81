package db

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWordsAreRunsOfLettersWithoutCaseAndAccents(t *testing.T) {
	for in, want := range map[string][]string{
		"":                            nil,
		" -- … !":                     nil,
		"Hello, WORLD-wide 2nd":       {"hello", "world", "wide", "2nd"},
		"Crème brûlée Ärger":          {"creme", "brulee", "arger"},
		"don't @ann@example.org":      {"don", "t", "ann", "example", "org"},
		"ИЙЁ":                         {"иие"},
		"東京都 tokyo":                   {"東京", "京都", "都", "tokyo"},
		"字":                           {"字"},
		"abc漢字def":                    {"abc", "漢字", "字", "def"},
		"हिन्दी":                      {"हिन्दी"},
		"drop'; --\x00 \"quoted\" * ": {"drop", "quoted"},
	} {
		if diff := cmp.Diff(want, words(in), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestSearchesAreWrittenForBothDatabases(t *testing.T) {
	for _, tt := range []struct{ in, sqlite, postgres string }{
		{"two words", `"two" "words"`, `'two' & 'words'`},
		{`a "whole phrase" b`, `"a" "whole phrase" "b"`, `'a' & ('whole' <-> 'phrase') & 'b'`},
		{`unended "phrase here`, `"unended" "phrase here"`, `'unended' & ('phrase' <-> 'here')`},
		{"東京都", `"東京 京都"`, `('東京' <-> '京都')`},
		{"字", `"字"*`, `'字':*`},
		{"x漢字", `"x" "漢字"`, `'x' & '漢字'`},
		{`"*) OR 1=1' --`, `"or 1 1"`, `('or' <-> '1' <-> '1')`},
	} {
		all := terms(tt.in)
		if got := match(all, SQLite); got != tt.sqlite {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.sqlite)
		}
		if got := match(all, Postgres); got != tt.postgres {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.postgres)
		}
	}
	if got := vector([]string{"b", "a", "b"}); got != "'b':1,3 'a':2 " {
		t.Error(got)
	}
}

func TestWordsOneLetterApart(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"lantern", "lantern", true}, {"lantern", "lanters", true}, {"lantern", "lanten", true}, {"lanten", "lantern", true},
		{"lantern", "lanetrn", true}, {"lantern", "lanet", false}, {"lantern", "nalters", false}, {"", "a", true}, {"ab", "ba", true}, {"abc", "cba", false},
		{"größe", "grösse", false}, {"größe", "grüße", true},
	} {
		if got := oneApart(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
		if !tt.want || tt.a == "" || len(tt.a) == 2 {
			continue
		}
		common := false
		for _, x := range misspellings(tt.a) {
			for _, y := range misspellings(tt.b) {
				common = common || x == y
			}
		}
		if !common {
			t.Errorf("%q and %q have no hash in common", tt.a, tt.b)
		}
	}
}

func FuzzWhatIsSearchedIsWords(f *testing.F) {
	for _, s := range []string{`a "b c" d`, "漢字", "x'; DROP", "\xff\x00", "a\u0300\u0301", `""""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range terms(s) {
			if len(term.words) == 0 {
				t.Fatalf("%q: an empty term", s)
			}
			for _, w := range term.words {
				if again := words(w); len(again) == 0 {
					t.Errorf("%q: %q is no word", s, w)
				}
			}
		}
	})
}

func BenchmarkWords(b *testing.B) {
	const text = "The winter market opens on Friday, with lanterns along the river and mulled wine for everybody who comes. #market https://example.org/winter"
	b.ReportAllocs()
	for b.Loop() {
		words(text)
	}
}
