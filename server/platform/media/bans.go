package media

import (
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/guard"
	"svc/server/platform/rights"
)

// ErrBanned is a file that strangers do not get: banned by an admin, or kept for a report
// alone.
var ErrBanned = errors.New("the file is banned")

// filePurged is the topic of purged remote files; the payload is the URL.
const filePurged = "media"

// longestNotice is the longest payload in bytes. Longer ones cannot be
// announced, and are not proxied either.
const longestNotice = maxURL

// Purge removes files from our own and other caches, by their own addresses or
// by those people have. With ban, they are no longer served. Failures of other
// caches are only logged.
func (p *Proxy) Purge(ctx context.Context, by *db.Account, files []string, ban bool) error {
	if err := p.rights.Check(by, rights.Media); err != nil {
		return err
	}
	var bans []db.MediaBan
	var served []string
	seen := map[string]bool{}
	err := p.db.Tx(ctx, func(tx *db.DB) error {
		if err := p.rights.Hold(ctx, tx, by, rights.Media); err != nil {
			return err
		}
		bans, served = nil, nil
		clear(seen)
		for _, given := range files {
			address := p.urls.known(given)
			if address == "" || seen[address] {
				continue
			}
			seen[address] = true
			for _, form := range p.urls.forms(address) {
				served = append(served, form)
				bans = append(bans, db.MediaBan{URL: form, Address: address})
			}
			if len(address) > longestNotice {
				continue
			}
			if err := tx.Announce(ctx, filePurged, address); err != nil {
				return err
			}
		}
		if !ban {
			return nil
		}
		return tx.BanMedia(ctx, bans)
	})
	if err != nil {
		return err
	}
	p.invalidator.tell(ctx, p.told(served))
	return nil
}

// told are the addresses that a cache may have: it has no previews of a server
// that makes none.
func (p *Proxy) told(served []string) []string {
	if p.settings.Load().MediaPreview.Enabled {
		return served
	}
	return slices.DeleteFunc(served, func(address string) bool {
		_, _, preview := p.urls.parts(address)
		return preview
	})
}

// Removed removes deleted files of the store from our own and other caches.
func (p *Proxy) Removed(ctx context.Context, names []string) {
	var served []string
	for _, name := range names {
		known := db.MediaPath + name
		p.cache.drop(p.previewKey(known))
		served = append(served, p.urls.forms(known)...)
	}
	p.invalidator.tell(ctx, p.told(served))
}

// canonicalBans is the form of the addresses of bans, for db.RenameMediaBans.
const canonicalBans = "canonical"

// RenameBans converts older bans, so that they match every way to write an
// address.
func (p *Proxy) RenameBans(ctx context.Context) error {
	return p.db.RenameMediaBans(ctx, canonicalBans, func(url string, known func(address string) bool) string {
		if signature, encoded, _ := p.urls.parts(url); signature != "" {
			if address, ok := p.urls.verify(signature, encoded); ok {
				url = address
			}
		}
		if !known(url) {
			return "" // a former proxy's, or one of our own files
		}
		return p.urls.known(url)
	})
}

// Unban serves files again, by their own addresses or by those people have.
func (p *Proxy) Unban(ctx context.Context, by *db.Account, files []string) error {
	if err := p.rights.Check(by, rights.Media); err != nil {
		return err
	}
	addresses := make([]string, 0, len(files))
	for _, given := range files {
		if address := p.urls.known(given); address != "" {
			addresses = append(addresses, address)
		}
	}
	return p.db.Tx(ctx, func(tx *db.DB) error {
		if err := p.rights.Hold(ctx, tx, by, rights.Media); err != nil {
			return err
		}
		return tx.UnbanMedia(ctx, addresses)
	})
}

// hear removes a purged file from our cache, and all files where a purge may
// have been missed.
func (p *Proxy) hear(topic, address string) {
	switch topic {
	case filePurged:
		p.cache.drop(fileKey(address))
		p.cache.drop(p.previewKey(address))
	case filesPurged:
		p.hearSelection(address)
	case db.AnythingMissed:
		go func() { // thousands of files take a while
			guard.Broke(context.Background(), p.log, "empty the cache of the media proxy", p.cache.empty)
		}()
	}
}

// known returns the identity of a file for any of its addresses: the canonical
// URL of a remote file, or db.MediaPath and the name of a local one.
func (u *URLs) known(given string) string {
	given = canonical(given)
	if signature, encoded, _ := u.parts(given); signature != "" {
		address, ok := u.verify(signature, encoded)
		if !ok {
			return given
		}
		given = canonical(address)
	}
	if name, ok := u.own(given); ok {
		return db.MediaPath + name
	}
	return given
}

// own returns the name of a local file for any of its addresses.
func (u *URLs) own(address string) (string, bool) {
	address = canonical(address)
	if rest, ok := below(u.base, address); ok {
		address = rest
	} else if rest, ok := below(u.settings.Load().Upload.BaseURL, address); ok {
		address = db.MediaPath + strings.TrimPrefix(rest, "/")
	}
	name, ok := strings.CutPrefix(address, db.MediaPath)
	if !ok {
		return "", false
	}
	if end := strings.IndexAny(name, "?#"); end >= 0 {
		name = name[:end]
	}
	_, ok = typeOfName(name)
	return name, ok
}

// parts splits a URL of the proxy; all parts are empty for other URLs.
func (u *URLs) parts(address string) (signature, encoded string, preview bool) {
	address = canonical(address)
	for _, base := range []string{u.base, u.settings.Load().MediaProxy.BaseURL} {
		rest, ok := below(base, address)
		if ok {
			rest, ok = strings.CutPrefix(rest, proxyPath)
		}
		if !ok {
			continue
		}
		rest, preview = strings.CutPrefix(rest, "preview/")
		if parts := strings.Split(rest, "/"); len(parts) >= 2 && parts[0] != "" {
			return parts[0], parts[1], preview
		}
	}
	return "", "", false
}

// forms returns the public URLs of a file: itself and, if it may have one, its
// preview.
func (u *URLs) forms(address string) []string {
	s := u.settings.Load()
	if name, ok := strings.CutPrefix(address, db.MediaPath); ok {
		plain := u.Public(db.MediaPath + name)
		if !s.MediaProxy.Enabled || !s.MediaPreview.Enabled {
			return []string{plain}
		}
		return []string{plain, u.signed(s, previewPath, u.base+db.MediaPath+name)}
	}
	if !s.MediaProxy.Enabled || !u.proxied(s, address) {
		return []string{address}
	}
	return []string{u.signed(s, proxyPath, address), u.signed(s, previewPath, address)}
}
