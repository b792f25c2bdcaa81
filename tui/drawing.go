package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/desk"
	"svc/tui/tty"
)

// drawn is the program on a screen. A key, a click, a new size and the rows of a filter are drawn at once,
// everything else, like the thousand answers of a long list, once a frame.
type drawn struct {
	tea.Model
	screen *tty.Screen
	timer  func() time.Time
	after  func(time.Duration, func() tea.Msg) tea.Cmd
	at     time.Time // of the last frame
	late   bool      // changes wait for drawDue
	due    bool      // which is on its way
}

// drawDue draws what changed since the last frame.
type drawDue struct{}

func (d *drawn) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case drawDue:
		d.due, d.late = false, false
		return d, nil
	case tea.KeyMsg, tea.MouseMsg, tea.ResumeMsg, desk.TableReady:
		d.late = false
	case tea.WindowSizeMsg:
		d.screen.Resize(msg.Width, msg.Height)
		d.late = false
	default:
		d.late = true
	}
	d.Model, cmd = d.Model.Update(msg)
	wait := desk.FrameTime - d.timer().Sub(d.at)
	switch {
	case !d.late:
	case wait <= 0:
		d.late = false
	case !d.due:
		d.due = true
		cmd = tea.Batch(cmd, d.after(wait, func() tea.Msg { return drawDue{} }))
	}
	return d, cmd
}

// View draws the frame, and leaves nothing to bubbletea's renderer.
func (d *drawn) View() string {
	if !d.late {
		d.screen.Draw(d.Model.View())
		d.at = d.timer()
	}
	return ""
}
