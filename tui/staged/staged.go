// Package staged keeps a moderator's actions until they are sent. An action
// counts down, can be undone, and is stored in a file: a crash neither sends it
// unasked nor loses it. Sent actions are kept for undo.
//
// The package sends and shows nothing; package client/action carries actions
// out.
package staged

import (
	"maps"
	"slices"
	"time"

	"svc/client/action"
)

// Phase is where a staged action stands.
type Phase string

const (
	Waiting Phase = "waiting" // counts down, then goes
	Held    Phase = "held"    // was due while nothing could be sent
	Asking  Phase = "asking"  // from an earlier run, or held too long: sent only on request
	Sending Phase = "sending"
	// Conflict is of objects that somebody else changed meanwhile: it is sent only
	// when the person decides so.
	Conflict Phase = "conflict"
)

// Item is one key press: a change of one or many objects that has not been
// sent.
type Item struct {
	Actions []action.Action `json:"actions"`
	Label   string          `json:"label"` // printable
	At      time.Time       `json:"at"`
	Phase   Phase           `json:"phase"`
	// Play says that the actions are steps of several kinds. They are carried out in
	// order, up to the first that fails.
	Play bool `json:"play,omitempty"`
	// Lost names the follows that a deactivation ends and its undo does not restore:
	// "3 follows", printable; "" where their number is not known.
	Lost string `json:"lost,omitempty"`
	// Why has the present states of objects in conflict, by target, printable.
	Why map[string]string `json:"why,omitempty"`

	Due    time.Time `json:"-"` // by the timer's clock
	Undoes *Done     `json:"-"` // set when it takes back another
}

// Kind is that of all its actions, of a play that of the first.
func (s *Item) Kind() action.Kind { return s.Actions[0].Kind }

// Done is the result of a staged action, for undo and the list of actions.
type Done struct {
	Item    *Item
	Results []action.Result
	Entries []string // of the journal, one for each result, "" for none
	At      time.Time
	Undone  bool
}

// Actions holds the actions that are not sent yet, and the sent ones. A file
// keeps them, so that a crash sends nothing unasked and loses nothing.
type Actions struct {
	Items  []*Item
	Done   []*Done
	Drafts map[string]string // notes being written, by report id
	Folded map[string]string // reports by which posts were judged, by post
	file   *file

	index   map[string]indexed   // unsent actions by target, nil when out of date
	settled map[string]time.Time // when an action on a target ended
	timer   func() time.Time
}

type indexed struct {
	item   *Item
	action action.Action
}

// settling is how long after its end an action counts as fresher than objects
// read from the server: the read may have begun before.
const settling = 10 * time.Second

// Stage adds an action, and removes contradicting ones on the same objects.
func (o *Actions) Stage(s *Item) {
	for _, a := range s.Actions {
		o.withdraw(a)
	}
	o.Items, o.index = append(o.Items, s), nil
}

func (o *Actions) withdraw(a action.Action) {
	if _, _, any := o.About(a.Target); !any {
		return
	}
	o.index = nil
	for _, item := range o.Items {
		if item.Phase == Sending {
			continue
		}
		item.Actions = slices.DeleteFunc(item.Actions, func(b action.Action) bool { return action.Contradict(a, b) })
	}
	o.Items = slices.DeleteFunc(o.Items, func(s *Item) bool { return len(s.Actions) == 0 })
}

// Cancel takes an action out that was not sent; false is for one that is being sent.
func (o *Actions) Cancel(item *Item) bool {
	if item.Phase == Sending {
		return false
	}
	o.Items, o.index = slices.DeleteFunc(o.Items, func(s *Item) bool { return s == item }), nil
	return true
}

// CancelAll takes out everything that was not sent and counts it.
func (o *Actions) CancelAll() int {
	before := len(o.Items)
	o.index = nil
	o.Items = slices.DeleteFunc(o.Items, func(s *Item) bool { return s.Phase != Sending })
	return before - len(o.Items)
}

// Unsent are the items that wait for anything.
func (o *Actions) Unsent(phases ...Phase) []*Item {
	var found []*Item
	for _, item := range o.Items {
		if len(phases) == 0 && item.Phase != Sending || slices.Contains(phases, item.Phase) {
			found = append(found, item)
		}
	}
	return found
}

