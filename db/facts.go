package db

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// facts are rows that change rarely and that each page of statuses needs again: the
// state of authors, and whether the viewer follows them. A process that reads events
// keeps them; what Announce and events tell drops them. Their bounds take some 12 MiB.
//
// A page reads its statuses first and asks for facts afterwards. So a status that was
// posted after a change of this process is never judged by the facts before the change:
// its process dropped them before it answered.
type facts struct {
	on   atomic.Bool  // events are read, or were
	asOf atomic.Int64 // all events stored before this moment have been passed on

	mu       sync.Mutex
	drops    uint64 // how often something was dropped
	accounts *simplelru.LRU[string, authorFact]
	follows  *simplelru.LRU[string, map[string]followFact] // by follower, then target
	pairs    int                                           // in all of follows
}

// The bounds of kept facts.
const (
	keptAuthors   = 20_000
	keptFollowers = 4_000
	keptPairs     = 80_000
	pairsOfOne    = 2_000 // of one follower
)

// heardWithin is how old the last read of events may be. While they cannot be read,
// pages use no facts.
const heardWithin = readAnyway + time.Second

// authorFact is the state of an account in lists.
type authorFact struct {
	version                int64
	deactivated, invisible bool
	pending, local         bool
}

// followFact is a follow that is not pending; the zero value is none.
type followFact struct{ follows, reblogs bool }

func (f *facts) init() {
	// Sizes are constants, which are never refused.
	f.accounts, _ = simplelru.NewLRU[string, authorFact](keptAuthors, nil)
	f.follows, _ = simplelru.NewLRU(keptFollowers, func(_ string, of map[string]followFact) { f.pairs -= len(of) })
}

// hear drops what an announcement makes old.
func (f *facts) hear(topic, payload string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drops++
	switch {
	case topic == AnythingMissed, topic == CountsChanged && payload == Everybody:
		f.purge()
	case topic == CountsChanged:
		for id := range strings.SplitSeq(payload, ",") {
			f.accounts.Remove(id)
		}
	case topic == FollowsChanged:
		for id := range strings.SplitSeq(payload, ",") {
			f.follows.Remove(id)
		}
	case topic == AccountChanged:
		f.accounts.Remove(payload)
		f.follows.Remove(payload)
	}
}

// forget drops everything: what a failed COMMIT has done is unknown.
func (f *facts) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drops++
	f.purge()
}

func (f *facts) purge() {
	f.accounts.Purge()
	f.follows.Purge()
	f.pairs = 0
}

// current reports whether everything stored until a moment ago was told.
func (f *facts) current() bool {
	return f.on.Load() && time.Since(time.Unix(0, f.asOf.Load())) < heardWithin
}

// people are the facts of a page for one viewer.
type people struct {
	viewer    string
	addressed map[string]bool // statuses
	authors   map[string]authorFact
	follows   map[string]followFact // of the viewer
}

// people returns the state of authors, and the viewer's follows of targets. It sends up
// to 2 statements for what is not kept. Deleted authors are left out.
func (d *DB) people(ctx context.Context, viewerID string, authors, targets map[string]bool) (people, error) {
	var (
		f                   = &d.pool.facts
		out                 = people{viewer: viewerID, authors: make(map[string]authorFact, len(authors)), follows: make(map[string]followFact, len(targets))}
		unknown, unfollowed []string
	)
	f.mu.Lock()
	before := f.drops
	for id := range authors {
		if fact, ok := f.accounts.Get(id); ok {
			out.authors[id] = fact
		} else {
			unknown = append(unknown, id)
		}
	}
	of, _ := f.follows.Get(viewerID)
	for id := range targets {
		if fact, ok := of[id]; ok {
			out.follows[id] = fact
		} else {
			unfollowed = append(unfollowed, id)
		}
	}
	f.mu.Unlock()
	if len(unknown) == 0 && len(unfollowed) == 0 {
		return out, nil
	}
	if err := d.readAuthors(ctx, unknown, out.authors); err != nil {
		return out, err
	}
	if err := d.readFollows(ctx, viewerID, unfollowed, out.follows); err != nil {
		return out, err
	}
	f.keep(before, viewerID, unknown, unfollowed, out)
	return out, nil
}

