package remote

import (
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// ErrBusy is a question that was refused, since its kind was asked too often.
var ErrBusy = errors.New("too many questions for now")

// budget allows each name a number of questions at once, and more with every
// second.
type budget struct {
	mu    *sync.Mutex
	spent *lru.Cache[string, spending]
	most  float64
	rate  float64 // per second
	now   func() time.Time
}

// spending is the used part of a budget at a time.
type spending struct {
	n  float64
	at time.Time
}

func newBudget(most, rate float64, now func() time.Time) budget {
	return budget{mu: &sync.Mutex{}, spent: memory[spending](), most: most, rate: rate, now: now}
}

// take spends cost from the budget of name, and reports whether it sufficed. ""
// is no name.
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
