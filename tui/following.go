package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// heard says that something happened on the server, or to the connection that
// tells of it.
type heard struct {
	live bool // news come by themselves
	over bool // and never will again: the server has no stream, or not for us

	people bool // somebody awaits approval, or does no longer
}

// newsPause is the least time between two looks for news.
const newsPause = 200 * time.Millisecond

// next waits for news.
func next(ctx context.Context, news <-chan heard) tea.Cmd {
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
func (m *env) listen() tea.Cmd {
	if m.stopNews != nil {
		m.stopNews()
	}
	m.newsCtx, m.stopNews = context.WithCancel(m.load.ctx)
	m.news = m.load.follow(m.newsCtx)
	return m.background(next(m.newsCtx, m.news))
}

// heard reads the news, and waits for more.
func (m *env) heard(msg heard) tea.Cmd {
	m.poll.live = msg.live
	if msg.over {
		return m.schedulePoll()
	}
	cmds := []tea.Cmd{m.background(next(m.newsCtx, m.news))}
	if msg.people {
		cmds = append(cmds, m.countWaiting(), m.observed(func(o observer) tea.Cmd { return o.registered(m) }))
	}
	if m.poll.running {
		m.poll.again = true
	} else {
		cmds = append(cmds, m.pollNow())
	}
	return tea.Batch(cmds...)
}
