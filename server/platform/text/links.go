package text

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/platform/hosts"
)

const (
	maxDomain = 253 // bytes, by the DNS
)

// linker writes text as HTML and links addresses, mentions and hashtags.
type linker struct {
	opts  *Options
	rules *Rules
	out   []byte
	link  bool // false within a, code and pre
	// rest is read on the same line behind the text at hand, as part of other elements.
	rest  string
	found Result
	// seen holds mentioned ids, and hashtags with their #, that are in found.
	seen map[string]bool
}

// The scanner's actions at a byte.
const (
	stepPlain = iota
	stepEscape
	stepNewline
	stepMention
	stepTag
	stepWord
)

var (
	entities = [256]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&#39;"}
	steps    = stepTable()
)

func stepTable() (steps [256]byte) {
	for c := range steps {
		switch {
		case entities[c] != "":
			steps[c] = stepEscape
		case c == '\n':
			steps[c] = stepNewline
		case c == '@':
			steps[c] = stepMention
		case c == '#':
			steps[c] = stepTag
		case isAlnum(byte(c)), c >= utf8.RuneSelf:
			steps[c] = stepWord
		}
	}
	return steps
}

// text writes clean, unescaped s in one pass. With breaks, newlines become
// <br>.
func (l *linker) text(s string, breaks bool) { l.textAfter(' ', s, breaks) }

// textAfter is text for s behind a character.
func (l *linker) textAfter(prev byte, s string, breaks bool) {
	if !l.link {
		l.escape(s, breaks)
		return
	}
	from := 0 // s[from:i] waits to be copied
	// prev is the character before; 'a' for any letter, ' ' for other non-ASCII.
	flush := func(end, next int) {
		l.out = append(l.out, s[from:end]...)
		from = next
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch steps[c] {
		case stepEscape:
			flush(i, i+1)
			l.out = append(l.out, entities[c]...)
		case stepNewline:
			if breaks {
				flush(i, i+1)
				l.out = append(l.out, "<br>"...)
			}
		case stepMention:
			if !opens(prev) {
				break
			}
			if m, end, ok := l.resolve(s, i); ok {
				flush(i, end)
				l.mention(m)
				i, prev = end, 'a'
				continue
			}
		case stepTag:
			if !opens(prev) {
				break
			}
			if end, name := tagAt(s, i+1); end > 0 {
				flush(i, end)
				l.hashtag(name, s[i:end])
				i, prev = end, 'a'
				continue
			}
		case stepWord:
			end, dotted := wordEnd(s, i)
			if end == i { // not a letter: punctuation, a symbol
				_, n := utf8.DecodeRuneInString(s[i:])
				if strings.HasPrefix(s[i:], wideSign) {
					end, name := tagAt(s, i+n)
					if end > 0 && opens(prev) {
						flush(i, end)
						l.hashtag(name, s[i:end])
						i, prev = end, 'a'
						continue
					}
					i, prev = i+n, '#'
					continue
				}
				i, prev = i+n, ' '
				continue
			}
			if u, ok := findURL(s, i, end, dotted, prev, l.rules.linked, l.rules.known); ok {
				flush(u.start, u.end)
				l.url(u.prefix, s[u.start:u.end])
				end = u.end
			}
			i, prev = end, 'a'
			continue
		}
		prev = c
		i++
	}
	flush(len(s), len(s))
}

// escape writes s without links.
func (l *linker) escape(s string, breaks bool) {
	from := 0
	for i := 0; i < len(s); i++ {
		e := entities[s[i]]
		if breaks && s[i] == '\n' {
			e = "<br>"
		}
		if e != "" {
			l.out = append(l.out, s[from:i]...)
			l.out = append(l.out, e...)
			from = i + 1
		}
	}
	l.out = append(l.out, s[from:]...)
}

// opens reports whether a mention or hashtag may begin after c.
func opens(c byte) bool {
	switch c {
	case '_', '@', '#', '/', '=', '&':
		return false
	}
	return !isAlnum(c)
}

