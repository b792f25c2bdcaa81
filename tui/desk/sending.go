package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/action"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
)

// sent is the end of a batch: results in the order of the items' actions.
type sent struct {
	items   []*staged.Item
	results []action.Result
	entries []string // of the journal, one for each result
	warning error    // from the journal
}

// Stage puts actions of one kind into the outbox, where they count down.
func (m *Env) Stage(actions []action.Action, label string) tea.Cmd {
	return m.StageItem(&staged.Item{Actions: actions, Label: label + staged.Announced(actions[0].Kind)})
}

// StageItem has an item count down.
func (m *Env) StageItem(item *staged.Item) tea.Cmd {
	for _, a := range item.Actions {
		delete(m.Troubles, a.Target)
	}
	item.At, item.Phase, item.Due = m.Now(), staged.Waiting, m.Timer().Add(delay(item.Actions))
	m.Staged.Stage(item)
	for _, o := range m.Observers {
		o.Staged(m, item.Actions)
	}
	return tea.Batch(m.Save(), m.schedule())
}

// delay is how long actions are held back: as long as the one that is held longest.
func delay(actions []action.Action) time.Duration {
	longest := time.Duration(0)
	for _, a := range actions {
		longest = max(longest, action.Delay(a.Kind))
	}
	return longest
}

// flush sends the actions that are due. Nothing goes while the server is out of reach.
func (m *Env) flush() tea.Cmd {
	if !m.Poll.Offline.IsZero() || m.Poll.LoggedOut {
		for _, item := range m.Staged.Unsent(staged.Waiting) {
			if !item.Due.After(m.Timer()) {
				item.Phase = staged.Held
			}
		}
		return nil
	}
	batch := m.Staged.Take(m.Timer())
	if len(batch) == 0 {
		return nil
	}
	var actions []action.Action
	var undoes []string
	for _, item := range batch {
		actions = append(actions, item.Actions...)
		undoes = append(undoes, item.Entries()...)
	}
	carryOut := m.engine.Do
	if batch[0].Play {
		carryOut = m.engine.Play
	}
	// The file marks the batch as being sent before it is: after a crash it
	// must not look unsent.
	write, parent, journal := m.Staged.Save(), m.Load.Ctx, m.Journal
	return func() tea.Msg {
		msg := sent{items: batch}
		if err := write(); err != nil {
			for _, a := range actions {
				msg.results = append(msg.results, action.Result{Action: a, Outcome: action.Failed, Err: err})
			}
			return msg
		}
		ctx, cancel := context.WithTimeout(parent, 2*time.Minute)
		defer cancel()
		msg.results = carryOut(ctx, actions)
		msg.entries, msg.warning = journal.Add(msg.results, undoes)
		return msg
	}
}

// sent takes the results of a batch.
func (m *Env) sent(msg sent) tea.Cmd {
	m.Staged.Drop(msg.items)
	results, written := msg.results, msg.entries
	if len(written) != len(results) {
		written = make([]string, len(results))
	}
	var ended []action.Result
	for _, item := range msg.items {
		n := len(item.Actions)
		own, names := results[:n], written[:n]
		results, written = results[n:], written[n:]
		e := m.endings(item, own, names)
		if len(e.ended) > 0 {
			m.report(&staged.Done{Item: item, Results: e.ended, Entries: e.entries, At: m.Now()})
		}
		for _, r := range e.ended {
			m.settle(r)
		}
		ended = append(ended, e.ended...)
		if len(e.held) > 0 {
			m.Staged.Stage(leftOf(item, e.held, staged.Held))
		}
		if len(e.met) > 0 {
			left := leftOf(item, e.met, staged.Conflict)
			left.Why = e.why
			m.enterConflict(left)
		}
	}
	var waiting, rights tea.Cmd
	if slices.ContainsFunc(msg.results, func(r action.Result) bool {
		return errors.Is(r.Err, client.ErrForbidden) && !errors.Is(r.Err, client.ErrTokenRejected)
	}) {
		rights = m.renewRights()
	}
	if slices.ContainsFunc(msg.results, func(r action.Result) bool {
		return r.Action.Kind == action.UserApprove || r.Action.Kind == action.UserDelete
	}) {
		waiting = m.countWaiting()
	}
	if msg.warning != nil {
		m.Say(draw.InkBad, "svcctl undo will not know of this: "+safe.Line(msg.warning.Error()))
	}
	m.offerConflict()
	seen := m.observed(func(o observer) tea.Cmd { return o.Ended(m, ended) })
	cmds := []tea.Cmd{waiting, rights, seen, m.Save(), m.Screen().Renew(m), m.flush(), m.schedule()}
	if m.quitting && len(m.Staged.Unsent(staged.Waiting, staged.Sending)) == 0 {
		return tea.Sequence(m.Save(), tea.Quit)
	}
	return tea.Batch(cmds...)
}

