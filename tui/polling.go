package tui

import (
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/tui/draw"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// polling is how the program keeps up: now and then, and whenever the stream of
// moderation says that something happened.
type polling struct {
	number    int  // the poll that is due next
	running   bool // an answer is awaited
	again     bool // something happened meanwhile
	live      bool // the stream says when something happens
	unfocused bool
	lastKey   time.Time
	last      time.Time // when the last answer came
	due       time.Time // when the next poll is
	good      time.Time // and the last good one
	counted   time.Time // when all reports were last counted
	backoff   time.Duration
	offline   time.Time // since when, zero while connected
	loggedOut bool
	// introduced is when the own rights were last asked for.
	introduced time.Time
	newest     string // key of the newest log entry seen
}

type pollDue struct{ number int }

const (
	pollInUse     = 5 * time.Second
	pollIdle      = 30 * time.Second
	pollUnfocused = 60 * time.Second
	pollOffline   = 20 * time.Second // the most: an outage is over within half a minute
	idleAfter     = time.Minute
	countEvery    = time.Minute
	longestWait   = 5 * time.Minute
	// rightsEvery is how often the own rights are asked for, rightsPause how often
	// at most after refusals.
	rightsEvery = 5 * time.Minute
	rightsPause = 5 * time.Second
	// askAfter is how old an action that could not be sent may be and still go
	// without asking.
	askAfter = 10 * time.Minute
)

// interval is the time to the next poll.
func (m *env) interval() time.Duration {
	wait := pollInUse
	switch {
	case m.poll.again && m.poll.backoff == 0:
		return newsPause
	case m.poll.unfocused, m.poll.live:
		wait = pollUnfocused
	case m.timer().Sub(m.poll.lastKey) > idleAfter:
		wait = pollIdle
	}
	if !m.poll.offline.IsZero() {
		wait = min(wait, pollOffline)
	}
	wait = max(wait, m.poll.backoff)
	// A tenth up or down, so that many screens do not ask in step.
	return wait + time.Duration((m.jitter()-0.5)*0.2*float64(wait))
}

func (m *env) schedulePoll() tea.Cmd {
	m.poll.number++
	due, wait := pollDue{m.poll.number}, m.interval()
	m.poll.due = m.timer().Add(wait)
	return m.after(wait, func() tea.Msg { return due })
}

// pollNow polls at once, unless the server asked for patience.
func (m *env) pollNow() tea.Cmd {
	if m.poll.running || m.poll.backoff > 0 {
		return nil
	}
	m.poll.number++
	return m.pollDue(pollDue{m.poll.number})
}

// woken notes a key of the person, and reads the news if there was none for a
// while.
func (m *env) woken() tea.Cmd {
	idle := m.timer().Sub(m.poll.lastKey) > idleAfter
	m.poll.lastKey = m.timer()
	if idle {
		return m.pollNow()
	}
	return nil
}

func (m *env) pollDue(msg pollDue) tea.Cmd {
	if msg.number != m.poll.number || m.poll.running {
		return nil
	}
	m.poll.running, m.poll.again = true, false
	count := m.poll.counted.IsZero() || m.timer().Sub(m.poll.counted) > countEvery
	var looks []query
	for _, o := range m.observers {
		if l := o.look(m, count); l != nil {
			looks = append(looks, l)
		}
	}
	if len(looks) == 0 {
		return m.load.touch(count)
	}
	return m.load.poll(looks, count, m.rights.Has(tables.NeedsLog))
}

func (m *env) polled(msg polled) tea.Cmd {
	m.poll.running, m.poll.last = false, m.timer()
	if msg.err != nil {
		return tea.Batch(m.reportsTrouble(msg.err), m.schedulePoll())
	}
	recovered := m.recovered()
	var waiting tea.Cmd
	if msg.counted {
		m.poll.counted = m.timer()
		waiting = m.countWaiting()
	}
	cmds := []tea.Cmd{recovered, waiting, m.readLog(msg.entries)}
	for _, take := range msg.takes {
		cmds = append(cmds, take(m))
	}
	cmds = append(cmds, m.screen().renew(m))
	if !m.asked || m.timer().Sub(m.poll.introduced) > rightsEvery {
		cmds = append(cmds, m.renewRights())
	}
	return tea.Batch(append(cmds, m.schedulePoll())...)
}

// countWaiting counts the work that waits on tables, as far as the account may see
// them.
func (s *session) countWaiting() tea.Cmd {
	var cmds []tea.Cmd
	for _, n := range tables.All() {
		if n.Waiting != nil && s.asked && s.rights.Opens(n) {
			cmds = append(cmds, s.load.waiting(n))
		}
	}
	return tea.Batch(cmds...)
}

// readLog passes the actions of others since the last poll to the screens.
func (m *env) readLog(entries []shown.Entry) tea.Cmd {
	first := m.poll.newest == ""
	var fresh []shown.Entry
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Key > m.poll.newest {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) > 0 {
		m.poll.newest = fresh[len(fresh)-1].Key
	}
	if first && len(entries) == 0 {
		m.poll.newest = "0"
	}
	for _, e := range fresh {
		m.saw(e)
	}
	for _, e := range fresh {
		if !first && e.Actor != m.me.String() {
			m.say(draw.InkDim, e.Actor+" "+e.What.String())
		}
	}
	return m.observed(func(o observer) tea.Cmd { return o.logged(m, fresh, first) })
}

// trouble notes why the server did not answer as hoped.
func (m *env) trouble(err error) tea.Cmd {
	const first = 10 * time.Second
	var refusal *client.Error
	switch {
	case errors.Is(err, client.ErrTokenRejected):
		m.poll.loggedOut = true
		m.offerLogin()
	case errors.Is(err, client.ErrThrottled) && errors.As(err, &refusal):
		m.poll.backoff = min(longestWait, max(first, 2*m.poll.backoff, refusal.RetryAfter))
	case errors.Is(err, client.ErrNetwork):
		if m.poll.offline.IsZero() {
			m.poll.offline = m.timer()
		}
	default:
		m.say(draw.InkBad, shown.Wording(err).String())
		if errors.Is(err, client.ErrForbidden) {
			return m.renewRights()
		}
	}
	return nil
}

// renewRights asks again what the account may do: privileges change meanwhile.
func (m *env) renewRights() tea.Cmd {
	if m.asked && m.timer().Sub(m.poll.introduced) < rightsPause {
		return nil
	}
	m.poll.introduced = m.timer()
	return m.load.introduce()
}

// reportsTrouble is trouble with a request for reports. At the start some are sent
// before the privileges are known.
func (m *env) reportsTrouble(err error) tea.Cmd {
	if errors.Is(err, client.ErrForbidden) && !errors.Is(err, client.ErrTokenRejected) && !m.rights.Has(tables.NeedsReports) {
		return nil
	}
	return m.trouble(err)
}

// recovered records that the server answers, and runs the commands that waited
// for it.
func (m *env) recovered() tea.Cmd {
	was := !m.poll.offline.IsZero() || m.poll.loggedOut
	m.poll.good, m.poll.backoff, m.poll.offline, m.poll.loggedOut = m.timer(), 0, time.Time{}, false
	m.loginAsked = false
	if !was {
		return nil
	}
	var old []*staged.Item
	for _, item := range m.staged.Unsent(staged.Held) {
		if m.now().Sub(item.At) > askAfter {
			item.Phase = staged.Asking
			old = append(old, item)
		}
	}
	if len(old) > 0 && m.prompt == nil {
		m.askUnsent(old, "could not be sent and is old by now:")
	}
	return tea.Batch(m.save(), m.flush())
}
