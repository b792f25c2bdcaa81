package db

import (
	"hash/fnv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64   // characters of a word that are looked at
	maxWords = 3000 // words of a text that can be found
)

// words are what a text can be found by, in order: runs of letters and digits in
// lower case, without accents. Scripts that do not part words give each pair of
// characters, and the last one.
func words(s string) []string {
	var (
		out []string
		run []rune
	)
	end := func() {
		switch {
		case len(run) == 0:
		case unparted(run[0]):
			for i := range run[:len(run)-1] {
				out = append(out, string(run[i:i+2]))
			}
			out = append(out, string(run[len(run)-1]))
		default:
			out = append(out, string(run[:min(len(run), maxWord)]))
		}
		run = run[:0]
	}
	for _, r := range norm.NFKD.String(s) {
		if len(out) >= maxWords {
			return out
		}
		switch {
		case r >= 0x300 && r <= 0x36f: // accents
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			if len(run) > 0 && unparted(run[0]) != unparted(r) {
				end()
			}
			run = append(run, unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return out
}

func unparted(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// A term is what a search wants to see: words that follow each other. The last
// may be the beginning of one.
type term struct {
	words  []string
	prefix bool
}

// maxTerms is how many words a search looks for; more are ignored.
const maxTerms = 16

// terms reads a search: words, and "words in quotes" that must follow each
// other.
func terms(q string) []term {
	var out []term
	add := func(all []string, phrase bool) {
		if len(all) == 0 {
			return
		}
		if phrase || unparted([]rune(all[0])[0]) {
			last := []rune(all[len(all)-1])
			t := term{words: all}
			if unparted(last[0]) { // it may stand inside of a pair, or end the text
				if len(all) > 1 && len(last) == 1 {
					t.words = all[:len(all)-1]
				} else {
					t.prefix = true
				}
			}
			out = append(out, t)
			return
		}
		for _, w := range all {
			out = append(out, term{words: []string{w}})
		}
	}
	for i, part := range strings.Split(q, `"`) {
		if i%2 == 1 {
			add(words(part), true)
			continue
		}
		for _, field := range strings.Fields(part) {
			var same []string // words of one kind that stood together
			for _, w := range words(field) {
				if len(same) > 0 && unparted([]rune(same[0])[0]) != unparted([]rune(w)[0]) {
					add(same, false)
					same = nil
				}
				same = append(same, w)
			}
			add(same, false)
		}
	}
	return out[:min(len(out), maxTerms)]
}

// misspellings are hashes of a word, and of what is left of it without one of
// its letters.
func misspellings(word string) []int64 {
	runes := []rune(word)
	out := []int64{hash(word)}
	for i := range runes {
		out = append(out, hash(string(runes[:i])+string(runes[i+1:])))
	}
	return out
}

func hash(s string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return int64(h.Sum64()) //nolint:gosec // only equality matters
}

// oneApart tells whether two words differ by one letter at most: another, one
// more, one less, or two neighbours exchanged.
func oneApart(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return string(x[i:]) == string(y[i+1:])
	}
	if i == len(x) || string(x[i+1:]) == string(y[i+1:]) {
		return true
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
}
