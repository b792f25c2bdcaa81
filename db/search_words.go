package db

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64   // characters of a word that are looked at
	maxWords = 3000 // words of a text that can be found
)

// words returns the words that index a text, in order: runs of letters and
// digits in lower case, without accents. In scripts without spaces between
// words each pair of characters is a word, and the last character.
func words(s string) []string {
	var (
		buf   = make([]byte, 0, len(s)+16) // all words, one after the other
		ends  = make([]int, 0, len(s)/5+4)
		run   []rune // of a script without spaces between words
		start int    // of the word under way, which has n characters
		n     int
	)
	end := func() {
		if len(buf) > start {
			ends = append(ends, len(buf))
		}
		for i := range run[:min(len(run), maxWords)] {
			for _, r := range run[i:min(i+2, len(run))] {
				buf = utf8.AppendRune(buf, r)
			}
			ends = append(ends, len(buf))
		}
		start, n, run = len(buf), 0, run[:0]
	}
	for _, r := range norm.NFKD.String(s) {
		if len(ends) >= maxWords {
			break
		}
		switch {
		case r < utf8.RuneSelf:
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
				end()
				continue
			}
			if len(run) > 0 {
				end()
			}
			if n++; n <= maxWord {
				buf = append(buf, byte(r))
			}
		case r >= 0x300 && r <= 0x36f: // accents
		case !unicode.In(r, unicode.L, unicode.N, unicode.M):
			end()
		case unparted(r):
			if n > 0 {
				end()
			}
			run = append(run, r)
		default:
			if len(run) > 0 {
				end()
			}
			if n++; n <= maxWord {
				buf = utf8.AppendRune(buf, unicode.ToLower(r))
			}
		}
	}
	end()
	all, out := string(buf), make([]string, len(ends), len(ends)+2)
	start = 0
	for i, at := range ends {
		out[i], start = all[start:at], at
	}
	return out
}

func unparted(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// A term is a sequence of words that must follow each other. The last one may
// be a prefix.
type term struct {
	words  []string
	prefix bool
}

// maxTerms bounds the terms of a search; more are ignored.
const maxTerms = 16

// terms parses a search: words, and "words in quotes" that must follow each
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
			if unparted(last[0]) { // it may be the second of a pair, or end the text
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

// misspellings returns the hashes of a word, and of the word without each one
// of its letters.
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

// oneApart reports whether two words differ by at most one letter: another one,
// one more, one less, or two neighbours swapped.
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
