package desk

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
	Live      bool // the stream says when something happens
	unfocused bool
	lastKey   time.Time
	last      time.Time // when the last answer came
	due       time.Time // when the next poll is
	Good      time.Time // and the last good one
	counted   time.Time // when all reports were last counted
	backoff   time.Duration
	Offline   time.Time // since when, zero while connected
	LoggedOut bool
	// introduced is when the own rights were last asked for.
	introduced time.Time
	newest     string // key of the newest log entry seen
}

// PollDue comes when a poll is due.
type PollDue struct{ number int }

const (
	PollInUse     = 5 * time.Second
	pollIdle      = 30 * time.Second
	PollUnfocused = 60 * time.Second
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

// Interval is the time to the next poll.
func (m *Env) Interval() time.Duration {
	wait := PollInUse
	switch {
	case m.Poll.again && m.Poll.backoff == 0:
		return NewsPause
	case m.Poll.unfocused, m.Poll.Live:
		wait = PollUnfocused
	case m.Timer().Sub(m.Poll.lastKey) > idleAfter:
		wait = pollIdle
	}
	if !m.Poll.Offline.IsZero() {
		wait = min(wait, pollOffline)
	}
	wait = max(wait, m.Poll.backoff)
	// A tenth up or down, so that many screens do not ask in step.
	return wait + time.Duration((m.Jitter()-0.5)*0.2*float64(wait))
}

func (m *Env) schedulePoll() tea.Cmd {
	m.Poll.number++
	due, wait := PollDue{m.Poll.number}, m.Interval()
	m.Poll.due = m.Timer().Add(wait)
	return m.After(wait, func() tea.Msg { return due })
}

// pollNow polls at once, unless the server asked for patience.
func (m *Env) pollNow() tea.Cmd {
	if m.Poll.running || m.Poll.backoff > 0 {
		return nil
	}
	m.Poll.number++
	return m.pollDue(PollDue{m.Poll.number})
}

// Woken notes a key of the person, and reads the news if there was none for a
// while.
func (m *Env) Woken() tea.Cmd {
	idle := m.Timer().Sub(m.Poll.lastKey) > idleAfter
	m.Poll.lastKey = m.Timer()
	if idle {
		return m.pollNow()
	}
	return nil
}

func (m *Env) pollDue(msg PollDue) tea.Cmd {
	if msg.number != m.Poll.number || m.Poll.running {
		return nil
	}
	m.Poll.running, m.Poll.again = true, false
	count := m.Poll.counted.IsZero() || m.Timer().Sub(m.Poll.counted) > countEvery
	var looks []Query
	for _, o := range m.Observers {
		if l := o.Look(m, count); l != nil {
			looks = append(looks, l)
		}
	}
	if len(looks) == 0 {
		return m.Load.touch(count)
	}
	return m.Load.poll(looks, count, m.Rights.Has(tables.NeedsLog))
}

func (m *Env) polled(msg polled) tea.Cmd {
	m.Poll.running, m.Poll.last = false, m.Timer()
	if msg.err != nil {
		return tea.Batch(m.ReportsTrouble(msg.err), m.schedulePoll())
	}
	recovered := m.recovered()
	var waiting tea.Cmd
	if msg.counted {
		m.Poll.counted = m.Timer()
		waiting = m.countWaiting()
	}
	cmds := []tea.Cmd{recovered, waiting, m.readLog(msg.entries)}
	for _, take := range msg.takes {
		cmds = append(cmds, take(m))
	}
	cmds = append(cmds, m.Screen().Renew(m))
	if !m.asked || m.Timer().Sub(m.Poll.introduced) > rightsEvery {
		cmds = append(cmds, m.renewRights())
	}
	return tea.Batch(append(cmds, m.schedulePoll())...)
}

// countWaiting counts the work that waits on tables, as far as the account may see
// them.
func (s *session) countWaiting() tea.Cmd {
	var cmds []tea.Cmd
	for _, n := range tables.All() {
		if n.Waiting != nil && s.asked && s.Rights.Opens(n) {
			cmds = append(cmds, s.Load.waiting(n))
		}
	}
	return tea.Batch(cmds...)
}

// readLog passes the actions of others since the last poll to the screens.
func (m *Env) readLog(entries []shown.Entry) tea.Cmd {
	first := m.Poll.newest == ""
	var fresh []shown.Entry
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Key > m.Poll.newest {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) > 0 {
		m.Poll.newest = fresh[len(fresh)-1].Key
	}
	if first && len(entries) == 0 {
		m.Poll.newest = "0"
	}
	for _, e := range fresh {
		m.saw(e)
	}
	for _, e := range fresh {
		if !first && e.Actor != m.Me.String() {
			m.Say(draw.InkDim, e.Actor+" "+e.What.String())
		}
	}
	return m.observed(func(o observer) tea.Cmd { return o.Logged(m, fresh, first) })
}

// Trouble notes why the server did not answer as hoped.
func (m *Env) Trouble(err error) tea.Cmd {
	const first = 10 * time.Second
	var refusal *client.Error
	switch {
	case errors.Is(err, client.ErrTokenRejected):
		m.Poll.LoggedOut = true
		m.offerLogin()
	case errors.Is(err, client.ErrThrottled) && errors.As(err, &refusal):
		m.Poll.backoff = min(longestWait, max(first, 2*m.Poll.backoff, refusal.RetryAfter))
	case errors.Is(err, client.ErrNetwork):
		if m.Poll.Offline.IsZero() {
			m.Poll.Offline = m.Timer()
		}
	default:
		m.Say(draw.InkBad, shown.Wording(err).String())
		if errors.Is(err, client.ErrForbidden) {
			return m.renewRights()
		}
	}
	return nil
}

// renewRights asks again what the account may do: privileges change meanwhile.
func (m *Env) renewRights() tea.Cmd {
	if m.asked && m.Timer().Sub(m.Poll.introduced) < rightsPause {
		return nil
	}
	m.Poll.introduced = m.Timer()
	return m.Load.introduce()
}

// ReportsTrouble is trouble with a request for reports. At the start some are sent
// before the privileges are known.
func (m *Env) ReportsTrouble(err error) tea.Cmd {
	if errors.Is(err, client.ErrForbidden) && !errors.Is(err, client.ErrTokenRejected) && !m.Rights.Has(tables.NeedsReports) {
		return nil
	}
	return m.Trouble(err)
}

// recovered records that the server answers, and runs the commands that waited
// for it.
func (m *Env) recovered() tea.Cmd {
	was := !m.Poll.Offline.IsZero() || m.Poll.LoggedOut
	m.Poll.Good, m.Poll.backoff, m.Poll.Offline, m.Poll.LoggedOut = m.Timer(), 0, time.Time{}, false
	m.loginAsked = false
	if !was {
		return nil
	}
	var old []*staged.Item
	for _, item := range m.Staged.Unsent(staged.Held) {
		if m.Now().Sub(item.At) > askAfter {
			item.Phase = staged.Asking
			old = append(old, item)
		}
	}
	if len(old) > 0 && m.Prompt == nil {
		m.askUnsent(old, "could not be sent and is old by now:")
	}
	return tea.Batch(m.Save(), m.flush())
}
