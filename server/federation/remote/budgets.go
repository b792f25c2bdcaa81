package remote

import (
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// ErrBusy is a question that was not asked: too many of its kind were.
var ErrBusy = errors.New("too many questions for now")

// budget lets each name have a number of questions at once, and so many more
// with every second.
type budget struct {
	mu    *sync.Mutex
	spent *lru.Cache[string, spending]
	most  float64
	rate  float64 // per second
	now   func() time.Time
}

// spending is how many questions were had, as of at.
type spending struct {
	n  float64
	at time.Time
}

func newBudget(most, rate float64, now func() time.Time) budget {
	return budget{mu: &sync.Mutex{}, spent: memory[spending](), most: most, rate: rate, now: now}
}

// take has name ask cost questions, and reports whether it may. Nobody's name is
// "".
func (b budget) take(name string, cost float64) bool {
	if name == "" {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	was, _ := b.spent.Get(name)
	n := max(0, was.n-b.rate*now.Sub(was.at).Seconds())
	if n+cost > b.most {
		return false
	}
	b.spent.Add(name, spending{n: n + cost, at: now})
	return true
}
