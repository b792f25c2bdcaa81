package cards

import (
	"bytes"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"svc/db"
	"svc/server/platform/text"
)

// The bounds of a card, in characters.
const (
	maxTitle       = 300
	maxDescription = 1000
	maxValue       = 1000
	maxName        = 40
	maxProperties  = 20
	maxToken       = 64 << 10 // bytes
)

// read finds the metadata of the page at an address: OpenGraph, Twitter's tags,
// or plain HTML. contentType may name its encoding.
func read(body []byte, contentType string, at *url.URL) *db.Card {
	decoded, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		decoded = bytes.NewReader(body)
	}
	p := properties{og: map[string]string{}, named: map[string]string{}}
	p.read(decoded)
	for name, value := range p.og {
		if isURL(name) {
			if p.og[name] = absolute(at, value); p.og[name] == "" {
				delete(p.og, name)
			}
		}
	}
	card := &db.Card{
		URL:          at.String(),
		Title:        plain(first(p.og["title"], p.named["twitter:title"], p.title.String()), maxTitle),
		Description:  plain(first(p.og["description"], p.named["twitter:description"], p.named["description"]), maxDescription),
		Image:        first(p.og["image"], p.og["image:secure_url"], p.og["image:url"], absolute(at, p.named["twitter:image"]), absolute(at, p.named["twitter:image:src"])),
		ProviderName: at.Host,
		ProviderURL:  at.Scheme + "://" + at.Host,
		OpenGraph:    p.og,
	}
	// A page may name another address on its own site.
	if own, err := url.Parse(p.og["url"]); err == nil && own.Host == at.Host && own.Scheme == at.Scheme {
		card.URL = own.String()
	}
	return card
}

// properties are the metadata in the head of a page.
type properties struct {
	og    map[string]string // without og:
	named map[string]string
	title strings.Builder
}

func (p *properties) read(r io.Reader) {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	inTitle := false
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			if inTitle && p.title.Len() < 4*maxTitle {
				p.title.Write(z.Text())
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			inTitle = false
			if string(name) == "head" {
				return
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "title":
				inTitle = kind == html.StartTagToken && p.title.Len() == 0
			case "meta":
				if more {
					p.meta(z)
				}
			case "body":
				return
			}
		}
	}
}

func (p *properties) meta(z *html.Tokenizer) {
	var name, content string
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "property", "name":
			if name == "" {
				name = strings.ToLower(strings.TrimSpace(string(value)))
			}
		case "content":
			content = string(value)
		}
	}
	content = plain(content, maxValue)
	if content == "" {
		return
	}
	into := p.named
	if short, ok := strings.CutPrefix(name, "og:"); ok {
		into, name = p.og, short
	} else if name != "description" && !strings.HasPrefix(name, "twitter:") {
		return
	}
	if _, ok := into[name]; ok || len(into) >= maxProperties || !isName(name) {
		return
	}
	into[name] = content
}

func isName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != ':' && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// isURL reports whether the property of this name is an address.
func isURL(name string) bool {
	switch name {
	case "url", "image", "video", "audio":
		return true
	}
	return strings.HasSuffix(name, ":url") || strings.HasSuffix(name, ":secure_url")
}

// absolute returns ref resolved against a page; "" unless it is of http or
// https.
func absolute(at *url.URL, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := at.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if s := u.String(); len(s) <= maxURL {
		return s
	}
	return ""
}

// plain returns s as one line of up to most characters, without tags.
func plain(s string, most int) string {
	s = text.Line(text.Either(s))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
