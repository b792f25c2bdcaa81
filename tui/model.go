package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/staged"
)

// model is the program: it passes keys to the screen in front and messages to their
// receivers.
type model struct{ *env }

// env is what screens, questions and messages may use: the four parts of the
// program, none of which knows another. What takes two of them is done here.
type env struct {
	*session
	*outbox
	*desk
	*terminal
}

// repeated is the time between two events of one key that only a keyboard's
// repeat undercuts.
const repeated = 90 * time.Millisecond

// frameTime is how long a frame may take to reach the screen: one that no key asked
// for waits so long for others.
const frameTime = time.Second / 60

type saveFailed struct{ err error }

type tick struct{ number int }

func (m *model) Init() tea.Cmd {
	m.poll.introduced = m.timer()
	cmds := []tea.Cmd{m.load.introduce(), m.screen().renew(m.env), m.pollNow(), m.schedule(), m.listen()}
	if left := m.staged.Unsent(staged.Asking); len(left) > 0 {
		m.askUnsent(left, "was not sent last time:")
	}
	return tea.Batch(cmds...)
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m, m.keyMsg(msg)
	case tea.MouseMsg:
		return m, m.mouse(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.ResumeMsg:
		m.firstFrame, m.lastChange = time.Time{}, ""
		return m, m.pollNow()
	case tea.FocusMsg:
		m.poll.unfocused = false
		return m, m.pollNow()
	case tea.BlurMsg:
		m.poll.unfocused = true
		return m, m.schedulePoll()
	case tick:
		if msg.number == m.ticks {
			m.offerLogin()
			m.offerConflict()
			return m, tea.Batch(m.flush(), m.schedule())
		}
	case pollDue:
		return m, m.pollDue(msg)
	case heard:
		return m, m.heard(msg)
	case polled:
		return m, m.polled(msg)
	case introduced:
		return m, m.introduced(msg)
	case delivery:
		return m, msg.deliver(m.env)
	case completions:
		m.completions(msg)
	case commandEnded:
		return m, m.commandEnded(msg)
	case sent:
		return m, m.sent(msg)
	case codePage:
		m.codePage(msg)
	case loggedIn:
		return m, m.loggedIn(msg)
	case waitingCounted:
		m.waiting[msg.noun] = msg.n
	case instanceOpened:
		return m, m.instanceOpened(msg)
	case renewed:
		return m, m.renewed(msg)
	case saveFailed:
		m.say(draw.InkBad, safe.Line(msg.err.Error()))
	case saved:
		if msg.err != nil {
			m.say(draw.InkBad, "not saved: "+safe.Line(msg.err.Error()))
		} else {
			m.say(draw.InkGood, fmt.Sprintf("saved %d lines to %s", msg.rows, safe.Line(msg.path)))
		}
	case opened:
		if msg.err != nil {
			m.say(draw.InkBad, "the browser did not start: "+safe.Line(msg.err.Error()))
		}
	}
	return m, nil
}

func (d *desk) screen() screen { return d.visits[d.visit] }

// keyMsg splits keys that were typed so fast that they arrived together: each
// counts by itself. Pasted text is never keys.
func (m *env) keyMsg(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		if m.prompt != nil {
			return m.promptPaste(string(msg.Runes))
		}
		m.say(draw.InkDim, "pasted text is not taken for keys")
		return nil
	}
	wake := m.woken()
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 {
		return tea.Batch(wake, m.key(msg))
	}
	cmds := []tea.Cmd{wake}
	for _, r := range msg.Runes {
		cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}))
	}
	return tea.Batch(cmds...)
}

func (m *env) key(msg tea.KeyMsg) tea.Cmd {
	if m.prompt != nil {
		return m.promptKey(msg)
	}
	if m.timer().Sub(m.said) > noticeTime {
		m.notice = nil
	}
	name := msg.String()
	if m.firstKey == name {
		name += name
	}
	m.firstKey = ""
	b, found, begins := m.keys.Find(name, m.screen().on())
	switch {
	case begins:
		m.firstKey = name
		return nil
	case !found:
		if b, known, _ := m.allKeys.Find(name, m.screen().on()); known {
			m.say(draw.InkDim, b.Refusal())
		}
		return nil
	}
	if b.Changes && !m.mayChange(name) {
		return nil
	}
	return m.run(b.Do)
}

