package desk

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
)

// settle is how long a dialog ignores input: keys typed before it appeared were
// meant for something else.
const settle = 150 * time.Millisecond

// Prompt asks at the bottom of the screen: a choice by key, or a line or two
// of text.
type Prompt struct {
	Title   []draw.Line
	Choices []Choice
	opened  time.Time

	Text   *textField // nil for a choice
	Label  string
	onText func(m *Env, text string) tea.Cmd // after each change
	Accept string                            // the key that ends text input
	tab    func(text string) string          // the text that tab puts in place of text; nil: none
	// earlier are the texts that up and down bring back, the newest last; at is the one
	// shown, counted from the end, 0 for what is being typed.
	earlier []string
	at      int
	// complete looks for the rest of a text, in place of tab.
	complete func(m *Env, text string) tea.Cmd
	Done     func(m *Env, text string) tea.Cmd
	Cancel   func(m *Env, text string) tea.Cmd // esc; nil: it just closes
}

// Choice is an answer by a key.
type Choice struct {
	Key   string
	Label string
	Do    func(m *Env) tea.Cmd
}

// Ask puts a question.
func (m *Env) Ask(p *Prompt) {
	p.opened = m.Timer()
	m.Prompt = p
}

// promptKey gives a key to the prompt.
func (m *Env) promptKey(key tea.KeyMsg) tea.Cmd {
	p := m.Prompt
	name := key.String()
	if p.Text == nil {
		if m.Timer().Sub(p.opened) < settle {
			return nil
		}
		if why := m.Unchangeable(); why != "" && !m.readOnly && name != "esc" && name != "ctrl+c" {
			m.Say(draw.InkWarn, why) // the terminal became small since the question
			return nil
		}
		for _, c := range p.Choices {
			if c.Key == name {
				m.Prompt = nil
				return c.Do(m)
			}
		}
		if name == "esc" || name == "ctrl+c" {
			m.Prompt = nil
			if p.Cancel != nil {
				return p.Cancel(m, "")
			}
		}
		return nil
	}
	switch name {
	case "esc", "ctrl+c":
		m.Prompt = nil
		if p.Cancel != nil {
			return p.Cancel(m, p.Text.String())
		}
		return nil
	case "tab":
		if p.complete != nil {
			return p.complete(m, p.Text.String())
		}
		if p.tab == nil {
			return nil
		}
		p.Text = NewTextField(p.tab(p.Text.String()), p.Text.lines)
		if p.onText != nil {
			return p.onText(m, p.Text.String())
		}
		return nil
	case "up", "down":
		if p.earlier != nil {
			return p.recall(m, map[string]int{"up": 1, "down": -1}[name])
		}
	case p.Accept:
		if p.Accept != "enter" && m.Timer().Sub(p.opened) < settle {
			return nil
		}
		m.Prompt = nil
		return p.Done(m, p.Text.String())
	}
	if p.Text.key(key) && p.onText != nil {
		return p.onText(m, p.Text.String())
	}
	return nil
}

// recall shows an earlier text, steps before the one shown.
func (p *Prompt) recall(m *Env, steps int) tea.Cmd {
	p.at = max(0, min(p.at+steps, len(p.earlier)))
	text := ""
	if p.at > 0 {
		text = p.earlier[len(p.earlier)-p.at]
	}
	p.Text = NewTextField(text, p.Text.lines)
	if p.onText != nil {
		return p.onText(m, text)
	}
	return nil
}

// promptPaste puts pasted text into a text prompt; a choice takes none.
func (m *Env) promptPaste(text string) tea.Cmd {
	p := m.Prompt
	if p.Text == nil {
		return nil
	}
	if p.Text.lines {
		p.Text.insert([]rune(safe.Text(text)))
	} else {
		p.Text.insert([]rune(safe.Line(text)))
	}
	if p.onText != nil {
		return p.onText(m, p.Text.String())
	}
	return nil
}

// Draw is the prompt's lines at a width.
func (p *Prompt) Draw(width int) []draw.Line {
	var lines []draw.Line
	for _, l := range p.Title {
		lines = append(lines, l.Wrapped(width)...)
	}
	if p.Text != nil {
		for i, text := range p.Text.draw(width - safe.Width(p.Label) - 2) {
			label := p.Label
			if i > 0 {
				label = safe.Fit("", safe.Width(p.Label))
			}
			lines = append(lines, draw.Line{{Text: " " + label, Ink: draw.InkStrong}, {Text: text, Ink: draw.InkPlain}})
		}
	}
	var keys draw.Line
	for _, c := range p.Choices {
		one := draw.Line{{Text: " " + c.Key, Ink: draw.InkStrong}, {Text: " " + c.Label + " ", Ink: draw.InkPlain}}
		if len(keys) > 0 && keys.Width()+one.Width() > width {
			lines, keys = append(lines, keys), nil
		}
		keys = append(keys, one...)
	}
	if len(keys) > 0 {
		lines = append(lines, keys)
	}
	return lines
}

// textField is text being typed. Its cursor is drawn as an underscore.
type textField struct {
	runes  []rune
	at     int
	lines  bool // enter makes a new line
	Secret bool // drawn as asterisks
}

// maxText is the most characters one can type: the longest note worth writing.
const maxText = 5000

// NewTextField is a field with a text, of one line or several.
func NewTextField(text string, lines bool) *textField {
	f := &textField{lines: lines}
	f.insert([]rune(text))
	return f
}

func (f *textField) String() string { return string(f.runes) }

func (f *textField) insert(runes []rune) {
	if len(f.runes)+len(runes) > maxText {
		runes = runes[:max(0, maxText-len(f.runes))]
	}
	f.runes = append(f.runes[:f.at], append(append([]rune{}, runes...), f.runes[f.at:]...)...)
	f.at += len(runes)
}

// key edits the text and reports whether it changed.
func (f *textField) key(key tea.KeyMsg) bool {
	before := len(f.runes)
	switch key.String() {
	case "left":
		f.at = max(0, f.at-1)
	case "right":
		f.at = min(len(f.runes), f.at+1)
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.runes)
	case "backspace", "ctrl+h":
		f.remove(f.at-1, f.at)
	case "delete":
		f.remove(f.at, f.at+1)
	case "ctrl+u":
		f.remove(0, f.at)
	case "ctrl+w":
		from := f.at
		for from > 0 && f.runes[from-1] == ' ' {
			from--
		}
		for from > 0 && f.runes[from-1] != ' ' && f.runes[from-1] != '\n' {
			from--
		}
		f.remove(from, f.at)
	case "enter":
		if f.lines {
			f.insert([]rune{'\n'})
		}
	default:
		if (key.Type == tea.KeyRunes || key.Type == tea.KeySpace) && !key.Alt {
			f.insert([]rune(safe.Text(string(key.Runes))))
			return true
		}
	}
	return len(f.runes) != before
}

func (f *textField) remove(from, to int) {
	from, to = max(0, from), min(len(f.runes), to)
	if from >= to {
		return
	}
	f.runes = append(f.runes[:from], f.runes[to:]...)
	f.at = from
}

// draw is the text wrapped, with the cursor; of a long text the end.
func (f *textField) draw(width int) []string {
	before, after := string(f.runes[:f.at]), string(f.runes[f.at:])
	if f.Secret {
		before, after = strings.Repeat("*", f.at), strings.Repeat("*", len(f.runes)-f.at)
	}
	lines := safe.Wrap(before+"_"+after, width)
	const most = 5
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return lines
}
