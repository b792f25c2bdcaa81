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

// cleanHref returns s as the address of a link, or false if it must not be
// followed: not absolute, of another scheme, or too long. Line ends, which
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
	if !strings.ContainsAny(s, " \"<>`\\") {
		return s, true
	}
	return unsafeInHref.Replace(s), true
}

// unsafeInHref are characters that no address holds, and that parsers of
// markup or addresses do not all read alike.
var unsafeInHref = strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E", "`", "%60", `\`, "%5C")

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
			if stop := urlEnd(s, end+1); stop > end+1 && (known != EveryAddress || knownPage(s[start:stop])) {
				return foundURL{start: start, end: stop}, true
			}
		}
	}
	if !dotted || end < len(s) && s[end] == '@' || strings.IndexByte(`@/\#%=_&~`, prev) >= 0 {
		return foundURL{}, false
	}
	host := strings.TrimRight(s[i:end], "._-")
	if known == NoAddress && !likeHost(host) || known != NoAddress && !knownHost(host) {
		return foundURL{}, false
	}
	stop := portEnd(s, i+len(host))
	if stop < len(s) && strings.IndexByte("/?#", s[stop]) >= 0 {
		stop = urlEnd(s, stop)
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

// urlEnd returns the end of the address with its rest at s[i]. Final
// punctuation belongs to the sentence, and so does a bracket that the address
// does not open.
func urlEnd(s string, i int) int {
	start := i
	var round, square int // opened less closed; square ones surround IPv6 hosts
	for i < len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.So, r) {
				break
			}
			i += n
			continue
		}
		switch c {
		case '(':
			round++
		case ')':
			round--
		case '[':
			if i != start+2 {
				c = ' '
			}
			square++
		case ']':
			if square--; square < 0 {
				c = ' '
			}
		}
		if !isAlnum(c) && strings.IndexByte("-._~%:/?#[]@!$&'()*+,;=|", c) < 0 {
			break
		}
		i++
	}
	for i > start {
		switch s[i-1] {
		case '.', ',', ':', ';', '!', '?', '\'':
		case ')':
			if round >= 0 {
				return i
			}
			round++
		default:
			return i
		}
		i--
	}
	return i
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