func (l *linker) url(prefix, s string) {
	href, ok := cleanHref(prefix+s, l.rules.hrefs)
	if !ok {
		l.escape(s, false)
		return
	}
	l.out = append(l.out, l.rules.begin...)
	l.escape(href, false)
	l.out = append(l.out, '"')
	l.out = append(l.out, l.rules.end...)
	l.escape(l.rules.shownURL(s), false)
	l.out = append(l.out, `</a>`...)
}

// hashtag writes a hashtag by its name and as it was typed, with its sign.
func (l *linker) hashtag(name, typed string) {
	if l.first("#" + name) {
		l.found.Hashtags = append(l.found.Hashtags, name)
		l.found.NSFW = l.found.NSFW || name == "nsfw"
	}
	// Word characters need no escaping.
	l.out = append(l.out, `<a class="hashtag" data-tag="`...)
	l.out = append(l.out, name...)
	l.out = append(l.out, `" href="`...)
	l.escape(l.opts.BaseURL, false)
	l.out = append(l.out, `/tag/`...)
	l.out = append(l.out, hosts.URI(name)...)
	l.out = append(l.out, `" rel="tag ugc">`...)
	l.out = append(l.out, typed...)
	l.out = append(l.out, `</a>`...)
}

func (l *linker) mention(m Mention) {
	if l.first(m.ID) {
		l.found.Mentions = append(l.found.Mentions, m)
	}
	l.out = append(l.out, `<span class="h-card"><a class="u-url mention" data-user="`...)
	l.escape(cleanLine(m.ID), false)
	// A profile's address comes from its server and is untrusted.
	if href, ok := cleanHref(m.URL, webSchemes); ok {
		l.out = append(l.out, `" href="`...)
		l.escape(href, false)
	}
	name := m.Acct
	if !l.opts.Bio {
		name, _, _ = strings.Cut(name, "@")
	}
	l.out = append(l.out, `" rel="ugc">@<span>`...)
	l.escape(cleanLine(name), false)
	l.out = append(l.out, `</span></a></span>`...)
}

