package desk

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Heard says that something happened on the server, or to the connection that
// tells of it.
type Heard struct {
	live bool // news come by themselves
	Over bool // and never will again: the server has no stream, or not for us

	people bool // somebody awaits approval, or does no longer
}

// NewsPause is the least time between two looks for news.
const NewsPause = 200 * time.Millisecond

// next waits for news.
func next(ctx context.Context, news <-chan Heard) tea.Cmd {
	return func() tea.Msg {
		select {
		case h := <-news:
			return h
		case <-ctx.Done():
			return nil
		}
	}
}

// listen follows the stream with the present client, and no longer with an earlier
// one.
func (m *Env) listen() tea.Cmd {
	if m.stopNews != nil {
		m.stopNews()
	}
	m.newsCtx, m.stopNews = context.WithCancel(m.Load.Ctx)
	m.news = m.Load.follow(m.newsCtx)
	return m.Background(next(m.newsCtx, m.news))
}

// heard reads the news, and waits for more.
func (m *Env) heard(msg Heard) tea.Cmd {
	m.Poll.Live = msg.live
	if msg.Over {
		return m.schedulePoll()
	}
	cmds := []tea.Cmd{m.Background(next(m.newsCtx, m.news))}
	if msg.people {
		cmds = append(cmds, m.countWaiting(), m.observed(func(o observer) tea.Cmd { return o.Registered(m) }))
	}
	if m.Poll.running {
		m.Poll.again = true
	} else {
		cmds = append(cmds, m.pollNow())
	}
	return tea.Batch(cmds...)
}
