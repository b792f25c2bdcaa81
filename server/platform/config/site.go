package config

import (
	"strings"

	"svc/server/platform/naming"
)

// Site is the identity of this server for others.
type Site struct {
	Base string // public base URL, without a slash at its end
	Host string // the host of Base, with its port where it has one, in lower case
	// Insecure accepts ids of plain HTTP, and of any host, for tests among servers
	// on one machine.
	Insecure bool
	// Words are those of the service's name.
	Words naming.Words
}

// NewSite returns the site of a public base URL.
func NewSite(base string, insecure bool) Site {
	_, host, _ := strings.Cut(base, "://")
	return Site{Base: base, Host: strings.ToLower(host), Insecure: insecure}
}

// Secure reports whether the site is served by https.
func (s Site) Secure() bool { return strings.HasPrefix(s.Base, "https://") }
