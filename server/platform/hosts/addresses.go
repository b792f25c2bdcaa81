package hosts

import (
	"strings"
	"unicode/utf8"
)

// URI returns an address as an ASCII URI (RFC 3986): its host in IDNA, other
// characters that no URI has escaped. An address that is one stays as it is.
// Everything that is shown or sent has this form, since many clients read no
// other.
func URI(address string) string {
	if bad := notURI(address, 0); bad == len(address) {
		return address
	}
	out := make([]byte, 0, len(address)+32)
	rest := address
	if scheme, after, ok := strings.Cut(address, "://"); ok {
		end := strings.IndexAny(after, `/?#\`)
		if end < 0 {
			end = len(after)
		}
		at := strings.LastIndexByte(after[:end], '@') + 1
		host, port := after[at:end], ""
		if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
			host, port = host[:colon], host[colon:]
		}
		if notURI(host, 0) < len(host) {
			if name, ok := Name(host); ok {
				host = name
			}
		}
		out = appendURI(out, scheme+"://"+after[:at])
		out = appendURI(out, host+port)
		rest = after[end:]
	}
	return string(appendURI(out, rest))
}

func appendURI(out []byte, s string) []byte {
	for i := 0; i < len(s); {
		end := notURI(s, i)
		out = append(out, s[i:end]...)
		if i = end; i < len(s) {
			out = append(out, '%', hexDigits[s[i]>>4], hexDigits[s[i]&15])
			i++
		}
	}
	return out
}

const hexDigits = "0123456789ABCDEF"

// notURI returns the place of the first byte from s[i] on that a URI has in no
// part, or the end of s.
func notURI(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case uriBytes[c]:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return i
		}
	}
	return len(s)
}

var uriBytes = func() (set [256]bool) {
	for c := byte('!'); c < utf8.RuneSelf; c++ {
		set[c] = strings.IndexByte("\"%<>\\^`{|}\x7f", c) < 0
	}
	return set
}()

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
