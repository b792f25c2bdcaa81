package activitypub

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"svc/server/platform/hosts"
)

// IDs checks ids. Insecure allows http and IP addresses, for tests among
// servers on one machine.
type IDs struct{ Insecure bool }

// Check returns an id in stored form, or ErrMalformed: https, without user or
// fragment other than a key's, no IP address, the host in lower case and ASCII
// without a trailing dot, no default port, 8 to 2048 characters.
func (r IDs) Check(id string) (string, error) {
	u, err := r.parse(id)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

func (r IDs) parse(id string) (*url.URL, error) {
	bad := func(why string) (*url.URL, error) { return nil, fmt.Errorf("%w: id %.200q %s", ErrMalformed, id, why) }
	id = hosts.URI(id)
	if len(id) < 8 || len(id) > 2048 {
		return bad("is too short or too long")
	}
	u, err := url.Parse(id)
	if err != nil {
		return bad("is no URL")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "https" && (!r.Insecure || u.Scheme != "http"):
		return bad("is not of scheme https")
	case u.User != nil:
		return bad("names a user")
	case u.Opaque != "" || u.Host == "":
		return bad("has no host")
	}
	host, err := r.host(u.Hostname())
	if err != nil {
		return bad(err.Error())
	}
	if port := u.Port(); port != "" && (u.Scheme != "https" || port != "443") && (u.Scheme != "http" || port != "80") {
		host = net.JoinHostPort(host, port)
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	return u, nil
}

func (r IDs) host(name string) (string, error) {
	name = strings.TrimSuffix(name, ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		if !r.Insecure {
			return "", fmt.Errorf("has an address for a host")
		}
		return ip.String(), nil
	}
	host, ok := hosts.Name(name)
	if !ok {
		return "", fmt.Errorf("has a host that is no name")
	}
	return host, nil
}

// Host returns the host of an id, with a port other than the scheme's own; ""
// for an invalid id.
func (r IDs) Host(id string) string {
	u, err := r.parse(id)
	if err != nil {
		return ""
	}
	return u.Host
}

// SameOrigin reports whether two ids have the same scheme, host and port. An
// invalid id has no origin.
func (r IDs) SameOrigin(a, b string) bool {
	ua, err := r.parse(a)
	if err != nil {
		return false
	}
	ub, err := r.parse(b)
	return err == nil && ua.Scheme == ub.Scheme && ua.Host == ub.Host
}

// Domain returns a host in stored form (IDNA, lower case, no trailing dot, port
// kept), or ErrMalformed.
func (r IDs) Domain(host string) (string, error) {
	u, err := r.parse("https://" + host + "/")
	if err != nil {
		return "", err
	}
	return u.Host, nil
}
