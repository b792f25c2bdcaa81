package ingest

import (
	"sync"

	"svc/db"
	"svc/server/federation/activitypub"
)

// The bounds of the part of the queue that a process holds. Bodies of waiting
// activities stay in their rows, except small ones, which are processed as fast
// as they come.
const (
	mostHeld = 4000 // activities; further ones stay rows
	fewHeld  = 400  // below this, more rows are read
	ofHost   = 1000 // activities of one host

	smallBody  = 16 << 10 // bytes that may be kept in memory while they wait
	mostWeight = 16 << 20 // bytes that waiting activities take in memory
	hostWeight = 2 << 20  // those of one host
	// mostRunning bounds the bytes of large bodies in process, a quarter of it for
	// one host: a document takes ten times its bytes or more. One of them may
	// always run.
	mostRunning = 4 << 20
	// unpacked is the memory of a parsed document in relation to its bytes.
	unpacked = 12
)

// item is an activity in the queue. Its body is in row or left in the database;
// doc is nil until it is read.
type item struct {
	row    db.InboxItem
	doc    activitypub.Object
	weight int // bytes in memory of the parts that may be left in the database
}

// lighten leaves the parts of an item that take more than room bytes to the
// database.
func (it *item) lighten(room int) {
	if it.weight = unpacked * it.row.Size; it.doc != nil && it.row.Size <= smallBody && it.weight <= room {
		return
	}
	it.doc = nil
	if it.weight = len(it.row.Body); it.weight > min(room, smallBody) {
		it.row.Body, it.weight = nil, 0
	}
}

// lanes are the part of the queue that a process holds: by host, so that none
// keeps the others waiting, and within a host by signer, whose activities run
// one after the other.
type lanes struct {
	mu      sync.Mutex
	hosts   map[string]*lane
	ready   []*lane // lanes with an activity that can begin
	known   map[int64]bool
	weight  int // of waiting activities, in bytes
	running int // activities
	bytes   int // of large bodies in process
}

type lane struct {
	host    string
	signers map[string]*line
	ready   []*line
	queued  bool // among lanes.ready
	held    int
	weight  int
	running int
	bytes   int
}

type line struct {
	signer string
	items  []*item
	busy   bool
}

// room reports whether an activity of a host may be held in memory.
func (l *lanes) room(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.hosts[host]
	return len(l.known) < mostHeld && (at == nil || at.held < ofHost)
}

func (l *lanes) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known)
}

// knows reports whether the process holds the activity of a row.
func (l *lanes) knows(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[id]
}

func (l *lanes) push(items ...*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts, l.known = map[string]*lane{}, map[int64]bool{}
	}
	for _, it := range items {
		at := l.hosts[it.row.Host]
		if at == nil {
			at = &lane{host: it.row.Host, signers: map[string]*line{}}
			l.hosts[it.row.Host] = at
		}
		in := at.signers[it.row.SignerID]
		if in == nil {
			in = &line{signer: it.row.SignerID}
			at.signers[in.signer] = in
			at.ready = append(at.ready, in)
		}
		it.lighten(min(mostWeight-l.weight, hostWeight-at.weight))
		in.items = append(in.items, it)
		at.held++
		at.weight += it.weight
		l.weight += it.weight
		l.known[it.row.ID] = true
		l.queue(at)
	}
}

// queue adds a lane to those that are ready. The lock must be held.
func (l *lanes) queue(at *lane) {
	if !at.queued && len(at.ready) > 0 {
		at.queued = true
		l.ready = append(l.ready, at)
	}
}

// next returns the next activity to process, nil for none. At most most of one
// host run at once.
func (l *lanes) next(most int) *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	for turns := len(l.ready); turns > 0; turns-- {
		at := l.ready[0]
		l.ready, at.queued = l.ready[1:], false
		if at.running >= most {
			continue // its turn comes when one of the host's ends
		}
		in := at.ready[0]
		it := in.items[0]
		if !fits(l.bytes, it.large(), mostRunning) || !fits(at.bytes, it.large(), mostRunning/4) {
			l.queue(at)
			continue
		}
		at.ready, in.busy = at.ready[1:], true
		at.running++
		l.running++
		at.bytes += it.large()
		l.bytes += it.large()
		l.queue(at)
		return it
	}
	return nil
}

func fits(used, size, most int) bool { return used == 0 || size == 0 || used+size <= most }

// large is the size of a body that is not small, else 0.
func (it *item) large() int {
	if it.row.Size <= smallBody {
		return 0
	}
	return it.row.Size
}

// active returns the number of activities in process.
func (l *lanes) active() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

// done ends an activity that next returned.
func (l *lanes) done(it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.hosts[it.row.Host]
	in := at.signers[it.row.SignerID]
	in.items, in.busy = in.items[1:], false
	at.running--
	l.running--
	at.bytes -= it.large()
	l.bytes -= it.large()
	at.held--
	at.weight -= it.weight
	l.weight -= it.weight
	delete(l.known, it.row.ID)
	if len(in.items) > 0 {
		at.ready = append(at.ready, in)
	} else {
		delete(at.signers, in.signer)
	}
	l.queue(at)
	if at.held == 0 {
		delete(l.hosts, at.host)
	}
}
