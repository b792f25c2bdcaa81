package ingest

import (
	"context"
	"errors"
	"sync"
	"time"

	"svc/db"
	"svc/server/platform/alive"
	"svc/server/platform/guard"
)

// The times and sizes of the queue.
const (
	tick       = time.Second      // how often due rows are read
	longest    = 2 * time.Minute  // for one activity
	recording  = 10 * time.Second // for storing an outcome
	lull       = time.Second      // pause while the database is away
	batch      = 64               // activities stored in one transaction
	batchBytes = 4 << 20          // limit of such a transaction
)

// keeping is an activity about to be stored.
type keeping struct {
	it   *item
	kept chan error
}

// engine is the running state of the workers.
type engine struct {
	holder  *alive.Holder
	lanes   lanes
	keep    chan keeping
	waken   chan struct{} // an activity can begin
	look    chan struct{} // rows can be read
	quit    context.CancelFunc
	stopped <-chan struct{} // closed by quit
	ended   sync.WaitGroup  // loops
	running sync.WaitGroup  // activities
}

// Start processes the queue until Stop; ctx is only for Start itself.
func (s *Service) Start(ctx context.Context) error {
	e := &engine{keep: make(chan keeping), waken: make(chan struct{}, 1), look: make(chan struct{}, 1)}
	claims := alive.Claims[int64]{Held: s.db.HeldInboxItems, Knows: e.lanes.knows, Release: s.db.ReleaseInboxItems}
	var err error
	if e.holder, err = alive.Hold(ctx, s.process, claims, func() { nudge(e.look) }); err != nil {
		return err
	}
	ctx, e.quit = context.WithCancel(context.WithoutCancel(ctx))
	e.stopped = ctx.Done()
	for what, turn := range map[string]func(context.Context, *engine){
		"keep activities": s.keep, "begin activities": s.dispatch, "read the queue of activities": s.read,
	} {
		e.ended.Go(func() { guard.Forever(ctx, s.log, what, func(ctx context.Context) { turn(ctx, e) }) })
	}
	s.engine.Store(e)
	return nil
}

// Stop waits for running activities until ctx ends, and leaves the rest to
// others.
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
	return e.holder.End(context.WithoutCancel(ctx))
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// enqueue stores an activity, and then processes it.
func (s *Service) enqueue(ctx context.Context, it *item) error {
	e := s.engine.Load()
	if e == nil { // another process will find the row
		return s.db.CreateInboxItems(ctx, []*db.InboxItem{&it.row})
	}
	if it.row.Size > smallBody {
		it.doc = nil // read again when its turn comes
	}
	k := keeping{it, make(chan error, 1)}
	select {
	case e.keep <- k:
		return <-k.kept
	case <-e.stopped:
		return s.db.CreateInboxItems(ctx, []*db.InboxItem{&it.row})
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep stores arriving activities, many in one transaction.
func (s *Service) keep(ctx context.Context, e *engine) {
	var all []keeping
	bytes := 0
	add := func(k keeping) { all, bytes = append(all, k), bytes+k.it.row.Size }
	select {
	case <-ctx.Done():
		return
	case k := <-e.keep:
		add(k)
	}
	for more := true; more && len(all) < batch && bytes < batchBytes; {
		select {
		case k := <-e.keep:
			add(k)
		default:
			more = false
		}
	}
	err := errors.New("keeping activities broke")
	defer func() {
		for _, k := range all {
			k.kept <- err
		}
	}()
	err = s.keepAll(context.WithoutCancel(ctx), e, all)
}

func (s *Service) keepAll(ctx context.Context, e *engine, all []keeping) error {
	rows, held := make([]*db.InboxItem, len(all)), make([]*item, 0, len(all))
	lives := e.holder.Lease().Good()
	for i, k := range all {
		rows[i] = &k.it.row
		if lives && e.lanes.room(k.it.row.Host) {
			k.it.row.ClaimedBy, held = e.holder.ID(), append(held, k.it)
		}
	}
	if err := s.db.CreateInboxItems(ctx, rows); err != nil {
		return err
	}
	for _, row := range rows {
		s.load.add(row.Host, 1, row.Size)
	}
	e.lanes.push(held...)
	nudge(e.waken)
	return nil
}

// dispatch begins ready activities, as many at once as the settings say.
func (s *Service) dispatch(ctx context.Context, e *engine) {
	size := s.settings.Load().Queues.Incoming
	for e.lanes.active() < size && ctx.Err() == nil {
		it := e.lanes.next(max(1, size/4))
		if it == nil {
			break
		}
		e.running.Go(func() {
			defer nudge(e.waken)
			defer e.lanes.done(it)
			guard.Broke(ctx, s.log, "work off an activity", func() { s.work(context.WithoutCancel(ctx), e, it) })
		})
	}
	select {
	case <-ctx.Done():
	case <-e.waken:
	}
}

// read reads rows that are due, if there is room in memory.
func (s *Service) read(ctx context.Context, e *engine) {
	if err := s.weigh(ctx); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "cannot count the inbox queue", "err", err)
	}
	waiting, err := s.db.DueWork(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "cannot read the inbox queue", "err", err)
	}
	for full := waiting.Inbox; full && e.lanes.count() < fewHeld && e.holder.Lease().Good(); {
		rows, err := s.db.ClaimInboxItems(ctx, e.holder.ID(), fewHeld, smallBody)
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "cannot read the inbox queue", "err", err)
		}
		items := make([]*item, len(rows))
		for i := range rows {
			items[i] = &item{row: rows[i]}
		}
		e.lanes.push(items...)
		nudge(e.waken)
		full = len(rows) == fewHeld
	}
	select {
	case <-ctx.Done():
	case <-e.look:
	case <-time.After(tick):
	}
}

// Sweep forgets seen activities, and early Undos, once they cannot come again.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	return errors.Join(s.db.SweepSeenActivities(ctx, db.At(now.Add(-seenFor))), s.db.SweepUndone(ctx, db.At(now.Add(-undoneFor))))
}

// How long seen activities are remembered, which is longer than a signature is
// valid, and early Undos.
const (
	seenFor   = 14 * 24 * time.Hour
	undoneFor = 6 * time.Hour
)
