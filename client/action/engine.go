package action

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"svc/client"
	"svc/client/api"
)

// batchSize is how many objects go in one request where the endpoint takes
// arrays; inFlight is how many requests run at once where it does not.
const (
	batchSize = 100
	inFlight  = 4
)

// Options say how an Engine carries actions out.
type Options struct {
	// Force overwrites changes that others made meanwhile.
	Force bool
	// OwnIsFine lets an action overwrite the latest change if the caller's own
	// account made it, though it differs from Before.
	OwnIsFine bool
	// Note is added to each report that the action changed. The results of notes
	// follow those of the actions.
	Note string
	// Progress, when set, hears after each step how many actions have ended.
	// It is called from one goroutine at a time.
	Progress func(done, total int)
}

// ErrPreview is the Err of actions that were only shown, by a client with
// WithPreview.
var ErrPreview = errors.New("dry run: nothing was sent")

// Engine carries actions out through a client. It is safe for concurrent use,
// but two calls of Do know nothing of each other.
type Engine struct {
	client *client.Client
	opts   Options

	selfOnce sync.Once
	self     string // nickname of the token's owner, "" if unknown
}

// New is an Engine over c.
func New(c *client.Client, opts Options) *Engine {
	return &Engine{client: c, opts: opts}
}

// item is one action on its way through the engine.
type item struct {
	action Action
	target Target
	read   bool              // it was read for an action before
	id     string            // the object's id in requests, known once read
	now    map[string]string // the object as read just before the write
	notes  []api.ReportNote  // of a report, as read
	result Result
	ended  bool
	lost   error // why the answer to its write is not known
}

func (it *item) end(o Outcome, err error) {
	it.result.Outcome, it.result.Err, it.ended = o, err, true
}

// kindRules is the engine's view of one kind.
type kindRules struct {
	// read fills id and now. An error ends the item.
	read func(ctx context.Context, it *item) error
	// missing, when set, judges an object that read did not find.
	missing func(ctx context.Context, it *item) Outcome
	// wish is the requested state of the object; nil for kinds that add
	// something each time.
	wish func(a Action) map[string]string
	// culprit finds the author of the object's present state; nil if no log
	// tells.
	culprit func(ctx context.Context, it *item) *Conflict
	// send writes several items, or one where many is false.
	send    func(ctx context.Context, items []*item) error
	many    bool
	size    int  // of a batch, where it is not batchSize
	partial bool // a 400 may have done some of it
	// landed reports whether a write took effect after all, for kinds without a
	// wish.
	landed func(ctx context.Context, it *item) (bool, error)
	// key identifies repeats if the target alone does not.
	key     func(it *item) string
	inverse func(it *item) *Action
}

func (k kindRules) identity(it *item) string {
	if k.key != nil {
		return k.key(it)
	}
	return it.target.String()
}

// Do carries actions out and returns their results in the same order. It reads
// every object first: an object that is already as requested takes no write,
// and one that somebody changed since Before fails with a *Conflict. Neighbours
// of one kind share requests. If the outcome of a request is unclear, or a list
// was refused in part, every object is read again, and the results report its
// state. After a final refusal (401, 403) or a cancelled context the rest is
// skipped.
func (e *Engine) Do(ctx context.Context, actions []Action) []Result {
	items := make([]*item, len(actions))
	for i, a := range actions {
		items[i] = &item{action: a, result: Result{Action: a}}
	}
	e.carryOut(ctx, items)
	if e.opts.Note != "" {
		notes := notesUnder(items, e.opts.Note)
		e.carryOut(ctx, notes)
		items = append(items, notes...)
	}
	results := make([]Result, len(items))
	for i, it := range items {
		results[i] = it.result
	}
	return results
}

// notesUnder are actions that write text under the reports that changed, which
// need no second reading.
func notesUnder(items []*item, text string) []*item {
	var notes []*item
	for _, it := range items {
		if it.result.Outcome == Changed || errors.Is(it.result.Err, ErrPreview) {
			a := Action{Kind: ReportNote, Target: it.action.Target, Args: map[string]string{"text": text}}
			notes = append(notes, &item{action: a, result: Result{Action: a}, read: true, id: it.id, notes: it.notes})
		}
	}
	return notes
}

