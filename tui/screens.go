package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
)

// screen is one of the views: it draws itself and handles commands. It does I/O
// only in the tea.Cmds it returns.
type screen interface {
	on() places
	title(m *model) string
	extras(m *model) []extra
	bar(m *model) []command
	hint(m *model) string // the present effect of keys, "" for none
	draw(m *model, d layout) []line
	// do is false for a command that means nothing here.
	run(m *model, c command) (tea.Cmd, bool)
}

// extra is a part of the header; those with the highest rank go first when
// the line is too short.
type extra struct {
	text string
	rank int
}

// layout is how the room between header and footer is divided.
type layout struct {
	width    int
	body     int  // lines between header and footer
	list     int  // rows of a list, without its heads
	evidence int  // lines of the pane beside or below it, 0 for none
	beside   bool // the pane is to the right
}

const (
	besideWidth = 110
	// Smaller than this there is room for the list alone.
	leastWidth  = 60
	leastHeight = 15
)

func (m *model) layout() layout {
	d := layout{width: m.width, body: max(2, m.height-1-m.footer()-len(m.promptLines()))}
	switch {
	case m.width < leastWidth || m.height < leastHeight || d.body < 8:
		d.list = d.body - 1
	case m.width >= besideWidth:
		d.list, d.evidence, d.beside = d.body-1, d.body, true
	default:
		// Two of the lines are the heads and the rule between the panes.
		d.evidence = (d.body - 2) * 2 / 5
		d.list = d.body - 2 - d.evidence
	}
	return d
}

// footer is the number of lines at the bottom: outbox and news share one where
// lines are scarce.
func (m *model) footer() int {
	switch {
	case m.height < 10:
		return 1
	case m.height < 24:
		return 2
	}
	return 3
}

func (m *model) promptLines() []line {
	if m.prompt == nil {
		return nil
	}
	lines := m.prompt.draw(m.width)
	if most := max(1, m.height/2); len(lines) > most {
		lines = append(lines[:most-1:most-1], lines[len(lines)-1])
	}
	return append([]line{inked(inkDim, strings.Repeat("-", m.width))}, lines...)
}

// View draws the frame: lines no wider than the terminal, and exactly as many
// as it has.
func (m *model) View() string {
	if m.width == 0 || m.height == 0 {
		return ""
	}
	d := m.layout()
	lines := append(make([]line, 0, m.height), m.header())
	body := m.screen().draw(m, d)
	for i := range d.body {
		if i < len(body) {
			lines = append(lines, body[i])
		} else {
			lines = append(lines, nil)
		}
	}
	lines = append(lines, m.promptLines()...)
	lines = append(lines, m.footerLines()...)
	if len(lines) > m.height {
		lines = append(lines[:m.height-1:m.height-1], lines[len(lines)-1])
	}
	var b strings.Builder
	b.Grow(m.width * m.height * 2)
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.theme.paint(&b, l, m.width)
	}
	m.painted(m.timer())
	return b.String()
}

func (m *model) header() line {
	left := " " + m.host
	if me := m.me.String(); me != "" {
		left += "  " + me
	}
	left += "  " + m.screen().title(m)
	right := m.liveness() + " " + m.now().UTC().Format("15:04Z")
	extras := m.screen().extras(m)
	for {
		text := left
		worst := -1
		for i, e := range extras {
			text += "  " + e.text
			if worst < 0 || e.rank >= extras[worst].rank {
				worst = i
			}
		}
		gap := m.width - safe.Width(text) - safe.Width(right)
		if gap >= 2 || worst < 0 {
			return line{{text + strings.Repeat(" ", max(1, gap)) + right, inkHeader}}
		}
		extras = append(extras[:worst:worst], extras[worst+1:]...)
	}
}

func (m *model) footerLines() []line {
	unsent, news := m.outboxLine(), m.newsLine()
	keys := m.keys.bar(m.screen().bar(m), m.width)
	switch m.footer() {
	case 1:
		return []line{keys}
	case 2:
		if len(unsent) == 0 {
			return []line{news, keys}
		}
		if len(news) > 0 {
			unsent = append(unsent, span{"  ", inkPlain})
			unsent = append(unsent, news...)
		}
		return []line{unsent, keys}
	}
	return []line{unsent, news, keys}
}

func (m *model) outboxLine() line {
	items := m.staged.Items
	if len(items) == 0 {
		if hint := m.screen().hint(m); hint != "" {
			return inked(inkMark, " "+hint)
		}
		return nil
	}
	const shown = 2
	var parts []string
	for i := len(items) - 1; i >= 0 && len(parts) < shown; i-- {
		parts = append(parts, items[i].Label+m.countdown(items[i]))
	}
	text := fmt.Sprintf(" OUTBOX %d  %s", len(items), strings.Join(parts, ", "))
	if len(items) > shown {
		text += ", ..."
	}
	tail := fmt.Sprintf("%s cancel  %s cancel all", m.keys.key(doUndo), m.keys.key(doUndoAll))
	gap := m.width - safe.Width(text) - safe.Width(tail) - 1
	if m.height < 24 || gap < 2 {
		gap = 3
	}
	return line{{text, inkWarn}, {strings.Repeat(" ", gap) + tail, inkPlain}}
}

// newsLine is the trouble with the connection, else the latest notice.
func (m *model) newsLine() line {
	switch {
	case m.poll.loggedOut:
		if m.renewal != nil {
			return inked(inkBad, " NOT LOGGED IN: the server refuses the token. :login logs in again; the outbox is kept")
		}
		return inked(inkBad, " NOT LOGGED IN: the server refuses the token. Log in with svcctl auth login; the outbox is kept")
	case !m.poll.offline.IsZero():
		return inked(inkBad, fmt.Sprintf(" OFFLINE for %s; showing what was loaded, what you do waits", safe.Age(m.timer().Sub(m.poll.offline))))
	}
	if m.notice == nil {
		if others := m.others(); others != "" {
			return inked(inkDim, " "+others)
		}
	}
	return m.notice
}

func (m *model) liveness() string {
	switch {
	case m.poll.loggedOut:
		return "logged out"
	case !m.poll.offline.IsZero():
		return "offline"
	case m.poll.backoff > 0:
		return "busy"
	case m.poll.good.IsZero():
		return "loading"
	}
	return "live"
}

// wrap is safe.Wrap with a memory, since the same posts are drawn frame after
// frame.
func (m *model) wrap(id string, text safe.Safe, width int) []string {
	const keep = 2000
	key := wrapKey{id, text, width}
	if lines, known := m.wrapped[key]; known {
		return lines
	}
	if len(m.wrapped) > keep {
		clear(m.wrapped)
	}
	lines := safe.Wrap(text.String(), width)
	m.wrapped[key] = lines
	return lines
}

type wrapKey struct {
	id    string
	text  safe.Safe
	width int
}
