package tui

import (
	"slices"
	"time"

	"svc/client/action"
)

// phase is where a staged action stands.
type phase string

const (
	waiting phase = "waiting" // counts down, then goes
	held    phase = "held"    // was due while nothing could be sent
	asking  phase = "asking"  // from an earlier run, or held too long: not sent unless told
	sending phase = "sending"
)

// staged is one key press: a change of one or many objects that has not been
// sent.
type staged struct {
	Actions []action.Action `json:"actions"`
	Label   string          `json:"label"` // printable
	At      time.Time       `json:"at"`
	Phase   phase           `json:"phase"`

	due    time.Time // by the timer's clock
	undoes *done     // set when it takes back another
}

func (s *staged) kind() action.Kind { return s.Actions[0].Kind }

// done is what became of a staged action, for undo and the list of actions.
type done struct {
	staged  *staged
	results []action.Result
	at      time.Time
	undone  bool
}

// outbox holds what was asked for and not sent yet, and what was sent. It is
// kept in a file, so that a crash sends nothing unasked and loses nothing.
type outbox struct {
	items  []*staged
	done   []*done
	drafts map[string]string // notes being written, by report id
	file   *outboxFile

	index   map[string]indexed   // unsent actions by target, nil when out of date
	settled map[string]time.Time // when an action on a target ended
	timer   func() time.Time
}

type indexed struct {
	item   *staged
	action action.Action
}

// settling is how long after its end an action counts as fresher than what is
// read from the server: the read may have begun before.
const settling = 10 * time.Second

// stage adds an action. What it contradicts on the same objects is taken out.
func (o *outbox) stage(s *staged) {
	for _, a := range s.Actions {
		if contradicts(a.Kind) {
			o.withdraw(a)
		}
	}
	o.items, o.index = append(o.items, s), nil
}

// contradicts tells kinds of which only the last counts: a note does not take
// back another.
func contradicts(k action.Kind) bool { return k != action.ReportNote && k != action.ReportNoteDelete }

func (o *outbox) withdraw(a action.Action) {
	if _, _, any := o.about(a.Target); !any {
		return
	}
	o.index = nil
	for _, item := range o.items {
		if item.Phase == sending {
			continue
		}
		item.Actions = slices.DeleteFunc(item.Actions, func(b action.Action) bool {
			return b.Target == a.Target && contradicts(b.Kind) && !independent(a.Kind, b.Kind)
		})
	}
	o.items = slices.DeleteFunc(o.items, func(s *staged) bool { return len(s.Actions) == 0 })
}

// independent tells two changes of one status that do not touch each other.
func independent(a, b action.Kind) bool {
	return a == action.StatusSensitive && b == action.StatusVisibility || a == action.StatusVisibility && b == action.StatusSensitive
}

// cancel takes out the newest action that was not sent.
func (o *outbox) cancel() *staged {
	for i := len(o.items) - 1; i >= 0; i-- {
		if item := o.items[i]; item.Phase != sending {
			o.items, o.index = slices.Delete(o.items, i, i+1), nil
			return item
		}
	}
	return nil
}

// cancelAll takes out everything that was not sent and counts it.
func (o *outbox) cancelAll() int {
	before := len(o.items)
	o.index = nil
	o.items = slices.DeleteFunc(o.items, func(s *staged) bool { return s.Phase != sending })
	return before - len(o.items)
}

// unsent are the items that wait for anything.
func (o *outbox) unsent(phases ...phase) []*staged {
	var found []*staged
	for _, item := range o.items {
		if len(phases) == 0 && item.Phase != sending || slices.Contains(phases, item.Phase) {
			found = append(found, item)
		}
	}
	return found
}

// take marks what goes in one request as sending: of the items that are due,
// those of the first one's kind. While something is being sent it takes none.
func (o *outbox) take(now time.Time) []*staged {
	var batch []*staged
	for _, item := range o.items {
		if item.Phase == sending {
			return nil
		}
	}
	for _, item := range o.items {
		if item.Phase != waiting && item.Phase != held || item.due.After(now) {
			continue
		}
		if len(batch) == 0 || batch[0].kind() == item.kind() {
			batch = append(batch, item)
		}
	}
	for _, item := range batch {
		item.Phase = sending
	}
	return batch
}

// hurry makes everything due that waits or is asked about.
func (o *outbox) hurry(now time.Time) {
	for _, item := range o.items {
		if item.Phase != sending {
			item.Phase, item.due = waiting, now
		}
	}
}

// drop removes items that have ended.
func (o *outbox) drop(items []*staged) {
	o.index = nil
	for _, item := range items {
		for _, a := range item.Actions {
			o.settled[a.Target] = o.timer()
		}
	}
	o.items = slices.DeleteFunc(o.items, func(s *staged) bool { return slices.Contains(items, s) })
}

// next is when the earliest item is due, false when none counts down.
func (o *outbox) next() (due time.Time, any bool) {
	for _, item := range o.items {
		if item.Phase == waiting && (!any || item.due.Before(due)) {
			due, any = item.due, true
		}
	}
	return due, any
}

// about finds the unsent action on an object, the newest one.
func (o *outbox) about(target string) (*staged, action.Action, bool) {
	if o.index == nil {
		o.index = map[string]indexed{}
		for _, item := range o.items {
			for _, a := range item.Actions {
				o.index[a.Target] = indexed{item, a}
			}
		}
	}
	found, ok := o.index[target]
	return found.item, found.action, ok
}

// busy tells whether an action on an object is on its way or ended so lately
// that what was read may be older.
func (o *outbox) busy(target string) bool {
	if item, _, ok := o.about(target); ok && item.Phase == sending {
		return true
	}
	at, ok := o.settled[target]
	return ok && o.timer().Sub(at) < settling
}

// lastDone is the newest action that can be asked to be undone.
func (o *outbox) lastDone() *done {
	for i := len(o.done) - 1; i >= 0; i-- {
		d := o.done[i]
		if !d.undone && d.staged.undoes == nil && slices.ContainsFunc(d.results, func(r action.Result) bool { return r.Outcome == action.Changed }) {
			return d
		}
	}
	return nil
}

// inverses are the actions that take d back, and how many have none.
func (d *done) inverses() (back []action.Action, without int) {
	for _, r := range d.results {
		switch {
		case r.Outcome != action.Changed:
		case r.Inverse == nil:
			without++
		default:
			back = append(back, *r.Inverse)
		}
	}
	return back, without
}
