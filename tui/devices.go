package tui

import (
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/tty"
)

// device is where Run reads and draws: files of this process, or streams to a
// terminal on another machine.
type device struct {
	in      io.Reader // without answers of the terminal
	getenv  func(string) string
	dark    func() bool
	options []tea.ProgramOption
	sizes   <-chan Size
	over    chan struct{}
}

func deviceOf(o Options) (*device, error) {
	t := &device{getenv: o.Getenv, over: make(chan struct{})}
	if t.getenv == nil {
		t.getenv = os.Getenv
	}
	if o.Remote != nil {
		t.getenv, t.sizes = o.Remote.Getenv, o.Remote.Sizes
		t.options = []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithEnvironment([]string{"TERM=" + t.getenv("TERM")})}
		if o.Plain {
			return t, nil
		}
		stream := tty.NewStream(o.In, time.Now)
		go func() {
			<-t.over
			stream.Close()
		}()
		t.in, t.dark = stream, func() bool { return stream.Dark(o.Out, t.getenv) }
		return t, nil
	}
	if o.Plain {
		return t, nil
	}
	in, isFile := o.In.(*os.File)
	out, isToo := o.Out.(*os.File)
	if !isFile || !isToo || !tty.Is(in) || !tty.Is(out) {
		return nil, ErrNoTerminal
	}
	t.in, t.dark = tty.NewInput(in, time.Now), func() bool { return tty.Dark(in, out, t.getenv) }
	return t, nil
}

// follow tells the program the sizes of a terminal on another machine.
func (t *device) follow(program *tea.Program) {
	if t.sizes == nil {
		return
	}
	go func() {
		for {
			select {
			case size, more := <-t.sizes:
				if !more {
					return
				}
				program.Send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
			case <-t.over:
				return
			}
		}
	}()
}

func (t *device) close() { close(t.over) }
