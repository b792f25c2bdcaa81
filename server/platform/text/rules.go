package text

import (
	"reflect"
	"strings"
)

// Choices are an instance's settings for texts.
type Choices struct {
	Rel         string   // the relation of links: words
	Truncate    int      // longest text of an address that is linked, in characters; 0 is any
	StripPrefix bool     // show addresses without scheme and www.
	Extra       bool     // also link addresses other than pages
	Schemes     []string // allowed in links
	Class       string   // of links to typed addresses: words
	NewWindow   bool     // such links open a new window
	// KnownTLD selects the addresses whose top-level domain must be known.
	KnownTLD TLDCheck

	InlineImages, Headings, Tables, Fonts bool
}

// TLDCheck selects the addresses whose top-level domain must exist.
type TLDCheck int

// The checks.
const (
	WithoutScheme TLDCheck = iota // of those that are typed without http://
	EveryAddress
	NoAddress
)

// UsualChoices returns the defaults.
func UsualChoices() Choices {
	return Choices{
		Rel: "ugc", Extra: true, InlineImages: true,
		Schemes: strings.Fields("https http dat dweb gopher hyper ipfs ipns irc ircs magnet mailto mumble ssb xmpp"),
	}
}

// Rules are compiled choices. They never change; nil Rules are the defaults.
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

// never are schemes that run their content, or show local data of readers: no
// choice allows them.
var never = schemeSet("javascript vbscript data blob file filesystem about view-source jar")

// NewRules compiles c, without unknown words in Rel and dangerous schemes.
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

// plainClasses returns the plain class names in names.
func plainClasses(names string) string {
	kept, _ := keepWords(names, isClass)
	return kept
}

// isClass reports whether a word is a plain class name.
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

// Sanitize is the function of this name with r.
func (r *Rules) Sanitize(s string) string { return sanitize(s, r.orUsual().output) }

// StripRich is the function of this name with r.
func (r *Rules) StripRich(s string) string { return sanitize(s, r.orUsual().stripped) }

// Again is Sanitize for a result of Format by some rules. It is quick for the
// default rules, which leave their own tags in place.
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

// shownURL returns the displayed form of an address in a text.
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
