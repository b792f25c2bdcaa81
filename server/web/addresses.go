package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// Proxies are the peers whose X-Forwarded-For is believed. Whoever connects
// through a Unix socket is believed too: he has no address, and the file's
// owner decides who may.
type Proxies []netip.Prefix

func (p Proxies) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// client is the address that a request came from, and whether a proxy told it.
// Of several hops it is the last that is no trusted proxy: what stands before
// it anybody can have written.
func (p Proxies) client(r *http.Request) (addr netip.Addr, forwarded bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil {
		addr = peer.Addr().Unmap().WithZone("")
		if !p.trusts(addr) {
			return addr, false
		}
	} else if r.RemoteAddr != "" && r.RemoteAddr != "@" {
		return addr, false
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		for rest := lines[i]; rest != ""; {
			hop := rest
			if comma := strings.LastIndexByte(rest, ','); comma >= 0 {
				rest, hop = rest[:comma], rest[comma+1:]
			} else {
				rest = ""
			}
			said, err := netip.ParseAddr(strings.TrimSpace(hop))
			if err != nil {
				return addr, forwarded
			}
			addr, forwarded = said.Unmap().WithZone(""), true
			if !p.trusts(addr) {
				return addr, true
			}
		}
	}
	return addr, forwarded
}

// clientAddr is who is counted together as one client: an IPv4 address, or the
// network that one IPv6 customer has.
func clientAddr(c *gin.Context) (addr netip.Addr, forwarded bool) {
	addr, forwarded = frontOf(c).proxies.client(c.Request)
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			addr = network.Addr()
		}
	}
	return addr, forwarded
}

// RemoteAddr is the address of the client for limits, not for logs; "" when it
// is not known.
func RemoteAddr(c *gin.Context) string {
	addr, _ := frontOf(c).proxies.client(c.Request)
	if !addr.IsValid() {
		return ""
	}
	return addr.String()
}
