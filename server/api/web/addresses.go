package web

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
)

// Proxies are networks.
type Proxies []netip.Prefix

func (p Proxies) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// Remote finds the client's address of a request. It trusts the proxies of the
// operator and of the settings. It also trusts a client on a Unix socket, which
// has no address: the owner of the file decides who may connect.
type Remote struct {
	proxies  Proxies
	settings *config.Live
	last     atomic.Pointer[remoteRules]
	log      *slog.Logger
	warned   atomic.Bool
}

// remoteRules are made once per change of the settings.
type remoteRules struct {
	from              *config.Settings
	off               bool
	headers           []string
	trusted, reserved Proxies
}

// NewRemote returns a Remote with the operator's proxies. Without settings it
// reads X-Forwarded-For. It logs once that a proxy in front was not declared.
func NewRemote(proxies Proxies, settings *config.Live, log *slog.Logger) *Remote {
	r := &Remote{proxies: proxies, settings: settings, log: log}
	if settings == nil {
		r.last.Store(&remoteRules{headers: []string{"X-Forwarded-For"}, trusted: proxies})
	}
	return r
}

// undeclared warns of requests through a nearby proxy that is not trusted: then
// all clients have one address.
func (r *Remote) undeclared(req *http.Request, peer netip.Addr, rules *remoteRules) {
	if !peer.IsLoopback() && !peer.IsPrivate() || r.warned.Load() {
		return
	}
	for _, name := range rules.headers {
		if len(req.Header[name]) > 0 && r.warned.CompareAndSwap(false, true) {
			r.log.WarnContext(req.Context(), "undeclared proxy in front: no rate limits by address",
				"proxy", peer.String(), "header", name, "setting", "SVC_TRUSTED_PROXIES")
		}
	}
}

func (r *Remote) rules() *remoteRules {
	last := r.last.Load()
	if r.settings == nil {
		return last
	}
	s := r.settings.Load()
	if last != nil && last.from == s {
		return last
	}
	made := &remoteRules{
		from: s, off: !s.RemoteIP.Enabled, reserved: config.Networks(s.RemoteIP.Reserved),
		trusted: append(r.proxies[:len(r.proxies):len(r.proxies)], config.Networks(s.RemoteIP.Proxies)...),
	}
	for _, name := range s.RemoteIP.Headers {
		made.headers = append(made.headers, http.CanonicalHeaderKey(name))
	}
	r.last.Store(made)
	return made
}

// client is the address that a request came from. It is known if it tells
// clients apart: a trusted proxy sent it, or no proxy is configured. Of several
// hops it is the last that is no proxy, since the client can write the earlier
// ones.
func (r *Remote) client(req *http.Request) (addr netip.Addr, known bool) {
	rules := r.rules()
	peer, err := netip.ParseAddrPort(req.RemoteAddr)
	if err == nil {
		addr = peer.Addr().Unmap().WithZone("")
		if rules.off {
			return addr, true
		}
		if !rules.trusted.trusts(addr) {
			r.undeclared(req, addr, rules)
			return addr, false
		}
	} else if rules.off || req.RemoteAddr != "" && req.RemoteAddr != "@" {
		return addr, false
	}
	var lines []string
	for _, name := range rules.headers {
		if lines = req.Header[name]; len(lines) > 0 {
			break
		}
	}
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
				return addr, known
			}
			addr, known = said.Unmap().WithZone(""), true
			if !rules.trusted.trusts(addr) && !rules.reserved.trusts(addr) {
				return addr, true
			}
		}
	}
	return addr, known
}

// clientAddr returns the address that a client is counted by: an IPv4 address,
// or the network of one IPv6 customer.
func clientAddr(c *gin.Context) (addr netip.Addr, known bool) {
	addr, known = frontOf(c).remote.client(c.Request)
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			addr = network.Addr()
		}
	}
	return addr, known
}

// CountedAddr returns the address under which a client's connections are
// counted; "" if addresses do not tell clients apart.
func CountedAddr(c *gin.Context) string {
	addr, known := clientAddr(c)
	if !known {
		return ""
	}
	return addr.String()
}

// RemoteAddr is the address of the client for limits, not for logs; "" when it
// is not known.
func RemoteAddr(c *gin.Context) string {
	addr, _ := frontOf(c).remote.client(c.Request)
	if !addr.IsValid() {
		return ""
	}
	return addr.String()
}
