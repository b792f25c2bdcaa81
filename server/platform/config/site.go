package config

import "strings"

// Site is who this server is to others.
type Site struct {
	Base string // public base URL, without a slash at its end
	Host string // the host of Base, with its port where it has one, in lower case
	// Insecure accepts ids of plain HTTP, and of any host: for tests among
	// servers on one machine.
	Insecure bool
}

// NewSite is the site at a public base URL.
func NewSite(base string, insecure bool) Site {
	_, host, _ := strings.Cut(base, "://")
	return Site{Base: base, Host: strings.ToLower(host), Insecure: insecure}
}

// Secure reports whether others reach the site by https.
func (s Site) Secure() bool { return strings.HasPrefix(s.Base, "https://") }
