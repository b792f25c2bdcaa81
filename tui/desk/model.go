// Package desk is the terminal program without its screens: the session with the server,
// the outbox of actions, what is in front of the person (screens, question, keys), and
// the terminal. A screen implements Screen and gets Env, which is all that it may use; it
// is found by the command or the object that it registered for, so that this package
// knows none.
package desk

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

// Model is the program: it passes keys to the screen in front and messages to their
// receivers.
type Model struct{ *Env }

// Env is what screens, questions and messages may use: the four parts of the
// program, none of which knows another. What takes two of them is done here.
type Env struct {
	*session
	*outbox
	*desk
	*terminal
}

// repeated is the time between two events of one key that only a keyboard's
// repeat undercuts.
const repeated = 90 * time.Millisecond

// FrameTime is how long a frame may take to reach the screen: one that no key asked
// for waits so long for others.
const FrameTime = time.Second / 60

// SaveFailed says that a file could not be written.
type SaveFailed struct{ Err error }

type tick struct{ number int }

func (m *Model) Init() tea.Cmd {
	m.Poll.introduced = m.Timer()
	cmds := []tea.Cmd{m.Load.introduce(), m.Screen().Renew(m.Env), m.pollNow(), m.schedule(), m.listen()}
	if left := m.Staged.Unsent(staged.Asking); len(left) > 0 {
		m.askUnsent(left, "was not sent last time:")
	}
	return tea.Batch(cmds...)
}

func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m, m.keyMsg(msg)
	case tea.MouseMsg:
		return m, m.mouse(msg)
	case tea.WindowSizeMsg:
		m.Width, m.Height = msg.Width, msg.Height
	case tea.ResumeMsg:
		m.firstFrame, m.lastChange = time.Time{}, ""
		return m, m.pollNow()
	case tea.FocusMsg:
		m.Poll.unfocused = false
		return m, m.pollNow()
	case tea.BlurMsg:
		m.Poll.unfocused = true
		return m, m.schedulePoll()
	case tick:
		if msg.number == m.Ticks {
			m.offerLogin()
			m.offerConflict()
			return m, tea.Batch(m.flush(), m.schedule())
		}
	case PollDue:
		return m, m.pollDue(msg)
	case Heard:
		return m, m.heard(msg)
	case polled:
		return m, m.polled(msg)
	case introduced:
		return m, m.introduced(msg)
	case delivery:
		return m, msg.Deliver(m.Env)
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
		m.Waiting[msg.noun] = msg.n
	case instanceOpened:
		return m, m.instanceOpened(msg)
	case renewed:
		return m, m.renewed(msg)
	case SaveFailed:
		m.Say(draw.InkBad, safe.Line(msg.Err.Error()))
	case saved:
		if msg.err != nil {
			m.Say(draw.InkBad, "not saved: "+safe.Line(msg.err.Error()))
		} else {
			m.Say(draw.InkGood, fmt.Sprintf("saved %d lines to %s", msg.rows, safe.Line(msg.path)))
		}
	case opened:
		if msg.err != nil {
			m.Say(draw.InkBad, "the browser did not start: "+safe.Line(msg.err.Error()))
		}
	}
	return m, nil
}

func (d *desk) Screen() Screen { return d.visits[d.visit] }

// keyMsg splits keys that were typed so fast that they arrived together: each
// counts by itself. Pasted text is never keys.
func (m *Env) keyMsg(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		if m.Prompt != nil {
			return m.promptPaste(string(msg.Runes))
		}
		m.Say(draw.InkDim, "pasted text is not taken for keys")
		return nil
	}
	wake := m.Woken()
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 {
		return tea.Batch(wake, m.key(msg))
	}
	cmds := []tea.Cmd{wake}
	for _, r := range msg.Runes {
		cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}))
	}
	return tea.Batch(cmds...)
}

func (m *Env) key(msg tea.KeyMsg) tea.Cmd {
	if m.Prompt != nil {
		return m.promptKey(msg)
	}
	if m.Timer().Sub(m.said) > noticeTime {
		m.Notice = nil
	}
	name := msg.String()
	if m.firstKey == name {
		name += name
	}
	m.firstKey = ""
	b, found, begins := m.Keys.Find(name, m.Screen().On())
	switch {
	case begins:
		m.firstKey = name
		return nil
	case !found:
		if b, known, _ := m.allKeys.Find(name, m.Screen().On()); known {
			m.Say(draw.InkDim, b.Refusal())
		}
		return nil
	}
	if b.Changes && !m.mayChange(name) {
		return nil
	}
	return m.Run(b.Do)
}

