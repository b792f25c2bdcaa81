package media

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"svc/db"
	"svc/server/platform/config"
)

// ErrNoPreview is a file that is shown itself in place of a preview: one that
// is small already, animated, or cannot be decoded.
var ErrNoPreview = errors.New("there is no preview of this file")

// Preview returns the URL of a preview, or of the file itself if previews are
// off.
func (u *URLs) Preview(address string) string {
	s := u.settings.Load()
	if s.MediaProxy.Enabled && s.MediaPreview.Enabled {
		if name, ok := u.own(address); ok {
			return u.signed(s, previewPath, u.base+db.MediaPath+name)
		}
		if known := canonical(address); u.proxied(s, known) {
			return u.signed(s, previewPath, known)
		}
	}
	return u.Public(address)
}

// previewKey returns the cache key of a preview.
func (p *Proxy) previewKey(known string) cacheKey {
	s := &p.settings.Load().MediaPreview
	return cacheKey{hostOf(known), fmt.Sprintf("preview %dx%d at %d%% of %s", s.MaxWidth, s.MaxHeight, s.Quality, known)}
}

// Preview opens the preview of a URL, making it if needed. An unsigned URL is
// db.ErrNotFound, a banned file ErrBanned. With other errors, address is that
// of the file itself; ErrNoPreview redirects there.
func (p *Proxy) Preview(ctx context.Context, signature, encoded string) (f File, t Type, address string, err error) {
	given, ok := p.urls.verify(signature, encoded)
	if !ok {
		return nil, t, "", fmt.Errorf("URL of a preview: %w", db.ErrNotFound)
	}
	known := p.urls.known(given)
	if err := p.banned(ctx, known); err != nil {
		return nil, t, "", err
	}
	address = p.urls.Public(known)
	s := p.settings.Load()
	if !s.MediaProxy.Enabled || !s.MediaPreview.Enabled {
		return nil, t, address, ErrProxyOff
	}
	key := p.previewKey(known)
	if f, t, err = p.cache.open(key); err == nil || !errors.Is(err, db.ErrNotFound) {
		return f, t, address, err
	}
	err = p.fetch(ctx, key.name, func(ctx context.Context) error { return p.preview(ctx, s, known, key) })
	if err == nil {
		f, t, err = p.cache.open(key)
	}
	return f, t, address, err
}

// preview makes and caches the preview of a file.
func (p *Proxy) preview(ctx context.Context, s *config.Settings, known string, key cacheKey) error {
	f, t, err := p.whole(ctx, s, known)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, ok := decoderOf(t); !ok || f.Size() < int64(s.MediaPreview.MinContentLength) {
		return ErrNoPreview
	}
	leave, err := p.decodeSlots.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	raw, err := readWhole(f)
	if err == nil {
		err = p.cache.add(key, func(out *os.File) error {
			return thumbnail(out, raw, t, s.MediaPreview.MaxWidth, s.MediaPreview.MaxHeight, s.MediaPreview.Quality)
		})
	}
	if errors.Is(err, errUndecoded) {
		err = fmt.Errorf("%w: %w", ErrNoPreview, err)
	}
	return full(err)
}

// whole opens a file: a local or a remote one.
func (p *Proxy) whole(ctx context.Context, s *config.Settings, known string) (File, Type, error) {
	if name, ok := strings.CutPrefix(known, db.MediaPath); ok {
		return p.files.Show(ctx, name)
	}
	if !p.urls.proxied(s, known) {
		return nil, other, ErrProxyOff
	}
	return p.open(ctx, known)
}