// endings sorts the results of an item: those that ended, with their entries in the
// journal, and the actions that wait on, for the server or for a decision.
type endings struct {
	ended     []action.Result
	entries   []string
	held, met []action.Action
	why       map[string]string // the states of objects in conflict
}

func (m *Env) endings(item *staged.Item, results []action.Result, names []string) endings {
	e := endings{why: map[string]string{}}
	away, met := false, false
	for _, r := range results {
		away = m.holds(r) || errors.Is(r.Err, client.ErrNetwork) || away
		met = met || conflictOf(r) != nil
	}
	for i, r := range results {
		conflict := conflictOf(r) != nil && item.Undoes == nil
		// Steps behind the one that stopped a play go on with it.
		behind := item.Play && errors.Is(r.Err, action.ErrStopped)
		switch {
		case m.holds(r), item.Play && away && (conflict || behind):
			e.held = append(e.held, r.Action)
		case conflict:
			e.met, e.why[r.Action.Target] = append(e.met, r.Action), staged.Reason(r.Err)
		case behind && met && item.Undoes == nil:
			e.met = append(e.met, r.Action)
		default:
			e.ended, e.entries = append(e.ended, r), append(e.entries, names[i])
		}
	}
	return e
}

// leftOf is the part of an item that was not carried out.
func leftOf(item *staged.Item, actions []action.Action, phase staged.Phase) *staged.Item {
	left := &staged.Item{Actions: actions, Label: item.Label, At: item.At, Phase: phase, Play: item.Play, Undoes: item.Undoes}
	switch {
	case len(actions) == len(item.Actions):
	case item.Play:
		left.Label = strings.TrimSuffix(item.Label, RestOf) + RestOf
	case item.Undoes == nil:
		left.Label = staged.Label(item.Kind(), actions)
	}
	return left
}

// RestOf marks the label of a play that was carried out in part.
const RestOf = ", the rest"

// holds reports whether an action did not happen because the server was out of
// reach, and may be tried again when it is back.
func (m *Env) holds(r action.Result) bool {
	switch {
	case r.Err == nil || r.Outcome == action.Changed || r.Outcome == action.Unchanged:
		return false
	case errors.Is(r.Err, client.ErrTokenRejected):
		m.Poll.LoggedOut = true
		return true
	case errors.Is(r.Err, client.ErrNetwork):
		if m.Poll.Offline.IsZero() {
			m.Poll.Offline = m.Timer()
		}
		// A note or a message that may have arrived would be there twice.
		return r.Outcome == action.Failed || !r.Action.Kind.Adds() || !client.MayHaveHappened(r.Err)
	}
	return false
}

// settle notes on its object why an action failed, or that it did not.
func (o *outbox) settle(r action.Result) {
	a := r.Action
	if r.Outcome != action.Changed && r.Outcome != action.Unchanged {
		o.Troubles[a.Target] = a.Kind.Verb() + ": " + staged.Reason(r.Err)
		return
	}
	delete(o.Troubles, a.Target)
}

// report remembers a finished action and shows a notice.
func (m *Env) report(d *staged.Done) {
	const remembered = 500
	m.Staged.Done = append(m.Staged.Done, d)
	if extra := len(m.Staged.Done) - remembered; extra > 0 {
		m.Staged.Done = m.Staged.Done[extra:]
	}
	failed, changed := 0, 0
	var why error
	for _, r := range d.Results {
		switch r.Outcome {
		case action.Changed:
			changed++
		case action.Unchanged:
		default:
			failed, why = failed+1, r.Err
		}
	}
	kind := d.Item.Kind()
	switch {
	case d.Item.Play && failed > 0 && d.Item.Undoes == nil:
		m.sayStopped(d)
	case d.Item.Play && changed > 0 && d.Item.Undoes == nil:
		m.Say(draw.InkGood, staged.PlayName(d.Item)+": done")
	case d.Item.Undoes != nil && failed > 0:
		d.Item.Undoes.Undone = changed > 0
		m.Say(draw.InkBad, "not undone: "+staged.Reason(why))
	case d.Item.Undoes != nil:
		text := "undone: " + staged.ShortLabel(d.Item.Undoes.Item)
		if lost := staged.Losses(d.Item.Undoes); lost != "" {
			text += ", but " + lost
		}
		m.Say(draw.InkGood, text)
	case failed > 0 && len(d.Results) == 1:
		m.Say(draw.InkBad, d.Item.Label+": "+staged.Reason(why))
	case failed > 0:
		m.Say(draw.InkBad, fmt.Sprintf("%s: %d of %d failed: %s", kind.Verb(), failed, len(d.Results), staged.Reason(why)))
	case changed == 0:
		m.Say(draw.InkDim, d.Item.Label+": "+staged.AlreadyDone(d.Results[0]))
	default:
		m.Say(draw.InkGood, fmt.Sprintf("%s: %s", d.Item.Label, kind.Done()))
	}
}

