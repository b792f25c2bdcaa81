// Package plain is the program as a dialogue of lines, for screen readers and bad
// connections.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/grid"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tty"
)

// Dialogue is the program as a dialogue of lines, for screen readers and bad
// connections: it reads a command, the model carries it out, and the dialogue
// prints the result. It draws no screen, and writes no escape sequence.
type Dialogue struct {
	m   *desk.Model
	out io.Writer
	in  *bufio.Reader
	tty *os.File // secrets switch off its echo; nil for a pipe

	pending int // commands that a line waits for
	asking  bool
	over    bool
	spoke   bool // since the last line
	news    []string
	told    map[*staged.Item]bool
	prompt  *desk.Prompt // as last told
	hint    string
	head    string // the list, with its filter and order
	place   string // the object
}

// typed is a line that the person ended with enter.
type typed struct {
	text string
	err  error
}

// arrived is the end of a command that a line waits for.
type arrived struct{ msg tea.Msg }

// plainRows is how many rows list tells.
const plainRows = 10

// Run is Run without a screen.
func Run(ctx context.Context, m *desk.Model, o desk.Options, lines *bufio.Reader, options []tea.ProgramOption) error {
	p := NewDialogue(m, lines, o.Out)
	if in, isFile := o.In.(*os.File); isFile && tty.Is(in) {
		p.tty = in
	}
	program := tea.NewProgram(p, append(options, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer())...)
	m.After = func(wait time.Duration, msg func() tea.Msg) tea.Cmd {
		cmd := tea.Tick(wait, func(time.Time) tea.Msg { return msg() })
		if wait > grid.QueryWait { // countdowns and polls, which no line waits for
			return m.Background(cmd)
		}
		return cmd
	}
	m.Background = func(cmd tea.Cmd) tea.Cmd {
		go func() { program.Send(cmd()) }()
		return nil
	}
	_, err := program.Run()
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		err = nil
	}
	if left := len(m.Staged.Items); left > 0 {
		p.tell(fmt.Sprintf("%d not sent; the next start asks about them.", left))
	}
	return errors.Join(err, m.Staged.Close())
}

// NewDialogue is a dialogue that reads lines and writes sentences.
func NewDialogue(m *desk.Model, in io.Reader, out io.Writer) *Dialogue {
	p := &Dialogue{m: m, in: bufio.NewReader(in), out: out, told: map[*staged.Item]bool{}}
	// The width is large enough that no line is cut or wrapped: the terminal
	// does that.
	m.Width, m.Height = 1000, 100
	m.Tty = nil
	m.Theme.Glyphs = draw.ASCIIGlyphs
	m.HeardNotice = func(text string) { p.news = append(p.news, text) }
	return p
}

func (p *Dialogue) Init() tea.Cmd {
	p.Welcome()
	return p.track(p.m.Init())
}

// Welcome says where one is.
func (p *Dialogue) Welcome() {
	p.tell("Plain mode on " + p.m.Host + ". Enter goes to the next one; help lists the commands, quit leaves.")
}

func (p *Dialogue) View() string { return "" }

func (p *Dialogue) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case typed:
		p.asking = false
		if msg.err != nil {
			p.over = true
			return p, tea.Quit
		}
		cmd = p.track(p.Take(msg.text))
	case arrived:
		p.pending--
		cmd = p.follow(msg.msg)
	case nil:
	default:
		_, next := p.m.Update(msg)
		cmd = p.track(next)
	}
	if p.pending > 0 || p.over {
		return p, cmd
	}
	if p.asking {
		p.tellNews()
		return p, cmd
	}
	p.Speak()
	p.asking = true
	return p, tea.Batch(cmd, p.read)
}

// track counts a command until it arrived.
func (p *Dialogue) track(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	p.pending++
	return func() tea.Msg { return arrived{cmd()} }
}

var inTurn = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

// follow continues with the result of a command. Messages that only bubbletea
// understands go back to it.
func (p *Dialogue) follow(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var cmds []tea.Cmd
		for _, cmd := range msg {
			cmds = append(cmds, p.track(cmd))
		}
		return tea.Batch(cmds...)
	case tea.QuitMsg:
		p.over = true
		p.tellNews()
		return tea.Quit
	}
	if reflect.TypeOf(msg) == inTurn { // which the model does to end
		p.over = true
		p.tellNews()
		return func() tea.Msg { return msg }
	}
	_, cmd := p.m.Update(msg)
	return p.track(cmd)
}

// read waits for a line. A secret is not shown while it is typed.
func (p *Dialogue) read() tea.Msg {
	if p.tty != nil && p.prompt != nil && p.prompt.Text != nil && p.prompt.Text.Secret {
		secret, err := term.ReadPassword(int(p.tty.Fd()))
		return typed{string(secret), err}
	}
	text, err := p.readLine()
	if text != "" {
		err = nil // the last line may lack its end
	}
	return typed{text, err}
}

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 256 << 10

