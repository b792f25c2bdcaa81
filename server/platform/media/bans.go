package media

import (
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/rights"
)

// ErrBanned is a file that an admin does not want to be given out.
var ErrBanned = errors.New("the file is banned")

// filePurged is the topic by which processes tell each other to drop their
// copies of another server's file; the payload is its URL.
const filePurged = "media"

// longestNotice is how many bytes such a payload may have: longer ones cannot
// be told, and belong to no file that the proxy would fetch.
const longestNotice = maxURL

// Purge has our own and other caches drop their copies of files, named by their
// own addresses or as people are given them. With ban, nobody is given them any
// more. What other caches say is only logged.
func (p *Proxy) Purge(ctx context.Context, by *db.Account, files []string, ban bool) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	var bans []db.MediaBan
	var served []string
	seen := map[string]bool{}
	err := p.db.Tx(ctx, func(tx *db.DB) error {
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

// Removed has our own and other caches drop what they hold of files of the
// store that are gone.
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

// RenameBans makes bans of before count for all ways to write an address.
func (p *Proxy) RenameBans(ctx context.Context) error {
	return p.db.RenameMediaBans(ctx, canonicalBans, func(url string, known func(address string) bool) string {
		if signature, encoded, _ := p.urls.parts(url); signature != "" {
			if address, ok := p.urls.verify(signature, encoded); ok {
				url = address
			}
		}
		if !known(url) {
			return "" // the proxy was elsewhere, or it is one of our own files
		}
		return p.urls.known(url)
	})
}

// Unban has files given out again, named by their own addresses or as people
// were given them.
func (p *Proxy) Unban(ctx context.Context, by *db.Account, files []string) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	addresses := make([]string, 0, len(files))
	for _, given := range files {
		if address := p.urls.known(given); address != "" {
			addresses = append(addresses, address)
		}
	}
	return p.db.Tx(ctx, func(tx *db.DB) error { return tx.UnbanMedia(ctx, addresses) })
}

// hear drops our copies of what some process was told to purge.
func (p *Proxy) hear(topic, address string) {
	if topic == filePurged {
		p.cache.drop(address)
		p.cache.drop(p.previewKey(address))
	}
}

// known is what a file is known by here, whichever way someone names it: the
// canonical URL of another server's file, or db.MediaPath and the name of one of
// ours.
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

// own is the name of one of our files, whichever way its address is written.
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

// parts takes a URL of the proxy apart; all are empty for another.
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

// forms are the URLs by which people are given a known file: it and, where it
// may have one, its preview.
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
