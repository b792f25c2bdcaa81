package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/shlex"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/tables"
)

// askPalette reads a command: a screen, a key's action on this screen, a person, a
// report, or a command of the command line. What matches is listed while it is typed.
func (m *Env) askPalette() {
	p := &Prompt{Text: NewTextField("", false), Label: ":", Accept: "enter", earlier: append([]string{}, m.commands...)}
	list := func(words []string) {
		p.Title = []draw.Line{draw.Inked(draw.InkStrong, " a command   enter goes, tab completes, esc cancels")}
		lines := safe.Wrap(strings.Join(words, " "), max(1, m.Width-2))
		const most = 4
		if len(lines) > most {
			lines = append(lines[:most-1], safe.Truncate(lines[most-1]+" ...", max(1, m.Width-2), "~"))
		}
		for _, text := range lines {
			p.Title = append(p.Title, draw.Inked(draw.InkDim, " "+text))
		}
	}
	list(m.screenNames())
	p.onText = func(m *Env, text string) tea.Cmd {
		if text == "" {
			list(m.screenNames())
		} else {
			list(m.paletteMatches(text))
		}
		return nil
	}
	p.complete = func(m *Env, text string) tea.Cmd {
		own := m.paletteMatches(text)
		part, person := m.namesPerson(text)
		if m.complete == nil && !person || text == "" {
			p.completed(text, own, list)
			return nil
		}
		ask, load := m.complete, m.Load
		return m.Load.Run(func(ctx context.Context) tea.Msg {
			var words []string
			if ask != nil {
				words = ask(text)
			}
			if person {
				words = append(words, load.people(ctx, part)...)
			}
			return completions{p, text, own, words, list}
		})
	}
	p.Done = func(m *Env, text string) tea.Cmd {
		text = strings.TrimSpace(text)
		m.commands = append(slices.DeleteFunc(m.commands, func(one string) bool { return one == text || text == "" }), text)
		m.commands = m.commands[max(0, len(m.commands)-mostCommands):]
		return m.command(text)
	}
	m.Ask(p)
}

// mostCommands is how many commands the palette brings back.
const mostCommands = 50

// namesPerson reports whether the second word of a text, of which part is typed, is the
// name of an account.
func (m *Env) namesPerson(text string) (part string, ok bool) {
	word, part, two := strings.Cut(text, " ")
	if !two || strings.Contains(part, " ") || !m.Rights.Has(tables.NeedsUsers) {
		return "", false
	}
	n := tables.Find(word)
	return part, word == "user" || n != nil && strings.HasSuffix(n.Of, "user")
}

// completions are the words that may stand in place of the last one of a text.
type completions struct {
	prompt *Prompt
	text   string
	own    []string // names of the palette itself
	words  []string // of the command line
	list   func([]string)
}

// completions puts words in, unless the person typed on.
func (d *desk) completions(msg completions) {
	if d.Prompt != msg.prompt || msg.prompt.Text.String() != msg.text {
		return
	}
	words := msg.words
	if !strings.Contains(msg.text, " ") {
		words = append(msg.own, words...)
	}
	msg.prompt.completed(msg.text, words, msg.list)
}

// completed puts the common beginning of words in place of the last word, and lists
// them where there are several.
func (p *Prompt) completed(text string, words []string, list func([]string)) {
	for i, word := range words {
		words[i] = safe.Line(word)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	at := strings.LastIndex(text, " ") + 1
	begin := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, text[at:]) })
	switch {
	case len(begin) == 1:
		p.Text = NewTextField(text[:at]+begin[0]+" ", false)
	case len(begin) > 1:
		common := begin[0]
		for _, word := range begin {
			for !strings.HasPrefix(word, common) {
				common = common[:len(common)-1]
			}
		}
		p.Text = NewTextField(text[:at]+common, false)
	case len(words) == 1: // found by some of its letters
		p.Text = NewTextField(text[:at]+words[0]+" ", false)
	}
	list(words)
}

// screenNames are the names of the screens that there are.
func (d *desk) screenNames() []string {
	var names []string
	for _, t := range d.Tabs {
		if d.Keys.Has(t.Do) {
			names = append(names, string(t.Do))
		}
	}
	return names
}

