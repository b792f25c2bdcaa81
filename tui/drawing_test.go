package tui

import (
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/desk"
	"svc/tui/tty"
)

// TestAKeyIsDrawnAtOnceAndAnswersOnceAFrame counts the frames of keys and of answers
// that come together.
func TestAKeyIsDrawnAtOnceAndAnswersOnceAFrame(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	var out strings.Builder
	screen := tty.NewScreen(&out)
	_, _ = io.WriteString(screen, "\x1b[?1049h")
	clock := begun
	var waits []time.Duration
	p := &drawn{Model: d.m, screen: screen, timer: func() time.Time { return clock }, after: func(wait time.Duration, msg func() tea.Msg) tea.Cmd {
		waits = append(waits, wait)
		return nil
	}}
	changed := func(msg tea.Msg) bool {
		t.Helper()
		out.Reset()
		p.Update(msg)
		if p.View() != "" {
			t.Error("bubbletea's renderer has something to draw")
		}
		return out.Len() > 0
	}
	if !changed(tea.WindowSizeMsg{Width: 80, Height: 24}) || !changed(keyNamed("j")) || !changed(keyNamed("k")) {
		t.Error("a key or a size is not drawn at once")
	}
	clock = clock.Add(desk.FrameTime / 4)
	if changed(desk.SaveFailed{Err: io.EOF}) || changed(desk.PollDue{}) {
		t.Error("an answer is drawn within a frame")
	}
	if len(waits) != 1 || waits[0] != desk.FrameTime-desk.FrameTime/4 {
		t.Errorf("the next frame is due after %v, want one after %v", waits, desk.FrameTime-desk.FrameTime/4)
	}
	if !changed(drawDue{}) || !strings.Contains(out.String(), "EOF") {
		t.Error("what waited is not drawn")
	}
	if changed(desk.PollDue{}) {
		t.Error("the same frame is drawn again")
	}
	clock = clock.Add(time.Second)
	d.m.Notice = nil
	if !changed(desk.PollDue{}) {
		t.Error("an answer after a rest waits")
	}
}
