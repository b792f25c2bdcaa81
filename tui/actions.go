package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/journal"
	"svc/client/safe"
	"svc/tui/staged"
)

// journalRead has the changes that were made from this machine, newest first.
type journalRead struct {
	entries []journal.Entry
	damaged int
	err     error
}

func (l loader) journal(book *journal.Journal) tea.Cmd {
	return l.run(func(context.Context) tea.Msg {
		var msg journalRead
		msg.entries, msg.damaged, msg.err = book.Entries()
		return msg
	})
}

// openActions shows the outbox, the actions since the start, and the older ones in the
// journal of this machine.
func (m *env) openActions() tea.Cmd {
	p := &page{name: "OUTBOX AND JOURNAL", text: func(int) []line {
		lines := append(m.waitingLines(), history(m.staged)...)
		return append(lines, m.earlierLines()...)
	}}
	return tea.Batch(m.open(p), m.load.journal(m.journal))
}

func (m *env) journalRead(msg journalRead) {
	switch {
	case msg.err != nil:
		m.say(inkBad, "the journal: "+safe.Line(msg.err.Error()))
	case msg.damaged > 0:
		m.say(inkWarn, fmt.Sprintf("the journal has %d lines that cannot be read", msg.damaged))
	}
	m.past = msg.entries
}

// waitingLines are the actions that are not sent.
func (m *env) waitingLines() []line {
	var lines []line
	for _, item := range m.staged.Items {
		lines = append(lines, line{{" " + stamp(item.At) + "  ", inkPlain}, {item.Label, inkStrong}, {m.countdown(item), inkWarn}})
	}
	if len(lines) == 0 {
		return nil
	}
	head := inked(inkDim, fmt.Sprintf(" NOT SENT: %s sends now or drops, %s cancels the last", m.keys.key(doOutbox), m.keys.key(doUndo)))
	return append(append([]line{head}, lines...), nil)
}

func history(o *staged.Actions) []line {
	lines := []line{inked(inkDim, " SINCE THE START")}
	for i := len(o.Done) - 1; i >= 0; i-- {
		d := o.Done[i]
		note := ""
		if d.Undone {
			note = "  (undone)"
		}
		lines = append(lines, line{{" " + stamp(d.At) + "  ", inkPlain}, {d.Item.Label, inkStrong}, {note, inkDim}})
		for _, r := range d.Results {
			text := fmt.Sprintf("   %s  %s", safe.Line(r.Action.Target), r.Outcome)
			ink := inkPlain
			if r.Err != nil {
				text, ink = text+": "+reason(r.Err), inkBad
			}
			lines = append(lines, inked(ink, text))
		}
	}
	if len(lines) == 1 {
		return append(lines, plain(" nothing was done yet"))
	}
	return lines
}

// earlierLines are the entries of the journal from before the start, which a command
// takes back.
func (o *outbox) earlierLines() []line {
	here := map[string]bool{}
	for _, d := range o.staged.Done {
		for _, id := range d.Entries {
			here[id] = true
		}
	}
	var lines []line
	for _, e := range o.past {
		if here[e.ID] {
			continue
		}
		note := "  :undo " + e.ID
		switch {
		case e.Undone:
			note = "  (undone)"
		case e.Undo == nil:
			note = "  for good"
		}
		lines = append(lines, line{
			{" " + stamp(e.At) + "  ", inkPlain}, {e.Action.Kind.Verb() + " " + safe.Line(e.Action.Target), inkStrong}, {safe.Line(note), inkDim},
		})
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]line{nil, inked(inkDim, " BEFORE, FROM THIS MACHINE")}, lines...)
}
