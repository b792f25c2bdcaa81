package sshd

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// doors counts connections and failures by address, and connections and sessions by
// account. Strangers, accounts without rights, and staff have places of their own: none
// can take those of the others.
type doors struct {
	limits Limits
	now    func() time.Time

	mu        sync.Mutex
	strangers []*place               // in the order in which they came
	guests    int                    // connections of accounts without rights
	staff     int                    // and of those with some
	accounts  map[string]int         // connections, by account
	open      map[string]int         // connections, by address
	failed    map[string][]time.Time // by address, the oldest first
	sessions  map[string]int         // by account
}

// place is that of one connection.
type place struct {
	of      *doors
	address string
	drop    func() // closes the connection
	give    func() // gives back the place of an account
}

func newDoors(l Limits, now func() time.Time) *doors {
	return &doors{limits: l, now: now, accounts: map[string]int{}, open: map[string]int{}, failed: map[string][]time.Time{}, sessions: map[string]int{}}
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

// enter lets a connection in among strangers. When all their places are taken, the
// oldest of the address that has most of them is dropped: whoever holds many loses
// them, and a person who logs in needs one for a moment.
func (d *doors) enter(from net.Addr, drop func()) (*place, bool) {
	p := &place{of: d, address: placeOf(from), drop: drop}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[p.address] >= d.limits.PerAddress || len(d.recent(p.address)) >= d.limits.Failures {
		return nil, false
	}
	if len(d.strangers) >= d.limits.Strangers {
		held, most := map[string]int{}, ""
		for _, s := range d.strangers {
			if held[s.address]++; held[s.address] > held[most] {
				most = s.address
			}
		}
		for _, s := range d.strangers {
			if s.address == most {
				d.forget(s)
				s.drop()
				break
			}
		}
	}
	d.open[p.address]++
	d.strangers = append(d.strangers, p)
	return p, true
}

// forget takes a place out of those of strangers.
func (d *doors) forget(p *place) {
	d.strangers = slices.DeleteFunc(d.strangers, func(s *place) bool { return s == p })
}

// logIn moves the connection to the places of its account's kind, if one is free.
func (p *place) logIn(account string, rights bool) bool {
	d := p.of
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(p)
	taken, most := &d.guests, d.limits.Guests
	if rights {
		taken, most = &d.staff, d.limits.Connections
	}
	if *taken >= most || d.accounts[account] >= 2*d.limits.PerAccount {
		return false
	}
	*taken++
	d.accounts[account]++
	p.give = func() {
		*taken--
		count(d.accounts, account, -1)
	}
	return true
}

// leave gives the place back.
func (p *place) leave() {
	d := p.of
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(p)
	if p.give != nil {
		p.give()
	}
	count(d.open, p.address, -1)
}

// fail counts a connection that cost a key exchange and logged nobody in.
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