func (l *linker) first(key string) bool {
	if l.seen[key] {
		return false
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[key] = true
	return true
}

// resolve finds the account mentioned by the @ at s[i], and the end of the
// mention. A part of a handle is never read as another one: a name with a host
// is none without it, and no name ends within a longer one.
func (l *linker) resolve(s string, i int) (Mention, int, bool) {
	if l.opts.Resolve == nil {
		return Mention{}, 0, false
	}
	last := len(s)
	if l.rest != "" && len(s)-i <= maxBehind {
		s += l.rest
	}
	nick, domain, end := handleEnds(s, i)
	if nick == i+1 || nick-i > hosts.MaxNick || goesOn(s, end, domain > 0) {
		return Mention{}, 0, false
	}
	for _, end := range readings(s, i+1, nick, domain, end) {
		if end > last {
			continue // one link cannot cross the elements
		}
		handle := s[i+1 : end]
		if domain > 0 {
			handle = s[i+1:nick] + "@" + hosts.Clean(s[nick+1:end])
		}
		if m, ok := l.opts.Resolve(handle); ok {
			return m, end, true
		}
	}
	return Mention{}, 0, false
}

// readings returns the possible ends of the handle that begins at s[start],
// best first.
func readings(s string, start, nick, domain, end int) []int {
	if domain == 0 {
		// A dot ends the sentence. In "_@nick_" and "@nick-" the marks are
		// usually decoration.
		whole := start + len(strings.TrimRight(s[start:nick], "."))
		ends := []int{whole}
		if trimmed := start + len(strings.TrimRight(s[start:whole], "._-")); start < trimmed && trimmed < whole {
			ends = append(ends, trimmed)
		}
		return appendSuffixed(ends, s, start, whole)
	}
	ends := []int{end}
	if end == domain+len(":8") {
		ends = append(ends, domain) // no server has such a port
	}
	if end == domain {
		ends = appendSuffixed(ends, s, nick+1, domain)
	}
	return ends
}

// appendSuffixed adds the end of the ASCII name in s[start:end] that a word
// follows immediately, in a script whose words do: "@nickさん".
func appendSuffixed(ends []int, s string, start, end int) []int {
	ascii := start
	for ascii < end && s[ascii] < utf8.RuneSelf {
		ascii++
	}
	first, _ := utf8.DecodeRuneInString(s[ascii:end])
	if !unicode.In(first, attached...) || strings.IndexByte(s[ascii:end], '.') >= 0 || ascii > start && s[ascii-1] == '.' {
		return ends
	}
	if ascii = start + len(strings.TrimRight(s[start:ascii], "._-")); start < ascii {
		ends = append(ends, ascii)
	}
	return ends
}

// attached are the scripts whose words follow names without a space, and symbols.
var attached = []*unicode.RangeTable{
	unicode.So, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// handleEnds returns the ends of nick, domain and the whole handle with its
// port, after the @ at s[i]. Without a domain, domain is 0 and end is nick.
func handleEnds(s string, i int) (nick, domain, end int) {
	nick = hosts.NickEnd(s, i+1)
	if nick == i+1 || nick+1 >= len(s) || s[nick] != '@' {
		return nick, 0, nick
	}
	domain, dotted := ipv6End(s, nick+1), true
	if ip, err := netip.ParseAddr(strings.Trim(s[nick+1:domain], "[]")); err != nil || !ip.Is6() {
		domain, dotted = wordEnd(s, nick+1)
		domain = nick + 1 + len(strings.TrimRight(s[nick+1:domain], "._-"))
	}
	if domain == nick+1 || domain-nick > maxDomain {
		return nick, 0, nick
	}
	end = portEnd(s, domain)
	if s[nick-1] == '.' && !dotted && end == domain {
		return nick, 0, nick // "Thanks @one.@two"
	}
	return nick, domain, end
}

// ipv6End returns the end of the IPv6 address in brackets at s[i], or i if there is none.
func ipv6End(s string, i int) int {
	if i == len(s) || s[i] != '[' {
		return i
	}
	end := i + 1
	for end < len(s) && (isAlnum(s[end]) || s[end] == ':' || s[end] == '.') {
		end++
	}
	if end == len(s) || s[end] != ']' {
		return i
	}
	return end + 1
}

// goesOn reports whether the handle that would end at s[i] is only the
// beginning of another name: "@nick" of the mail address or foreign handle
// "@nick+news@host", or of the Matrix name "@nick:host.example".
func goesOn(s string, i int, full bool) bool {
	if full {
		return i+1 < len(s) && s[i] == '@' && hosts.NickEnd(s, i+1) > i+1
	}
	if i < len(s) && s[i] == ':' {
		end, dotted := wordEnd(s, i+1)
		return dotted && likeHost(strings.TrimRight(s[i+1:end], "._-"))
	}
	named := s[i-1] != '.' // whether the last character is one of names
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '@' {
			// Behind another mark begins a second mention, "@one!@two", but for the host
			// of a name with marks, "@one*@two.example".
			end, dotted := wordEnd(s, i+1)
			return end > i+1 && (named || dotted && !strings.HasPrefix(s[end:], "@"))
		}
		if parts(r) {
			return false
		}
		named = hosts.InNick(r)
		i += n
	}
	return false
}

// parts reports whether a character stands between words, and in no name.
func parts(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || strings.IndexByte(`,;:()[]<>"\`, byte(r)) >= 0
	}
	return r != '’' && unicode.In(r, unicode.Z, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf) || strings.ContainsRune("、。，；：！？…—–・", r)
}

// wordEnd returns the end of the word at s[i], and whether it contains a dot. A
// word is letters, digits, marks, underscores, hyphens, and dots before another
// letter.
func wordEnd(s string, i int) (end int, dotted bool) {
	for i < len(s) {
		c := s[i]
		switch {
		case isAlnum(c) || c == '_' || c == '-':
			i++
		case c == '.' && i+1 < len(s) && (isAlnum(s[i+1]) || s[i+1] >= utf8.RuneSelf):
			dotted = true
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
				return i, dotted
			}
			i += n
		default:
			return i, dotted
		}
	}
	return i, dotted
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