// mayChange refuses accidental keys: the keyboard's repeat, and keys typed
// before the first frame.
func (m *env) mayChange(key string) bool {
	now := m.timer()
	repeat := key == m.lastChange && now.Sub(m.changedAt) < repeated
	m.lastChange, m.changedAt = key, now
	if repeat || m.firstFrame.IsZero() || now.Sub(m.firstFrame) < frameTime {
		return false
	}
	if why := m.unchangeable(); why != "" {
		m.say(draw.InkWarn, why)
		return false
	}
	return true
}

// unchangeable is why nothing may be changed now, "" where it may.
func (m *env) unchangeable() string {
	switch {
	case m.readOnly:
		return "read-only: nothing is changed"
	case m.width < leastToChange || m.height < leastLinesToChange:
		return fmt.Sprintf("below %dx%d no changes", leastToChange, leastLinesToChange)
	}
	return ""
}

func (d *desk) painted(at time.Time) {
	if d.firstFrame.IsZero() {
		d.firstFrame = at
	}
}

// run carries out a command: the screen's own, else a tab's, else the program's.
func (m *env) run(c keys.Command) tea.Cmd {
	if cmd, ok := m.screen().run(m, c); ok {
		if c == keys.Refresh && !m.poll.offline.IsZero() {
			cmd = tea.Batch(cmd, m.pollNow())
		}
		return cmd
	}
	if cmd, ok := m.showTab(c); ok {
		return cmd
	}
	switch c {
	case keys.Help:
		return m.open(newHelp(m))
	case keys.Demo:
		return m.open(newDemo(m))
	case keys.Back, keys.Quit:
		if m.screen().on()&keys.OnLists == 0 {
			return m.back()
		}
		if c == keys.Quit {
			return m.quit()
		}
	case keys.Last:
		m.visit, m.former = min(m.former, len(m.visits)-1), m.visit
	case keys.Earlier:
		if m.visit > 0 {
			m.visit, m.former = m.visit-1, m.visit
		}
	case keys.Later:
		if m.visit < len(m.visits)-1 {
			m.visit, m.former = m.visit+1, m.visit
		}
	case keys.Filter:
		return m.askFilter()
	case keys.Refresh:
		return m.pollNow()
	case keys.Palette:
		m.askPalette()
	case keys.Menu:
		m.askMenu()
	case keys.Save:
		m.askSave()
	case keys.Undo:
		return m.undo()
	case keys.UndoAll:
		if n := m.staged.CancelAll(); n > 0 {
			m.say(draw.InkGood, fmt.Sprintf("cancelled %d, nothing was sent", n))
			return tea.Batch(m.save(), m.schedule())
		}
		m.say(draw.InkDim, "nothing waits")
	case keys.Login:
		if m.renewal == nil {
			m.say(draw.InkDim, "log in with svcctl auth login")
			return nil
		}
		m.askLogin("")
	case keys.Contexts:
		m.askInstance()
	case keys.Outbox:
		m.askOutbox()
	case keys.Suspend:
		m.firstFrame = time.Time{}
		return tea.Suspend
	case keys.Interrupt:
		return m.quit()
	}
	return nil
}

// open shows a screen and drops the later part of the history.
func (d *desk) open(s screen) tea.Cmd {
	if d.screen() == s {
		return nil
	}
	const most = 50
	d.former = d.visit
	d.visits = append(d.visits[:d.visit+1:d.visit+1], s)
	d.visit++
	if len(d.visits) > most {
		d.visits, d.visit, d.former = d.visits[1:], d.visit-1, max(0, d.former-1)
	}
	return nil
}

// back leaves a detail for the list it was opened from.
func (d *desk) back() tea.Cmd {
	d.former = d.visit
	for d.visit > 0 {
		d.visit--
		if d.screen().on()&(keys.OnLists|keys.OnReport|keys.OnUser) != 0 {
			return nil
		}
	}
	return nil
}

// say shows a notice until the next one, or until a key comes after it was
// there for a while.
func (m *env) say(i draw.Ink, text string) {
	m.notice, m.said = draw.Inked(i, " "+text), m.timer()
	if m.heardNotice != nil {
		m.heardNotice(text)
	}
}

// noticeTime is how long a notice is there at least.
const noticeTime = 3 * time.Second

