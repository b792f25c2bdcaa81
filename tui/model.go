package tui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/journal"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/staged"
)

// model is the program: it passes keys to the screen in front and messages to
// their screens, and holds the state that screens share.
type model struct {
	load    loader
	engine  *action.Engine
	journal *journal.Journal
	past    []journal.Entry // as last read, newest first
	keys    *keymap         // for our rights
	allKeys *keymap
	theme   theme
	host    string
	// contextName is the name of the instance as it came, instances are those to
	// switch to, and next is the program that follows this one, nil for none.
	contextName string
	instances   *Instances
	next        *Options
	demo        []string
	filters     map[string]string // saved ones, by name
	colour      string            // of the context, "" for one by its name
	readOnly    bool

	playbooks []playbook.Playbook
	templates map[string]string
	server    string // its host, for texts

	renewal     *Renewal
	loginAsked  bool                       // since the token was refused
	loginPrompt *prompt                    // that waits for a browser
	browser     func(address string) error // opens one

	cli      func(ctx context.Context, args []string, width int) (string, error) // nil for none
	complete func(line string) []string                                          // nil for none

	remote bool            // the terminal is on another machine
	tty    io.StringWriter // the terminal, beside the frames

	width, height int
	now           func() time.Time // the time on the screen
	timer         func() time.Time // the time for countdowns
	after         func(time.Duration, func() tea.Msg) tea.Cmd
	jitter        func() float64 // 0 to 1

	news       <-chan heard
	newsCtx    context.Context // ends with the listening
	stopNews   context.CancelFunc
	background func(tea.Cmd) tea.Cmd // carries out a command that waits for news

	me     safe.Safe
	nick   string // ours, as it came
	staff  safe.Staff
	labels map[string]string // of accounts like the staff's, by name
	asked  bool              // whether our own account is known
	notice line
	said   time.Time // when the notice came
	// heardNotice, when set, is told every notice.
	heardNotice func(text string)

	tabs      []tab
	openers   map[string]opener // by their nouns
	observers []observer
	nouns     map[string]*nounScreen // opened ones, by noun and scope
	visits    []screen
	visit     int
	former    int // the visit before, for doLast
	prompt    *prompt

	staged   *staged.Actions
	troubles map[string]string     // why the last action on an object failed, printable
	offered  map[*staged.Item]bool // conflicts that were asked about
	poll     polling
	present  map[string]presence // other moderators, as the log shows them
	waiting  map[string]int      // work that waits on tables, by their nouns
	ticks    int                 // the tick that counts
	rights   rights
	quitting bool

	firstKey   string    // the first of a doubled key
	lastChange string    // the last key that changes something
	changedAt  time.Time // and when it was last seen
	firstFrame time.Time // since start or resume
	dragFrom   int       // the row where the mouse went down, -1 for none
	wrapped    map[wrapKey][]string
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
	cmds := []tea.Cmd{m.load.introduce(), m.screen().renew(m), m.pollNow(), m.schedule(), m.listen()}
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
		return m, msg.deliver(m)
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
	case journalRead:
		m.journalRead(msg)
	case instanceOpened:
		return m, m.instanceOpened(msg)
	case renewed:
		return m, m.renewed(msg)
	case saveFailed:
		m.say(inkBad, safe.Line(msg.err.Error()))
	case saved:
		if msg.err != nil {
			m.say(inkBad, "not saved: "+safe.Line(msg.err.Error()))
		} else {
			m.say(inkGood, fmt.Sprintf("saved %d lines to %s", msg.rows, safe.Line(msg.path)))
		}
	case opened:
		if msg.err != nil {
			m.say(inkBad, "the browser did not start: "+safe.Line(msg.err.Error()))
		}
	}
	return m, nil
}

func (m *model) screen() screen { return m.visits[m.visit] }

