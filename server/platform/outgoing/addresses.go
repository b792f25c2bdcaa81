package outgoing

import (
	"net/netip"
	"slices"
)

// Non-public addresses, by the registries of special-purpose addresses (RFC
// 6890 and its updates).
var (
	special4 = prefixes(
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // shared by carriers
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, and where clouds keep credentials
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, and broadcast
	)
	global6  = netip.MustParsePrefix("2000::/3") // all that is handed out
	special6 = prefixes(
		"2001::/23",     // protocol assignments, Teredo among them
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4: holds an IPv4 address
		"3fff::/20",     // documentation
	)
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Public reports whether an address is public: not of this machine, a private
// network, or a reserved range. An IPv4 address written as IPv6 counts as IPv4.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap()
	holds := func(p netip.Prefix) bool { return p.Contains(ip) }
	if ip.Is4() {
		return !slices.ContainsFunc(special4, holds)
	}
	return ip.Zone() == "" && global6.Contains(ip) && !slices.ContainsFunc(special6, holds)
}
