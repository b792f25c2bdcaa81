package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/staged"
)

// conflictPause is how long the keyboard rests before a conflict asks by itself: a
// question in the middle of typing would swallow keys.
const conflictPause = time.Second

// renewed is an item in conflict with its objects as they are now.
type renewed struct {
	item    *staged.Item
	actions []action.Action
	err     error
}

func conflictOf(r action.Result) *action.Conflict {
	var conflict *action.Conflict
	errors.As(r.Err, &conflict)
	return conflict
}

// Conflict says why an action on an object waits for a decision: "closed by tess at
// 2026-01-31T12:05:00Z", "" for none.
func (o *outbox) Conflict(target string) string {
	if !o.Staged.InConflict(target) {
		return ""
	}
	item, _, _ := o.Staged.About(target)
	return item.Why[target]
}

// enterConflict keeps actions that met somebody else's change, until the person
// decides.
func (m *Env) enterConflict(item *staged.Item) {
	item.Phase = staged.Conflict
	m.Staged.Stage(item)
	for target := range item.Why {
		m.Troubles[target] = m.Conflict(target)
	}
	m.Say(draw.InkWarn, fmt.Sprintf("%s: %s; it waits for you, %s decides", item.Label, m.firstWhy(item), m.Keys.Key(keys.Outbox)))
}

func (m *Env) firstWhy(item *staged.Item) string {
	for _, a := range item.Actions {
		if why := item.Why[a.Target]; why != "" {
			return why
		}
	}
	return "changed meanwhile"
}

// offerConflict asks about the next conflict that was not asked about, as soon as
// nothing else is going on.
func (m *Env) offerConflict() {
	if item := m.newConflict(); item != nil && m.Prompt == nil && !m.quitting && m.Timer().Sub(m.Poll.lastKey) >= conflictPause {
		m.AskConflict(item)
	}
}

// newConflict is the first one that was not asked about, nil for none.
func (o *outbox) newConflict() *staged.Item {
	for _, item := range o.Staged.Unsent(staged.Conflict) {
		if !o.offered[item] {
			return item
		}
	}
	return nil
}

// AskConflict offers what to do about objects that somebody else changed.
func (m *Env) AskConflict(item *staged.Item) {
	m.offered[item] = true
	title := []draw.Line{draw.Inked(draw.InkWarn, " "+item.Label+" met a change by somebody else")}
	const most = 4
	var met []action.Action
	for _, a := range item.Actions {
		if item.Why[a.Target] != "" && !slices.ContainsFunc(met, func(b action.Action) bool { return b.Target == a.Target }) {
			met = append(met, a)
		}
	}
	for _, a := range met[:min(most, len(met))] {
		title = append(title, draw.Plain(fmt.Sprintf("   %s is %s", staged.ObjectName(a.Kind, a.Target), item.Why[a.Target])))
	}
	if len(met) > most {
		title = append(title, draw.Plain(fmt.Sprintf("   and %d more", len(met)-most)))
	}
	choices := []Choice{
		{"t", "keep theirs", func(m *Env) tea.Cmd { return m.keepTheirs(item) }},
		{"m", "apply mine", func(m *Env) tea.Cmd { return m.applyMine(item) }},
	}
	if len(met) > 0 && m.mayOpen(met[0].Target) {
		choices = append(choices, Choice{"o", "open", func(m *Env) tea.Cmd { return m.OpenTarget(met[0].Target) }})
	}
	m.Ask(&Prompt{Title: title, Choices: append(choices, Choice{"esc", "decide later", Stay})})
}

// keepTheirs gives up what met a change. What else the item has goes on.
func (m *Env) keepTheirs(item *staged.Item) tea.Cmd {
	if !slices.Contains(m.Staged.Items, item) {
		return nil
	}
	why := item.Why
	m.Staged.KeepTheirs(item, m.Timer().Add(delay(item.Actions)))
	for target := range why {
		delete(m.Troubles, target)
	}
	m.Say(draw.InkGood, "left as it is: "+item.Label)
	m.offerConflict()
	return tea.Batch(m.Save(), m.schedule(), m.observed(func(o observer) tea.Cmd { return o.Conceded(m, why) }))
}

// applyMine reads the objects again, and sends the actions unless they change once
// more.
func (m *Env) applyMine(item *staged.Item) tea.Cmd {
	engine, actions := m.engine, item.Actions
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		fresh, err := engine.Renew(ctx, actions)
		return renewed{item, fresh, err}
	})
}

func (m *Env) renewed(msg renewed) tea.Cmd {
	item := msg.item
	switch {
	case !slices.Contains(m.Staged.Items, item) || len(msg.actions) != len(item.Actions) && msg.err == nil:
		return nil // it was cancelled meanwhile
	case msg.err != nil:
		m.Say(draw.InkBad, item.Label+": "+staged.Reason(msg.err)+"; it waits on")
		return nil
	}
	for target := range item.Why {
		delete(m.Troubles, target)
	}
	item.Actions, item.Why = msg.actions, nil
	item.Phase, item.Due = staged.Waiting, m.Timer()
	return tea.Batch(m.flush(), m.schedule())
}

// SettledRow reports whether the state of a report in the list is not to be touched:
// an action on it is under way, or in conflict with the state that it has.
func (o *outbox) SettledRow(id string) bool {
	return o.Staged.Busy("report/"+id) || o.Staged.InConflict("report/"+id)
}
