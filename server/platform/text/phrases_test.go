package text

import (
	"strings"
	"testing"
)

func TestPhrasesAreFoundAsWrittenAndAsWholeWords(t *testing.T) {
	for _, tt := range []struct {
		phrase, in string
		any, whole bool
	}{
		{"cat", "a cat sat", true, true},
		{"cat", "concatenate", true, false},
		{"cat", "concatenate the cat", true, true},
		{"CAT", "Cat!", true, true},
		{"cat", "cat_s", true, false},
		{"c.t", "cat", false, false},
		{"c.t", "c.t", true, true},
		{".*", "anything", false, false},
		{"(", "an ( is no pattern", true, true},
		{"#cat", "a#cat", true, true},
		{"#cat", "#cats", true, false},
		{"über", "ÜBER alles", true, true},
		{"ber", "über", true, false},
		{"a b", "x a b", true, true},
		{"  cat ", "the cat", true, true},
		{"", "anything", false, false},
		{"cat", "", false, false},
		{"猫", "黒猫だ", true, false},
		{"aa", "baaa aa", true, true},
	} {
		lowered := Lower(tt.in)
		if got := NewPhrase(tt.phrase, false).In(lowered); got != tt.any {
			t.Errorf("%q in %q: %v, want %v", tt.phrase, tt.in, got, tt.any)
		}
		if got := NewPhrase(tt.phrase, true).In(lowered); got != tt.whole {
			t.Errorf("%q as a word in %q: %v, want %v", tt.phrase, tt.in, got, tt.whole)
		}
	}
}

// A phrase found as a whole word is also found as a part, and no input crashes it.
func FuzzPhrases(f *testing.F) {
	f.Add("cat", "the cat")
	f.Add("\xff", "a\xffb")
	f.Fuzz(func(t *testing.T, phrase, in string) {
		lowered := Lower(in)
		anywhere := NewPhrase(phrase, false).In(lowered)
		if NewPhrase(phrase, true).In(lowered) && !anywhere {
			t.Errorf("%q is a word of %q, but not in it", phrase, in)
		}
		want := strings.TrimSpace(phrase) != "" && strings.Contains(lowered, Lower(strings.TrimSpace(phrase)))
		if anywhere != want {
			t.Errorf("%q in %q: %v, want %v", phrase, in, anywhere, want)
		}
	})
}