func (e *Engine) carryOut(ctx context.Context, items []*item) {
	run := &run{engine: e, total: len(items)}
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && alike(items[start].action, items[end].action) {
			end++
		}
		run.kind(ctx, items[start:end])
		start = end
	}
}

// alike reports whether two actions may share a request.
func alike(a, b Action) bool {
	return a.Kind == b.Kind && (!a.Kind.facts().once || maps.Equal(a.Args, b.Args))
}

// run is one call of Do.
type run struct {
	engine *Engine
	total  int

	mu   sync.Mutex
	done int
	stop error // why nothing more is sent
}

func (r *run) kind(ctx context.Context, items []*item) {
	kind := items[0].action.Kind.facts()
	if kind.rules == nil {
		for _, it := range items {
			it.end(Failed, &UsageError{"there is no action " + Quote(string(it.action.Kind))})
			r.advance(1)
		}
		return
	}
	rules := kind.rules(r.engine, kind.kind)
	first := map[string]*item{}
	var distinct, repeats []*item
	for _, it := range items {
		target, err := ParseTarget(it.action.Kind.Noun(), it.action.Target)
		if err != nil {
			it.end(Failed, err)
			r.advance(1)
			continue
		}
		it.target = target
		if rules.wish != nil {
			if _, again := first[rules.identity(it)]; again {
				repeats = append(repeats, it)
				continue
			}
			first[rules.identity(it)] = it
		}
		distinct = append(distinct, it)
	}
	if rules.many {
		size := cmp.Or(rules.size, batchSize)
		for start := 0; start < len(distinct); start += size {
			batch := distinct[start:min(start+size, len(distinct))]
			parallel(batch, func(it *item) { r.look(ctx, rules, it) })
			r.write(ctx, rules, pending(batch))
			r.advance(len(batch))
		}
	} else {
		parallel(distinct, func(it *item) {
			r.look(ctx, rules, it)
			r.write(ctx, rules, pending([]*item{it}))
			r.advance(1)
		})
	}
	for _, it := range repeats {
		original := first[rules.identity(it)].result
		it.result.Outcome, it.result.Err = original.Outcome, original.Err
		if original.Outcome == Changed {
			it.result.Outcome = Unchanged
		}
		r.advance(1)
	}
}

// look reads the object and ends the item if no request is needed.
func (r *run) look(ctx context.Context, rules kindRules, it *item) {
	if stop := r.stopped(ctx); stop != nil {
		it.end(Skipped, stop)
		return
	}
	if it.read {
		return
	}
	if err := rules.read(ctx, it); err != nil {
		if errors.Is(err, client.ErrNotFound) && rules.missing != nil {
			outcome := rules.missing(ctx, it)
			if outcome != Failed {
				err = nil
			}
			it.end(outcome, err)
			return
		}
		r.note(err)
		it.end(Failed, err)
		return
	}
	if rules.wish == nil {
		return
	}
	wish := rules.wish(it.action)
	already := holds(wish, it.now)
	if !surprised(it, wish) || !already && r.engine.opts.Force {
		if already {
			it.end(Unchanged, nil)
		}
		return
	}
	if own := r.overtaken(ctx, rules, it); own && !already && r.engine.opts.OwnIsFine {
		it.result, it.ended = Result{Action: it.action}, false
	}
}

// overtaken ends an item of which somebody changed the object: to the same end, or to
// another. It reports whether that was the caller, elsewhere.
func (r *run) overtaken(ctx context.Context, rules kindRules, it *item) (own bool) {
	conflict := r.conflict(ctx, rules, it)
	own = conflict.By != "" && conflict.By == r.engine.whoami(ctx)
	if !holds(rules.wish(it.action), it.now) {
		it.end(Failed, conflict)
		return own
	}
	it.end(Unchanged, nil)
	if conflict.By != "" && !own {
		it.result.Meanwhile = conflict
	}
	return own
}

