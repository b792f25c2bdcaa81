package tui

import tea "github.com/charmbracelet/bubbletea"

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
	here := m.screen().rows(m.layout())
	if here.list == nil {
		return wake
	}
	above := m.headerLines() + 1 // the header, and the heads of columns
	from, to := here.list.Window(here.height)
	i := from + msg.Y - above
	if msg.Y < above || msg.Y >= above+here.height || i >= to || msg.X >= here.width {
		return wake
	}
	switch {
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft:
		m.dragFrom = i
		here.list.Jump(i)
	case msg.Action == tea.MouseActionMotion && msg.Button == tea.MouseButtonLeft && m.dragFrom >= 0 && i != here.list.Cursor():
		if here.list.Cursor() == m.dragFrom {
			here.list.Mark()
			m.dragFrom = -1
		}
		here.list.Jump(i)
		here.list.MarkRange()
		m.dragFrom = -2
	case msg.Action == tea.MouseActionMotion && m.dragFrom == -2:
		here.list.Jump(i)
		here.list.MarkRange()
	case msg.Action == tea.MouseActionRelease:
		m.dragFrom = -1
	}
	return tea.Batch(wake, m.screen().moved(m.env))
}

// wheel scrolls the list or the text under the pointer.
func (m *model) wheel(step, x int) tea.Cmd {
	here := m.screen().rows(m.layout())
	if here.list == nil || x >= here.width {
		m.screen().scroll(step)
		return nil
	}
	here.list.Scroll(step, here.height)
	return m.screen().moved(m.env)
}
