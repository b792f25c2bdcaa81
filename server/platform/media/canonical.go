package media

import (
	"net/url"
	"strings"

	"svc/server/platform/hosts"
)

// canonical returns the one form of a web address that identifies a remote
// file: scheme and host in lower case, the host in ASCII, no default port, user
// or fragment, a path without dots, and no needless escapes. Other texts stay
// as they are. Shape: RFC 3986, section 6.
//
// The meaning of a query, an escaped slash, or two slashes depends on the
// server: they stay.
func canonical(address string) string {
	address = strings.TrimSpace(address)
	if isCanonical(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return address
	}
	host := hosts.Clean(u.Hostname())
	if strings.Contains(host, "%") { // the zone of an address
		return address
	}
	if port := u.Port(); port != "" && (u.Scheme != "https" || port != "443") && (u.Scheme != "http" || port != "80") {
		host += ":" + port
	}
	path := u.RawPath // as it was written; "" if EscapedPath makes the same
	if path == "" {
		path = u.EscapedPath()
	}
	path = escaped(path)
	if strings.Contains(path, "/.") {
		path = undotted(path)
	}
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + escaped(u.RawQuery)
	}
	return u.Scheme + "://" + host + path
}

// isCanonical quickly recognises most canonical addresses.
func isCanonical(address string) bool {
	rest, secure := strings.CutPrefix(address, "https://")
	host, path, whole := strings.Cut(rest, "/")
	if !secure || !whole || host == "" || hosts.Clean(host) != host {
		return false
	}
	for i := range len(host) {
		if c := host[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	last := byte('/')
	for i := range len(path) {
		c := path[i]
		if !unreserved(c) && !strings.ContainsRune(delimiters, rune(c)) || c == '.' && last == '/' {
			return false
		}
		last = c
	}
	return true
}

// delimiters need no escape in paths; in queries, neither does a question mark.
const delimiters = "!$&'()*+,;=:@/"

// unreserved reports whether an escaped character equals the plain one.
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

const hexDigits = "0123456789ABCDEF"

// escaped gives a path or query its needed escapes, in capitals.
func escaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			high, low := strings.IndexByte(hexDigits, upper(s[i+1])), strings.IndexByte(hexDigits, upper(s[i+2]))
			if high >= 0 && low >= 0 {
				i += 2
				if c = byte(high<<4 | low); unreserved(c) {
					b.WriteByte(c)
				} else {
					b.Write([]byte{'%', hexDigits[high], hexDigits[low]})
				}
				continue
			}
		}
		if unreserved(c) || c < 0x80 && strings.ContainsRune(delimiters+"?%[]", rune(c)) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String()
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// undotted resolves the segments "." and ".." of a path.
func undotted(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	u := &url.URL{Scheme: "https", Host: "host", Path: plain, RawPath: path}
	return u.ResolveReference(u).EscapedPath()
}
