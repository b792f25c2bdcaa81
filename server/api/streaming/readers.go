package streaming

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/naming"
	"svc/server/rules/auth"
)

// The bounds of readers.
const (
	mostStreams = 100 // of a reader
	mostWaiting = 256 // undelivered messages of a reader
)

// message is a message to the readers of some streams, as the bytes of both
// formats.
type message struct {
	seq   int64
	event string
	data  []byte // the payload; nil for none
	frame []byte // a JSON object, for a socket with one stream
	raw   []byte // in place of all this: a whole message for a socket, such as an answer

	once  sync.Once // makes named
	named *message  // under the service's name, if that is not svc
}

// in returns the message in the words of the service's name: all readers who hear other
// words than those of svc share it.
func (m *message) in(words naming.Words) *message {
	if words.Own() || m.raw != nil {
		return m
	}
	m.once.Do(func() {
		event, data := words.Event(m.event, m.data)
		m.named = newMessage(m.seq, event, data)
	})
	return m.named
}

// delivery is a message on its way to a reader.
type delivery struct {
	*message
	stream stream
}

// reader is one connection.
type reader struct {
	token     string                                            // "" for a stranger
	renew     func(ctx context.Context) (*auth.Identity, error) // reads the token again; nil if it is invalid
	who       string                                            // an account, or an address that is told apart from others; else ""
	transport Transport
	words     naming.Words  // in which it hears
	multiple  atomic.Bool   // a socket: its messages name their streams
	more      chan struct{} // holds one call: there are deliveries to take
	gone      chan struct{} // closed when the reader is cut off

	mu      sync.Mutex
	id      *auth.Identity // nil for a stranger
	streams map[stream]bool
	waiting []delivery // nil while the reader is idle: most are, and there may be many
	behind  bool       // it catches up: nothing is queued, since that is read as well
	passed  int64      // the last event that was not queued for that
	why     error
}

// fall begins to catch up.
func (r *reader) fall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.waiting {
		r.passed = max(r.passed, d.seq)
	}
	r.behind, r.waiting = true, nil
}

// join ends catching up, unless an event after the last that was read was not queued.
func (r *reader) join(last int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behind = r.passed > last
	return !r.behind
}

func newReader(token string) *reader {
	return &reader{token: token, more: make(chan struct{}, 1), gone: make(chan struct{}), streams: map[stream]bool{}}
}

// identity returns the caller as they are known now.
func (r *reader) identity() *auth.Identity {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// cut ends a reader, once.
func (r *reader) cut(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = why
		close(r.gone)
	}
}

// cause returns the reason why a reader was cut off.
func (r *reader) cause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// give queues a message for a reader, and reports whether nothing waited before: then
// the reader must be woken. A reader with a full queue is cut off: it may connect again
// and get the missed events. Nothing is queued after a reader is cut off, since the
// events between may be lost.
func (r *reader) give(m *message, s stream) (asleep bool) {
	r.mu.Lock()
	if r.behind {
		r.passed = max(r.passed, m.seq)
		r.mu.Unlock()
		return false
	}
	n, over := len(r.waiting), r.why != nil
	if n < mostWaiting && !over {
		r.waiting = append(r.waiting, delivery{m, s})
	}
	r.mu.Unlock()
	if n >= mostWaiting && !over {
		r.cut(errSlow)
	}
	return n == 0 && !over
}

// wake has a reader take what waits.
func (r *reader) wake() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// answer gives a reader a message at once.
func (r *reader) answer(m *message, s stream) {
	r.give(m, s)
	r.wake()
}

// take returns all that waits for a reader.
func (r *reader) take() []delivery {
	r.mu.Lock()
	out := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	if !r.words.Own() {
		for i := range out {
			out[i].message, out[i].stream.name = out[i].in(r.words), r.words.Out(out[i].stream.name)
		}
	}
	return out
}

// recheck reads the reader's token again, which may be invalid, and asks whether the
// streams may still be read: a moderator may have lost rights, and settings may keep
// strangers out now.
func (r *reader) recheck(ctx context.Context, a *API) error {
	id := r.identity()
	if r.token != "" {
		var err error
		if id, err = r.renew(ctx); err != nil {
			return err
		}
		if id == nil {
			return errRevoked
		}
		r.mu.Lock()
		r.id = id
		r.mu.Unlock()
	}
	for _, s := range a.streamsOf(r) {
		if err := a.admits(id, s); err != nil {
			return err
		}
	}
	return nil
}

