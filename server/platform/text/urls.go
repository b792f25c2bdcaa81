package text

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"svc/server/platform/hosts"
)

// maxURL is the longest address in bytes; longer ones are shown, not linked.
const maxURL = 8192

// The schemes of links: in local text, in remote text, and for pages and
// pictures.
var (
	typedSchemes  = schemeSet("https http dat dweb gopher hyper ipfs ipns irc ircs magnet mailto mumble ssb xmpp")
	remoteSchemes = schemeSet("http https dat dweb ipfs ipns ssb gopher xmpp magnet gemini mailto")
	webSchemes    = schemeSet("http https")
)

func schemeSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// cleanHref returns s as the address of a link, in ASCII, or false if it must not
// be followed: not absolute, of another scheme, or too long. Line ends, which
// browsers would drop, become spaces.
func cleanHref(s string, schemes map[string]bool) (string, bool) {
	s = strings.TrimSpace(cleanLine(s))
	colon := strings.IndexByte(s, ':')
	if colon <= 0 || colon > 16 || len(s) > maxURL {
		return "", false
	}
	scheme := strings.ToLower(s[:colon])
	if !schemes[scheme] || webSchemes[scheme] && !hasHost(s[colon+1:]) {
		return "", false
	}
	s = hosts.URI(s)
	return s, len(s) <= maxURL
}

// hasHost reports whether s, the part after a scheme's colon, begins with a
// host.
func hasHost(s string) bool {
	if len(s) < 3 || s[:2] != "//" {
		return false
	}
	return isAlnum(s[2]) || s[2] == '[' || s[2] >= utf8.RuneSelf
}

// foundURL is an address in a text; prefix completes its link.
type foundURL struct {
	start, end int
	prefix     string
}

// findURL looks for an address inside or at the start of the word s[i:end];
// prev is the character before it.
func findURL(s string, i, end int, dotted bool, prev byte, schemes map[string]bool, known TLDCheck) (foundURL, bool) {
	if end < len(s) && s[end] == ':' {
		start := end
		for start > i && isAlnum(s[start-1]) && !isDigit(s[start-1]) {
			start--
		}
		// In scripts without spaces a word may run into the scheme.
		free := start == i && !isAlnum(prev) && prev != '_' ||
			start > i && (s[start-1] == '.' || s[start-1] >= utf8.RuneSelf)
		if free && end-start <= 8 && addressFollows(strings.ToLower(s[start:end]), s[end+1:], schemes) {
			if stop := urlEnd(s, start, end+1); stop > end+1 && (known != EveryAddress || knownPage(s[start:stop])) {
				return foundURL{start: start, end: stop}, true
			}
		}
	}
	if !dotted || end < len(s) && s[end] == '@' || strings.IndexByte(`@/\#%=_&~`, prev) >= 0 {
		return foundURL{}, false
	}
	host := strings.TrimRight(s[i:end], "._-")
	host = host[:hostEnd(s, i, i+len(host))-i]
	if known == NoAddress && !likeHost(host) || known != NoAddress && !knownHost(host) {
		return foundURL{}, false
	}
	stop := portEnd(s, i+len(host))
	if stop < len(s) && strings.IndexByte("/?#", s[stop]) >= 0 {
		stop = pathEnd(s, i, stop)
	}
	return foundURL{start: i, end: stop, prefix: "http://"}, schemes["http"]
}

// addressFollows reports whether rest, the part after scheme and colon, is an
// address of that scheme, and not prose ("magnet: it attracts").
func addressFollows(scheme, rest string, schemes map[string]bool) bool {
	if rest == "" || !schemes[scheme] {
		return false
	}
	switch scheme {
	case "mailto", "xmpp":
		at := strings.IndexByte(rest[:min(len(rest), hosts.MaxNick)], '@')
		if at > 0 && strings.IndexFunc(rest[:at], unicode.IsSpace) < 0 {
			return true
		}
		return scheme == "xmpp" && hasHost(rest)
	case "magnet":
		return rest[0] == '?'
	case "dweb":
		return rest[0] == '/'
	case "ssb":
		return strings.IndexByte("%&@", rest[0]) >= 0 || hasHost(rest)
	}
	return hasHost(rest)
}

// urlEnd returns the end of the address that begins at s[start], has its scheme
// before the colon at s[i-1], and has no host if the end is i.
func urlEnd(s string, start, i int) int {
	if !strings.HasPrefix(s[i:], "//") {
		return pathEnd(s, start, i)
	}
	end := authorityEnd(s, i+2)
	if end == i+2 {
		return i
	}
	if end < len(s) && strings.IndexByte("/?#", s[end]) >= 0 {
		return pathEnd(s, start, end)
	}
	return end
}

// authorityEnd returns the end of the host, with a user before it and a port
// behind it, that begins at s[i]; i if there is none.
func authorityEnd(s string, i int) int {
	user := i
	for user < len(s) && (isAlnum(s[user]) || strings.IndexByte("-._~%+:", s[user]) >= 0) {
		user++
	}
	start := i
	if user > i && user+1 < len(s) && s[user] == '@' && (isAlnum(s[user+1]) || s[user+1] >= utf8.RuneSelf) {
		start = user + 1
	}
	if end := ipv6End(s, start); end > start {
		return portEnd(s, end)
	}
	end, _ := wordEnd(s, start)
	for end < len(s) { // a few hosts have symbols
		r, n := utf8.DecodeRuneInString(s[end:])
		if !unicode.Is(unicode.So, r) {
			break
		}
		end, _ = wordEnd(s, end+n)
	}
	end = start + len(strings.TrimRight(s[start:end], "._-"))
	if end == start {
		return i
	}
	return portEnd(s, hostEnd(s, start, end))
}