// Undo cancels the newest action that was not sent, else takes the newest one
// that was back.
func (m *Env) Undo() tea.Cmd {
	if waiting := m.Staged.Unsent(); len(waiting) > 0 {
		return m.cancel(waiting[len(waiting)-1])
	}
	if len(m.Staged.Items) > 0 {
		return m.cancel(m.Staged.Items[0])
	}
	d := m.Staged.LastDone()
	if d == nil {
		m.Say(draw.InkDim, m.nothingToUndo())
		return nil
	}
	return m.takeBack(d)
}

// cancel takes an action out of the outbox.
func (m *Env) cancel(item *staged.Item) tea.Cmd {
	if !m.Staged.Cancel(item) {
		m.Say(draw.InkWarn, "it is being sent; try again when it is done")
		return nil
	}
	m.Say(draw.InkGood, "cancelled "+item.Label+", nothing was sent")
	for _, o := range m.Observers {
		o.Cancelled(m, item)
	}
	return tea.Batch(m.Save(), m.schedule(), m.Screen().Moved(m))
}

// takeBack sends what undoes an action.
func (m *Env) takeBack(d *staged.Done) tea.Cmd {
	back, _, _ := action.Inverses(d.Results)
	switch {
	case d.Item.Undoes != nil:
		m.Say(draw.InkDim, "this took something back, and is not taken back itself")
		return nil
	case d.Undone && len(back) > 0:
		m.Say(draw.InkDim, "it was taken back already: "+staged.ShortLabel(d.Item))
		return nil
	case len(back) == 0:
		d.Undone = true // so that the one before can be reached
		m.Say(draw.InkBad, fmt.Sprintf("cannot be undone (%s): %s", staged.Losses(d), staged.ShortLabel(d.Item)))
		return nil
	}
	d.Undone = true
	m.Staged.Stage(&staged.Item{
		Actions: back, Label: "undo " + d.Item.Label, At: m.Now(), Phase: staged.Waiting, Play: d.Item.Play, Due: m.Timer(), Undoes: d,
	})
	return tea.Batch(m.flush(), m.schedule())
}

// nothingToUndo says what the last change was, and why it is not taken back.
func (m *Env) nothingToUndo() string {
	const nothing = "nothing to undo"
	for _, d := range slices.Backward(m.Staged.Done) {
		if d.Item.Undoes != nil || !slices.ContainsFunc(d.Results, func(r action.Result) bool { return r.Outcome == action.Changed }) {
			continue
		}
		if back, _, _ := action.Inverses(d.Results); len(back) > 0 {
			return nothing + ": the last change was taken back: " + staged.ShortLabel(d.Item)
		}
		return fmt.Sprintf("%s: the last change cannot be (%s): %s", nothing, staged.Losses(d), staged.ShortLabel(d.Item))
	}
	return nothing + ": nothing was changed since the start; " + m.Keys.Key(keys.Actions) + " has what was before"
}

// Wish is the staged action on an object, with the time left: "resolve 3s".
func (m *Env) Wish(target string) string {
	if len(m.Staged.Items) == 0 {
		return ""
	}
	item, a, any := m.Staged.About(target)
	if !any {
		return ""
	}
	if m.Staged.InConflict(target) {
		return "conflict"
	}
	return a.Short() + m.countdown(item)
}

func (t *terminal) countdown(item *staged.Item) string {
	switch item.Phase {
	case staged.Held:
		return " .."
	case staged.Asking:
		return " ?"
	case staged.Sending:
		return " >"
	case staged.Conflict:
		return ": conflict"
	}
	left := item.Due.Sub(t.Timer())
	return fmt.Sprintf(" %ds", max(0, int((left+time.Second-1)/time.Second)))
}

