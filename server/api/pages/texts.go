package pages

import (
	"html"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"svc/client/api"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// rich is s, HTML that others wrote, with pictures for its custom emoji. It was
// made harmless when it was stored; a page does not rely on that.
func rich(s string, emojis []api.Emoji) template.HTML {
	return template.HTML(withEmojis(text.Sanitize(s), emojis))
}

// richField is rich for the value of a profile's field.
func richField(s string, emojis []api.Emoji) template.HTML {
	return template.HTML(withEmojis(text.SanitizeField(s), emojis))
}

// richText is a text with pictures for its custom emoji.
func richText(s string, emojis []api.Emoji) template.HTML {
	return template.HTML(withEmojis(html.EscapeString(s), emojis))
}

// withEmojis puts pictures where the text of s, which is safe HTML, has the
// shortcodes of emojis. Tags and attributes stay as they are.
func withEmojis(s string, emojis []api.Emoji) string {
	if len(emojis) == 0 || !strings.Contains(s, ":") {
		return s
	}
	pairs := make([]string, 0, 2*len(emojis))
	for _, e := range emojis {
		if address := webAddress(e.URL); address != "" {
			code := html.EscapeString(":" + e.Shortcode + ":")
			pairs = append(pairs, code, `<img class="emoji" src="`+html.EscapeString(address)+`" alt="`+code+`" title="`+code+`" loading="lazy">`)
		}
	}
	pictures := strings.NewReplacer(pairs...)
	var out strings.Builder
	for z := nethtml.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case nethtml.ErrorToken:
			return out.String()
		case nethtml.TextToken:
			out.WriteString(pictures.Replace(string(z.Raw())))
		default:
			out.Write(z.Raw())
		}
	}
}

// webAddress is an address that a page may load or lead to, empty for any other
// than http and https.
func webAddress(s string) string {
	u, err := url.Parse(hosts.URI(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// shorten cuts s, in one line, to at most limit characters, of which omission
// is the end.
func shorten(s string, limit int, omission string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	end := []rune(omission)
	if len(end) > limit {
		end = nil
	}
	return strings.TrimSpace(string([]rune(s)[:limit-len(end)])) + string(end)
}

// day and moment are times as people read them; pages know no time zone but
// this one.
func day(t time.Time) string    { return t.UTC().Format("2 January 2006") }
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }
func stamp(t time.Time) string  { return t.UTC().Format(time.RFC3339) }

// number writes n in groups of three.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted is n with the word for one or for many.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// firstLink is where the first link of an HTML text leads, empty without one.
func firstLink(s string) string {
	for z := nethtml.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case nethtml.ErrorToken:
			return ""
		case nethtml.StartTagToken:
			token := z.Token()
			for _, a := range token.Attr {
				if token.Data == "a" && a.Key == "href" {
					return webAddress(a.Val)
				}
			}
		}
	}
}