// hostEnd returns the end of the host that the word s[start:end] begins with: in
// scripts without spaces, and with symbols, text follows it immediately.
func hostEnd(s string, start, end int) int {
	if isASCII(s[start:end]) || knownHost(s[start:end]) {
		return end
	}
	if ends := appendSuffixed(nil, s, start, end); len(ends) > 0 {
		return ends[0]
	}
	return end
}

// pathEnd returns the end of the path, query and fragment at s[i] of the address
// that begins at s[start]. Final punctuation belongs to the sentence, and so do
// a bracket that is not opened in it, and a quotation mark without its other.
func pathEnd(s string, start, i int) int {
	var round, curly, square, singles int
	quoted := byte(0) // the mark that the address stands in
	if start > 0 && (s[start-1] == '"' || s[start-1] == '\'') {
		quoted = s[start-1]
	}
	from, double := i, false
scan:
	for i < len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			n := pathRune(s[i:])
			if n == 0 {
				break
			}
			i += n
			continue
		}
		switch c {
		case '(':
			round++
		case ')':
			if round--; round < 0 {
				break scan
			}
		case '{':
			curly++
		case '}':
			if curly--; curly < 0 {
				break scan
			}
		case '[':
			if !closes(s[i+1:], ']') {
				break scan
			}
			square++
		case ']':
			if square--; square < 0 {
				break scan
			}
		case '"':
			if double = !double; double && (quoted == c || !closes(s[i+1:], c)) {
				break scan
			}
		case '\'':
			singles++
		default:
			if !isAlnum(c) && strings.IndexByte("-._~%:/?#@!$&*+,;=|^", c) < 0 {
				break scan
			}
		}
		i++
	}
	for ; i > from; i-- {
		switch c := s[i-1]; c {
		case '.', ',', ':', ';', '!', '?', '(', '{':
		case '\'':
			if singles%2 == 0 && quoted != c {
				return i
			}
			singles--
		default:
			return i
		}
	}
	return i
}

// maxInner bounds how far the end of a bracket or quotation is looked for.
const maxInner = 128

// closes reports whether the mark ends a part of an address that s begins with.
func closes(s string, mark byte) bool {
	for i := 0; i < min(len(s), maxInner); i++ {
		switch c := s[i]; {
		case c == mark:
			return i > 0 || mark == ']'
		case c <= ' ' || c == 0x7f || strings.IndexByte("<>\"`\\[", c) >= 0 || i == 0 && c == '/':
			return false
		}
	}
	return false
}

// pathRune returns the length of the character beyond ASCII that s begins with,
// and 0 if it ends an address. Dots between names, apostrophes, dashes and
// joiners are in titles of pages if a letter follows.
func pathRune(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return 0
	case unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So):
		return n
	case strings.ContainsRune("·・’ʼ‐‑–\u200c\u200d", r):
		if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.In(next, unicode.L, unicode.M, unicode.N, unicode.So) {
			return n
		}
	}
	return 0
}

// portEnd returns the end of the port at s[i], i for none.
func portEnd(s string, i int) int {
	end := i + 1
	for end < len(s) && end-i <= 5 && isDigit(s[end]) {
		end++
	}
	if i >= len(s) || s[i] != ':' || end == i+1 || end < len(s) && isAlnum(s[end]) {
		return i
	}
	return end
}

// knownPage reports whether the host of a page's address is under an existing
// top-level domain, or numeric. Other addresses need none.
func knownPage(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	if !webSchemes[strings.ToLower(u.Scheme)] {
		return true
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err == nil || knownHost(u.Hostname())
}

// likeHost reports whether s looks like a host name: names with dots between
// them, the last of two letters at least.
func likeHost(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || len(s) > maxDomain || strings.Contains(s, "..") || strings.Contains(s, "_") {
		return false
	}
	letters := 0
	for _, r := range s[dot+1:] {
		if !unicode.IsLetter(r) && r != '-' {
			return false
		}
		letters++
	}
	return letters >= 2
}

// knownHost reports whether s is a host name under an existing top-level
// domain.
func knownHost(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || len(s) > maxDomain {
		return false
	}
	if !isASCII(s) {
		name, ok := hosts.Name(s)
		if !ok {
			return false
		}
		s = name
		dot = strings.LastIndexByte(s, '.')
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.IndexByte(label, '_') >= 0 {
			return false
		}
	}
	// The list holds every top-level domain, some only as "*.ck".
	s = strings.ToLower(s)
	if _, managed := publicsuffix.PublicSuffix(s[dot+1:]); managed {
		return true
	}
	suffix, managed := publicsuffix.PublicSuffix("x." + s[dot+1:])
	return managed && strings.IndexByte(suffix, '.') >= 0
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
