package text

import "strings"

// bbElements maps BBCode's tags to HTML's. An empty one is removed without its
// content.
var bbElements = map[string]string{
	"b": "strong", "i": "em", "u": "u", "s": "del", "sub": "sub", "sup": "sup",
	"quote": "blockquote", "list": "ul", "ul": "ul", "ol": "ol", "li": "li",
	"color": "", "size": "", "font": "", "center": "", "left": "", "right": "",
	"url": "a",
}

// bbTag is a tag in BBCode; one without a use is shown as typed.
type bbTag struct {
	start, end  int // of the tag; a leaf's end is that of its end tag
	name, value string
	use         bbUse
	body        string // of a leaf, as typed
}

type bbUse byte

const (
	bbShown bbUse = iota
	bbOpens
	bbCloses
	bbItem // [*]
	bbLeaf // [code], [img], and [url] around an address
)

// renderBBCode returns clean src as HTML with no links but its own. Unpaired,
// wrongly nested or unknown tags are shown as typed.
func renderBBCode(src string, rules *Rules) string {
	tags := bbTags(src, rules)
	pairBBTags(tags)
	w := bbWriter{linker: &linker{out: make([]byte, 0, 2*len(src))}}
	pos := 0
	for _, tag := range tags {
		if tag.use == bbShown || tag.use == bbItem && len(w.items) == 0 {
			continue
		}
		w.text(src[pos:tag.start], tag.atLineStart())
		w.tag(tag)
		pos = tag.end
	}
	w.text(src[pos:], false)
	return string(w.out)
}

// atLineStart reports whether a line end before the tag belongs to the tag.
func (t bbTag) atLineStart() bool {
	switch t.name {
	case "*", "li":
		return true
	case "list", "ul", "ol":
		return t.use == bbCloses
	}
	return false
}

// bbTags returns the possible tags, and leaves with their bodies.
func bbTags(src string, rules *Rules) []bbTag {
	var tags []bbTag
	codeEnds := true // a search for [/code] may yet succeed
	for pos := 0; ; {
		open := strings.IndexByte(src[pos:], '[')
		if open < 0 {
			return tags
		}
		tag, ok := bbTagAt(src, pos+open, rules)
		if !ok {
			pos += open + 1
			continue
		}
		pos = tag.end
		switch {
		case tag.use == bbCloses:
		case tag.name == "code":
			if !codeEnds {
				continue
			}
			end := indexFold(src[pos:], "[/code]")
			if codeEnds = end >= 0; !codeEnds {
				continue
			}
			tag.use, tag.body = bbLeaf, src[pos:pos+end]
			pos += end + len("[/code]")
		case tag.name == "img", tag.name == "url" && tag.value == "":
			end := strings.IndexByte(src[pos:], '[')
			closer := "[/" + tag.name + "]"
			if end < 0 || !hasPrefixFold(src[pos+end:], closer) {
				continue
			}
			tag.body = strings.TrimSpace(src[pos : pos+end])
			if tag.value = bbAddress(tag.name, tag.body, rules); tag.value == "" {
				continue
			}
			tag.use = bbLeaf
			pos += end + len(closer)
		}
		tag.end = pos
		tags = append(tags, tag)
	}
}

// bbTagAt reads the tag at src[i], which is a bracket.
func bbTagAt(src string, i int, rules *Rules) (bbTag, bool) {
	tag := bbTag{start: i, use: bbOpens}
	j := i + 1
	if strings.HasPrefix(src[j:], "*]") {
		tag.name, tag.end, tag.use = "*", j+2, bbItem
		return tag, true
	}
	if j < len(src) && src[j] == '/' {
		tag.use = bbCloses
		j++
	}
	name := j
	for j < len(src) && isAlnum(src[j]) && j-name < 8 {
		j++
	}
	tag.name = strings.ToLower(src[name:j])
	if _, known := bbElements[tag.name]; !known && tag.name != "code" && tag.name != "img" {
		return tag, false
	}
	if tag.use == bbOpens && j < len(src) && src[j] == '=' {
		value := j + 1
		j = value
		for j < len(src) && src[j] != ']' && src[j] != '[' && src[j] != '\n' {
			j++
		}
		tag.value = strings.Trim(src[value:j], `"' `)
		if tag.name == "url" {
			if tag.value = bbAddress("url", tag.value, rules); tag.value == "" {
				return tag, false
			}
		}
	}
	tag.end = j + 1
	return tag, j < len(src) && src[j] == ']'
}

