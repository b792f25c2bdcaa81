package remote

import (
	"context"
	"maps"
	"sync"
	"time"
)

const (
	iconsKept = 10 * time.Minute
	maxIcons  = 20000
	iconsTime = 2 * time.Second // to read them
)

// icons caches the icons of other servers.
type icons struct {
	mu     sync.Mutex
	byHost map[string]string
	read   time.Time
}

// Favicon returns the address of another server's icon; "" if unknown or
// hidden. All are read at once, and again now and then.
func (s *Service) Favicon(host string) string {
	if host == "" || !s.live.Load().InstancesFavicons {
		return ""
	}
	s.icons.mu.Lock()
	defer s.icons.mu.Unlock()
	if now := s.now(); s.icons.byHost == nil || now.Sub(s.icons.read) > iconsKept {
		ctx, cancel := context.WithTimeout(s.stopped, iconsTime)
		defer cancel()
		all, err := s.db.Favicons(ctx, maxIcons)
		s.logFailure(ctx, "read icons", s.host, err)
		if err == nil {
			s.icons.byHost = all
		}
		s.icons.read = now
	}
	return s.icons.byHost[host]
}

// shown caches a new icon.
func (i *icons) shown(host, address string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.byHost[host] != address {
		byHost := maps.Clone(i.byHost)
		if byHost == nil {
			return // it will be read
		}
		byHost[host] = address
		i.byHost = byHost
	}
}
