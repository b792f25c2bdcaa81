// Package demo makes a believable small world, for trying svc out and for
// measuring it: people on several servers talk, quarrel and report one another.
//
// A Plan lists the steps in the order of time, and is the same for one set of
// Options. It touches nothing. Build carries it out, through the same
// operations as the requests of people.
package demo

import (
	"container/heap"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Options size a plan. The same Options give the same Plan.
type Options struct {
	Seed     uint64
	Accounts int // at least MinAccounts
	Statuses int
	Reports  int       // of which about a seventh are handled already
	End      time.Time // when the last step has happened
}

// MinAccounts is the smallest cast that the scenes can be played with.
const MinAccounts = 16

// span is how far back statuses reach.
const span = 30 * 24 * time.Hour

// Plan is a world about to happen.
type Plan struct {
	People  []Person
	options Options
	cast    *cast

	scenes   int // how many scenes the reports need
	ordinary int // statuses that belong to no scene
}

// NewPlan chooses the people of a plan and its numbers of steps.
func NewPlan(o Options) (*Plan, error) {
	if o.Accounts < MinAccounts {
		return nil, fmt.Errorf("%d accounts are too few for a demo, which needs %d", o.Accounts, MinAccounts)
	}
	if o.Statuses < 0 || o.Reports < 0 {
		return nil, fmt.Errorf("a demo cannot have %d statuses and %d reports", o.Statuses, o.Reports)
	}
	p := &Plan{options: o}
	p.People, p.cast = people(o)
	director := p.direct()
	for director.reportsLeft > 0 {
		director.scene(time.Time{}, 0)
		p.scenes++
	}
	p.ordinary = director.statusesLeft
	return p, nil
}

// Size is about how many steps the plan has.
func (p *Plan) Size() int {
	o := p.options
	per := 12
	if o.Statuses >= busy {
		per = 4
	}
	return o.Accounts*per + o.Statuses + min(o.Statuses*7/10, reactions) + o.Reports*3/2
}

// A Step is one thing that somebody does at some time.
type Step struct {
	At time.Time
	Do Action
}

// An Action is one of the types below. People are indexes of Plan.People.
type Action interface{ action() }

type (
	// Join makes the account of a person.
	Join struct{ Who int }
	// Follow is From beginning to follow To, or asking to.
	Follow struct{ From, To int }
	// Mute is From muting To.
	Mute struct{ From, To int }
	// Block is From blocking To.
	Block struct{ From, To int }
	// Post is a new status. Seq counts statuses from 0 in the order of the
	// steps. ReplyTo is nil or posted earlier. Text has mentions as @name or
	// @name@domain.
	Post struct {
		Seq        int
		Author     int
		Text       string
		Warning    string
		Lang       string
		Visibility string // public, unlisted, private or direct
		Sensitive  bool
		ReplyTo    *Post
		Pictures   []Picture
	}
	// Reblog is done at most once by one person to one status.
	Reblog struct{ By, Seq int }
	// Favourite is done at most once by one person to one status, too.
	Favourite struct{ By, Seq int }
	// Delete is by the author, or by a moderator.
	Delete struct {
		By   int
		Post *Post
	}
	// Report is a new report. Seq counts reports from 0 in the order of the
	// steps; Posts are by Target, and come with the report.
	Report struct {
		Seq     int
		By      int
		Target  int
		Posts   []*Post
		Comment string
		Forward bool
	}
	// Note is a moderator's remark on a report.
	Note struct {
		By     int
		Report *Report
		Text   string
	}
	// Handling closes reports together, in one state: resolved or closed.
	Handling struct {
		By      int
		State   string
		Reports []*Report
	}
	// Deactivate is an account switched off by a moderator.
	Deactivate struct{ By, Who int }
)

// A Picture is one of the pictures that Draw can draw, with its description.
type Picture struct {
	Kind        int // below PictureKinds
	Description string
}

func (Join) action()       {}
func (Follow) action()     {}
func (Mute) action()       {}
func (Block) action()      {}
func (*Post) action()      {}
func (Reblog) action()     {}
func (Favourite) action()  {}
func (Delete) action()     {}
func (*Report) action()    {}
func (Note) action()       {}
func (*Handling) action()  {}
func (Deactivate) action() {}

// Steps plays the world from its beginning to Options.End. It can be repeated,
// and keeps only recent statuses in memory.
func (p *Plan) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		statuses, reports := 0, 0
		emit := func(s Step) bool {
			switch a := s.Do.(type) {
			case *Post:
				a.Seq = statuses
				statuses++
			case *Report:
				a.Seq = reports
				reports++
			}
			return yield(s)
		}
		if !p.beginnings(emit) {
			return
		}
		p.merge(emit)
	}
}

