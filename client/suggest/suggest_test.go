package suggest

import (
	"slices"
	"testing"
)

func TestSwappedLettersAreOneSlip(t *testing.T) {
	words := []string{"list", "show", "purge", "create", "state", "reopen"}
	for word, want := range map[string]string{
		"lsit": "list", "lits": "list", "ilst": "list", // each pair of neighbours
		"hsow": "show", "shwo": "show", "creaet": "create", "cerate": "create", "pugre": "purge", "sate": "state", "staet": "state",
		"PUGRE": "purge", "lst": "list", "liist": "list", "lisr": "list",
	} {
		if got := Words(word, words); !slices.Equal(got, []string{want}) {
			t.Errorf("%q means %q, got %q", word, want, got)
		}
	}
	for _, word := range []string{"tsil", "xyz", "wohs", "i"} {
		if got := Words(word, words); got != nil {
			t.Errorf("%q means nothing, got %q", word, got)
		}
	}
}
