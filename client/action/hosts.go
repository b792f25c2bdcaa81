package action

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// HostName returns a host as servers store it: in ASCII (IDNA) and lower case,
// with its port. Text that is no host is returned in lower case.
func HostName(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	name, port, hasPort := strings.Cut(text, ":")
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(name, "."))
	if err != nil {
		return text
	}
	if hasPort && port != "443" {
		ascii += ":" + port
	}
	return ascii
}

// ListedHost is HostName for lists of hosts, where *.host is that host and all below
// it; ok is false for text that is neither.
func ListedHost(text string) (name string, ok bool) {
	above, pattern := strings.CutPrefix(strings.TrimSpace(text), "*.")
	name = HostName(above)
	bare, port, hasPort := strings.Cut(name, ":")
	if strings.HasPrefix(name, "[") { // an IPv6 address, which is judged by the server
		return name, !pattern
	}
	if _, err := idna.Lookup.ToASCII(bare); err != nil || bare == "" || strings.Contains(bare, "..") || strings.HasPrefix(bare, ".") ||
		hasPort && strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) {
		return text, false
	}
	if pattern {
		name = "*." + name
	}
	return name, true
}

// CoversHost reports whether an entry of a list of hosts is about the server at an
// address or of a name.
func CoversHost(entry, address string) bool {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	host := HostName(address)
	if above, pattern := strings.CutPrefix(entry, "*."); pattern {
		return strings.HasSuffix("."+host, "."+above)
	}
	return host == entry
}

// SameHandle reports whether two handles name one account, in any case and with
// their hosts in any alphabet.
func SameHandle(a, b string) bool {
	name, host, _ := strings.Cut(a, "@")
	otherName, otherHost, _ := strings.Cut(b, "@")
	return strings.EqualFold(norm.NFC.String(name), norm.NFC.String(otherName)) && (host == "") == (otherHost == "") && HostName(host) == HostName(otherHost)
}
