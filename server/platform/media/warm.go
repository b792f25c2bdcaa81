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

// Copy stores a file of another server among our own and returns its name: it is
// protected for some hours, until a row names it. A banned one is ErrBanned, one that
// cannot be had ErrUpstream, and a damaged one a fault.
func (p *Proxy) Copy(ctx context.Context, address string) (string, error) {
	address = canonical(address)
	if err := p.banned(ctx, address); err != nil {
		return "", err
	}
	f, _, err := p.open(ctx, address)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	d, err := p.files.Receive(f, "", f.Size())
	if err != nil {
		return "", err
	}
	defer d.Close()
	return p.files.Keep(ctx, d)
}
