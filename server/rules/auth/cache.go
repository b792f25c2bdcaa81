package auth

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2"
)

// fresh bounds the age of cached reads. Changes in this process and, on
// PostgreSQL, in others are announced at once; those of a command on the same
// SQLite file are not.
const fresh = time.Second

// cached keeps reads for a moment. A key that is dropped during its read is not
// kept.
type cached[V comparable] struct {
	now func() time.Time

	mu        sync.Mutex
	forgotten uint64 // how often a key was dropped
	cache     *lru.Cache[string, kept[V]]
}

type kept[V any] struct {
	value V
	until time.Time
}

func newBelieved[V comparable](now func() time.Time) (*cached[V], error) {
	cache, err := lru.New[string, kept[V]](4096)
	if err != nil {
		return nil, err
	}
	return &cached[V]{now: now, cache: cache}, nil
}

// get returns the cached value of a key, or reads it. The zero value is not
// cached: strangers' guesses are not worth memory.
func (b *cached[V]) get(key string, read func() (V, error)) (V, error) {
	now := b.now()
	if k, ok := b.cache.Get(key); ok && now.Before(k.until) {
		return k.value, nil
	}
	b.mu.Lock()
	before := b.forgotten
	b.mu.Unlock()
	var none V
	value, err := read()
	if err != nil || value == none {
		return none, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.forgotten == before {
		b.cache.Add(key, kept[V]{value, now.Add(fresh)})
	}
	return value, nil
}

func (b *cached[V]) forgetAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgotten++
	b.cache.Purge()
}

func (b *cached[V]) forget(keys ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgotten++
	for _, key := range keys {
		b.cache.Remove(key)
	}
}

func (b *cached[V]) forgetIf(is func(V) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgotten++
	for _, key := range b.cache.Keys() {
		if k, ok := b.cache.Peek(key); ok && is(k.value) {
			b.cache.Remove(key)
		}
	}
}