// Take marks the items of one request as sending: of the items that are due,
// those of the first one's kind, or a play alone. While a request is under way it takes none.
func (o *Actions) Take(now time.Time) []*Item {
	var batch []*Item
	for _, item := range o.Items {
		if item.Phase == Sending {
			return nil
		}
	}
	for _, item := range o.Items {
		if item.Phase != Waiting && item.Phase != Held || item.Due.After(now) {
			continue
		}
		if len(batch) == 0 || batch[0].Kind() == item.Kind() && !batch[0].Play && !item.Play {
			batch = append(batch, item)
		}
	}
	for _, item := range batch {
		item.Phase = Sending
	}
	return batch
}

// Hurry makes everything due that waits or is asked about, but for conflicts.
func (o *Actions) Hurry(now time.Time) {
	for _, item := range o.Items {
		if item.Phase != Sending && item.Phase != Conflict {
			item.Phase, item.Due = Waiting, now
		}
	}
}

// Drop removes items that have ended.
func (o *Actions) Drop(items []*Item) {
	o.index = nil
	for _, item := range items {
		for _, a := range item.Actions {
			o.settled[a.Target] = o.timer()
		}
	}
	o.Items = slices.DeleteFunc(o.Items, func(s *Item) bool { return slices.Contains(items, s) })
}

// Next is when the earliest item is due, false when none counts down.
func (o *Actions) Next() (due time.Time, any bool) {
	for _, item := range o.Items {
		if item.Phase == Waiting && (!any || item.Due.Before(due)) {
			due, any = item.Due, true
		}
	}
	return due, any
}

// About finds the unsent action on an object, the newest one.
func (o *Actions) About(target string) (*Item, action.Action, bool) {
	if o.index == nil {
		o.index = map[string]indexed{}
		for _, item := range o.Items {
			for _, a := range item.Actions {
				o.index[a.Target] = indexed{item, a}
			}
		}
	}
	found, ok := o.index[target]
	return found.item, found.action, ok
}

// InConflict reports whether an action on an object waits for a decision.
func (o *Actions) InConflict(target string) bool {
	item, _, ok := o.About(target)
	return ok && item.Phase == Conflict && item.Why[target] != ""
}

// KeepTheirs gives up the actions of item on objects that somebody else changed.
// The rest of it waits again, until due.
func (o *Actions) KeepTheirs(item *Item, due time.Time) {
	o.index = nil
	item.Actions = slices.DeleteFunc(item.Actions, func(a action.Action) bool { return item.Why[a.Target] != "" })
	item.Phase, item.Due, item.Why = Waiting, due, nil
	if len(item.Actions) == 0 {
		o.Items = slices.DeleteFunc(o.Items, func(s *Item) bool { return s == item })
	}
}

// Busy reports whether an action on an object is under way, or ended so lately
// that the object as read may be older.
func (o *Actions) Busy(target string) bool {
	if item, _, ok := o.About(target); ok && item.Phase == Sending {
		return true
	}
	at, ok := o.settled[target]
	return ok && o.timer().Sub(at) < settling
}

// LastDone is the newest action that can be asked to be undone.
func (o *Actions) LastDone() *Done {
	for i := len(o.Done) - 1; i >= 0; i-- {
		d := o.Done[i]
		if !d.Undone && d.Item.Undoes == nil && len(d.Item.Actions) > 0 && slices.ContainsFunc(d.Results, func(r action.Result) bool { return r.Outcome == action.Changed }) {
			return d
		}
	}
	return nil
}

// Entries are the journal's entries that the item takes back, one for each of its
// actions: "" for those that take nothing back.
func (s *Item) Entries() []string {
	entries := make([]string, len(s.Actions))
	if s.Undoes == nil || len(s.Undoes.Entries) != len(s.Undoes.Results) {
		return entries
	}
	used := make([]bool, len(s.Undoes.Results))
	for i, a := range s.Actions {
		for k, r := range slices.Backward(s.Undoes.Results) {
			if !used[k] && r.Outcome == action.Changed && r.Inverse != nil && takesBack(*r.Inverse, a) {
				entries[i], used[k] = s.Undoes.Entries[k], true
				break
			}
		}
	}
	return entries
}

func takesBack(inverse, a action.Action) bool {
	return inverse.Kind == a.Kind && inverse.Target == a.Target && maps.Equal(inverse.Args, a.Args)
}