// paletteMatches are the names of commands of this screen in which the letters of a
// text stand in their order, the closest first.
func (d *desk) paletteMatches(text string) []string {
	type match struct {
		name  string
		score int
	}
	var found []match
	at := d.Screen().On()
	for _, b := range d.Keys.Bindings {
		if b.On&at == 0 {
			continue
		}
		if score, ok := keys.Fuzzy(string(b.Do), text); ok {
			found = append(found, match{string(b.Do), score})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// command carries out a line of the palette.
func (m *Env) command(text string) tea.Cmd {
	if cmd, ok := m.Object(text); ok {
		return cmd
	}
	b, problem := m.Keys.Named(text, m.Screen().On())
	switch {
	case problem == "":
		if why := m.Unchangeable(); b.Changes && why != "" {
			m.Say(draw.InkWarn, why)
			return nil
		}
		return m.Run(b.Do)
	case problem != keys.NoCommand || text == "":
	case m.Cli != nil && m.isCommand(text):
		return m.RunCommand(text)
	default:
		if found := m.screenLike(text); found != "" {
			return m.Run(found)
		}
		if m.Cli != nil {
			return m.RunCommand(text)
		}
	}
	if b, other := m.allKeys.Named(text, keys.OnAll); problem == keys.NoCommand && other == "" {
		problem = b.NotHere()
		if !m.Keys.Has(b.Do) {
			problem = b.Refusal()
		}
	}
	m.Say(draw.InkBad, ":"+safe.Line(text)+": "+problem)
	return nil
}

// isCommand reports whether the command line has a command of the first word.
func (d *desk) isCommand(text string) bool {
	word, _, several := strings.Cut(text, " ")
	return several || d.complete != nil && slices.Contains(d.complete(word), word)
}

// screenLike is the one screen in which the letters of a text stand.
func (d *desk) screenLike(text string) keys.Command {
	const least = 3 // fewer letters stand in anything
	var found []string
	for _, name := range d.screenNames() {
		if _, ok := keys.Fuzzy(name, text); ok && len(text) >= least {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return keys.Command(found[0])
}

// Object opens the screen of one object: user kim, report 9xA1, chats kim. It goes to
// another instance too: context staging.
func (m *Env) Object(text string) (tea.Cmd, bool) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return nil, false
	}
	word, name := words[0], words[1]
	if (word == "context" || word == "ctx") && m.Keys.Has(keys.Contexts) && !slices.Contains(contextVerbs, name) {
		return m.switchTo(name), true
	}
	name = strings.TrimPrefix(name, word+"/")
	if o, known := m.Openers[word]; known && m.Keys.Has(o.Needs) && (o.Fits == nil || o.Fits(name)) {
		return o.Open(m, name), true
	}
	n := tables.Find(word)
	if n == nil || n.Of == "" || !m.Keys.Has(keys.Command(n.Name)) {
		return nil, false
	}
	return m.OpenTable(keys.Command(n.Name), name), true
}

// contextVerbs are those of svcctl context, which say themselves that they are for
// the shell.
var contextVerbs = []string{"list", "use", "add", "remove"}

// commandTime bounds a command of the command line, of which one may wait for ever.
const commandTime = time.Minute

// commandEnded is the end of a command of the command line.
type commandEnded struct {
	text, out string
	err       error
}

// RunCommand carries out a command of the command line.
func (m *Env) RunCommand(text string) tea.Cmd {
	args, err := shlex.Split(text)
	if err != nil || len(args) == 0 {
		m.Say(draw.InkBad, ":"+safe.Line(text)+": a quotation mark is missing")
		return nil
	}
	m.Say(draw.InkDim, ":"+safe.Line(text)+" ...")
	run, width := m.Cli, max(0, m.Width-1) // a page begins with a space
	parent := m.Load.Ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, commandTime)
		defer cancel()
		out, err := run(ctx, args, width)
		return commandEnded{text, out, err}
	}
}

// commandEnded shows the output of a command on a page, and has what it may have
// changed loaded again.
func (m *Env) commandEnded(msg commandEnded) tea.Cmd {
	name := safe.Line(msg.text)
	switch {
	case errors.Is(msg.err, context.DeadlineExceeded):
		m.Say(draw.InkBad, fmt.Sprintf(":%s: ended after %s", name, commandTime))
	case msg.err != nil:
		m.Say(draw.InkBad, ":"+name+": "+shown.Wording(msg.err).String())
	default:
		m.Say(draw.InkGood, ":"+name+": done")
	}
	for _, o := range m.Observers {
		o.Commanded()
	}
	cmd := m.pollNow()
	if text := strings.TrimRight(safe.Text(msg.out), "\n "); text != "" {
		out := &Page{Name: "COMMAND " + safe.Truncate(name, 40, "~"), Text: func(width int, f list.Filter) []draw.Line {
			var lines []draw.Line
			for _, one := range safe.Wrap(text, max(1, width-1)) {
				lines = append(lines, draw.Plain(" "+one))
			}
			return Matching(lines, f)
		}}
		return tea.Batch(cmd, m.Open(out))
	}
	return tea.Batch(cmd, m.Screen().Renew(m))
}