// askFilter edits the filter of the list in front, which follows as one types.
func (m *env) askFilter() tea.Cmd {
	f, ok := m.screen().(filtered)
	if !ok {
		return nil
	}
	before := f.filterText()
	p := &prompt{
		text: newTextField(before, false), label: "/", accept: "enter",
		cancel: func(m *env, _ string) tea.Cmd { return f.setFilter(m, before) },
	}
	var title []draw.Line
	if saved := m.savedFilters(f.states()); len(saved) > 0 {
		title = []draw.Line{draw.Inked(draw.InkDim, draw.Shortened(" tab: "+safe.Line(strings.Join(saved, ", ")), m.width))}
		next := 0
		p.tab = func(string) string {
			next++
			return m.filters[saved[(next-1)%len(saved)]]
		}
	}
	p.title = title
	p.onText = func(m *env, text string) tea.Cmd {
		p.title = title
		if wrong := list.ParseFilter(text, f.states()).Wrong; wrong != "" {
			p.title = append([]draw.Line{draw.Inked(draw.InkBad, " "+safe.Line(wrong))}, title...)
			return nil // the list stays as the last good filter has it
		}
		return f.setFilter(m, text)
	}
	p.done = func(m *env, text string) tea.Cmd {
		if saved, ok := m.filters[text]; ok && p.tab != nil { // by its name, as plain mode does
			text = saved
		}
		cmd := p.onText(m, text)
		if len(p.title) > len(title) {
			p.text = newTextField(text, false)
			m.ask(p)
		}
		return cmd
	}
	m.ask(p)
	return nil
}

// filtered is a screen with a filter.
type filtered interface {
	filterText() string
	states() []string
	setFilter(m *env, text string) tea.Cmd
}

func (m *env) introduced(msg introduced) tea.Cmd {
	if msg.err != nil {
		return m.trouble(msg.err)
	}
	m.me, m.nick, m.asked = msg.me, msg.nick, true
	m.staff = safe.NewStaff(msg.staff)
	clear(m.labels)
	m.rights, m.keys = msg.rights, m.allKeys.Of(msg.rights)
	if m.screen().allowed(m.keys) {
		return m.countWaiting()
	}
	m.notice = nil // of the reports
	for _, first := range m.tabs {
		if m.keys.Has(first.do) {
			cmd := tea.Batch(first.open(m), m.countWaiting())
			m.visits, m.visit, m.former = m.visits[m.visit:], 0, 0
			return cmd
		}
	}
	return nil
}

// schedule sets the next moment at which the frame changes by itself: soon
// while something counts down, else when ages grow.
func (m *env) schedule() tea.Cmd {
	const counting, resting = 250 * time.Millisecond, 10 * time.Second
	wait := resting
	if due, any := m.staged.Next(); any {
		wait = max(time.Millisecond, min(counting, due.Sub(m.timer())))
	}
	if m.prompt == nil && (m.newConflict() != nil || m.loginDue()) {
		wait = min(wait, conflictPause)
	}
	m.ticks++
	number := m.ticks
	return m.after(wait, func() tea.Msg { return tick{number} })
}

func (o *outbox) save() tea.Cmd {
	write := o.staged.Save()
	return func() tea.Msg {
		if err := write(); err != nil {
			return saveFailed{err}
		}
		return nil
	}
}

// quit ends the program, also to go on with another instance. It asks first when
// something is not sent.
func (m *env) quit() tea.Cmd {
	if len(m.staged.Items) == 0 {
		return tea.Quit
	}
	var labels []string
	for _, item := range m.staged.Items {
		labels = append(labels, item.Label)
	}
	leave := "quit"
	if m.next != nil {
		leave = "switch"
	}
	here := func(m *env) tea.Cmd {
		m.next = nil
		return nil
	}
	m.ask(&prompt{
		title:  []draw.Line{draw.Inked(draw.InkWarn, fmt.Sprintf(" %d not sent: %s", len(labels), strings.Join(labels, ", ")))},
		cancel: func(m *env, _ string) tea.Cmd { return here(m) },
		choices: []choice{
			{"s", "send and " + leave, func(m *env) tea.Cmd {
				m.quitting = true
				m.staged.Hurry(m.timer())
				send := m.flush()
				if len(m.staged.Unsent(staged.Waiting, staged.Sending)) == 0 {
					return tea.Sequence(m.save(), tea.Quit) // what is left cannot be sent now
				}
				return tea.Batch(send, m.schedule())
			}},
			{"d", "drop and " + leave, func(m *env) tea.Cmd {
				m.staged.CancelAll()
				if len(m.staged.Items) > 0 { // on its way: its end is awaited
					m.quitting = true
					return nil
				}
				return tea.Sequence(m.save(), tea.Quit)
			}},
			{"esc", "stay", here},
		},
	})
	return nil
}