// index finds the readers of a stream by its kind and its key.
type index [kinds]map[string]map[subscription]bool

type subscription struct {
	*reader
	stream stream
}

func (x *index) add(r *reader, s stream) {
	key := s.key(r.identity())
	if x[s.kind] == nil {
		x[s.kind] = map[string]map[subscription]bool{}
	}
	if x[s.kind][key] == nil {
		x[s.kind][key] = map[subscription]bool{}
	}
	x[s.kind][key][subscription{r, s}] = true
}

func (x *index) remove(r *reader, s stream) {
	key := s.key(r.identity())
	delete(x[s.kind][key], subscription{r, s})
	if len(x[s.kind][key]) == 0 {
		delete(x[s.kind], key)
	}
}

// begin registers a reader, unless there are too many of its account or address.
func (a *API) begin(r *reader) error {
	limits := a.Settings.Load().Streams
	most := limits.PerUser
	if auth.AccountOf(r.id) == nil {
		most = limits.PerAddress
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.stopping:
		return fault.Unavailable("The server is stopping")
	case most > 0 && r.who != "" && a.by[r.who] >= most:
		return fault.RateLimited("Too many streams")
	}
	a.by[r.who]++
	a.all[r] = true
	a.open[r.transport]++
	return nil
}

// end forgets a reader.
func (a *API) end(r *reader) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range r.streams {
		a.subs.remove(r, s)
	}
	a.present = nil
	delete(a.all, r)
	a.open[r.transport]--
	a.leave()
	if a.by[r.who]--; a.by[r.who] == 0 {
		delete(a.by, r.who)
	}
}

// subscribe adds a stream to a reader's.
func (a *API) subscribe(r *reader, s stream) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(r.streams) >= mostStreams {
		return fault.Invalidf("You cannot listen to more than %d streams", mostStreams)
	}
	r.streams[s] = true
	a.subs.add(r, s)
	a.present = nil
	return nil
}

// unsubscribe takes a stream from a reader's.
func (a *API) unsubscribe(r *reader, s stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.streams[s] {
		delete(r.streams, s)
		a.subs.remove(r, s)
		a.present = nil
	}
}

// streamsOf returns the streams of a reader.
func (a *API) streamsOf(r *reader) []stream {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(r.streams))
}

// reads reports whether an account has a reader here.
func (a *API) reads(account string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.by[account] > 0
}

// readersOf returns the readers of an account, or all.
func (a *API) readersOf(account string) []*reader {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*reader
	for r := range a.all {
		if account == "" || r.who == account {
			out = append(out, r)
		}
	}
	return out
}

func (a *API) cutAll(why error) {
	for _, r := range a.readersOf("") {
		r.cut(why)
	}
}

// audience is a copy of the index, or the streams of one reader who catches up.
type audience [kinds]map[string][]subscription

// snapshot returns a copy of the index; nil if there are no readers.
func (a *API) snapshot() *audience {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == 0 || a.present != nil {
		return a.present
	}
	var out audience
	for k := range a.subs {
		if len(a.subs[k]) == 0 {
			continue
		}
		out[k] = make(map[string][]subscription, len(a.subs[k]))
		for key, subs := range a.subs[k] {
			for s := range subs {
				out[k][key] = append(out[k][key], s)
			}
		}
	}
	a.present = &out
	return a.present
}

// identities are callers by their accounts.
type identities map[string]*auth.Identity

// accounts returns the accounts behind some subscriptions, sorted, with an
// identity of each; strangers are not among them.
func accounts(groups ...[]subscription) (ids []string, of identities) {
	of = identities{}
	for _, subs := range groups {
		for _, s := range subs {
			if id := s.viewer(); auth.AccountOf(id) != nil {
				of[id.Account.ID] = id
			}
		}
	}
	for id := range of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, of
}

// flat returns all subscriptions of a kind.
func (x *audience) flat(k kind) []subscription {
	var out []subscription
	for _, subs := range x[k] {
		out = append(out, subs...)
	}
	return out
}

// about holds the facts about a status that decide on its public streams.
type about struct {
	local, media bool
	host         string
	tags         []string
}

// stand sets the actual relations of each viewer. A query for many viewers
// assumes all.
func stand(refs []db.StatusRef, of identities) {
	for i := range refs {
		if id := of[refs[i].Viewer.ID]; id != nil {
			refs[i].Viewer.Relations = id.Relations
		}
	}
}
