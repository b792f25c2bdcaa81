package action

import (
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

// SameHandle reports whether two handles name one account, in any case and with
// their hosts in any alphabet.
func SameHandle(a, b string) bool {
	name, host, _ := strings.Cut(a, "@")
	otherName, otherHost, _ := strings.Cut(b, "@")
	return strings.EqualFold(norm.NFC.String(name), norm.NFC.String(otherName)) && (host == "") == (otherHost == "") && HostName(host) == HostName(otherHost)
}