// merge interleaves everyday life with the scenes, by time. Scenes start in
// order, so those that have not begun need not exist yet.
func (p *Plan) merge(emit func(Step) bool) {
	o := p.options
	start := o.End.Add(-span)
	director := p.direct()
	var pending agenda
	begun := 0
	for life := p.life(start); ; {
		next, more := life.next()
		limit := o.End
		if more {
			limit = next.At
		}
		for begun < p.scenes && !p.sceneStart(begun).After(limit) {
			at := p.sceneStart(begun)
			if !pending.flush(emit, at) {
				return
			}
			for _, s := range director.scene(at, o.End.Sub(at)) {
				pending.add(s)
			}
			begun++
		}
		if !pending.flush(emit, limit) || !more || !emit(next) {
			return
		}
	}
}

// sceneStart spreads scenes over the span, closer together towards its end, so
// that a queue has old reports and many fresh ones.
func (p *Plan) sceneStart(i int) time.Time {
	if i >= p.scenes {
		return p.options.End
	}
	left := 1 - (float64(i)+0.5)/float64(p.scenes)
	return p.options.End.Add(-time.Duration(math.Pow(left, 2.5) * float64(span)))
}

// beginnings are the joins of all early people, and their follows.
func (p *Plan) beginnings(emit func(Step) bool) bool {
	rng := rand.New(rand.NewPCG(p.options.Seed, 2))
	start := p.options.End.Add(-span)
	first := start.Add(-400 * 24 * time.Hour)
	early := p.cast.early
	for i, who := range early {
		at := first.Add(time.Duration(float64(i) / float64(len(early)) * float64(start.Sub(first))))
		if !emit(Step{at, Join{who}}) {
			return false
		}
	}
	at := start.Add(-time.Hour)
	for _, who := range p.cast.social {
		for _, other := range p.follows(rng, who) {
			at = at.Add(time.Millisecond)
			if !emit(Step{at, Follow{who, other}}) {
				return false
			}
		}
	}
	for range len(p.cast.social) / 12 {
		from, to := p.cast.anyone(rng), pick(rng, p.cast.hecklers)
		at = at.Add(time.Millisecond)
		if !emit(Step{at, Mute{from, to}}) {
			return false
		}
	}
	return true
}

// busy is the number of statuses above which people follow only a few others:
// each status costs a row on the home timeline of every follower.
const busy = 20_000

// follows returns the people that who follows from the start, popular ones more
// likely. Staff also follow the most popular tenth, the authors of about a
// quarter of all statuses, so that their home timelines are deep.
func (p *Plan) follows(rng *rand.Rand, who int) []int {
	var out []int
	add := func(other int) {
		if other != who && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	if slices.Contains(p.cast.staff, who) {
		for _, other := range p.cast.social[:min(len(p.cast.social), max(8, len(p.cast.social)/10))] {
			add(other)
		}
	}
	n := 3 + rng.IntN(12)
	if p.options.Statuses >= busy {
		n = 1 + n/5
	}
	for range n {
		add(p.cast.popular(rng))
	}
	return out
}

// An agenda is steps that are due later, soonest first; at one time, in the
// order they were added.
type agenda struct {
	steps []due
	added int
}

type due struct {
	Step
	order int
}

func (a *agenda) add(s Step) {
	heap.Push(a, due{s, a.added})
	a.added++
}

// flush emits the steps due up to limit, and reports whether to continue.
func (a *agenda) flush(emit func(Step) bool, limit time.Time) bool {
	for len(a.steps) > 0 && !a.steps[0].At.After(limit) {
		if !emit(heap.Pop(a).(due).Step) {
			return false
		}
	}
	return true
}

func (a *agenda) Len() int { return len(a.steps) }
func (a *agenda) Less(i, j int) bool {
	if !a.steps[i].At.Equal(a.steps[j].At) {
		return a.steps[i].At.Before(a.steps[j].At)
	}
	return a.steps[i].order < a.steps[j].order
}
func (a *agenda) Swap(i, j int) { a.steps[i], a.steps[j] = a.steps[j], a.steps[i] }
func (a *agenda) Push(x any)    { a.steps = append(a.steps, x.(due)) }
func (a *agenda) Pop() any {
	last := a.steps[len(a.steps)-1]
	a.steps[len(a.steps)-1] = due{}
	a.steps = a.steps[:len(a.steps)-1]
	return last
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
