package desk

import tea "github.com/charmbracelet/bubbletea"

// wheelStep is how many lines a turn of the wheel scrolls.
const wheelStep = 3

// mouse moves the cursor by click, scrolls by wheel, and marks by dragging.
// It never changes anything on the server.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	wake := m.Woken()
	if m.Prompt != nil {
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
	here := m.Screen().Rows(m.Layout())
	if here.List == nil {
		return wake
	}
	above := m.HeaderLines() + 1 // the header, and the heads of columns
	from, to := here.List.Window(here.Height)
	i := from + msg.Y - above
	if msg.Y < above || msg.Y >= above+here.Height || i >= to || msg.X >= here.Width {
		return wake
	}
	switch {
	case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft:
		m.dragFrom = i
		here.List.Jump(i)
	case msg.Action == tea.MouseActionMotion && msg.Button == tea.MouseButtonLeft && m.dragFrom >= 0 && i != here.List.Cursor():
		if here.List.Cursor() == m.dragFrom {
			here.List.Mark()
			m.dragFrom = -1
		}
		here.List.Jump(i)
		here.List.MarkRange()
		m.dragFrom = -2
	case msg.Action == tea.MouseActionMotion && m.dragFrom == -2:
		here.List.Jump(i)
		here.List.MarkRange()
	case msg.Action == tea.MouseActionRelease:
		m.dragFrom = -1
	}
	return tea.Batch(wake, m.Screen().Moved(m.Env))
}

// wheel scrolls the list or the text under the pointer.
func (m *Model) wheel(step, x int) tea.Cmd {
	here := m.Screen().Rows(m.Layout())
	if here.List == nil || x >= here.Width {
		m.Screen().ScrollText(step)
		return nil
	}
	here.List.Scroll(step, here.Height)
	return m.Screen().Moved(m.Env)
}
