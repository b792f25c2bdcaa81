package text

import (
	"reflect"
	"strings"
)

// Choices are what an instance decides about texts.
type Choices struct {
	Rel         string   // the relation that links have to their page: words
	Truncate    int      // longest text of an address that is linked, in characters; 0 is any
	StripPrefix bool     // show addresses without scheme and www.
	Extra       bool     // link other addresses than those of pages
	Schemes     []string // that links may have
	Class       string   // of links to addresses that were typed: words
	NewWindow   bool     // such links open a window of their own
	// KnownTLD says of which addresses the top-level domain must be known.
	KnownTLD TLDCheck

	InlineImages, Headings, Tables, Fonts bool
}

// TLDCheck is of which addresses the top-level domain must be one that exists.
type TLDCheck int

// The checks.
const (
	WithoutScheme TLDCheck = iota // of those that are typed without http://
	EveryAddress
	NoAddress
)

// UsualChoices are the defaults.
func UsualChoices() Choices {
	return Choices{
		Rel: "ugc", Extra: true, InlineImages: true,
		Schemes: strings.Fields("https http dat dweb gopher hyper ipfs ipns irc ircs magnet mailto mumble ssb xmpp"),
	}
}

// Rules are an instance's choices, made ready. They never change; the nil Rules
// are the usual ones.
type Rules struct {
	truncate    int
	stripPrefix bool
	rel         string // as an attribute with a space before it, or ""
	begin       string // of a link to an address, up to its href's value
	end         string // of such a start tag, after that value's quote
	known       TLDCheck
	hrefs       map[string]bool
	linked      map[string]bool // of addresses that are found in a text
	markdown    *markdownReader

	output, typed, typedMarkdown, stripped *policy
	usual                                  bool
}

var usualRules = NewRules(UsualChoices())

func (r *Rules) orUsual() *Rules {
	if r == nil {
		return usualRules
	}
	return r
}

// never are schemes that run what they hold, or show what is on the reader's
// own machine: no choice allows them.
var never = schemeSet("javascript vbscript data blob file filesystem about view-source jar")

// NewRules makes c ready. Of Rel what is not known, and of Schemes what could
// harm a reader, is left out.
func NewRules(c Choices) *Rules {
	r := &Rules{truncate: c.Truncate, stripPrefix: c.StripPrefix, known: c.KnownTLD, begin: `<a href="`, hrefs: map[string]bool{}, linked: map[string]bool{}}
	for _, scheme := range c.Schemes {
		if scheme = strings.ToLower(scheme); isScheme(scheme) && !never[scheme] {
			r.hrefs[scheme] = true
			r.linked[scheme] = typedSchemes[scheme] && (c.Extra || webSchemes[scheme])
		}
	}
	words, _ := keepWords(c.Rel, func(word string) bool { return relWords[word] })
	if words != "" {
		r.rel = ` rel="` + words + `"`
	}
	if class := plainClasses(c.Class); class != "" {
		r.begin = `<a class="` + class + `" href="`
	}
	if r.end = r.rel + ">"; c.NewWindow {
		r.end = ` target="_blank"` + r.rel + ">"
	}
	r.output = &policy{tags: outputTags(c, r.hrefs)}
	r.typed = &policy{tags: outputTags(c, r.hrefs), rels: relTyped, typedRel: words}
	r.typedMarkdown = &policy{tags: outputTags(c, r.hrefs), rels: relTyped, typedRel: words, compact: true}
	r.stripped = &policy{tags: only(outputTags(c, r.hrefs), "a", "br", "p", "span", "img")}
	r.markdown = newMarkdownReader(c)
	r.usual = reflect.DeepEqual(c, UsualChoices())
	return r
}

// plainClasses are the words of names that are plain names of classes.
func plainClasses(names string) string {
	kept, _ := keepWords(names, isClass)
	return kept
}

// isClass reports whether a word is a plain name of a class.
func isClass(word string) bool {
	for i := range len(word) {
		if c := word[i]; !isAlnum(c) && c != '-' && c != '_' {
			return false
		}
	}
	return word != ""
}

// isScheme reports whether s has the form of a scheme. Shape: RFC 3986, 3.1, as
// far as cleanHref reads.
func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && (i == 0 || s[i] != '+' && s[i] != '-' && s[i] != '.') || i == 0 && isDigit(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= 16
}

// Sanitize is the function of this name by r.
func (r *Rules) Sanitize(s string) string { return sanitize(s, r.orUsual().output) }

// StripRich is the function of this name by r.
func (r *Rules) StripRich(s string) string { return sanitize(s, r.orUsual().stripped) }

// Again is Sanitize for what Format made by some rules, r or earlier ones: quick
// where r is the usual ones, which leave in place whose tags they know.
func (r *Rules) Again(s string) string {
	r = r.orUsual()
	if !r.usual {
		return r.Sanitize(s)
	}
	for rest := s; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			return s
		}
		rest = strings.TrimPrefix(rest[i+1:], "/")
		end := strings.IndexAny(rest, " >")
		if end < 0 || r.output.tags[rest[:end]] == nil {
			return r.Sanitize(s)
		}
		rest = rest[end:]
	}
}

// shownURL is how an address that was found in a text is shown.
func (r *Rules) shownURL(s string) string {
	if r.stripPrefix {
		for _, prefix := range []string{"https://", "http://", "www."} {
			if rest := s[min(len(prefix), len(s)):]; hasPrefixFold(s, prefix) && rest != "" {
				s = rest
			}
		}
	}
	if r.truncate <= 0 || len(s) <= r.truncate || Length(s) <= r.truncate {
		return s
	}
	n := 0
	for i := range s {
		if n == r.truncate {
			return s[:i] + "..."
		}
		n++
	}
	return s
}
