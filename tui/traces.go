package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/desk"
	"svc/tui/tty"
)

// begun is when this program began, as near as a package can tell.
var begun = time.Now()

// traceLine is a line of a trace. Times are in milliseconds.
type traceLine struct {
	// Event is key (from its bytes to the frame on the terminal), resize, data (from
	// an answer with rows to their frame), view (from the last text typed into a filter
	// to the frame with the rows that it chooses of a long list), paint (from the start
	// of the program to the first frame), or load (from a request to its answer).
	Event string  `json:"event"`
	What  string  `json:"what,omitempty"` // the key, the size, the kind of answer
	Ms    float64 `json:"ms"`
	// Work is the part of Ms for which the program worked; the rest was waiting
	// for other frames.
	Work float64 `json:"work_ms,omitempty"`
	// Same says that the frame stayed as it was, so that nothing was drawn.
	Same bool `json:"same,omitempty"`
}

// trace writes down how long frames and answers take. A nil one does nothing. Text
// that is typed into a field is not written down.
type trace struct {
	mu      sync.Mutex
	out     io.Writer
	now     func() time.Time
	err     error
	read    time.Time // when bytes came from the terminal that have no frame yet
	typed   time.Time // when text was last typed into a filter, until its rows are chosen
	pending []pendingFrame
	view    string // as last drawn
	flushed string // as last on the terminal
	painted bool
}

// pendingFrame is a key or an answer that has no frame on the terminal yet.
type pendingFrame struct {
	event, what  string
	since, drawn time.Time
	work         time.Duration
}

func newTrace(out io.Writer, now func() time.Time) *trace {
	if out == nil {
		return nil
	}
	return &trace{out: out, now: now}
}

func (t *trace) write(l traceLine) {
	raw, err := json.Marshal(l)
	if err == nil {
		_, err = t.out.Write(append(raw, '\n'))
	}
	if t.err == nil {
		t.err = err
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// loading notes that a request begins; what it returns notes the answer.
func (t *trace) loading() func(answer tea.Msg) {
	from := t.now()
	return func(answer tea.Msg) {
		t.mu.Lock()
		defer t.mu.Unlock()
		kind := fmt.Sprintf("%T", answer)
		t.write(traceLine{Event: "load", What: kind[strings.LastIndex(kind, ".")+1:], Ms: milliseconds(t.now().Sub(from))})
	}
}

// rowsMsg is a message with rows, which says of what.
type rowsMsg interface{ Rows() string }

// traced is the program under a trace.
type traced struct {
	*desk.Model
	trace *trace
}

func (p traced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	from := p.trace.now()
	event, what := "", ""
	switch msg := msg.(type) {
	case tea.KeyMsg:
		event, what = "key", msg.String()
		if p.Prompt != nil && p.Prompt.Text != nil && (msg.Paste || msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace || msg.Type == tea.KeyBackspace) {
			what = "text"
		}
	case tea.WindowSizeMsg:
		event, what = "resize", fmt.Sprintf("%dx%d", msg.Width, msg.Height)
	case rowsMsg:
		event, what = "data", msg.Rows()
	case desk.TableReady:
		event = "view"
	}
	_, cmd := p.Model.Update(msg)
	p.trace.updated(event, what, from)
	return p, cmd
}

func (p traced) View() string {
	from := p.trace.now()
	view := p.Model.View()
	p.trace.drew(view, from)
	return view
}

// updated notes a message that changes the frame.
func (t *trace) updated(event, what string, from time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if event == "" {
		return
	}
	since, now := from, t.now()
	if event == "key" && !t.read.IsZero() {
		since = t.read
	}
	switch {
	case what == "text":
		t.typed = since
	case event == "view" && !t.typed.IsZero():
		since, t.typed = t.typed, time.Time{}
	}
	t.pending = append(t.pending, pendingFrame{event: event, what: what, since: since, work: now.Sub(from)})
}

// drew notes a frame, which reaches the terminal at the renderer's next look unless
// it is there already.
func (t *trace) drew(view string, from time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.view = view
	for i := range t.pending {
		if t.pending[i].drawn.IsZero() {
			t.pending[i].drawn, t.pending[i].work = now, t.pending[i].work+now.Sub(from)
		}
	}
	if view == t.flushed {
		t.end(true)
	}
}

// flush notes that the frame as last drawn is on the terminal.
func (t *trace) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.view == "" || t.view == t.flushed {
		return // sequences around frames
	}
	t.flushed = t.view
	if !t.painted {
		t.painted = true
		t.write(traceLine{Event: "paint", Ms: milliseconds(t.now().Sub(begun))})
	}
	t.end(false)
}

// end writes down all that is drawn.
func (t *trace) end(same bool) {
	now := t.now()
	left := t.pending[:0]
	for _, p := range t.pending {
		if p.drawn.IsZero() {
			left = append(left, p)
			continue
		}
		t.write(traceLine{Event: p.event, What: p.what, Ms: milliseconds(now.Sub(p.since)), Work: milliseconds(p.work), Same: same})
	}
	t.pending = left
	if len(left) == 0 {
		t.read = time.Time{}
	}
}

// arrived notes bytes from the terminal.
func (t *trace) arrived() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read.IsZero() {
		t.read = t.now()
	}
}

// over puts the trace between the program and its terminal.
func (t *trace) over(m *desk.Model, in io.Reader, out io.Writer) (tea.Model, io.Reader, io.Writer) {
	if t == nil {
		return m, in, out
	}
	// Bubbletea sees by its type that this is a terminal.
	if file, ok := in.(*tty.Input); ok {
		in = tracedFile{file, t}
	} else {
		in = tracedReader{in, t}
	}
	return traced{m, t}, in, tracedWriter{out, t}
}

type tracedReader struct {
	io.Reader
	trace *trace
}

func (r tracedReader) Read(p []byte) (int, error) { return r.trace.reading(r.Reader, p) }

type tracedFile struct {
	*tty.Input
	trace *trace
}

func (r tracedFile) Read(p []byte) (int, error) { return r.trace.reading(r.Input, p) }

func (t *trace) reading(r io.Reader, p []byte) (int, error) {
	n, err := r.Read(p)
	if n > 0 {
		t.arrived()
	}
	return n, err
}

type tracedWriter struct {
	io.Writer
	trace *trace
}

func (w tracedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err == nil {
		w.trace.flush()
	}
	return n, err
}

// failed is why the trace is not whole, nil when it is.
func (t *trace) failed() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return fmt.Errorf("trace: %w", t.err)
	}
	return nil
}