// keep adds facts that were read, unless something was dropped since.
func (f *facts) keep(before uint64, viewerID string, authors, targets []string, read people) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.drops != before {
		return
	}
	for _, id := range authors {
		if fact, ok := read.authors[id]; ok {
			f.accounts.Add(id, fact)
		}
	}
	of, _ := f.follows.Get(viewerID)
	if len(targets) == 0 || len(of)+len(targets) > pairsOfOne {
		return
	}
	if of == nil {
		of = make(map[string]followFact, len(targets))
		f.follows.Add(viewerID, of)
	}
	f.pairs -= len(of)
	for _, id := range targets {
		of[id] = read.follows[id]
	}
	f.pairs += len(of)
	for f.pairs > keptPairs {
		f.follows.RemoveOldest()
	}
}

func (d *DB) readAuthors(ctx context.Context, ids []string, into map[string]authorFact) error {
	if len(ids) == 0 {
		return nil
	}
	type author struct {
		id string
		authorFact
	}
	cells := func(a *author) []any {
		return []any{&a.id, &a.version, &a.deactivated, &a.invisible, &a.pending, &a.local}
	}
	rows, err := inChunks(ids, func(some []string) ([]author, error) {
		return scanAll(ctx, d, "authors", cells, "SELECT id, version, deactivated, invisible, approval_pending OR confirmation_pending, local FROM accounts WHERE id IN ?", some)
	})
	for _, a := range rows {
		into[a.id] = a.authorFact
	}
	return err
}

func (d *DB) readFollows(ctx context.Context, viewerID string, ids []string, into map[string]followFact) error {
	if len(ids) == 0 {
		return nil
	}
	type follow struct {
		target  string
		reblogs bool
	}
	cells := func(f *follow) []any { return []any{&f.target, &f.reblogs} }
	rows, err := inChunks(ids, func(some []string) ([]follow, error) {
		return scanAll(ctx, d, "follows of "+viewerID, cells, "SELECT target_id, reblogs FROM follows WHERE follower_id = ? AND target_id IN ? AND NOT pending", viewerID, some)
	})
	for _, f := range rows {
		into[f.target] = followFact{true, f.reblogs}
	}
	return err
}

// Standing is what decides who may open an account's lists.
type Standing struct {
	ID                            string
	Local, Deactivated, Invisible bool
	Pending                       bool // its approval, or its mail address
}

// Standing returns what decides who may open a's lists.
func (a *Account) Standing() *Standing {
	return &Standing{a.ID, a.Local, a.Deactivated, a.Invisible, a.ApprovalPending || a.ConfirmationPending}
}

// Standing returns what decides who may open an account's lists of statuses. That an
// account is open to all is a fact, as it is in those lists; all else is read. Absence is
// never kept.
func (d *DB) Standing(ctx context.Context, id string) (*Standing, error) {
	if d.tx == nil && d.pool.facts.current() {
		known, err := d.people(ctx, "", map[string]bool{id: true}, nil)
		if err != nil {
			return nil, err
		}
		a, ok := known.authors[id]
		if !ok {
			return nil, notFound("account %s", id)
		}
		if !a.deactivated && !a.invisible && !a.pending {
			return &Standing{ID: id, Local: a.local}, nil
		}
	}
	cells := func(s *Standing) []any { return []any{&s.ID, &s.Local, &s.Deactivated, &s.Invisible, &s.Pending} }
	rows, err := scanAll(ctx, d, "account "+id, cells, "SELECT id, local, deactivated, invisible, approval_pending OR confirmation_pending FROM accounts WHERE id = ?", id)
	return firstOf(rows, err, "account "+id)
}
