package demo

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A director stages scenes until the requested reports are filed. The scenes
// and their texts do not depend on their times.
type director struct {
	rng  *rand.Rand
	cast *cast
	deck []func(*scene) // scenes left of this round

	statusesLeft int
	reportsLeft  int
	toHandle     int // reports that moderators handle
	doomed       []int
	joined       map[int]bool
	blocked      map[[2]int]bool // by the first: the second
	nextStranger int
}

// direct starts a director. All those of a plan do the same.
func (p *Plan) direct() *director {
	o := p.options
	return &director{
		rng: rand.New(rand.NewPCG(o.Seed, 4)), cast: p.cast,
		statusesLeft: o.Statuses, reportsLeft: o.Reports, toHandle: (o.Reports + 6) / 7,
		// The first scene is one that ends with an account switched off.
		deck: []func(*scene){(*scene).spamWave}, doomed: p.cast.doomed, joined: map[int]bool{}, blocked: map[[2]int]bool{},
	}
}

// scene stages the next scene from at on, within room, and gives its steps in
// the order of time. There must be reports left.
func (d *director) scene(at time.Time, room time.Duration) []Step {
	if len(d.deck) == 0 {
		d.deck = slices.Clone(scenes)
		d.rng.Shuffle(len(d.deck), func(i, j int) { d.deck[i], d.deck[j] = d.deck[j], d.deck[i] })
	}
	play := d.deck[0]
	d.deck = d.deck[1:]
	s := &scene{director: d, rng: d.rng, start: at, minute: min(time.Minute, room/(8*60)), handled: d.toHandle > 0}
	play(s)
	if s.handled {
		s.handle()
	} else {
		s.discuss()
	}
	slices.SortStableFunc(s.steps, func(a, b Step) int { return a.At.Compare(b.At) })
	return s.steps
}

// A scene is a few steps of a few people that end in reports.
type scene struct {
	*director
	rng     *rand.Rand
	start   time.Time
	minute  time.Duration // shorter where there is no time for real ones
	steps   []Step
	reports []*Report
	gone    []*Post
	last    float64 // minutes from start to the last step
	handled bool
	guilty  bool // the reported content breaks the rules
	spent   int  // the doomed account of this scene, or 0: staff are never doomed
}

func (s *scene) do(minute float64, a Action) {
	s.last = max(s.last, minute)
	s.steps = append(s.steps, Step{s.start.Add(time.Duration(minute * float64(s.minute))), a})
}

// post is nil when no statuses are left.
func (s *scene) post(minute float64, p Post) *Post {
	if s.statusesLeft == 0 {
		return nil
	}
	s.statusesLeft--
	if p.Visibility == "" {
		p.Visibility = "public"
	}
	if p.Lang == "" {
		p.Lang = "en"
	}
	s.do(minute, &p)
	return &p
}

// report is nil when no reports are left. Posts that are nil are left out.
func (s *scene) report(minute float64, by, target int, comment string, posts ...*Post) *Report {
	if s.reportsLeft == 0 {
		return nil
	}
	s.reportsLeft--
	posts = slices.DeleteFunc(slices.Clone(posts), func(p *Post) bool { return p == nil })
	r := &Report{By: by, Target: target, Posts: posts, Comment: comment}
	r.Forward = s.cast.people[target].Domain != "" && s.rng.IntN(3) == 0
	s.do(minute, r)
	s.reports = append(s.reports, r)
	return r
}

// witnesses are n people other than those left out, most of them from here.
func (s *scene) witnesses(n int, without ...int) []int {
	var out []int
	for tries := 0; len(out) < n && tries < 20*n; tries++ {
		who := pick(s.rng, s.cast.local)
		if s.rng.IntN(5) == 0 && len(s.cast.remote) > 0 {
			who = pick(s.rng, s.cast.remote)
		}
		if !slices.Contains(out, who) && !slices.Contains(without, who) {
			out = append(out, who)
		}
	}
	// A very small cast runs out of luck, but not of people.
	for _, who := range s.cast.social {
		if len(out) < n && !slices.Contains(out, who) && !slices.Contains(without, who) {
			out = append(out, who)
		}
	}
	return out
}

// strangers returns n different newcomers, who join now if they have not.
func (s *scene) strangers(n int) []int {
	var out []int
	if s.handled && len(s.doomed) > 0 {
		s.spent, s.doomed = s.doomed[0], s.doomed[1:]
		out = append(out, s.spent)
	}
	for len(out) < min(n, len(s.cast.strangers)) {
		out = append(out, s.cast.strangers[s.nextStranger%len(s.cast.strangers)])
		s.nextStranger++
	}
	for _, who := range out {
		if !s.joined[who] {
			s.joined[who] = true
			s.do(0, Join{who})
		}
	}
	return out
}

// hecklers returns up to n rough people who are not blocked by target.
func (s *scene) hecklers(n, target int) []int {
	var out []int
	for _, i := range s.rng.Perm(len(s.cast.hecklers)) {
		who := s.cast.hecklers[i]
		if len(out) < n && !s.blocked[[2]int{target, who}] {
			out = append(out, who)
		}
	}
	return out
}

// block makes target block who, unless too few hecklers would be left.
func (s *scene) block(minute float64, target, who int) {
	if len(s.hecklers(len(s.cast.hecklers), target)) > len(s.cast.hecklers)/2+1 {
		s.blocked[[2]int{target, who}] = true
		s.do(minute, Block{target, who})
	}
}

// mention returns the name of who, as in texts.
func (s *scene) mention(who int) string { return "@" + s.cast.people[who].Acct() }

// moderator is one of the staff.
func (s *scene) moderator() int { return pick(s.rng, s.cast.staff) }

// handle has a moderator deal with the scene's reports, as far as those that
// are handled already go.
func (s *scene) handle() {
	by := s.moderator()
	reports := s.reports[:min(len(s.reports), s.toHandle)]
	s.toHandle -= len(reports)
	notes, state := notesInnocent, "closed"
	if s.guilty {
		notes, state = notesGuilty, "resolved"
	}
	s.do(s.last+20, Note{by, reports[0], pick(s.rng, notes)})
	if s.rng.IntN(3) == 0 {
		s.do(s.last+5, Note{s.moderator(), reports[0], pick(s.rng, notesAgree)})
	}
	if s.guilty && len(reports) == len(s.reports) {
		switch {
		case s.spent != 0:
			s.do(s.last+2, Deactivate{by, s.spent})
		case len(reports[0].Posts) > 0 && len(s.gone) == 0 && s.rng.IntN(2) == 0:
			s.delete(s.last+2, by, reports[0].Posts[0])
		}
	}
	s.do(s.last+1, &Handling{By: by, State: state, Reports: reports})
}

// discuss has moderators remark on reports that stay open.
func (s *scene) discuss() {
	for _, r := range s.reports {
		if s.rng.IntN(5) > 1 {
			continue
		}
		s.do(s.last+4, Note{s.moderator(), r, pick(s.rng, notesOpen)})
		if s.rng.IntN(2) == 0 {
			s.do(s.last+9, Note{s.moderator(), r, pick(s.rng, notesAnswer)})
		}
	}
}

// delete has by remove post, once.
func (s *scene) delete(minute float64, by int, post *Post) {
	s.gone = append(s.gone, post)
	s.do(minute, Delete{by, post})
}
