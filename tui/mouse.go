package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/list"
)

// wheelStep is how many lines a turn of the wheel scrolls.
const wheelStep = 3

// mouse moves the cursor by click, scrolls by wheel, and marks by dragging.
// It never changes anything on the server.
func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	wake := m.woken()
	if m.prompt != nil {
		return wake
	}
	switch msg.Button {
	case tea.MouseButtonWheelUp, tea.MouseButtonWheelDown:
		step := wheelStep
		if msg.Button == tea.MouseButtonWheelUp {
			step = -wheelStep
		}
		return tea.Batch(wake, m.wheel(step, msg.X))
	}
	rows, height := m.rows()
	if rows == nil {
		return wake
	}
	above := m.headerLines() + 1 // the header, and the heads of columns
	from, to := rows.Window(height)
	i := from + msg.Y - above
	if msg.Y < above || msg.Y >= above+height || i >= to || m.layout().beside && m.screen() == m.reports && msg.X >= m.layout().pane {
		return wake
	}
	switch {
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft:
		m.dragFrom = i
		m.jump(rows, i)
	case msg.Action == tea.MouseActionMotion && msg.Button == tea.MouseButtonLeft && m.dragFrom >= 0 && i != rows.Cursor():
		if rows.Cursor() == m.dragFrom {
			rows.Mark()
			m.dragFrom = -1
		}
		m.jump(rows, i)
		rows.MarkRange()
		m.dragFrom = -2
	case msg.Action == tea.MouseActionMotion && m.dragFrom == -2:
		m.jump(rows, i)
		rows.MarkRange()
	case msg.Action == tea.MouseActionRelease:
		m.dragFrom = -1
	}
	return tea.Batch(wake, m.reports.refresh(), m.reports.wantDetail(m))
}

func (m *model) jump(rows *list.List, i int) {
	if rows == m.reports.List && i != rows.Cursor() {
		m.reports.posts.reset()
		m.reports.onPosts = false
	}
	rows.Jump(i)
}

// rows is the list in front and its height, nil on other screens.
func (m *model) rows() (*list.List, int) {
	d := m.layout()
	switch s := m.screen().(type) {
	case *reports:
		return s.List, d.list
	case *users:
		return s.List, d.body - 1
	case *logs:
		return s.List, s.height(d)
	case *nounScreen:
		return s.List, s.height(d)
	}
	return nil, 0
}

// wheel scrolls the pane under the pointer.
func (m *model) wheel(step, x int) tea.Cmd {
	overEvidence := m.screen() == m.reports && m.layout().beside && x >= m.layout().pane
	if rows, height := m.rows(); rows != nil && !overEvidence {
		rows.Scroll(step, height)
		return tea.Batch(m.reports.more(m), m.reports.refresh(), m.reports.wantDetail(m))
	}
	switch s := m.screen().(type) {
	case *reports:
		s.posts.top = max(0, s.posts.top+step)
	case *reportPage:
		s.posts.top = max(0, s.posts.top+step)
	case *userPage:
		s.pane.top = max(0, s.pane.top+step)
	case *page:
		s.top = max(0, s.top+step)
	}
	return nil
}
