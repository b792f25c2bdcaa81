package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// Phrase is what filters of people and policies look for in a text: characters
// or an expression. Both are compared in compatibility form, without invisible
// characters, and for characters any space is one blank.
type Phrase struct {
	chars   string
	anyCase bool
	whole   bool // not within longer words
	re      *regexp.Regexp
}

// NewPhrase returns the phrase of a text without surrounding spaces, in any case
// and, with wholeWord, not within longer words. No character is special. An
// empty one matches nothing.
func NewPhrase(s string, wholeWord bool) Phrase {
	return Phrase{chars: fold(strings.TrimSpace(ReadText(s).inFlat().text)), anyCase: true, whole: wholeWord}
}

// ExactPhrase returns the phrase of a text in which case counts, with its
// surrounding spaces. An empty one matches nothing.
func ExactPhrase(s string) Phrase { return Phrase{chars: ReadText(s).inFlat().text} }

// Expression returns the phrase of a regular expression, which is tried on the
// text as it is shown too.
func Expression(re *regexp.Regexp) Phrase {
	if composed, err := regexp.Compile(norm.NFC.String(re.String())); err == nil {
		re = composed
	}
	return Phrase{re: re}
}

// In reports whether a text contains the phrase. With whole words, a phrase that
// begins or ends with a letter or a digit must begin or end a word there. An
// underscore ends a word, as it does around words that are stressed with it.
func (p Phrase) In(r *Reading) bool {
	switch {
	case p.re != nil:
		return p.re.MatchString(r.inNormal().text) || p.re.MatchString(r.shown)
	case p.chars == "":
		return false
	case !p.anyCase:
		return strings.Contains(r.inFlat().text, p.chars)
	}
	for _, text := range r.inOneCase() {
		if p.within(text) {
			return true
		}
	}
	return false
}

func (p Phrase) within(text string) bool {
	first, _ := utf8.DecodeRuneInString(p.chars)
	last, _ := utf8.DecodeLastRuneInString(p.chars)
	for at := 0; ; {
		i := strings.Index(text[at:], p.chars)
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(p.chars)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		longer := inWord(first) && start > 0 && inWord(before) || inWord(last) && end < len(text) && inWord(after)
		if !p.whole || !longer {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + size
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// change is a part of a shown text, and its replacement.
type change struct {
	span
	with string
}

// ReplaceText returns a text without markup in which with stands for all
// matches of the phrase, but for those in addresses, mentions and hashtags. In
// an expression, \1 is its first group, and so on. A nil r is the default rules.
func (p Phrase) ReplaceText(s, with string, r *Rules) string {
	s, _ = Clean(s)
	changes := p.changes(&Reading{shown: s}, with, func() []span { return r.orUsual().addresses(s) })
	return apply(s, changes)
}

// ReplaceHTML is ReplaceText for the shown text of HTML.
func (p Phrase) ReplaceHTML(s, with string, r *Rules) string {
	doc := readDocument(s)
	shown := doc.shown.String()
	changes := p.changes(&Reading{shown: shown}, with, func() []span { return append(doc.kept, r.orUsual().addresses(shown)...) })
	if len(changes) == 0 {
		return s
	}
	var b strings.Builder
	copied := 0
	for _, piece := range doc.pieces {
		var own []change
		for end := piece.at + len(piece.text); len(changes) > 0 && changes[0].start < end; changes = changes[1:] {
			c := &changes[0]
			if c.end > piece.at {
				// The first piece of a match gets what stands for it.
				own = append(own, change{span{max(c.start, piece.at) - piece.at, min(c.end, end) - piece.at}, c.with})
				c.with = ""
			}
			if c.end > end {
				break
			}
		}
		if len(own) > 0 {
			b.WriteString(s[copied:piece.start])
			b.WriteString(html.EscapeString(apply(piece.text, own)))
			copied = piece.end
		}
	}
	b.WriteString(s[copied:])
	return b.String()
}

// changes returns the replacements in a text, in order.
func (p Phrase) changes(r *Reading, with string, kept func() []span) []change {
	found := p.matches(r, with)
	if len(found) == 0 {
		return nil
	}
	keep, out, done := kept(), found[:0], 0
	slices.SortFunc(keep, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for _, c := range found {
		for len(keep) > 0 && keep[0].end <= c.start {
			keep = keep[1:]
		}
		if c.start >= done && (len(keep) == 0 || c.end <= keep[0].start) {
			out, done = append(out, c), c.end
		}
	}
	return out
}

// matches finds an exact phrase or an expression in a text.
func (p Phrase) matches(r *Reading, with string) []change {
	if p.re == nil {
		if p.chars == "" {
			return nil
		}
		f, out := r.inFlat(), []change(nil)
		for at := 0; ; {
			i := strings.Index(f.text[at:], p.chars)
			if i < 0 {
				return out
			}
			start := at + i
			at = start + len(p.chars)
			out = append(out, change{f.span(start, at), with})
		}
	}
	template := groups.ReplaceAllString(strings.ReplaceAll(with, "$", "$$"), "$${$1}")
	f := r.inNormal()
	out := expand(p.re, f.text, template, f.span)
	if len(out) == 0 && f.text != r.shown {
		out = expand(p.re, r.shown, template, func(start, end int) span { return span{start, end} })
	}
	return out
}

// groups are the references to groups in replacements.
var groups = regexp.MustCompile(`\\([0-9])`)

func expand(re *regexp.Regexp, text, template string, place func(start, end int) span) []change {
	var out []change
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		if m[0] < m[1] {
			out = append(out, change{place(m[0], m[1]), string(re.ExpandString(nil, template, text, m))})
		}
	}
	return out
}

// span returns the part of the text that the bytes start to end of f stand for.
func (f *form) span(start, end int) span { return span{int(f.from[start]), int(f.to[end-1])} }

// apply returns s with its changes, which are in order and do not overlap.
func apply(s string, changes []change) string {
	if len(changes) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(s[at:c.start])
		b.WriteString(c.with)
		at = c.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// addresses returns the parts of a text without markup that are addresses of
// pages or people, or hashtags.
func (r *Rules) addresses(s string) []span {
	var out []span
	prev := byte(' ')
	for i := 0; i < len(s); {
		c, end := s[i], i
		switch steps[c] {
		case stepMention:
			if nick, _, whole := handleEnds(s, i); opens(prev) && nick > i+1 {
				end = whole
			}
		case stepTag:
			if opens(prev) {
				end = tagEnd(s, i+1)
			}
		case stepWord:
			word, dotted := wordEnd(s, i)
			if word == i {
				_, n := utf8.DecodeRuneInString(s[i:])
				i, prev = i+n, ' '
				continue
			}
			switch u, ok := findURL(s, i, word, dotted, prev, r.linked, r.known); {
			case ok:
				out = append(out, span{u.start, u.end})
				i, prev = u.end, 'a'
				continue
			case word < len(s) && s[word] == '@': // of mail
				if host, _ := wordEnd(s, word+1); host > word+1 {
					end = host
				}
			}
			if end <= i {
				i, prev = word, 'a'
				continue
			}
		}
		if end > i {
			out = append(out, span{i, end})
			i, prev = end, 'a'
			continue
		}
		prev = c
		i++
	}
	return out
}
