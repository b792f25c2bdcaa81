package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// maxDepth is the deepest nesting of elements; deeper ones lose their tags.
const maxDepth = 32

// walker rewrites HTML token by token. It keeps no tree, so that nesting is
// cheap, but the stack of open elements, so that its output is balanced.
type walker struct {
	policy *policy
	l      *linker
	links  bool // link text outside a, code and pre
	open   []*element
	attrs  []attr // of the tag at hand
	// afterBlock is set if nothing was written since a block's tag.
	afterBlock bool
	// lineStart is set if nothing but blanks was written since a block's tag or a
	// line break.
	lineStart bool
	// pending is the space that removed tags leave, until something follows.
	pending space
}

type attr struct{ key, value string }

// walk writes clean HTML s to l as its policy allows.
func walk(s string, p *policy, l *linker) {
	w := &walker{policy: p, l: l, links: l.link, afterBlock: true, lineStart: true}
	z := html.NewTokenizer(strings.NewReader(s))
	code := false // within a script or style
	read := 0     // bytes of s
	for {
		kind := z.Next()
		read += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			for len(w.open) > 0 {
				w.pop()
			}
			return
		case html.TextToken:
			if !code || !p.dropCode {
				w.text(string(z.Text()), s[read:])
			}
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			code = string(name) == "script" || string(name) == "style"
			el := p.tags[string(name)]
			if el == nil || isHeading(name) {
				w.pending = max(w.pending, spaces[string(name)])
			}
			if el == nil {
				continue
			}
			w.readAttrs(z, el, more)
			w.start(el)
			continue
		case html.EndTagToken:
			name, _ := z.TagName()
			el := p.tags[string(name)]
			if el != nil {
				w.end(el)
			}
			if el == nil || isHeading(name) {
				w.pending = max(w.pending, spaces[string(name)])
			}
		}
		code = false
	}
}

// text writes a text, which behind follows in HTML.
func (w *walker) text(s, behind string) {
	parts := strings.Split(s, asTyped)
	for i := range parts {
		parts[i], _ = Clean(parts[i])
	}
	s = strings.Join(parts, "")
	if s == "" || (w.policy.compact && w.afterBlock || w.pending > 0) && w.blank(s) {
		return
	}
	w.apart()
	w.afterBlock = false
	w.lineStart = w.lineStart && w.blank(s)
	w.l.link = w.links
	for _, el := range w.open {
		if el.kind == literal || el.kind == preformatted {
			w.l.link = false
		}
	}
	if w.l.link && w.l.opts.Resolve != nil && strings.IndexByte(s, '@') >= 0 {
		behind = w.shown(behind)
	} else {
		behind = ""
	}
	w.l.rest = strings.Join(parts[1:], "") + behind
	w.l.text(parts[0], false)
	for i, part := range parts[1:] {
		if part == "" {
			continue
		}
		w.l.rest = strings.Join(parts[i+2:], "") + behind
		// Neither this character nor what it would begin is a link.
		_, size := utf8.DecodeRuneInString(part)
		w.l.escape(part[:size], false)
		w.l.textAfter(part[0], part[size:], false)
	}
}

// maxBehind is how much of the HTML behind a text is looked at, in bytes.
const maxBehind = 1024

