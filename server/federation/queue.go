package federation

import (
	"context"
	"errors"
	"sync"
	"time"

	"svc/db"
	"svc/server/activitypub"
)

// The rhythm and the bounds of the queue.
const (
	heartbeat = 5 * time.Second
	lifetime  = 30 * time.Second // after which a silent process counts as dead
	tick      = time.Second      // how often is looked for what is due by the clock
	longest   = 2 * time.Minute  // for one activity

	batch    = 64   // activities that one transaction keeps
	mostHeld = 4000 // activities in memory; others wait as rows alone
	fewHeld  = 400  // from which rows are read again
	ofHost   = 1000 // activities of one host in memory
	// mostOfHost is how many activities of one host may wait at all.
	mostOfHost = 10000
)

// item is an activity in the queue. doc is nil where it was read from its row.
type item struct {
	row db.InboxItem
	doc activitypub.Object
}

// lanes are what a process holds of the queue: by host, so that none keeps the
// others waiting, and in it by signer, whose activities are worked off one after
// the other.
type lanes struct {
	mu    sync.Mutex
	hosts map[string]*lane
	ready []*lane // have something that can begin
	held  int
}

type lane struct {
	host    string
	signers map[string]*line
	ready   []*line
	queued  bool // among lanes.ready
	running int
	held    int
}

type line struct {
	signer string
	items  []*item
	busy   bool
}

// room tells whether an activity of a host may be held in memory.
func (l *lanes) room(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.hosts[host]
	return l.held < mostHeld && (at == nil || at.held < ofHost)
}

func (l *lanes) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

func (l *lanes) push(items ...*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[string]*lane{}
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
		in.items = append(in.items, it)
		at.held++
		l.held++
		l.queue(at)
	}
}

// queue lets a lane take its turn. The lock must be held.
func (l *lanes) queue(at *lane) {
	if !at.queued && len(at.ready) > 0 {
		at.queued = true
		l.ready = append(l.ready, at)
	}
}

// next is what is to be worked off next, nil for nothing. Of one host no more
// than most run at once.
func (l *lanes) next(most int) *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ready) > 0 {
		at := l.ready[0]
		l.ready, at.queued = l.ready[1:], false
		if at.running >= most {
			continue // its turn comes when one of its own is done
		}
		in := at.ready[0]
		at.ready, in.busy = at.ready[1:], true
		at.running++
		l.queue(at)
		return in.items[0]
	}
	return nil
}

