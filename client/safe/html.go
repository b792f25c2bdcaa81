package safe

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// HTML turns markup into printable text. Blocks become lines, pictures their
// alternative text; scripts and styles vanish. A link with a text other than
// its target shows both: "-> link shows a.example, goes to [b.example]" when
// the text itself names an address, "text [b.example/page]" otherwise.
func HTML(markup string) Safe { return HTMLNaming(markup, nil) }

// HTMLNaming is HTML with links that the server vouches for: names maps a
// target to a name such as "@kim@b.example" or "#go". The name replaces a
// link's text if it begins with that text.
func HTMLNaming(markup string, names map[string]string) Safe {
	if !strings.ContainsAny(markup, "<&") {
		return Clean(Raw(markup))
	}
	w := textWriter{names: names}
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			w.endLink()
			return Clean(Raw(strings.Trim(w.out.String(), "\n ")))
		case html.TextToken:
			if w.skip == 0 {
				w.text(string(tokens.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			w.start(tokens.Token())
		case html.EndTagToken:
			w.end(tokens.Token())
		}
	}
}

type textWriter struct {
	out      strings.Builder
	newlines int // that out ends with
	skip     int // depth inside elements without text content
	inLink   bool
	href     string
	link     strings.Builder
	names    map[string]string
	lists    []list
}

func (w *textWriter) text(s string) {
	if w.inLink {
		w.link.WriteString(s)
		return
	}
	if s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s); s == "" || w.newlines > 0 && strings.TrimSpace(s) == "" {
		return
	}
	if w.newlines > 0 {
		s = strings.TrimLeft(s, " ")
	}
	w.out.WriteString(s)
	w.newlines = 0
}

// lines makes out end with at least n newlines, unless it is empty.
func (w *textWriter) lines(n int) {
	if w.out.Len() == 0 {
		return
	}
	for ; w.newlines < n; w.newlines++ {
		w.out.WriteByte('\n')
	}
}

func (w *textWriter) start(tag html.Token) {
	switch tag.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Template, atom.Iframe, atom.Object:
		if tag.Type == html.StartTagToken {
			w.skip++
		}
	case atom.Br:
		if w.inLink {
			w.link.WriteByte(' ')
			return
		}
		w.out.WriteByte('\n')
		w.newlines++
	case atom.P, atom.Blockquote, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.lines(2)
	case atom.Ul, atom.Ol:
		w.lines(1)
		w.lists = append(w.lists, list{numbered: tag.DataAtom == atom.Ol, next: number(tag, "start", 1), step: 1})
		if _, down := attributeOf(tag, "reversed"); down {
			last := &w.lists[len(w.lists)-1]
			// Without a start such a list counts down from an unknown number.
			last.step, last.next, last.numbered = -1, number(tag, "start", 0), last.numbered && number(tag, "start", 0) != 0
		}
	case atom.Li:
		w.lines(1)
		w.item(tag)
	case atom.Td, atom.Th:
		if w.out.Len() > 0 && w.newlines == 0 {
			w.text(" ")
		}
	case atom.Img:
		w.text("[image: " + attribute(tag, "alt") + "]")
	case atom.A:
		w.endLink()
		w.inLink, w.href = true, attribute(tag, "href")
	default:
		if lineBlocks[tag.DataAtom] {
			w.lines(1)
		}
	}
}

func (w *textWriter) end(tag html.Token) {
	switch tag.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Template, atom.Iframe, atom.Object:
		w.skip = max(0, w.skip-1)
	case atom.P, atom.Blockquote, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.lines(2)
	case atom.Ul, atom.Ol:
		w.lines(1)
		if last := len(w.lists) - 1; last >= 0 {
			w.lists = w.lists[:last]
		}
	case atom.A:
		w.endLink()
	default:
		if lineBlocks[tag.DataAtom] {
			w.lines(1)
		}
	}
}

// lineBlocks are the elements that stand on lines of their own.
var lineBlocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Caption: true, atom.Center: true, atom.Dd: true, atom.Details: true,
	atom.Dialog: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Legend: true, atom.Li: true,
	atom.Main: true, atom.Menu: true, atom.Nav: true, atom.Option: true, atom.Section: true, atom.Summary: true, atom.Table: true,
	atom.Tbody: true, atom.Tfoot: true, atom.Thead: true, atom.Tr: true,
}

// list is an open list, with the number of its next item.
type list struct {
	numbered   bool
	next, step int
}

// item begins an item of a list with its number, or with a dash.
func (w *textWriter) item(tag html.Token) {
	if last := len(w.lists) - 1; last >= 0 && w.lists[last].numbered {
		of := &w.lists[last]
		n := number(tag, "value", of.next)
		of.next = n + of.step
		w.text(strconv.Itoa(n) + ". ")
		return
	}
	w.text("- ")
}

func number(tag html.Token, name string, or int) int {
	value, _ := attributeOf(tag, name)
	if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32); err == nil {
		return int(n)
	}
	return or
}

func (w *textWriter) endLink() {
	if !w.inLink {
		return
	}
	text := strings.Join(strings.Fields(w.link.String()), " ")
	href := w.href
	w.inLink, w.href = false, ""
	w.link.Reset()
	// A hashtag may be typed in another Unicode form than its name has.
	typed := norm.NFKC.String(text)
	if name := w.names[href]; typed != "" && len(typed) <= len(name) && strings.EqualFold(typed, name[:len(typed)]) {
		w.text(name)
		return
	}
	w.text(showLink(text, href))
}

func showLink(text, href string) string {
	target := bare(href)
	switch {
	case href == "" || sameAddress(bare(text), target):
		return text
	case text == "":
		return "[" + target + "]"
	case namesAddress(text):
		return "-> link shows " + text + ", goes to [" + target + "]"
	}
	// The text of a mention or hashtag is the end of its own address.
	if u, err := url.Parse(href); err == nil && u.Host != "" && len(text) > 1 && (text[0] == '@' || text[0] == '#') {
		_, last, _ := cutLast(strings.TrimSuffix(u.Path, "/"), "/")
		if strings.EqualFold(strings.TrimPrefix(last, "@"), text[1:]) {
			return text + " [" + u.Host + "]"
		}
	}
	return text + " [" + target + "]"
}

// sameAddress reports whether two bare addresses differ in escapes behind the host
// alone: servers write targets in ASCII. The names of hosts must be equal, since
// a name beyond ASCII may look like another.
func sameAddress(a, b string) bool {
	part := func(s string) (host, rest string) {
		i := strings.IndexAny(s, "/?#")
		if i < 0 {
			return s, ""
		}
		if rest, err := url.PathUnescape(s[i:]); err == nil {
			return s[:i], rest
		}
		return s[:i], s[i:]
	}
	host, rest := part(a)
	otherHost, otherRest := part(b)
	return strings.EqualFold(host, otherHost) && strings.EqualFold(rest, otherRest)
}

// bare is an address as people write it: without http(s) and the last slash.
func bare(address string) string {
	address = strings.TrimSpace(address)
	for _, scheme := range []string{"https://", "http://"} {
		if len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			address = address[len(scheme):]
		}
	}
	return strings.TrimSuffix(address, "/")
}

// namesAddress reports whether text reads like an address: a scheme, or a first
// word such as example.bank or example.bank/login.
func namesAddress(text string) bool {
	if strings.Contains(text, "://") {
		return true
	}
	if strings.ContainsAny(text, " @") {
		return false
	}
	host, _, _ := strings.Cut(text, "/")
	name, top, found := cutLast(host, ".")
	return found && name != "" && len(top) >= 2 && !strings.ContainsAny(top, "0123456789")
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

func attribute(tag html.Token, name string) string {
	value, _ := attributeOf(tag, name)
	return value
}

func attributeOf(tag html.Token, name string) (value string, ok bool) {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
