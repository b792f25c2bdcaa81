// Package text makes typed and remote text fit to be shown: source in four
// content types becomes HTML with links, mentions and hashtags, remote HTML
// becomes safe HTML, and either becomes plain text.
//
// It is pure: it reads and stores nothing and imports no other package of the
// server. Callers resolve handles and emoji. Every function takes time and
// memory in proportion to its input, never panics, and may be called
// concurrently. Its results are stable: sanitising a formatted or sanitised
// text again changes nothing.
//
// Safety rests on one idea: input is never copied as markup. Tags and
// attributes are written anew from closed lists (policies.go), and everything
// else passes one escaping function (links.go).
package text

import "strings"

// The content types that Format knows.
const (
	TypePlain    = "text/plain"
	TypeHTML     = "text/html"
	TypeMarkdown = "text/markdown"
	TypeBBCode   = "text/bbcode"
)

// MaxHandles is how many different handles Handles returns at most.
const MaxHandles = 100

// maxRich is the longest source, in bytes, read as markdown, BBCode or HTML;
// longer ones are plain text. It bounds parsers' memory.
const maxRich = 1 << 17

// Mention is an account named in a text.
type Mention struct {
	ID   string // data-user for clients
	Acct string // nick for local accounts, nick@domain for remote ones
	URL  string // profile page
}

// Options are the external facts for Format. The zero value links URLs and
// hashtags (to paths without a host) and neither mentions nor emoji.
type Options struct {
	// BaseURL begins the links of hashtags, without a trailing slash.
	BaseURL string
	// Resolve returns the account of a handle, in the form of Handles.
	Resolve func(handle string) (Mention, bool)
	// Emoji reports whether a custom emoji has this shortcode.
	Emoji func(shortcode string) bool
	// Rules are the instance's rules; nil is the defaults.
	Rules *Rules
	// Bio writes mentions in full, with their domain.
	Bio bool
}

// Result is a formatted text and its parts. Lists are nil if empty and have
// each entry once, in order of appearance.
type Result struct {
	HTML     string
	Mentions []Mention // those linked
	Hashtags []string  // names, see Tag
	Emojis   []string  // shortcodes
	NSFW     bool      // #nsfw is among the hashtags
}

// Format turns typed text, trimmed of space around it, into HTML. An unknown
// content type is plain text.
func Format(src, contentType string, opts Options) Result {
	src, _ = Clean(src)
	src = strings.TrimSpace(src)
	rules := opts.Rules.orUsual()
	l := &linker{opts: &opts, rules: rules, link: true, out: make([]byte, 0, len(src)+len(src)/2+256)}
	if len(src) > maxRich {
		contentType = TypePlain
	}
	switch contentType {
	case TypeHTML:
		walk(src, rules.typed, l)
	case TypeMarkdown:
		walk(rules.markdown.render(src), rules.typedMarkdown, l)
	case TypeBBCode:
		walk(renderBBCode(src, rules), rules.typed, l)
	default:
		l.text(src, true)
	}
	l.found.HTML = string(l.out)
	if opts.Emoji != nil {
		l.found.Emojis = Emojis(src, opts.Emoji)
	}
	return l.found
}

// Handles returns the handles in src that Format would resolve, in order of
// appearance: "nick", or "nick@domain" with the domain in lower case ASCII,
// with ":port" if one was written. A mention with an unclear end yields
// several. There are at most MaxHandles.
func Handles(src, contentType string) []string {
	if !strings.ContainsAny(src, "@&") {
		return nil
	}
	var handles []string
	seen := map[string]bool{}
	Format(src, contentType, Options{Resolve: func(handle string) (Mention, bool) {
		key := strings.ToLower(handle)
		if len(handles) < MaxHandles && !seen[key] {
			seen[key] = true
			handles = append(handles, handle)
		}
		return Mention{}, false
	}})
	return handles
}

// Emojis returns the known shortcodes in s, each between two colons, once, in
// order of appearance.
func Emojis(s string, known func(shortcode string) bool) []string {
	var found []string
	var seen map[string]bool
	for {
		open := strings.IndexByte(s, ':')
		if open < 0 {
			return found
		}
		s = s[open+1:]
		end := 0
		for end < len(s) && (isAlnum(s[end]) || s[end] == '_' || s[end] == '-' || s[end] == '+') {
			end++
		}
		if end == 0 || end == len(s) || s[end] != ':' {
			s = s[end:]
			continue
		}
		// The closing colon may open the next one, as in ":a:b:".
		if code := s[:end]; !seen[code] && known(code) {
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[code] = true
			found = append(found, code)
		}
		s = s[end:]
	}
}