// mayChange refuses accidental keys: the keyboard's repeat, and keys typed
// before the first frame.
func (m *Env) mayChange(key string) bool {
	now := m.Timer()
	repeat := key == m.lastChange && now.Sub(m.changedAt) < repeated
	m.lastChange, m.changedAt = key, now
	if repeat || m.firstFrame.IsZero() || now.Sub(m.firstFrame) < FrameTime {
		return false
	}
	if why := m.Unchangeable(); why != "" {
		m.Say(draw.InkWarn, why)
		return false
	}
	return true
}

// Unchangeable is why nothing may be changed now, "" where it may.
func (m *Env) Unchangeable() string {
	switch {
	case m.readOnly:
		return "read-only: nothing is changed"
	case m.Width < leastToChange || m.Height < leastLinesToChange:
		return fmt.Sprintf("below %dx%d no changes", leastToChange, leastLinesToChange)
	}
	return ""
}

func (d *desk) painted(at time.Time) {
	if d.firstFrame.IsZero() {
		d.firstFrame = at
	}
}

// Run carries out a command: the screen's own, else a tab's, else the program's.
func (m *Env) Run(c keys.Command) tea.Cmd {
	if cmd, ok := m.Screen().Run(m, c); ok {
		if c == keys.Refresh && !m.Poll.Offline.IsZero() {
			cmd = tea.Batch(cmd, m.pollNow())
		}
		return cmd
	}
	if cmd, ok := m.showTab(c); ok {
		return cmd
	}
	switch c {
	case keys.Help:
		return m.Open(newHelp(m))
	case keys.Demo:
		return m.Open(newDemo(m))
	case keys.Back, keys.Quit:
		if m.Screen().On()&keys.OnLists == 0 {
			return m.Back()
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
		return m.Undo()
	case keys.UndoAll:
		if n := m.Staged.CancelAll(); n > 0 {
			m.Say(draw.InkGood, fmt.Sprintf("cancelled %d, nothing was sent", n))
			return tea.Batch(m.Save(), m.schedule())
		}
		m.Say(draw.InkDim, "nothing waits")
	case keys.Login:
		if m.renewal == nil {
			m.Say(draw.InkDim, "log in with svcctl auth login")
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

// Open shows a screen and drops the later part of the history.
func (d *desk) Open(s Screen) tea.Cmd {
	if d.Screen() == s {
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

// Back leaves a detail for the list it was opened from.
func (d *desk) Back() tea.Cmd {
	d.former = d.visit
	for d.visit > 0 {
		d.visit--
		if d.Screen().On()&(keys.OnLists|keys.OnReport|keys.OnUser) != 0 {
			return nil
		}
	}
	return nil
}

// Say shows a notice until the next one, or until a key comes after it was
// there for a while.
func (m *Env) Say(i draw.Ink, text string) {
	m.Notice, m.said = draw.Inked(i, " "+text), m.Timer()
	if m.HeardNotice != nil {
		m.HeardNotice(text)
	}
}

// noticeTime is how long a notice is there at least.
const noticeTime = 3 * time.Second

// askFilter edits the filter of the list in front, which follows as one types.
func (m *Env) askFilter() tea.Cmd {
	f, ok := m.Screen().(filtered)
	if !ok {
		return nil
	}
	before := f.FilterText()
	p := &Prompt{
		Text: NewTextField(before, false), Label: "/", Accept: "enter",
		Cancel: func(m *Env, _ string) tea.Cmd { return f.SetFilter(m, before) },
	}
	var title []draw.Line
	if saved := m.savedFilters(f.States()); len(saved) > 0 {
		title = []draw.Line{draw.Inked(draw.InkDim, draw.Shortened(" tab: "+safe.Line(strings.Join(saved, ", ")), m.Width))}
		next := 0
		p.tab = func(string) string {
			next++
			return m.filters[saved[(next-1)%len(saved)]]
		}
	}
	p.Title = title
	p.onText = func(m *Env, text string) tea.Cmd {
		p.Title = title
		if wrong := list.ParseFilter(text, f.States()).Wrong; wrong != "" {
			p.Title = append([]draw.Line{draw.Inked(draw.InkBad, " "+safe.Line(wrong))}, title...)
			return nil // the list stays as the last good filter has it
		}
		return f.SetFilter(m, text)
	}
	p.Done = func(m *Env, text string) tea.Cmd {
		if saved, ok := m.filters[text]; ok && p.tab != nil { // by its name, as plain mode does
			text = saved
		}
		cmd := p.onText(m, text)
		if len(p.Title) > len(title) {
			p.Text = NewTextField(text, false)
			m.Ask(p)
		}
		return cmd
	}
	m.Ask(p)
	return nil
}

// filtered is a screen with a filter.
type filtered interface {
	FilterText() string
	States() []string
	SetFilter(m *Env, text string) tea.Cmd
}

func (m *Env) introduced(msg introduced) tea.Cmd {
	if msg.err != nil {
		return m.Trouble(msg.err)
	}
	m.Me, m.nick, m.asked = msg.me, msg.nick, true
	m.staff = safe.NewStaff(msg.staff)
	clear(m.labels)
	m.Rights, m.Keys = msg.rights, m.allKeys.Of(msg.rights)
	if m.Screen().Allowed(m.Keys) {
		return m.countWaiting()
	}
	m.Notice = nil // of the reports
	for _, first := range m.Tabs {
		if m.Keys.Has(first.Do) {
			cmd := tea.Batch(first.Open(m, ""), m.countWaiting())
			m.visits, m.visit, m.former = m.visits[m.visit:], 0, 0
			return cmd
		}
	}
	return nil
}

// schedule sets the next moment at which the frame changes by itself: soon
// while something counts down, else when ages grow.
func (m *Env) schedule() tea.Cmd {
	const counting, resting = 250 * time.Millisecond, 10 * time.Second
	wait := resting
	if due, any := m.Staged.Next(); any {
		wait = max(time.Millisecond, min(counting, due.Sub(m.Timer())))
	}
	if m.Prompt == nil && (m.newConflict() != nil || m.loginDue()) {
		wait = min(wait, conflictPause)
	}
	m.Ticks++
	number := m.Ticks
	return m.After(wait, func() tea.Msg { return tick{number} })
}

func (o *outbox) Save() tea.Cmd {
	write := o.Staged.Save()
	return func() tea.Msg {
		if err := write(); err != nil {
			return SaveFailed{err}
		}
		return nil
	}
}

// quit ends the program, also to go on with another instance. It asks first when
// something is not sent.
func (m *Env) quit() tea.Cmd {
	if len(m.Staged.Items) == 0 {
		return tea.Quit
	}
	var labels []string
	for _, item := range m.Staged.Items {
		labels = append(labels, item.Label)
	}
	leave := "quit"
	if m.Next != nil {
		leave = "switch"
	}
	here := func(m *Env) tea.Cmd {
		m.Next = nil
		return nil
	}
	m.Ask(&Prompt{
		Title:  []draw.Line{draw.Inked(draw.InkWarn, fmt.Sprintf(" %d not sent: %s", len(labels), strings.Join(labels, ", ")))},
		Cancel: func(m *Env, _ string) tea.Cmd { return here(m) },
		Choices: []Choice{
			{"s", "send and " + leave, func(m *Env) tea.Cmd {
				m.quitting = true
				m.Staged.Hurry(m.Timer())
				send := m.flush()
				if len(m.Staged.Unsent(staged.Waiting, staged.Sending)) == 0 {
					return tea.Sequence(m.Save(), tea.Quit) // what is left cannot be sent now
				}
				return tea.Batch(send, m.schedule())
			}},
			{"d", "drop and " + leave, func(m *Env) tea.Cmd {
				m.Staged.CancelAll()
				if len(m.Staged.Items) > 0 { // on its way: its end is awaited
					m.quitting = true
					return nil
				}
				return tea.Sequence(m.Save(), tea.Quit)
			}},
			{"esc", "stay", here},
		},
	})
	return nil
}