// conflict is the present state of an object, and who made it so.
func (r *run) conflict(ctx context.Context, rules kindRules, it *item) *Conflict {
	conflict := &Conflict{}
	if rules.culprit != nil {
		if found := rules.culprit(ctx, it); found != nil {
			conflict = found
		}
	}
	conflict.Target = it.target.String()
	if conflict.Now == "" {
		conflict.Now = describe(it.now, rules.wish(it.action))
	}
	return conflict
}

// write sends the rest of a batch and records the outcome.
func (r *run) write(ctx context.Context, rules kindRules, items []*item) {
	for range lostWrites {
		if items = r.writeOnce(ctx, rules, items); len(items) == 0 {
			return
		}
	}
	for _, it := range items {
		it.end(Failed, it.lost)
	}
}

// lostWrites is how often a write is sent of which the answer is lost.
const lostWrites = 3

// writeOnce is write up to the first lost answer. It returns the items of which the
// write did not arrive, and that are as they were.
func (r *run) writeOnce(ctx context.Context, rules kindRules, items []*item) (again []*item) {
	if len(items) == 0 {
		return nil
	}
	if stop := r.stopped(ctx); stop != nil {
		for _, it := range items {
			it.end(Skipped, stop)
		}
		return nil
	}
	err := rules.send(client.LookFirst(ctx), items)
	if err == nil {
		for _, it := range items {
			r.succeed(rules, it)
		}
		return nil
	}
	r.note(err)
	switch {
	case rules.partial && client.Status(err) == http.StatusBadRequest, unclear(err):
		return r.settle(ctx, rules, items, err)
	case errors.Is(err, client.ErrNotFound) && len(items) > 1:
		r.resend(ctx, rules, items, err)
	default:
		for _, it := range items {
			it.end(Failed, err)
		}
	}
	return nil
}

func (r *run) succeed(rules kindRules, it *item) {
	if r.engine.client.Previews() {
		it.end(Skipped, ErrPreview)
		return
	}
	if rules.inverse != nil {
		it.result.Inverse = rules.inverse(it)
	}
	it.end(Changed, nil)
}

// Renew returns actions with Before as their objects are now: to overwrite a change
// that a conflict told of, but none after it. Nothing is written.
func (e *Engine) Renew(ctx context.Context, actions []Action) ([]Action, error) {
	renewed := slices.Clone(actions)
	for i, a := range renewed {
		if len(a.Before) == 0 {
			continue
		}
		kind := a.Kind.facts()
		if kind.rules == nil {
			return nil, &UsageError{"there is no action " + Quote(string(a.Kind))}
		}
		target, err := ParseTarget(a.Kind.Noun(), a.Target)
		if err != nil {
			return nil, err
		}
		it := &item{action: a, target: target}
		if err := kind.rules(e, a.Kind).read(ctx, it); err != nil {
			return nil, err
		}
		before := map[string]string{}
		for key := range a.Before {
			if now, known := it.now[key]; known {
				before[key] = now
			}
		}
		renewed[i].Before = before
	}
	return renewed, nil
}

// pending are the items that have not ended.
func pending(items []*item) []*item {
	var left []*item
	for _, it := range items {
		if !it.ended {
			left = append(left, it)
		}
	}
	return left
}

// parallel calls do for each item, inFlight at a time.
func parallel(items []*item, do func(*item)) {
	slots := make(chan struct{}, inFlight)
	var wg sync.WaitGroup
	for _, it := range items {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			do(it)
		}()
	}
	wg.Wait()
}

// holds reports whether the object already is as requested.
func holds(wish, now map[string]string) bool {
	for key, value := range wish {
		if now[key] != value {
			return false
		}
	}
	return true
}

// surprised reports whether the action would change a value that differs from
// the one the person saw.
func surprised(it *item, wish map[string]string) bool {
	for key := range wish {
		if seen, known := it.action.Before[key]; known && seen != it.now[key] {
			return true
		}
	}
	return false
}