// readLine reads a line, of which only the beginning counts if it is too long.
func (p *Dialogue) readLine() (string, error) {
	var text []byte
	for {
		part, err := p.in.ReadSlice('\n')
		text = append(text, part[:min(len(part), MaxLine-len(text))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(text), err
		}
	}
}

// Take carries out a line: the answer to a question, or a command with the
// answer to its question.
func (p *Dialogue) Take(text string) tea.Cmd {
	wake := p.m.Woken()
	text = strings.TrimRight(text, "\r\n")
	if p.m.Prompt != nil && p.m.Prompt != p.prompt {
		p.hear("a question came up meanwhile; " + shown.Quoted(text) + " was not taken for its answer")
		return wake
	}
	if p.m.Prompt != nil {
		return tea.Batch(wake, p.answer(text))
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	return tea.Batch(wake, p.command(word, strings.TrimSpace(rest)))
}

// plainWords are commands under a second name.
var plainWords = map[string]keys.Command{"": keys.Down, "next": keys.Down, "previous": keys.Up, "open": keys.In, "enter": keys.In, "space": keys.Mark}

func (p *Dialogue) command(word, rest string) tea.Cmd {
	m := p.m
	switch word {
	case "read":
		p.place = ""
		return nil
	case "list":
		p.list()
		return nil
	case "go":
		return p.jump(rest)
	}
	if cmd, ok := m.Object(word + " " + rest); ok {
		return cmd
	}
	b, problem := p.find(word)
	switch {
	case problem == keys.NoCommand && m.Cli != nil:
		return m.RunCommand(strings.TrimSpace(word + " " + rest))
	case problem != "":
		p.hear(shown.Quoted(word) + ": " + problem + "; help lists the commands")
		return nil
	case b.Changes && m.Unchangeable() != "":
		p.hear(m.Unchangeable())
		return nil
	case b.Do == keys.Help:
		p.help()
		return nil
	case b.Do == keys.Suspend:
		p.hear("in plain mode that is left to the shell")
		return nil
	}
	before := m.Screen().Position(m.Env)
	cmd := m.Run(b.Do)
	switch b.Do {
	case keys.Down, keys.Up:
		if m.Screen().Position(m.Env) == before {
			p.hear("there is no other one in this direction")
		}
	case keys.ShowCW, keys.HideCW:
		p.place = ""
	}
	if rest == "" {
		return cmd
	}
	if m.Prompt == nil {
		p.hear("the words after " + shown.Quoted(word) + " were not needed")
		return cmd
	}
	return tea.Batch(cmd, p.answer(rest))
}

// find is the command of a key or a name.
func (p *Dialogue) find(word string) (b keys.Binding, problem string) {
	on := p.m.Screen().On()
	if do, ok := plainWords[word]; ok {
		for _, b := range p.m.Keys.Bindings {
			if b.Do == do && b.On&on != 0 {
				return b, ""
			}
		}
		return b, "not here"
	}
	if b, found, _ := p.m.Keys.Find(strings.ReplaceAll(word, "ctrl-", "ctrl+"), on); found {
		return b, ""
	}
	return p.m.Keys.Named(word, on)
}

// answer gives a line to the question that is open. An empty line cancels.
func (p *Dialogue) answer(text string) tea.Cmd {
	m, q := p.m, p.m.Prompt
	word := strings.TrimSpace(text)
	p.prompt = nil // told again if it stays open
	if q.Text != nil {
		m.Prompt = nil
		switch word {
		case "", "cancel", "esc":
			p.hear("cancelled")
			if q.Cancel != nil {
				return q.Cancel(m.Env, q.Text.String())
			}
			return nil
		case "keep":
			return q.Done(m.Env, q.Text.String())
		}
		return q.Done(m.Env, safe.Text(text))
	}
	if word == "" || word == "cancel" {
		word = "esc"
	}
	var found []desk.Choice
	for _, c := range q.Choices {
		if c.Key == word || c.Label == word {
			found = []desk.Choice{c}
			break
		}
		if c.Label != "" && strings.HasPrefix(c.Label, word) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		p.hear(shown.Quoted(word) + " is none of the answers")
		return nil
	}
	m.Prompt = nil
	if found[0].Key == "esc" {
		p.hear("cancelled")
		if q.Cancel != nil {
			return q.Cancel(m.Env, "")
		}
	}
	return found[0].Do(m.Env)
}

// jump goes to a row by its number.
func (p *Dialogue) jump(number string) tea.Cmd {
	l := p.rows()
	n, err := strconv.Atoi(number)
	if l == nil || err != nil || n < 1 || n > l.Len() {
		p.hear("go takes the number of a row, as list tells it")
		return nil
	}
	// By single steps, as keys would.
	step := keys.Down
	if n-1 < l.Cursor() {
		step = keys.Up
	}
	var cmds []tea.Cmd
	for i := l.Cursor(); i != n-1; i = l.Cursor() {
		cmds = append(cmds, p.m.Run(step))
		if l.Cursor() == i {
			break
		}
	}
	return tea.Batch(cmds...)
}

func (p *Dialogue) hear(text string) { p.news = append(p.news, text) }

func (p *Dialogue) tell(text string) {
	fmt.Fprintln(p.out, text)
	p.spoke = true
}

// tellNews tells notices and newly staged actions.
func (p *Dialogue) tellNews() {
	for _, text := range p.news {
		p.tell(shown.Sentence(text))
	}
	p.news = nil
	for _, item := range p.m.Staged.Items {
		if p.told[item] {
			continue
		}
		p.told[item] = true
		if item.Phase == staged.Waiting && item.Undoes == nil {
			wait := item.Due.Sub(p.m.Timer()).Round(time.Second)
			p.tell(shown.Sentence(fmt.Sprintf("%s: sent in %d seconds; type undo to cancel", item.Label, int(wait.Seconds()))))
		}
	}
	for item := range p.told {
		if !slices.Contains(p.m.Staged.Items, item) {
			delete(p.told, item)
		}
	}
}

// Speak prints the news, and the open question, or else the shown content.
func (p *Dialogue) Speak() {
	m := p.m
	p.tellNews()
	if hint := m.Screen().Hint(m.Env); hint != p.hint {
		if p.hint = hint; hint != "" {
			p.tell(shown.Sentence(hint))
		}
	}
	if m.Prompt != nil {
		p.question()
		return
	}
	p.prompt = nil
	if head := p.title(); head != p.head {
		p.head, p.place = head, ""
		p.tell(shown.Sentence(strings.Join(append([]string{m.Screen().Title(m.Env)}, p.order()...), ", ")))
	}
	if place := m.Screen().Position(m.Env); place != p.place {
		p.place = place
		for _, text := range m.Screen().Spoken(m.Env) {
			p.tell(text)
		}
	}
	if !p.spoke {
		p.tell("Nothing to tell.")
	}
	p.tell("Command?")
	p.spoke = false
}

// question tells the open question.
func (p *Dialogue) question() {
	q := p.m.Prompt
	p.prompt = q
	for _, l := range q.Title {
		// The text behind a gap lists keys, which a line cannot have.
		text, _, _ := strings.Cut(strings.TrimSpace(draw.PlainText(l)), "   ")
		if text != "" {
			p.tell(text)
		}
	}
	if q.Text != nil {
		if now := q.Text.String(); now != "" && !q.Text.Secret {
			p.tell("So far: " + safe.Line(now) + " (keep takes that)")
		}
		p.tell(strings.TrimSpace(q.Label) + " (an empty line cancels)")
		return
	}
	var choices []string
	for _, c := range q.Choices {
		if c.Key == "esc" {
			choices = append(choices, "an empty line: "+c.Label)
			continue
		}
		choices = append(choices, strings.TrimSuffix(keys.Name(c.Key)+": "+c.Label, ": "))
	}
	p.tell(strings.Join(choices, "; ") + "?")
}

// title identifies the screen, with filter and order but without counts.
func (p *Dialogue) title() string {
	s := p.m.Screen()
	title := s.Title(p.m.Env)
	if s.On()&keys.OnLists != 0 {
		title, _, _ = strings.Cut(title, " ")
	}
	return fmt.Sprintf("%p %s %s", s, title, strings.Join(p.order(), " "))
}

// order is the filter and the order of a list.
func (p *Dialogue) order() []string {
	var parts []string
	if p.m.Screen().On()&keys.OnLists == 0 {
		return nil
	}
	for _, e := range p.m.Screen().Extras(p.m.Env) {
		parts = append(parts, e.Text)
	}
	return parts
}

// help lists the commands of the screen in front.
func (p *Dialogue) help() {
	p.tell("read: the same again. list: the next rows. go 7: to row 7. An empty line: the next one.")
	p.tell("Words after a command answer its question: note seen before, visibility private.")
	for _, b := range p.m.Keys.Bindings {
		if b.On&p.m.Screen().On() == 0 || b.Do == keys.Suspend {
			continue
		}
		text := string(b.Do)
		if len(b.Keys) > 0 {
			text += ", " + keys.Name(b.Keys[0])
		}
		p.tell(text + ": " + b.Help)
	}
}
