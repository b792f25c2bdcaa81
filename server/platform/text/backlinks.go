package text

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// ownAnchor begins a link to a page as this package writes it: mentions and
// hashtags have other attributes first.
const ownAnchor = `<a href="`

// SetMe returns s, a result of Format, with "me" in the relation of exactly
// those links that are mine.
func SetMe(s string, mine func(href string) bool) string {
	var out strings.Builder
	for {
		i := strings.Index(s, ownAnchor)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, '>') // in a value it is escaped
		if end < 0 {
			out.WriteString(s)
			return out.String()
		}
		href, rest, _ := strings.Cut(s[len(ownAnchor):end], `"`)
		rel, after := "", rest
		if r, ok := strings.CutPrefix(rest, ` rel="`); ok {
			rel, after, _ = strings.Cut(r, `"`)
		}
		words := slices.DeleteFunc(strings.Fields(rel), func(word string) bool { return word == "me" })
		if mine(html.UnescapeString(href)) {
			words = slices.Insert(words, 0, "me")
		}
		out.WriteString(ownAnchor + href + `"`)
		if len(words) > 0 {
			out.WriteString(` rel="` + strings.Join(words, " ") + `"`)
		}
		out.WriteString(after + ">")
		s = s[end+1:]
	}
}

// MeLinks returns the addresses of a page's links with the relation "me".
// Shape: the microformat rel-me.
func MeLinks(page string) []string {
	var out []string
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		name, more := z.TagName()
		if tag := string(name); tag != "a" && tag != "link" {
			continue
		}
		href, me := "", false
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			switch string(key) {
			case "href":
				href = strings.TrimSpace(string(value))
			case "rel":
				for word := range strings.FieldsSeq(string(value)) {
					me = me || strings.EqualFold(word, "me")
				}
			}
		}
		if me && href != "" {
			out = append(out, href)
		}
	}
}
