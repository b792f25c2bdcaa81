package documents

import (
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/federation/activitypub"
	"svc/server/platform/config"
)

// The bounds of the cache.
const (
	mostKept    = 4096
	longestKept = 32 << 10 // bytes
)

// cache keeps public documents. Each belongs to a version of a row, and to the
// settings it was made under. Recent documents are in young and earlier ones in
// old, so that the least recently used are dropped.
type cache struct {
	now        func() time.Time
	mu         sync.Mutex
	young, old map[string]kept
}

type kept struct {
	version  int64
	settings *config.Settings
	until    time.Time // zero: while nothing changes
	raw      []byte
}

// lifetime is for how long a document is right while its row does not change.
type lifetime struct {
	poll   bool
	closes time.Time // when the poll does; zero for never
}

func newCache(now func() time.Time) *cache { return &cache{now: now, young: map[string]kept{}} }

func (k *cache) get(key string, version int64, settings *config.Settings) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	entry, ok := k.young[key]
	if !ok {
		if entry, ok = k.old[key]; ok {
			k.add(key, entry)
		}
	}
	if !ok || entry.version != version || entry.settings != settings || !entry.until.IsZero() && !k.now().Before(entry.until) {
		return nil, false
	}
	return entry.raw, true
}

func (k *cache) put(key string, entry kept) {
	if len(entry.raw) > longestKept {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(key, entry)
}

func (k *cache) add(key string, entry kept) {
	if len(k.young) >= mostKept/2 {
		k.old, k.young = k.young, make(map[string]kept, mostKept/16)
	}
	k.young[key] = entry
}

// until returns the time at which a document becomes stale, zero for never; ok
// is false if it is not cached.
func (s *Service) until(settings *config.Settings, l lifetime) (until time.Time, ok bool) {
	span := settings.Documents.Kept
	if l.poll {
		span = settings.Documents.PollsKept
	}
	if span <= 0 {
		return time.Time{}, false
	}
	if span < config.Forever {
		until = s.now().Add(span)
	}
	if l.closes.After(s.now()) && (until.IsZero() || l.closes.Before(until)) {
		until = l.closes
	}
	return until, true
}

// answer sends the document of a row's version, from the cache if everybody may
// have it.
func (s *Service) answer(c *gin.Context, key string, version int64, public bool, write func() (activitypub.Object, lifetime, error)) error {
	settings := s.live.Load()
	if public {
		if raw, ok := s.kept.get(key, version, settings); ok {
			sendRaw(c, http.StatusOK, raw)
			return nil
		}
	}
	doc, l, err := write()
	if err != nil {
		return err
	}
	raw, err := activitypub.Encode(doc)
	if err != nil {
		return err
	}
	if until, ok := s.until(settings, l); public && ok {
		s.kept.put(key, kept{version, settings, until, raw})
	}
	sendRaw(c, http.StatusOK, raw)
	return nil
}
