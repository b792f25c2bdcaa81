package auth

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// perAccount multiplies the allowed wrong passwords of one address to those of
// one account from all addresses, so that a single address cannot lock out the
// owner.
const perAccount = 2

// remembered bounds each of the tables of attempts, in entries.
const remembered = 8192

// attempts counts wrong passwords by origin and by account, to slow down
// guessing. Right ones cost nothing.
type attempts struct {
	mu        sync.Mutex
	byOrigin  *simplelru.LRU[string, *window]
	byAccount *simplelru.LRU[string, *window]
	// proven are pairs of an origin and an account with a right password: guesses
	// of others do not lock out these owners.
	proven *simplelru.LRU[attempt, struct{}]
}

// attempt is the account and the origin of a try; an empty field is not
// counted.
type attempt struct{ origin, account string }

// window is the number of wrong passwords since a moment.
type window struct {
	since time.Time
	wrong int
}

func newAttempts() *attempts {
	a := &attempts{}
	var errs [3]error
	a.byOrigin, errs[0] = simplelru.NewLRU[string, *window](remembered, nil)
	a.byAccount, errs[1] = simplelru.NewLRU[string, *window](remembered, nil)
	a.proven, errs[2] = simplelru.NewLRU[attempt, struct{}](remembered, nil)
	for _, err := range errs {
		if err != nil {
			panic(err) // only for a size that is not positive
		}
	}
	return a
}

// attemptOf returns the attempt at the account a, or at an unknown name, from
// the address addr.
func attemptOf(a *db.Account, name, addr string) attempt {
	if a != nil {
		return attempt{origin(addr), a.ID}
	}
	return attempt{origin(addr), Hash(strings.ToLower(name))}
}

// lane returns the queue of an attempt: by origin or, if that does not tell
// people apart, by account.
func (t attempt) lane() string {
	if t.origin != "" {
		return t.origin
	}
	return t.account
}

// origin returns the unit of counting: an IPv4 address, or the network of one
// IPv6 customer. Loopback is not counted: behind an undeclared proxy all
// clients come from there.
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

// check refuses an origin with too many wrong guesses, and guesses at an
// account with too many.
func (a *attempts) check(t attempt, rate config.Rate, now time.Time) error {
	if rate.Count == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	spent := wrongIn(a.byOrigin, t.origin, rate, now) >= rate.Count
	if !spent && wrongIn(a.byAccount, t.account, rate, now) >= perAccount*rate.Count {
		spent = t.origin == "" || !a.proven.Contains(t)
	}
	if spent {
		return fault.RateLimited("Throttled")
	}
	return nil
}

// wrongIn returns the wrong passwords under key in the current window.
func wrongIn(counts *simplelru.LRU[string, *window], key string, rate config.Rate, now time.Time) int {
	if w, ok := counts.Get(key); ok && key != "" && now.Sub(w.since) < rate.Window {
		return w.wrong
	}
	return 0
}

// wrong counts a wrong password.
func (a *attempts) wrong(t attempt, rate config.Rate, now time.Time) {
	if rate.Count == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	count(a.byOrigin, t.origin, rate, now)
	count(a.byAccount, t.account, rate, now)
}

func count(counts *simplelru.LRU[string, *window], key string, rate config.Rate, now time.Time) {
	if key == "" {
		return
	}
	w, ok := counts.Get(key)
	if !ok || now.Sub(w.since) >= rate.Window {
		w = &window{since: now}
		counts.Add(key, w)
	}
	w.wrong++
}

// right records a right password.
func (a *attempts) right(t attempt) {
	if t.origin == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.proven.Add(t, struct{}{})
}
