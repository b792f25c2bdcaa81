package text

import (
	"strconv"
	"strings"
)

// element is an allowed tag.
type element struct {
	name  string
	kind  kind
	attrs map[string]rule
}

type kind byte

const (
	inline kind = iota
	block
	void    // has no end tag
	literal // no links within, inline
	preformatted
)

// rule returns the allowed value of an attribute, false for none.
type rule func(value string) (string, bool)

// rels is the treatment of a link's rel.
type rels byte

const (
	relKeep   rels = iota // allowed values stay
	relTyped              // and the values of the rules are added
	relRemote             // always the same, and "tag" if it was there
)

// policy is a closed list of markup.
type policy struct {
	// tags maps tag names to their replacements; other tags are removed and their
	// text stays.
	tags map[string]*element
	rels rels
	// typedRel is the value that relTyped adds.
	typedRel string
	// dropCode drops scripts and styles with their text.
	dropCode bool
	// compact drops line ends between blocks, which renderers add.
	compact bool
}

// The policies without choices, built once and never changed.
var (
	fieldPolicy  = &policy{tags: fieldTags()}
	remotePolicy = &policy{tags: remoteTags(), rels: relRemote, dropCode: true}
)

// relWords are the allowed relations of a link.
var relWords = map[string]bool{"tag": true, "nofollow": true, "noopener": true, "noreferrer": true, "ugc": true}

// Sanitize returns s with only the markup for clients: links, emphasis, lists,
// quotations, code, ruby and pictures. Other tags are removed and their text
// stays; the result is balanced and nested at most maxDepth deep.
func Sanitize(s string) string { return usualRules.Sanitize(s) }

// StripRich is Sanitize for readers without rich text: links, line breaks,
// paragraphs, spans and pictures stay.
func StripRich(s string) string { return usualRules.StripRich(s) }

// SanitizeField is Sanitize for profile fields: links stay, which may have
// rel="me".
func SanitizeField(s string) string { return sanitize(s, fieldPolicy) }

// SanitizeRemote returns remote HTML with the stored markup: text structure,
// links, and the classes of microformats and other servers. Headings become
// strong, scripts and styles are removed with their text, and every link has
// rel="nofollow noopener noreferrer".
func SanitizeRemote(s string) string { return sanitize(s, remotePolicy) }

func sanitize(s string, p *policy) string {
	s, _ = Clean(s)
	if !strings.ContainsAny(s, `<>&"'`) {
		return s
	}
	l := &linker{out: make([]byte, 0, len(s)+len(s)/8+32)}
	walk(s, p, l)
	return string(l.out)
}

func outputTags(c Choices, schemes map[string]bool) map[string]*element {
	tags := map[string]*element{}
	add := func(k kind, attrs map[string]rule, names string) {
		for _, name := range strings.Fields(names) {
			tags[name] = &element{name: name, kind: k, attrs: attrs}
		}
	}
	link := map[string]rule{
		"href":  href(schemes),
		"class": among("hashtag mention u-url " + plainClasses(c.Class)),
		"rel":   among("tag nofollow noopener noreferrer ugc"),
		"name":  plainValue, "title": plainValue, "data-user": plainValue, "data-tag": plainValue,
	}
	if c.NewWindow {
		link["target"] = among("_blank")
	}
	add(literal, link, "a")
	add(literal, nil, "code")
	add(preformatted, nil, "pre")
	add(block, nil, "blockquote p ul")
	add(block, map[string]rule{"start": integer, "reversed": flag}, "ol")
	add(block, map[string]rule{"value": integer}, "li")
	add(void, nil, "br")
	add(inline, nil, "b del em i strong sub sup u ruby rb rp rt rtc")
	tags["s"], tags["strike"] = tags["del"], tags["del"]
	add(inline, map[string]rule{"title": plainValue}, "abbr")
	add(inline, map[string]rule{"class": among("h-card")}, "span")
	if c.Headings {
		add(block, nil, "h1 h2 h3 h4 h5")
	}
	if c.Tables {
		add(block, nil, "table thead tbody tr th td")
	}
	if c.Fonts {
		add(inline, map[string]rule{"face": plainValue}, "font")
	}
	if !c.InlineImages {
		return tags
	}
	add(void, map[string]rule{
		"src":   href(webSchemes),
		"width": number, "height": number,
		"class": classes, "title": plainValue, "alt": plainValue,
	}, "img")
	return tags
}

func fieldTags() map[string]*element {
	tags := only(outputTags(UsualChoices(), typedSchemes), "a")
	tags["a"].attrs["rel"] = among("tag nofollow noopener noreferrer ugc me")
	return tags
}

func remoteTags() map[string]*element {
	tags := only(outputTags(UsualChoices(), typedSchemes), "p", "br", "strong", "b", "em", "i", "u", "del", "s", "strike", "pre", "code", "blockquote", "ul", "ol", "li")
	tags["span"] = &element{name: "span", attrs: map[string]rule{"class": microformats}}
	tags["a"] = &element{name: "a", kind: literal, attrs: map[string]rule{
		"href": href(remoteSchemes), "rel": among("tag"), "class": microformats,
	}}
	for _, heading := range []string{"h1", "h2", "h3", "h4", "h5", "h6"} {
		tags[heading] = tags["strong"]
	}
	return tags
}

func only(tags map[string]*element, names ...string) map[string]*element {
	kept := map[string]*element{}
	for _, name := range names {
		if tags[name] != nil {
			kept[name] = tags[name]
		}
	}
	return kept
}

func plainValue(value string) (string, bool) { return cleanLine(value), true }

func flag(string) (string, bool) { return "", true }

func href(schemes map[string]bool) rule {
	return func(value string) (string, bool) { return cleanHref(value, schemes) }
}

// integer allows the numbers of lists.
func integer(value string) (string, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
	return strconv.FormatInt(n, 10), err == nil
}

// number allows small whole numbers, and percentages for sizes of pictures.
func number(value string) (string, bool) {
	value = strings.TrimSpace(value)
	digits := strings.TrimSuffix(strings.TrimPrefix(value, "-"), "%")
	if digits == "" || len(digits) > 6 {
		return "", false
	}
	for i := 0; i < len(digits); i++ {
		if !isDigit(digits[i]) {
			return "", false
		}
	}
	return value, true
}

// among allows the given words, and drops others from the value.
func among(words string) rule {
	allowed := map[string]bool{}
	for _, word := range strings.Fields(words) {
		allowed[word] = true
	}
	return func(value string) (string, bool) {
		return keepWords(value, func(word string) bool { return allowed[word] })
	}
}

func classes(value string) (string, bool) {
	return keepWords(value, isName)
}

func microformats(value string) (string, bool) {
	return keepWords(value, func(word string) bool {
		switch word {
		case "mention", "hashtag", "ellipsis", "invisible":
			return true
		}
		prefix, name, _ := strings.Cut(word, "-")
		switch prefix {
		case "h", "p", "u", "dt", "e":
			return isName(name)
		}
		return false
	})
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// keepWords returns the first few allowed words of value, each once, and false
// for none.
func keepWords(value string, allowed func(string) bool) (string, bool) {
	if allowed(value) {
		return value, true
	}
	var kept []string
words:
	for word := range strings.FieldsSeq(value) {
		if !allowed(word) || len(kept) == 16 {
			continue
		}
		for _, other := range kept {
			if other == word {
				continue words
			}
		}
		kept = append(kept, word)
	}
	return strings.Join(kept, " "), kept != nil
}
