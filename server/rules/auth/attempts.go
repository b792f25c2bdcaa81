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

// perAccount is how many times as many wrong passwords an account takes from all
// addresses together as one address may try. A single address cannot keep the
// owner of an account out.
const perAccount = 2

// remembered bounds each of the tables of attempts, in entries.
const remembered = 8192

// attempts counts wrong passwords by their origin and by the account that they
// were tried at, so that guessing is slow. Right ones cost nothing, however many.
type attempts struct {
	mu        sync.Mutex
	byOrigin  *simplelru.LRU[string, *window]
	byAccount *simplelru.LRU[string, *window]
	// proven are origins, with accounts whose password was right there: the
	// guesses of others do not keep their owners out.
	proven *simplelru.LRU[attempt, struct{}]
}

// attempt says whose password is tried, and from where; an empty field is not
// counted.
type attempt struct{ origin, account string }

// window is the wrong passwords since a moment.
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

// attemptOf is an attempt at the account a, or at nobody's by this name, from the
// address addr.
func attemptOf(a *db.Account, name, addr string) attempt {
	if a != nil {
		return attempt{origin(addr), a.ID}
	}
	return attempt{origin(addr), Hash(strings.ToLower(name))}
}

// lane is where someone with this attempt waits: by origin, or, where that does
// not tell people apart, by account.
func (t attempt) lane() string {
	if t.origin != "" {
		return t.origin
	}
	return t.account
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

// check refuses who guessed wrong too often, and guesses at an account at which
// too many were wrong.
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

// wrongIn is how many were wrong under key in the window that runs.
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

// right notes that a password was right.
func (a *attempts) right(t attempt) {
	if t.origin == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.proven.Add(t, struct{}{})
}
