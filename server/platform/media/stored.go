package media

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/guard"
)

// Selection selects cached files of other servers.
type Selection struct {
	Host   string    // that they come from, in stored form, or *.host; "" for all
	Before time.Time // when they were fetched; zero for always
}

// HostFiles counts the cached files that come from one host, with their previews.
type HostFiles struct {
	Host   string
	Files  int
	Bytes  int64
	Oldest time.Time
}

// filesPurged is the topic of purged selections; the payload is that of
// (Selection).payload.
const filesPurged = "media_files"

// payload is the text of s for other processes.
func (s Selection) payload() string {
	before := int64(0)
	if !s.Before.IsZero() {
		before = s.Before.UnixMilli()
	}
	return strconv.FormatInt(before, 10) + " " + s.Host
}

func parseSelection(payload string) (Selection, error) {
	before, host, _ := strings.Cut(payload, " ")
	ms, err := strconv.ParseInt(before, 10, 64)
	s := Selection{Host: host}
	if ms != 0 {
		s.Before = time.UnixMilli(ms)
	}
	return s, err
}

// Cached counts the files of a selection in the cache of this process, by host, the
// largest first.
func (p *Proxy) Cached(sel Selection) ([]HostFiles, error) {
	files, of, err := p.cache.selected(sel)
	if err != nil {
		return nil, err
	}
	found := map[string]*HostFiles{}
	for i, info := range files {
		h := found[of[i]]
		if h == nil {
			h = &HostFiles{Host: of[i], Oldest: info.ModTime()}
			found[of[i]] = h
		}
		h.Files++
		h.Bytes += info.Size()
		if info.ModTime().Before(h.Oldest) {
			h.Oldest = info.ModTime()
		}
	}
	out := make([]HostFiles, 0, len(found))
	for _, h := range found {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b HostFiles) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Host, b.Host))
	})
	return out, nil
}

// PurgeCached has every process remove the files of a selection from its cache once tx
// commits. They are fetched again when somebody looks at them.
func (p *Proxy) PurgeCached(ctx context.Context, tx *db.DB, sel Selection) error {
	return tx.Announce(ctx, filesPurged, sel.payload())
}

func (p *Proxy) hearSelection(payload string) {
	sel, err := parseSelection(payload)
	if err != nil {
		p.log.Warn("cannot read which cached files are purged", "payload", payload, "err", err)
		return
	}
	go func() { // thousands of files take a while
		guard.Broke(context.Background(), p.log, "purge cached files", func() {
			if err := p.cache.purge(sel); err != nil {
				p.log.Error("cannot purge cached files", "host", sel.Host, "err", err)
			}
		})
	}()
}
