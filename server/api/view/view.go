// Package view turns rows into the JSON of client/api, for one viewer and a
// page at a time. It asks nothing that a rule would have to answer: what it is
// given may be seen.
package view

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/s2"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
)

// How many rendered statuses and accounts are kept: about 0.6 and 2 kB each.
const (
	keptStatuses = 24000
	keptAccounts = 2500
	keptMerged   = 1000
)

// View renders rows. What is the same for all viewers is kept as finished JSON
// by the version of its row, so it is never old and needs no invalidation.
type View struct {
	db       *db.DB
	settings *config.Live
	base     string
	statuses *lru.Cache[string, *statusJSON]
	accounts *lru.Cache[string, *accountJSON]
	mergeds  *lru.Cache[string, *mergedJSON] // for admins
	dict     *s2.Dict                        // of packed statuses
	pages    *sync.Pool                      // of []byte: what Release gave back
	url      func(string) string             // makes an address of a file one for people
	preview  func(string) string             // makes it one of a small copy, where there are such
	favicon  func(host string) string        // the icon of another server, "" for none to be shown
	seen     *atomic.Pointer[config.Settings]
}

// New returns a View for the public base URL.
func New(d *db.DB, settings *config.Live, base string) (*View, error) {
	statuses, err := lru.New[string, *statusJSON](keptStatuses)
	if err != nil {
		return nil, err
	}
	accounts, err := lru.New[string, *accountJSON](keptAccounts)
	if err != nil {
		return nil, err
	}
	mergeds, err := lru.New[string, *mergedJSON](keptMerged)
	if err != nil {
		return nil, err
	}
	dict, err := dictionary(base)
	if err != nil {
		return nil, err
	}
	absolute := func(address string) string {
		if strings.HasPrefix(address, "/") {
			return base + address
		}
		return address
	}
	return &View{
		db: d, settings: settings, base: base, statuses: statuses, accounts: accounts, mergeds: mergeds, dict: dict, pages: new(sync.Pool),
		url: absolute, preview: absolute, favicon: func(string) string { return "" }, seen: new(atomic.Pointer[config.Settings]),
	}, nil
}

// WithFavicons returns a View that shows with accounts the icons of their servers.
// It is for a new View.
func (v *View) WithFavicons(of func(host string) string) *View {
	in := *v
	in.favicon = of
	return &in
}

// WithURLs returns a View that shows files at the addresses that public makes of
// theirs, a path of this server or a URL anywhere, and small copies of pictures
// at those that preview makes. It is for a new View.
func (v *View) WithURLs(public, preview func(address string) string) *View {
	in := *v
	in.url, in.preview = public, preview
	return &in
}

// fresh forgets what was rendered under other settings: addresses of files
// depend on them.
func (v *View) fresh() {
	now := v.settings.Load()
	if v.seen.Load() == now {
		return
	}
	if v.seen.Swap(now) != nil {
		v.statuses.Purge()
		v.accounts.Purge()
		v.mergeds.Purge()
	}
}

// In returns a View that reads from tx and shares what is kept.
func (v *View) In(tx *db.DB) *View {
	in := *v
	in.db = tx
	return &in
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
	fallback := v.settings.Load().Assets.DefaultUserAvatar
	if fallback == "" {
		fallback = "/images/avi.png"
	}
	return v.orDefault(url, fallback)
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