// done ends what next returned.
func (l *lanes) done(it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.hosts[it.row.Host]
	in := at.signers[it.row.SignerID]
	in.items, in.busy = in.items[1:], false
	at.running--
	at.held--
	l.held--
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

// keeping is an activity on its way into the database.
type keeping struct {
	it   *item
	kept chan error
}

// engine is what runs while a process works off its queue.
type engine struct {
	id      string // of this process
	lanes   lanes
	keep    chan keeping
	waken   chan struct{} // there is something to do
	quit    context.CancelFunc
	stopped <-chan struct{} // closed by quit
	ended   sync.WaitGroup  // loops
	running sync.WaitGroup  // activities
}

// Start works off the queue until Stop; ctx is only for what happens before
// Start returns.
func (s *Service) Start(ctx context.Context) error {
	e := &engine{id: "inbox-" + s.db.NewUUID(), keep: make(chan keeping), waken: make(chan struct{}, 1)}
	var err error
	if s.db.Dialect() == db.Postgres {
		err = s.beat(ctx, e)
	} else {
		// Whatever is claimed was so by a process that is no more.
		err = s.db.ReleaseInboxItems(ctx, db.At(s.now()))
	}
	if err != nil {
		return err
	}
	ctx, e.quit = context.WithCancel(context.WithoutCancel(ctx))
	e.stopped = ctx.Done()
	for _, loop := range []func(context.Context, *engine){s.keeper, s.dispatcher, s.reader} {
		e.ended.Go(func() { loop(ctx, e) })
	}
	if s.db.Dialect() == db.Postgres {
		e.ended.Go(func() { s.heart(ctx, e) })
	}
	s.engine.Store(e)
	return nil
}

// Stop lets end what runs, as long as ctx does, and leaves the rest to others.
func (s *Service) Stop(ctx context.Context) error {
	e := s.engine.Swap(nil)
	if e == nil {
		return nil
	}
	e.quit()
	e.ended.Wait()
	ended := make(chan struct{})
	go func() { e.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	ctx = context.WithoutCancel(ctx)
	return errors.Join(s.db.ReleaseInboxItemsOf(ctx, e.id), s.db.ProcessGone(ctx, e.id))
}

func (e *engine) wake() {
	select {
	case e.waken <- struct{}{}:
	default:
	}
}

// enqueue keeps an activity, and has it worked off once it is kept.
func (s *Service) enqueue(ctx context.Context, it *item) error {
	e := s.engine.Load()
	if e == nil { // others will find the row
		return s.db.KeepInboxItems(ctx, []*db.InboxItem{&it.row})
	}
	k := keeping{it, make(chan error, 1)}
	select {
	case e.keep <- k:
		return <-k.kept
	case <-e.stopped:
		return s.db.KeepInboxItems(ctx, []*db.InboxItem{&it.row})
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keeper writes what comes, as much at once as came meanwhile.
func (s *Service) keeper(ctx context.Context, e *engine) {
	for {
		var all []keeping
		select {
		case <-ctx.Done():
			return
		case k := <-e.keep:
			all = append(all, k)
		}
		for more := true; more && len(all) < batch; {
			select {
			case k := <-e.keep:
				all = append(all, k)
			default:
				more = false
			}
		}
		rows, held := make([]*db.InboxItem, len(all)), make([]*item, 0, len(all))
		for i, k := range all {
			rows[i] = &k.it.row
			if e.lanes.room(k.it.row.Host) {
				k.it.row.ClaimedBy, held = e.id, append(held, k.it)
			}
		}
		err := s.db.KeepInboxItems(context.WithoutCancel(ctx), rows)
		if err == nil {
			e.lanes.push(held...)
			e.wake()
		}
		for _, k := range all {
			k.kept <- err
		}
	}
}

// dispatcher begins what is ready, as many at once as the settings say.
func (s *Service) dispatcher(ctx context.Context, e *engine) {
	slots := 0
	ends := make(chan *item)
	for {
		size := s.settings.Load().Queues.Incoming
		for slots < size && ctx.Err() == nil {
			it := e.lanes.next(max(1, size/4))
			if it == nil {
				break
			}
			slots++
			e.running.Add(1)
			go func() {
				defer e.running.Done()
				s.work(context.WithoutCancel(ctx), it)
				e.lanes.done(it)
				select {
				case ends <- it:
				case <-ctx.Done():
				}
			}()
		}
		select {
		case <-ctx.Done():
			return
		case <-ends:
			slots--
		case <-e.waken:
		}
	}
}

// reader takes rows into memory that wait for their time, or for room.
func (s *Service) reader(ctx context.Context, e *engine) {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		for full := false; !full && e.lanes.count() < fewHeld; {
			rows, err := s.db.ClaimInboxItems(ctx, e.id, fewHeld)
			if err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "cannot read the queue of activities", "err", err)
			}
			items := make([]*item, len(rows))
			for i := range rows {
				items[i] = &item{row: rows[i]}
			}
			e.lanes.push(items...)
			e.wake()
			full = len(rows) < fewHeld
		}
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
	}
}

// heart tells the others that this process lives, and takes over what those
// held that do not.
func (s *Service) heart(ctx context.Context, e *engine) {
	clock := time.NewTicker(heartbeat)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
		if err := s.beat(ctx, e); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "cannot say that this process lives", "err", err)
		}
	}
}

func (s *Service) beat(ctx context.Context, e *engine) error {
	if err := s.db.ProcessSeen(ctx, e.id); err != nil {
		return err
	}
	return s.db.ReleaseInboxItems(ctx, db.At(s.now().Add(-lifetime)))
}

// Sweep forgets which activities were seen, and what was undone before it came,
// once nobody can send them again.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	return errors.Join(s.db.ForgetSeen(ctx, db.At(now.Add(-seenFor))), s.db.ForgetUndone(ctx, db.At(now.Add(-undoneFor))))
}

// How long is kept what was seen, which is longer than a signature counts, and
// what was undone before it came.
const (
	seenFor   = 14 * 24 * time.Hour
	undoneFor = 6 * time.Hour
)
