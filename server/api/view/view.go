// Package view renders rows as the JSON of client/api, for one viewer and a
// page at a time. It checks no right: the query for a row has done so.
package view

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/s2"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/media"
	"svc/server/platform/rights"
)

// The numbers of cached statuses and accounts: about 0.6 and 2 kB each.
const (
	keptStatuses = 24000
	keptAccounts = 2500
	keptMerged   = 1000
)

// View renders rows. The parts that are the same for all viewers are cached as
// finished JSON by the version of their row, so the cache is never stale and
// needs no invalidation.
type View struct {
	db       *db.DB
	settings *config.Live
	rights   *rights.Service
	base     string
	kept     *atomic.Pointer[caches]
	dict     *s2.Dict                      // of packed statuses
	pages    *sync.Pool                    // of []byte: released pages
	filters  *lru.Cache[string, *filters]  // by viewer
	readings *lru.Cache[string, *readings] // by status
	tried    *lru.Cache[place, tried]
	url      func(string) string                     // makes an address of a file one for people
	preview  func(string) string                     // makes it one of a small copy, where there are such
	small    func(m *db.MediaAttachment) (int, int)  // the size of that copy
	reported func(name string, now time.Time) string // the address of a file that a report keeps
	favicon  func(host string) string                // the icon of another server, "" for none to be shown
}

// caches have the rendered rows for one version of the settings, since
// addresses of files depend on the settings.
type caches struct {
	under    *config.Settings
	statuses *lru.Cache[string, *statusJSON]
	accounts *lru.Cache[string, *accountJSON]
	mergeds  *lru.Cache[string, *mergedJSON] // for admins
}

func newCaches(under *config.Settings) (*caches, error) {
	statuses, err := lru.New[string, *statusJSON](keptStatuses)
	if err != nil {
		return nil, err
	}
	accounts, err := lru.New[string, *accountJSON](keptAccounts)
	if err != nil {
		return nil, err
	}
	mergeds, err := lru.New[string, *mergedJSON](keptMerged)
	return &caches{under: under, statuses: statuses, accounts: accounts, mergeds: mergeds}, err
}

// Parts are the dependencies of a View.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Rights   *rights.Service
	Site     config.Site
	URLs     *media.URLs     // addresses of files, and of small copies of pictures
	Remote   *remote.Service // knows the icons of other servers
}

// New returns a View.
func New(p Parts) (*View, error) {
	first, err := newCaches(p.Settings.Load())
	if err != nil {
		return nil, err
	}
	kept := new(atomic.Pointer[caches])
	kept.Store(first)
	dict, err := dictionary(p.Site.Base)
	if err != nil {
		return nil, err
	}
	filters, err := lru.New[string, *filters](keptFilters)
	if err != nil {
		return nil, err
	}
	readings, err := lru.New[string, *readings](keptReadings)
	if err != nil {
		return nil, err
	}
	matches, err := lru.New[place, tried](keptTried)
	if err != nil {
		return nil, err
	}
	return &View{
		filters: filters, readings: readings, tried: matches,
		db: p.DB, settings: p.Settings, rights: p.Rights, base: p.Site.Base, kept: kept, dict: dict, pages: new(sync.Pool),
		url: func(address string) string { return hosts.URI(p.URLs.Public(address)) }, favicon: p.Remote.Favicon,
		preview: func(address string) string { return hosts.URI(p.URLs.Preview(address)) }, small: p.URLs.Small, reported: p.URLs.Reported,
	}, nil
}

// cache returns the caches of the present settings. A renderer takes it before
// it begins, so that rows rendered under older settings are not found later.
func (v *View) cache() *caches {
	for {
		now, kept := v.settings.Load(), v.kept.Load()
		if kept.under == now {
			return kept
		}
		fresh, err := newCaches(now)
		if err != nil {
			return kept // sizes are constants
		}
		v.kept.CompareAndSwap(kept, fresh)
	}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// orDefault makes a picture's URL absolute, or names the built-in picture.
func (v *View) orDefault(url, fallback string) string {
	if url == "" {
		url = fallback
	}
	return v.url(url)
}

// avatar is an account's picture.
func (v *View) avatar(url string) string {
	return v.url(v.settings.Load().Assets.Avatar(url))
}

// emojis renders custom emoji of a text.
func (v *View) emojis(rows []db.Emoji) api.List[api.Emoji] {
	out := make(api.List[api.Emoji], 0, len(rows))
	for _, e := range rows {
		out = append(out, api.Emoji{Shortcode: e.Shortcode, URL: v.url(e.URL), StaticURL: v.url(e.StaticURL)})
	}
	return out
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
