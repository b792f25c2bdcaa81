package sshd

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// doors counts connections and failures by address, and sessions by account.
type doors struct {
	limits Limits
	now    func() time.Time

	mu       sync.Mutex
	all      int
	open     map[string]int         // connections, by address
	failed   map[string][]time.Time // by address, the oldest first
	sessions map[string]int         // by account
}

func newDoors(l Limits, now func() time.Time) *doors {
	return &doors{limits: l, now: now, open: map[string]int{}, failed: map[string][]time.Time{}, sessions: map[string]int{}}
}

// placeOf is what counts as one address: of IPv6 a network of 64 bits, which one
// client may have to itself.
func placeOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// enter lets a connection in, and returns how it leaves.
func (d *doors) enter(from net.Addr) (leave func(), ok bool) {
	place := placeOf(from)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all >= d.limits.Connections || d.open[place] >= d.limits.PerAddress || len(d.recent(place)) >= d.limits.Failures {
		return nil, false
	}
	d.all++
	d.open[place]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.all--
		count(d.open, place, -1)
	}, true
}

// fail counts a connection that showed no right key.
func (d *doors) fail(from net.Addr) {
	place := placeOf(from)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed[place] = append(d.recent(place), d.now())
	for other := range d.failed {
		if len(d.recent(other)) == 0 {
			delete(d.failed, other)
		}
	}
}

// recent are the failures of a place that count still.
func (d *doors) recent(place string) []time.Time {
	times := d.failed[place]
	for len(times) > 0 && d.now().Sub(times[0]) >= d.limits.FailureTime {
		times = times[1:]
	}
	return times
}

// begin lets a session of an account begin, and returns how it ends.
func (d *doors) begin(account string) (end func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[account] >= d.limits.PerAccount {
		return nil, false
	}
	d.sessions[account]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		count(d.sessions, account, -1)
	}, true
}

// count changes a number, of which a zero is not kept.
func count(numbers map[string]int, key string, by int) {
	if numbers[key] += by; numbers[key] == 0 {
		delete(numbers, key)
	}
}
