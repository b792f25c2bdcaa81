package text

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxPageLinks is how many links PageLinks returns at most.
const maxPageLinks = 20

// PageLinks returns the targets of links in HTML that are neither mentions nor
// hashtags, each once, in order of appearance.
func PageLinks(s string) []string {
	if !strings.Contains(s, "<a ") {
		return nil
	}
	var found []string
	z := html.NewTokenizer(strings.NewReader(s))
	for len(found) < maxPageLinks {
		switch z.Next() {
		case html.ErrorToken:
			return found
		case html.StartTagToken:
			name, more := z.TagName()
			if string(name) != "a" || !more {
				continue
			}
			if href, ok := pageLink(z); ok && !slices.Contains(found, href) {
				found = append(found, href)
			}
		}
	}
	return found
}

// pageLink reads the attributes of an a: false for a mention or a hashtag.
func pageLink(z *html.Tokenizer) (href string, ok bool) {
	ok = true
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href":
			if href == "" {
				href = string(value)
			}
		case "class":
			for _, class := range strings.Fields(string(value)) {
				ok = ok && class != "mention" && class != "u-url" && class != "hashtag"
			}
		case "rel":
			ok = ok && !slices.Contains(strings.Fields(string(value)), "tag")
		case "data-user", "data-tag":
			ok = false
		}
	}
	return href, ok && href != ""
}
