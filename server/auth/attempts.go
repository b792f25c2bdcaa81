package auth

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"svc/server/config"
	"svc/server/fault"
)

// attempts counts wrong passwords by where they come from, so that guessing is
// slow. Right ones cost nothing, however many.
type attempts struct {
	mu     sync.Mutex
	byAddr *simplelru.LRU[string, *window]
}

// window is the wrong passwords since a moment.
type window struct {
	since time.Time
	wrong int
}

func newAttempts() *attempts {
	byAddr, err := simplelru.NewLRU[string, *window](8192, nil)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &attempts{byAddr: byAddr}
}

// origin is who is counted together: an IPv4 address, or the network that one
// IPv6 customer has. The machine itself is not counted: it is what all clients
// come from where a proxy stands in front and was not declared.
func origin(addr string) string {
	ip, err := netip.ParseAddr(addr)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap().WithZone(""); ip.IsLoopback() {
		return ""
	}
	if ip.Is6() {
		network, err := ip.Prefix(64)
		if err != nil {
			return ""
		}
		return network.String()
	}
	return ip.String()
}

// check refuses who guessed wrong too often.
func (a *attempts) check(addr string, rate config.Rate, now time.Time) error {
	return a.checkKey(origin(addr), rate, now)
}

func (a *attempts) checkKey(from string, rate config.Rate, now time.Time) error {
	if from == "" || rate.Count == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w, ok := a.byAddr.Get(from); ok && now.Sub(w.since) < rate.Window && w.wrong >= rate.Count {
		return fault.RateLimited("Throttled")
	}
	return nil
}

// wrong counts a wrong password.
func (a *attempts) wrong(addr string, rate config.Rate, now time.Time) {
	a.wrongKey(origin(addr), rate, now)
}

func (a *attempts) wrongKey(from string, rate config.Rate, now time.Time) {
	if from == "" || rate.Count == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w, ok := a.byAddr.Get(from)
	if !ok || now.Sub(w.since) >= rate.Window {
		w = &window{since: now}
		a.byAddr.Add(from, w)
	}
	w.wrong++
}
