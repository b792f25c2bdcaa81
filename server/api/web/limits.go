package web

import (
	"hash/maphash"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// A Limit says where a route's requests are counted.
type Limit struct {
	Bucket config.Bucket
	Kind   string // counted apart from the bucket's others; empty: together
	Param  string // a path parameter: its values are counted apart
	// Name and Value, where given, are a parameter of the body or query and
	// the only value of it for which a request is counted.
	Name, Value string
}

// Limiter counts requests in fixed windows, by user, or by address for
// anonymous callers. It counts in this process's memory: several processes
// allow as many times as much.
//
// It acts only if a trusted proxy sends the client's address, or no proxy is
// configured. Otherwise all clients might share an address, and a limit for one
// would be a limit for all.
type Limiter struct {
	settings *config.Live
	now      func() time.Time
	seed     maphash.Seed

	mu sync.Mutex
	// Counts since young was last empty are in young, earlier ones in old.
	// Together they bound the memory, and the least recent counts are dropped
	// first.
	young, old map[uint64]counted
}

// counted is the requests since a moment.
type counted struct {
	since time.Time
	n     int
}

// generation is how many counters there are in one half of a Limiter.
const generation = 1 << 16

// NewLimiter returns a Limiter with the rates of the settings.
func NewLimiter(settings *config.Live, now func() time.Time) *Limiter {
	return &Limiter{settings: settings, now: now, seed: maphash.MakeSeed(), young: map[uint64]counted{}}
}

// Reset forgets all counts.
func (l *Limiter) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.young, l.old = map[uint64]counted{}, nil
}

// Try runs try, which reports whether a secret was right, if the caller may
// still guess. A wrong secret is counted. After too many guesses the error
// refuses the caller, without running try.
func (l *Limiter) Try(c *gin.Context, limit Limit, try func() bool) (bool, error) {
	addr, known := clientAddr(c)
	rate := l.settings.Load().RateLimits[limit.Bucket].Anonymous
	if !known || rate.Count == 0 {
		return try(), nil
	}
	now, key := l.now(), l.key(&limit, "", addr, "")
	if end, spent := l.spent(key, rate, now); spent {
		tell(c, rate, 0, end)
		c.Header("Retry-After", strconv.Itoa(int((end.Sub(now)+time.Second-1)/time.Second)))
		return false, fault.RateLimited("Throttled")
	}
	if try() {
		return true, nil
	}
	l.take(key, rate, now)
	return false, nil
}

// spent reports whether no request is left under key, and the end of the
// window.
func (l *Limiter) spent(key uint64, rate config.Rate, now time.Time) (end time.Time, spent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, ok := l.young[key]
	if !ok {
		was, ok = l.old[key]
	}
	end = was.since.Add(rate.Window)
	return end, ok && now.Before(end) && !now.Before(was.since) && was.n >= rate.Count
}

// Count counts one more deed of an account that is no request of its own. One that
// is over the limit is refused.
func (l *Limiter) Count(limit Limit, account string) error {
	rate := l.settings.Load().RateLimits[limit.Bucket].User
	if rate.Count == 0 {
		return nil
	}
	if left, _ := l.take(l.key(&limit, account, netip.Addr{}, ""), rate, l.now()); left < 0 {
		return fault.RateLimited("Throttled")
	}
	return nil
}

// Wrap counts requests before h answers them, in the order of limits; one that
// is over is refused and not counted in the rest.
func (l *Limiter) Wrap(limits []Limit, h Handler) Handler {
	if len(limits) == 0 {
		return h
	}
	return func(c *gin.Context) error {
		addr, known := clientAddr(c)
		if !known {
			return h(c)
		}
		if err := l.count(c, limits, addr); err != nil {
			return err
		}
		return h(c)
	}
}

// count counts a request under all limits, and sets the headers of the one with
// the least left.
func (l *Limiter) count(c *gin.Context, limits []Limit, addr netip.Addr) error {
	rates, now := &l.settings.Load().RateLimits, l.now()
	var account string
	if id := Caller(c); id != nil && id.Account != nil {
		account = id.Account.ID
	}
	least := -1
	var shown config.Rate
	var resets time.Time
	for i := range limits {
		limit := &limits[i]
		rate := rates[limit.Bucket].Anonymous
		if account != "" {
			rate = rates[limit.Bucket].User
		}
		if rate.Count == 0 || !limit.counts(c) {
			continue
		}
		left, end := l.take(l.key(limit, account, addr, c.Param(limit.Param)), rate, now)
		if left < 0 {
			tell(c, rate, 0, end)
			c.Header("Retry-After", strconv.Itoa(int((end.Sub(now)+time.Second-1)/time.Second)))
			return fault.RateLimited("Throttled")
		}
		if least < 0 || left < least {
			least, shown, resets = left, rate, end
		}
	}
	if least >= 0 {
		tell(c, shown, least, resets)
	}
	return nil
}

// counts reports whether the limit applies to the request.
func (l *Limit) counts(c *gin.Context) bool {
	if l.Name == "" {
		return true
	}
	if Query(c, l.Name) == l.Value {
		return true
	}
	t, err := body(c)
	return err == nil && t[l.Name] == l.Value
}

func (l *Limiter) key(limit *Limit, account string, addr netip.Addr, target string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	_ = h.WriteByte(byte(limit.Bucket))
	_, _ = h.WriteString(limit.Kind)
	_ = h.WriteByte(0)
	if account != "" {
		_, _ = h.WriteString(account)
	} else {
		raw := addr.As16()
		_, _ = h.Write(raw[:])
	}
	_ = h.WriteByte(0)
	_, _ = h.WriteString(target)
	return h.Sum64()
}

// take counts one more request under key. It returns the number left, -1 if
// this one is too many, and the end of the window.
func (l *Limiter) take(key uint64, rate config.Rate, now time.Time) (left int, end time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, ok := l.young[key]
	if !ok {
		was, ok = l.old[key]
	}
	if !ok || now.Sub(was.since) >= rate.Window || now.Before(was.since) {
		was = counted{since: now}
	}
	end = was.since.Add(rate.Window)
	if was.n >= rate.Count {
		return -1, end
	}
	was.n++
	if len(l.young) >= generation {
		l.old, l.young = l.young, make(map[uint64]counted, generation/16)
	}
	l.young[key] = was
	return rate.Count - was.n, end
}

// tell sets the headers by which clients adapt their pace.
func tell(c *gin.Context, rate config.Rate, left int, end time.Time) {
	h := c.Writer.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(rate.Count))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", end.UTC().Format("2006-01-02T15:04:05.000Z"))
}