// shown returns the beginning of what is read on the same line where HTML is shown:
// elements such as <b> leave no space, so a name may go on within them.
func (w *walker) shown(behind string) string {
	var out []byte
	z := html.NewTokenizer(strings.NewReader(behind[:min(len(behind), maxBehind)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return string(out)
		case html.TextToken:
			text, _ := Clean(strings.ReplaceAll(string(z.Text()), asTyped, ""))
			out = append(out, text...)
			if strings.ContainsAny(text, " \n\t") {
				return string(out)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			if el := w.policy.tags[string(name)]; spaces[string(name)] > 0 || el != nil && el.kind == void {
				return string(out)
			}
		}
	}
}

// apart writes the space that removed tags left: a line break, or a blank between
// cells and where the policy has no line breaks.
func (w *walker) apart() {
	if w.pending == 0 {
		return
	}
	if !w.lineStart {
		if br := w.policy.tags["br"]; br != nil && w.pending > spaceBlank {
			w.l.out = append(w.l.out, "<br>"...)
			w.lineStart = true
		} else {
			w.l.out = append(w.l.out, ' ')
		}
	}
	w.pending = 0
}

func isHeading(name []byte) bool {
	return len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
}

// blank reports whether s is only the line end between two blocks.
func (w *walker) blank(s string) bool {
	for _, el := range w.open {
		if el.kind == preformatted {
			return false
		}
	}
	return strings.TrimSpace(s) == ""
}

// readAttrs sets w.attrs to the allowed attributes of a tag for el. Of a
// repeated one the first counts, as in browsers.
func (w *walker) readAttrs(z *html.Tokenizer, el *element, more bool) {
	w.attrs = w.attrs[:0]
	var key, value []byte
	for more {
		key, value, more = z.TagAttr()
		rule := el.attrs[string(key)]
		if rule == nil || w.attr(string(key)) >= 0 {
			continue
		}
		if v, ok := rule(string(value)); ok {
			w.attrs = append(w.attrs, attr{string(key), v})
		}
	}
	if el.name == "a" && w.policy.rels != relKeep && w.attr("href") >= 0 {
		w.fixRel()
	}
}

func (w *walker) attr(key string) int {
	for i := range w.attrs {
		if w.attrs[i].key == key {
			return i
		}
	}
	return -1
}

func (w *walker) fixRel() {
	i := w.attr("rel")
	if i < 0 {
		i = len(w.attrs)
		w.attrs = append(w.attrs, attr{key: "rel"})
	}
	rel := &w.attrs[i].value
	if w.policy.rels == relRemote {
		*rel = strings.TrimSpace(*rel + " nofollow noopener noreferrer")
		return
	}
	*rel, _ = keepWords(*rel+" "+w.policy.typedRel, func(word string) bool { return relWords[word] })
	if *rel == "" {
		w.attrs = slices.Delete(w.attrs, i, i+1)
	}
}

// start writes el's start tag, after the end tags that it implies.
func (w *walker) start(el *element) {
	switch el.kind {
	case block, preformatted:
		w.afterBlock, w.lineStart, w.pending = true, true, 0
		w.closeParagraph()
		if el.name == "li" {
			w.closeItem()
		}
	case literal:
		if el.name == "a" {
			w.closeLink()
		}
		w.afterBlock = false
	default:
		w.afterBlock = false
	}
	if el.kind != block && el.kind != preformatted {
		w.apart()
		w.lineStart = el.name == "br" || w.lineStart && el.kind != void
	}
	if el.kind != void && len(w.open) == maxDepth {
		return
	}
	out := append(w.l.out, '<')
	out = append(out, el.name...)
	for _, a := range w.attrs {
		out = append(out, ' ')
		out = append(out, a.key...)
		out = append(out, `="`...)
		w.l.out = out
		w.l.escape(a.value, false)
		out = append(w.l.out, '"')
	}
	w.l.out = append(out, '>')
	if el.kind != void {
		w.open = append(w.open, el)
	}
}

// closeParagraph closes the paragraph that a block's start ends.
func (w *walker) closeParagraph() {
	for i := len(w.open) - 1; i >= 0; i-- {
		el := w.open[i]
		if el.name == "p" {
			w.popTo(i)
			return
		}
		if el.kind == block {
			return
		}
	}
}

// closeItem closes the list item that the next one ends.
func (w *walker) closeItem() {
	for i := len(w.open) - 1; i >= 0; i-- {
		switch w.open[i].name {
		case "li":
			w.popTo(i)
			return
		case "ul", "ol":
			return
		}
	}
}

// closeLink closes the link within which another begins.
func (w *walker) closeLink() {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].name == "a" {
			w.popTo(i)
			return
		}
	}
}

// end writes the end tags down to the nearest open el. An inline element's end
// stops at the enclosing block, except for a link's, so that later text cannot
// become part of the link.
func (w *walker) end(el *element) {
	isBlock := el.kind == block || el.kind == preformatted
	reaches := isBlock || el.name == "a"
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i] == el {
			w.popTo(i)
			w.afterBlock = isBlock
			if isBlock {
				w.lineStart, w.pending = true, 0
			}
			return
		}
		if k := w.open[i].kind; !reaches && (k == block || k == preformatted) {
			return
		}
	}
}

func (w *walker) popTo(i int) {
	for len(w.open) > i {
		w.pop()
	}
}

func (w *walker) pop() {
	last := len(w.open) - 1
	w.l.out = append(w.l.out, "</"...)
	w.l.out = append(w.l.out, w.open[last].name...)
	w.l.out = append(w.l.out, '>')
	w.open = w.open[:last]
}