// StagePeople stages the activation or deactivation of accounts.
func (m *Env) StagePeople(c keys.Command, people []shown.Person) tea.Cmd {
	kind, off := action.UserDeactivate, false
	if c == keys.Activate {
		kind, off = action.UserActivate, true
	}
	var actions []action.Action
	var affected []shown.Person
	for _, p := range people {
		if p.Deactivated == off && p.Nick != "" {
			affected = append(affected, p)
			actions = append(actions, action.Action{Kind: kind, Target: "user/" + p.Nick, Before: map[string]string{"deactivated": fmt.Sprint(off)}})
		}
	}
	if len(actions) == 0 {
		m.Say(draw.InkDim, fmt.Sprintf("nobody here to %s", kind.Verb()))
		return nil
	}
	lost, warning := "", ""
	if kind == action.UserDeactivate {
		if lost = staged.EndedFollows(affected); lost != "" {
			warning = " (also ends " + lost + " for good)"
		}
	}
	stage := func(m *Env) tea.Cmd {
		return m.StageItem(&staged.Item{Actions: actions, Label: staged.Label(kind, actions) + warning, Lost: lost})
	}
	if len(actions) == 1 {
		return stage(m)
	}
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = staged.ObjectName(kind, a.Target)
	}
	m.AskNames(fmt.Sprintf("%s %d accounts%s", kind.Verb(), len(names), warning), names, stage)
	return nil
}

// StagePosts stages a change of posts, which are all by one account.
func (m *Env) StagePosts(c keys.Command, posts []shown.Post, by safe.Safe) tea.Cmd {
	if len(posts) == 0 {
		m.Say(draw.InkWarn, "mark posts first: "+m.Keys.Key(keys.Pane)+", then "+m.Keys.Key(keys.Mark))
		return nil
	}
	switch c {
	case keys.Delete:
		return m.stageStatuses(action.StatusDelete, posts, by, nil)
	case keys.Sensitive:
		all := !slices.ContainsFunc(posts, func(p shown.Post) bool { return !p.Sensitive })
		return m.stageStatuses(action.StatusSensitive, posts, by, map[string]string{"sensitive": fmt.Sprint(!all)})
	}
	var choices []Choice
	for _, v := range []struct{ key, visibility string }{{"p", "public"}, {"u", "unlisted"}, {"f", "private"}} {
		choices = append(choices, Choice{v.key, v.visibility, func(m *Env) tea.Cmd {
			return m.stageStatuses(action.StatusVisibility, posts, by, map[string]string{"visibility": v.visibility})
		}})
	}
	m.Ask(&Prompt{Title: []draw.Line{draw.Plain(fmt.Sprintf(" visibility of %d posts (private: followers only)", len(posts)))}, Choices: append(choices, Choice{"esc", "cancel", func(*Env) tea.Cmd { return nil }})})
	return nil
}

func (m *Env) stageStatuses(kind action.Kind, posts []shown.Post, by safe.Safe, args map[string]string) tea.Cmd {
	var actions []action.Action
	ids := make([]string, len(posts))
	for i, p := range posts {
		ids[i] = shown.ShortID(p.ID)
		before := map[string]string{"sensitive": fmt.Sprint(p.Sensitive), "visibility": p.Visibility}
		actions = append(actions, action.Action{Kind: kind, Target: "status/" + p.ID, Args: args, Before: before})
	}
	which := fmt.Sprintf("%d posts %s of @%s", len(posts), shown.Some(ids), by)
	if len(posts) == 1 {
		which = fmt.Sprintf("1 post %s of @%s", ids[0], by)
	}
	label := kind.Verb() + " " + which
	if kind == action.StatusSensitive || kind == action.StatusVisibility {
		for _, value := range args {
			label = fmt.Sprintf("set %s on %s", strings.NewReplacer("true", "sensitive", "false", "not sensitive").Replace(value), which)
		}
	}
	return m.Stage(actions, label)
}

// sayStopped tells at which step a play stopped, and how much of it was not done.
func (m *Env) sayStopped(d *staged.Done) {
	rest := 0
	var stop action.Result
	for _, r := range d.Results {
		switch {
		case r.Outcome == action.Changed || r.Outcome == action.Unchanged:
		case stop.Err == nil:
			stop = r
		default:
			rest++
		}
	}
	name, _, _ := strings.Cut(staged.PlayName(d.Item), " ")
	text := fmt.Sprintf("%s stopped at %s %s: %s", name, stop.Action.Kind.Verb(), staged.ObjectName(stop.Action.Kind, stop.Action.Target), staged.Reason(stop.Err))
	if rest > 0 {
		text += fmt.Sprintf("; %d not done", rest)
	}
	m.Say(draw.InkBad, text)
}
