package media

import (
	"context"
	"errors"
	"fmt"
)

// Warm fetches remote files that will probably be requested soon. Banned files,
// files not for the proxy, and failures are left to later requests.
func (p *Proxy) Warm(ctx context.Context, addresses []string) error {
	for _, address := range addresses {
		s := p.settings.Load()
		address = canonical(address)
		if !s.MediaProxy.Enabled || !p.urls.proxied(s, address) {
			continue
		}
		err := p.banned(ctx, address)
		if err == nil {
			var f File
			if f, _, err = p.open(ctx, address); err == nil {
				err = f.Close()
			}
		}
		if err != nil && !errors.Is(err, ErrBanned) && !errors.Is(err, ErrUpstream) {
			return fmt.Errorf("fetch a file for later: %w", err)
		}
	}
	return nil
}
