// Package emoji holds the custom emoji of the instance: their pictures, their
// packs, and their occurrences in a text. They are read from the static folder,
// at the start and on request, into an immutable set.
//
// Storing the emoji of a row is left to the rules, serving the pictures to
// package server.
package emoji

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/platform/hosts"
	"svc/server/platform/rights"
	"svc/server/platform/text"
)

// Emoji is one custom emoji.
type Emoji struct {
	Shortcode string
	Path      string   // of the picture, from the public base URL: /emoji/…
	Tags      []string // groups that it falls under, and pack:NAME
	Pack      string   // the folder that it is in
	File      string   // of the picture, from that folder
	Disabled  bool     // neither offered nor found in new texts
}

// Set is the emoji at one time. The nil Set is empty.
type Set struct {
	base   string
	all    []Emoji // those that are not disabled, by shortcode
	byCode map[string]int
	every  []Emoji // the disabled ones too, by shortcode
	packs  []Pack  // by name
}

// All returns the emoji that are not disabled, by shortcode. They must not be
// changed.
func (s *Set) All() []Emoji {
	if s == nil {
		return nil
	}
	return s.all
}

// Every returns the emoji, disabled ones too, by shortcode. They must not be
// changed.
func (s *Set) Every() []Emoji {
	if s == nil {
		return nil
	}
	return s.every
}

// Emoji returns the emoji with this shortcode, also a disabled one.
func (s *Set) Emoji(code string) (*Emoji, bool) {
	i, ok := slices.BinarySearchFunc(s.Every(), code, func(e Emoji, code string) int { return strings.Compare(e.Shortcode, code) })
	if !ok {
		return nil, false
	}
	return &s.every[i], true
}

// URL returns the address of the picture of e.
func (s *Set) URL(e Emoji) string { return hosts.URI(s.base + e.Path) }

// In returns the emoji with a shortcode between colons in texts, each once, in
// order of appearance; nil for none.
func (s *Set) In(texts ...string) []db.Emoji {
	if s == nil || len(s.all) == 0 {
		return nil
	}
	var out []db.Emoji
	seen := map[string]bool{}
	for _, t := range texts {
		for _, code := range text.Emojis(t, s.has) {
			if seen[code] {
				continue
			}
			seen[code] = true
			url := s.URL(s.all[s.byCode[code]])
			out = append(out, db.Emoji{Shortcode: code, URL: url, StaticURL: url})
		}
	}
	return out
}

func (s *Set) has(code string) bool {
	_, ok := s.byCode[code]
	return ok
}

// Live holds the current set for readers in many goroutines. A nil Live knows
// no emoji.
type Live struct {
	data     string // folder that the static folder is named from
	base     string
	settings *config.Live
	db       *db.DB
	log      *slog.Logger
	process  string // tells this process from others
	reading  sync.Mutex
	writing  sync.Mutex
	current  atomic.Pointer[Set]
}

// New reads the emoji in the static folder of a server with the data folder
// data, for the public base URL, and again when other processes of d did. An
// unreadable pack is left out and logged.
func New(data, base string, settings *config.Live, d *db.DB, log *slog.Logger) (*Live, error) {
	l := &Live{data: data, base: base, settings: settings, db: d, log: log, process: rand.Text()}
	d.Subscribe(func(topic, payload string) {
		if topic != db.AnythingMissed && (topic != db.EmojisChanged || payload == l.process) {
			return
		}
		go func() { // thousands of pictures take a while
			if err := guard.Run(l.Reload); err != nil {
				l.log.Error("cannot reload emoji", "err", err)
			}
		}()
	})
	return l, l.Reload()
}

// folder returns the folder that contains /emoji.
func (l *Live) folder() string { return l.settings.Load().StaticFolder(l.data) }

// Reload reads the emoji again. If the folder is unreadable the old set stays.
func (l *Live) Reload() error {
	l.reading.Lock() // the last read wins
	defer l.reading.Unlock()
	root, err := os.OpenRoot(l.folder())
	if os.IsNotExist(err) {
		l.current.Store(&Set{base: l.base})
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	set, err := load(root.FS(), l.base, l.settings.Load().Emoji, l.log)
	if err != nil {
		return err
	}
	l.current.Store(set)
	return nil
}

// ReloadAll is Reload in all processes.
func (l *Live) ReloadAll(ctx context.Context, by *db.Account) error {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return err
	}
	return l.reloadAll(ctx)
}

// reloadAll reloads the emoji of this process, and has the others do the same.
func (l *Live) reloadAll(ctx context.Context) error {
	if err := l.Reload(); err != nil {
		return err
	}
	return l.db.Announce(ctx, db.EmojisChanged, l.process)
}

// Load returns the current set. Take it once per piece of work.
func (l *Live) Load() *Set {
	if l == nil {
		return nil
	}
	return l.current.Load()
}

// In is Set.In of the current set.
func (l *Live) In(texts ...string) []db.Emoji { return l.Load().In(texts...) }
