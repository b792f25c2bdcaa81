package text

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Reading is a text in the forms in which phrases look for words. It is for one
// goroutine.
type Reading struct {
	shown  string // as people see it
	normal *form
	flat   *form
	folded []string // flat, in one case
}

// ReadText returns the reading of a text without markup.
func ReadText(s string) *Reading {
	s, _ = Clean(s)
	return &Reading{shown: s}
}

// ReadHTML returns the reading of HTML: what people see of it, with the
// descriptions of its pictures. Tags end no words, but for those of blocks and
// line breaks.
func ReadHTML(s string) *Reading {
	doc := readDocument(s)
	return &Reading{shown: doc.shown.String()}
}

// form is another form of a text. Its byte i stands for the bytes from[i] to
// to[i] of the text.
type form struct {
	text     string
	from, to []int32
}

// inForm returns s in compatibility form without invisible characters; flat
// has a blank for every run of space.
func inForm(s string, flat bool) *form {
	f := &form{from: make([]int32, 0, len(s)), to: make([]int32, 0, len(s))}
	var (
		b    = make([]byte, 0, len(s))
		it   norm.Iter
		gaps = false
	)
	it.InitString(norm.NFKC, s)
	for !it.Done() {
		start := it.Pos()
		segment := it.Next()
		end := it.Pos()
		for _, r := range string(segment) {
			if invisible(r) {
				continue
			}
			space := flat && unicode.IsSpace(r)
			if space && gaps {
				f.to[len(f.to)-1] = int32(end)
				continue
			}
			if gaps = space; space {
				r = ' '
			}
			before := len(b)
			b = append(b, string(r)...)
			for range len(b) - before {
				f.from, f.to = append(f.from, int32(start)), append(f.to, int32(end))
			}
		}
	}
	f.text = string(b)
	return f
}

// invisible reports whether a character has no width and no look: between
// letters it only keeps a word from being found.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0,
		0x180b <= r && r <= 0x180f, 0x200b <= r && r <= 0x200f, 0x2060 <= r && r <= 0x2069,
		0xfe00 <= r && r <= 0xfe0f, 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return false
}

func (r *Reading) inNormal() *form {
	if r.normal == nil {
		r.normal = inForm(r.shown, false)
	}
	return r.normal
}

func (r *Reading) inFlat() *form {
	if r.flat == nil {
		r.flat = inForm(r.shown, true)
	}
	return r.flat
}

// inOneCase returns the flat form without case. A space without width ends
// words in scripts without spaces, and splits none in others: both are tried.
func (r *Reading) inOneCase() []string {
	if r.folded == nil {
		r.folded = []string{fold(r.inFlat().text)}
		if strings.ContainsRune(r.shown, zeroWidthSpace) {
			apart := strings.ReplaceAll(r.shown, string(zeroWidthSpace), " ")
			r.folded = append(r.folded, fold(inForm(apart, true).text))
		}
	}
	return r.folded
}

// InOneCase returns the reading for phrases in any case alone. It is small, and for many
// goroutines.
func (r *Reading) InOneCase() *Reading { return &Reading{folded: r.inOneCase()} }

const zeroWidthSpace = '\u200b'

// fold returns a text in compatibility form without case.
func fold(s string) string { return norm.NFKC.String(cases.Fold().String(s)) }

// document is HTML with the places of its texts.
type document struct {
	shown  strings.Builder
	pieces []piece
	kept   []span // of shown: mentions, hashtags and addresses that links show
}

// piece is one text of a document.
type piece struct {
	start, end int    // in the HTML
	at         int    // in shown
	text       string // without entities
}

type span struct{ start, end int }

// spanning are the elements that end no words.
var spanning = schemeSet("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr")

func readDocument(s string) *document {
	d := &document{}
	z := html.NewTokenizer(strings.NewReader(s))
	var (
		raw, opened int // the end of the last token, and where the open link begins
		href        string
		pictures    []string
		name        bool // the open link is a mention or a hashtag
		linked, off bool
	)
	closeLink := func() {
		if linked && (name || showsAddress(d.shown.String()[opened:], href)) {
			d.kept = append(d.kept, span{opened, d.shown.Len()})
		}
		linked = false
	}
	for {
		kind := z.Next()
		start := raw
		raw += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			closeLink()
			for _, p := range pictures {
				d.shown.WriteString("\n" + p)
			}
			return d
		case html.TextToken:
			if t, _ := Clean(string(z.Text())); !off && t != "" {
				d.pieces = append(d.pieces, piece{start: start, end: raw, at: d.shown.Len(), text: t})
				d.shown.WriteString(t)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			n, more := z.TagName()
			tag := string(n)
			off = kind == html.StartTagToken && (tag == "script" || tag == "style")
			switch {
			case tag == "a":
				closeLink()
				if kind == html.StartTagToken {
					linked, opened, href, name = true, d.shown.Len(), "", true
					if more {
						var page bool
						href, page = pageLink(z)
						name = !page && href != ""
					}
				}
			case tag == "img":
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					if t, _ := Clean(string(value)); t != "" && (string(key) == "alt" || string(key) == "title") {
						pictures = append(pictures, t)
					}
				}
			case !spanning[tag]:
				d.shown.WriteByte('\n')
			}
		}
	}
}

// showsAddress reports whether the text of a link is its address, or a part of
// it as some servers shorten it.
func showsAddress(shown, href string) bool {
	shown = strings.ToLower(strings.TrimRight(strings.TrimSpace(shown), ".…"))
	return strings.ContainsAny(shown, ".:/") && strings.Contains(strings.ToLower(href), shown)
}
