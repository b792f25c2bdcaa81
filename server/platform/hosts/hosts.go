// Package hosts converts the names of servers to the one form in which they are
// stored and compared.
package hosts

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// Name returns a host in stored form: ASCII (IDNA) in lower case, without a
// trailing dot, and with a port other than 443. An IPv6 address is in brackets.
// ok is false for an invalid host.
func Name(text string) (name string, ok bool) {
	text = strings.TrimSpace(text)
	host, port := split(text)
	if strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) || len(port) > 5 {
		return "", false
	}
	if port == "443" {
		port = ""
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && port == "" && ip.Is6():
		return "[" + ip.String() + "]", true
	case err == nil:
		host = ip.String()
	default:
		if host, err = idna.Lookup.ToASCII(strings.TrimSuffix(host, ".")); err != nil || !labelled(host) {
			return "", false
		}
		host = strings.ToLower(host)
	}
	if port != "" {
		host = net.JoinHostPort(host, port)
	}
	return host, true
}

// labelled reports whether every label of a name has a length that DNS allows.
func labelled(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return len(name) <= 253
}

// split splits the port off a host. "host:" has none.
func split(text string) (host, port string) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	if strings.Count(text, ":") != 1 {
		return text, ""
	}
	host, port, _ = strings.Cut(text, ":")
	return host, port
}

// Clean is Name for comparisons: an invalid host is in lower case.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	if name, ok := Name(text); ok {
		return name
	}
	return strings.ToLower(strings.TrimSpace(text))
}

// plain reports whether text is in stored form already, as most hosts are:
// lower-case letters, digits, hyphens and single dots.
func plain(text string) bool {
	last := byte('.')
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && (c != '.' || last == '.') {
			return false
		}
		last = c
	}
	return last != '.'
}

// Same reports whether two texts name the same host.
func Same(a, b string) bool { return Clean(a) == Clean(b) }

// Listable reports whether a text can stand in a list of hosts, as a host or as
// *.host.
func Listable(text string) bool {
	_, ok := Name(strings.TrimPrefix(strings.TrimSpace(text), "*."))
	return ok
}

// Among reports whether a host is in a list, with its port or without; *.host
// is that host and all subdomains.
func Among(list []string, host string) bool {
	if len(list) == 0 || host == "" {
		return false
	}
	host = Clean(host)
	bare := host
	if _, port := split(host); port != "" {
		bare = strings.TrimSuffix(host, ":"+port)
	}
	return slices.ContainsFunc(list, func(listed string) bool {
		above, pattern := strings.CutPrefix(strings.TrimSpace(listed), "*.")
		if !pattern {
			listed = Clean(listed)
			return host == listed || bare == listed
		}
		below := "." + Clean(above)
		return strings.HasSuffix("."+host, below) || strings.HasSuffix("."+bare, below)
	})
}