// keyMsg splits keys that were typed so fast that they arrived together: each
// counts by itself. Pasted text is never keys.
func (m *model) keyMsg(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		if m.prompt != nil {
			return m.promptPaste(string(msg.Runes))
		}
		m.say(inkDim, "pasted text is not taken for keys")
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

func (m *model) key(msg tea.KeyMsg) tea.Cmd {
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
	b, found, begins := m.keys.find(name, m.screen().on())
	switch {
	case begins:
		m.firstKey = name
		return nil
	case !found:
		if b, known, _ := m.allKeys.find(name, m.screen().on()); known {
			m.say(inkDim, string(b.do)+" is not among your privileges")
		}
		return nil
	}
	if b.changes && !m.mayChange(name) {
		return nil
	}
	return m.run(b.do)
}

// mayChange refuses accidental keys: the keyboard's repeat, and keys typed
// before the first frame.
func (m *model) mayChange(key string) bool {
	now := m.timer()
	repeat := key == m.lastChange && now.Sub(m.changedAt) < repeated
	m.lastChange, m.changedAt = key, now
	if repeat || m.firstFrame.IsZero() || now.Sub(m.firstFrame) < frameTime {
		return false
	}
	if m.readOnly {
		m.say(inkWarn, "read-only: nothing is changed")
		return false
	}
	return true
}

func (m *model) painted(at time.Time) {
	if m.firstFrame.IsZero() {
		m.firstFrame = at
	}
}

// run carries out a command: the screen's own, else a tab's, else the program's.
func (m *model) run(c command) tea.Cmd {
	if cmd, ok := m.screen().run(m, c); ok {
		return cmd
	}
	if cmd, ok := m.showTab(c); ok {
		return cmd
	}
	switch c {
	case doHelp:
		return m.open(newHelp(m))
	case doActions:
		return m.openActions()
	case doDemo:
		return m.open(newDemo(m))
	case doBack, doQuit:
		if m.screen().on()&onLists == 0 {
			return m.back()
		}
		if c == doQuit {
			return m.quit()
		}
	case doLast:
		m.visit, m.former = min(m.former, len(m.visits)-1), m.visit
	case doEarlier:
		if m.visit > 0 {
			m.visit, m.former = m.visit-1, m.visit
		}
	case doLater:
		if m.visit < len(m.visits)-1 {
			m.visit, m.former = m.visit+1, m.visit
		}
	case doFilter:
		return m.askFilter()
	case doPalette:
		m.askPalette()
	case doMenu:
		m.askMenu()
	case doSave:
		m.askSave()
	case doUndo:
		return m.undo()
	case doUndoAll:
		if n := m.staged.CancelAll(); n > 0 {
			m.say(inkGood, fmt.Sprintf("cancelled %d, nothing was sent", n))
			return tea.Batch(m.save(), m.schedule())
		}
		m.say(inkDim, "nothing waits")
	case doLogin:
		if m.renewal == nil {
			m.say(inkDim, "log in with svcctl auth login")
			return nil
		}
		m.askLogin("")
	case doContexts:
		m.askInstance()
	case doOutbox:
		m.askOutbox()
	case doSuspend:
		m.firstFrame = time.Time{}
		return tea.Suspend
	case doInterrupt:
		return m.quit()
	}
	return nil
}

// open shows a screen and drops the later part of the history.
func (m *model) open(s screen) tea.Cmd {
	if m.screen() == s {
		return nil
	}
	const most = 50
	m.former = m.visit
	m.visits = append(m.visits[:m.visit+1:m.visit+1], s)
	m.visit++
	if len(m.visits) > most {
		m.visits, m.visit, m.former = m.visits[1:], m.visit-1, max(0, m.former-1)
	}
	return nil
}

// back leaves a detail for the list it was opened from.
func (m *model) back() tea.Cmd {
	m.former = m.visit
	for m.visit > 0 {
		m.visit--
		if m.screen().on()&(onLists|onReport|onUser) != 0 {
			return nil
		}
	}
	return nil
}

// say shows a notice until the next one, or until a key comes after it was
// there for a while.
func (m *model) say(i ink, text string) {
	m.notice, m.said = inked(i, " "+text), m.timer()
	if m.heardNotice != nil {
		m.heardNotice(text)
	}
}

// noticeTime is how long a notice is there at least.
const noticeTime = 3 * time.Second

// askFilter edits the filter of the list in front, which follows as one types.
func (m *model) askFilter() tea.Cmd {
	f, ok := m.screen().(filtered)
	if !ok {
		return nil
	}
	before := f.filterText()
	p := &prompt{
		text: newTextField(before, false), label: "/", accept: "enter",
		cancel: func(m *model, _ string) tea.Cmd { return f.setFilter(m, before) },
	}
	var title []line
	if saved := m.savedFilters(f.states()); len(saved) > 0 {
		title = []line{inked(inkDim, shortened(" tab: "+safe.Line(strings.Join(saved, ", ")), m.width))}
		next := 0
		p.tab = func(string) string {
			next++
			return m.filters[saved[(next-1)%len(saved)]]
		}
	}
	p.title = title
	p.onText = func(m *model, text string) tea.Cmd {
		p.title = title
		if wrong := list.ParseFilter(text, f.states()).Wrong; wrong != "" {
			p.title = append([]line{inked(inkBad, " "+safe.Line(wrong))}, title...)
			return nil // the list stays as the last good filter has it
		}
		return f.setFilter(m, text)
	}
	p.done = func(m *model, text string) tea.Cmd {
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
	setFilter(m *model, text string) tea.Cmd
}

func (m *model) introduced(msg introduced) tea.Cmd {
	if msg.err != nil {
		return m.trouble(msg.err)
	}
	m.me, m.nick, m.asked = msg.me, msg.nick, true
	m.staff = safe.NewStaff(msg.staff)
	clear(m.labels)
	m.rights, m.keys = msg.rights, m.allKeys.of(msg.rights)
	if m.screen().allowed(m.keys) {
		return m.countWaiting()
	}
	m.notice = nil // of the reports
	for _, first := range m.tabs {
		if m.keys.has(first.do) {
			cmd := tea.Batch(first.open(m), m.countWaiting())
			m.visits, m.visit, m.former = m.visits[m.visit:], 0, 0
			return cmd
		}
	}
	return nil
}

// schedule sets the next moment at which the frame changes by itself: soon
// while something counts down, else when ages grow.
func (m *model) schedule() tea.Cmd {
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

func (m *model) save() tea.Cmd {
	write := m.staged.Save()
	return func() tea.Msg {
		if err := write(); err != nil {
			return saveFailed{err}
		}
		return nil
	}
}

// quit ends the program, also to go on with another instance. It asks first when
// something is not sent.
func (m *model) quit() tea.Cmd {
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
	here := func(m *model) tea.Cmd {
		m.next = nil
		return nil
	}
	m.ask(&prompt{
		title:  []line{inked(inkWarn, fmt.Sprintf(" %d not sent: %s", len(labels), strings.Join(labels, ", ")))},
		cancel: func(m *model, _ string) tea.Cmd { return here(m) },
		choices: []choice{
			{"s", "send and " + leave, func(m *model) tea.Cmd {
				m.quitting = true
				m.staged.Hurry(m.timer())
				send := m.flush()
				if len(m.staged.Unsent(staged.Waiting, staged.Sending)) == 0 {
					return tea.Sequence(m.save(), tea.Quit) // what is left cannot be sent now
				}
				return tea.Batch(send, m.schedule())
			}},
			{"d", "drop and " + leave, func(m *model) tea.Cmd {
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
