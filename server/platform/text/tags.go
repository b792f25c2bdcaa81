package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTag = 255 // bytes; database keys end somewhere

	wideSign  = "＃"      // FULLWIDTH NUMBER SIGN, which begins hashtags too
	nonJoiner = '\u200c' // ZERO WIDTH NON-JOINER: Persian words have it within
	joiner    = '\u200d' // ZERO WIDTH JOINER, in Sinhala
)

// Tag returns the name by which a hashtag is stored and compared, with or without
// its sign; "" for none. One word is one tag, however it was typed: names are in
// compatibility form (NFKC) and in one case. Each letter is folded to one letter
// (σ and ς are one), so that names stay those that other servers use: #straße is
// not #strasse.
func Tag(name string) string {
	name = strings.TrimSpace(cleanLine(name))
	if rest, ok := strings.CutPrefix(name, wideSign); ok {
		name = rest
	} else {
		name = strings.TrimPrefix(name, "#")
	}
	if isASCII(name) {
		return strings.ToLower(name)
	}
	key := oneCase(norm.NFKC.String(name))
	if tagEnd(key, 0) != len(key) && tagEnd(name, 0) == len(name) {
		// The compatibility form of a letter or number may hold other characters: "⑴"
		// is "(1)".
		key = oneCase(norm.NFC.String(name))
	}
	return key
}

// TagName is Tag for a name that must be a hashtag; ok is false for any other.
func TagName(name string) (tag string, ok bool) {
	tag = Tag(name)
	return tag, tag != "" && tagEnd(tag, 0) == len(tag)
}

// oneCase folds each letter to the lower case of its upper case.
func oneCase(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.SimpleFold(r) == r {
			return unicode.ToLower(r)
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s))
}

// Tags returns the hashtags that a search may mean, by their names: the ones it
// marks with a sign, or else its words.
func Tags(query string) (names []string, marked bool) {
	query, _ = Clean(query)
	var found, words []string
	sign := false
	for i := 0; i < len(query); {
		r, n := utf8.DecodeRuneInString(query[i:])
		end := i
		for end < len(query) {
			size, _ := tagRune(query, end, i)
			if size == 0 {
				break
			}
			end += size
		}
		switch name := Tag(query[i:end]); {
		case end == i:
			sign = r == '#' || query[i:i+n] == wideSign
			i += n
			continue
		case name == "" || len(name) > maxTag:
		case sign:
			found = append(found, name)
		default:
			words = append(words, name)
		}
		i, sign = end, false
	}
	if found != nil {
		return found, true
	}
	return words, false
}

// tagEnd returns the end of the hashtag whose # is before s[i], 0 for none: word
// characters and marks with a letter, an underscore or a middle dot among them;
// between letters also joiners and katakana middle dots.
func tagEnd(s string, i int) int {
	start := i
	named := false
	for i < len(s) {
		n, names := tagRune(s, i, start)
		if n == 0 {
			break
		}
		named = named || names
		i += n
	}
	if !named || i-start > maxTag {
		return 0
	}
	return i
}

// tagAt returns the end of the hashtag whose sign is before s[i], and its name; 0 for
// none.
func tagAt(s string, i int) (end int, name string) {
	if end = tagEnd(s, i); end > 0 {
		name = Tag(s[i:end])
	}
	if len(name) > maxTag {
		return 0, ""
	}
	return end, name
}

// tagRune returns the length of the character at s[i] if it belongs to the hashtag
// that began at start, else 0, and whether it makes a number a name.
func tagRune(s string, i, start int) (n int, names bool) {
	r, n := rune(s[i]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(s[i:])
	}
	switch {
	case r == '_' || r == '·' || unicode.IsLetter(r):
		return n, true
	case unicode.IsNumber(r), unicode.IsMark(r), unicode.Is(unicode.Pc, r):
		return n, false
	case r == nonJoiner || r == joiner || r == '・' || r == '･':
		before, _ := utf8.DecodeLastRuneInString(s[start:i])
		after, _ := utf8.DecodeRuneInString(s[i+n:])
		if i > start && joined(before) && i+n < len(s) && joined(after) {
			return n, false
		}
	}
	return 0, false
}

func joined(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }
