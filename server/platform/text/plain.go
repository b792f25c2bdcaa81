package text

import (
	"strings"

	"golang.org/x/net/html"
)

// Plain returns the text of HTML: without tags, entities decoded, line breaks
// and ends of blocks as newlines, an empty line between paragraphs. The result
// must be escaped for HTML.
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
			name, _ := z.TagName()
			code = kind == html.StartTagToken && (string(name) == "script" || string(name) == "style")
			switch string(name) {
			case "br":
				w.b.WriteByte('\n')
			case "pre":
				if kind == html.StartTagToken {
					pre++
				} else if pre > 0 {
					pre--
				}
				w.lines(2)
			case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table":
				w.lines(2)
			case "li", "ul", "ol", "div", "tr", "hr", "dt", "dd", "section", "article":
				w.lines(1)
			}
		}
	}
}

// plainWriter delays the line ends of blocks until text follows.
type plainWriter struct {
	b       strings.Builder
	pending int
}

func (w *plainWriter) lines(n int) { w.pending = max(w.pending, n) }

func (w *plainWriter) text(s string, pre bool) {
	s, _ = Clean(s)
	if !pre && strings.ContainsAny(s, "\n\t") {
		if strings.TrimSpace(s) == "" && (w.pending > 0 || w.b.Len() == 0) {
			return
		}
		s = strings.NewReplacer("\n", " ", "\t", " ").Replace(s)
	}
	if s == "" {
		return
	}
	if w.b.Len() > 0 {
		for written := w.b.String(); w.pending > 0 && !strings.HasSuffix(written, "\n\n"[:w.pending]); written = w.b.String() {
			w.b.WriteByte('\n')
		}
	}
	w.pending = 0
	w.b.WriteString(s)
}

// StripTags returns s, a name or another line of plain text, on one line and
// without tags. Entities stay as typed, so that the result is harmless even if
// it is taken for HTML.
func StripTags(s string) string {
	s = strings.TrimSpace(cleanLine(s))
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(string(withoutTags(b)))
		case html.TextToken:
			b = append(b, z.Raw()...)
		}
	}
}

// withoutTags drops each < that begins a tag. Removed tags may leave a new one:
// "<<i>b>".
func withoutTags(b []byte) []byte {
	kept := len(b) // b[kept:] is the text that stays of the part read, from the end
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '<' && kept < len(b) {
			switch next := b[kept]; {
			case next == '/' || next == '!' || next == '?' || isAlnum(next) && !isDigit(next):
				continue
			}
		}
		kept--
		b[kept] = b[i]
	}
	return b[kept:]
}
