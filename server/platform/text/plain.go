package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Plain returns the text of HTML: without tags, entities decoded once, line breaks
// and ends of blocks as newlines, an empty line between paragraphs, the numbers of
// numbered lists. The result must be escaped for HTML.
func Plain(s string) string {
	s, _ = Clean(s)
	if !strings.ContainsAny(s, "<&\n\t") {
		return strings.TrimSpace(s)
	}
	w := plainWriter{}
	z := html.NewTokenizer(strings.NewReader(s))
	code, pre := false, 0
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return strings.TrimSpace(w.b.String())
		case html.TextToken:
			if !code {
				w.text(string(z.Text()), pre > 0)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, more := z.TagName()
			code = kind == html.StartTagToken && (string(name) == "script" || string(name) == "style")
			switch tag := string(name); tag {
			case "br":
				w.b.WriteByte('\n')
			case "ul", "ol", "li":
				w.pending = max(w.pending, spaceLine)
				w.list(z, tag, kind == html.EndTagToken, more)
			case "pre":
				if kind == html.StartTagToken {
					pre++
				} else if pre > 0 {
					pre--
				}
				w.pending = max(w.pending, spaceParagraph)
			default:
				w.pending = max(w.pending, spaces[tag])
			}
		}
	}
}

// space is what stands between two blocks, whose tags are gone.
type space int

const (
	spaceBlank space = iota + 1
	spaceLine
	spaceParagraph
)

// spaces are the elements that stand apart from what is before and behind them,
// with the space that they leave in plain text.
var spaces = func() map[string]space {
	out := map[string]space{}
	for names, space := range map[string]space{
		"td th": spaceBlank,
		"address article aside br center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr legend li main menu nav ol " +
			"option search section summary tbody tfoot thead tr ul": spaceLine,
		"blockquote caption h1 h2 h3 h4 h5 h6 p pre table": spaceParagraph,
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = space
		}
	}
	return out
}()

// plainWriter delays the space between blocks until text follows.
type plainWriter struct {
	b       strings.Builder
	pending space
	marker  string // of the item whose text follows
	lists   []numbers
}

// numbers are those of a list's items: the next one, and the step to the one after
// it, 0 for a list without numbers.
type numbers struct{ next, step int }

// list enters or leaves a list, or enters an item. The numbers of a list that counts
// down to an unknown start are left out.
func (w *plainWriter) list(z *html.Tokenizer, tag string, end, more bool) {
	last := len(w.lists) - 1
	if end {
		if w.marker = ""; tag != "li" && last >= 0 {
			w.lists = w.lists[:last]
		}
		return
	}
	attrs := map[string]string{}
	for more {
		var key, value []byte
		if key, value, more = z.TagAttr(); len(attrs) < 16 {
			attrs[string(key)] = string(value)
		}
	}
	number := func(key string, or int) int {
		if value, ok := integer(attrs[key]); ok {
			or, _ = strconv.Atoi(value)
		}
		return or
	}
	switch _, down := attrs["reversed"]; {
	case tag == "ul":
		w.lists = append(w.lists, numbers{})
	case tag == "ol" && down && number("start", 0) == 0:
		w.lists = append(w.lists, numbers{})
	case tag == "ol" && down:
		w.lists = append(w.lists, numbers{number("start", 0), -1})
	case tag == "ol":
		w.lists = append(w.lists, numbers{number("start", 1), 1})
	case last >= 0 && w.lists[last].step != 0:
		of := &w.lists[last]
		n := number("value", of.next)
		w.marker, of.next = strconv.Itoa(n)+". ", n+of.step
	}
}

func (w *plainWriter) text(s string, pre bool) {
	s, _ = Clean(s)
	if !pre && strings.ContainsAny(s, "\n\t ") {
		if strings.TrimSpace(s) == "" && (w.pending > 0 || w.b.Len() == 0) {
			return
		}
		s = strings.NewReplacer("\n", " ", "\t", " ").Replace(s)
	}
	if s == "" {
		return
	}
	switch written := w.b.String(); {
	case written == "":
	case w.pending == spaceBlank:
		if last := written[len(written)-1]; last != '\n' && last != ' ' {
			w.b.WriteByte(' ')
		}
	case w.pending > spaceBlank:
		for ends := "\n\n"[:w.pending-spaceBlank]; !strings.HasSuffix(w.b.String(), ends); {
			w.b.WriteByte('\n')
		}
	}
	w.b.WriteString(w.marker)
	w.pending, w.marker = 0, ""
	w.b.WriteString(s)
}

// Line returns plain text, such as a name, an option or a title, on one line,
// with single spaces. It is no HTML: tags and entities are its words, which are
// escaped where it becomes HTML.
func Line(s string) string { return strings.Join(strings.Fields(cleanLine(s)), " ") }

// Lines is Line for plain text of several lines, such as a content warning.
func Lines(s string) string {
	s, _ = Clean(s)
	all := strings.Split(s, "\n")
	for i := range all {
		all[i] = strings.TrimSpace(cleanLine(all[i]))
	}
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// Either returns the plain text of s, which its sender wrote as HTML or as plain
// text without telling: summaries and titles of other servers.
func Either(s string) string {
	if IsHTML(s) {
		s = Plain(s)
	}
	return Lines(s)
}

// AsHTML returns a text of the kind that Either takes as HTML, which is not safe yet:
// the values of profile fields.
func AsHTML(s string) string {
	if IsHTML(s) || !strings.Contains(s, "<") {
		return s
	}
	return typed(s)
}

// IsHTML reports whether s reads as HTML: everything in it that begins like a tag
// is a whole one of a known element, and one of them has its end or needs none;
// or, without a <, each & begins a character reference. So "a<b", "Vec<u8>" and
// "AT&T" are plain text.
func IsHTML(s string) bool {
	if !strings.ContainsAny(s, "<&") {
		return false
	}
	z := html.NewTokenizer(strings.NewReader(s))
	var open map[string]bool
	tags, whole := false, false
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			// An unfinished tag is left in raw.
			if len(raw) > 0 {
				return false
			}
			return whole || !tags && !strings.Contains(s, "<") && allReferences(s)
		case html.CommentToken, html.DoctypeToken:
			tags = true
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if !elements[tag] || bytes.LastIndexByte(raw, '<') > 0 {
				return false
			}
			tags = true
			switch {
			case tag == "br" || tag == "hr" || tag == "img":
				whole = true
			case kind == html.EndTagToken:
				whole = whole || open[tag]
			default:
				if open == nil {
					open = map[string]bool{}
				}
				open[tag] = true
			}
		}
	}
}

// elements are those of texts.
var elements = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq("a abbr b bdi bdo big cite code data del dfn em font i iframe img ins kbd mark q rb rp rt rtc ruby s samp script small span strike strong style sub sup svg time tt u var video wbr") {
		out[name] = true
	}
	for name := range spaces {
		out[name] = true
	}
	return out
}()

// allReferences reports whether s has character references, and no & that is none.
func allReferences(s string) bool {
	found := false
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			return found
		}
		s = s[i:]
		end := strings.IndexByte(s, ';')
		if end < 2 || end > 32 || utf8.RuneCountInString(html.UnescapeString(s[:end+1])) > 2 {
			return false
		}
		found, s = true, s[end+1:]
	}
}