// bbAddress returns the address of a link or picture, "" for an invalid one.
func bbAddress(name, s string, rules *Rules) string {
	schemes := rules.hrefs
	if name == "img" {
		schemes = webSchemes
	} else if end, dotted := wordEnd(s, 0); dotted && end > 0 {
		if u, ok := findURL(s, 0, end, dotted, ' ', schemes, rules.known); ok && u.start == 0 {
			s = u.prefix + s
		}
	}
	address, _ := cleanHref(s, schemes) // "" when it is none
	return address
}

// pairBBTags pairs each end tag with its start. Starts between them, and ends
// without a start, are shown as typed.
func pairBBTags(tags []bbTag) {
	var open []int // indexes of tags
	count := map[string]int{}
	pop := func() int {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		count[tags[i].name]--
		return i
	}
	inList := func(i int) bool {
		switch tags[i].name {
		case "list", "ul", "ol":
			return true
		}
		return false
	}
	for i := range tags {
		tag := &tags[i]
		use := tag.use
		if use != bbLeaf {
			tag.use = bbShown
		}
		switch use {
		case bbOpens:
			if tag.name == "url" && (tag.value == "" || count["url"] > 0) || len(open) == maxDepth {
				continue
			}
			open = append(open, i)
			count[tag.name]++
		case bbItem:
			if count["list"]+count["ul"]+count["ol"] == 0 {
				continue
			}
			for !inList(open[len(open)-1]) {
				pop()
			}
			tag.use = bbItem
		case bbCloses:
			if count[tag.name] == 0 {
				continue
			}
			for {
				if start := pop(); tags[start].name == tag.name {
					tags[start].use, tag.use = bbOpens, bbCloses
					tag.value = tags[start].value
					break
				}
			}
		case bbLeaf:
			if tag.name == "url" && count["url"] > 0 {
				tag.use = bbShown
			}
		}
	}
}

// bbWriter writes the HTML of paired tags.
type bbWriter struct {
	*linker
	items    []bool // per open list, whether an item begun by [*] is open
	dropLine bool   // the next line end belongs to the tag before it
}

func (w *bbWriter) text(s string, dropLast bool) {
	if w.dropLine {
		s = strings.TrimPrefix(strings.TrimLeft(s, " \t"), "\n")
	}
	if dropLast {
		s = strings.TrimSuffix(strings.TrimRight(s, " \t"), "\n")
	}
	w.dropLine = w.dropLine && s == ""
	w.escape(s, true)
}

func (w *bbWriter) tag(tag bbTag) {
	el := bbElements[tag.name]
	isList := el == "ul" || el == "ol"
	if tag.name == "list" && tag.value != "" {
		el = "ol"
	}
	w.dropLine = isList && tag.use == bbOpens || tag.use == bbItem ||
		tag.use == bbCloses && (isList || el == "li" || el == "blockquote")
	switch tag.use {
	case bbLeaf:
		w.leaf(tag)
	case bbItem:
		if last := len(w.items) - 1; w.items[last] {
			w.raw("</li>")
		} else {
			w.items[last] = true
		}
		w.raw("<li>")
	case bbOpens:
		switch {
		case isList:
			w.items = append(w.items, false)
			w.raw("<", el, ">")
		case el == "a":
			w.anchor(tag.value)
		case el != "":
			w.raw("<", el, ">")
		}
	case bbCloses:
		if isList {
			if last := len(w.items) - 1; w.items[last] {
				w.raw("</li>")
			}
			w.items = w.items[:len(w.items)-1]
		}
		if el != "" {
			w.raw("</", el, ">")
		}
	}
}

func (w *bbWriter) leaf(tag bbTag) {
	switch tag.name {
	case "img":
		w.raw(`<img src="`)
		w.escape(tag.value, false)
		w.raw(`" alt="">`)
	case "url":
		w.anchor(tag.value)
		w.escape(tag.body, true)
		w.raw("</a>")
	default:
		code := strings.Trim(tag.body, "\n")
		lines := strings.Contains(code, "\n")
		if lines {
			w.raw("<pre>")
		}
		w.raw("<code>")
		w.escape(code, false)
		w.raw("</code>")
		if lines {
			w.raw("</pre>")
		}
		w.dropLine = lines
	}
}

func (w *bbWriter) anchor(href string) {
	w.raw(`<a href="`)
	w.escape(href, false)
	w.raw(`">`)
}

func (w *bbWriter) raw(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}

// indexFold is strings.Index ignoring case, for a lower-case needle that begins
// with a bracket.
func indexFold(s, needle string) int {
	for i := 0; ; i++ {
		next := strings.IndexByte(s[i:], '[')
		if next < 0 {
			return -1
		}
		i += next
		if hasPrefixFold(s[i:], needle) {
			return i
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
