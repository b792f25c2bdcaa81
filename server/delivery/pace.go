package delivery

import (
	"math"
	"runtime/metrics"
	"time"
)

// The bounds of the pace: between the beginnings of two calls lies so much. A
// call costs a millisecond or more of the processor, mostly its signature, so at
// the slowest pace sending takes a small part of one.
const (
	fastest   = time.Millisecond
	slowest   = 15 * time.Millisecond
	begins    = 4 * time.Millisecond
	looksFor  = 100 * time.Millisecond // how often the pace is thought over
	lateAfter = time.Millisecond       // from when on somebody who could work has waited long
	mayBeLate = 0.02                   // of all
)

// pace keeps sending from taking the processor from whoever waits for a page: it
// slows down while much that could run has to wait, and goes faster while not.
type pace struct {
	interval time.Duration
	next     time.Time // when the next call may begin
	looked   time.Time
	sample   []metrics.Sample
	before   []uint64
}

func newPace() *pace {
	return &pace{interval: begins, sample: []metrics.Sample{{Name: "/sched/latencies:seconds"}}}
}

// wait is how long no call is to begin.
func (p *pace) wait(now time.Time) time.Duration { return p.next.Sub(now) }

// begun counts a call that begins now.
func (p *pace) begun(now time.Time) {
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(p.interval)
	if now.Sub(p.looked) < looksFor {
		return
	}
	p.looked = now
	if late, all := p.late(); float64(late) > mayBeLate*float64(all) {
		p.interval = min(p.interval*3/2, slowest)
	} else {
		p.interval = max(p.interval*9/10, fastest)
	}
}

// late counts, since it was last asked, how often something that could run did,
// and how often it had waited long for that.
func (p *pace) late() (late, all uint64) {
	metrics.Read(p.sample)
	if p.sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0, 0
	}
	h := p.sample[0].Value.Float64Histogram()
	if len(p.before) != len(h.Counts) {
		p.before = make([]uint64, len(h.Counts))
		copy(p.before, h.Counts)
		return 0, 0
	}
	for i, n := range h.Counts {
		n, p.before[i] = n-p.before[i], n
		all += n
		if from := h.Buckets[i]; !math.IsInf(from, -1) && from >= lateAfter.Seconds() {
			late += n
		}
	}
	return late, all
}
